//! The value of what a format does not store.

/// The value of what a format does not store, in whatever type the values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// A whole number; of truth values 0 and 1.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// Infinity, or the largest number of a type that has none.
    Greatest,
    /// The least number of a type.
    Least,
}

impl Fill {
    /// Zero, or false.
    pub const ZERO: Fill = Fill::Int(0);

    /// The real number that it is.
    pub fn to_f64(self) -> f64 {
        match self {
            Fill::Int(n) => n as f64,
            Fill::Float(x) => x,
            Fill::Greatest => f64::INFINITY,
            Fill::Least => f64::NEG_INFINITY,
        }
    }
}
