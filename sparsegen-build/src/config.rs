//! The interface to build scripts: files, the environment and cargo directives.

use std::path::{Path, PathBuf, absolute};
use std::{env, fs};

use crate::compile::Compiler;
use crate::level::Level;

/// Compiles a manifest into `$OUT_DIR`; the only call of a build script.
///
/// `path` is relative to the directory of the crate. The kernels of `kernels.toml` are written to
/// `$OUT_DIR/kernels.rs`, which `sparsegen::include_kernels!(mod kernels)` includes, and those of
/// another manifest, such as `examples/graph.toml`, to `$OUT_DIR/graph.rs`, for
/// `include_kernels!(mod kernels = "graph")`. Errors in the manifest are errors of the build, and
/// warnings are those of the build.
pub fn compile(path: impl AsRef<Path>) {
    Config::new(path).compile();
}

/// The configuration of a build script.
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    out_dir: Option<PathBuf>,
    compiler: Compiler,
}

impl Config {
    /// Creates a configuration for a manifest, given its path relative to the directory of the
    /// crate.
    pub fn new(path: impl AsRef<Path>) -> Config {
        Config { path: path.as_ref().to_owned(), out_dir: None, compiler: Compiler::new() }
    }

    /// Sets the output directory; `$OUT_DIR` by default.
    pub fn out_dir(mut self, folder: impl AsRef<Path>) -> Config {
        self.out_dir = Some(folder.as_ref().to_owned());
        self
    }

    /// Adds a user-defined level, which formats may then name; [`crate::level`] explains how to
    /// define one.
    pub fn level(mut self, level: impl Level + 'static) -> Config {
        self.compiler = self.compiler.level(level);
        self
    }

    /// Compiles the manifest, writes the source if it changed, and reports the dependencies to
    /// cargo.
    ///
    /// On failure it reports the errors to cargo and returns: cargo fails the build at the end of
    /// the build script. If the script itself failed, cargo would print all its output.
    pub fn compile(self) {
        println!("cargo::rerun-if-changed={}", self.path.display());
        if let Err(reason) = self.try_compile() {
            report("error", &reason);
        }
    }

    /// Compiles the manifest like [`compile`](Config::compile), but returns errors as text. In a
    /// build script, it only reports warnings, and the path of the source for
    /// `sparsegen::include_kernels!`, to cargo.
    pub fn try_compile(&self) -> Result<PathBuf, String> {
        let shown = self.path.display();
        let text = fs::read_to_string(&self.path)
            .map_err(|error| format!("error: cannot read `{shown}`: {error}"))?;
        let stem = self.path.file_stem().ok_or_else(|| {
            format!(
                "error: `{shown}` is not a file name\nhelp: name the manifest, as `kernels.toml`"
            )
        })?;
        let name = shown.to_string();
        let output = self.compiler.compile_str(&name, &text);
        if !output.diagnostics.is_empty() {
            return Err(output.diagnostics.render(&name, &text));
        }
        // Cargo reads the directives of build scripts, which have this variable.
        if env::var_os("OUT_DIR").is_some() {
            report("warning", &output.warnings.render(&name, &text));
        }
        let folder = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => PathBuf::from(env::var_os("OUT_DIR").ok_or(
                "error: `OUT_DIR` is not set\nhelp: call this from a build script, or set an `out_dir`",
            )?),
        };
        let target = folder.join(stem).with_extension("rs");
        let unchanged = fs::read_to_string(&target).is_ok_and(|before| before == output.source);
        if !unchanged {
            fs::write(&target, &output.source)
                .map_err(|error| format!("error: cannot write `{}`: {error}", target.display()))?;
        }
        if env::var_os("OUT_DIR").is_some() && stem == "kernels" {
            // A relative path would depend on the file that includes it.
            let target = absolute(&target).unwrap_or(target.clone());
            println!("cargo::rustc-env=SPARSEGEN_KERNELS={}", target.display());
        }
        Ok(target)
    }
}

/// Reports the text as errors or warnings of the build: cargo prints each line after `error:` or
/// `warning:`.
fn report(severity: &str, text: &str) {
    for line in text.trim_end().lines() {
        println!("cargo::{severity}={line}");
    }
}
