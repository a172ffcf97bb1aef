//! Sorting of coordinates, and of entries by one of their coordinates.

use alloc::vec::Vec;

use crate::Width;
use crate::memory::array;

/// The number of elements above which sorting by digits takes less time than by comparisons.
const LARGE: usize = 1 << 10;

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
        sort_by_digits(coordinates, |coordinate| coordinate);
    }
}

/// Sorts entries by a coordinate; those that have the same keep their order.
///
/// Takes time proportional to the number of entries and, if they are many, of digits of the largest
/// difference of coordinates; it then allocates a copy.
#[inline]
pub fn sort_by<T: Copy, W: Width>(entries: &mut [T], coordinate: impl Fn(T) -> W) {
    if entries.len() < LARGE {
        entries.sort_by_key(|entry| coordinate(*entry));
    } else {
        sort_by_digits(entries, coordinate);
    }
}

/// Sorts from the lowest digit to the highest, each in one pass that keeps the order of equal ones.
#[inline(never)]
fn sort_by_digits<T: Copy, W: Width>(entries: &mut [T], coordinate: impl Fn(T) -> W) {
    let Some(first) = entries.first().map(|first| coordinate(*first)) else { return };
    let (mut least, mut largest, mut last, mut is_sorted) = (first, first, first, true);
    for entry in entries.iter() {
        let coordinate = coordinate(*entry);
        (least, largest) = (least.min(coordinate), largest.max(coordinate));
        is_sorted &= last <= coordinate;
        last = coordinate;
    }
    if is_sorted {
        return;
    }
    // Signed coordinates are wrapped, and so are their differences to the least one.
    let number = |at: W| at.to_usize().wrapping_sub(least.to_usize());
    let bits = number(largest).ilog2() + 1;
    let passes = bits.div_ceil(DIGIT);
    if passes > entries.len().ilog2() / 4 {
        entries.sort_by_key(|entry| coordinate(*entry));
        return;
    }
    let width = bits.div_ceil(passes);
    let mut copy: Vec<T> = array(entries[0], entries.len());
    let (mut from, mut to) = (entries, &mut copy[..]);
    let mut starts = vec![0; 1 << width];
    for pass in 0..passes {
        let digit = |entry: T| number(coordinate(entry)) >> (pass * width) & ((1 << width) - 1);
        starts.fill(0);
        from.iter().for_each(|entry| starts[digit(*entry)] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += core::mem::replace(start, end);
        }
        for entry in from.iter() {
            let start = &mut starts[digit(*entry)];
            to[*start] = *entry;
            *start += 1;
        }
        core::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
    debug_assert!(from.is_sorted_by_key(|entry| coordinate(*entry)), "each digit is sorted");
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
        sort_by(&mut entries, |entry| entry.0);
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
