//! Axes: the coordinates of a level, as its tensor's shape and its format determine them.

use core::ops::Range;

use super::{Fault, Kind, MAX_LEVELS};
use crate::Width;
use crate::format::{Interval, LevelExpr, LevelMap, Map, Properties};

/// The coordinates and properties of a level, as its tensor's shape and its format determine them.
///
/// The functions of a level use coordinates that count from 0. The values of `j - i` may be
/// negative, so that arrays store them shifted: [`Axis::stored`] and [`Axis::coordinate`] convert
/// between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Axis {
    /// The number of coordinates, which count from 0.
    pub size: usize,
    /// The number that arrays store for the coordinate 0: negative for `j - i`, and 0 for
    /// expressions without a sign.
    pub first: isize,
    /// `true` if the level counts entries, so that only its storage determines the number of
    /// coordinates. `size` is then exact while a tensor is packed, and no bound afterwards.
    pub counted: bool,
    /// The declared invariants.
    pub properties: Properties,
    /// The relation of the coordinates to those of outer levels, if there is one.
    pub diagonal: Option<Diagonal>,
}

/// The axes of all levels of a tensor, outermost first.
pub(crate) type Axes = [Axis; MAX_LEVELS];

/// A sum or difference of this level's dimension and another one that an outer level stores. It
/// bounds the coordinates of this level, and determines them once the other dimension is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    /// The outer level that stores the sum or difference, counted from 0.
    level: usize,
    /// The value of coordinate 0 at that level.
    first: isize,
    /// The extent of the other dimension.
    other_size: usize,
    /// The outer level that stores the other dimension, if one does.
    other_level: Option<usize>,
    relation: Relation,
}

/// The expression that the outer level stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// The sum of the two dimensions.
    Sum,
    /// This dimension minus the other.
    Minuend,
    /// The other dimension minus this.
    Subtrahend,
}

impl Axis {
    /// A placeholder for the axis of a level that does not exist.
    pub(crate) const NONE: Axis = Axis {
        size: 0,
        first: 0,
        counted: false,
        properties: Properties { full: false, ordered: true, unique: true, padded: true },
        diagonal: None,
    };

    /// Returns the axis of a level, or `None` if the number of its coordinates overflows.
    #[inline]
    pub(crate) fn of(map: &Map, kind: &Kind, level: usize, shape: &[usize]) -> Option<Axis> {
        let LevelMap { expr, mut properties, .. } = map.levels[level];
        properties.ordered &= kind.ordered;
        // Fast path: most levels store a dimension unchanged.
        if let LevelExpr::Dimension(dimension) = expr
            && !kind.relative
        {
            let size = shape[dimension];
            return Some(Axis { size, first: 0, counted: false, properties, diagonal: None });
        }
        let Interval { first, size } = expr.interval(shape)?;
        let counted = size == usize::MAX && expr.is_counted();
        let diagonal = if kind.relative { Diagonal::of(map, level, shape) } else { None };
        Some(Axis { size, first, counted, properties, diagonal })
    }

    /// Checks that an integer type holds every coordinate of the axis, stored or not.
    ///
    /// # Errors
    /// [`Fault::Width`] if it does not.
    pub fn fits<C: Width>(&self) -> Result<(), Fault> {
        if self.size == 0 || self.counted {
            return Ok(());
        }
        let (first, last) = (self.first as i128, self.first as i128 + self.size as i128 - 1);
        let broken = if last > C::LARGEST as i128 {
            last
        } else if first < C::LEAST as i128 {
            first
        } else {
            return Ok(());
        };
        Err(Fault::width::<C>("coordinates", broken, first, last))
    }

    /// Checks the number of coordinates that a level has stored. A level that counts entries may
    /// have any number.
    ///
    /// # Errors
    /// [`Fault::Broken`] if it is not the size of the axis.
    pub fn is_size(&self, stored: usize) -> Result<(), Fault> {
        if stored == self.size || self.counted {
            return Ok(());
        }
        let reason = format!("the level's size is {stored}, the shape's {}", self.size);
        Err(Fault::broken(0, reason))
    }

    /// Checks the number of distinct coordinates of a full level under one parent; `index` is their
    /// index in the array.
    ///
    /// # Errors
    /// [`Fault::Broken`] if some are missing.
    pub fn is_full(&self, distinct: usize, index: usize) -> Result<(), Fault> {
        if distinct == self.size {
            return Ok(());
        }
        let reason = format!("a full level has {distinct} of {} coordinates here", self.size);
        Err(Fault::broken(index, reason))
    }

    /// Returns the coordinate that a number of an array represents. If the storage is not valid, it
    /// may exceed the size.
    #[inline]
    pub fn coordinate<C: Width>(&self, stored: C) -> usize {
        stored.to_usize().wrapping_sub(self.first as usize)
    }

    /// Returns the number that an array stores for a coordinate.
    ///
    /// # Errors
    /// [`Fault::Width`] if the integer type is too narrow.
    #[inline]
    pub fn stored<C: Width>(&self, coordinate: usize) -> Result<C, Fault> {
        let number = coordinate.wrapping_add(self.first as usize);
        C::try_from_usize(number).ok_or_else(|| {
            let number = coordinate as i128 + self.first as i128;
            Fault::width::<C>("coordinates", number, self.first as i128, number)
        })
    }

