//! Outermost loops that are divided into parts, for threads.

use super::Temporary;
use crate::notation::{Access, VariableId};

/// An outermost loop that is divided into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// The variable of the loop.
    pub variable: VariableId,
    /// The coordinates that are divided.
    pub divides: Divides,
    /// What is divided.
    pub range: Range,
    /// The number of consecutive coordinates of the loop that are in one part: those of a block of a
    /// result.
    pub block: u64,
    /// `true` if each part computes a workspace or a scalar before its loop.
    pub prepares: bool,
    /// `true` if each part adds a value once for all its coordinates without entries: sums are then
    /// rounded as the parts are divided.
    pub has_rest: bool,
    /// The reductions of which each part computes a value, if the result is a scalar that is computed
    /// from them.
    pub reductions: Vec<Temporary>,
    /// How the parts store to each result, in the order of the statements.
    pub stores: Vec<Stores>,
    /// The outermost producers of scalars that run on threads of their own before the loop, each with
    /// how its loop is divided.
    pub phases: Vec<Parted>,
}

/// The coordinates that are divided, of which each part has those of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divides {
    /// Those of the loop.
    Own,
    /// Those of the variable whose blocks the loop counts: the rows of a result.
    Blocks(VariableId),
    /// Those of the mode of a result of which the loop stores a slice.
    Slice(VariableId),
}

/// A range that is divided into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// The coordinates of the loop. Every part has the entries at its coordinates.
    Coordinates,
    /// The positions of a level: of one that the loop iterates over, whose entries have no order, or of
    /// one whose positions it counts in blocks.
    Positions {
        /// The access of the operand.
        access: Access,
        /// The level.
        level: usize,
    },
}

/// How the parts of a loop store to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Each part stores to entries of its own.
    Apart,
    /// Each part adds to the entries at an interval of coordinates. Several parts may have the same
    /// coordinate at their borders: all but the first have a copy of its entries, which are combined
    /// in the order of the parts.
    Intervals,
    /// Each part assembles a result of its own, with entries of all parents. The entries of a parent
    /// are joined in the order of the parts.
    Joined,
    /// Each part assembles a result of its own, with values that it has added up. The values of a
    /// coordinate are combined in the order of the parts.
    Merged,
    /// Each part adds to a copy of its own. The copies are combined in the order of the parts. The first
    /// part has the result itself, and runs other loops before the divided ones.
    Copies,
    /// Each part computes reductions. The values are combined in the order of the parts; the result is
    /// computed from those.
    Reductions,
}

impl Parted {
    /// Returns the variable whose coordinates are divided.
    pub fn divided(&self) -> VariableId {
        match self.divides {
            Divides::Own => self.variable,
            Divides::Blocks(v) | Divides::Slice(v) => v,
        }
    }

    /// Returns whether the result does not depend on the number of parts.
    pub fn is_independent(&self) -> bool {
        !self.has_rest && self.has_no_copies()
    }

    /// Returns whether no part has a copy of a result, or a value of its own.
    pub fn has_no_copies(&self) -> bool {
        self.reductions.is_empty()
            && self.stores.iter().all(|stores| matches!(stores, Stores::Apart | Stores::Joined))
    }

    /// Returns whether the loop begins and ends at coordinates.
    pub fn is_by_coordinate(&self) -> bool {
        self.range == Range::Coordinates
    }
}
