//! The build script's side: files, the environment and cargo's directives.

use std::path::{Path, PathBuf, absolute};
use std::{env, fs};

use crate::compile::Compiler;
use crate::level::Level;

/// Compiles a manifest into `$OUT_DIR`: the whole of a build script.
///
/// `path` is relative to the crate's folder. The kernels of `kernels.toml` go to
/// `$OUT_DIR/kernels.rs`, which `sparsegen::include_kernels!` brings in. Mistakes in the manifest are
/// errors of the build.
pub fn compile(path: impl AsRef<Path>) {
    Config::new(path).compile();
}

/// How to compile a manifest from a build script.
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    out_dir: Option<PathBuf>,
    compiler: Compiler,
}

impl Config {
    /// A manifest, by its path relative to the crate's folder.
    pub fn new(path: impl AsRef<Path>) -> Config {
        Config { path: path.as_ref().to_owned(), out_dir: None, compiler: Compiler::new() }
    }

    /// Where the source goes, `$OUT_DIR` otherwise.
    pub fn out_dir(mut self, folder: impl AsRef<Path>) -> Config {
        self.out_dir = Some(folder.as_ref().to_owned());
        self
    }

    /// Adds a level of the user's own, which formats may then name; [`crate::level`] shows how one is
    /// made.
    pub fn level(mut self, level: impl Level + 'static) -> Config {
        self.compiler = self.compiler.level(level);
        self
    }

    /// Compiles, writes the source if it changed, and tells cargo what it depends on.
    ///
    /// Reports to cargo what is wrong if it cannot, and returns all the same: cargo fails the build when
    /// the build script has ended. (A build script that fails is shown with all that it printed.)
    pub fn compile(self) {
        println!("cargo::rerun-if-changed={}", self.path.display());
        if let Err(reason) = self.try_compile() {
            report(&reason);
        }
    }

    /// As [`compile`](Config::compile), but returns the reason as text. Cargo is told nothing except, in
    /// a build script, where `sparsegen::include_kernels!` finds the source.
    pub fn try_compile(&self) -> Result<PathBuf, String> {
        let shown = self.path.display();
        let text = fs::read_to_string(&self.path)
            .map_err(|error| format!("error: cannot read `{shown}`: {error}"))?;
        let stem = self.path.file_stem().ok_or_else(|| {
            format!("error: `{shown}` is no file name\nhelp: name the manifest, as `kernels.toml`")
        })?;
        let name = shown.to_string();
        let output = self.compiler.compile_str(&name, &text);
        if !output.diagnostics.is_empty() {
            return Err(output.diagnostics.render(&name, &text));
        }
        let folder = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => PathBuf::from(env::var_os("OUT_DIR").ok_or(
                "error: `OUT_DIR` is not set\nhelp: call this from a build script, or give an `out_dir`",
            )?),
        };
        let target = folder.join(stem).with_extension("rs");
        let unchanged = fs::read_to_string(&target).is_ok_and(|before| before == output.source);
        if !unchanged {
            fs::write(&target, &output.source)
                .map_err(|error| format!("error: cannot write `{}`: {error}", target.display()))?;
        }
        if env::var_os("OUT_DIR").is_some() && stem == "kernels" {
            // A path that is included must not depend on where it is included.
            let target = absolute(&target).unwrap_or(target.clone());
            println!("cargo::rustc-env=SPARSEGEN_KERNELS={}", target.display());
        }
        Ok(target)
    }
}

/// Shows the text as errors of the build: cargo prints each such line behind `error:`.
fn report(text: &str) {
    for line in text.trim_end().lines() {
        println!("cargo::error={line}");
    }
}
