//! Numbers of every element type as one type, for the oracle and the harness.

use std::fmt;
use std::ops::{Add, Sub};

use sparsegen::{Pattern, bf16, c32, c64, f16};

/// An element of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// A real number.
    Real(f64),
    /// A real and an imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// Nothing.
    pub const ZERO: Number = Number::Real(0.0);

    /// The real part; 0 or 1 for what is false or true.
    pub fn re(self) -> f64 {
        match self {
            Number::Bool(holds) => f64::from(u8::from(holds)),
            Number::Whole(n) => n as f64,
            Number::Real(x) => x,
            Number::Complex(re, _) => re,
        }
    }

    /// The imaginary part.
    pub fn im(self) -> f64 {
        match self {
            Number::Bool(_) | Number::Whole(_) | Number::Real(_) => 0.0,
            Number::Complex(_, im) => im,
        }
    }

    /// As a whole number, towards zero.
    pub fn whole(self) -> i128 {
        match self {
            Number::Bool(holds) => i128::from(holds),
            Number::Whole(n) => n,
            Number::Real(x) | Number::Complex(x, _) => x as i128,
        }
    }

    /// Whether it is not zero.
    pub fn holds(self) -> bool {
        self.re() != 0.0 || self.im() != 0.0
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        !self.holds()
    }

    /// The absolute value.
    pub fn magnitude(self) -> f64 {
        if self.im() == 0.0 { self.re().abs() } else { self.re().hypot(self.im()) }
    }

    /// By how much two numbers differ; not at all where they are the same infinity, or both no numbers.
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

    /// Whether two numbers differ by no more than an error; infinities and what is no number are
    /// like themselves.
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

/// As entries at one coordinate add up; of what is true one is enough.
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

/// An element type that the tests use.
pub trait Element: Copy {
    /// The element nearest to a number.
    fn of(number: Number) -> Self;

    /// The element as a number.
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

/// An entry of a pattern counts one.
impl<V: Element> Element for Pattern<V> {
    fn of(_: Number) -> Pattern<V> {
        Pattern::ONE
    }

    fn number(self) -> Number {
        V::of(Number::Whole(1)).number()
    }
}
