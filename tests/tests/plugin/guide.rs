//! Tests that the level guide contains the files that are tested here, and the generated loops. A
//! golden source that differs is rewritten, and the test fails once.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../sparsegen-build/src/level/guide.md");

/// Returns a file without the comment at its head.
fn code(file: &str) -> String {
    let lines = file.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_page_shows_what_is_tested() {
    for file in [include_str!("build/run_length.rs"), include_str!("levels/run_length.rs")] {
        assert!(
            PAGE.contains(&code(file)),
            "the page contains other code than this:\n{}",
            code(file)
        );
    }
}

#[test]
fn generated_source_is_as_it_was() {
    let source = include_str!(concat!(env!("OUT_DIR"), "/spmv_run_length.rs"));
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/plugin/spmv_run_length.rs");
    if fs::read_to_string(&golden).ok().as_deref() != Some(source) {
        fs::write(&golden, source).expect("it is writable");
        panic!("{} was rewritten", golden.display());
    }
    let loops = PAGE.split("```text\n").find(|block| block.starts_with("for i in"));
    let loops =
        loops.and_then(|block| block.split("```").next()).expect("the page shows the loops");
    for line in loops.lines() {
        assert!(source.contains(line.trim()), "the page contains another line: {line}");
    }
}
