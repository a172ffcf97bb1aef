//! Type-checks generated sources, many in one crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The sources that rustc refuses or warns of, with what it says.
pub fn mistakes(sources: &[&(&str, String)]) -> Vec<String> {
    let folder = env::temp_dir().join(format!("sparsegen-rustc-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    let library = library(&folder);
    let mut wrong = Vec::new();
    let mut rest: Vec<usize> = (0..sources.len()).collect();
    // A mistake of one stage hides those of later ones: what is refused is left out, and the others
    // are tried again.
    while !rest.is_empty() {
        let said = match check(&folder, &library, sources, &rest) {
            Ok(()) => break,
            Err(said) => said,
        };
        let is_named = |k: &usize| said.contains(&format!("m{k}.rs:"));
        let named: Vec<usize> = rest.iter().copied().filter(is_named).collect();
        assert!(!named.is_empty(), "rustc fails, but for none of the sources:\n{said}");
        for k in &named {
            let about = said.split("\n\n").find(|part| part.contains(&format!("m{k}.rs:")));
            wrong.push(format!("{}\n{}", sources[*k].0, about.unwrap_or_default()));
        }
        rest.retain(|k| !named.contains(k));
    }
    let _ = fs::remove_dir_all(&folder);
    wrong
}

/// What rustc says of modules, if it is not content.
fn check(
    folder: &Path,
    library: &Path,
    sources: &[&(&str, String)],
    which: &[usize],
) -> Result<(), String> {
    let mut root = "#![deny(warnings)]\n#![allow(dead_code, unreachable_pub)]\n".to_owned();
    for k in which {
        root.push_str(&format!("pub mod m{k};\n"));
        fs::write(folder.join(format!("m{k}.rs")), &sources[*k].1).expect("it is writable");
    }
    fs::write(folder.join("lib.rs"), root).expect("it is writable");
    compile(&folder.join("lib.rs"), folder, library)
}

fn compile(root: &Path, folder: &Path, library: &Path) -> Result<(), String> {
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--crate-name=generated"])
        .arg("--out-dir")
        .arg(folder)
        .arg("--extern")
        .arg(format!("sparsegen={}", library.display()))
        .arg("-L")
        .arg(format!("dependency={}", dependencies().display()))
        .arg(root)
        .output()
        .expect("rustc can be run");
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Where cargo puts what it compiles: beside the test itself.
fn dependencies() -> PathBuf {
    let itself = env::current_exe().expect("a test knows its own file");
    itself.parent().expect("it lies in a folder").to_path_buf()
}

/// The newest runtime crate beside the test that has all element types.
fn library(folder: &Path) -> PathBuf {
    let probe = folder.join("probe.rs");
    let text = "pub use sparsegen::{bf16, c64, f16};\n";
    fs::write(&probe, text).expect("it is writable");
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libsparsegen-") && name.ends_with(".rlib")
    };
    let mut found: Vec<PathBuf> = fs::read_dir(dependencies())
        .expect("the folder of the test is readable")
        .flatten()
        .map(|entry| entry.path())
        .filter(is_library)
        .collect();
    found.sort_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
    let fits = |path: &PathBuf| compile(&probe, folder, path).is_ok();
    found.into_iter().rev().find(fits).expect("the runtime crate was compiled for this test")
}
