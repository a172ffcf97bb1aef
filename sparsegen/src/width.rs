//! The integer types that store positions and coordinates.

use core::fmt::Debug;
use core::hash::Hash;

/// An integer type that stores positions or coordinates.
///
/// A manifest names the unsigned types. The signed types of the same size store coordinates that
/// may be negative, such as those of `j - i`. As a `usize`, a negative number is in two's
/// complement.
///
/// The trait is sealed, because kernels rely on exact conversions.
pub trait Width:
    sealed::Sealed + Copy + Debug + Default + Hash + Ord + Send + Sync + 'static
{
    /// The type's name in Rust: `"u32"`.
    const NAME: &'static str;

    /// The largest number of this type. A `hashed` level marks empty slots with it.
    const MAX: Self;

    /// The largest number that both this type and `usize` represent.
    const LARGEST: usize;

    /// The least number that both this type and `isize` represent; 0 for an unsigned type.
    const LEAST: isize;

    /// The signed type of the same size.
    type Signed: Width;

    /// Converts the number, which always fits; a negative number is wrapped.
    fn to_usize(self) -> usize;

    /// Converts a number to this type, or returns `None` if it does not fit. A signed type
    /// represents the largest numbers of `usize` as negative ones.
    fn try_from_usize(number: usize) -> Option<Self>;

    /// Returns the array unchanged if this type is `u32`.
    fn as_u32(array: &[Self]) -> Option<&[u32]>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! widths {
    (@as_u32 $array:ident) => {{ let _ = $array; None }};
    (@as_u32 $array:ident same) => { Some($array) };
    ($($unsigned:ident $signed:ident $($same:ident)?;)*) => {$(
        impl sealed::Sealed for $unsigned {}
        impl sealed::Sealed for $signed {}

        impl Width for $unsigned {
            const NAME: &'static str = stringify!($unsigned);
            const MAX: Self = $unsigned::MAX;
            const LARGEST: usize = $unsigned::MAX as usize;
            const LEAST: isize = 0;
            type Signed = $signed;

            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn try_from_usize(number: usize) -> Option<Self> {
                $unsigned::try_from(number).ok()
            }

            #[inline(always)]
            fn as_u32(array: &[Self]) -> Option<&[u32]> {
                widths!(@as_u32 array $($same)?)
            }
        }

        impl Width for $signed {
            const NAME: &'static str = stringify!($signed);
            const MAX: Self = $signed::MAX;
            const LARGEST: usize = $signed::MAX as usize;
            const LEAST: isize = $signed::MIN as isize;
            type Signed = $signed;

            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn try_from_usize(number: usize) -> Option<Self> {
                $signed::try_from(number as isize).ok()
            }

            #[inline(always)]
            fn as_u32(_: &[Self]) -> Option<&[u32]> {
                None
            }
        }
    )*};
}

widths!(u8 i8; u16 i16; u32 i32 same; usize isize;);

// On a narrower platform a `u64` could exceed a `usize`, so that `to_usize` would not be exact.
#[cfg(target_pointer_width = "64")]
widths!(u64 i64;);

/// Returns the name of the narrowest type that holds both numbers, for the advice in errors.
pub(crate) fn narrowest(least: i128, largest: i128) -> &'static str {
    let (names, bits_of_sign) =
        if least < 0 { (["i8", "i16", "i32", "i64"], 1) } else { (["u8", "u16", "u32", "u64"], 0) };
    // A negative number takes the same number of bits as its complement.
    let magnitude = largest.max(!least) as u128;
    let bits = bits_of_sign + (u128::BITS - magnitude.leading_zeros());
    let fitting = names.into_iter().zip([8, 16, 32]).find(|(_, width)| bits <= *width);
    fitting.map_or(names[3], |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert_eq!(u8::try_from_usize(255), Some(255));
        assert_eq!(u8::try_from_usize(256), None);
        assert_eq!(usize::try_from_usize(usize::MAX), Some(usize::MAX));
    }

    #[test]
    fn negative_numbers_are_wrapped() {
        assert_eq!(i8::try_from_usize((-128_isize) as usize), Some(-128));
        assert_eq!(i8::try_from_usize((-129_isize) as usize), None);
        assert_eq!(i8::try_from_usize(128), None);
        assert_eq!((-2_i16).to_usize() as isize, -2);
        assert_eq!(u8::try_from_usize((-1_isize) as usize), None);
    }

    #[test]
    fn the_narrowest_width_is_advised() {
        for (number, name) in [(0, "u8"), (256, "u16"), (65_536, "u32"), (1 << 32, "u64")] {
            assert_eq!(narrowest(0, number), name);
        }
        let signed =
            [((-128, 127), "i8"), ((-129, 0), "i16"), ((-1, 128), "i16"), ((-1, 1 << 40), "i64")];
        for ((least, largest), name) in signed {
            assert_eq!(narrowest(least, largest), name);
        }
    }
}
