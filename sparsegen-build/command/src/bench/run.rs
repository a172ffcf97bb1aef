//! The crate that times kernels: its files, its build and its output.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use sparsegen_build::inspect::Kernel;

use crate::arguments::Arguments;
use crate::checkout::{built_from, dependency};
use crate::failure::Failure;

use super::library::Library;
use super::operands::Operands;
use super::program;

/// A crate in the target folder.
#[derive(Debug)]
pub struct Crate {
    folder: PathBuf,
    target: PathBuf,
    profile: String,
    /// The name of the package.
    name: String,
    /// The library of the user that the kernels need.
    library: Option<Library>,
}

/// The output of a run of the crate.
#[derive(Debug, Default)]
pub struct Measured {
    /// Sentences on the operands.
    pub operands: Vec<String>,
    /// The number of entries of all files.
    pub entries: usize,
    /// The times of each variant, or the reason why there are none.
    pub times: Vec<Result<Time, String>>,
}

/// The time of a kernel, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Time {
    pub median: f64,
    pub fastest: f64,
    pub runs: usize,
    /// The time to convert the tensors of files to the formats of the operands.
    pub conversion: f64,
}

impl Crate {
    /// Returns the crate for a command, in the target folder of the user's workspace.
    pub fn of(
        arguments: &Arguments,
        command: &str,
        library: Option<Library>,
    ) -> Result<Crate, Failure> {
        let target = match arguments.option("target-dir") {
            Some(folder) => PathBuf::from(folder),
            None => target_folder(),
        };
        let folder = target.join("sparsegen").join(command);
        fs::create_dir_all(folder.join("src"))
            .map_err(|error| Failure::file("create", &folder, error))?;
        let folder =
            folder.canonicalize().map_err(|error| Failure::file("read", &folder, error))?;
        let profile = arguments.option("profile").unwrap_or("release").to_owned();
        // With a target folder of the user, its dependencies are used again.
        let target = match arguments.option("target-dir") {
            Some(_) => {
                target.canonicalize().map_err(|error| Failure::file("read", &target, error))?
            }
            None => folder.join("target"),
        };
        Ok(Crate { folder, target, profile, name: format!("sparsegen-{command}"), library })
    }

    /// Builds and runs the crate, which times kernels on operands. The source has all kernels.
    pub fn measure(
        &self,
        kernels: &[&Kernel],
        source: &str,
        operands: &Operands,
    ) -> Result<Measured, Failure> {
        let features = program::features(kernels, operands);
        let mut dependencies = dependency("sparsegen", built_from().as_deref(), &features);
        if let Some(Library { package, folder, .. }) = &self.library {
            let path = folder.display().to_string();
            let _ = write!(dependencies, "\n{package} = {{ path = {path:?} }}");
        }
        let name = &self.name;
        let cargo = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n\n[workspace]\n"
        );
        let main = program::source(kernels, operands, self.library.as_ref())?;
        for (name, text) in
            [("Cargo.toml", &*cargo), ("src/main.rs", &main), ("src/kernels.rs", source)]
        {
            let path = self.folder.join(name);
            // Cargo builds again what is newer than the last build.
            if fs::read_to_string(&path).is_ok_and(|before| before == text) {
                continue;
            }
            fs::write(&path, text).map_err(|error| Failure::file("write", &path, error))?;
        }
        // The versions that the user has already.
        if let Some(root) = workspace() {
            let _ = fs::copy(root.join("Cargo.lock"), self.folder.join("Cargo.lock"));
        }
        eprintln!("building the kernels in {}", self.folder.display());
        let built = cargo_command()
            .args(["build", "--quiet", "--profile", &self.profile, "--target-dir"])
            .arg(&self.target)
            .current_dir(&self.folder)
            .env_remove("OUT_DIR")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::error(format!("cargo does not run: {error}")))?;
        if !built.status.success() {
            let mut text = String::from_utf8_lossy(&built.stderr).into_owned();
            text.push_str(
                "error: the kernels cannot be built alone\n\
                 help: their functions and types must be public in the library of your package\n",
            );
            return Err(Failure::Error(text));
        }
        let profile = if self.profile == "dev" { "debug" } else { &self.profile };
        let program = self.target.join(profile).join(name);
        let program = program.with_extension(env::consts::EXE_EXTENSION);
        let ran = Command::new(&program).output();
        let ran = ran.map_err(|error| Failure::file("run", &program, error))?;
        if !ran.status.success() {
            return Err(Failure::Error(String::from_utf8_lossy(&ran.stderr).into_owned()));
        }
        Ok(parsed(&String::from_utf8_lossy(&ran.stdout), kernels.len()))
    }
}

/// Parses the output of the program.
fn parsed(output: &str, variants: usize) -> Measured {
    let mut measured = Measured {
        times: vec![Err("the program ended early".to_owned()); variants],
        ..Measured::default()
    };
    let mut conversions = vec![0.0; variants];
    for line in output.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let number =
            |k: usize| words.get(k).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
        let variant = number(1) as usize;
        match words[..] {
            ["operand", text] => measured.operands.push(text.to_owned()),
            ["entries", _] => measured.entries += number(1) as usize,
            ["converted", ..] if variant < variants => conversions[variant] += number(3),
            ["failed", _, reason] if variant < variants => {
                measured.times[variant] = Err(reason.to_owned());
            }
            ["time", ..] if variant < variants => {
                measured.times[variant] = Ok(Time {
                    median: number(2),
                    fastest: number(3),
                    runs: number(4) as usize,
                    conversion: conversions[variant],
                });
            }
            _ => {}
        }
    }
    measured
}

fn cargo_command() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the root of the workspace of the current folder.
fn workspace() -> Option<PathBuf> {
    let arguments = ["locate-project", "--workspace", "--message-format", "plain"];
    let found = cargo_command().args(arguments).output().ok().filter(|ran| ran.status.success())?;
    let path = String::from_utf8(found.stdout).ok()?;
    Path::new(path.trim()).parent().map(Path::to_owned)
}

fn target_folder() -> PathBuf {
    let given = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    given.unwrap_or_else(|| workspace().unwrap_or_else(|| PathBuf::from(".")).join("target"))
}
