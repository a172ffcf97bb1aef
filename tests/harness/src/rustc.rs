//! Type checking of generated source by rustc.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use sparsegen_build::compile_str;

use crate::corpus::Case;

/// A folder of sources that rustc checks against the runtime crate. The folder is removed on drop.
pub struct Rustc {
    folder: PathBuf,
    library: PathBuf,
}

impl Rustc {
    /// Creates an empty folder, and finds the newest runtime crate with all element types among
    /// those built with the test, where other features or versions may have left others.
    ///
    /// # Errors
    /// The folder cannot be created, or there is no such crate.
    pub fn new() -> Result<Rustc, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            env::temp_dir().join(format!("sparsegen-rustc-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut rustc = Rustc { folder, library: PathBuf::new() };
        rustc.write("probe.rs", "pub use sparsegen::{bf16, c64, f16};\n")?;
        let is_library = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libsparsegen-") && name.ends_with(".rlib")
        };
        let listing = fs::read_dir(dependencies()?).map_err(|error| error.to_string())?;
        let mut found: Vec<PathBuf> =
            listing.flatten().map(|entry| entry.path()).filter(is_library).collect();
        found.sort_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
        for library in found.into_iter().rev() {
            rustc.library = library;
            if rustc.check("probe.rs").is_ok() {
                return Ok(rustc);
            }
        }
        Err("no runtime crate with all element types was built before this test".into())
    }

    /// Writes a source file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, name: &str, source: &str) -> Result<(), String> {
        fs::write(self.folder.join(name), source).map_err(|error| error.to_string())
    }

    /// Type-checks a crate whose root is one of the sources, with warnings as errors.
    ///
    /// # Errors
    /// The output of rustc.
    pub fn check(&self, root: &str) -> Result<(), String> {
        let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition=2024", "--crate-type=lib", "--emit=metadata"])
            .args(["--crate-name=generated", "-D", "warnings"])
            .arg("--out-dir")
            .arg(&self.folder)
            .arg("--extern")
            .arg(format!("sparsegen={}", self.library.display()))
            .arg("-L")
            .arg(format!("dependency={}", dependencies()?.display()))
            .arg(self.folder.join(root))
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl Drop for Rustc {
    fn drop(&mut self) {
        // A temporary folder that cannot be removed is harmless.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the generated source of a case that the compiler accepts, with its name. Cases whose manifest
/// calls functions by their paths have none: these do not exist in a crate of their own.
pub fn source_of(case: &Case) -> Option<(String, String)> {
    if case.manifest.contains("::") {
        return None;
    }
    let output = compile_str("case.toml", &case.manifest);
    let name = || format!("# {} at {}:\n{}", case.name, case.place, case.manifest);
    output.diagnostics.is_empty().then(|| (name(), output.source))
}

/// Type-checks sources, each with its name, as modules of one crate. Returns the names of those with
/// errors or warnings, with the messages of rustc.
///
/// # Errors
/// rustc cannot be run, or fails for another reason.
pub fn mistakes(sources: &[(String, String)]) -> Result<Vec<String>, String> {
    let rustc = Rustc::new()?;
    let mut wrong = Vec::new();
    let mut rest: Vec<usize> = (0..sources.len()).collect();
    // Errors of one phase hide those of later ones, so refused sources are removed and the others
    // checked again.
    while !rest.is_empty() {
        let said = match check_all(&rustc, sources, &rest)? {
            Ok(()) => break,
            Err(said) => said,
        };
        let is_named = |k: &usize| said.contains(&format!("m{k}.rs:"));
        let named: Vec<usize> = rest.iter().copied().filter(is_named).collect();
        if named.is_empty() {
            return Err(format!("rustc fails, but for none of the sources:\n{said}"));
        }
        for k in &named {
            let about = said.split("\n\n").find(|part| part.contains(&format!("m{k}.rs:")));
            wrong.push(format!("{}\n{}", sources[*k].0, about.unwrap_or_default()));
        }
        rest.retain(|k| !named.contains(k));
    }
    Ok(wrong)
}

/// Checks some of the sources. Returns the messages of rustc as an error within.
fn check_all(
    rustc: &Rustc,
    sources: &[(String, String)],
    which: &[usize],
) -> Result<Result<(), String>, String> {
    let mut root = "#![allow(dead_code, unreachable_pub)]\n".to_owned();
    for k in which {
        root.push_str(&format!("pub mod m{k};\n"));
        rustc.write(&format!("m{k}.rs"), &sources[*k].1)?;
    }
    rustc.write("lib.rs", &root)?;
    Ok(rustc.check("lib.rs"))
}

/// Type-checks a source, with warnings as errors.
///
/// # Errors
/// The output of rustc.
pub fn type_check(source: &str) -> Result<(), String> {
    let rustc = Rustc::new()?;
    rustc.write("lib.rs", source)?;
    rustc.check("lib.rs")
}

/// Returns the folder of compiled dependencies, which contains a test itself, and is beside a program.
fn dependencies() -> Result<PathBuf, String> {
    let itself = env::current_exe().map_err(|error| error.to_string())?;
    let own = itself.parent().ok_or("a program lies in a folder")?;
    let beside = own.join("deps");
    Ok(if beside.is_dir() { beside } else { own.to_path_buf() })
}
