//! Formats: maps from the dimensions of a tensor to its levels, as constants of a type.

use core::fmt::Debug;
use core::hash::Hash;

use crate::level::Levels;

mod expr;
mod fill;
mod inverse;
mod map;

pub(crate) use expr::Interval;
pub use expr::LevelExpr;
pub use fill::Fill;
pub(crate) use inverse::Inverse;
pub(crate) use map::equal;
pub use map::{LevelMap, Map, Properties};

/// A storage format: a marker type such as [`Csr`](crate::Csr).
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (j : dense, i : compressed(nonordered))`
/// #[derive(Clone, Copy, Debug)]
/// pub struct LooseColumns;
///
/// impl Format for LooseColumns {
///     const NAME: &'static str = "loose_columns";
///     const MAP: Map = Map::new(&[
///         LevelMap::dimension(1, "dense"),
///         LevelMap::dimension(0, "compressed").nonordered(),
///     ]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Compressed<u32, u32>);
/// }
///
/// let a = Tensor::<f64, LooseColumns>::from_triplets([2, 2], [([0, 1], 5.0)])?;
/// assert_eq!(a.get([0, 1]), Some(5.0));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// `MAP` and `Levels` must list the same levels, and every dimension must be stored exactly once; a
/// [`Tensor`](crate::Tensor) in a format that breaks these rules does not compile. A format can be
/// implemented without `unsafe`, because a tensor upholds whatever its format declares. Generated
/// kernels accept tensors of the built-in formats and of the formats that their manifest declares.
pub trait Format: Copy + Debug + 'static {
    /// The format's name in a manifest: `"csr"`.
    const NAME: &'static str;
    /// The map from dimensions to levels, with the properties of each level.
    const MAP: Map;
    /// The extents of a tensor, and the coordinates of an entry: one `usize` per mode.
    type Shape: Shape;
    /// The storage of the levels, outermost first, as a tuple.
    type Levels: Levels;
    /// The fill value: the value of entries that are not stored, and of padding. A manifest sets it
    /// with `fill`.
    const FILL: Fill = Fill::ZERO;
}

/// One `usize` per mode: extents or coordinates. Implemented by `[usize; N]`.
pub trait Shape:
    sealed::Sealed + AsRef<[usize]> + AsMut<[usize]> + Copy + Debug + Ord + Hash + Send + Sync + 'static
{
    /// The number of modes.
    const ORDER: usize;

    /// Returns the shape with the same number in every mode.
    fn splat(number: usize) -> Self;

    /// Returns whether `coordinate` is below these extents in every mode.
    fn contains(&self, coordinate: &Self) -> bool {
        self.as_ref().iter().zip(coordinate.as_ref()).all(|(extent, index)| index < extent)
    }
}

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [usize; N] {}
}

impl<const N: usize> Shape for [usize; N] {
    const ORDER: usize = N;

    fn splat(number: usize) -> Self {
        [number; N]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_lies_inside_extents_in_every_mode() {
        assert!([2, 3].contains(&[1, 2]));
        assert!(!Shape::contains(&[2, 3], &[2, 0]));
        assert!(Shape::contains(&[], &[]));
    }
}
