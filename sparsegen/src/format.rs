//! What a format is: a map from a tensor's dimensions to its levels, as constant data in a type.

use std::fmt::{self, Debug, Display};

use crate::level::{Kind, Levels};

/// A storage format: a marker type without values, such as [`Csr`](crate::Csr).
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (j : dense, i : compressed(nonordered))`
/// #[derive(Clone, Copy, Debug)]
/// pub struct LooseColumns;
///
/// // SAFETY: `MAP` and `Levels` list the same levels.
/// unsafe impl Format for LooseColumns {
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
/// # Safety
/// `MAP` and `Levels` must be what kernels for this format were generated from: kernels index
/// without checks wherever these say that validation has proven the bound.
pub unsafe trait Format: Copy + Debug + 'static {
    /// The format's name in a manifest: `"csr"`.
    const NAME: &'static str;
    /// Which levels store which dimensions, and with what properties.
    const MAP: Map;
    /// The extents of a tensor, and the coordinates of an entry: one `usize` per mode.
    type Shape: Shape;
    /// The storage of the levels, outermost first, as a tuple.
    type Levels: Levels;
}

/// One `usize` per mode: extents or coordinates. Implemented by `[usize; N]`.
pub trait Shape:
    sealed::Sealed + AsRef<[usize]> + AsMut<[usize]> + Copy + Debug + Eq + Send + Sync + 'static
{
    /// The number of modes.
    const ORDER: usize;

    /// The same number in every mode.
    fn splat(number: usize) -> Self;

    /// Whether a coordinate lies inside these extents.
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

/// How the dimensions of a tensor are stored: its levels, outermost first.
///
/// A tensor does not compile in a format whose map and storage differ, or whose map does not store
/// every dimension once:
///
/// ```compile_fail
/// # use sparsegen::{Format, LevelMap, Map, Tensor, level};
/// # #[derive(Clone, Copy, Debug)]
/// # struct Wrong;
/// unsafe impl Format for Wrong {
/// #     const NAME: &'static str = "wrong";
///     const MAP: Map = Map::new(&[LevelMap::dimension(0, "dense")]);
///     type Shape = [usize; 1];
///     type Levels = (level::Compressed,);
/// }
/// let tensor = Tensor::<f64, Wrong>::zeros([3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// What each level stores.
    pub levels: &'static [LevelMap],
}

/// What one level stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelMap {
    /// Which function of the dimensions' coordinates the level's coordinates are.
    pub expr: LevelExpr,
    /// The level's name in a manifest: `"compressed"`.
    pub level: &'static str,
    /// What the level promises about its contents.
    pub properties: Properties,
}

/// A function from the coordinates of the dimensions to the coordinate of a level.
///
/// All that depends on which function it is stands in this type's methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelExpr {
    /// The coordinate of one dimension, counted from 0.
    Dimension(usize),
}

/// The invariants that a format's declaration sets on a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every coordinate is there under each parent.
    pub full: bool,
    /// Coordinates that share their ancestors' coordinates increase.
    pub ordered: bool,
    /// Coordinates that share their ancestors' coordinates differ.
    pub unique: bool,
    /// Zeros may be stored.
    pub padded: bool,
}

impl Map {
    /// A map of these levels, outermost first.
    pub const fn new(levels: &'static [LevelMap]) -> Map {
        Map { levels }
    }

    /// Refuses, at compile time, a map that does not fit the storage it describes.
    pub(crate) const fn check(&self, order: usize, kinds: &[Kind]) {
        assert!(self.levels.len() == kinds.len(), "`MAP` and `Levels` differ in length");
        assert!(self.levels.len() == order, "every dimension must be stored by one level");
        let mut level = 0;
        while level < kinds.len() {
            let LevelExpr::Dimension(dimension) = self.levels[level].expr;
            assert!(dimension < order, "a level stores a dimension that the shape does not have");
            assert!(
                equal(self.levels[level].level, kinds[level].name),
                "`MAP` and `Levels` name different levels"
            );
            let mut other = 0;
            while other < level {
                let LevelExpr::Dimension(earlier) = self.levels[other].expr;
                assert!(earlier != dimension, "two levels store the same dimension");
                other += 1;
            }
            level += 1;
        }
    }
}

