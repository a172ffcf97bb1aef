//! Segments of an array of coordinates, one per parent: the common part of `compressed` and
//! `loose_compressed`.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Axis, Fault};
use crate::{Width, memory};

/// Appends the children of each parent to `crd`, including the padding of a full level, and calls
/// `close` with each parent and its segment; returns the position of each node.
pub(super) fn build<C: Width>(
    axis: &Axis,
    parents: usize,
    nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    crd: &mut Vec<C>,
    mut close: impl FnMut(usize, Range<usize>) -> Result<(), Fault>,
) -> Result<Vec<usize>, Fault> {
    let full = axis.properties.full;
    let padded = if full { parents.checked_mul(axis.size) } else { Some(0) };
    let count = padded.ok_or(Fault::Size)?.max(nodes.len());
    memory::try_reserve(crd, count).map_err(|_| Fault::Size)?;
    let mut positions = Vec::with_capacity(nodes.len());
    let mut nodes = nodes.peekable();
    for parent in 0..parents {
        let start = crd.len();
        // All coordinates below `next` have been appended, if the level is full.
        let mut next = 0;
        while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
            if full {
                append(axis, next..coordinate, crd)?;
            }
            positions.push(crd.len());
            append(axis, coordinate..coordinate + 1, crd)?;
            next = coordinate + 1;
        }
        if full {
            append(axis, next..axis.size, crd)?;
        }
        close(parent, start..crd.len())?;
    }
    Ok(positions)
}

fn append<C: Width>(axis: &Axis, coordinates: Range<usize>, crd: &mut Vec<C>) -> Result<(), Fault> {
    for coordinate in coordinates {
        crd.push(axis.stored(coordinate)?);
    }
    Ok(())
}

/// Returns the largest number of positions of a level of at most `nodes` nodes, or `None` if a
/// position may exceed its integer type, or a counted coordinate may.
pub(super) fn grown<P: Width>(axis: &Axis, parents: usize, nodes: usize) -> Option<usize> {
    let count = if axis.properties.full { parents.checked_mul(axis.size)? } else { nodes };
    (count <= P::LARGEST && !axis.counted).then_some(count)
}

/// Returns the range of a segment that contains all its children with this coordinate.
pub(super) fn locate<C: Width>(
    axis: &Axis,
    crd: &[C],
    segment: Range<usize>,
    coordinate: usize,
) -> Range<usize> {
    if !axis.properties.ordered {
        return segment;
    }
    let stored = &crd[segment.clone()];
    let before = stored.partition_point(|c| axis.coordinate(*c) < coordinate);
    let equal = stored[before..].partition_point(|c| axis.coordinate(*c) == coordinate);
    segment.start + before..segment.start + before + equal
}

/// Checks that an array of at least one element divides the elements of another array, given by its
/// name and length, into segments: it never decreases, and begins at 0 and ends at this length.
pub(super) fn validate_bounds<P: Width>(
    name: &str,
    bounds: &[P],
    (of, length): (&str, usize),
) -> Result<(), Fault> {
    if bounds[0] != P::default() {
        return Err(Fault::broken(0, format!("`{name}` starts at {:?}, not at 0", bounds[0])));
    }
    if let Some(index) = bounds.windows(2).position(|pair| pair[0] > pair[1]) {
        let (from, to) = (bounds[index], bounds[index + 1]);
        return Err(Fault::broken(
            index + 1,
            format!("`{name}` decreases from {from:?} to {to:?}"),
        ));
    }
    let last = bounds.len() - 1;
    let end = bounds[last].to_usize();
    if end != length {
        let reason = format!("`{name}` ends at {end}, but `{of}` has {length} elements");
        return Err(Fault::broken(last, reason));
    }
    Ok(())
}

/// Checks the coordinates of the children of one parent; `scratch` is a buffer for sorting them.
pub(super) fn validate<C: Width>(
    axis: &Axis,
    crd: &[C],
    segment: Range<usize>,
    scratch: &mut Vec<C>,
) -> Result<(), Fault> {
    let first = segment.start;
    let stored = &crd[segment];
    let properties = axis.properties;
    let is_inside = |c: &C| axis.coordinate(*c) < axis.size;
    // Fast path: most levels are ordered and unique, so that one pass suffices, and the first and
    // last coordinates are the extremes.
    let increases = stored.is_sorted_by(|a, b| a < b);
    let mut ends = stored.first().into_iter().chain(stored.last());
    if increases && !properties.full && ends.all(is_inside) {
        return Ok(());
    }
    if let Some(index) = stored.iter().position(|c| !is_inside(c)) {
        return axis.contains(stored[index], first + index);
    }
    if properties.ordered
        && let Some(index) = stored.windows(2).position(|pair| pair[0] > pair[1])
    {
        let (from, to) = (stored[index], stored[index + 1]);
        let reason = format!("coordinates decrease from {from:?} to {to:?} in an ordered level");
        return Err(Fault::broken(first + index + 1, reason));
    }
    let sorted = if properties.ordered || !(properties.unique || properties.full) {
        stored
    } else {
        scratch.clear();
        scratch.extend_from_slice(stored);
        scratch.sort_unstable();
        scratch
    };
    if properties.unique
        && let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1])
    {
        let copies = stored.iter().enumerate().filter(|(_, c)| **c == pair[0]);
        let second = copies.map(|(index, _)| index).nth(1).unwrap_or(0);
        let reason = format!("coordinate {:?} is repeated in a unique level", pair[0]);
        return Err(Fault::broken(first + second, reason));
    }
    if properties.full {
        let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
        axis.is_full(sorted.len() - repeated, first)?;
    }
    Ok(())
}
