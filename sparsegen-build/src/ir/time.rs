//! The time complexity of a function, as a sum of products.

use std::fmt;

/// A factor of a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factor {
    /// The extent of a variable: `i`.
    Extent(String),
    /// The extent of a mode of a tensor over which no variable ranges: `dim(A, 1)`.
    Mode(String, usize),
    /// The number of stored entries of a tensor: `nnz(A)`.
    Entries(String),
    /// The logarithm of a factor: `log(nnz(A))`.
    Log(Box<Factor>),
}

impl Factor {
    /// Returns the value of the factor; `measure` returns those of extents and numbers of entries.
    /// Returns `None` if it does not know one.
    pub fn value(&self, measure: &dyn Fn(&Factor) -> Option<f64>) -> Option<f64> {
        match self {
            Factor::Extent(_) | Factor::Mode(..) | Factor::Entries(_) => measure(self),
            Factor::Log(of) => Some(of.value(measure)?.max(2.0).log2()),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Extent(variable) => f.write_str(variable),
            Factor::Mode(tensor, mode) => write!(f, "dim({tensor}, {mode})"),
            Factor::Entries(tensor) => write!(f, "nnz({tensor})"),
            Factor::Log(of) => write!(f, "log({of})"),
        }
    }
}

/// A quotient of products: `nnz(A) · nnz(B) / k`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The factors; the product is 1 if there are none.
    pub factors: Vec<Factor>,
    /// The divisors.
    pub divisors: Vec<Factor>,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.factors.is_empty() {
            f.write_str("1")?;
        }
        for (k, factor) in self.factors.iter().enumerate() {
            write!(f, "{}{factor}", if k > 0 { " · " } else { "" })?;
        }
        self.divisors.iter().try_for_each(|divisor| write!(f, " / {divisor}"))
    }
}

/// A sum of terms: `i + nnz(A)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// The terms; the time is constant if there are none.
    pub terms: Vec<Term>,
}

impl Time {
    /// Returns the value of the sum, at least 1; `measure` returns the values of extents and numbers
    /// of entries. Returns `None` if it does not know one.
    pub fn value(&self, measure: &dyn Fn(&Factor) -> Option<f64>) -> Option<f64> {
        let product = |factors: &[Factor]| {
            factors.iter().try_fold(1.0, |all, factor| Some(all * factor.value(measure)?))
        };
        let mut sum = 0.0;
        for Term { factors, divisors } in &self.terms {
            sum += product(factors)? / product(divisors)?.max(1.0);
        }
        Some(f64::max(sum, 1.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("1");
        }
        let mut terms = self.terms.iter();
        terms.next().into_iter().try_for_each(|term| write!(f, "{term}"))?;
        terms.try_for_each(|term| write!(f, " + {term}"))
    }
}
