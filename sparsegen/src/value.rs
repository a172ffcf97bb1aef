//! The element types of tensors.

use core::cmp::Ordering;
use core::fmt::{Debug, Display};

#[cfg(all(feature = "complex", not(feature = "std")))]
use num_traits::Float;

use crate::{Fill, Format, Tensor, View};

mod pattern;

pub use pattern::Pattern;

/// An element type of tensors: a real, integer or complex number, a truth value, or a type of the
/// user, such as the elements of a finite field.
///
/// Kernels for a type of the user are declared with its path as `dtype`, and need the operators of
/// their expression: `+` and `+=` for sums, `*` for products and so on. Numbers of an expression
/// other than 0 and 1 need `From<i64>`, and those with a decimal point `From<f64>`.
///
/// ```
/// use std::fmt;
///
/// use sparsegen::{Csr, Fill, Tensor, Value};
///
/// /// An integer modulo 7.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Mod7(u8);
///
/// impl Value for Mod7 {
///     const ZERO: Self = Mod7(0);
///     const ONE: Self = Mod7(1);
///
///     fn filled(fill: Fill) -> Self {
///         Mod7(fill.to_f64().rem_euclid(7.0) as u8)
///     }
///
///     fn sum(self, other: Self) -> Self {
///         Mod7((self.0 + other.0) % 7)
///     }
/// }
///
/// impl fmt::Display for Mod7 {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         self.0.fmt(f)
///     }
/// }
///
/// let entries = [([0, 1], Mod7(5)), ([0, 1], Mod7(4))];
/// let a = Tensor::<Mod7, Csr>::from_triplets([1, 2], entries)?;
/// assert_eq!(a.vals(), [Mod7(2)]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of elements",
    note = "implement `sparsegen::Value` for it: its zero, its one, and its sum"
)]
pub trait Value: Copy + PartialEq + Debug + Display + Send + Sync + 'static {
    /// The default fill value: 0, or false.
    const ZERO: Self;

    /// The value of an entry of a pattern: 1, or true.
    const ONE: Self;

    /// Converts a fill value to this type.
    fn filled(fill: Fill) -> Self;

    /// Returns the sum, or the disjunction of truth values.
    fn sum(self, other: Self) -> Self;

    /// Returns the absolute value, rounded to an `f64`. The default, for types without a magnitude,
    /// returns 0 for zero and 1 for every other value.
    fn magnitude(self) -> f64 {
        self.distance(Self::ZERO)
    }

    /// Returns the magnitude of the difference, rounded to an `f64`; does not overflow for
    /// integers. The default, for types without a magnitude, returns 0 for equal values and 1 for
    /// others.
    fn distance(self, other: Self) -> f64 {
        if self == other { 0.0 } else { 1.0 }
    }

    /// Compares two values. Complex numbers are ordered by their real parts, then by their
    /// imaginary parts, as in NumPy; NaN is not ordered. The default, for types without an order,
    /// orders equal values only.
    fn compare(self, other: Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }

    /// Returns whether two values differ by at most `tolerance`, relative to the larger magnitude
    /// if that is above 1, and absolutely otherwise.
    fn is_close(self, other: Self, tolerance: f64) -> bool {
        let scale = self.magnitude().max(other.magnitude()).max(1.0);
        self == other || self.distance(other) <= tolerance * scale && scale.is_finite()
    }
}

/// The content of a tensor at each position: a [`Value`], or a [`Pattern`], which only marks an
/// entry. No other types implement it.
pub trait Stored:
    sealed::Sealed + Copy + PartialEq + Debug + Display + Send + Sync + 'static
{
    /// The type of an entry's value.
    type Value: Value;

    /// `true` if no values are stored, so that an entry cannot be distinguished from padding.
    const IS_PATTERN: bool;

    /// Returns the content of a position without an entry, in a format with this fill value.
    fn filler(fill: Fill) -> Self;

    /// Returns the value of the entry.
    fn value(self) -> Self::Value;

    /// Combines two entries with the same coordinate by a function of their values.
    fn combine(
        self,
        later: Self,
        combine: impl FnOnce(Self::Value, Self::Value) -> Self::Value,
    ) -> Self;

    /// Converts a tensor to another format by a generated kernel, if there is one.
    #[doc(hidden)]
    fn convert<F: Format, G: Format>(tensor: &View<'_, Self, F>) -> Option<Tensor<Self, G>>;
}

mod sealed {
    pub trait Sealed {}
    impl<V: super::Value> Sealed for V {}
    impl<V: super::Value> Sealed for super::Pattern<V> {}
}

impl<V: Value> Stored for V {
    type Value = V;

    const IS_PATTERN: bool = false;

    #[inline]
    fn filler(fill: Fill) -> V {
        V::filled(fill)
    }

    #[inline]
    fn value(self) -> V {
        self
    }

    #[inline]
    fn combine(self, later: V, combine: impl FnOnce(V, V) -> V) -> V {
        combine(self, later)
    }

    fn convert<F: Format, G: Format>(tensor: &View<'_, V, F>) -> Option<Tensor<V, G>> {
        crate::tensor::convert(tensor)
    }
}

macro_rules! real_values {
    ($($real:ty)*) => {$(
        impl Value for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            fn filled(fill: Fill) -> Self {
                fill.to_f64() as $real
            }

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn magnitude(self) -> f64 {
                f64::from(self.abs())
            }

            fn distance(self, other: Self) -> f64 {
                f64::from((self - other).abs())
            }

            fn compare(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }
        }
    )*};
}

