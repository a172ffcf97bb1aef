#![doc = include_str!("level/guide.md")]

mod assembly;
mod batch;
mod bitmap;
mod block_compressed;
mod carried;
mod check;
pub mod code;
mod compressed;
mod dense;
mod diagonal;
mod hashed;
mod listed;
mod loose_compressed;
mod offset;
mod promise;
mod properties;
mod range;
mod registry;
mod singleton;
mod storage;
mod structured;
mod workspace;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use assembly::{Append, Below, Buckets, Fill, Insert, Joins, Scatter};
pub(crate) use check::{contradictions, holds_signed, is_list, scratch, tells_by_position};
pub(crate) use listed::LIST;
pub use promise::Promise;
pub use properties::{Properties, Property};
pub use registry::Levels;
pub use storage::{Found, Holds, Offset, Relation, Segment, Storage, StorageArray};
pub(crate) use workspace::HASHED;

use crate::types::Dtype;

use code::{Expr, Stmt};

/// A fixed number of stored coordinates of each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of stored coordinates of a block.
    pub stored: u64,
    /// The number of coordinates of a block.
    pub block: u64,
}

/// A storage level: its properties, its storage, and its capabilities.
///
/// [This page](self) explains how to define a level, and what each level function returns.
pub trait Level: fmt::Debug + Send + Sync {
    /// Returns the name of the level in a format map, an identifier.
    fn name(&self) -> &str;

    /// Returns the numbers that a map must pass to the level, as text: `2` and `4` for
    /// `structured(2, 4)`. The numbers of the registered level serve as an example in messages.
    fn parameters(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the promise that kernels may index without checks at the positions and coordinates
    /// that the level functions return, or `None`. Kernels that use a level without a promise check
    /// every index, whatever `bounds` their manifest declares, and validate their results.
    fn promise(&self) -> Option<Promise> {
        None
    }

    /// Returns the properties of the level if the map declares none.
    fn properties(&self) -> Properties;

    /// Returns whether the level stores positions without entries, like `Kind::pads` of its
    /// storage.
    fn pads(&self) -> bool {
        false
    }

    /// Returns the properties that a map may declare.
    fn settable(&self) -> &'static [Property];

    /// Returns the arrays of the storage, in the order of the fields of the runtime type. The
    /// fields are vectors in the owned type and slices in the borrowed one.
    fn arrays(&self) -> &'static [StorageArray];

    /// Returns the Rust type of the storage for the given types of positions and coordinates, as a
    /// path that is valid in the generated module: `crate::levels::RunLength<u32, u32>`.
    fn storage(&self, pos: &str, crd: &str) -> String;

    /// Returns how many coordinates of each block the level stores, if the number is fixed: two of
    /// four for `structured(2, 4)`.
    fn share(&self) -> Option<Share> {
        None
    }

    /// Returns the level with the numbers of a map, as in `structured(2, 4)`, or `None` if the
    /// level does not accept them.
    fn with_numbers(&self, _numbers: &[u64]) -> Option<Arc<dyn Level>> {
        None
    }

    /// Returns this level for a result whose coordinates come in any order for each parent, if it
    /// supports that: its [`Append::scatter`] is not `None`.
    fn in_any_order(&self) -> Option<Arc<dyn Level>> {
        None
    }

    /// Returns whether the level must be the outermost one of a map, or below others that must.
    fn is_outermost(&self) -> bool {
        false
    }

    /// Returns the fields of the storage that hold a number, a `usize`, which the level functions
    /// read. A level that appends cannot assemble them.
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the field of the storage that holds the extent of the coordinates, if there is one.
    fn extent(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether the map and the coordinates of the ancestors determine the coordinate.
    fn is_implied(&self) -> bool {
        false
    }

    /// Returns the iteration by coordinate, if the level supports it. A level iterates either by
    /// coordinate or by position.
    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        None
    }

    /// Returns the iteration by position, if the level supports it.
    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        None
    }

    /// Returns the random access, if the level supports it.
    fn locate(&self) -> Option<&dyn Locate> {
        None
    }

    /// Returns the assembly in any order, if the level supports it.
    fn insert(&self) -> Option<&dyn Insert> {
        None
    }

    /// Returns the assembly in order, if the level supports it. A result with a level that neither
    /// inserts nor appends is computed in another format and packed.
    fn append(&self) -> Option<&dyn Append> {
        None
    }

    /// Returns the assembly at positions that exist before their coordinates are known, if the level
    /// supports it.
    fn fill(&self) -> Option<&dyn Fill> {
        None
    }
}

/// Returns the level of a workspace, which no map can name.
pub(crate) fn workspace() -> Arc<dyn Level> {
    Arc::new(workspace::Workspace)
}

/// Returns the level of a workspace with a value for every coordinate.
pub(crate) fn full_workspace() -> Arc<dyn Level> {
    Arc::new(dense::Dense)
}

