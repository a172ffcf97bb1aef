//! Tests that build crates, with what is in the workspace's target folder as far as possible.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use support::{folder, run_in};

/// The folder in which the crate of a new user is built by another test, too.
const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/new_user/target");

/// Tests that build with the same target folder take turns.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn a_new_crate_builds_and_runs() {
    let _turn = TURN.lock();
    let folder = folder("new");
    let made = run_in(&folder, &["new", "first"]);
    assert!(made.succeeds, "{}", made.errors);
    // The versions that are already available.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crate_folder = folder.join("first");
    fs::copy(root.join("Cargo.lock"), crate_folder.join("Cargo.lock")).expect("a lock file");
    let ran = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--target-dir", TARGET])
        .current_dir(&crate_folder)
        .env_remove("OUT_DIR")
        .output()
        .expect("cargo runs this test, too");
    let (output, errors) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{errors}");
    assert!(output.starts_with("A x = [20.0, 301.0]\nA + A =\n"), "{output}");
    assert_eq!(errors, "", "a new crate builds without warnings");
}

#[test]
fn kernels_are_timed_on_files_and_formats_are_compared() {
    let _turn = TURN.lock();
    let folder = folder("bench");
    let entries = (1..=60).flat_map(|i| [(i, i, 2.0), (i, i * 7 % 60 + 1, 1.0)]);
    let lines: String = entries.map(|(i, j, value)| format!("{i} {j} {value}\n")).collect();
    let matrix = format!("%%MatrixMarket matrix coordinate real general\n60 60 120\n{lines}");
    fs::write(folder.join("matrix.mtx"), matrix).expect("a file");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels.toml");
    // With the profile and the folder of the other test, little is built.
    let options = ["--profile", "dev", "--target-dir", TARGET];
    let run = |command: &str, kernel: &str| {
        let arguments = [&[command, kernel, "matrix.mtx", kernels][..], &options].concat();
        let ran = run_in(&folder, &arguments);
        assert!(ran.succeeds, "{}{}", ran.output, ran.errors);
        ran.output
    };
    let shown = run("bench", "spmv");
    assert!(shown.starts_with("A: ") && shown.contains("matrix.mtx, 60 × 60, 1"), "{shown}");
    assert!(shown.contains("\nx: made, 60, random values\n"), "{shown}");
    assert!(shown.contains("\nspmv: ") && shown.contains("(median of "), "{shown}");
    assert!(shown.ends_with("\ntime: O(i + nnz(A)).\n"), "{shown}");

    let shown = run("advise", "spmv");
    for row in ["A=csr (the manifest)", "A=csc", "A=coo", "A=dcsr", "A=dcsc", "A=ell"] {
        assert!(
            shown.lines().any(|line| line.starts_with(row) && line.contains(" ×   ")),
            "{shown}"
        );
    }
    let last = shown.lines().last().unwrap_or_default();
    assert!(last.contains("fastest"), "{shown}");

    let missing = run_in(&folder, &["bench", "spmv", "none.mtx", kernels]);
    assert!(!missing.succeeds && missing.errors.contains("none.mtx"), "{}", missing.errors);
    let missing = run_in(&folder, &["bench", "spmv", kernels]);
    assert!(!missing.succeeds && missing.errors.contains("a file is missing"));
}