macro_rules! integer_values {
    ($($integer:ty)*) => {$(
        impl Value for $integer {
            const ZERO: Self = 0;
            const ONE: Self = 1;

            fn filled(fill: Fill) -> Self {
                match fill {
                    Fill::Int(n) => n as $integer,
                    Fill::Float(x) => x as $integer,
                    Fill::Greatest => <$integer>::MAX,
                    Fill::Least => <$integer>::MIN,
                }
            }

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn magnitude(self) -> f64 {
                self.abs_diff(0) as f64
            }

            fn distance(self, other: Self) -> f64 {
                self.abs_diff(other) as f64
            }

            fn compare(self, other: Self) -> Option<Ordering> {
                Some(self.cmp(&other))
            }
        }
    )*};
}

#[cfg(feature = "complex")]
macro_rules! complex_values {
    ($($real:ty)*) => {$(
        impl Value for num_complex::Complex<$real> {
            const ZERO: Self = num_complex::Complex::new(0.0, 0.0);
            const ONE: Self = num_complex::Complex::new(1.0, 0.0);

            fn filled(fill: Fill) -> Self {
                num_complex::Complex::new(fill.to_f64() as $real, 0.0)
            }

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn magnitude(self) -> f64 {
                f64::from(self.re).hypot(f64::from(self.im))
            }

            fn distance(self, other: Self) -> f64 {
                (self - other).magnitude()
            }

            fn compare(self, other: Self) -> Option<Ordering> {
                let real = self.re.partial_cmp(&other.re)?;
                Some(real.then(self.im.partial_cmp(&other.im)?))
            }
        }
    )*};
}

impl Value for bool {
    const ZERO: Self = false;
    const ONE: Self = true;

    fn filled(fill: Fill) -> Self {
        fill.to_f64() > 0.0
    }

    fn sum(self, other: Self) -> Self {
        self || other
    }

    fn magnitude(self) -> f64 {
        f64::from(self)
    }

    fn distance(self, other: Self) -> f64 {
        f64::from(self != other)
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        Some(self.cmp(&other))
    }
}

#[cfg(feature = "half")]
macro_rules! half_values {
    ($($half:ident)*) => {$(
        impl Value for half::$half {
            const ZERO: Self = half::$half::ZERO;
            const ONE: Self = half::$half::ONE;

            fn filled(fill: Fill) -> Self {
                half::$half::from_f64(fill.to_f64())
            }

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn magnitude(self) -> f64 {
                self.to_f64().abs()
            }

            fn distance(self, other: Self) -> f64 {
                (self.to_f64() - other.to_f64()).abs()
            }

            fn compare(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }
        }
    )*};
}

real_values!(f64 f32);
#[cfg(feature = "half")]
half_values!(f16 bf16);
integer_values!(i8 i16 i32 i64 u8 u16 u32 u64 usize);
#[cfg(feature = "complex")]
complex_values!(f64 f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_is_relative_above_one_and_absolute_below() {
        assert!(1e9.is_close(1e9 + 1.0, 1e-8));
        assert!(!1e9.is_close(1e9 + 100.0, 1e-8));
        assert!(0.0.is_close(1e-9, 1e-8));
        assert!(f64::INFINITY.is_close(f64::INFINITY, 0.0));
        assert!(!f64::INFINITY.is_close(1.0, 1e-8));
        assert!(!f64::NAN.is_close(f64::NAN, 1.0));
    }

    #[test]
    fn distances_of_integers_do_not_overflow() {
        assert_eq!(i8::MIN.distance(i8::MAX), 255.0);
        assert_eq!(0u64.distance(u64::MAX), u64::MAX as f64);
        assert_eq!(i8::MIN.magnitude(), 128.0);
    }

    #[cfg(feature = "complex")]
    #[test]
    fn complex_numbers_compare_by_real_part_first() {
        use num_complex::Complex;
        let (a, b) = (Complex::new(1.0, 5.0), Complex::new(2.0, 0.0));
        assert_eq!(a.compare(b), Some(Ordering::Less));
        assert_eq!(a.compare(Complex::new(1.0, 4.0)), Some(Ordering::Greater));
        assert_eq!(Complex::new(3.0, 4.0).magnitude(), 5.0);
    }
}
