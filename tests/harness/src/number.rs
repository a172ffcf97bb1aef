//! Numbers of every element type as a single type, for the oracle and the harness.

use std::fmt;
use std::ops::{Add, Sub};

use sparsegen::{Pattern, bf16, c32, c64, f16};

/// An element of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// True or false.
    Bool(bool),
    /// An integer.
    Whole(i128),
    /// A real number.
    Real(f64),
    /// A real and an imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number::Real(0.0);

    /// Returns the real part; 0 or 1 for a truth value.
    pub fn re(self) -> f64 {
        match self {
            Number::Bool(holds) => f64::from(u8::from(holds)),
            Number::Whole(n) => n as f64,
            Number::Real(x) => x,
            Number::Complex(re, _) => re,
        }
    }

    /// Returns the imaginary part.
    pub fn im(self) -> f64 {
        match self {
            Number::Bool(_) | Number::Whole(_) | Number::Real(_) => 0.0,
            Number::Complex(_, im) => im,
        }
    }

    /// Returns the number as an integer, rounded towards zero.
    pub fn whole(self) -> i128 {
        match self {
            Number::Bool(holds) => i128::from(holds),
            Number::Whole(n) => n,
            Number::Real(x) | Number::Complex(x, _) => x as i128,
        }
    }

    /// Returns whether the number is not zero.
    pub fn holds(self) -> bool {
        self.re() != 0.0 || self.im() != 0.0
    }

    /// Returns whether the number is zero.
    pub fn is_zero(self) -> bool {
        !self.holds()
    }

    /// Returns the absolute value.
    pub fn magnitude(self) -> f64 {
        if self.im() == 0.0 { self.re().abs() } else { self.re().hypot(self.im()) }
    }

    /// Returns whether the number is NaN.
    pub fn is_nan(self) -> bool {
        self.re().is_nan() || self.im().is_nan()
    }

    /// Returns the distance of two numbers; 0 for equal infinities and for two NaN.
    pub fn distance(self, other: Number) -> f64 {
        if let (Number::Whole(a), Number::Whole(b)) = (self, other) {
            return a.abs_diff(b) as f64;
        }
        let part = |a: f64, b: f64| {
            if a == b || (a.is_nan() && b.is_nan()) {
                0.0
            } else if (a - b).is_nan() {
                f64::INFINITY
            } else {
                (a - b).abs()
            }
        };
        part(self.re(), other.re()).max(part(self.im(), other.im()))
    }

    /// Returns whether two numbers differ by at most an error; infinities and NaN equal themselves.
    pub fn is_like(self, other: Number, error: f64) -> bool {
        self.distance(other) <= error
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(holds) => write!(f, "{holds}"),
            Number::Whole(n) => write!(f, "{n}"),
            Number::Real(x) => write!(f, "{x}"),
            Number::Complex(re, 0.0) => write!(f, "{re}"),
            Number::Complex(re, im) => write!(f, "{re}{im:+}i"),
        }
    }
}

/// Adds numbers like duplicate entries; truth values are combined by disjunction.
impl Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        match (self, other) {
            (Number::Bool(a), Number::Bool(b)) => Number::Bool(a || b),
            (Number::Whole(a), Number::Whole(b)) => Number::Whole(a + b),
            (Number::Complex(..), _) | (_, Number::Complex(..)) => {
                Number::Complex(self.re() + other.re(), self.im() + other.im())
            }
            (Number::Bool(_) | Number::Whole(_) | Number::Real(_), _) => {
                Number::Real(self.re() + other.re())
            }
        }
    }
}

impl Sub for Number {
    type Output = Number;
    fn sub(self, other: Number) -> Number {
        Number::Complex(self.re() - other.re(), self.im() - other.im())
    }
}

/// An element type in tests.
pub trait Element: Copy {
    /// Returns the element nearest to a number.
    fn of(number: Number) -> Self;

    /// Returns the element as a number.
    fn number(self) -> Number;
}

macro_rules! whole {
    ($($whole:ty)*) => {$(
        impl Element for $whole {
            fn of(number: Number) -> $whole {
                number.whole() as $whole
            }

            fn number(self) -> Number {
                Number::Whole(self as i128)
            }
        }
    )*};
}

whole!(i8 i16 i32 i64 u8 u16 u32 u64 usize);

impl Element for f64 {
    fn of(number: Number) -> f64 {
        number.re()
    }

    fn number(self) -> Number {
        Number::Real(self)
    }
}

impl Element for f32 {
    fn of(number: Number) -> f32 {
        number.re() as f32
    }

    fn number(self) -> Number {
        Number::Real(self.into())
    }
}

impl Element for f16 {
    fn of(number: Number) -> f16 {
        f16::from_f64(number.re())
    }

    fn number(self) -> Number {
        Number::Real(self.to_f64())
    }
}

impl Element for bf16 {
    fn of(number: Number) -> bf16 {
        bf16::from_f64(number.re())
    }

    fn number(self) -> Number {
        Number::Real(self.to_f64())
    }
}

impl Element for bool {
    fn of(number: Number) -> bool {
        number.holds()
    }

    fn number(self) -> Number {
        Number::Bool(self)
    }
}

impl Element for c64 {
    fn of(number: Number) -> c64 {
        c64::new(number.re(), number.im())
    }

    fn number(self) -> Number {
        Number::Complex(self.re, self.im)
    }
}

impl Element for c32 {
    fn of(number: Number) -> c32 {
        c32::new(number.re() as f32, number.im() as f32)
    }

    fn number(self) -> Number {
        Number::Complex(self.re.into(), self.im.into())
    }
}

/// An entry of a pattern has the value 1.
impl<V: Element> Element for Pattern<V> {
    fn of(_: Number) -> Pattern<V> {
        Pattern::ONE
    }

    fn number(self) -> Number {
        V::of(Number::Whole(1)).number()
    }
}
