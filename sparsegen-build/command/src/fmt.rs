//! `sparsegen fmt`

mod expression;
mod toml;

use std::fs;

use crate::arguments::Arguments;
use crate::failure::Failure;

pub const HELP: &str = "\
usage: sparsegen fmt [--check] [KERNELS.TOML]

Formats the manifest: one space around `=`, after commas and within braces, expressions and maps as
the compiler prints them, four spaces before the elements of an array of several lines, and at most
one blank line. The order and the comments stay.

  --check   only say whether the file is formatted; the exit code is 1 if it is not
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    arguments.at_most(0)?;
    let path = arguments.manifest()?;
    let text = fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, error))?;
    let formatted = toml::format(&text)
        .map_err(|(line, what)| Failure::error(format!("{}:{line}: {what}", path.display())))?;
    if formatted == text {
        return Ok(String::new());
    }
    if arguments.option("check").is_some() {
        let line = text.lines().zip(formatted.lines()).take_while(|(a, b)| a == b).count() + 1;
        return Err(Failure::error(format!("{}:{line} is not formatted", path.display())));
    }
    fs::write(&path, formatted).map_err(|error| Failure::file("write", &path, error))?;
    Ok(format!("formatted {}\n", path.display()))
}
