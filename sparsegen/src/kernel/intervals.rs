//! Loops over parts of the positions of an operand, each of which stores the result at an interval of
//! coordinates.
//!
//! Parts have equal numbers of entries, however these are distributed over the rows: a part ends in
//! the middle of a long row. The rest of that row belongs to the next part, which has a copy of its
//! values; the copies are added in the order of the parts.

use alloc::vec::Vec;
use core::ops::Range;

use super::parallel::{Parts, run_all};
use crate::Width;

/// Returns the parent of a position: the last one whose children begin at the position or before it.
/// `pos` has the first position of each parent, followed by the number of positions.
#[inline]
pub fn parent<P: Width>(pos: &[P], position: usize) -> usize {
    pos.partition_point(|begin| begin.to_usize() <= position).saturating_sub(1)
}

/// Runs every part of a range of positions on the values at the coordinates of its positions.
///
/// The values have the same number of elements for each of `extent` coordinates. `coordinate(p)` is
/// the coordinate of position p, and does not decrease. `run` takes the coordinates of the values,
/// the positions, and the values; it adds to these. If several parts have entries at one coordinate,
/// all but the first add to `neutral` values, which are then combined in the order of the parts.
pub fn split_intervals<V: Copy + Send>(
    extent: usize,
    vals: &mut [V],
    parts: &Parts,
    neutral: V,
    coordinate: impl Fn(usize) -> usize,
    run: impl Fn(Range<usize>, Range<usize>, &mut [V]) + Sync,
    combine: impl Fn(V, V) -> V,
) {
    let each = vals.len().checked_div(extent).unwrap_or(0);
    let mut pieces = Vec::new();
    let (mut rest, mut free) = (&mut *vals, 0);
    for mut positions in parts.ranges() {
        while !positions.is_empty() {
            let first = coordinate(positions.start);
            if first < free {
                let end = end_of(first, &positions, &coordinate);
                let copy = Values::Copy(vec![neutral; each]);
                pieces.push((first..first + 1, positions.start..end, copy));
                positions.start = end;
                continue;
            }
            let after = coordinate(positions.end - 1) + 1;
            let (_, own) = core::mem::take(&mut rest).split_at_mut(each * (first - free));
            let (own, behind) = own.split_at_mut(each * (after - first));
            (rest, free) = (behind, after);
            pieces.push((first..after, positions.clone(), Values::Own(own)));
            positions.start = positions.end;
        }
    }
    let copies = run_all(pieces, |(coordinates, positions, values)| match values {
        Values::Own(own) => {
            run(coordinates, positions, own);
            None
        }
        Values::Copy(mut copy) => {
            run(coordinates.clone(), positions, &mut copy);
            Some((coordinates.start, copy))
        }
    });
    for (coordinate, copy) in copies.into_iter().flatten() {
        for (value, own) in vals[each * coordinate..].iter_mut().zip(copy) {
            *value = combine(*value, own);
        }
    }
}

/// The values that a part adds to.
enum Values<'v, V> {
    Own(&'v mut [V]),
    Copy(Vec<V>),
}

/// Returns the end of the positions with the first coordinate of a range.
fn end_of(first: usize, positions: &Range<usize>, coordinate: impl Fn(usize) -> usize) -> usize {
    let Range { mut start, mut end } = *positions;
    while start < end {
        let middle = start + (end - start) / 2;
        if coordinate(middle) > first { end = middle } else { start = middle + 1 }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{in_parts, parts};

    #[test]
    fn parents_have_their_positions() {
        let pos: [u32; 6] = [0, 0, 3, 3, 5, 5];
        assert_eq!([0, 2, 3, 4].map(|position| parent(&pos, position)), [1, 1, 3, 3]);
    }

    #[test]
    fn coordinates_of_several_parts_are_combined() {
        // The sums of rows, of which the third one has most entries.
        let pos: [u32; 6] = [0, 0, 2, 21, 21, 24];
        let sums = |count: usize| {
            let mut sums = vec![100; 10];
            in_parts(count, || {
                let parts = parts(24, |p| p);
                split_intervals(
                    5,
                    &mut sums,
                    &parts,
                    0,
                    |p| parent(&pos, p),
                    |own, part, vals| {
                        assert_eq!(vals.len(), 2 * own.len());
                        assert!(own.contains(&parent(&pos, part.start)));
                        for p in part {
                            vals[2 * (parent(&pos, p) - own.start) + 1] += p + 1;
                        }
                    },
                    |a, b| a + b,
                );
            });
            sums
        };
        let whole = [100, 100, 100, 103, 100, 328, 100, 100, 100, 169];
        for count in [1, 2, 3, 7, 24, 100] {
            assert_eq!(sums(count), whole, "{count}");
        }
    }

    #[test]
    fn no_positions_are_no_parts() {
        let never = |_: Range<usize>, _: Range<usize>, _: &mut [i32]| panic!("a part");
        split_intervals(0, &mut [], &parts(0, |p| p), 0, |p| p, never, |a, b| a + b);
        split_intervals(3, &mut [1, 2, 3], &parts(0, |p| p), 0, |p| p, never, |a, b| a + b);
    }
}
