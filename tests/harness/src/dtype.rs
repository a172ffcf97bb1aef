//! Element types.

use std::fmt;

/// The type of an element, or of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dtype {
    /// True or false.
    Bool,
    /// An integer with this number of bits, signed if the flag is set.
    Integer(u32, bool),
    /// Unsigned, with the size of an address.
    Usize,
    /// Single precision.
    F32,
    /// Half precision.
    F16,
    /// Brain floating point: the upper half of single precision.
    Bf16,
    /// Double precision.
    F64,
    /// Complex, of two single-precision numbers.
    C32,
    /// Complex, of two double-precision numbers.
    C64,
    /// An unbounded integer, the type in which index variables are compared.
    Exact,
}

impl Dtype {
    /// The element types of tensors.
    pub const ALL: [Dtype; 16] = [
        Dtype::Bool,
        Dtype::Integer(8, true),
        Dtype::Integer(16, true),
        Dtype::Integer(32, true),
        Dtype::Integer(64, true),
        Dtype::Integer(8, false),
        Dtype::Integer(16, false),
        Dtype::Integer(32, false),
        Dtype::Integer(64, false),
        Dtype::Usize,
        Dtype::F32,
        Dtype::F16,
        Dtype::Bf16,
        Dtype::F64,
        Dtype::C32,
        Dtype::C64,
    ];

    /// Returns the type with this name; `generic` is tested in double precision.
    pub fn named(name: &str) -> Option<Dtype> {
        if name == "generic" {
            return Some(Dtype::F64);
        }
        Dtype::ALL.into_iter().find(|dtype| dtype.to_string() == name)
    }

    /// Returns whether values have an imaginary part.
    pub fn is_complex(self) -> bool {
        matches!(self, Dtype::C32 | Dtype::C64)
    }

    /// Returns whether arithmetic rounds.
    pub fn is_rounded(self) -> bool {
        self.is_complex() || self.is_half() || matches!(self, Dtype::F32 | Dtype::F64)
    }

    /// Returns whether this is an integer type.
    pub fn is_whole(self) -> bool {
        matches!(self, Dtype::Integer(..) | Dtype::Usize | Dtype::Exact)
    }

    /// Returns whether this is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Dtype::Integer(_, false) | Dtype::Usize)
    }

    /// Returns whether this is a half-precision type.
    pub fn is_half(self) -> bool {
        matches!(self, Dtype::F16 | Dtype::Bf16)
    }

    /// Returns whether this is a single-precision type.
    pub fn is_single(self) -> bool {
        matches!(self, Dtype::F32 | Dtype::C32)
    }

    /// Returns the type of the real part.
    pub fn real(self) -> Dtype {
        match self {
            Dtype::C32 => Dtype::F32,
            Dtype::C64 => Dtype::F64,
            Dtype::Bool
            | Dtype::Integer(..)
            | Dtype::Usize
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::F64
            | Dtype::Exact => self,
        }
    }

    /// Returns the least and the greatest value of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Dtype::Integer(bits, true) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Dtype::Integer(bits, false) => Some((0, (1 << bits) - 1)),
            Dtype::Usize => Some((0, usize::MAX as i128)),
            Dtype::Exact => Some((i128::MIN, i128::MAX)),
            Dtype::Bool
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::F64
            | Dtype::C32
            | Dtype::C64 => None,
        }
    }
}

/// The name in a manifest.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dtype::Bool => f.write_str("bool"),
            Dtype::Integer(bits, true) => write!(f, "i{bits}"),
            Dtype::Integer(bits, false) => write!(f, "u{bits}"),
            Dtype::Usize => f.write_str("usize"),
            Dtype::F32 => f.write_str("f32"),
            Dtype::F16 => f.write_str("f16"),
            Dtype::Bf16 => f.write_str("bf16"),
            Dtype::F64 => f.write_str("f64"),
            Dtype::C32 => f.write_str("c32"),
            Dtype::C64 => f.write_str("c64"),
            Dtype::Exact => f.write_str("an exact number"),
        }
    }
}
