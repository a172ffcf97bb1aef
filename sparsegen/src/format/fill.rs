//! Fill values: the values of entries that are not stored.

/// The value of the entries that a format does not store, independent of the element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// An integer; 0 and 1 are the truth values.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// Infinity, or the largest value of a type without infinities.
    Greatest,
    /// Negative infinity, or the least value of a type without infinities.
    Least,
}

impl Fill {
    /// Zero, or false.
    pub const ZERO: Fill = Fill::Int(0);

    /// Returns whether this is zero.
    ///
    /// ```
    /// use sparsegen::Fill;
    ///
    /// assert!(Fill::Float(0.0).is_zero() && !Fill::Greatest.is_zero());
    /// ```
    pub const fn is_zero(self) -> bool {
        match self {
            Fill::Int(n) => n == 0,
            Fill::Float(x) => x == 0.0,
            Fill::Greatest | Fill::Least => false,
        }
    }

    /// Returns the value as a real number.
    ///
    /// ```
    /// use sparsegen::Fill;
    ///
    /// assert_eq!((Fill::Int(3).to_f64(), Fill::Least.to_f64()), (3.0, f64::NEG_INFINITY));
    /// ```
    pub fn to_f64(self) -> f64 {
        match self {
            Fill::Int(n) => n as f64,
            Fill::Float(x) => x,
            Fill::Greatest => f64::INFINITY,
            Fill::Least => f64::NEG_INFINITY,
        }
    }
}
