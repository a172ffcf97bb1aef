//! What a statement means, evaluated on total functions: no formats, no loops over levels.
//!
//! An expression has a value at every coordinate. Beside the value goes what is *known* of it from
//! the unstored operands and the constants alone, which decides what a sparse result stores: all
//! but where the value is known to be zero. There are two evaluators, which check each other:
//! [`grid`] visits every coordinate, [`relation`] only what is stored, so that it can run on large
//! operands.

pub mod grid;
pub mod relation;

use std::collections::{BTreeMap, HashMap};

use crate::number::Number;

/// The extent of each index variable.
pub type Extents = BTreeMap<String, usize>;

/// The operands, by name: what is stored at which coordinates, once each. A scalar stores its value
/// at the empty coordinate.
pub type Operands = HashMap<String, HashMap<Vec<usize>, Number>>;

/// What a result stores, if its format forces it to nothing more.
pub type Cells = BTreeMap<Vec<usize>, Cell>;

/// The value of an expression at a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The value.
    pub value: Number,
    /// The sum of the magnitudes of all that was added up: what rounding errors are relative to.
    pub magnitude: f64,
    /// Whether the value is known from the unstored operands and the constants alone.
    pub known: bool,
}

impl Cell {
    /// What an unstored operand counts as.
    pub const NOTHING: Cell = Cell { value: Number::ZERO, magnitude: 0.0, known: true };

    /// A constant.
    pub fn known(value: Number) -> Cell {
        Cell { value, magnitude: value.magnitude(), known: true }
    }

    /// A stored value.
    pub fn stored(value: Number) -> Cell {
        Cell { known: false, ..Cell::known(value) }
    }

    /// Whether the value is known to be zero, so that it is not stored.
    pub fn is_nothing(self) -> bool {
        self.known && self.value.is_zero()
    }

    fn negative(self) -> Cell {
        Cell { value: -self.value, ..self }
    }

    fn plus(self, other: Cell) -> Cell {
        Cell {
            value: self.value + other.value,
            magnitude: self.magnitude + other.magnitude,
            known: self.known && other.known,
        }
    }

    /// An unstored zero annihilates whatever the other factor is.
    fn times(self, other: Cell) -> Cell {
        if self.is_nothing() || other.is_nothing() {
            return Cell::NOTHING;
        }
        Cell {
            value: self.value * other.value,
            magnitude: self.magnitude * other.magnitude,
            known: self.known && other.known,
        }
    }

    /// A quotient has its numerator's pattern.
    fn over(self, other: Cell) -> Cell {
        if self.is_nothing() {
            return Cell::NOTHING;
        }
        Cell {
            value: self.value / other.value,
            magnitude: self.magnitude / other.value.magnitude() * other.relative_magnitude(),
            known: self.known && other.known,
        }
    }

    /// By how much more than itself a value was added up from.
    fn relative_magnitude(self) -> f64 {
        let value = self.value.magnitude();
        if value == 0.0 { 1.0 } else { self.magnitude / value }
    }
}
