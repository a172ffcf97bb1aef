//! Statements that move entries: the elements of several arrays together, or of an array of entries.
//! They call functions of the runtime.

use std::fmt;

use super::Expr;

/// A statement that moves coordinates, with what belongs to them.
#[derive(Clone, Debug, PartialEq)]
pub enum Rearrange {
    /// `places.sort(&mut crd[start..], &mut vals[start * each..], first);`: sorts coordinates, and
    /// removes them from the places; `first` is the place of coordinate 0. Without places,
    /// `kernel::sort_values(&mut crd[start..], &mut vals[start * each..]);`.
    Sort {
        /// The places, and that of coordinate 0.
        places: Option<(String, Expr)>,
        /// The coordinates.
        crd: String,
        /// The values.
        vals: String,
        /// The index of the first coordinate.
        start: Expr,
        /// The number of values for each coordinate.
        each: Expr,
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
            Rearrange::Sort { places, start, each, .. } => {
                let first = places.iter().map(|(_, first)| first);
                [start, each].into_iter().chain(first).collect()
            }
            Rearrange::Entries { .. } => Vec::new(),
            Rearrange::Widen { below, .. } => below.iter().map(|(_, initial)| initial).collect(),
        }
    }

    /// Returns the arrays and variables that it changes.
    pub fn writes(&self) -> Vec<&str> {
        match self {
            Rearrange::Sort { places, crd, vals, .. } => {
                let places = places.iter().map(|(places, _)| places.as_str());
                [crd.as_str(), vals].into_iter().chain(places).collect()
            }
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
            Rearrange::Sort { places, start, each, .. } => {
                let first = places.iter_mut().map(|(_, first)| first);
                [start, each].into_iter().chain(first).for_each(|part| *part = expr(part));
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
            Rearrange::Sort { places, crd, vals, start, each } => {
                let values = Expr::mul(start.clone(), each.clone());
                let sorted = format!("{crd}[{start}..], {vals}[{values}..]");
                match places {
                    Some((places, first)) => write!(f, "{places}.sort({sorted}, {first});"),
                    None => write!(f, "kernel::sort_values({sorted});"),
                }
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
