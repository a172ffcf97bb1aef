//! Tests of the invariants of ARCHITECTURE.md that can be checked on source text, and of the number of
//! crates that the compiler needs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns every source file of a crate of the workspace, with its text.
fn sources(of: &str) -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let name = |path: &PathBuf| {
        path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    };
    files.iter().map(|path| (name(path), fs::read_to_string(path).expect("a text"))).collect()
}

fn is_test(name: &str) -> bool {
    name.contains("tests") || name == "testing.rs" || name.contains("samples")
}

/// Returns the text before its unit tests, without comments.
fn code(text: &str) -> String {
    let before = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = before.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn only_levels_know_their_names() {
    let levels =
        ["dense", "compressed", "singleton", "range", "offset", "hashed", "bitmap", "batch"];
    for (name, text) in sources("sparsegen-build") {
        let may = name.starts_with("level") || name == "format/builtin.rs" || is_test(&name);
        for level in levels.iter().filter(|_| !may) {
            let literal = format!("\"{level}\"");
            assert!(!code(&text).contains(&literal), "{name} names the level {level}");
        }
    }
}

#[test]
fn the_back_end_knows_nothing_of_tensors() {
    for (name, text) in sources("sparsegen-build") {
        let back = ["ir", "optimize", "emit"].iter().any(|stage| name.starts_with(stage));
        for stage in ["notation", "level", "iteration", "concrete", "schedule", "lower"] {
            let uses = format!("crate::{stage}");
            assert!(!back || !code(&text).contains(&uses), "{name} reaches to {stage}");
        }
    }
}

/// The stages in the order in which they run; each imports only earlier ones.
const STAGES: [&str; 7] =
    ["coordinate", "notation", "concrete", "iteration", "schedule", "lower", "emit"];

#[test]
fn stages_import_in_one_direction() {
    for (name, text) in sources("sparsegen-build") {
        let of = name.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = STAGES.iter().position(|stage| *stage == of) else { continue };
        for later in STAGES[own + 1..].iter().filter(|_| !is_test(&name)) {
            let uses = format!("crate::{later}");
            assert!(!code(&text).contains(&uses), "{name} imports from the later stage {later}");
        }
    }
}

/// The folders that may read the user's commands: they check them, and rewrite loops.
const READ_COMMANDS: [&str; 3] = ["notation", "manifest", "schedule"];

#[test]
fn nobody_reads_commands_behind_the_schedule() {
    for (name, text) in sources("sparsegen-build") {
        let of = name.split(['/', '.']).next().unwrap_or_default();
        let may = READ_COMMANDS.contains(&of) || is_test(&name);
        assert!(may || !code(&text).contains("Action::"), "{name} reads commands of the schedule");
    }
}

#[test]
fn files_are_short() {
    for of in ["sparsegen", "sparsegen-build", "sparsegen-build/command"] {
        for (name, text) in sources(of) {
            let lines = text.lines().count();
            assert!(lines <= 400 || name.ends_with("/kernels.rs"), "{name}: {lines} lines");
        }
    }
}

#[test]
fn nothing_is_left_unfinished() {
    for of in ["sparsegen", "sparsegen-build", "example-app"] {
        for (name, text) in sources(of) {
            for word in ["todo!(", "unimplemented!(", "TODO", "FIXME"] {
                assert!(!text.contains(word), "{of}: {name} has a {word}");
            }
        }
    }
}

/// The largest number of crates that a build-dependency on the compiler compiles, itself included.
const CRATES: usize = 11;

/// The runtime and generated code compile without the standard library, which CI also checks where it
/// can have a target without one. What needs the library is behind the feature `std`.
#[test]
fn only_features_use_the_standard_library() {
    let modules = ["io", "bridge", "lazy", "distributed"];
    let is_std = |line: &str| line.contains("std::");
    for (name, text) in sources("sparsegen") {
        if modules.iter().any(|module| name.starts_with(module)) || is_test(&name) {
            continue;
        }
        let text = code(&text);
        let mut before = "";
        for line in text.lines() {
            let is_chosen = before.contains("feature = \"std\"");
            assert!(is_chosen || !is_std(line), "sparsegen/src/{name}: {line}");
            before = line;
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    for entry in fs::read_dir(golden).expect("a folder").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a text");
            let found = text.lines().find(|line| is_std(line));
            assert_eq!(found, None, "{}", path.display());
        }
    }
}

#[test]
fn the_compiler_needs_few_crates() {
    let arguments = ["tree", "--offline", "--locked", "--package", "sparsegen-build"];
    let form = ["--edges", "normal,build", "--prefix", "none", "--format", "{p}", "--no-dedupe"];
    let tree = Command::new(env!("CARGO"))
        .args(arguments.iter().chain(&form))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let shown = String::from_utf8_lossy(&tree.stdout);
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let crates: BTreeSet<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    assert!(crates.iter().any(|name| name.starts_with("sparsegen-build ")), "{shown}");
    assert!(crates.len() <= CRATES, "{} crates: {crates:?}", crates.len());
}

/// A crate that is published has its licences, and includes no file from outside of its directory,
/// where a package has none.
#[test]
fn packages_are_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| panic!("{path:?}"));
    for of in ["sparsegen", "sparsegen-build", "sparsegen-build/command"] {
        let package = resolve(&root.join(of));
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = fs::read_to_string(package.join(licence)).expect("a licence");
            assert_eq!(text, fs::read_to_string(root.join(licence)).expect("a licence"));
        }
        for (name, text) in sources(of).iter().filter(|(name, _)| !is_test(name)) {
            let folder = package.join("src").join(name);
            let folder = folder.parent().expect("a file is in a folder");
            for included in text.split("include_str!(\"").skip(1) {
                let file = included.split('"').next().expect("the first part");
                let is_inside = resolve(&folder.join(file)).starts_with(&package);
                assert!(is_inside, "{of}: {name} includes {file}");
            }
        }
    }
}

#[test]
fn public_functions_have_examples() {
    // Only generated code calls these; implementations of a level get an axis as argument.
    let plumbing = [
        "kernel",
        "operators/kernels",
        "tensor/conversions/kernels",
        "level/axis",
        "distributed/made",
        "distributed/part",
        "distributed/plan",
    ];
    let plumbing = [&plumbing[..], &["distributed/scheme", "distributed/simulate"]].concat();
    let sources = sources("sparsegen");
    let mut examples = BTreeSet::new();
    for (_, text) in &sources {
        let docs = text.lines().filter_map(|line| {
            let line = line.trim_start();
            line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
        });
        let mut is_example = false;
        for line in docs {
            is_example ^= line.trim_start().starts_with("```");
            let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            examples.extend(words.filter(|_| is_example));
        }
    }
    let mut missing = Vec::new();
    for (name, text) in
        sources.iter().filter(|(name, _)| !plumbing.iter().any(|it| name.starts_with(it)))
    {
        let mut is_hidden = false;
        for line in text.lines().map(str::trim_start) {
            let line = line.replace("const fn", "fn").replace("unsafe fn", "fn");
            if let Some(function) = line.strip_prefix("pub fn ") {
                let function = function.split(['(', '<']).next().unwrap_or_default();
                if !is_hidden && !examples.contains(function) {
                    missing.push(format!("{name}: {function}"));
                }
                is_hidden = false;
            }
            is_hidden |= line.contains("#[doc(hidden)]");
        }
    }
    assert!(missing.is_empty(), "no example calls these functions: {missing:#?}");
}
