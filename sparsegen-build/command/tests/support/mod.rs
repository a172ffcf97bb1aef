//! Runs the command.

#![allow(dead_code, reason = "each file of tests uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of a run of the command.
#[derive(Debug)]
pub struct Ran {
    pub succeeds: bool,
    pub output: String,
    pub errors: String,
}

/// Runs the command in the folder of these tests.
pub fn run(arguments: &[&str]) -> Ran {
    run_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), arguments)
}

/// Runs the command in a folder.
pub fn run_in(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparsegen"));
    // Builds take only versions that are already available.
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO", env!("CARGO"));
    let ran = command.args(arguments).current_dir(folder).output().expect("the command runs");
    Ran {
        succeeds: ran.status.success(),
        output: String::from_utf8(ran.stdout).expect("a text"),
        errors: String::from_utf8(ran.stderr).expect("a text"),
    }
}

/// Runs the command, which must succeed, and returns what it printed.
pub fn output(arguments: &[&str]) -> String {
    let ran = run(arguments);
    assert!(ran.succeeds, "{arguments:?}\n{}{}", ran.output, ran.errors);
    ran.output
}

/// Compares a text with a golden file, which is replaced if it differs.
pub fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let before = fs::read_to_string(&path).unwrap_or_default();
    if before != text {
        fs::write(&path, text).expect("golden files can be written");
    }
    assert!(
        before == text,
        "tests/golden/{name} differed, and is replaced: look at the difference"
    );
}

/// Returns an empty folder for the files of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for temporary files can be made");
    folder
}
