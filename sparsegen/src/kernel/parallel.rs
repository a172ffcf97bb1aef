//! Kernels whose outermost loop is divided into parts, which run on several threads with the
//! feature `parallel` and one after another without it.
//!
//! The parts depend on the operands only, unless the result is the same for every number of parts.
//! The result does not depend on the number of threads.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::cell::Cell;
use core::ops::Range;

use crate::{Value, Width, memory};

/// The least work of a part, in loop iterations. Scheduling a smaller part on a thread takes as
/// long as the part itself.
const GRAIN: usize = 1 << 18;

/// The largest number of parts.
const MOST: usize = 256;

/// The largest number of parts that have copies of results.
const MOST_COPIES: usize = 32;

/// The first coordinate of each part of a loop, followed by the end of the last part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts(Vec<usize>);

/// Divides a loop over `0..size` into parts of about equal work. `before(i)` is the work before
/// coordinate `i`, up to and including `size`; it must not decrease.
///
/// Takes the time of one binary search per part.
pub fn parts(size: usize, before: impl Fn(usize) -> usize) -> Parts {
    let count = |work: usize| (work / GRAIN).clamp(1, MOST);
    counted(size, count, before)
}

/// Like [`parts`], for parts that have `copied` values of their own: each has at least four steps of
/// work for every copy, which is initialized and combined, and there are at most 32 parts.
pub fn few_parts(size: usize, copied: usize, before: impl Fn(usize) -> usize) -> Parts {
    let count = |work: usize| (work / GRAIN.max(copied.saturating_mul(4))).clamp(1, MOST_COPIES);
    counted(size, count, before)
}

/// Like [`few_parts`], for parts that repeat work, or whose results are joined, where the result is
/// the same for every number of parts: there is at most one part for each thread.
pub fn thread_parts(size: usize, copied: usize, before: impl Fn(usize) -> usize) -> Parts {
    let count = |work: usize| (work / GRAIN.max(copied)).clamp(1, threads().min(MOST));
    counted(size, count, before)
}

#[cfg(feature = "parallel")]
fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
fn threads() -> usize {
    1
}

pub(super) fn counted(
    size: usize,
    count: impl Fn(usize) -> usize,
    before: impl Fn(usize) -> usize,
) -> Parts {
    let work = before(size).saturating_sub(before(0));
    let count = requested().unwrap_or_else(|| count(work));
    divided(size, count, before)
}

#[cfg(feature = "std")]
std::thread_local! {
    /// The number of parts requested by [`in_parts`].
    static COUNT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Returns the number of parts requested by [`in_parts`].
fn requested() -> Option<usize> {
    #[cfg(feature = "std")]
    return COUNT.get();
    #[cfg(not(feature = "std"))]
    None
}

/// Calls `run` with the outermost loops of parallel kernels, called by this thread, divided into
/// `count` parts of about equal work, or into one part per coordinate if that is fewer.
///
/// For tests, whose operands are too small to be divided otherwise. Floating-point sums of which each
/// part computes a share, those of scalars and of results with copies, are rounded differently; other
/// values do not depend on the number of parts.
#[cfg(feature = "std")]
#[doc(hidden)]
pub fn in_parts<T>(count: usize, run: impl FnOnce() -> T) -> T {
    /// Restores the number even if `run` panics.
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
        // The product cannot overflow: the work is bounded by memory, and there are few parts.
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
    /// Returns parts that begin at multiples of a number, which must not be 0: a block of coordinates is
    /// in one part.
    #[must_use]
    pub fn aligned(mut self, to: usize) -> Parts {
        let size = self.size();
        self.0.pop();
        self.0.iter_mut().for_each(|begin| *begin -= *begin % to);
        self.0.dedup();
        self.0.push(size);
        self
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.windows(2).map(|bounds| bounds[0]..bounds[1])
    }

    fn size(&self) -> usize {
        self.0[self.0.len() - 1]
    }
}

/// Runs every part, and returns the results in the order of the parts.
pub fn each<T: Send>(parts: &Parts, run: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    each_with(parts, parts.ranges().map(|_| ()), |range, ()| run(range))
}

/// Runs every part on its own slice of the values, which have the same number of elements for each
/// coordinate.
pub fn split<V: Send>(vals: &mut [V], parts: &Parts, run: impl Fn(Range<usize>, &mut [V]) + Sync) {
    each_with(parts, chunks(vals, parts), run);
}

/// Divides values, which have the same number of elements for each coordinate, into the slices of the
/// parts.
pub fn chunks<'v, V>(vals: &'v mut [V], parts: &Parts) -> Vec<&'v mut [V]> {
    let each = vals.len().checked_div(parts.size()).unwrap_or(0);
    let mut rest = vals;
    let chunk = |range: Range<usize>| {
        let (chunk, behind) = core::mem::take(&mut rest).split_at_mut(each * range.len());
        rest = behind;
        chunk
    };
    parts.ranges().map(chunk).collect()
}

