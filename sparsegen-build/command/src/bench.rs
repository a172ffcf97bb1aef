//! `sparsegen bench`

pub mod library;
pub mod operands;
pub mod program;
pub mod run;
mod values;

use std::fmt::Write as _;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::manifest::Manifest;

use library::Library;
use operands::Operands;
use run::{Crate, Measured};

pub const HELP: &str = "\
usage: sparsegen bench KERNEL FILE… [--size VARIABLE=EXTENT,…] [--profile NAME] [--target-dir FOLDER]
                       [KERNELS.TOML]

Times a kernel of the manifest on tensors of Matrix Market and FROSTT files (`.mtx`, `.tns`). A file
`A=matrix.mtx` is that of an operand; one without a name is that of the next operand, sparse ones
first. Operands without a file are made, which is said. The kernel is compiled in a crate of its own
in the target folder, with the profile `release`. The functions and types of your crate that it uses
must be public in the library of the package.

  --size        extents of variables that no file determines, 16 by default, also of variables over
                slices and lists; values of parameters that are coordinates, 0 by default; lengths of
                lists of coordinates
  --profile     another profile of cargo
  --target-dir  another target folder
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    let Some((name, files)) = arguments.words.split_first() else {
        return Err(arguments.wrong("the name of a kernel is missing"));
    };
    let manifest = Manifest::read(&arguments.manifest()?)?;
    let kernel = manifest.find(name)?;
    let operands = Operands::of(&arguments, &manifest, kernel, files)?;
    let library = Library::of(&arguments.manifest()?, &kernel.source)?;
    let scratch = Crate::of(&arguments, "bench", library)?;
    let measured = scratch.measure(&[kernel], &kernel.source, &operands)?;
    let mut text = described(&measured);
    let _ = match measured.times.first() {
        Some(Ok(time)) => writeln!(
            text,
            "{name}: {} (median of {} runs, the fastest {}){}",
            duration(time.median),
            time.runs,
            duration(time.fastest),
            per_entry(&measured, time.median),
        ),
        Some(Err(reason)) => return Err(Failure::error(reason)),
        None => return Err(Failure::error("nothing was measured")),
    };
    let _ = writeln!(text, "{}", kernel.time.replace("Time: ", "time: "));
    Ok(text)
}

/// Returns lines on the operands.
pub fn described(measured: &Measured) -> String {
    measured.operands.iter().map(|line| format!("{line}\n")).collect()
}

fn per_entry(measured: &Measured, median: f64) -> String {
    match measured.entries {
        0 => String::new(),
        entries => format!(", {:.2} ns for each entry of the files", median / entries as f64),
    }
}

/// Returns nanoseconds with a suitable unit.
pub fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { 1 };
    format!("{value:.decimals$} {unit}")
}