    /// Checks a number of an array against the size; `index` is its index in the array.
    ///
    /// # Errors
    /// [`Fault::Broken`] if it is not a coordinate of the axis.
    pub fn contains<C: Width>(&self, stored: C, index: usize) -> Result<(), Fault> {
        if self.coordinate(stored) < self.size {
            return Ok(());
        }
        let (first, size) = (self.first, self.size);
        let reason = if first == 0 {
            format!("coordinate {stored:?} is not below the dimension's size {size}")
        } else {
            let end = first as i128 + size as i128;
            format!("coordinate {stored:?} is not in {first}..{end}")
        };
        Err(Fault::broken(index, reason))
    }
}

impl Diagonal {
    fn of(map: &Map, level: usize, shape: &[usize]) -> Option<Diagonal> {
        let (outer, other_level) = map.diagonal(level)?;
        let LevelExpr::Dimension(here) = map.levels[level].expr else { return None };
        let expr = map.levels[outer].expr;
        let (other, relation) = match expr {
            LevelExpr::Add(a, b) if a == here => (b, Relation::Sum),
            LevelExpr::Add(a, _) => (a, Relation::Sum),
            LevelExpr::Sub(a, b) if a == here => (b, Relation::Minuend),
            LevelExpr::Sub(a, _) => (a, Relation::Subtrahend),
            LevelExpr::Dimension(_)
            | LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Count(_) => return None,
        };
        let first = expr.interval(shape)?.first;
        Some(Diagonal { level: outer, first, other_size: shape[other], other_level, relation })
    }

    /// Returns the coordinates below `size` for which the coordinate of the other dimension is
    /// within its extent, given the coordinates at the outer levels.
    pub fn bounds(&self, size: usize, coords: &[usize]) -> Range<usize> {
        let (here, last) = (self.number(coords), self.other_size as isize - 1);
        let (least, largest) = match self.relation {
            Relation::Sum => (here - last, here),
            Relation::Minuend => (here, here + last),
            Relation::Subtrahend => (-here, last - here),
        };
        let start = least.max(0) as usize;
        start..((largest + 1).max(0) as usize).min(size).max(start)
    }

    /// Returns the coordinate that the outer levels determine, which may lie outside the dimension,
    /// or `None` if no outer level stores the other dimension.
    pub fn coordinate(&self, coords: &[usize]) -> Option<isize> {
        let (here, other) = (self.number(coords), coords[self.other_level?] as isize);
        Some(match self.relation {
            Relation::Sum => here - other,
            Relation::Minuend => here + other,
            Relation::Subtrahend => other - here,
        })
    }

    /// Returns the sum or difference, which fits an `isize` for every tensor that exists.
    fn number(&self, coords: &[usize]) -> isize {
        coords[self.level] as isize + self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::LevelMap;

    const RELATIVE: Kind = Kind::new("relative").relative();
    const DIFFERENCE: Map = Map::new(&[
        LevelMap::new(LevelExpr::Sub(1, 0), "compressed"),
        LevelMap::dimension(0, "range"),
        LevelMap::dimension(1, "offset"),
    ]);
    const REVERSED: Map = Map::new(&[
        LevelMap::new(LevelExpr::Sub(1, 0), "compressed"),
        LevelMap::dimension(1, "range"),
        LevelMap::dimension(0, "offset"),
    ]);
    const SUM: Map = Map::new(&[
        LevelMap::new(LevelExpr::Add(0, 1), "compressed"),
        LevelMap::dimension(0, "range"),
        LevelMap::dimension(1, "offset"),
    ]);

    #[test]
    fn diagonals_meet_every_entry_once() {
        for map in [DIFFERENCE, REVERSED, SUM] {
            for shape in [[3, 5], [4, 2], [1, 1], [0, 3], [3, 0]] {
                let axes: Vec<Axis> =
                    (0..3).map(|level| Axis::of(&map, &RELATIVE, level, &shape).unwrap()).collect();
                let range = axes[1].diagonal.unwrap();
                let offset = axes[2].diagonal.unwrap();
                let mut met = 0;
                for diagonal in 0..axes[0].size {
                    for coordinate in range.bounds(axes[1].size, &[diagonal]) {
                        let other = offset.coordinate(&[diagonal, coordinate]).unwrap();
                        assert!((0..axes[2].size as isize).contains(&other), "{shape:?}");
                        met += 1;
                    }
                }
                assert_eq!(met, shape[0] * shape[1]);
            }
        }
    }

    #[test]
    fn widths_hold_both_ends() {
        let axis = Axis::of(&DIFFERENCE, &RELATIVE, 0, &[129, 128]).unwrap();
        assert_eq!((axis.first, axis.size), (-128, 256));
        assert_eq!(axis.fits::<i8>(), Ok(()));
        assert_eq!(axis.stored::<i8>(0), Ok(-128));
        assert_eq!(axis.coordinate(127_i8), 255);
        let axis = Axis::of(&DIFFERENCE, &RELATIVE, 0, &[4, 300]).unwrap();
        let fault = |largest, width| {
            Err(Fault::Width { what: "coordinates", width, largest, choose: "i16" })
        };
        assert_eq!(axis.fits::<i8>(), fault(299, "i8"));
        assert_eq!(axis.fits::<u64>(), fault(-3, "u64"));
    }
}
