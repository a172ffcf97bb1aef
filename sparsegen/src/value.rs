//! What can be an element of a tensor.

use std::cmp::Ordering;
use std::fmt::{Debug, Display};

use num_traits::{One, Zero};

/// An element type of tensors: the real, integer and complex numbers.
///
/// A value that is not stored is [`Zero::zero`].
pub trait Value: Copy + PartialEq + Debug + Display + Zero + One + Send + Sync + 'static {
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

macro_rules! real_values {
    ($($real:ty)*) => {$(
        impl Value for $real {
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

real_values!(f64 f32);
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