/// Divides the values of a structure into the slices of the parts. `first(i)` is the first position below
/// coordinate `i`, up to and including the number of coordinates; it must not decrease. Each position
/// has as many values.
///
/// # Panics
/// If `first` decreases.
pub fn chunks_below<'v, V>(
    vals: &'v mut [V],
    parts: &Parts,
    first: impl Fn(usize) -> usize,
) -> Vec<&'v mut [V]> {
    let each = vals.len().checked_div(first(parts.size())).unwrap_or(0);
    let mut rest = vals;
    let chunk = |range: Range<usize>| {
        let positions = first(range.end) - first(range.start);
        let (chunk, behind) = core::mem::take(&mut rest).split_at_mut(each * positions);
        rest = behind;
        chunk
    };
    parts.ranges().map(chunk).collect()
}

/// Returns a copy of the values for each part except the first, with `neutral` elements.
pub fn copies<V: Clone>(vals: &[V], parts: &Parts, neutral: V) -> Vec<Vec<V>> {
    parts.ranges().skip(1).map(|_| vec![neutral.clone(); vals.len()]).collect()
}

/// Returns the values, for the first part, and the copies for the other ones.
pub fn with_copies<'v, V>(vals: &'v mut [V], copies: &'v mut [Vec<V>]) -> Vec<&'v mut [V]> {
    core::iter::once(vals).chain(copies.iter_mut().map(Vec::as_mut_slice)).collect()
}

/// Combines the values with their copies, in order.
pub fn combine<V: Copy + Send + Sync>(
    vals: &mut [V],
    copies: &[Vec<V>],
    combine: impl Fn(V, V) -> V + Sync,
) {
    let run = |begin: usize, vals: &mut [V]| {
        for copy in copies {
            for (value, own) in vals.iter_mut().zip(&copy[begin..]) {
                *value = combine(*value, *own);
            }
        }
    };
    #[cfg(feature = "parallel")]
    if vals.len() > SLICE && !copies.is_empty() {
        use rayon::prelude::*;
        let slices = vals.par_chunks_mut(SLICE).enumerate();
        return slices.for_each(|(k, vals)| run(k * SLICE, vals));
    }
    run(0, vals);
}

/// The number of values that a thread combines at a time.
#[cfg(feature = "parallel")]
const SLICE: usize = 1 << 13;

/// Runs every part with a value of its own, and returns the results in the order of the parts.
pub fn each_with<T: Send, R: Send>(
    parts: &Parts,
    own: impl IntoIterator<Item = T>,
    run: impl Fn(Range<usize>, T) -> R + Sync,
) -> Vec<R> {
    run_all(parts.ranges().zip(own).collect(), |(range, own)| run(range, own))
}

