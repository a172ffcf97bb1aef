//! Failures of commands, with the exit codes that are usual for them.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The arguments make no sense: the reason, and the description of the command.
    Usage(String, &'static str),
    /// Something else, as text for the terminal.
    Error(String),
}

impl Failure {
    /// Creates a failure of the arguments.
    pub fn usage(reason: impl Into<String>, help: &'static str) -> Failure {
        Failure::Usage(reason.into(), help)
    }

    /// Creates a failure for a reason in one sentence.
    pub fn error(reason: impl fmt::Display) -> Failure {
        Failure::Error(format!("error: {reason}\n"))
    }

    /// Creates a failure for an operation on a file.
    pub fn file(verb: &str, path: &Path, error: impl fmt::Display) -> Failure {
        Failure::error(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Returns the exit code: 2 for arguments, 1 otherwise.
    pub fn code(&self) -> ExitCode {
        match self {
            Failure::Usage(..) => ExitCode::from(2),
            Failure::Error(_) => ExitCode::FAILURE,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(reason, help) => write!(f, "error: {reason}\n\n{help}"),
            Failure::Error(text) => f.write_str(text),
        }
    }
}
