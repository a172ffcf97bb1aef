//! A level's storage as the level functions see it, and what they give back.

use crate::ir::{Expr, Stmt};
use crate::types::Width;

/// An array of a level's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageArray {
    /// The field's name in the runtime type: `pos`, `crd`.
    pub field: &'static str,
    /// What it holds, and so the type of its elements.
    pub holds: Holds,
}

/// What an array of a level holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Positions of the level or counts of them, in the format's width of positions.
    Positions,
    /// Indices of another array of the level, by its field, up to its length; in the format's width of
    /// positions.
    Indices(&'static str),
    /// Coordinates of this level, in the format's width of coordinates.
    Coordinates,
    /// Numbers of a width that is the level's own choice.
    Numbers(Width),
    /// One bit for each position.
    Bits,
}

/// A level of one tensor as lowering sees it: its arrays under the names they have in the kernel.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The level's arrays, (field, variable).
    pub arrays: Vec<(&'static str, String)>,
    /// The numbers of the level's storage, (field, variable).
    pub numbers: Vec<(&'static str, String)>,
    /// What iterating by position carries along, (name, variable).
    pub carried: Vec<(&'static str, String)>,
    /// The extent of the level's coordinates.
    pub size: Expr,
    /// The width of the level's coordinates.
    pub crd: Width,
    /// Where an ancestor holds the offset of this level's dimension from another.
    pub offset: Option<Offset>,
}

/// An ancestor that stores the difference or the sum of this level's dimension and another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Offset {
    /// Which of the ancestors' coordinates it is.
    pub ancestor: usize,
    /// The extent of the other dimension.
    pub other: Expr,
    /// Which of the ancestors' coordinates is the other dimension's, if one is.
    pub partner: Option<usize>,
    /// What the ancestor stores.
    pub relation: Relation,
}

/// What an ancestor stores of a level's dimension and another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `this - other`, a signed coordinate.
    Minuend,
    /// `other - this`, a signed coordinate.
    Subtrahend,
    /// `this + other`.
    Sum,
}

/// The functions below give back a field that the level does not declare as it is; a level that asks
/// for one is refused when it is registered.
impl Storage {
    /// The variable that holds an array of this level.
    pub fn array<'s>(&'s self, field: &'s str) -> &'s str {
        variable(&self.arrays, field)
    }

    /// A number of this level.
    pub fn number(&self, field: &str) -> Expr {
        Expr::var(variable(&self.numbers, field))
    }

    /// The variable that iterating by position carries along under this name.
    pub fn carried<'s>(&'s self, name: &'s str) -> &'s str {
        variable(&self.carried, name)
    }

    /// `array[index]`.
    pub fn load(&self, field: &str, index: Expr) -> Expr {
        Expr::load(self.array(field), index)
    }
}

fn variable<'s>(of: &'s [(&'static str, String)], field: &'s str) -> &'s str {
    of.iter().find(|(name, _)| *name == field).map_or(field, |(_, variable)| variable)
}

/// A range of positions of one level: those of one parent, or of neighbours that share a
/// coordinate. Or a range of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The first of them.
    pub start: Expr,
    /// One past the last.
    pub end: Expr,
}

impl Segment {
    /// The segment of a single position.
    pub fn of(position: Expr) -> Segment {
        Segment { end: Expr::add(position.clone(), Expr::Index(1)), start: position }
    }
}

/// What dereferencing a level gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Statements to run before the expressions below can be read.
    pub prelude: Vec<Stmt>,
    /// The coordinate at a position, or the position of a coordinate.
    pub value: Expr,
    /// Whether there is anything; `None` where there always is.
    pub found: Option<Expr>,
}

impl Found {
    /// An expression that is always there.
    pub fn always(value: Expr) -> Found {
        Found { prelude: Vec::new(), value, found: None }
    }

    /// An expression that is there if a condition holds.
    pub fn only_if(condition: Expr, value: Expr) -> Found {
        Found { prelude: Vec::new(), value, found: Some(condition) }
    }
}
