//! Maps from the dimensions of a tensor to its levels.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::{self, Display};

use crate::level::{Kind, MAX_LEVELS};

use super::{Inverse, LevelExpr};

/// The map from the dimensions of a tensor to its levels, outermost first.
///
/// The coordinates of an entry must be computable from its coordinates at the levels. Blocks need
/// not divide a dimension: the last block then has positions for coordinates beyond the extent,
/// whose values are ignored.
///
/// ```
/// use sparsegen::{Format, LevelExpr, LevelMap, Map, Tensor, level};
///
/// const I: LevelExpr = LevelExpr::Dimension(0);
/// const J: LevelExpr = LevelExpr::Dimension(1);
///
/// /// `(i, j) -> (i / 2 : dense, j / 3 : compressed, i % 2 : dense, j % 3 : dense)`
/// #[derive(Clone, Copy, Debug)]
/// struct Blocks;
///
/// impl Format for Blocks {
///     const NAME: &'static str = "blocks";
///     const MAP: Map = Map::new(&[
///         LevelMap::new(LevelExpr::Div(&I, 2), "dense"),
///         LevelMap::new(LevelExpr::Div(&J, 3), "compressed"),
///         LevelMap::new(LevelExpr::Mod(&I, 2), "dense"),
///         LevelMap::new(LevelExpr::Mod(&J, 3), "dense"),
///     ]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Compressed, level::Dense, level::Dense);
/// }
///
/// let a = Tensor::<f64, Blocks>::from_triplets([3, 4], [([2, 3], 5.0)])?;
/// assert_eq!(a.levels().1.crd, [1]);
/// assert_eq!(a.vals(), [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// assert!(a.iter().eq([([2, 3], 5.0)]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// A [`Tensor`](crate::Tensor) does not compile in a format whose map and storage differ, or whose
/// map does not store every dimension exactly once:
///
/// ```compile_fail
/// # use sparsegen::{Format, LevelMap, Map, Tensor, level};
/// # #[derive(Clone, Copy, Debug)]
/// # struct Wrong;
/// impl Format for Wrong {
/// #     const NAME: &'static str = "wrong";
///     const MAP: Map = Map::new(&[LevelMap::dimension(0, "dense")]);
///     type Shape = [usize; 1];
///     type Levels = (level::Compressed,);
/// }
/// let tensor = Tensor::<f64, Wrong>::zeros([3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// The map of each level.
    pub levels: &'static [LevelMap],
}

/// The map of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelMap {
    /// The function from the coordinates of an entry to the coordinate at this level.
    pub expr: LevelExpr,
    /// The level's name in a manifest: `"compressed"`.
    pub level: &'static str,
    /// The parameters in the declaration of the level: 2 and 4 in `structured(2, 4)`.
    pub parameters: &'static [usize],
    /// The declared properties.
    pub properties: Properties,
}

/// The invariants that a format's declaration sets on a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every coordinate of the axis is stored under each parent.
    pub full: bool,
    /// Among nodes with the same ancestor coordinates, coordinates do not decrease.
    pub ordered: bool,
    /// Among nodes with the same ancestor coordinates, no coordinate is repeated.
    pub unique: bool,
    /// Fill values may be stored.
    pub padded: bool,
}

impl Map {
    /// Returns the map with these levels, outermost first.
    ///
    /// ```
    /// use sparsegen::{LevelMap, Map};
    ///
    /// const ROWS: Map =
    ///     Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "compressed")]);
    /// assert_eq!(ROWS.to_string(), "(i, j) -> (i : dense, j : compressed)");
    /// ```
    pub const fn new(levels: &'static [LevelMap]) -> Map {
        Map { levels }
    }

    /// Checks at compile time that the map matches the storage and is invertible; returns its
    /// inverse.
    pub(crate) const fn check(&self, order: usize, kinds: &[Kind]) -> Inverse {
        let levels = self.levels;
        assert!(levels.len() == kinds.len(), "`MAP` and `Levels` differ in length");
        assert!(order <= MAX_LEVELS, "there are more dimensions than levels can store");
        let mut counted = None;
        let mut level = 0;
        while level < kinds.len() {
            let LevelMap { expr, level: name, parameters, properties } = levels[level];
            assert!(equal(name, kinds[level].name), "`MAP` and `Levels` name different levels");
            let alike = equal_numbers(parameters, kinds[level].parameters);
            assert!(alike, "`MAP` and `Levels` differ in the numbers of a level");
            expr.check(order);
            if let Some(dimension) = expr.counted() {
                let other = if let Some(other) = counted { other } else { dimension };
                assert!(other == dimension, "a map counts the entries of one dimension only");
                counted = Some(dimension);
                assert!(!properties.full, "nothing bounds the entries that a full level counts");
            }
            if kinds[level].relative {
                let diagonal = self.diagonal(level);
                assert!(
                    matches!(diagonal, Some((_, other)) if other.is_some() || !kinds[level].branchless),
                    "a range or offset level needs, further out, a level that stores the \
                     difference or the sum of its dimension and another one, and an offset level \
                     one that stores that other dimension"
                );
            }
            level += 1;
        }
        Inverse::of(levels, kinds, order)
    }

