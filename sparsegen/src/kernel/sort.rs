//! Sorting of coordinates, and of entries by their coordinates.

use alloc::vec::Vec;
use core::mem::replace;

use crate::Width;
use crate::memory::reserve;

/// The number of elements above which sorting by digits takes less time than by comparisons.
const LARGE: usize = 1 << 10;

/// The number of entries of a bucket, which stay in the first levels of cache while they are sorted.
const BUCKET: usize = 1 << 10;

/// The most bits of a digit, whose counts stay in the first level of cache.
const DIGIT: u32 = 11;

/// The largest number of coordinates that are inserted one by one into those before them, without a
/// list of their order.
const SHORT: usize = 20;

/// Sorts coordinates.
///
/// Takes the time of [`sort_by`].
#[inline]
pub fn sort<W: Width>(coordinates: &mut [W]) {
    if coordinates.len() < LARGE {
        coordinates.sort_unstable();
    } else {
        sort_by_digits(coordinates, |coordinate| [coordinate]);
    }
}

/// Sorts different coordinates, and moves the values below them accordingly: there are as many for
/// each coordinate.
///
/// Takes the time of sorting by comparisons, or of one pass if the coordinates are sorted. Allocates
/// a copy if they are more than a few.
pub fn sort_values<C: Width, V: Copy>(crd: &mut [C], vals: &mut [V]) {
    if crd.is_sorted() {
        return;
    }
    if vals.is_empty() {
        sort(crd);
        return;
    }
    let each = vals.len() / crd.len();
    if each == 1 {
        if crd.len() <= SHORT {
            return insert_each(crd, vals);
        }
        let mut entries: Vec<(C, V)> = crd.iter().copied().zip(vals.iter().copied()).collect();
        entries.sort_unstable_by_key(|(coordinate, _)| *coordinate);
        for ((crd, val), entry) in crd.iter_mut().zip(vals).zip(entries) {
            (*crd, *val) = entry;
        }
        return;
    }
    let mut order: Vec<(C, usize)> = crd.iter().copied().zip((0..).step_by(each)).collect();
    order.sort_unstable();
    let moved = order.iter().flat_map(|(_, first)| &vals[*first..][..each]);
    let moved: Vec<V> = moved.copied().collect();
    vals.copy_from_slice(&moved);
    for (crd, (coordinate, _)) in crd.iter_mut().zip(order) {
        *crd = coordinate;
    }
}

