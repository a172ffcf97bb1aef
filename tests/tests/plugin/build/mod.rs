//! The part of the build script that compiles kernels with levels of the test crate.

mod delta;
mod run_length;
mod table;
mod window;

use std::fs;
use std::path::Path;

use sparsegen_build::Compiler;

/// Formats of such levels, each of which gets the kernels of `matrix.toml`, and formats of other
/// levels whose coordinates are computed and may exceed the dimension.
const FORMATS: [(&str, &str); 11] = [
    ("runs", "\"(i, j) -> (i : dense, j : run_length)\""),
    ("column_runs", "\"(i, j) -> (j : dense, i : run_length)\""),
    (
        "small_runs",
        "{ map = \"(i, j) -> (i : dense, j : run_length)\", pos = \"u8\", crd = \"u8\" }",
    ),
    ("runs_of_runs", "\"(i, j) -> (i : run_length, j : run_length)\""),
    ("deltas", "\"(i, j) -> (i : dense, j : delta)\""),
    ("tables", "\"(i, j) -> (i : dense, j : table)\""),
    ("tables_of_tables", "\"(i, j) -> (i : table, j : table)\""),
    ("band", "\"(i, j) -> (i : dense, j : window(3))\""),
    ("lists_in_blocks", "\"(i, j) -> (i : dense, j / 4 : compressed, j % 4 : compressed)\""),
    ("whole_diagonals", "\"(i, j) -> (j - i : compressed, i : dense)\""),
    ("lists_in_diagonals", "\"(i, j) -> (j - i : compressed, i : compressed)\""),
];

/// Generates `NAME.rs` for each of the formats, `mixed.rs`, and the golden source.
pub fn generate(folder: &Path, out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let compiler = Compiler::new()
        .level(delta::Delta)
        .level(run_length::RunLength)
        .level(table::Table)
        .level(window::Window { width: 3 });
    let read = |name: &str| {
        fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    let matrix = read("matrix.toml")?;
    let golden = Path::new("golden/plugin");
    println!("cargo::rerun-if-changed={}", golden.display());
    let name = golden.join("spmv_run_length.toml");
    let golden =
        fs::read_to_string(&name).map_err(|error| format!("{}: {error}", name.display()))?;
    let manifests = FORMATS.map(|(name, map)| (name, matrix.replace("FORMAT", map)));
    let others = [("mixed", read("mixed.toml")?), ("spmv_run_length", golden)];
    for (name, text) in manifests.into_iter().chain(others) {
        let output = compiler.compile_str(&format!("{name}.toml"), &text);
        if !output.diagnostics.is_empty() {
            return Err(output.diagnostics.render(name, &text));
        }
        let path = out.join(format!("{name}.rs"));
        fs::write(&path, output.source).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}
