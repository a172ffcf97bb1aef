//! Runs kernels on the ranks of an MPI program, where MPI is installed; see `tests/mpi`.

use std::path::Path;
use std::process::Command;

#[test]
fn ranks_compute_what_one_process_does() {
    let finds = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !["mpirun", "mpicc", "clang"].into_iter().all(finds) {
        println!("SKIPPED: `mpirun`, `mpicc` and `clang` are not all installed");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    // Cargo has released its lock when tests run.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target directory");
    let built = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["build", "--locked", "-p", "sparsegen-mpi-tests", "--features", "mpi"])
        // For a few kernels, compiling an optimized compiler takes longer than generating them without.
        .args(["--config", "profile.dev.package.sparsegen-build.opt-level=0"])
        .arg("--target-dir")
        .arg(target)
        .output()
        .expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let version = Command::new("mpirun").arg("--version").output().expect("mpirun runs").stdout;
    let is_open = String::from_utf8_lossy(&version).contains("Open MPI");
    for ranks in ["1", "2", "3", "5", "8"] {
        // Open MPI must be told that there may be more ranks than cores, and that the user may be the
        // administrator of a container.
        let options: &[&str] =
            if is_open { &["--oversubscribe", "--allow-run-as-root"] } else { &[] };
        let run = Command::new("mpirun")
            .args(options)
            .args(["-n", ranks])
            .arg(target.join("debug/ranks"))
            .output()
            .expect("mpirun runs");
        let (out, err) =
            (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{ranks} ranks:\n{out}{err}");
        assert!(out.contains(&format!("on {ranks} ranks")), "{out}{err}");
    }
}
