//! Parts of modes that a kernel reads or computes, and what must hold of them.

use super::{Dtype, Expr, Source};

/// A part of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The access that reads or computes it, for messages: `A[i in 2..n, j]`.
    pub access: String,
    /// The tensor.
    pub of: Source,
    /// Which of its modes.
    pub mode: usize,
    /// The coordinates.
    pub reads: Reads,
}

/// The coordinates of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Those from one on, before another, in steps.
    Range {
        /// The first coordinate.
        start: Limit,
        /// The coordinate after the last.
        end: Limit,
        /// The distance of neighbours.
        step: u64,
    },
    /// A single one.
    At(Limit),
    /// Those that a list names.
    Listed(List),
}

/// A list of coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// These, which the body reads as an array of this name.
    Numbers {
        /// The array's name.
        name: String,
        /// What it holds: the largest index, which is no coordinate, where there is none.
        numbers: Vec<Option<u64>>,
    },
    /// An argument of this name.
    Argument(String),
    /// As an argument, in an array of another name, with the largest index for what stands again
    /// further on.
    LastOf {
        /// The argument's name.
        of: String,
        /// The array's name.
        name: String,
    },
}

/// Where a part of a mode begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number.
    Number(u64),
    /// An argument of this name.
    Argument(String),
}

/// A tensor whose elements are coordinates of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The tensor.
    pub by: Source,
    /// The type of its elements.
    pub dtype: Dtype,
    /// The tensor that is read there.
    pub of: Source,
    /// Which of its modes.
    pub mode: usize,
}

impl List {
    /// The array's name.
    pub fn name(&self) -> &str {
        match self {
            List::Numbers { name, .. } | List::Argument(name) | List::LastOf { name, .. } => name,
        }
    }
}

impl Part {
    /// How many coordinates it has, in terms of the arguments.
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

    /// The array that lists its coordinates, if one does.
    pub fn list(&self) -> Option<&str> {
        match &self.reads {
            Reads::Listed(list) => Some(list.name()),
            Reads::Range { .. } | Reads::At(_) => None,
        }
    }

    /// The arguments that say where it lies.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let (limits, list) = match &self.reads {
            Reads::Range { start, end, .. } => ([Some(start), Some(end)], None),
            Reads::At(at) => ([Some(at), None], None),
            Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
                ([None, None], Some(name.as_str()))
            }
            Reads::Listed(List::Numbers { .. }) => ([None, None], None),
        };
        let names = limits.into_iter().flatten().filter_map(|limit| match limit {
            Limit::Number(_) => None,
            Limit::Argument(name) => Some(name.as_str()),
        });
        names.chain(list)
    }
}

impl Limit {
    /// The coordinate.
    pub fn value(&self) -> Expr {
        match self {
            Limit::Number(number) => Expr::Index(*number as usize),
            Limit::Argument(name) => Expr::var(name),
        }
    }
}
