//! What can be wrong with a level.

use crate::width::narrowest;
use crate::{Error, Width};

/// Why a level cannot be built, or is not valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// An invariant is broken.
    Broken {
        /// Where: an index into the level's arrays, or a node's where it is being built.
        index: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A number does not fit the width in which it would be stored.
    Width {
        /// What the number is one of: "positions", "coordinates".
        what: &'static str,
        /// The width's name.
        width: &'static str,
        /// The number that must fit.
        largest: i128,
        /// The narrowest width for all the numbers that must fit.
        choose: &'static str,
    },
    /// There are more positions than memory can hold.
    Size,
}

impl Fault {
    /// An invariant is broken.
    pub fn broken(index: usize, reason: impl Into<String>) -> Fault {
        Fault::Broken { index, reason: reason.into() }
    }

    /// A number does not fit the width `W`, which would have to hold all from `first` to `last`.
    pub fn width<W: Width>(what: &'static str, number: i128, first: i128, last: i128) -> Fault {
        Fault::Width { what, width: W::NAME, largest: number, choose: narrowest(first, last) }
    }

    /// The error that this is at a level, counted from 0, of a format, for a tensor being checked.
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
