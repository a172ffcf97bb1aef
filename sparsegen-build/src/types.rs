//! Element types, literals and integer types of indices, which all stages use.

mod user;
mod width;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

pub use user::UserType;
pub use width::Width;

/// The element type of a tensor or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Half precision.
    F16,
    /// Brain floating point: the upper half of single precision.
    Bf16,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Unsigned, with the size of an address.
    Usize,
    /// A truth value.
    Bool,
    /// Complex, of two `f64`.
    C64,
    /// Complex, of two `f32`.
    C32,
    /// A type parameter, which the caller chooses.
    Generic,
    /// A type of the user's crate.
    User(UserType),
}

impl Dtype {
    /// All element types but those of users, in the order of the language reference.
    pub const ALL: [Dtype; 17] = [
        Dtype::F64,
        Dtype::F32,
        Dtype::F16,
        Dtype::Bf16,
        Dtype::I8,
        Dtype::I16,
        Dtype::I32,
        Dtype::I64,
        Dtype::U8,
        Dtype::U16,
        Dtype::U32,
        Dtype::U64,
        Dtype::Usize,
        Dtype::Bool,
        Dtype::C64,
        Dtype::C32,
        Dtype::Generic,
    ];

    /// Returns the name in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F64 => "f64",
            Dtype::F32 => "f32",
            Dtype::F16 => "f16",
            Dtype::Bf16 => "bf16",
            Dtype::I8 => "i8",
            Dtype::I16 => "i16",
            Dtype::I32 => "i32",
            Dtype::I64 => "i64",
            Dtype::U8 => "u8",
            Dtype::U16 => "u16",
            Dtype::U32 => "u32",
            Dtype::U64 => "u64",
            Dtype::Usize => "usize",
            Dtype::Bool => "bool",
            Dtype::C64 => "c64",
            Dtype::C32 => "c32",
            Dtype::Generic => "generic",
            Dtype::User(user) => user.path(),
        }
    }

    /// Returns the name in Rust.
    pub fn rust_name(self) -> &'static str {
        if self == Dtype::Generic { "T" } else { self.name() }
    }

    /// Returns whether the compiler knows nothing of the values but their operators: a type parameter
    /// or a type of the user.
    pub fn is_opaque(self) -> bool {
        matches!(self, Dtype::Generic | Dtype::User(_))
    }

    /// Returns whether the type has half precision. Functions of such numbers are computed in
    /// single precision.
    pub fn is_half(self) -> bool {
        matches!(self, Dtype::F16 | Dtype::Bf16)
    }

    /// Returns whether values have an imaginary part.
    pub fn is_complex(self) -> bool {
        matches!(self, Dtype::C64 | Dtype::C32)
    }

    /// Returns whether this is a real floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Dtype::F64 | Dtype::F32 | Dtype::F16 | Dtype::Bf16)
    }

    /// Returns whether this is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 | Dtype::Usize)
    }

    /// Returns whether this is an integer type, signed or unsigned.
    pub fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex() && !self.is_opaque() && self != Dtype::Bool
    }

    /// Returns the least and the greatest value of an integer type.
    pub fn integers(self) -> Option<RangeInclusive<i128>> {
        let signed = |bits: u32| Some(-(1_i128 << (bits - 1))..=(1_i128 << (bits - 1)) - 1);
        let unsigned = |bits: u32| Some(0..=(1_i128 << bits) - 1);
        match self {
            Dtype::I8 => signed(8),
            Dtype::I16 => signed(16),
            Dtype::I32 => signed(32),
            Dtype::I64 => signed(64),
            Dtype::U8 => unsigned(8),
            Dtype::U16 => unsigned(16),
            Dtype::U32 => unsigned(32),
            Dtype::U64 | Dtype::Usize => unsigned(64),
            Dtype::Bool
            | Dtype::F64
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::C64
            | Dtype::C32
            | Dtype::Generic
            | Dtype::User(_) => None,
        }
    }

    /// Returns the type of the real part.
    pub fn real(self) -> Dtype {
        match self {
            Dtype::C64 => Dtype::F64,
            Dtype::C32 => Dtype::F32,
            Dtype::F64
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::Generic
            | Dtype::User(_)
            | Dtype::I8
            | Dtype::I16
            | Dtype::I32
            | Dtype::I64
            | Dtype::U8
            | Dtype::U16
            | Dtype::U32
            | Dtype::U64
            | Dtype::Usize
            | Dtype::Bool => self,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The element types for which an operator or a function is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// All types.
    Any,
    /// Types with an order.
    Ordered,
    /// Truth values and integers.
    Logic,
    /// Integers.
    Integer,
    /// Indices.
    Index,
    /// Numbers.
    Number,
    /// Numbers that may be negative or complex.
    Signed,
    /// Numbers with an order.
    Real,
    /// Numbers with an order that may be negative.
    SignedReal,
    /// Real floating-point numbers.
    Float,
    /// Floating-point numbers, real or complex.
    Field,
    /// Floating-point numbers of a known type, real or complex.
    Complex,
}

impl Domain {
    /// Returns whether a type is one of these.
    pub fn contains(self, dtype: Dtype) -> bool {
        let (is_number, is_complex) = (dtype != Dtype::Bool, dtype.is_complex());
        let is_float = dtype.is_float() || dtype.is_opaque();
        match self {
            Domain::Any => true,
            Domain::Ordered => !is_complex,
            Domain::Logic => !is_number || dtype.is_integer(),
            Domain::Integer => dtype.is_integer(),
            Domain::Index => dtype == Dtype::Usize,
            Domain::Number => is_number,
            Domain::Signed => is_number && !dtype.is_unsigned(),
            Domain::Real => is_number && !is_complex,
            Domain::SignedReal => is_number && !is_complex && !dtype.is_unsigned(),
            Domain::Float => is_float,
            Domain::Field => is_float || is_complex,
            Domain::Complex => dtype.is_float() || is_complex,
        }
    }
}

/// A constant of an expression, whose type depends on the context.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// An integer, of any type that can represent it; 0 and 1 are the truth values.
    Int(i64),
    /// A finite real number, of a floating-point or complex type.
    Float(f64),
    /// The greatest value of a type: infinity, if the type has it.
    Greatest,
    /// The least value of a type: negative infinity, if the type has it.
    Least,
    /// Not a number.
    Nan,
    /// A truth value.
    Bool(bool),
}

