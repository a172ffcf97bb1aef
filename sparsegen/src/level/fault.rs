//! Faults of levels.

use alloc::string::String;

use crate::width::narrowest;
use crate::{Error, Width};

/// The reason why a level cannot be built, or is not valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// An invariant does not hold.
    Broken {
        /// An index into the arrays of the level, or of a node while the level is being built.
        index: usize,
        /// The reason.
        reason: String,
    },
    /// A number does not fit the integer type that stores it.
    Width {
        /// The kind of number: "positions", "coordinates".
        what: &'static str,
        /// The name of the integer type.
        width: &'static str,
        /// The number that does not fit.
        largest: i128,
        /// The narrowest type that holds all numbers of the array.
        choose: &'static str,
    },
    /// The level needs more positions than memory can hold.
    Size,
}

impl Fault {
    /// Returns the fault that an invariant does not hold.
    pub fn broken(index: usize, reason: impl Into<String>) -> Fault {
        Fault::Broken { index, reason: reason.into() }
    }

    /// Returns the fault that a number does not fit `W`, which must hold `first..=last`.
    pub fn width<W: Width>(what: &'static str, number: i128, first: i128, last: i128) -> Fault {
        Fault::Width { what, width: W::NAME, largest: number, choose: narrowest(first, last) }
    }

    /// Returns the error for this fault at a level, counted from 0, of a tensor in a format.
    pub(crate) fn at(self, format: &'static str, level: usize, shape: &[usize]) -> Error {
        let level = level + 1;
        match self {
            Fault::Broken { index, reason } => Error::Level { format, level, index, reason },
            Fault::Width { what, width, largest, choose } => Error::Width {
                of: format!("format `{format}`"),
                what: format!("{what} of level {level}"),
                width,
                largest,
                choose,
            },
            Fault::Size => Error::Size { format, shape: shape.to_vec() },
        }
    }
}
