//! Tests of what the examples print, and of the pictures that they draw. `cargo test` builds them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The field of the example `field`, whose unit tests run here.
#[path = "../examples/field/field.rs"]
mod field;

/// Runs an example, and returns what it printed. The examples check their results, and fail if these
/// are wrong.
fn run(example: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_example-app"));
    let folder = program.parent().expect("a program is in a directory").join("examples");
    let output = Command::new(folder.join(example).with_extension(env::consts::EXE_EXTENSION))
        .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap_or_else(|error| {
            panic!("{example}: {error}; `cargo test -p example-app` builds it")
        });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {errors}");
    assert_eq!(errors, "", "progress is for terminals");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// Runs an example, checks that it printed these lines, and draws the number of pictures given.
fn check(example: &str, lines: &[&str], pictures: usize) {
    let shown = run(example);
    for line in lines {
        assert!(shown.contains(line), "{example}: `{line}` is missing in\n{shown}");
    }
    let paths = shown.lines().filter_map(|line| line.strip_prefix("picture  "));
    let paths: Vec<PathBuf> = paths.map(PathBuf::from).collect();
    assert_eq!(paths.len(), pictures, "{shown}");
    for path in paths {
        let svg = fs::read_to_string(&path).expect("the picture can be read");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{}", path.display());
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", path.display());
    }
}

#[test]
fn attention_is_that_of_a_dense_computation() {
    check("attention", &["96 positions, 1196 of 9216 pairs attend"], 1);
}

#[test]
fn images_are_filtered() {
    check("convolution", &["the drawing has 408 of 4096 pixels, its edges 962"], 1);
}

#[test]
fn elements_converge_with_the_square_of_their_size() {
    check("elements", &["512 elements,  289 nodes", "8192 elements, 4225 nodes"], 1);
}

#[test]
fn constraints_over_a_field_are_checked() {
    let lines =
        ["2 constraints over", "100000 constraints over", "a wrong assignment is found   true"];
    check("field", &lines, 0);
}

#[test]
fn the_incomplete_factor_is_a_good_preconditioner() {
    check("incomplete", &["1138 × 1138, 4054 entries", "incomplete Cholesky  2596 entries"], 1);
}

#[test]
fn the_network_learns_the_published_parties() {
    check("network", &["34 nodes, 78 edges, 2 of known party", "33 of 34 as published"], 2);
}

#[test]
fn pruned_layers_are_those_of_all_weights() {
    check("pruned", &["two of four   3072 of 6144", "4 × 4 blocks  1536 of 6144"], 1);
}

#[test]
fn triangles_are_counted() {
    let lines = ["triangles            45\n", "triangles            13302\n", "[67, 25, 14]"];
    check("triangles", &lines, 0);
}

#[cfg(feature = "sprs")]
#[test]
fn kernels_take_matrices_of_sprs() {
    check("sprs", &["node 34  rank 0.100919", "332 pairs     as with sprs"], 0);
}

#[cfg(feature = "faer")]
#[test]
fn direct_solvers_take_what_kernels_assemble() {
    check("factorize", &["Cholesky  |b - A x| / |b|", "LU        |b - A x| / |b|"], 0);
}
