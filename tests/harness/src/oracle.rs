//! What a statement means, evaluated on total functions: no formats, no loops over levels.
//!
//! An expression has a value at every coordinate. Beside the value goes what is *known* of it from
//! the unstored operands, the constants and the masks alone, which decides what a sparse result
//! stores: all but where the value is known to be the fill. There are two evaluators, which check
//! each other: [`grid`] visits every coordinate, [`relation`] only what is stored, so that it can run
//! on large operands.
//!
//! Where the language does not say whether something is stored, both is right
//! ([`Knowledge::Either`]):
//! - a mask that is no factor of a product (`A[i,j] + (i >= j)`, `select(i >= j, A[i,j], B[i,j])`)
//!   need not be looked at to find out what is stored;
//! - an entry that decides a whole `any` or `all` (something true, something false)
//!   is seen where loops are, so that what follows from it may be stored like any value;
//! - where the expression differs from the fill although nothing is stored, everything is stored, be
//!   it what a mask excludes.

pub mod arithmetic;
pub mod cell;
mod fold;
pub mod grid;
pub mod meaning;
pub mod relation;
pub mod semiring;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use crate::number::Number;

pub use arithmetic::Fault;
pub use cell::{Cell, Knowledge};
pub use meaning::{Meaning, Setting};
pub use semiring::Semiring;

/// The extent of each index variable.
pub type Extents = BTreeMap<String, usize>;

/// The operands, by name: what is stored at which coordinates, once each. A scalar stores its value
/// at the empty coordinate.
pub type Operands = HashMap<String, HashMap<Vec<usize>, Number>>;

/// What a result stores, if its format forces it to nothing more; and what it may store.
pub type Cells = BTreeMap<Vec<usize>, Cell>;
