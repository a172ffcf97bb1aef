//! The coordinates of entries at a level, from those in the dimensions.

use alloc::borrow::Cow;

use crate::format::LevelExpr;
use crate::level::Axis;

/// Returns the coordinate of each entry at a level, which counts from 0, or `None` if they do not
/// fit 32 bits.
pub(super) fn of_level<'c>(
    expr: &LevelExpr,
    axis: &Axis,
    dimensions: &'c [Cow<'_, [u32]>],
    counts: &'c [u32],
) -> Option<Cow<'c, [u32]>> {
    u32::try_from(axis.size.saturating_sub(1)).ok()?;
    if let LevelExpr::Sub(a, b) = expr {
        let first = axis.first as u32;
        let pairs = dimensions[*a].iter().zip(&*dimensions[*b]);
        // The differences fit, because the axis has at most 2^32 coordinates.
        return Some(pairs.map(|(a, b)| a.wrapping_sub(*b).wrapping_sub(first)).collect());
    }
    if axis.first == 0 && !matches!(expr.whole(), LevelExpr::Sub(..)) {
        return unsigned(expr, dimensions, counts);
    }
    let mut entry = vec![0; dimensions.len()];
    let entries = 0..dimensions.first().map_or(0, |column| column.len());
    let number = |index: usize| {
        for (coordinate, column) in entry.iter_mut().zip(dimensions) {
            *coordinate = column[index] as usize;
        }
        let count = counts.get(index).map_or(0, |count| *count as usize);
        expr.number(&entry, count).wrapping_sub(axis.first as usize) as u32
    };
    Some(entries.map(number).collect())
}

/// Returns the value of an expression without differences for each entry.
fn unsigned<'c>(
    expr: &LevelExpr,
    dimensions: &'c [Cow<'_, [u32]>],
    counts: &'c [u32],
) -> Option<Cow<'c, [u32]>> {
    match expr {
        LevelExpr::Dimension(dimension) => Some(Cow::Borrowed(&dimensions[*dimension])),
        LevelExpr::Count(_) => Some(Cow::Borrowed(counts)),
        LevelExpr::Div(of, block) => {
            let (numbers, block) = (unsigned(of, dimensions, counts)?, u32::try_from(*block).ok()?);
            let numbers = numbers.iter();
            // Fast path: a shift takes a fraction of the time of a division.
            Some(match block.is_power_of_two() {
                true => numbers.map(|number| number >> block.trailing_zeros()).collect(),
                false => numbers.map(|number| number / block).collect(),
            })
        }
        LevelExpr::Mod(of, block) => {
            let (numbers, block) = (unsigned(of, dimensions, counts)?, u32::try_from(*block).ok()?);
            let numbers = numbers.iter();
            Some(match block.is_power_of_two() {
                true => numbers.map(|number| number & (block - 1)).collect(),
                false => numbers.map(|number| number % block).collect(),
            })
        }
        LevelExpr::Add(a, b) => {
            let pairs = dimensions[*a].iter().zip(&*dimensions[*b]);
            pairs.map(|(a, b)| a.checked_add(*b)).collect()
        }
        LevelExpr::Sub(..) => None,
    }
}
