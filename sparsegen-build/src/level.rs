#![doc = include_str!("level/guide.md")]

mod bitmap;
mod carried;
mod check;
mod compressed;
mod dense;
mod diagonal;
mod hashed;
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
use std::rc::Rc;

pub(crate) use check::{contradictions, holds_signed, is_list, tells_by_position};
pub use promise::Promise;
pub use properties::{Properties, Property};
pub use registry::Levels;
pub use storage::{Found, Holds, Offset, Relation, Segment, Storage, StorageArray};

use crate::ir::{Expr, Stmt};

/// A kind of level: its properties, its storage, and its capabilities.
///
/// [The page above](self) shows how one is made, and what each level function means.
pub trait Level: fmt::Debug {
    /// Its name in a format map, an identifier.
    fn name(&self) -> &str;

    /// The options that a map must give as numbers, printed: `structured(2, 4)` has `2` and `4`. Of
    /// the level that is registered they are an example, for messages.
    fn parameters(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the promise that kernels may index without checks wherever the functions of the level
    /// lead them, or `None` if the level does not give it. Kernels that use such a level check every
    /// index, whatever their manifest says of bounds, and validate their results.
    fn promise(&self) -> Option<Promise> {
        None
    }

    /// Its properties where the map sets none.
    fn properties(&self) -> Properties;

    /// Returns whether the level stores positions that stand for no entry, as `Kind::pads` says of its
    /// storage.
    fn pads(&self) -> bool {
        false
    }

    /// The properties that a map may set on it.
    fn settable(&self) -> &'static [Property];

    /// The arrays of its storage, in the order of the runtime type's fields. Of the owned type these
    /// fields are vectors, of the borrowed one slices.
    fn arrays(&self) -> &'static [StorageArray];

    /// The Rust type of its storage, by a path that holds wherever the kernels are, for the given
    /// types of positions and coordinates: `crate::levels::RunLength<u32, u32>`.
    fn storage(&self, pos: &str, crd: &str) -> String;

    /// The number of coordinates that each parent may have, if the level keeps some of a fixed number:
    /// 4 of `structured(2, 4)`.
    fn block(&self) -> Option<u64> {
        None
    }

    /// The level with the numbers that a map gives it, where it takes any: `structured(2, 4)`.
    /// Nothing where these numbers are not for it.
    fn with_numbers(&self, _numbers: &[u64]) -> Option<Rc<dyn Level>> {
        None
    }

    /// The fields of its storage that hold a number, a `usize`, which the level functions read. A
    /// level that has any is packed where it is a result's, not assembled.
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The field of its storage that holds the extent of its coordinates, if one does.
    fn extent(&self) -> Option<&'static str> {
        None
    }

    /// Whether the ancestors' coordinates leave a single coordinate, which the levels' map implies.
    fn is_implied(&self) -> bool {
        false
    }

    /// Iteration by coordinate, if it has it. A level iterates in one way, by coordinate or by
    /// position.
    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        None
    }

    /// Iteration by position, if it has it.
    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        None
    }

    /// Random access, if it has it.
    fn locate(&self) -> Option<&dyn Locate> {
        None
    }

    /// Assembly at any coordinate, if it has it.
    fn insert(&self) -> Option<&dyn Insert> {
        None
    }

    /// Assembly in order, if it has it. A result whose levels neither insert nor append is computed in
    /// a format whose levels do, and packed.
    fn append(&self) -> Option<&dyn Append> {
        None
    }
}

/// The level of a workspace, which no map can name.
pub(crate) fn workspace() -> Rc<dyn Level> {
    Rc::new(workspace::Workspace)
}

/// The level of a workspace that has a value for every coordinate.
pub(crate) fn full_workspace() -> Rc<dyn Level> {
    Rc::new(dense::Dense)
}

/// The level of a workspace that marks the coordinates that it has a value for.
pub(crate) fn marked_workspace() -> Rc<dyn Level> {
    Rc::new(bitmap::Bitmap)
}

/// The level of a comparison of two variables, of which one lies so far ahead of the other.
pub(crate) fn diagonal(ahead: i64) -> Rc<dyn Level> {
    Rc::new(diagonal::Diagonal { ahead })
}

/// Coordinate value iteration: the loop runs over coordinates, and positions follow from them.
pub trait CoordinateIteration {
    /// The coordinates to run over, given the parent's position and the ancestors' coordinates,
    /// outermost first. A full level's are those from 0 to its extent.
    fn coord_bounds(&self, storage: &Storage, parent: Expr, ancestors: &[Expr]) -> Segment;

