//! The errors of a run.

use std::fmt;

/// The reason why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The statement, or the part of the function, in its displayed form.
    pub statement: String,
    /// The error.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.statement, self.reason)
    }
}

impl std::error::Error for Fault {}

pub(super) fn fault(statement: &str, reason: String) -> Fault {
    Fault { statement: statement.lines().next().unwrap_or_default().to_string(), reason }
}