/// Runs every piece of work, and returns the results in order.
pub(super) fn run_all<T: Send, R: Send>(pieces: Vec<T>, run: impl Fn(T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if pieces.len() > 1 {
        use rayon::prelude::*;
        return pieces.into_par_iter().map(&run).collect();
    }
    pieces.into_iter().map(run).collect()
}

/// Returns the sum of the results of the parts, added in order.
pub fn total<V: Value>(parts: &Parts, run: impl Fn(Range<usize>) -> V + Sync) -> V {
    each(parts, run).into_iter().fold(V::ZERO, V::sum)
}

/// Combines the results of the parts in order.
pub fn combined<T: Send>(
    parts: &Parts,
    run: impl Fn(Range<usize>) -> T + Sync,
    combine: impl Fn(T, T) -> T,
) -> T {
    reduced(each(parts, run), combine)
}

/// Combines values of the parts in order.
pub fn reduced<T>(values: Vec<T>, combine: impl Fn(T, T) -> T) -> T {
    values.into_iter().reduce(combine).expect("there is at least one part")
}

/// Returns an empty vector for each part: for the first part, `all` with its memory.
pub fn vectors<V>(all: &mut Vec<V>, parts: &Parts) -> Vec<Vec<V>> {
    let mut vectors: Vec<Vec<V>> = parts.ranges().map(|_| Vec::new()).collect();
    all.clear();
    if let Some(first) = vectors.first_mut() {
        core::mem::swap(first, all);
    }
    vectors
}

/// Joins the vectors of all parts, in order, in the memory of the first one.
///
/// Takes O(n) time for the n elements of the others, which the threads share.
pub fn join<V: Copy + Send + Sync>(all: &mut Vec<V>, parts: Vec<Vec<V>>) {
    let mut parts = parts.into_iter();
    *all = parts.next().unwrap_or_default();
    let parts = parts.as_slice();
    let (first, more) = (all.len(), parts.iter().map(Vec::len).sum());
    memory::reserve(all, more);
    let mut rest = &mut all.spare_capacity_mut()[..more];
    let mut pieces = Vec::with_capacity(parts.len());
    for part in parts {
        let (own, behind) = core::mem::take(&mut rest).split_at_mut(part.len());
        rest = behind;
        pieces.push((own, part));
    }
    run_all(pieces, |(own, part)| {
        for (element, value) in own.iter_mut().zip(part) {
            element.write(*value);
        }
    });
    // SAFETY: There is room for `more` elements behind those of the first part, all of which have been
    // written: the pieces follow each other, and each has as many elements as its part.
    unsafe { all.set_len(first + more) };
}

/// Joins the positions of all parts, each shifted by the end of those before. A position that
/// overflows its type is stored wrongly, as it is within the part, whose width check then fails.
pub fn join_positions<P: Width>(all: &mut Vec<P>, parts: Vec<Vec<P>>) {
    let mut parts = parts.into_iter();
    *all = parts.next().unwrap_or_default();
    for part in parts {
        let Some(&end) = all.last() else { continue };
        all.extend(part.iter().skip(1).map(|position| moved(*position, end)));
    }
}

/// Joins the positions of all parts, each shifted by the number of entries of the parts before, of which
/// `counts` has one for each part. A position that overflows its type is stored wrongly; there are
/// then too many entries.
pub fn join_shifted<P: Width>(
    all: &mut Vec<P>,
    parts: Vec<Vec<P>>,
    counts: impl Iterator<Item = usize>,
) {
    let mut begin = 0;
    all.clear();
    for (part, count) in parts.into_iter().zip(counts) {
        let shifted = |position: &P| position.to_usize().wrapping_add(begin);
        all.extend(part.iter().map(|k| P::try_from_usize(shifted(k)).unwrap_or(P::MAX)));
        begin += count;
    }
}

/// Joins positions like [`join_positions`], for a level whose nodes all have one parent.
pub fn join_ends<P: Width>(all: &mut Vec<P>, parts: Vec<Vec<P>>) {
    let mut parts = parts.into_iter();
    *all = parts.next().unwrap_or_default();
    for part in parts {
        if let (Some(end), Some(of_part)) = (all.last_mut(), part.last()) {
            *end = moved(*of_part, *end);
        }
    }
}

/// Joins the bits of all parts, of which each has the number in `counts`. Those after the last one
/// are 0.
pub fn join_bits(all: &mut Vec<u64>, parts: Vec<Vec<u64>>, counts: impl Iterator<Item = usize>) {
    all.clear();
    let mut end = 0;
    for (part, count) in parts.into_iter().zip(counts) {
        let shift = end % WORD;
        for word in part {
            match all.last_mut() {
                Some(last) if shift > 0 => {
                    *last |= word << shift;
                    all.push(word >> (WORD - shift));
                }
                Some(_) | None => all.push(word),
            }
        }
        end += count;
        all.truncate(end.div_ceil(WORD));
    }
}

/// The number of bits of a word.
const WORD: usize = u64::BITS as usize;

fn moved<P: Width>(position: P, by: P) -> P {
    P::try_from_usize(position.to_usize().wrapping_add(by.to_usize())).unwrap_or(P::MAX)
}

#[cfg(test)]
mod tests;
