//! The integer types in which positions and coordinates are stored.

use std::fmt::Debug;
use std::hash::Hash;

/// An unsigned integer type that stores positions or coordinates.
///
/// Sealed: kernels trust that the conversions are exact.
pub trait Width:
    sealed::Sealed + Copy + Debug + Default + Hash + Ord + Send + Sync + 'static
{
    /// The type's name in a manifest: `"u32"`.
    const NAME: &'static str;

    /// The largest number that this width and a `usize` both hold.
    const LARGEST: usize;

    /// The number itself, which always fits.
    fn to_usize(self) -> usize;

    /// The number in this width, where it fits.
    fn try_from_usize(number: usize) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! widths {
    ($($width:ident)*) => {$(
        impl sealed::Sealed for $width {}

        impl Width for $width {
            const NAME: &'static str = stringify!($width);
            const LARGEST: usize = $width::MAX as usize;

            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn try_from_usize(number: usize) -> Option<Self> {
                $width::try_from(number).ok()
            }
        }
    )*};
}

widths!(u8 u16 u32 usize);

// On a narrower machine a `u64` could exceed a `usize`, and `to_usize` would not be exact.
#[cfg(target_pointer_width = "64")]
widths!(u64);

/// The name of the narrowest width that holds `number`: what an error advises.
pub(crate) fn narrowest(number: usize) -> &'static str {
    let widths = [(u8::LARGEST, u8::NAME), (u16::LARGEST, u16::NAME), (u32::LARGEST, u32::NAME)];
    let fitting = widths.iter().find(|(largest, _)| number <= *largest);
    fitting.map_or("u64", |(_, name)| name)
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
    fn the_narrowest_width_is_advised() {
        for (number, name) in [(0, "u8"), (256, "u16"), (65_536, "u32"), (1 << 32, "u64")] {
            assert_eq!(narrowest(number), name);
        }
    }
}
