//! What can be an element of a tensor.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::marker::PhantomData;

use crate::Fill;

/// An element type of tensors: the real, integer and complex numbers, and truth values.
pub trait Value: Copy + PartialEq + Debug + Display + Send + Sync + 'static {
    /// What is not stored: 0, or false.
    const ZERO: Self;

    /// What an entry of a pattern counts as: 1, or true.
    const ONE: Self;

    /// The number that a format's fill is in this type.
    fn filled(fill: Fill) -> Self;

    /// The sum; of truth values, whether one of them holds.
    fn sum(self, other: Self) -> Self;

    /// The absolute value, rounded to an `f64`.
    fn magnitude(self) -> f64;

    /// The magnitude of the difference, rounded to an `f64`; never overflows an integer.
    fn distance(self, other: Self) -> f64;

    /// Which one is smaller. Complex numbers compare by their real parts, then by their imaginary
    /// parts, as in NumPy; with NaN nothing compares.
    fn compare(self, other: Self) -> Option<Ordering>;

    /// Whether two values agree up to `tolerance`, relative to the larger magnitude where that is
    /// above 1 and absolute below.
    fn is_close(self, other: Self, tolerance: f64) -> bool {
        let scale = self.magnitude().max(other.magnitude()).max(1.0);
        self == other || self.distance(other) <= tolerance * scale && scale.is_finite()
    }
}

/// What a tensor stores at each position: a [`Value`], or the mere fact that there is an entry,
/// [`Pattern`]. Implemented by these alone.
pub trait Stored:
    sealed::Sealed + Copy + PartialEq + Debug + Display + Send + Sync + 'static
{
    /// What an entry counts as.
    type Value: Value;

    /// Whether no values are kept, so that an entry cannot be told from padding.
    const IS_PATTERN: bool;

    /// What stands at a position without an entry, in a format of this fill.
    fn filler(fill: Fill) -> Self;

    /// What the entry counts as.
    fn value(self) -> Self::Value;

    /// What is stored of two entries that share their coordinate, by a function of their values.
    fn combine(
        self,
        later: Self,
        combine: impl FnOnce(Self::Value, Self::Value) -> Self::Value,
    ) -> Self;
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
}

/// An entry of a tensor that stores no values: each entry counts 1. It takes no space, so that the
/// array of values is but a length.
///
/// Such a tensor cannot store a zero, so formats that pad do not compile with it: a dense level at
/// the end, blocks, `dia`, `ell`. Nor can it store a 2: entries that share their coordinate are
/// refused ([`Error::Duplicate`](crate::Error::Duplicate)), unless the format stores both, or a
/// [`Builder`](crate::Builder) is told which one counts.
///
/// ```
/// use sparsegen::{Csr, Pattern, Stored, Tensor};
///
/// let entries = [([0, 1], Pattern::ONE), ([2, 0], Pattern::ONE)];
/// let graph = Tensor::<Pattern<f64>, Csr>::from_triplets([3, 3], entries)?;
/// assert_eq!(graph.get([2, 0]), Some(1.0));
/// assert_eq!(graph.get([0, 0]), Some(0.0));
/// assert_eq!(size_of_val(graph.vals()), 0);
///
/// let twos = graph.clone().map_vals(|entry| 2.0 * entry.value());
/// assert_eq!(twos.get([2, 0]), Some(2.0));
/// assert_eq!(twos.pattern(), graph);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// ```compile_fail
/// # use sparsegen::{Dense, Pattern, Tensor};
/// let all = Tensor::<Pattern<f64>, Dense<1>>::zeros([3]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern<V>(PhantomData<V>);

impl<V> Pattern<V> {
    /// An entry.
    pub const ONE: Pattern<V> = Pattern(PhantomData);
}

impl<V: Value> Stored for Pattern<V> {
    type Value = V;

    const IS_PATTERN: bool = true;

    #[inline]
    fn filler(_: Fill) -> Self {
        Pattern::ONE
    }

    #[inline]
    fn value(self) -> V {
        V::ONE
    }

    #[inline]
    fn combine(self, _: Self, _: impl FnOnce(V, V) -> V) -> Self {
        self
    }
}

impl<V: Value> Display for Pattern<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.value(), f)
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
