//! Tests that build crates, with what is in the workspace's target folder as far as possible.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{folder, run_in};

/// The folder in which the crate of a new user is built by another test, too.
const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/new_user/target");

#[test]
fn a_new_crate_builds_and_runs() {
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
