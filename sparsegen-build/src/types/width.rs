//! Integer types of positions and coordinates.

use std::fmt;

/// The integer type of positions or coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
    /// The size of an address.
    Usize,
}

impl Width {
    /// All types, the narrowest first.
    pub const ALL: [Width; 5] = [Width::U8, Width::U16, Width::U32, Width::U64, Width::Usize];

    /// Returns the name, in a manifest and in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Width::U8 => "u8",
            Width::U16 => "u16",
            Width::U32 => "u32",
            Width::U64 => "u64",
            Width::Usize => "usize",
        }
    }

    /// Returns the greatest number of the type; `usize` has 64 bits here.
    pub fn greatest(self) -> u64 {
        match self {
            Width::U8 => u8::MAX.into(),
            Width::U16 => u16::MAX.into(),
            Width::U32 => u32::MAX.into(),
            Width::U64 | Width::Usize => u64::MAX,
        }
    }
}

impl Width {
    /// Returns the name of the signed type of the same size.
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
