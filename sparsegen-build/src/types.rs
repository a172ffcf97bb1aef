//! Element types, literals and index widths: what every stage speaks of.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

/// The element type of a tensor or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Half precision.
    F16,
    /// The first half of single precision.
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
    /// Unsigned, as wide as an address.
    Usize,
    /// A truth value.
    Bool,
    /// Complex, of two `f64`.
    C64,
    /// Complex, of two `f32`.
    C32,
    /// Whatever the caller chooses: a type parameter.
    Generic,
}

impl Dtype {
    /// Every element type, in the order of the language page.
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

    /// Its name in a manifest.
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
        }
    }

    /// Its name in Rust.
    pub fn rust_name(self) -> &'static str {
        if self == Dtype::Generic { "T" } else { self.name() }
    }

    /// Whether it has half the width of single precision. Functions of such numbers are those of
    /// single precision.
    pub fn is_half(self) -> bool {
        matches!(self, Dtype::F16 | Dtype::Bf16)
    }

    /// Whether its values have an imaginary part.
    pub fn is_complex(self) -> bool {
        matches!(self, Dtype::C64 | Dtype::C32)
    }

    /// Whether it is a real floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Dtype::F64 | Dtype::F32 | Dtype::F16 | Dtype::Bf16)
    }

    /// Whether it is an integer type without a sign.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 | Dtype::Usize)
    }

    /// Whether it is an integer type, signed or not.
    pub fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex() && !matches!(self, Dtype::Bool | Dtype::Generic)
    }

    /// The least and the greatest number of an integer type.
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
            | Dtype::Generic => None,
        }
    }

    /// The type of a number's real part.
    pub fn real(self) -> Dtype {
        match self {
            Dtype::C64 => Dtype::F64,
            Dtype::C32 => Dtype::F32,
            Dtype::F64
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::Generic
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

/// A constant of an expression. Which type it takes is decided by what stands around it.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// A whole number, which every type may take that can hold it; of truth values 0 and 1.
    Int(i64),
    /// A finite number for floating-point and complex types.
    Float(f64),
    /// What no number is greater than: infinity, where a type has it.
    Greatest,
    /// What no number is less than.
    Least,
    /// Not a number.
    Nan,
    /// A truth value.
    Bool(bool),
}

impl Literal {
    /// A real number.
    pub fn real(x: f64) -> Literal {
        match x {
            f64::INFINITY => Literal::Greatest,
            f64::NEG_INFINITY => Literal::Least,
            x if x.is_nan() => Literal::Nan,
            x => Literal::Float(x),
        }
    }

    /// The real number that it is; nothing for a truth value.
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

    /// The truth value that it is, or stands for.
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

    /// Whether it is 0, or what counts as that.
    pub fn is_zero(self) -> bool {
        match self {
            Literal::Int(n) => n == 0,
            Literal::Float(x) => x == 0.0,
            Literal::Bool(truth) => !truth,
            Literal::Greatest | Literal::Least | Literal::Nan => false,
        }
    }

    /// Whether it is 1, or what counts as that.
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
    /// What tells it from others: floating-point numbers are compared bit by bit.
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

/// The width of stored positions or coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Width {
    /// 8 bits.
    U8,
    /// 16 bits.
    U16,
    /// 32 bits.
    #[default]
    U32,
    /// 64 bits.
    U64,
    /// As wide as an address.
    Usize,
}

impl Width {
    /// Every width, the narrowest first.
    pub const ALL: [Width; 5] = [Width::U8, Width::U16, Width::U32, Width::U64, Width::Usize];

    /// Its name, in a manifest as in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Width::U8 => "u8",
            Width::U16 => "u16",
            Width::U32 => "u32",
            Width::U64 => "u64",
            Width::Usize => "usize",
        }
    }
}

impl Width {
    /// The name of the signed type of this width.
    pub fn signed_name(self) -> &'static str {
        match self {
            Width::U8 => "i8",
            Width::U16 => "i16",
            Width::U32 => "i32",
            Width::U64 => "i64",
            Width::Usize => "isize",
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
