//! Levels: what the compiler knows of a storage level, and nothing more.
//!
//! A level is a small record of properties and capabilities (Chou et al. 2018). Each capability is
//! a trait whose methods are the level functions of that paper; they return fragments of the
//! imperative representation that lowering puts in place. Nothing outside this folder knows a
//! level by name; a new level is a file here and a line in [`Levels::default`].

mod bitmap;
mod compressed;
mod dense;
mod hashed;
mod loose_compressed;
mod offset;
mod range;
mod singleton;
mod structured;
mod workspace;

use std::fmt;
use std::rc::Rc;

use crate::ir::{Expr, Stmt};
use crate::types::Width;

/// A kind of level.
pub trait Level: fmt::Debug {
    /// Its name in a format map.
    fn name(&self) -> &str;

    /// The options that a map must give as numbers, printed: `structured(2, 4)` has `2` and `4`.
    fn parameters(&self) -> Vec<String> {
        Vec::new()
    }

    /// Its properties where the map sets none.
    fn properties(&self) -> Properties;

    /// The properties that a map may set on it.
    fn settable(&self) -> &'static [Property];

    /// The arrays of its storage, in the order of the runtime type's fields.
    fn arrays(&self) -> &'static [StorageArray];

    /// The Rust type of its storage in the runtime crate, for the given types of positions and
    /// coordinates.
    fn storage(&self, pos: &str, crd: &str) -> String;

    /// The level with the numbers that a map gives it, where it takes any: `structured(2, 4)`.
    fn with_numbers(&self, _numbers: &[u64]) -> Option<Rc<dyn Level>> {
        None
    }

    /// The fields of its storage that hold a number which the level functions read.
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

    /// Iteration by coordinate, if it has it.
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

    /// Assembly in order, if it has it.
    fn append(&self) -> Option<&dyn Append> {
        None
    }
}

/// Invariants of a level's stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every coordinate of the dimension is there under each parent.
    pub full: bool,
    /// Siblings increase.
    pub ordered: bool,
    /// No coordinate occurs twice under one parent.
    pub unique: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// No unlabelled positions between children.
    pub compact: bool,
    /// Explicit zeros may be stored.
    pub padded: bool,
}

/// A property as a map writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// `full`: every coordinate is there.
    Full,
    /// `nonordered`: siblings come in any order.
    Nonordered,
    /// `nonunique`: a coordinate may occur twice.
    Nonunique,
    /// `padded`: zeros may be stored.
    Padded,
    /// `unpadded`: only nonzeros are stored.
    Unpadded,
}

impl Property {
    /// Every property that a map may set.
    pub const ALL: [Property; 5] = [
        Property::Full,
        Property::Nonordered,
        Property::Nonunique,
        Property::Padded,
        Property::Unpadded,
    ];

    /// Its name in a map.
    pub fn name(self) -> &'static str {
        match self {
            Property::Full => "full",
            Property::Nonordered => "nonordered",
            Property::Nonunique => "nonunique",
            Property::Padded => "padded",
            Property::Unpadded => "unpadded",
        }
    }
}

impl Properties {
    /// These properties with one set by a map.
    pub fn with(mut self, property: Property) -> Properties {
        match property {
            Property::Full => self.full = true,
            Property::Nonordered => self.ordered = false,
            Property::Nonunique => self.unique = false,
            Property::Padded => self.padded = true,
            Property::Unpadded => self.padded = false,
        }
        self
    }

    /// What a map must have said to turn `default` into these.
    pub fn set_beyond(self, default: Properties) -> Vec<&'static str> {
        let mut set = Vec::new();
        for property in Property::ALL {
            let differs = match property {
                Property::Full => self.full && !default.full,
                Property::Nonordered => !self.ordered && default.ordered,
                Property::Nonunique => !self.unique && default.unique,
                Property::Padded => self.padded && !default.padded,
                Property::Unpadded => !self.padded && default.padded,
            };
            if differs {
                set.push(property.name());
            }
        }
        set
    }
}

/// An array of a level's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageArray {
    /// The field's name in the runtime type: `pos`, `crd`.
    pub field: &'static str,
    /// Which of the format's widths its elements have.
    pub holds: Holds,
}

/// What an array of a level holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Positions of the level below or the same.
    Positions,
    /// Coordinates of this level.
    Coordinates,
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
    /// The extent of the level's coordinates.
    pub size: Expr,
    /// The width of the level's coordinates.
    pub crd: Width,
    /// Where an ancestor holds the offset of this level's dimension from another.
    pub offset: Option<Offset>,
}

/// An ancestor that stores `other - this` for this level's dimension, or `this - other`.
#[derive(Clone, Debug, PartialEq)]
pub struct Offset {
    /// Which of the ancestors' coordinates it is.
    pub ancestor: usize,
    /// The extent of the other dimension.
    pub other: Expr,
    /// Whether it stores `this - other`.
    pub is_minuend: bool,
}

impl Storage {
    /// The variable that holds an array of this level.
    pub fn array(&self, field: &str) -> &str {
        let found = self.arrays.iter().find(|(name, _)| *name == field);
        &found.expect("a level asks only for arrays that it declares").1
    }

    /// The variable that holds a number of this level.
    pub fn number(&self, field: &str) -> Expr {
        let found = self.numbers.iter().find(|(name, _)| *name == field);
        Expr::var(&found.expect("a level asks only for numbers that it declares").1)
    }

    /// `array[index]`.
    pub fn load(&self, field: &str, index: Expr) -> Expr {
        Expr::load(self.array(field), index)
    }
}

/// A range of positions of one level: those of one parent, or of neighbours that share a
/// coordinate.
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
}

/// Coordinate value iteration.
pub trait CoordinateIteration {
    /// The coordinates to run over, given the ancestors' coordinates, outermost first.
    fn coord_bounds(&self, storage: &Storage, ancestors: &[Expr]) -> Segment;
    /// The position of a coordinate within those bounds. `name` is free for a variable that holds it.
    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found;
}

/// Coordinate position iteration.
pub trait PositionIteration {
    /// The positions of all children of a segment of parents.
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment;
    /// The coordinate at a position, given the ancestors' coordinates, outermost first.
    fn pos_access(&self, storage: &Storage, position: Expr, ancestors: &[Expr]) -> Found;
}

/// Random access.
pub trait Locate {
    /// The position of a coordinate under a parent. `name` is free for a variable that holds it.
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

/// Assembly in order.
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
}

/// The kinds of level that a manifest may name.
#[derive(Debug, Clone)]
pub struct Levels(Vec<Rc<dyn Level>>);

impl Default for Levels {
    fn default() -> Levels {
        Levels(vec![
            Rc::new(dense::Dense),
            Rc::new(compressed::Compressed),
            Rc::new(singleton::Singleton),
            Rc::new(range::Range),
            Rc::new(offset::Offset),
            Rc::new(hashed::Hashed),
            Rc::new(loose_compressed::LooseCompressed),
            Rc::new(bitmap::Bitmap),
            Rc::new(structured::Structured::default()),
        ])
    }
}

/// The level of a workspace, which no map can name.
pub fn workspace() -> Rc<dyn Level> {
    Rc::new(workspace::Workspace)
}

impl Levels {
    /// Adds a level of the user's own, or replaces one of the same name.
    pub fn register(&mut self, level: Rc<dyn Level>) {
        self.0.retain(|known| known.name() != level.name());
        self.0.push(level);
    }

    /// The level of a name.
    pub fn find(&self, name: &str) -> Option<Rc<dyn Level>> {
        self.0.iter().find(|level| level.name() == name).cloned()
    }

    /// The names of all levels, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|level| level.name())
    }
}