    /// The position of a coordinate within those bounds, and whether it is used. `name` is free for a
    /// variable that holds it, and `name` with a suffix for others.
    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}

/// Coordinate position iteration: the loop runs over positions, and each holds its coordinate.
///
/// Where the coordinate cannot be told from the position alone, a level *carries* variables from each
/// position to the next: the run that it is in, or the coordinate that the next one counts from.
pub trait PositionIteration {
    /// The positions of all children of a segment of parents.
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment;

    /// The coordinate at a position, given the ancestors' coordinates, outermost first; and whether
    /// the position is used. One that is not has a coordinate all the same if the level is ordered:
    /// greater than that of the position before, and less than that of the position behind.
    /// `name` is free for a variable, and `name` with a suffix for others.
    ///
    /// It may be asked for more than once before the loop goes on, and must not change anything.
    fn pos_access(
        &self,
        storage: &Storage,
        position: Expr,
        ancestors: &[Expr],
        name: &str,
    ) -> Found;

    /// Its positions in groups, if they come in groups and all that a position needs to carry is the
    /// group that it is in; the functions below are of no use then.
    fn groups(&self) -> Option<&dyn Groups> {
        None
    }

    /// What the carried variables are called, under which [`Storage::carried`] knows them.
    fn carried(&self) -> &'static [&'static str] {
        &[]
    }

    /// The values of the carried variables at the first position of a parent, in the order of
    /// [`PositionIteration::carried`]. A parent may be without children: what is evaluated here must
    /// stay within the arrays for it too.
    fn pos_begin(&self, _storage: &Storage, _parent: Expr) -> Vec<Expr> {
        Vec::new()
    }

    /// Brings the carried variables from a position, whose coordinate is given, to the next one. That
    /// one may be past the last.
    fn pos_next(&self, _storage: &Storage, _position: Expr, _coordinate: Expr) -> Vec<Stmt> {
        Vec::new()
    }
}

/// Positions in groups that have something in common, such as runs of neighbouring coordinates. Where a
/// level is walked alone there is a loop over groups around one over the positions of each; where it
/// is merged with others, the group is carried along.
pub trait Groups {
    /// What a group is called, under which [`Storage::carried`] knows its number.
    fn name(&self) -> &'static str;

    /// The numbers of a parent's groups.
    fn group_bounds(&self, storage: &Storage, parent: Expr) -> Segment;

    /// The positions of a group, at least one. Groups lie one behind the other.
    fn group_positions(&self, storage: &Storage, group: Expr) -> Segment;
}

/// Random access.
pub trait Locate {
    /// The position of a coordinate under a parent, and whether it is there: any coordinate below the
    /// extent may be asked for. `name` is free for a variable that holds it, and `name` with a suffix
    /// for others. The position is evaluated in any case, but indexes nothing where nothing is found.
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}

/// Assembly at any coordinate, at the position that [`Locate`] gives.
pub trait Insert {
    /// The number of positions, given the number of parents' positions.
    fn size(&self, storage: &Storage, parents: Expr) -> Expr;
    /// Prepares the storage for a number of positions.
    fn insert_init(&self, storage: &Storage, size: Expr) -> Vec<Stmt>;
    /// Stores a coordinate at its position.
    fn insert_coord(&self, storage: &Storage, position: Expr, coordinate: Expr) -> Vec<Stmt>;
    /// Whatever is left to do after the last.
    fn insert_finalize(&self, storage: &Storage, size: Expr) -> Vec<Stmt>;
}

/// Assembly in order: parents come in the order of their positions, and each one's coordinates as
/// the level's properties say.
pub trait Append {
    /// Empties the storage.
    fn append_init(&self, storage: &Storage) -> Vec<Stmt>;
    /// Stores a coordinate at the next position.
    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt>;
    /// Makes the children appended since the last call those of the next parent. Parents come in
    /// order; where some may have been left out, `skipped_to` is the position of this one.
    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt>;
    /// Closes the storage; where the last parents may have been left out, `parents` is their number.
    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt>;
    /// The number of positions so far, which is the position that the next coordinate gets.
    fn count(&self, storage: &Storage) -> Expr;
    /// Whether that is the length of one of the level's arrays. If it is not, the level can only be
    /// assembled as the last one of a format.
    fn counts_by_length(&self) -> bool {
        true
    }
    /// Whether each array of positions or indices begins with 0 and goes on with ends, so that what two
    /// threads have assembled is put together by adding the last end of the one to those of the
    /// other. A level that has such arrays and does not say so is assembled by one thread.
    fn holds_ends(&self) -> bool {
        false
    }
}
