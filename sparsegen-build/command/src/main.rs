//! The command `sparsegen`: checks, explains, tries, formats, compares and times kernels.

mod advise;
mod arguments;
mod bench;
mod check;
mod checkout;
mod diff;
mod emit;
mod explain;
mod failure;
mod fmt;
mod formats;
mod html;
mod lines;
mod manifest;
mod new;
mod report;
mod table;
mod try_out;

use std::io::{self, Write as _};
use std::process::ExitCode;

use arguments::Arguments;
use failure::Failure;

const USAGE: &str = "\
usage: sparsegen COMMAND [ARGUMENTS] [KERNELS.TOML]

  new [FOLDER]                   create a crate with kernels that builds and runs
  check                          say whether the manifest compiles, or what is wrong with it
  emit [KERNEL…]                 print the generated source
  explain [KERNEL…]              print what each stage decides, and why; --stages prints all of them,
                                 --html writes a page with drawings and linked source
  explain CODE                   print the cause and the repair of a diagnostic, such as SG0501
  try EXPRESSION [TENSOR=FORMAT…]
                                 compile an expression without a manifest; --dtype, --semiring
  formats FILE                   draw how a tensor is stored in each format, and its size
  bench KERNEL FILE…             time a kernel on the tensors of files
  advise KERNEL FILE…            time a kernel in several formats, and say which is the fastest
  diff OLD.toml NEW.toml         print how costs, loops and code changed between two manifests
  fmt                            format the manifest; --check only says whether it is formatted

The manifest is kernels.toml unless an argument that ends in `.toml` names another.
`sparsegen COMMAND --help` describes a command.
";

/// A command: its name, its description, and its function, which returns what it prints.
type Command = (&'static str, &'static str, fn(Arguments) -> Result<String, Failure>);

const COMMANDS: [Command; 10] = [
    ("new", new::HELP, new::run),
    ("check", check::HELP, check::run),
    ("emit", emit::HELP, emit::run),
    ("explain", explain::HELP, explain::run),
    ("try", try_out::HELP, try_out::run),
    ("formats", formats::HELP, formats::run),
    ("bench", bench::HELP, bench::run),
    ("advise", advise::HELP, advise::run),
    ("diff", diff::HELP, diff::run),
    ("fmt", fmt::HELP, fmt::run),
];

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            // A closed pipe, as from `head`, is not a failure.
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprint!("{failure}");
            failure.code()
        }
    }
}

fn run() -> Result<String, Failure> {
    let mut words = std::env::args_os().skip(1);
    let name = words.next().unwrap_or_default();
    let name = name.to_string_lossy();
    if ["", "-h", "--help", "help"].contains(&&*name) {
        return Ok(USAGE.to_owned());
    }
    if ["-V", "--version"].contains(&&*name) {
        return Ok(format!("sparsegen {}\n", env!("CARGO_PKG_VERSION")));
    }
    let found = COMMANDS.iter().find(|(known, ..)| *known == name);
    let Some((_, help, run)) = found else {
        return Err(Failure::usage(format!("there is no command `{name}`"), USAGE));
    };
    match Arguments::parse(words, help)? {
        Some(arguments) => run(arguments),
        None => Ok((*help).to_owned()),
    }
}