/// Sorts a few coordinates, and their values in the same way.
fn insert_each<C: Ord, V>(crd: &mut [C], vals: &mut [V]) {
    for k in 1..crd.len() {
        let mut at = k;
        while at > 0 && crd[at - 1] > crd[at] {
            crd.swap(at - 1, at);
            vals.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Sorts entries by coordinates, the first of which counts most. Entries with equal coordinates keep
/// their order.
///
/// Takes time proportional to the number of entries and, if they are many, of digits of the largest
/// differences of coordinates; it then allocates a copy.
#[inline]
pub fn sort_by<T: Copy, W: Width, const N: usize>(
    entries: &mut [T],
    coordinates: impl Fn(T) -> [W; N],
) {
    if entries.len() < LARGE {
        entries.sort_by_key(|entry| coordinates(*entry));
    } else {
        sort_by_digits(entries, coordinates);
    }
}

/// Distributes the entries among buckets by the highest bits of their numbers, and sorts each bucket
/// in cache.
#[inline(never)]
fn sort_by_digits<T: Copy, W: Width, const N: usize>(
    entries: &mut [T],
    coordinates: impl Fn(T) -> [W; N],
) {
    if entries.is_sorted_by_key(|entry| coordinates(*entry)) {
        return;
    }
    let ranges = Ranges::of(entries, &coordinates);
    let all = ranges.bits();
    if all > u64::BITS {
        entries.sort_by_key(|entry| coordinates(*entry));
        return;
    }
    let (mut copy, ends) = distributed(entries.iter().copied(), ranges, &coordinates);
    let (mut counts, mut begin) = (Vec::new(), 0);
    for end in ends {
        sort_bucket(&mut copy[begin..end], &mut entries[begin..end], &coordinates, &mut counts);
        begin = end;
    }
}

/// Entries with pairs of numbers, distributed among buckets by the highest bits of these.
pub(crate) struct Distributed<T> {
    entries: Vec<T>,
    /// The end of each bucket.
    ends: Vec<usize>,
}

impl<T: Copy> Distributed<T> {
    /// Distributes entries whose numbers have at most `bits` bits.
    pub(crate) fn of(
        entries: impl ExactSizeIterator<Item = T> + Clone,
        bits: [u32; 2],
        numbers: impl Fn(T) -> [u32; 2],
    ) -> Distributed<T> {
        let ranges = Ranges { least: [0; 2], bits };
        let (entries, ends) = distributed(entries, ranges, &numbers);
        Distributed { entries, ends }
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Sorts the entries by their numbers, and passes them to `each` in their order: together all
    /// those with the same numbers, and others, as long as they stay in cache.
    ///
    /// Takes the time of [`sort_by`].
    pub(crate) fn sort_each(
        mut self,
        numbers: impl Fn(T) -> [u32; 2],
        mut each: impl FnMut(&mut [T]),
    ) {
        let Some(first) = self.entries.first() else { return };
        let starts = core::iter::once(&0).chain(&self.ends);
        let lens = starts.zip(&self.ends).map(|(start, end)| end - start);
        let mut sorted = vec![*first; lens.max().unwrap_or(0)];
        let (mut counts, mut begin) = (Vec::new(), 0);
        for end in self.ends {
            let bucket = &mut self.entries[begin..end];
            let sorted = &mut sorted[..bucket.len()];
            sort_bucket(bucket, sorted, &numbers, &mut counts);
            each(sorted);
            begin = end;
        }
    }
}

/// Returns entries distributed among buckets by the highest bits of their numbers, and the end of
/// each bucket.
fn distributed<T: Copy, W: Width, const N: usize>(
    entries: impl ExactSizeIterator<Item = T> + Clone,
    ranges: Ranges<N>,
    coordinates: &impl Fn(T) -> [W; N],
) -> (Vec<T>, Vec<usize>) {
    let (count, all) = (entries.len(), ranges.bits());
    let bits = all.min((count / BUCKET).max(1).ilog2() + 1).min(DIGIT);
    let digit = |entry| (ranges.number(coordinates(entry)) >> (all - bits)) as usize;
    let mut next = vec![0; 1 << bits];
    for entry in entries.clone() {
        next[digit(entry)] += 1;
    }
    let mut end = 0;
    for count in &mut next {
        end += replace(count, end);
    }
    let mut starts = next.clone();
    let mut places = Vec::new();
    reserve(&mut places, count);
    let room = &mut places.spare_capacity_mut()[..count];
    for entry in entries {
        let place = &mut next[digit(entry)];
        room[*place].write(entry);
        *place += 1;
    }
    // The entries of each digit end where those of the next one start.
    starts.push(count);
    assert!(starts[0] == 0 && starts[1..] == next, "an entry has the same digit in both passes");
    // SAFETY: The entries of each digit have been written to consecutive places from its start up to
    // its end, as `next` shows, which together are all places below `count`. Initializing them before
    // would take a tenth of the time of sorting.
    unsafe { places.set_len(count) };
    (places, next)
}

/// Sorts the entries of a bucket into another array, from the lowest digit of their numbers to the
/// highest, each in one pass that keeps the order of equal ones.
fn sort_bucket<T: Copy, W: Width, const N: usize>(
    bucket: &mut [T],
    sorted: &mut [T],
    coordinates: &impl Fn(T) -> [W; N],
    counts: &mut Vec<u32>,
) {
    // Within a bucket, the ranges and so the numbers are smaller.
    let ranges = Ranges::of(bucket, coordinates);
    let digits = DIGIT.min(bucket.len().max(1).ilog2() + 1);
    let passes = ranges.bits().div_ceil(digits);
    let is_large = u32::try_from(bucket.len()).is_err();
    if passes > bucket.len().max(1).ilog2() / 2 || is_large {
        sorted.copy_from_slice(bucket);
        sorted.sort_by_key(|entry| coordinates(*entry));
        return;
    }
    let width = ranges.bits().div_ceil(passes.max(1));
    let digit = |entry: T, pass: u32| {
        (ranges.number(coordinates(entry)) >> (pass * width)) as usize & ((1 << width) - 1)
    };
    // The entries with each digit are counted for all passes while they are in the same order.
    counts.clear();
    counts.resize((passes as usize) << width, 0);
    for (pass, counts) in (0..passes).zip(counts.chunks_exact_mut(1 << width)) {
        bucket.iter().for_each(|entry| counts[digit(*entry, pass)] += 1);
    }
    let (mut from, mut to) = (bucket, sorted);
    for (pass, counts) in (0..passes).zip(counts.chunks_exact_mut(1 << width)) {
        let mut end = 0;
        for count in &mut *counts {
            end += replace(count, end);
        }
        for entry in &*from {
            let place = &mut counts[digit(*entry, pass)];
            to[*place as usize] = *entry;
            *place += 1;
        }
        core::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 0 {
        to.copy_from_slice(from);
    }
}

/// The ranges of coordinates, which give every entry a number in the order of the coordinates.
#[derive(Clone, Copy)]
struct Ranges<const N: usize> {
    least: [usize; N],
    /// The number of bits of the largest difference to the least coordinate.
    bits: [u32; N],
}

impl<const N: usize> Ranges<N> {
    fn of<T: Copy, W: Width>(entries: &[T], coordinates: &impl Fn(T) -> [W; N]) -> Ranges<N> {
        let Some(first) = entries.first().map(|first| coordinates(*first)) else {
            return Ranges { least: [0; N], bits: [0; N] };
        };
        let (mut least, mut largest) = (first, first);
        for entry in entries {
            let of_entry = coordinates(*entry);
            for at in 0..N {
                least[at] = least[at].min(of_entry[at]);
                largest[at] = largest[at].max(of_entry[at]);
            }
        }
        // Signed coordinates are wrapped, and so are their differences.
        let least = least.map(W::to_usize);
        let bits = |at: usize| {
            let difference = largest[at].to_usize().wrapping_sub(least[at]);
            usize::BITS - difference.leading_zeros()
        };
        Ranges { least, bits: core::array::from_fn(bits) }
    }

    /// Returns the number of bits of the numbers.
    fn bits(&self) -> u32 {
        self.bits.iter().sum()
    }

    /// Returns the number of an entry with these coordinates, if numbers have at most 64 bits.
    fn number<W: Width>(&self, coordinates: [W; N]) -> u64 {
        (0..N).fold(0, |number, at| {
            let difference = coordinates[at].to_usize().wrapping_sub(self.least[at]);
            // A difference of 64 bits is the only one.
            number.wrapping_shl(self.bits[at]) | difference as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudorandom numbers.
    fn numbers(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 1_u64;
        (0..count).map(move |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
    }

    #[test]
    fn few_and_many_coordinates_are_sorted_with_their_values() {
        for count in [0, 1, 2, SHORT, SHORT + 1, 61] {
            let mut crd: Vec<u32> = (0..count as u32).map(|k| (k * 37 + 5) % 61).collect();
            let unsorted = crd.clone();
            let mut vals: Vec<u32> = crd.iter().map(|c| 10 * c).collect();
            sort_values(&mut crd, &mut vals);
            assert!(crd.is_sorted() && vals.iter().zip(&crd).all(|(value, c)| *value == 10 * c));
            // The values of blocks.
            let mut blocks: Vec<u32> = unsorted.iter().flat_map(|c| [*c, c + 100]).collect();
            sort_values(&mut unsorted.clone(), &mut blocks);
            assert!(blocks.chunks(2).zip(&crd).all(|(block, c)| block == [*c, c + 100]));
        }
    }

    fn check<W: Width>(coordinates: Vec<W>) {
        let (mut sorted, mut expected) = (coordinates.clone(), coordinates.clone());
        sort(&mut sorted);
        expected.sort_unstable();
        assert_eq!(sorted, expected);
        let mut entries: Vec<(W, usize)> = coordinates.into_iter().zip(0..).collect();
        let mut expected = entries.clone();
        sort_by(&mut entries, |entry| [entry.0]);
        expected.sort_unstable();
        assert_eq!(entries, expected);
    }

    #[test]
    fn short_and_long_lists_are_sorted() {
        for count in [0, 1, 2, LARGE - 1, LARGE, 5 * LARGE] {
            for bits in [0, 1, 8, 11, 12, 23, 40, 63] {
                let coordinates =
                    || numbers(count).map(|number| number as usize & ((1 << bits) - 1));
                check(coordinates().collect::<Vec<usize>>());
                check(coordinates().map(|c| c as u32).collect::<Vec<_>>());
                check(coordinates().map(|c| c as u16).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn entries_are_sorted_by_all_coordinates() {
        for count in [2, LARGE, 5 * LARGE, 40 * LARGE] {
            for [rows, columns] in [[3, 1 << 20], [1 << 20, 3], [200, 300], [1, 1], [50_000; 2]] {
                let coordinate = |(place, number): (usize, u64)| {
                    let (row, column) = (number % rows, number / rows % columns);
                    // Equal entries differ in their place.
                    (row as u32, column as u32, place)
                };
                let entries = numbers(count).map(|number| number >> 8).enumerate();
                let mut entries: Vec<_> = entries.map(coordinate).collect();
                let mut expected = entries.clone();
                sort_by(&mut entries, |entry| [entry.0, entry.1]);
                expected.sort_unstable();
                assert!(entries == expected, "{count} entries, {rows} × {columns}");
            }
        }
    }

    #[test]
    fn negative_coordinates_precede_others() {
        check(numbers(2 * LARGE).map(|number| number as i32).collect::<Vec<_>>());
        check(numbers(2 * LARGE).map(|number| number as i8).collect::<Vec<_>>());
    }

    #[test]
    fn sorted_and_reversed_lists_are_sorted() {
        check((0..3 * LARGE).collect::<Vec<_>>());
        check((0..3 * LARGE).rev().collect::<Vec<_>>());
        check(vec![7_u32; 3 * LARGE]);
    }
}
