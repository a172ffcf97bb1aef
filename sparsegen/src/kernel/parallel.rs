//! Kernels whose outermost loop is run in parts: on several threads with the feature `parallel`, one
//! part after the other without.
//!
//! The parts follow from the operands alone, so that what is computed does not depend on how many
//! threads there are.

use std::cell::Cell;
use std::ops::Range;

use crate::{Value, Width};

/// How much work a part has at least, in steps of loops: with less, to hand it to a thread takes as
/// long as to do it.
const GRAIN: usize = 1 << 18;

/// How many parts there are at most.
const MOST: usize = 256;

/// Where the parts of a loop begin, and in the end where the last one ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts(Vec<usize>);

/// Parts of about equal work of a loop over `0..size`, where `before` tells how much there is to do
/// before each coordinate, `size` included. It must not decrease.
///
/// Takes time for a few searches by bisection.
pub fn parts(size: usize, before: impl Fn(usize) -> usize) -> Parts {
    let work = before(size).saturating_sub(before(0));
    let count = COUNT.get().unwrap_or((work / GRAIN).clamp(1, MOST));
    divided(size, count, before)
}

thread_local! {
    /// The number of parts that [`in_parts`] demands.
    static COUNT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Calls a function in which the parallel kernels that this thread calls divide their outermost loop
/// into `count` parts of about equal work, or into fewer where the loop has fewer coordinates.
///
/// Operands of tests are too small to be divided otherwise. The values of a tensor do not depend on
/// the number of parts; a scalar that is a sum of floating-point numbers is rounded differently.
#[doc(hidden)]
pub fn in_parts<T>(count: usize, run: impl FnOnce() -> T) -> T {
    /// Restores the number, even where `run` panics.
    struct Restore(Option<usize>);
    impl Drop for Restore {
        fn drop(&mut self) {
            COUNT.set(self.0);
        }
    }
    let _restore = Restore(COUNT.replace(Some(count.clamp(1, MOST))));
    run()
}

fn divided(size: usize, count: usize, before: impl Fn(usize) -> usize) -> Parts {
    let (start, all) = (before(0), before(size));
    let work = all.saturating_sub(start);
    let mut begins = vec![0];
    for part in 1..count {
        // Both factors are small enough: no more positions than memory holds, few parts.
        let wanted = start + (work as u128 * part as u128 / count as u128) as usize;
        let (mut low, mut high) = (begins[begins.len() - 1], size);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        if begins[begins.len() - 1] < low && low < size {
            begins.push(low);
        }
    }
    begins.push(size);
    Parts(begins)
}

impl Parts {
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.windows(2).map(|bounds| bounds[0]..bounds[1])
    }

    fn size(&self) -> usize {
        self.0[self.0.len() - 1]
    }
}

/// Runs every part, and gives what each returns, in the order of the parts.
pub fn each<T: Send>(parts: &Parts, run: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if parts.0.len() > 2 {
        use rayon::prelude::*;
        let ranges: Vec<Range<usize>> = parts.ranges().collect();
        return ranges.into_par_iter().map(&run).collect();
    }
    parts.ranges().map(run).collect()
}

/// Runs every part on the values that belong to it: as many to each coordinate.
pub fn split<V: Send>(vals: &mut [V], parts: &Parts, run: impl Fn(Range<usize>, &mut [V]) + Sync) {
    let each = vals.len().checked_div(parts.size()).unwrap_or(0);
    let mut rest = vals;
    let mut chunks = Vec::with_capacity(parts.0.len());
    for range in parts.ranges() {
        let (chunk, behind) = rest.split_at_mut(each * range.len());
        rest = behind;
        chunks.push((range, chunk));
    }
    #[cfg(feature = "parallel")]
    if chunks.len() > 1 {
        use rayon::prelude::*;
        chunks.into_par_iter().for_each(|(range, chunk)| run(range, chunk));
        return;
    }
    chunks.into_iter().for_each(|(range, chunk)| run(range, chunk));
}

/// The sum of what the parts return, added up in their order.
pub fn total<V: Value>(parts: &Parts, run: impl Fn(Range<usize>) -> V + Sync) -> V {
    each(parts, run).into_iter().fold(V::ZERO, V::sum)
}

/// Puts positions of a part behind those of the parts before it. Where they exceed the width they
/// are wrong, as they are in a part, and refused with it.
pub fn join_positions<P: Width>(all: &mut Vec<P>, part: &[P]) {
    let Some(&end) = all.last() else { return all.extend_from_slice(part) };
    let moved = part.iter().skip(1).map(|position| moved(*position, end));
    all.extend(moved);
}

/// As [`join_positions`], of a level all of whose children have one parent.
pub fn join_ends<P: Width>(all: &mut Vec<P>, part: &[P]) {
    match (all.last_mut(), part.last()) {
        (Some(end), Some(of_part)) => *end = moved(*of_part, *end),
        (None, _) => all.extend_from_slice(part),
        (Some(_), None) => {}
    }
}

fn moved<P: Width>(position: P, by: P) -> P {
    P::try_from_usize(position.to_usize().wrapping_add(by.to_usize())).unwrap_or(P::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_equal_work() {
        let pos = [0, 1000, 1001, 1002, 1003, 2000, 3000];
        let Parts(begins) = divided(6, 3, |i| pos[i]);
        assert_eq!(begins, [0, 1, 5, 6]);
        assert_eq!(divided(6, 1, |i| pos[i]), Parts(vec![0, 6]));
        assert_eq!(divided(0, 7, |_| 0), Parts(vec![0, 0]));
        // One row cannot be divided.
        assert_eq!(divided(1, 100, |i| 100 * i), Parts(vec![0, 1]));
    }

    #[test]
    fn the_number_of_parts_can_be_demanded() {
        let count = |size: usize| parts(size, |i| i).ranges().count();
        assert_eq!((count(100), count(3 * GRAIN)), (1, 3));
        in_parts(7, || {
            assert_eq!((count(100), count(3 * GRAIN), count(2), count(0)), (7, 7, 2, 1));
            assert_eq!(in_parts(2, || count(100)), 2);
            assert_eq!(count(100), 7);
        });
        assert_eq!(count(100), 1);
        let caught = std::panic::catch_unwind(|| in_parts(5, || panic!("within")));
        assert!(caught.is_err());
        assert_eq!(count(100), 1);
    }

    #[test]
    fn every_part_is_run_once() {
        let parts = divided(1000, 100, |i| i);
        let ranges = each(&parts, |range| range);
        assert!(ranges.len() > 10);
        assert_eq!(ranges.into_iter().flatten().collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
        let mut vals = vec![0; 3000];
        split(&mut vals, &parts, |range, chunk| {
            assert_eq!(chunk.len(), 3 * range.len());
            chunk.iter_mut().for_each(|value| *value += range.start);
        });
        assert_eq!(vals[0], 0);
        assert!(vals.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(total(&parts, |range| range.len() as i64), 1000);
        split(&mut [0; 0], &divided(0, 3, |_| 0), |_, chunk| assert!(chunk.is_empty()));
    }

    #[test]
    fn positions_are_joined() {
        let (mut positions, mut ends) = (Vec::<u32>::new(), Vec::<u32>::new());
        for part in [[0, 2, 5], [0, 1, 1], [0, 0, 4]] {
            join_positions(&mut positions, &part);
            join_ends(&mut ends, &[0, part[2]]);
        }
        assert_eq!(positions, [0, 2, 5, 6, 6, 6, 10]);
        assert_eq!(ends, [0, 10]);
    }
}
