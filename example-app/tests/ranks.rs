//! Tests of the program on the ranks of an MPI program, where MPI is installed.

use std::process::Command;

/// Runs a part of the program on some ranks, and returns what it printed.
fn run(ranks: usize, part: &str) -> String {
    let output = Command::new("mpirun")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .args(["-n", &ranks.to_string(), "--oversubscribe", env!("CARGO_BIN_EXE_example-app")])
        .args([part, "--mpi"])
        .output()
        .expect("the feature `mpi` is for machines with `mpirun`");
    assert!(output.status.success(), "{part}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

#[test]
fn ranks_compute_what_one_process_does() {
    for ranks in [1, 3] {
        let solved = run(ranks, "solve");
        assert!(solved.contains(&format!("Conjugate gradients on {ranks} ranks: 1138_bus.mtx")));
        assert!(solved.contains("1138 × 1138, 4054 entries"), "{solved}");
        // These two fail if the results are not those of one process.
        assert!(run(ranks, "rank").contains("first node         24"));
        assert!(run(ranks, "graph").contains("one process        the same distances"));
        let factored = run(ranks, "factor");
        assert!(factored.contains("104 × 25 × 104, divided by its first mode"), "{factored}");
    }
    for part in ["solve", "factor"] {
        assert_eq!(run(3, part), run(3, part), "results are the same to the last bit");
    }
}
