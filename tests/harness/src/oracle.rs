//! The meaning of a statement, evaluated on total functions without formats or loops over levels.
//!
//! An expression has a value at every coordinate. In addition to the value, the oracle computes
//! what is *known* of it from unstored operands, constants and masks alone, which determines the
//! entries of a sparse result: all coordinates except those whose value is known to be the fill
//! value. There are two evaluators, which check each other: [`grid`] visits every coordinate, and
//! [`relation`] only stored entries, so that it can run on large operands.
//!
//! If the language leaves open whether an entry is stored, both answers are accepted
//! ([`Knowledge::Either`]):
//! - a mask that is not a factor of a product (`A[i,j] + (i >= j)`, `select(i >= j, A[i,j],
//!   B[i,j])`) need not be evaluated to determine the stored entries;
//! - a comparison of index variables with operands (`(i < z[j]) * D[j,k]`) may be a mask or not;
//! - an entry that decides an `any` or `all` may be found only where loops run, so that a value
//!   that follows from it may be stored;
//! - if an expression of unstored operands differs from the fill value, every coordinate is stored,
//!   even if a mask excludes it.

pub mod arithmetic;
pub mod cell;
mod fold;
pub mod grid;
mod infinity;
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

/// The operands, by name: the distinct stored coordinates and their values. A scalar is stored at
/// the empty coordinate.
pub type Operands = HashMap<String, HashMap<Vec<usize>, Number>>;

/// The required entries of a result, regardless of its format, and its optional ones.
pub type Cells = BTreeMap<Vec<usize>, Cell>;
