//! Slices of modes, and the conditions that they must satisfy.

use super::{Dtype, Expr, Source};

/// A slice of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The access in messages: `A[i in 2..n, j]`.
    pub access: String,
    /// The tensor.
    pub of: Source,
    /// The mode.
    pub mode: usize,
    /// The coordinates.
    pub reads: Reads,
}

/// The coordinates of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// A range with a step.
    Range {
        /// The first coordinate.
        start: Limit,
        /// The end of the range, exclusive.
        end: Limit,
        /// The distance of adjacent coordinates.
        step: u64,
    },
    /// A fixed coordinate.
    At(Limit),
    /// The coordinates in a list.
    Listed(List),
}

/// A list of coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// Constants. The body reads them as an array of this name.
    Numbers {
        /// The name of the array.
        name: String,
        /// The coordinates; `None` becomes the largest index, which is not a coordinate.
        numbers: Vec<Option<u64>>,
    },
    /// A list that is an argument.
    Argument(String),
    /// A copy of an argument in which all but the last of equal coordinates are replaced by the
    /// largest index.
    LastOf {
        /// The name of the argument.
        of: String,
        /// The name of the array.
        name: String,
    },
}

/// A bound of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number.
    Number(u64),
    /// The argument of this name.
    Argument(String),
}

/// A tensor whose elements are coordinates of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The tensor.
    pub by: Source,
    /// The type of its elements.
    pub dtype: Dtype,
    /// The tensor that they index.
    pub of: Source,
    /// The mode that they index.
    pub mode: usize,
}

impl List {
    /// Returns the argument that the list is or is derived from.
    pub fn argument(&self) -> Option<&str> {
        match self {
            List::Argument(name) | List::LastOf { of: name, .. } => Some(name),
            List::Numbers { .. } => None,
        }
    }

    /// Returns the name of the array.
    pub fn name(&self) -> &str {
        match self {
            List::Numbers { name, .. } | List::Argument(name) | List::LastOf { name, .. } => name,
        }
    }
}

impl Part {
    /// Returns the number of coordinates, in terms of arguments.
    pub fn extent(&self) -> Expr {
        match &self.reads {
            Reads::Range { start, end, step } => {
                let ahead = Expr::sub(end.value(), start.value());
                Expr::div_ceil(ahead, Expr::Index(*step as usize))
            }
            Reads::At(_) => Expr::Index(1),
            Reads::Listed(List::Numbers { numbers, .. }) => Expr::Index(numbers.len()),
            Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
                Expr::Len(name.clone())
            }
        }
    }

    /// Returns the name of the array of coordinates, if there is one.
    pub fn list(&self) -> Option<&str> {
        match &self.reads {
            Reads::Listed(list) => Some(list.name()),
            Reads::Range { .. } | Reads::At(_) => None,
        }
    }

    /// Returns the arguments that define the slice.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let (limits, list) = match &self.reads {
            Reads::Range { start, end, .. } => ([Some(start), Some(end)], None),
            Reads::At(at) => ([Some(at), None], None),
            Reads::Listed(list) => ([None, None], list.argument()),
        };
        let names = limits.into_iter().flatten().filter_map(|limit| match limit {
            Limit::Number(_) => None,
            Limit::Argument(name) => Some(name.as_str()),
        });
        names.chain(list)
    }
}

impl Limit {
    /// Returns the coordinate.
    pub fn value(&self) -> Expr {
        match self {
            Limit::Number(number) => Expr::Index(*number as usize),
            Limit::Argument(name) => Expr::var(name),
        }
    }
}