    /// Returns, for a level that stores a dimension, the outer level that stores the difference or
    /// sum of this dimension and another one, and the outer level that stores the other dimension,
    /// if any.
    pub(crate) const fn diagonal(&self, level: usize) -> Option<(usize, Option<usize>)> {
        let levels = self.levels;
        let LevelExpr::Dimension(dimension) = levels[level].expr else { return None };
        let mut outer = 0;
        while outer < level {
            if let Some(other) = levels[outer].expr.partner(dimension) {
                let mut storing = 0;
                while storing < level {
                    if levels[storing].expr.same(&LevelExpr::Dimension(other)) {
                        return Some((outer, Some(storing)));
                    }
                    storing += 1;
                }
                return Some((outer, None));
            }
            outer += 1;
        }
        None
    }
}

impl LevelMap {
    /// Returns the map of a level that is ordered, unique and padded.
    ///
    /// ```
    /// use sparsegen::{LevelExpr, LevelMap};
    ///
    /// let map = LevelMap::new(LevelExpr::Sub(1, 0), "compressed");
    /// assert_eq!(map.to_string(), "j - i : compressed");
    /// ```
    pub const fn new(expr: LevelExpr, level: &'static str) -> LevelMap {
        let properties = Properties { full: false, ordered: true, unique: true, padded: true };
        LevelMap { expr, level, parameters: &[], properties }
    }

    /// Returns the map of an ordered, unique and padded level that stores one dimension, counted
    /// from 0.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(1, "compressed");
    /// assert_eq!(map.to_string(), "j : compressed");
    /// ```
    pub const fn dimension(dimension: usize, level: &'static str) -> LevelMap {
        LevelMap::new(LevelExpr::Dimension(dimension), level)
    }

    /// Sets the parameters in the declaration of the level: 2 and 4 in `structured(2, 4)`.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(1, "structured").parameters(&[2, 4]);
    /// assert_eq!(map.to_string(), "j : structured(2, 4)");
    /// ```
    pub const fn parameters(mut self, parameters: &'static [usize]) -> LevelMap {
        self.parameters = parameters;
        self
    }

    /// Declares that every coordinate is stored under each parent.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(0, "compressed").full();
    /// assert_eq!(map.to_string(), "i : compressed(full)");
    /// ```
    pub const fn full(mut self) -> LevelMap {
        self.properties.full = true;
        self
    }

    /// Declares that coordinates may have any order.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(0, "compressed").nonordered();
    /// assert_eq!(map.to_string(), "i : compressed(nonordered)");
    /// ```
    pub const fn nonordered(mut self) -> LevelMap {
        self.properties.ordered = false;
        self
    }

    /// Declares that coordinates may be repeated.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(0, "compressed").nonunique();
    /// assert_eq!(map.to_string(), "i : compressed(nonunique)");
    /// ```
    pub const fn nonunique(mut self) -> LevelMap {
        self.properties.unique = false;
        self
    }

    /// Declares that fill values may be stored. This is the default.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(0, "compressed").unpadded().padded();
    /// assert_eq!(map.to_string(), "i : compressed");
    /// ```
    pub const fn padded(mut self) -> LevelMap {
        self.properties.padded = true;
        self
    }

    /// Declares that no fill value is stored.
    ///
    /// ```
    /// use sparsegen::LevelMap;
    ///
    /// let map = LevelMap::dimension(0, "compressed").unpadded();
    /// assert_eq!(map.to_string(), "i : compressed(unpadded)");
    /// ```
    pub const fn unpadded(mut self) -> LevelMap {
        self.properties.padded = false;
        self
    }
}

pub(crate) const fn equal(a: &str, b: &str) -> bool {
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

const fn equal_numbers(a: &[usize], b: &[usize]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Formats the map in the notation of a manifest: `(i, j) -> (i : dense, j : compressed)`.
impl Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.levels.iter().map(|level| level.expr.order()).max().unwrap_or(0);
        let dimensions = (0..order).map(|dimension| LevelExpr::Dimension(dimension).to_string());
        let levels = self.levels.iter().map(LevelMap::to_string);
        let list = |items: Vec<String>| items.join(", ");
        write!(f, "({}) -> ({})", list(dimensions.collect()), list(levels.collect()))
    }
}

/// Formats the level in the notation of a manifest: `j : singleton(nonunique)`.
impl Display for LevelMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}", self.expr, self.level)?;
        let parameters = self.parameters.iter().map(usize::to_string);
        let properties = self.properties.names().into_iter().map(str::to_owned);
        let options: Vec<String> = parameters.chain(properties).collect();
        if options.is_empty() { Ok(()) } else { write!(f, "({})", options.join(", ")) }
    }
}

impl Properties {
    /// Returns the keywords of a manifest that set these properties.
    fn names(self) -> Vec<&'static str> {
        let Properties { full, ordered, unique, padded } = self;
        let words = [
            (full, "full"),
            (!ordered, "nonordered"),
            (!unique, "nonunique"),
            (!padded, "unpadded"),
        ];
        words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, CooUnordered, Csc, Dia, Ell, Format, Scalar};

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
        check(<Dia>::MAP, "(i, j) -> (j - i : compressed, i : range, j : offset)");
        check(<Ell>::MAP, "(i, j) -> (#i : dense, i : dense, j : singleton)");
        check(
            <CooUnordered<2>>::MAP,
            "(i, j) -> (i : compressed(nonordered, nonunique), j : singleton(nonordered, nonunique))",
        );
        const BLOCKS: Map = Map::new(&[
            LevelMap::new(LevelExpr::Mod(&LevelExpr::Div(&LevelExpr::Dimension(1), 2), 4), "dense"),
            LevelMap::dimension(0, "structured").parameters(&[2, 4]).nonordered(),
        ]);
        check(BLOCKS, "(i, j) -> ((j / 2) % 4 : dense, i : structured(2, 4, nonordered))");
    }
}