impl Literal {
    /// Creates the literal of a real number.
    pub fn real(x: f64) -> Literal {
        match x {
            f64::INFINITY => Literal::Greatest,
            f64::NEG_INFINITY => Literal::Least,
            x if x.is_nan() => Literal::Nan,
            x => Literal::Float(x),
        }
    }

    /// Returns the value as a real number; `None` for a truth value.
    pub fn as_real(self) -> Option<f64> {
        match self {
            Literal::Int(n) => Some(n as f64),
            Literal::Float(x) => Some(x),
            Literal::Greatest => Some(f64::INFINITY),
            Literal::Least => Some(f64::NEG_INFINITY),
            Literal::Nan => Some(f64::NAN),
            Literal::Bool(_) => None,
        }
    }

    /// Returns the value as a truth value, if it is `false`, `true`, 0 or 1.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Literal::Bool(truth) => Some(truth),
            Literal::Int(0) => Some(false),
            Literal::Int(1) => Some(true),
            Literal::Int(_)
            | Literal::Float(_)
            | Literal::Greatest
            | Literal::Least
            | Literal::Nan => None,
        }
    }

    /// Returns whether two constants are the same number or truth value, or both NaN.
    pub fn is_same(self, other: Literal) -> bool {
        match (self.as_real(), other.as_real()) {
            (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
            _ => self.as_bool().is_some_and(|truth| other.as_bool() == Some(truth)),
        }
    }

    /// Returns whether the value is 0 or false.
    pub fn is_zero(self) -> bool {
        match self {
            Literal::Int(n) => n == 0,
            Literal::Float(x) => x == 0.0,
            Literal::Bool(truth) => !truth,
            Literal::Greatest | Literal::Least | Literal::Nan => false,
        }
    }

    /// Returns whether the value is 1 or true.
    pub fn is_one(self) -> bool {
        match self {
            Literal::Int(n) => n == 1,
            Literal::Float(x) => x == 1.0,
            Literal::Bool(truth) => truth,
            Literal::Greatest | Literal::Least | Literal::Nan => false,
        }
    }
}

impl Literal {
    /// Returns a key for comparison: floating-point numbers are compared by their bits.
    fn key(self) -> (u8, u64) {
        match self {
            Literal::Int(n) => (0, n.cast_unsigned()),
            Literal::Float(x) => (1, x.to_bits()),
            Literal::Greatest => (2, 0),
            Literal::Least => (3, 0),
            Literal::Nan => (4, 0),
            Literal::Bool(truth) => (5, truth.into()),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Int(n) => write!(f, "{n}"),
            Literal::Float(x) => write!(f, "{x}"),
            Literal::Greatest => f.write_str("inf"),
            Literal::Least => f.write_str("-inf"),
            Literal::Nan => f.write_str("nan"),
            Literal::Bool(truth) => write!(f, "{truth}"),
        }
    }
}
