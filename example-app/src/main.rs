//! Conjugate gradients, PageRank, searches of graphs, sparse sums and a CP decomposition on generated kernels.
//!
//! `kernels.toml` declares every kernel: an expression, and a format for each of its tensors. The
//! build script compiles them, and the module [`kernels`] includes the generated functions. Each
//! part of the program is a module with a function `run`, which prints the results.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

mod arguments;
mod cholesky;
mod factor;
mod graph;
mod merge;
mod rank;
#[cfg(feature = "mpi")]
mod ranks;
mod solve;

use arguments::{Options, Part, Request};
use example_app::Outcome;

sparsegen::include_kernels!(
    /// The kernels of `kernels.toml`.
    pub mod kernels
);

/// The path of the generated source of [`kernels`].
const GENERATED: &str = concat!(env!("OUT_DIR"), "/kernels.rs");

fn main() -> ExitCode {
    let options = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => {
            return match write!(std::io::stdout(), "{}", arguments::HELP) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => unwritten(&error),
            };
        }
        Err(mistake) => {
            eprintln!("error: {mistake}\n\nSee `example-app --help`.");
            return ExitCode::from(2);
        }
    };
    if options.mpi {
        return match run_on_ranks(&options, &mut std::io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    match run(&options, &mut std::io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => unwritten(&error),
    }
}

/// Runs the requested parts; returns whether all of them succeeded. After an error of one part the
/// others still run, unless nothing can be printed.
fn run(options: &Options, out: &mut dyn Write) -> std::io::Result<bool> {
    let mut success = true;
    for part in &options.parts {
        let outcome = match part {
            Part::Solve => solve::run(options.matrix.as_deref(), out),
            Part::Rank => rank::run(options.matrix.as_deref(), out),
            Part::Graph => graph::run(options.matrix.as_deref(), out),
            Part::Merge => merge::run(options.matrix.as_deref(), out),
            Part::Factor => factor::run(options.tensor.as_deref(), out),
        };
        if let Err(error) = outcome {
            match error.downcast::<std::io::Error>() {
                Ok(error) => return Err(*error),
                Err(error) => eprintln!("error: {}: {error}", part.name()),
            }
            success = false;
        }
        writeln!(out)?;
    }
    writeln!(out, "The generated source of these kernels is {GENERATED}")?;
    Ok(success)
}

#[cfg(feature = "mpi")]
use ranks::run as run_on_ranks;

/// Returns the error that there are no ranks.
#[cfg(not(feature = "mpi"))]
fn run_on_ranks(_: &Options, _: &mut dyn Write) -> Outcome<()> {
    Err("`--mpi` needs a program that is built with `--features mpi`".into())
}

/// Returns the exit code after a write error. A closed pipe is not a failure.
fn unwritten(error: &std::io::Error) -> ExitCode {
    if error.kind() == ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: cannot write the results: {error}");
    ExitCode::FAILURE
}
