//! Sorting of coordinates, alone or with positions.

use alloc::vec::Vec;

use crate::Width;
use crate::memory::array;

/// The number of elements above which sorting by digits takes less time than by comparisons.
const LARGE: usize = 1 << 10;

/// The most bits of a digit, whose counts stay in the first level of cache.
const DIGIT: u32 = 11;

/// A coordinate, or a pair of a coordinate and a position.
pub trait Sorted: Copy + Ord {
    /// Returns the coordinate.
    fn coordinate(self) -> usize;
}

impl<W: Width> Sorted for W {
    #[inline(always)]
    fn coordinate(self) -> usize {
        self.to_usize()
    }
}

impl<W: Width> Sorted for (W, usize) {
    #[inline(always)]
    fn coordinate(self) -> usize {
        self.0.to_usize()
    }
}

/// Sorts coordinates, or pairs of a coordinate and a position whose positions increase.
///
/// Takes time proportional to the number of elements and, if they are many, of digits of the largest
/// difference of coordinates; it then allocates a copy.
#[inline]
pub fn sort<T: Sorted>(elements: &mut [T]) {
    if elements.len() < LARGE {
        elements.sort_unstable();
    } else {
        sort_by_digits(elements);
    }
}

/// Sorts from the lowest digit to the highest, each in one pass that keeps the order of equal ones.
#[inline(never)]
fn sort_by_digits<T: Sorted>(elements: &mut [T]) {
    let Some(&first) = elements.iter().min() else { return };
    let least = first.coordinate();
    // Signed coordinates are wrapped, and so are their differences to the least one.
    let number = |element: T| element.coordinate().wrapping_sub(least);
    let bits = elements.iter().fold(0, |bits, element| bits | number(*element)).checked_ilog2();
    let Some(bits) = bits.map(|bits| bits + 1) else { return };
    let passes = bits.div_ceil(DIGIT);
    if elements.is_sorted() {
        return;
    }
    if passes > elements.len().ilog2() / 4 {
        elements.sort_unstable();
        return;
    }
    let width = bits.div_ceil(passes);
    let mut copy: Vec<T> = array(first, elements.len());
    let (mut from, mut to) = (elements, &mut copy[..]);
    let mut starts = vec![0; 1 << width];
    for pass in 0..passes {
        let digit = |element: T| number(element) >> (pass * width) & ((1 << width) - 1);
        starts.fill(0);
        from.iter().for_each(|element| starts[digit(*element)] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += core::mem::replace(start, end);
        }
        for element in from.iter() {
            let start = &mut starts[digit(*element)];
            to[*start] = *element;
            *start += 1;
        }
        core::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
    debug_assert!(from.is_sorted(), "positions of equal coordinates increase");
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

    fn check<T: Sorted + core::fmt::Debug>(elements: Vec<T>) {
        let (mut sorted, mut expected) = (elements.clone(), elements);
        sort(&mut sorted);
        expected.sort_unstable();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn short_and_long_lists_are_sorted() {
        for count in [0, 1, 2, LARGE - 1, LARGE, 5 * LARGE] {
            for bits in [0, 1, 8, 11, 12, 23, 40, 63] {
                let coordinates =
                    || numbers(count).map(|number| number as usize & ((1 << bits) - 1));
                check(coordinates().collect::<Vec<usize>>());
                check(coordinates().zip(0_usize..).collect::<Vec<_>>());
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
        check((0..3 * LARGE).rev().zip(0..).collect::<Vec<_>>());
        check(vec![7_u32; 3 * LARGE]);
    }
}
