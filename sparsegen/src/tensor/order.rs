//! The order of packing: entries sorted by their coordinates at every level, and counted.

use std::collections::HashMap;

use crate::format::{Map, Shape};
use crate::level::{Axes, MAX_LEVELS};

/// Sorts entries by their coordinates at every level but those that count. Entries that share all
/// of them stay in their order. Takes linear time where they are sorted already.
pub(super) fn sort<S: Shape, V: Copy>(map: &Map, entries: &mut [(S, V)], axes: &Axes) {
    sort_by_levels(map, entries, axes, |(entry, _)| (*entry, 0));
}

/// Numbers the entries that share what a level counts, from 0, in the order that they have. No
/// numbers where no level counts.
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

/// Tells the levels that count how many coordinates they have.
pub(super) fn set_counted_sizes(map: &Map, axes: &mut Axes, counts: &[usize]) {
    let largest = counts.iter().max();
    for (axis, map) in axes.iter_mut().zip(map.levels) {
        if axis.counted {
            axis.size = largest.map_or(0, |count| map.expr.number(&[], *count) + 1);
        }
    }
}

/// Sorts entries, together with their numbers, by their coordinates at every level.
pub(super) fn sort_counted<S: Shape, V: Copy>(
    map: &Map,
    entries: &mut Vec<(S, V)>,
    counts: &mut Vec<usize>,
    axes: &Axes,
) {
    if counts.is_empty() {
        return;
    }
    let mut counted: Vec<_> = std::mem::take(entries).into_iter().zip(counts.drain(..)).collect();
    sort_by_levels(map, &mut counted, axes, |((entry, _), count)| (*entry, *count));
    (*entries, *counts) = counted.into_iter().unzip();
}

/// Sorts items that stand for an entry and its number. Those that share all coordinates stay in
/// their order.
fn sort_by_levels<S: Shape, T: Copy>(
    map: &Map,
    items: &mut [T],
    axes: &Axes,
    entry: impl Fn(&T) -> (S, usize),
) {
    // Levels whose size is not known yet do not take part.
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
    // Distributing takes a pass over the items and one over the coordinates for each level, fewer
    // where the items are sorted by another order of the levels.
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
    // Where the coordinates of all levels fit into one number, that is as good.
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

/// Sorts by a number below `size`, and leaves those that share it in their order.
fn distribute<T: Copy>(items: &mut [T], size: usize, number: impl Fn(&T) -> usize) {
    if items.is_sorted_by_key(&number) {
        return;
    }
    let mut ends = vec![0; size + 1];
    items.iter().for_each(|item| ends[number(item) + 1] += 1);
    for index in 1..ends.len() {
        ends[index] += ends[index - 1];
    }
    // What began as where the items of a number start is, in the end, where they end.
    let mut order = vec![0; items.len()];
    for (index, item) in items.iter().enumerate() {
        let end = &mut ends[number(item)];
        order[*end] = index;
        *end += 1;
    }
    let sorted: Vec<T> = order.into_iter().map(|index: usize| items[index]).collect();
    items.copy_from_slice(&sorted);
}
