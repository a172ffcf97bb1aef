//! Tests of the program's output, its streams and its exit code.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_example-app");
    Command::new(program).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// Writes a file to the directory that cargo provides for tests.
fn file(name: &str, content: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("the folder can be written to");
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// Returns the error that the program prints for an invalid file.
fn complaint(command: &str, option: &str, file: &str) -> String {
    let output = run(&[command, option, file]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with(&format!("error: {command}: ")), "{errors}");
    errors
}

#[test]
fn everything_runs_on_the_bundled_data() {
    let output = run(&[]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for line in [
        "Conjugate gradients: bcsstk13.mtx",
        "PageRank: hep-th.mtx",
        "sum of all ranks   1.0000000000",
        "Graph searches: karate.mtx",
        "Graph searches: hep-th.mtx",
        "textbook check     the same",
        "pictures/search.svg",
        "pictures/cp-als.svg",
        "Sums and elementwise products: bcsstk13.mtx",
        "CP decomposition: kinships.tns",
        "MTTKRP with ones   sums to 170976.0, 170976.0 and 170976.0",
    ] {
        assert!(shown.contains(line), "`{line}` is missing in\n{shown}");
    }
    let (_, generated) = shown.trim_end().rsplit_once("kernels is ").expect("a path at the end");
    let source = fs::read_to_string(generated).expect("the generated source can be read");
    assert!(source.contains("pub fn spmv"));
}

#[test]
fn another_matrix_can_be_named() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/1138_bus.mtx");
    let output = run(&["solve", "--matrix", path]);
    assert!(text(&output.stdout).contains("1138 × 1138, 4054 entries"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_goes_to_standard_output() {
    let output = run(&["--help"]);
    assert!(text(&output.stdout).contains("Usage: example-app [COMMAND] [OPTIONS]"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn wrong_arguments_end_with_code_2() {
    for arguments in [&["slove"][..], &["--matirx", "a.mtx"], &["solve", "--matrix"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("--help"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn bad_files_are_errors_that_name_them() {
    let missing = complaint("solve", "--matrix", "no such file.mtx");
    assert!(missing.contains("no such file.mtx"), "{missing}");

    let broken = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n3 1 1.0\n";
    let broken = file("broken.mtx", broken);
    for command in ["solve", "rank", "graph", "merge"] {
        let errors = complaint(command, "--matrix", &broken);
        assert!(errors.contains("broken.mtx:4") || errors.contains("line 4"), "{errors}");
    }

    let matrix = file("order2.tns", "1 1 1.0\n2 2 1.0\n");
    complaint("factor", "--tensor", &matrix);
    complaint("factor", "--tensor", &file("empty.tns", "# nothing\n"));
}

#[test]
fn matrices_that_do_not_suit_are_errors_that_say_why() {
    let wide = file("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 4.0\n");
    assert!(complaint("solve", "--matrix", &wide).contains("not square"));
    assert!(complaint("rank", "--matrix", &wide).contains("the matrix of a graph is square"));
    assert!(complaint("graph", "--matrix", &wide).contains("the matrix of a graph is square"));
    let merged = run(&["merge", "--matrix", &wide]);
    assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));

    let none = file("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    assert_eq!(run(&["solve", "--matrix", &none]).status.code(), Some(0));
    assert!(complaint("rank", "--matrix", &none).contains("no nodes"));
}
