//! Loops over bits that are set.

use core::ops::Range;

/// The number of bits of a word.
const BITS: usize = u64::BITS as usize;

/// Returns the positions in a range at which bits are set, in order. `word(k)` returns the bits at
/// the positions `64 * k..64 * k + 64`, the lowest first.
///
/// Takes O(`range.len()` / 64) steps and one for each position.
#[inline]
pub fn ones(range: Range<usize>, word: impl Fn(usize) -> u64) -> impl Iterator<Item = usize> {
    // The word before the first, without bits.
    let index = (range.start / BITS).wrapping_sub(1);
    let range = if range.is_empty() { 0..0 } else { range };
    Ones { bits: 0, index, range, word }
}

struct Ones<F> {
    /// The bits of the current word that are left.
    bits: u64,
    /// The index of the current word.
    index: usize,
    range: Range<usize>,
    word: F,
}

impl<F: Fn(usize) -> u64> Iterator for Ones<F> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.index = self.index.wrapping_add(1);
            let first = self.index * BITS;
            if first >= self.range.end {
                // The next call ends here as well.
                self.index = self.index.wrapping_sub(1);
                return None;
            }
            self.bits = (self.word)(self.index);
            if first < self.range.start {
                self.bits &= u64::MAX << (self.range.start - first);
            }
            if self.range.end - first < BITS {
                self.bits &= !(u64::MAX << (self.range.end - first));
            }
        }
        let lowest = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.index * BITS + lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::ones;

    #[test]
    fn positions_are_those_of_the_bits() {
        let words = [0x8000_0000_0000_0001, 0, u64::MAX, 0b1010];
        let all: Vec<usize> = [0, 63].into_iter().chain(128..192).chain([193, 195]).collect();
        for start in 0..256 {
            for end in start..=256 {
                let found: Vec<usize> = ones(start..end, |k| words[k]).collect();
                let expected = all.iter().copied().filter(|p| (start..end).contains(p));
                assert_eq!(found, expected.collect::<Vec<_>>(), "{start}..{end}");
            }
        }
    }

    #[test]
    fn words_outside_of_the_range_are_not_read() {
        let read = |k: usize| if (1..3).contains(&k) { u64::MAX } else { panic!("word {k}") };
        assert_eq!(ones(64..192, read).count(), 128);
        assert_eq!(ones(70..70, |_| panic!("a word of an empty range")).count(), 0);
        let mut none = ones(64..65, |_| 0);
        assert_eq!((none.next(), none.next()), (None, None));
    }
}
