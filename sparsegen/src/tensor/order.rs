//! The order of packing: entries sorted by their coordinates at every level, and counted.

use alloc::vec::Vec;

use crate::memory::HashMap;

use crate::format::{Map, Shape};
use crate::level::{Axes, MAX_LEVELS};

/// Sorts entries by their coordinates at every level that does not count entries. The sort is
/// stable, and takes linear time if the entries are sorted.
pub(super) fn sort<S: Shape, V: Copy>(map: &Map, entries: &mut [(S, V)], axes: &Axes) {
    sort_by_levels(map, entries, axes, |(entry, _)| (*entry, 0));
}

/// Numbers, from 0 and in order, the entries that share the coordinate which a level counts.
/// Returns an empty list if no level counts.
pub(super) fn count<S: Shape, V>(map: &Map, entries: &[(S, V)]) -> Vec<usize> {
    let counted = map.levels.iter().find_map(|map| map.expr.counted());
    let Some(dimension) = counted else { return Vec::new() };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let number = |(entry, _): &(S, V)| {
        let count = counts.entry(entry.as_ref()[dimension]).or_default();
        *count += 1;
        *count - 1
    };
    entries.iter().map(number).collect()
}

/// Sets the sizes of the axes of counting levels.
pub(super) fn set_counted_sizes(map: &Map, axes: &mut Axes, counts: &[usize]) {
    let largest = counts.iter().max();
    for (axis, map) in axes.iter_mut().zip(map.levels) {
        if axis.counted {
            axis.size = largest.map_or(0, |count| map.expr.number(&[], *count) + 1);
        }
    }
}

/// Sorts entries, together with their counts, by their coordinates at every level.
pub(super) fn sort_counted<S: Shape, V: Copy>(
    map: &Map,
    entries: &mut Vec<(S, V)>,
    counts: &mut Vec<usize>,
    axes: &Axes,
) {
    if counts.is_empty() {
        return;
    }
    let mut counted: Vec<_> = core::mem::take(entries).into_iter().zip(counts.drain(..)).collect();
    sort_by_levels(map, &mut counted, axes, |((entry, _), count)| (*entry, *count));
    (*entries, *counts) = counted.into_iter().unzip();
}

/// Sorts items that represent an entry and its count. The sort is stable.
fn sort_by_levels<S: Shape, T: Copy>(
    map: &Map,
    items: &mut [T],
    axes: &Axes,
    entry: impl Fn(&T) -> (S, usize),
) {
    // Counting levels are skipped while their sizes are unknown.
    let is_known = |level: &usize| axes[*level].size < usize::MAX || !axes[*level].counted;
    let levels = || (0..map.levels.len()).filter(is_known);
    let coordinate = |item: &T, level: usize| {
        let (entry, count) = entry(item);
        let number = map.levels[level].expr.number(entry.as_ref(), count);
        number.wrapping_sub(axes[level].first as usize)
    };
    let stays_before = |a: &T, b: &T| {
        levels().map(|level| coordinate(a, level)).le(levels().map(|level| coordinate(b, level)))
    };
    if items.is_sorted_by(stays_before) {
        return;
    }
    // A radix sort takes a pass over the items and one over the coordinates for each level, fewer
    // if the items are sorted by another order of the levels.
    if levels().all(|level| axes[level].size <= 4 * items.len()) {
        for level in levels().rev() {
            distribute(items, axes[level].size, |item| coordinate(item, level));
        }
        return;
    }
    let coordinates = |item: &T| {
        let mut coordinates = [0; MAX_LEVELS];
        levels().for_each(|level| coordinates[level] = coordinate(item, level));
        coordinates
    };
    // Otherwise the coordinates are compared as one number, if it fits.
    let rank = |item: &T| {
        let digit =
            |rank, level: usize| rank * axes[level].size as u128 + coordinate(item, level) as u128;
        levels().fold(0_u128, digit)
    };
    match levels().try_fold(1_u128, |count, level| count.checked_mul(axes[level].size as u128)) {
        Some(count) if count <= u64::MAX.into() => {
            items.sort_by_cached_key(|item| rank(item) as u64)
        }
        Some(_) => items.sort_by_cached_key(rank),
        None => items.sort_by_cached_key(coordinates),
    }
}

/// Sorts items by a number below `size`. The sort is stable.
fn distribute<T: Copy>(items: &mut [T], size: usize, number: impl Fn(&T) -> usize) {
    if items.is_sorted_by_key(&number) {
        return;
    }
    let mut ends = vec![0; size + 1];
    items.iter().for_each(|item| ends[number(item) + 1] += 1);
    for index in 1..ends.len() {
        ends[index] += ends[index - 1];
    }
    // `ends` holds the start of each group, and its end after the pass.
    let mut order = vec![0; items.len()];
    for (index, item) in items.iter().enumerate() {
        let end = &mut ends[number(item)];
        order[*end] = index;
        *end += 1;
    }
    let sorted: Vec<T> = order.into_iter().map(|index: usize| items[index]).collect();
    items.copy_from_slice(&sorted);
}
