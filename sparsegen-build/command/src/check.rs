//! `sparsegen check`

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::manifest::Manifest;

pub const HELP: &str = "\
usage: sparsegen check [KERNELS.TOML]

Compiles the manifest and prints its errors and warnings. The exit code is 1 if there are errors.
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    arguments.at_most(0)?;
    let manifest = Manifest::read(&arguments.manifest()?)?;
    let count = manifest.select(&[])?.len();
    let compile = if count == 1 { "kernel compiles" } else { "kernels compile" };
    Ok(format!("{}: {count} {compile}\n", manifest.name))
}
