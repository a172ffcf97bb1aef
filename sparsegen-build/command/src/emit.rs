//! `sparsegen emit`

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::manifest::Manifest;

pub const HELP: &str = "\
usage: sparsegen emit [KERNEL…] [KERNELS.TOML]

Prints the generated source of all kernels, as a build script writes it, or of some of them.
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    let manifest = Manifest::read(&arguments.manifest()?)?;
    let kernels = manifest.select(&arguments.words)?;
    if arguments.words.is_empty() {
        return Ok(sparsegen_build::compile_str(&manifest.name, &manifest.text).source);
    }
    Ok(kernels.iter().map(|kernel| kernel.source.as_str()).collect::<Vec<_>>().join("\n"))
}
