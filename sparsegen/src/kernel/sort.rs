//! Sorting of coordinates, and of entries by their coordinates.

use alloc::vec::Vec;
use core::mem::replace;

use crate::Width;
use crate::memory::reserve;

/// The number of elements above which sorting by digits takes less time than by comparisons.
const LARGE: usize = 1 << 10;

/// The number of entries of a bucket, which stay in the first levels of cache while they are sorted.
const BUCKET: usize = 1 << 11;

/// The most bits of a digit, whose counts stay in the first level of cache.
const DIGIT: u32 = 11;

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
    let mut copy = Vec::new();
    reserve(&mut copy, entries.len());
    copy.extend_from_slice(entries);
    let bits = all.min((entries.len() / BUCKET).max(1).ilog2() + 1).min(DIGIT);
    let (mut ends, mut counts, mut begin) = (Vec::new(), Vec::new(), 0);
    let bucket = |entry| (ranges.number(coordinates(entry)) >> (all - bits)) as usize;
    distribute(&copy, entries, bits, bucket, &mut ends);
    for end in ends {
        sort_bucket(&mut entries[begin..end], &mut copy[begin..end], &coordinates, &mut counts);
        begin = end;
    }
}

/// Sorts a bucket, from the lowest digit of its numbers to the highest, each in one pass that keeps
/// the order of equal ones.
fn sort_bucket<T: Copy, W: Width, const N: usize>(
    entries: &mut [T],
    copy: &mut [T],
    coordinates: &impl Fn(T) -> [W; N],
    counts: &mut Vec<usize>,
) {
    if entries.len() < 2 {
        return;
    }
    // Within a bucket, the ranges and so the numbers are smaller.
    let ranges = Ranges::of(entries, coordinates);
    let digits = DIGIT.min(entries.len().ilog2() + 1);
    let passes = ranges.bits().div_ceil(digits);
    if passes > entries.len().ilog2() / 2 {
        entries.sort_by_key(|entry| coordinates(*entry));
        return;
    }
    let (mut from, mut to) = (entries, copy);
    for pass in 0..passes {
        let width = ranges.bits().div_ceil(passes);
        let digit = |entry| {
            (ranges.number(coordinates(entry)) >> (pass * width)) as usize & ((1 << width) - 1)
        };
        distribute(from, to, width, digit, counts);
        core::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
}

/// Copies entries in the order of digits of some bits. Returns the end of those with each digit in
/// `counts`.
fn distribute<T: Copy>(
    from: &[T],
    to: &mut [T],
    bits: u32,
    digit: impl Fn(T) -> usize,
    counts: &mut Vec<usize>,
) {
    counts.clear();
    counts.resize(1 << bits, 0);
    from.iter().for_each(|entry| counts[digit(*entry)] += 1);
    let mut end = 0;
    for count in &mut *counts {
        end += replace(count, end);
    }
    for entry in from {
        let place = &mut counts[digit(*entry)];
        to[*place] = *entry;
        *place += 1;
    }
}

/// The ranges of coordinates, which give every entry a number in the order of the coordinates.
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
            number.checked_shl(self.bits[at]).unwrap_or(0) | difference as u64
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
