//! The order of packing: entries sorted by their coordinates at every level, and counted.

use std::collections::HashMap;

use crate::format::Format;
use crate::level::{Axes, Levels, MAX_LEVELS};

use super::level_count;

/// Whether tensors keep entries as they are given, in any order and repeated: no level promises
/// anything that would keep them from it.
pub(super) fn keeps_entries<F: Format>() -> bool {
    let levels = F::Levels::KINDS.iter().zip(F::MAP.levels);
    level_count::<F>() > 0
        && levels.into_iter().all(|(kind, map)| {
            let properties = map.properties;
            let is_ordered = properties.ordered && kind.ordered;
            kind.list && !is_ordered && !properties.unique && !properties.full
        })
}

/// Sorts entries by their coordinates at every level but those that count. Entries that share all
/// of them stay in their order. Takes linear time where they are sorted already.
pub(super) fn sort<F: Format, V>(entries: &mut [(F::Shape, V)], axes: &Axes) {
    sort_by_levels::<F, _>(entries, axes, |(entry, _)| (*entry, 0));
}

/// Numbers the entries that share what a level counts, from 0, in the order that they have. No
/// numbers where no level counts.
pub(super) fn count<F: Format, V>(entries: &[(F::Shape, V)]) -> Vec<usize> {
    let Some(dimension) = counted_dimension::<F>() else { return Vec::new() };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let number = |(entry, _): &(F::Shape, V)| {
        let count = counts.entry(entry.as_ref()[dimension]).or_default();
        *count += 1;
        *count - 1
    };
    entries.iter().map(number).collect()
}

/// Tells the levels that count how many coordinates they have.
pub(super) fn set_counted_sizes<F: Format>(axes: &mut Axes, counts: &[usize]) {
    let largest = counts.iter().max();
    for (axis, map) in axes.iter_mut().zip(F::MAP.levels) {
        if axis.counted {
            axis.size = largest.map_or(0, |count| map.expr.number(&[], *count) + 1);
        }
    }
}

/// Sorts entries, together with their numbers, by their coordinates at every level.
pub(super) fn sort_counted<F: Format, V>(
    entries: &mut Vec<(F::Shape, V)>,
    counts: &mut Vec<usize>,
    axes: &Axes,
) {
    if counts.is_empty() {
        return;
    }
    let mut counted: Vec<_> = std::mem::take(entries).into_iter().zip(counts.drain(..)).collect();
    sort_by_levels::<F, _>(&mut counted, axes, |((entry, _), count)| (*entry, *count));
    (*entries, *counts) = counted.into_iter().unzip();
}

fn counted_dimension<F: Format>() -> Option<usize> {
    F::MAP.levels.iter().find_map(|map| map.expr.counted())
}

/// Sorts items that stand for an entry and its number. Where the coordinates of all levels fit into
/// one number, that is computed once per item and compared.
fn sort_by_levels<F: Format, T>(
    items: &mut [T],
    axes: &Axes,
    entry: impl Fn(&T) -> (F::Shape, usize),
) {
    let levels = level_count::<F>();
    // Levels whose size is not known yet do not take part.
    let is_known = |level: &usize| !(axes[*level].counted && axes[*level].size == usize::MAX);
    let coordinate = |item: &T, level: usize| {
        let (entry, count) = entry(item);
        let number = F::MAP.levels[level].expr.number(entry.as_ref(), count);
        number.wrapping_sub(axes[level].first as usize)
    };
    let rank = |item: &T| {
        (0..levels).filter(is_known).fold(0_u128, |rank, level| {
            rank * axes[level].size as u128 + coordinate(item, level) as u128
        })
    };
    let sizes = (0..levels).filter(is_known).map(|level| axes[level].size as u128);
    match sizes.into_iter().try_fold(1_u128, u128::checked_mul) {
        Some(count) if count <= u64::MAX.into() => sort_by_key(items, |item| rank(item) as u64),
        Some(_) => sort_by_key(items, rank),
        None => sort_by_key(items, |item| {
            let mut coords = [0; MAX_LEVELS];
            for level in (0..levels).filter(is_known) {
                coords[level] = coordinate(item, level);
            }
            coords
        }),
    }
}

fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    if !items.is_sorted_by_key(&key) {
        items.sort_by_cached_key(key);
    }
}
