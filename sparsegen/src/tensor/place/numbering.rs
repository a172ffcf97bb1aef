//! Entries with numbers in the order of their coordinates.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use crate::Stored;
use crate::kernel::Distributed;
use crate::memory::{filled, reserve};
use crate::tensor::build::Merge;

/// The number of entries processed together, whose coordinates remain in cache.
const CHUNK: usize = 1024;

/// An entry with a pair of numbers.
pub(super) type Numbered<V> = ([u32; 2], V);

/// A pair of numbers for each entry, in the order of its coordinates at all levels: the first levels
/// determine the first number, and the others the second one.
pub(super) struct Numbering {
    /// For each level, which number has its coordinate, and in which bits.
    parts: Vec<(usize, Range<u32>)>,
}

impl Numbering {
    /// Returns a numbering for levels of these sizes. Returns `None` if 32 bits do not suffice for each
    /// of the two numbers.
    pub(super) fn of(sizes: &[usize]) -> Option<Numbering> {
        let bits = |size: &usize| usize::BITS - size.saturating_sub(1).leading_zeros();
        let bits: Vec<u32> = sizes.iter().map(bits).collect();
        let sum = |levels: Range<usize>| bits[levels].iter().sum::<u32>();
        let all = sizes.len();
        // Coordinates of the second number that are close are sorted faster, so it has few levels.
        let first = (0..all).rev().find(|first| sum(0..*first) <= u32::BITS)?;
        let part = |level: usize| {
            let start = match bits[level] {
                // Behind 32 bits of other levels, no number can be shifted.
                0 => 0,
                _ => sum(level + 1..if level < first { first } else { all }),
            };
            (usize::from(level >= first), start..start + bits[level])
        };
        (sum(first..all) <= u32::BITS).then(|| Numbering { parts: (0..all).map(part).collect() })
    }

    /// Returns entries that are ready to be sorted, given their coordinates at each level and their
    /// values.
    pub(super) fn distributed<V: Stored>(
        &self,
        coords: &[Cow<'_, [u32]>],
        vals: &[V],
    ) -> Option<Distributed<Numbered<V>>> {
        let numbers = self.numbers(coords, vals.len())?;
        let entries = numbers.iter().copied().zip(vals.iter().copied());
        Some(Distributed::of(entries, self.bits(), |entry| entry.0))
    }

    /// Returns the coordinates of entries at each level, by which these are sorted, and their values.
    /// Entries with the same coordinates are combined by `merge`, in their order; without it, there
    /// are none. Returns `None` if combining is refused.
    pub(super) fn sorted<V: Stored>(
        &self,
        entries: Distributed<Numbered<V>>,
        merge: Option<Merge<'_, V::Value>>,
    ) -> Option<(Vec<Vec<u32>>, Vec<V>)> {
        let mut columns = vec![Vec::new(); self.parts.len()];
        columns.iter_mut().for_each(|column| reserve(column, entries.len()));
        let mut moved = Vec::new();
        reserve(&mut moved, entries.len());
        let mut is_refused = false;
        let each = |mut entries: &mut [Numbered<V>]| {
            if let Some(merge) = merge {
                let kept = combine(entries, merge);
                is_refused |= kept < entries.len() && merge.refuses(V::IS_PATTERN);
                entries = &mut entries[..kept];
            }
            for ((number, bits), column) in self.parts.iter().zip(&mut columns) {
                let mask = ((1_u64 << bits.len()) - 1) as u32;
                let coordinate = |entry: &Numbered<V>| entry.0[*number] >> bits.start & mask;
                column.extend(entries.iter().map(coordinate));
            }
            moved.extend(entries.iter().map(|entry| entry.1));
        };
        entries.sort_each(|entry| entry.0, each);
        (!is_refused).then_some((columns, moved))
    }

    /// Returns the numbers of entries, given their coordinates at each level.
    fn numbers(&self, coords: &[Cow<'_, [u32]>], count: usize) -> Option<Vec<[u32; 2]>> {
        let mut all = filled([0; 2], count)?;
        for (chunk, numbers) in all.chunks_mut(CHUNK).enumerate() {
            for ((number, bits), coords) in self.parts.iter().zip(coords) {
                for (numbers, coordinate) in numbers.iter_mut().zip(&coords[chunk * CHUNK..]) {
                    numbers[*number] |= coordinate << bits.start;
                }
            }
        }
        Some(all)
    }

    /// Returns the number of bits of both numbers.
    fn bits(&self) -> [u32; 2] {
        let of = |number: usize| self.parts.iter().filter(move |part| part.0 == number);
        [0, 1].map(|number| of(number).map(|part| part.1.end).max().unwrap_or(0))
    }
}

/// Combines sorted entries with the same numbers; returns how many remain, in front of the others.
fn combine<V: Stored>(entries: &mut [Numbered<V>], merge: Merge<'_, V::Value>) -> usize {
    let mut kept = 0;
    for at in 0..entries.len() {
        let (numbers, value) = entries[at];
        match entries[..kept].last_mut() {
            Some(last) if last.0 == numbers => {
                last.1 = last.1.combine(value, |earlier, later| merge.combine(earlier, later));
            }
            _ => {
                entries[kept] = (numbers, value);
                kept += 1;
            }
        }
    }
    kept
}