impl LevelMap {
    /// A level that stores one dimension, counted from 0, and is ordered, unique and padded.
    pub const fn dimension(dimension: usize, level: &'static str) -> LevelMap {
        let properties = Properties { full: false, ordered: true, unique: true, padded: true };
        LevelMap { expr: LevelExpr::Dimension(dimension), level, properties }
    }

    /// Every coordinate is there under each parent.
    pub const fn full(mut self) -> LevelMap {
        self.properties.full = true;
        self
    }

    /// Coordinates may stand in any order.
    pub const fn nonordered(mut self) -> LevelMap {
        self.properties.ordered = false;
        self
    }

    /// Coordinates may occur several times.
    pub const fn nonunique(mut self) -> LevelMap {
        self.properties.unique = false;
        self
    }

    /// Only what is not zero is stored.
    pub const fn unpadded(mut self) -> LevelMap {
        self.properties.padded = false;
        self
    }
}

impl LevelExpr {
    /// How many coordinates the level has, for a tensor of these extents.
    pub fn extent(&self, shape: &[usize]) -> usize {
        match *self {
            LevelExpr::Dimension(dimension) => shape[dimension],
        }
    }

    /// The level's coordinate of an entry.
    #[inline]
    pub fn coordinate(&self, entry: &[usize]) -> usize {
        match *self {
            LevelExpr::Dimension(dimension) => entry[dimension],
        }
    }

    /// Adds what the level's coordinate says about an entry to the entry's coordinates, which
    /// start at zero: the inverse of [`LevelExpr::coordinate`] over all levels.
    #[inline]
    pub fn contribute(&self, coordinate: usize, entry: &mut [usize]) {
        match *self {
            LevelExpr::Dimension(dimension) => entry[dimension] += coordinate,
        }
    }
}

const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// The map as a manifest writes it: `(i, j) -> (i : dense, j : compressed)`.
impl Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each dimension is stored by one level, so there are as many of both.
        let dimensions = (0..self.levels.len()).map(|n| LevelExpr::Dimension(n).to_string());
        let levels = self.levels.iter().map(LevelMap::to_string);
        let list = |items: Vec<String>| items.join(", ");
        write!(f, "({}) -> ({})", list(dimensions.collect()), list(levels.collect()))
    }
}

impl Display for LevelMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}{}", self.expr, self.level, self.properties)
    }
}

impl Display for LevelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LevelExpr::Dimension(dimension) => match "ijklmnopqrstuvw".get(dimension..=dimension) {
                Some(name) => f.write_str(name),
                None => write!(f, "i{dimension}"),
            },
        }
    }
}

impl Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Properties { full, ordered, unique, padded } = *self;
        let words = [
            (full, "full"),
            (!ordered, "nonordered"),
            (!unique, "nonunique"),
            (!padded, "unpadded"),
        ];
        let set: Vec<&str> = words.iter().filter(|(is_set, _)| *is_set).map(|(_, w)| *w).collect();
        if set.is_empty() { Ok(()) } else { write!(f, "({})", set.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, Csc, Scalar};

    #[test]
    fn maps_print_as_a_manifest_writes_them() {
        let check = |map: Map, expected: &str| assert_eq!(map.to_string(), expected);
        check(Scalar::MAP, "() -> ()");
        check(<Csc>::MAP, "(i, j) -> (j : dense, i : compressed)");
        check(
            <Coo<3>>::MAP,
            "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)",
        );
        const FULL: Map = Map::new(&[LevelMap::dimension(0, "compressed").full().unpadded()]);
        check(FULL, "(i) -> (i : compressed(full, unpadded))");
    }

    #[test]
    fn a_coordinate_lies_inside_extents_in_every_mode() {
        assert!([2, 3].contains(&[1, 2]));
        assert!(!Shape::contains(&[2, 3], &[2, 0]));
        assert!(Shape::contains(&[], &[]));
    }
}