/// Returns the level of a workspace that is looked up at each coordinate.
pub(crate) fn lookup_workspace() -> Arc<dyn Level> {
    Arc::new(workspace::Lookup)
}

/// Returns the level of a comparison of two variables, the second of which is `ahead` more than the
/// first.
pub(crate) fn diagonal(ahead: i64) -> Arc<dyn Level> {
    Arc::new(diagonal::Diagonal { ahead })
}

/// Returns the level of a comparison of a variable with the elements of a list of a type, which are
/// `ahead` more than the variable.
pub(crate) fn listed(dtype: Dtype, ahead: usize, is_bounded: bool) -> Arc<dyn Level> {
    Arc::new(listed::Listed { dtype, ahead, is_bounded })
}

/// Coordinate value iteration: a loop over coordinates, which determine the positions.
pub trait CoordinateIteration {
    /// Returns the coordinates to iterate over, given the position of the parent and the
    /// coordinates of the ancestors, outermost first. For a full level they range from 0 to its
    /// extent.
    fn coord_bounds(&self, storage: &Storage, parent: Expr, ancestors: &[Expr]) -> Segment;

    /// Returns the position of a coordinate within these bounds, and a predicate for its presence.
    /// Statements may bind `name`, and `name` with a suffix.
    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}

/// Coordinate position iteration: a loop over positions, each of which holds a coordinate.
///
/// If a position alone does not determine its coordinate, a level *carries* variables from each
/// position to the next: the current run, or the coordinate that the next one is relative to.
pub trait PositionIteration {
    /// Returns the positions of all children of a segment of parents.
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment;

    /// Returns the coordinate at a position, given the coordinates of the ancestors, outermost
    /// first, and a predicate for its presence. In an ordered level, an unused position must also
    /// have a coordinate, between those of the positions before and after it. Statements may bind
    /// `name`, and `name` with a suffix.
    ///
    /// A loop may evaluate it more than once for a position; it must not have side effects.
    fn pos_access(
        &self,
        storage: &Storage,
        position: Expr,
        ancestors: &[Expr],
        name: &str,
    ) -> Found;

    /// Returns the field with the first position of each parent, in order, followed by the number of
    /// positions, if there is one. The parent of a position is found in it by search. The default
    /// returns `None`.
    fn segments(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether every position belongs to a parent although some are unused, so that the
    /// positions of all parents are those of the arrays. In a compact level they always are. The
    /// default returns `false`.
    fn has_no_gaps(&self) -> bool {
        false
    }

    /// Returns the groups of positions, if positions are grouped and the current group is all that
    /// a position carries; the following functions are then not used.
    fn groups(&self) -> Option<&dyn Groups> {
        None
    }

    /// Returns the names of the carried variables, by which [`Storage::carried`] refers to them.
    fn carried(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the values of the carried variables at the first position of a parent, in the order
    /// of [`PositionIteration::carried`]. They must stay within the arrays even if the parent has
    /// no children.
    fn pos_begin(&self, _storage: &Storage, _parent: Expr) -> Vec<Expr> {
        Vec::new()
    }

    /// Returns statements that advance the carried variables from a position with the given
    /// coordinate to the next position, which may be the end.
    fn pos_next(&self, _storage: &Storage, _position: Expr, _coordinate: Expr) -> Vec<Stmt> {
        Vec::new()
    }
}

/// Positions in groups that share data, such as runs of consecutive coordinates. A loop over such a
/// level alone is nested: over groups, and over the positions of each. In a merge, the group is a
/// carried variable.
pub trait Groups {
    /// Returns the name of a group, by which [`Storage::carried`] refers to its number.
    fn name(&self) -> &'static str;

    /// Returns the numbers of the groups of a parent.
    fn group_bounds(&self, storage: &Storage, parent: Expr) -> Segment;

    /// Returns the positions of a group, at least one. Groups are contiguous.
    fn group_positions(&self, storage: &Storage, group: Expr) -> Segment;

    /// Returns how coordinates are stored, if the groups are blocks of as many coordinates each. Threads
    /// can begin at any coordinate of such a level.
    fn blocks(&self) -> Option<Blocks> {
        None
    }
}

/// Groups that are blocks of consecutive coordinates. The coordinate at position p of group g is
/// `numbers[g] * size + within[p]`, and the elements of both arrays ascend.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The number of coordinates of a block.
    pub size: usize,
    /// The field with the numbers of the blocks.
    pub numbers: &'static str,
    /// The field with the coordinates within the blocks.
    pub within: &'static str,
}

/// Random access.
pub trait Locate {
    /// Returns the position of a coordinate under a parent, and a predicate for its presence. It
    /// must accept any coordinate below the extent. Statements may bind `name`, and `name` with a
    /// suffix. The position is evaluated even if the coordinate is absent, but then indexes no
    /// array.
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}
