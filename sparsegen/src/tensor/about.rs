//! Properties that a format determines for all of its tensors: axes, padding, and the coordinates of
//! entries.

use crate::format::{Format, Inverse, LevelExpr, Shape};
use crate::kernel::differs;
use crate::level::{Axes, Axis, Levels, MAX_LEVELS};
use crate::{Error, Stored, Value};

use super::declared::Declared;

/// Returns the inverse of the format's map. Checks the constants of the format at compile time.
pub(super) fn inverse<F: Format>() -> &'static Inverse {
    const { &F::MAP.check(F::Shape::ORDER, F::Levels::KINDS) }
}

/// Returns the axis of a level, counted from 0, or `None` if the number of its coordinates
/// overflows, which cannot happen for the shape of a tensor.
#[inline]
pub(super) fn axis<F: Format>(shape: &F::Shape, level: usize) -> Option<Axis> {
    inverse::<F>();
    Axis::of(&F::MAP, &F::Levels::KINDS[level], level, shape.as_ref())
}

/// Returns the axes of all levels.
pub(crate) fn axes<F: Format>(shape: &F::Shape) -> Result<Axes, Error> {
    Declared::of::<F>().axes(shape.as_ref())
}

/// Returns the number of levels.
pub(super) fn level_count<F: Format>() -> usize {
    inverse::<F>();
    F::Levels::KINDS.len()
}

/// Checks at compile time that entries of a pattern can be distinguished from padding.
pub(super) fn check_values<V: Stored, F: Format>() {
    const {
        let is_told_apart = !V::IS_PATTERN || !fills::<F>();
        assert!(is_told_apart, "a pattern has no zeros for a format to pad with");
    }
}

/// Returns whether the format may store values that are not entries: whether its last level is full
/// or pads, or is branchless below a level that does.
pub(super) const fn fills<F: Format>() -> bool {
    let mut fills = false;
    let mut level = 0;
    while level < F::Levels::KINDS.len() {
        let kind = F::Levels::KINDS[level];
        fills = kind.pads || is_full::<F>(level) || kind.branchless && fills;
        level += 1;
    }
    fills
}

/// Returns whether the format pads, so that stored fill values are padding and not entries. A
/// format whose levels are all full does not pad: each of its coordinates is an entry.
pub(super) const fn pads<F: Format>() -> bool {
    fills::<F>() && !is_dense::<F>()
}

/// Returns whether a format stores every coordinate: whether all of its levels are full.
pub(crate) const fn is_dense<F: Format>() -> bool {
    let mut is_dense = true;
    let mut level = 0;
    while level < F::Levels::KINDS.len() {
        is_dense = is_dense && is_full::<F>(level);
        level += 1;
    }
    is_dense
}

/// Returns whether a value equals the fill value, which may be NaN.
#[inline]
pub(super) fn is_fill<V: Value>(value: V, fill: V) -> bool {
    !differs(value, fill)
}

/// Returns whether a level stores every coordinate under each parent.
pub(super) const fn is_full<F: Format>(level: usize) -> bool {
    F::Levels::KINDS[level].full || F::MAP.levels[level].properties.full
}

/// Returns whether every value belongs to a coordinate within the shape: no level has unused
/// positions, and no block exceeds an extent.
pub(super) fn is_compact<F: Format>(shape: &F::Shape) -> bool {
    let is_compact = F::Levels::KINDS.iter().all(|kind| kind.compact);
    is_compact && F::MAP.levels.iter().all(|map| map.expr.is_exact(shape.as_ref()))
}

/// Returns the coordinates of an entry, given its coordinates at every level, or `None` if they are
/// not within the shape, in the last block of a dimension that blocks do not divide.
#[inline]
pub(super) fn entry<F: Format>(
    shape: &F::Shape,
    axes: &Axes,
    coords: &[usize],
) -> Option<F::Shape> {
    let mut entry = F::Shape::splat(0);
    let inverse = inverse::<F>();
    if inverse.is_permutation {
        for (map, &coordinate) in F::MAP.levels.iter().zip(coords) {
            if let LevelExpr::Dimension(dimension) = map.expr {
                entry.as_mut()[dimension] = coordinate;
            }
        }
        return Some(entry);
    }
    let mut numbers = [0; MAX_LEVELS];
    for ((number, axis), coordinate) in numbers.iter_mut().zip(axes).zip(coords) {
        *number = coordinate.wrapping_add(axis.first as usize);
    }
    for (dimension, coordinate) in entry.as_mut().iter_mut().enumerate() {
        *coordinate = inverse.coordinate(dimension, &numbers[..coords.len()]);
    }
    shape.contains(&entry).then_some(entry)
}
