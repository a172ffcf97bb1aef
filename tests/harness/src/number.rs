//! Numbers of every element type as one type, for the oracle and the harness.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use sparsegen::{Value, c32, c64};

/// A complex number, which can be any element that the tests use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Number {
    /// Nothing.
    pub const ZERO: Number = Number::real(0.0);

    /// A real number.
    pub const fn real(re: f64) -> Number {
        Number { re, im: 0.0 }
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self == Number::ZERO
    }

    /// The absolute value.
    pub fn magnitude(self) -> f64 {
        if self.im == 0.0 { self.re.abs() } else { self.re.hypot(self.im) }
    }

    /// Whether two numbers differ by no more than an error; infinities and what is no number are
    /// like themselves.
    pub fn is_like(self, other: Number, error: f64) -> bool {
        let part = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= error;
        part(self.re, other.re) && part(self.im, other.im)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.im == 0.0 {
            write!(f, "{}", self.re)
        } else {
            write!(f, "{}{:+}i", self.re, self.im)
        }
    }
}

impl Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        Number { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Number {
    type Output = Number;
    fn sub(self, other: Number) -> Number {
        Number { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        Number { re: -self.re, im: -self.im }
    }
}

impl Mul for Number {
    type Output = Number;
    fn mul(self, other: Number) -> Number {
        // Apart from the general case, because infinities times an imaginary zero are no numbers.
        if self.im == 0.0 && other.im == 0.0 {
            return Number::real(self.re * other.re);
        }
        Number {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

impl Div for Number {
    type Output = Number;
    fn div(self, other: Number) -> Number {
        if self.im == 0.0 && other.im == 0.0 {
            return Number::real(self.re / other.re);
        }
        let norm = other.re * other.re + other.im * other.im;
        let conjugate = Number { re: other.re, im: -other.im };
        let product = self * conjugate;
        Number { re: product.re / norm, im: product.im / norm }
    }
}

/// An element type that the tests use.
pub trait Element: Value {
    /// The element nearest to a number.
    fn of(number: Number) -> Self;

    /// The element as a number.
    fn number(self) -> Number;
}

macro_rules! real {
    ($($real:ty)*) => {$(
        impl Element for $real {
            fn of(number: Number) -> $real {
                number.re as $real
            }

            fn number(self) -> Number {
                Number::real(self as f64)
            }
        }
    )*};
}

real!(f64 f32 i8 i16 i32 i64 u8 u16 u32 u64 usize);

impl Element for c64 {
    fn of(number: Number) -> c64 {
        c64::new(number.re, number.im)
    }

    fn number(self) -> Number {
        Number { re: self.re, im: self.im }
    }
}

impl Element for c32 {
    fn of(number: Number) -> c32 {
        c32::new(number.re as f32, number.im as f32)
    }

    fn number(self) -> Number {
        Number { re: self.re.into(), im: self.im.into() }
    }
}
