//! The storage of a level as level functions see it, and the results of these functions.

use super::code::{Expr, Stmt};
use crate::types::Width;

/// An array of a level's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageArray {
    /// The field's name in the runtime type: `pos`, `crd`.
    pub field: &'static str,
    /// The content of its elements, which determines their type.
    pub holds: Holds,
}

/// The content of an array of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Positions of the level or numbers of positions, in the format's type of positions.
    Positions,
    /// Indices of another array of the level, given by its field, up to its length; in the format's
    /// type of positions.
    Indices(&'static str),
    /// Coordinates of this level, in the format's type of coordinates.
    Coordinates,
    /// Numbers of a type that the level chooses.
    Numbers(Width),
    /// One bit for each position.
    Bits,
    /// The entries of a workspace, which is no array.
    Entries,
}

/// The level of one tensor during lowering: its arrays with their names in the kernel.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The level's arrays as (field, variable).
    pub arrays: Vec<(&'static str, String)>,
    /// The numbers of the level's storage as (field, variable).
    pub numbers: Vec<(&'static str, String)>,
    /// The variables that iteration by position carries, as (name, variable).
    pub carried: Vec<(&'static str, String)>,
    /// The extent of the level's coordinates.
    pub size: Expr,
    /// The largest magnitude of a negative coordinate; 0 if none is negative.
    pub below: Expr,
    /// The type of the level's coordinates.
    pub crd: Width,
    /// The ancestor that stores the offset of this level's dimension from another one, if any.
    pub offset: Option<Offset>,
}

/// An ancestor that stores the difference or the sum of this level's dimension and another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Offset {
    /// The index of its coordinate among those of the ancestors.
    pub ancestor: usize,
    /// The extent of the other dimension.
    pub other: Expr,
    /// The index of the other dimension's coordinate among those of the ancestors, if there is one.
    pub partner: Option<usize>,
    /// The relation that the ancestor stores.
    pub relation: Relation,
}

/// The relation of a level's dimension and another one that an ancestor stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `this - other`, a signed coordinate.
    Minuend,
    /// `other - this`, a signed coordinate.
    Subtrahend,
    /// `this + other`.
    Sum,
}

/// The following functions return the name of an undeclared field unchanged; a level that uses one
/// is refused when it is registered.
impl Storage {
    /// Returns the variable that holds an array of this level.
    pub fn array<'s>(&'s self, field: &'s str) -> &'s str {
        variable(&self.arrays, field)
    }

    /// Returns a number of this level.
    pub fn number(&self, field: &str) -> Expr {
        Expr::var(variable(&self.numbers, field))
    }

    /// Returns the variable that iteration by position carries under this name.
    pub fn carried<'s>(&'s self, name: &'s str) -> &'s str {
        variable(&self.carried, name)
    }

    /// Returns `array[index]`.
    pub fn load(&self, field: &str, index: Expr) -> Expr {
        Expr::load(self.array(field), index)
    }
}

fn variable<'s>(of: &'s [(&'static str, String)], field: &'s str) -> &'s str {
    of.iter().find(|(name, _)| *name == field).map_or(field, |(_, variable)| variable)
}

/// A range of positions of a level, either of one parent or of consecutive parents with the same
/// coordinate; or a range of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The first element.
    pub start: Expr,
    /// The end, one past the last element.
    pub end: Expr,
}

impl Segment {
    /// Returns the segment of a single position.
    pub fn of(position: Expr) -> Segment {
        Segment { end: Expr::add(position.clone(), Expr::Index(1)), start: position }
    }
}

/// The result of accessing a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Statements that must run before the following expressions are evaluated.
    pub prelude: Vec<Stmt>,
    /// The coordinate at a position, or the position of a coordinate.
    pub value: Expr,
    /// The predicate for the presence of the entry; `None` if it is always present.
    pub found: Option<Expr>,
}

impl Found {
    /// Returns an access whose entry is always present.
    pub fn always(value: Expr) -> Found {
        Found { prelude: Vec::new(), value, found: None }
    }

    /// Returns an access whose entry is present if a condition holds.
    pub fn only_if(condition: Expr, value: Expr) -> Found {
        Found { prelude: Vec::new(), value, found: Some(condition) }
    }
}
