//! The page that shows how a level is made has the very files that are tested here.

const PAGE: &str = include_str!("../../../sparsegen-build/src/level/guide.md");

/// A file without the comment at its head.
fn code(file: &str) -> String {
    let lines = file.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_page_shows_what_is_tested() {
    for file in [include_str!("build/run_length.rs"), include_str!("levels/run_length.rs")] {
        assert!(PAGE.contains(&code(file)), "the page shows other code than this:\n{}", code(file));
    }
}
