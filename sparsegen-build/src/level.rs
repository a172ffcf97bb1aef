#![doc = include_str!("level/guide.md")]

mod bitmap;
mod carried;
mod check;
pub mod code;
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

pub(crate) use check::{contradictions, holds_signed, is_list, scratch, tells_by_position};
pub use promise::Promise;
pub use properties::{Properties, Property};
pub use registry::Levels;
pub use storage::{Found, Holds, Offset, Relation, Segment, Storage, StorageArray};

use code::{Expr, Stmt};

/// A storage level: its properties, its storage, and its capabilities.
///
/// [This page](self) explains how to define a level, and what each level function returns.
pub trait Level: fmt::Debug {
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

    /// Returns the number of coordinates of a block, if the level stores a fixed number of each
    /// block: 4 for `structured(2, 4)`.
    fn block(&self) -> Option<u64> {
        None
    }

    /// Returns the level with the numbers of a map, as in `structured(2, 4)`, or `None` if the
    /// level does not accept them.
    fn with_numbers(&self, _numbers: &[u64]) -> Option<Rc<dyn Level>> {
        None
    }

    /// Returns this level for a result whose coordinates come in any order for each parent, if it
    /// supports that: its [`Append::scatter`] is not `None`.
    fn in_any_order(&self) -> Option<Rc<dyn Level>> {
        None
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
pub(crate) fn workspace() -> Rc<dyn Level> {
    Rc::new(workspace::Workspace)
}

/// Returns the level of a workspace with a value for every coordinate.
pub(crate) fn full_workspace() -> Rc<dyn Level> {
    Rc::new(dense::Dense)
}

/// Returns the level of a workspace that is looked up at each coordinate.
pub(crate) fn lookup_workspace() -> Rc<dyn Level> {
    Rc::new(workspace::Lookup)
}

/// Returns the level of a comparison of two variables, the second of which is `ahead` more than the
/// first.
pub(crate) fn diagonal(ahead: i64) -> Rc<dyn Level> {
    Rc::new(diagonal::Diagonal { ahead })
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
}

/// Random access.
pub trait Locate {
    /// Returns the position of a coordinate under a parent, and a predicate for its presence. It
    /// must accept any coordinate below the extent. Statements may bind `name`, and `name` with a
    /// suffix. The position is evaluated even if the coordinate is absent, but then indexes no
    /// array.
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}

/// Assembly in any order: a coordinate has the same position each time that it is inserted.
pub trait Insert {
    /// Returns the local arrays that the assembly needs, by which [`Storage::array`] refers to them.
    fn scratch(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the number of positions, given the number of positions of the level above.
    fn size(&self, storage: &Storage, parents: Expr) -> Expr;

    /// Returns statements that clear the storage, and declare local arrays and numbers. The default
    /// returns none.
    fn insert_init(&self, _storage: &Storage) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns statements that extend the storage to a number of positions of the level above. If
    /// it is known, they run once before the first coordinate, and otherwise for each position that
    /// is added to the level above. The default returns none.
    fn insert_parents(&self, _storage: &Storage, _parents: Expr) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns the local arrays and the arrays of the storage that have as many elements for each
    /// parent, each with its initial element. If there are others, [`Insert::insert_parents`] of a
    /// level above must not move parents.
    fn each_parent(&self, _storage: &Storage) -> Vec<(String, Expr)> {
        Vec::new()
    }

    /// Returns the position of a coordinate, and the statements that store it there. Statements may
    /// bind `name`, and `name` with a suffix. They may move other coordinates, with what is below
    /// them.
    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        below: &Below,
        name: &str,
    ) -> Found;

    /// Returns statements that complete the storage after the last coordinate, given the number of
    /// positions of the level above. The default returns none.
    fn insert_finalize(&self, _storage: &Storage, _parents: Expr) -> Vec<Stmt> {
        Vec::new()
    }
}

/// What is stored below the positions of a level.
#[derive(Clone, Debug)]
pub struct Below {
    /// The values, as many for each position.
    pub vals: String,
    /// The number of values for each position.
    pub each: Expr,
    /// The arrays with as many elements for each position, and the element of each where nothing was
    /// computed: those of the levels below, and the values.
    pub arrays: Vec<(String, Expr)>,
}

/// Assembly in order: parents in the order of their positions, and the coordinates of each as the
/// properties of the level demand.
pub trait Append {
    /// Returns statements that clear the storage.
    fn append_init(&self, storage: &Storage) -> Vec<Stmt>;
    /// Returns statements that store a coordinate at the next position.
    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt>;
    /// Returns statements that assign the children appended since the last call to the next parent.
    /// If parents may be skipped, `skipped_to` is the position of this parent.
    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt>;
    /// Returns statements that complete the storage. If the last parents may be skipped, `parents`
    /// is their total number.
    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt>;
    /// Returns the number of positions so far, which is the position of the next coordinate.
    fn count(&self, storage: &Storage) -> Expr;
    /// Returns whether that is the length of one of the level's arrays. If it is not, the level
    /// must be the last one of a format to be assembled.
    fn counts_by_length(&self) -> bool {
        true
    }
    /// Returns whether each array of positions or indices begins with 0 and continues with ends, so
    /// that the arrays of two threads are joined by adding the last end of one to the ends of the
    /// other. A level that has such arrays and returns `false` is assembled by one thread.
    fn holds_ends(&self) -> bool {
        false
    }

    /// Returns how the coordinates of each parent are stored in any order, if they are. It then
    /// replaces [`Append::append_coord`].
    fn scatter(&self) -> Option<&dyn Scatter> {
        None
    }
}

/// Assembly of parents in any order, and of the coordinates of each in order: the positions of each
/// parent exist first, and each coordinate is then stored at the next position of its parent.
pub trait Fill {
    /// Returns the number of positions of each parent, if it is the same for all.
    fn capacity(&self) -> Option<Expr> {
        None
    }

    /// Returns statements that fill the positions of a parent that are left, given the number of its
    /// coordinates. Statements may bind `name` with a suffix. The default returns none.
    fn fill_rest(
        &self,
        _storage: &Storage,
        _parent: Expr,
        _count: Expr,
        _below: &Below,
        _name: &str,
    ) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns statements that assign the positions up to `end`, and from the end of the previous
    /// parent, to the next parent.
    fn fill_edges(&self, storage: &Storage, end: Expr) -> Vec<Stmt>;

    /// Returns statements that extend the storage to a number of positions.
    fn fill_positions(&self, storage: &Storage, count: Expr) -> Vec<Stmt>;

    /// Returns statements that store the coordinate of a position.
    fn fill_coord(&self, storage: &Storage, position: Expr, coordinate: Expr) -> Vec<Stmt>;

    /// Returns statements that sort the coordinates of the outermost level.
    fn fill_sort(&self, storage: &Storage) -> Vec<Stmt>;
}

/// Assembly in the order of the parents, and in any order of the coordinates of each: they are
/// appended at their first occurrence, and sorted at the end of the parent.
pub trait Scatter {
    /// Returns the local arrays that the assembly needs, by which [`Storage::array`] refers to them.
    fn scratch(&self) -> &'static [&'static str];

    /// Returns statements that declare them.
    fn scatter_init(&self, storage: &Storage) -> Vec<Stmt>;

    /// Returns the position of a coordinate, after appending it unless the current parent has it.
    /// `extend` returns the statements that extend the levels below to a number of positions.
    /// Statements may bind `name`, and `name` with a suffix.
    fn scatter_coord(
        &self,
        storage: &Storage,
        coordinate: Expr,
        extend: &dyn Fn(Expr) -> Vec<Stmt>,
        name: &str,
    ) -> Found;

    /// Returns statements that put the coordinates of the current parent into their order, before
    /// [`Append::append_edges`]; `begin` is the position of the first of them.
    fn scatter_edges(&self, storage: &Storage, begin: Expr, below: &Below) -> Vec<Stmt>;

    /// Returns statements that make the stored coordinates of a parent known.
    fn scatter_known(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt>;

    /// Returns the position of a coordinate of that parent, and a predicate for its presence.
    fn scatter_locate(&self, storage: &Storage, coordinate: Expr, name: &str) -> Found;

    /// Returns statements that forget the coordinates of a parent.
    fn scatter_forget(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt>;
}
