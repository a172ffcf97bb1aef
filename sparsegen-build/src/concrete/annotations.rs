//! Annotations of loops by the commands of the schedule.
//!
//! They record the effects of the commands. Later stages read annotations, never commands.

use std::fmt;

use crate::notation::schedule::Strategy;
use crate::notation::{TensorId, VariableId};

/// The annotations of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// The method by which an intersection finds common coordinates.
    pub strategy: Strategy,
    /// The operands that are located and never iterated, as the caller passes them.
    pub located: Vec<TensorId>,
    /// The number of unrolled iterations.
    pub unroll: Option<u64>,
}

/// A loop that a command of the schedule demands outside of another.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandedOrder {
    /// The variable of the outer loop.
    pub before: VariableId,
    /// The variable of the inner loop.
    pub after: VariableId,
    /// The command, as written.
    pub command: String,
    /// `true` if the loops may have the opposite order where a format requires that.
    pub yields: bool,
}

impl fmt::Display for Annotations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Vec::new();
        match self.strategy {
            Strategy::Walk => {}
            Strategy::Gallop => shown.push("gallop".to_owned()),
        }
        shown.extend((!self.located.is_empty()).then(|| "locate".to_owned()));
        shown.extend(self.unroll.map(|by| format!("unroll {by}")));
        if shown.is_empty() { Ok(()) } else { write!(f, "⟨{}⟩", shown.join(", ")) }
    }
}
