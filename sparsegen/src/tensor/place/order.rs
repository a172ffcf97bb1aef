//! Entries in the order of packing, for the levels that depend on it.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::level::Axes;
use crate::memory::{filled, try_reserve};
use crate::{Fill, Stored};

use super::coordinates::of_level;
use super::groups::Groups;
use super::numbering::Numbering;
use super::values;
use crate::tensor::build::Merge;
use crate::tensor::columns::{Columns, of_levels};
use crate::tensor::declared::Declared;

/// Sorts entries by their coordinates at every level that does not count entries, and combines
/// entries with the same coordinates. Returns `None` if combining is refused.
pub(super) fn sorted<'a, V: Stored>(
    format: &Declared,
    shape: &[usize],
    axes: &Axes,
    columns: Columns<'a, V>,
    merge: Merge<'_, V::Value>,
) -> Option<Columns<'a, V>> {
    let stored = |level: &usize| {
        !format.kinds[*level].is_derived() && !format.map.levels[*level].expr.is_counted()
    };
    let levels: Vec<usize> = (0..format.kinds.len()).filter(stored).collect();
    let coords = |level: usize| {
        of_level(&format.map.levels[level].expr, &axes[level], &columns.dimensions, &[])
    };
    let count = columns.vals.len();
    let coordinates: Option<Vec<_>> = levels.iter().map(|level| coords(*level)).collect();
    let coordinates = coordinates?;
    if is_increasing(&coordinates, count) {
        drop(coordinates);
        return Some(Columns { may_repeat: false, ..columns });
    }
    let sizes: Vec<usize> = levels.iter().map(|level| axes[*level].size).collect();
    let Some(numbering) = Numbering::of(&sizes) else {
        return grouped(&sizes, &coordinates, &columns, merge);
    };
    let merge = columns.may_repeat.then_some(merge);
    let entries = numbering.distributed(&coordinates, &columns.vals)?;
    // Their memory is needed for the result.
    drop(coordinates);
    drop(columns);
    let (sorted, vals) = numbering.sorted(entries, merge)?;
    let mut coords = vec![Cow::default(); format.kinds.len()];
    levels.iter().zip(sorted).for_each(|(level, column)| coords[*level] = Cow::Owned(column));
    of_levels(format, shape, axes, coords, vals.into(), false)
}

/// Sorts entries like [`sorted`], by the nodes of each level, given their coordinates there.
fn grouped<'a, V: Stored>(
    sizes: &[usize],
    coordinates: &[Cow<'_, [u32]>],
    columns: &Columns<'a, V>,
    merge: Merge<'_, V::Value>,
) -> Option<Columns<'a, V>> {
    let count = columns.vals.len();
    let (mut ranks, mut nodes) = (filled(0_u32, count)?, 1_usize);
    let most = count.saturating_mul(4).min(u32::MAX as usize);
    for (index, (size, coords)) in sizes.iter().zip(coordinates).enumerate() {
        let is_last = index + 1 == sizes.len();
        // Few nodes need not be found to be told apart: every one has a number.
        match nodes.checked_mul(*size).filter(|all| *all <= most && !is_last) {
            Some(all) => {
                let ranks = ranks.iter_mut().zip(&**coords);
                ranks.for_each(|(rank, coordinate)| *rank = *rank * *size as u32 + coordinate);
                nodes = all;
            }
            None => nodes = Groups::of(nodes, *size, &mut ranks, coords.clone())?.count(),
        }
    }
    let Columns { dimensions, vals, may_repeat } = columns;
    let vals = values::place(
        &ranks,
        Cow::Borrowed(&**vals),
        nodes,
        Fill::ZERO,
        may_repeat.then_some(merge),
    )?;
    let mut moved = Vec::with_capacity(dimensions.len());
    for column in dimensions {
        let mut sorted = filled(0, nodes)?;
        for (rank, coordinate) in ranks.iter().zip(&**column) {
            sorted[*rank as usize] = *coordinate;
        }
        moved.push(Cow::Owned(sorted));
    }
    Some(Columns { dimensions: moved, vals: vals.into(), may_repeat: false })
}

/// The number of entries compared together, whose results remain in cache.
const CHUNK: usize = 1024;

/// Returns whether each entry's coordinates, given level by level, follow those of the previous one.
fn is_increasing(coordinates: &[Cow<'_, [u32]>], count: usize) -> bool {
    (1..count).step_by(CHUNK).all(|start| {
        let pairs = start - 1..count.min(start + CHUNK);
        // Without branches, several entries are compared at once.
        let mut is_less = [false; CHUNK];
        let is_less = &mut is_less[..pairs.len() - 1];
        for level in coordinates.iter().rev() {
            let (before, here) =
                (&level[pairs.start..pairs.end - 1], &level[pairs.start + 1..pairs.end]);
            for ((is_less, before), here) in is_less.iter_mut().zip(before).zip(here) {
                *is_less = (before < here) | ((before == here) & *is_less);
            }
        }
        is_less.iter().all(|is_less| *is_less)
    })
}

/// Numbers, from 0 and in order, the entries with the same coordinate.
pub(super) fn counts(coords: &[u32]) -> Option<Vec<u32>> {
    let mut counts = Vec::new();
    try_reserve(&mut counts, coords.len()).ok()?;
    if coords.is_sorted() {
        // Numbers in memory would make each entry wait for the previous one.
        let (mut before, mut number) = (0, 0);
        counts.extend(coords.iter().map(|coordinate| {
            number = if *coordinate == before { number } else { 0 };
            (before, number) = (*coordinate, number + 1);
            number - 1
        }));
        return Some(counts);
    }
    let size = coords.iter().max().map_or(0, |last| *last as usize + 1);
    let mut next = filled(0, size)?;
    counts.extend(coords.iter().map(|coordinate| {
        let next: &mut u32 = &mut next[*coordinate as usize];
        *next += 1;
        *next - 1
    }));
    Some(counts)
}
