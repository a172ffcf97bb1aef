//! Statements that move entries: the elements of several arrays together, or of an array of entries.
//! They call functions of the runtime.

use std::fmt;

use super::Expr;

/// A statement that moves coordinates, with what belongs to them.
#[derive(Clone, Debug, PartialEq)]
pub enum Rearrange {
    /// `places.sort(&mut crd[start..], &mut vals[start * each..], first);`: sorts coordinates, and
    /// removes them from the places; `first` is the place of coordinate 0.
    Sort {
        /// The places.
        places: String,
        /// The coordinates.
        crd: String,
        /// The values.
        vals: String,
        /// The index of the first coordinate.
        start: Expr,
        /// The number of values for each coordinate.
        each: Expr,
        /// The place of coordinate 0.
        first: Expr,
    },
    /// `kernel::sort_by(&mut array, |entry| [entry.0, entry.1]);`: sorts entries by their coordinates,
    /// the first of which counts most; those that have the same keep their order.
    Entries {
        /// The array of entries.
        array: String,
        /// The number of coordinates, which are the first fields.
        coordinates: usize,
    },
    /// `width = kernel::widen(crd, width, …)?.moving(vals, initial)? … .width();`: doubles the width
    /// of buckets, and inserts their coordinates again, or returns an error if that exceeds memory.
    Widen {
        /// The variable with the number of slots of a bucket.
        width: String,
        /// The coordinates.
        crd: String,
        /// The arrays with as many elements for each slot, and the element for empty slots.
        below: Vec<(String, Expr)>,
    },
}

impl Rearrange {
    /// Returns the expressions.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Rearrange::Sort { start, each, first, .. } => vec![start, each, first],
            Rearrange::Entries { .. } => Vec::new(),
            Rearrange::Widen { below, .. } => below.iter().map(|(_, initial)| initial).collect(),
        }
    }

    /// Returns the arrays and variables that it changes.
    pub fn writes(&self) -> Vec<&str> {
        match self {
            Rearrange::Sort { places, crd, vals, .. } => vec![places, crd, vals],
            Rearrange::Entries { array, .. } => vec![array],
            Rearrange::Widen { width, crd, below } => {
                let below = below.iter().map(|(array, _)| array.as_str());
                [width.as_str(), crd].into_iter().chain(below).collect()
            }
        }
    }

    /// Replaces the expressions.
    pub fn map(&self, expr: &mut impl FnMut(&Expr) -> Expr) -> Rearrange {
        let mut changed = self.clone();
        match &mut changed {
            Rearrange::Sort { start, each, first, .. } => {
                [start, each, first].into_iter().for_each(|part| *part = expr(part));
            }
            Rearrange::Entries { .. } => {}
            Rearrange::Widen { below, .. } => {
                below.iter_mut().for_each(|(_, initial)| *initial = expr(initial));
            }
        }
        changed
    }
}

impl fmt::Display for Rearrange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rearrange::Sort { places, crd, vals, start, each, first } => {
                let values = Expr::mul(start.clone(), each.clone());
                write!(f, "{places}.sort({crd}[{start}..], {vals}[{values}..], {first});")
            }
            Rearrange::Entries { array, coordinates } => {
                let fields: Vec<String> =
                    (0..*coordinates).map(|field| format!("entry.{field}")).collect();
                write!(f, "kernel::sort_by({array}, |entry| [{}]);", fields.join(", "))
            }
            Rearrange::Widen { width, crd, below } => {
                write!(f, "{width} = kernel::widen({crd}, {width})?")?;
                for (array, initial) in below {
                    write!(f, ".moving({array}, {initial})?")?;
                }
                f.write_str(".width();")
            }
        }
    }
}
