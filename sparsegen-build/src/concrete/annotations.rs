//! How loops run, where a command of the schedule demands it.
//!
//! The schedule leaves the effect of its commands here. Later stages read annotations, never commands.

use std::fmt;

use crate::notation::schedule::Strategy;
use crate::notation::{TensorId, VariableId};

use super::space::BlockSize;

/// How a loop runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// How an intersection finds the coordinates that its operands share.
    pub strategy: Strategy,
    /// The operands that are located and never iterated, as the caller passes them.
    pub located: Vec<TensorId>,
    /// The blocks in which positions are visited.
    pub strips: Option<Strips>,
    /// The number of iterations that are written one after the other.
    pub unroll: Option<u64>,
}

/// Blocks of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    /// The variable that counts the blocks.
    pub block: VariableId,
    /// The variable that counts the positions of a block.
    pub place: VariableId,
    /// The number of positions of a block.
    pub size: BlockSize,
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
}

impl fmt::Display for Annotations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Vec::new();
        match self.strategy {
            Strategy::Walk => {}
            Strategy::Gallop => shown.push("gallop".to_owned()),
        }
        shown.extend((!self.located.is_empty()).then(|| "locate".to_owned()));
        shown.extend(self.strips.map(|strips| format!("strips of {}", strips.size)));
        shown.extend(self.unroll.map(|by| format!("unroll {by}")));
        if shown.is_empty() { Ok(()) } else { write!(f, "⟨{}⟩", shown.join(", ")) }
    }
}
