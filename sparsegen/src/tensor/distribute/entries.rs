//! Sorting entries by their numbers.

use std::borrow::Cow;

use crate::format::Shape;
use crate::memory::filled;
use crate::tensor::build::Merge;
use crate::tensor::columns::Columns;
use crate::tensor::radix::Radix;
use crate::{Fill, Stored};

/// A source of entries to pack.
pub(in crate::tensor) enum Source<'a, S, V: Clone> {
    Triplets(&'a [(S, V)]),
    /// The entries of a tensor, as arrays.
    Columns(Columns<'a, V>),
}

/// Entries as two numbers each, in any order.
struct Numbers<'a, V: Clone> {
    buckets: Cow<'a, [u32]>,
    low: Cow<'a, [u32]>,
    vals: Cow<'a, [V]>,
}

/// Entries grouped by bucket.
pub(super) struct Entries<V> {
    /// The end of the entries of each bucket.
    pub(super) ends: Vec<u32>,
    /// The number of each entry's coordinates at the inner levels.
    pub(super) low: Vec<u32>,
    pub(super) vals: Vec<V>,
}

impl<'a, S: Shape, V: Stored> Source<'a, S, V> {
    /// Returns the number of entries.
    pub(super) fn count(&self) -> usize {
        match self {
            Source::Triplets(entries) => entries.len(),
            Source::Columns(columns) => columns.vals.len(),
        }
    }

    /// Returns the entries in the order of packing, with entries of the same coordinate combined.
    /// Returns `None` if combining is refused, or if an entry is not within the shape.
    pub(super) fn sorted(
        self,
        shape: &S,
        radix: &Radix,
        merge: Merge<'_, V::Value>,
    ) -> Option<Entries<V>> {
        u32::try_from(self.count()).ok()?;
        let mut entries = match (self, radix.pair()) {
            (Source::Triplets(entries), Some(pair)) => {
                distribute_pairs(entries, shape, pair, radix.buckets)?
            }
            (Source::Triplets(entries), None) => {
                numbers_of(entries, shape, radix)?.distribute(radix.buckets)?
            }
            (Source::Columns(Columns { dimensions, vals }), _) => {
                let [buckets, low] = radix.columns(dimensions);
                Numbers { buckets, low, vals }.distribute(radix.buckets)?
            }
        };
        entries.merge(merge)?;
        Some(entries)
    }
}

fn numbers_of<'a, S: Shape, V: Stored>(
    entries: &[(S, V)],
    shape: &S,
    radix: &Radix,
) -> Option<Numbers<'a, V>> {
    let mut buckets = filled(0_u32, entries.len())?;
    let mut low = filled(0_u32, entries.len())?;
    let mut vals = filled(V::filler(Fill::ZERO), entries.len())?;
    let mut is_inside = true;
    let places = buckets.iter_mut().zip(&mut low).zip(&mut vals);
    for (((bucket, low), place), (entry, value)) in places.zip(entries) {
        is_inside &= shape.contains(entry);
        *place = *value;
        (*bucket, *low) = radix.numbers(entry.as_ref());
    }
    is_inside.then_some(Numbers { buckets: buckets.into(), low: low.into(), vals: vals.into() })
}

impl<V: Stored> Numbers<'_, V> {
    /// Groups entries by bucket, and keeps their order within a bucket.
    fn distribute(self, buckets: usize) -> Option<Entries<V>> {
        let Numbers { buckets: numbers, low, vals } = self;
        let mut places = filled(0_u32, buckets)?;
        let (mut before, mut is_sorted) = (0, true);
        for &number in &*numbers {
            places[number as usize] += 1;
            is_sorted &= before <= number;
            before = number;
        }
        if is_sorted {
            let mut count = 0;
            for place in &mut places {
                count += *place;
                *place = count;
            }
            return Some(Entries { ends: places, low: low.into_owned(), vals: vals.into_owned() });
        }
        let entries = numbers.iter().zip(&*low).zip(&*vals);
        scatter(places, entries.map(|((number, low), value)| (*number as usize, *low, *value)))
    }
}

/// Groups entries by bucket if both numbers are dimensions, which avoids intermediate arrays.
fn distribute_pairs<S: Shape, V: Stored>(
    entries: &[(S, V)],
    shape: &S,
    [first, second]: [usize; 2],
    buckets: usize,
) -> Option<Entries<V>> {
    let mut places = filled(0_u32, buckets)?;
    let mut is_inside = true;
    for (entry, _) in entries {
        if shape.contains(entry) {
            places[entry.as_ref()[first]] += 1;
        } else {
            is_inside = false;
        }
    }
    let numbers = |(entry, value): &(S, V)| {
        let entry = entry.as_ref();
        (entry[first], entry[second] as u32, *value)
    };
    if is_inside { scatter(places, entries.iter().map(numbers)) } else { None }
}

/// Moves entries, each with its bucket and its inner number, to their buckets, and keeps their
/// order within a bucket. `places` holds the number of entries of each bucket.
fn scatter<V: Stored>(
    mut places: Vec<u32>,
    entries: impl Iterator<Item = (usize, u32, V)>,
) -> Option<Entries<V>> {
    let mut count = 0;
    for place in &mut places {
        (*place, count) = (count, count + *place);
    }
    let mut low = filled(0_u32, count as usize)?;
    let mut vals = filled(V::filler(Fill::ZERO), count as usize)?;
    // Slices of equal length let the compiler check bounds once.
    let (lows, values) = (&mut low[..count as usize], &mut vals[..count as usize]);
    for (bucket, number, value) in entries {
        let place = places[bucket];
        places[bucket] = place + 1;
        lows[place as usize] = number;
        values[place as usize] = value;
    }
    // `places` held the start of each bucket, and now holds its end.
    Some(Entries { ends: places, low, vals })
}

impl<V: Stored> Entries<V> {
    /// Sorts the entries of each bucket, and combines entries with the same coordinate. Returns
    /// `None` if combining is refused.
    fn merge(&mut self, merge: Merge<'_, V::Value>) -> Option<()> {
        let Entries { ends, low, vals } = self;
        let mut scratch: Vec<(u32, V)> = Vec::new();
        let (mut start, mut kept) = (0, 0);
        for end in ends {
            let bucket = start..*end as usize;
            start = bucket.end;
            if low[bucket.clone()].is_sorted_by(|a, b| a < b) {
                if kept < bucket.start {
                    low.copy_within(bucket.clone(), kept);
                    vals.copy_within(bucket.clone(), kept);
                }
                kept += bucket.len();
            } else {
                scratch.clear();
                scratch.extend(bucket.clone().map(|index| (low[index], vals[index])));
                scratch.sort_by_key(|(number, _)| *number);
                let first = kept;
                for &(number, value) in &scratch {
                    if kept > first && low[kept - 1] == number {
                        if merge.refuses(V::IS_PATTERN) {
                            return None;
                        }
                        let before = &mut vals[kept - 1];
                        *before = before.combine(value, |a, b| merge.combine(a, b));
                    } else {
                        (low[kept], vals[kept]) = (number, value);
                        kept += 1;
                    }
                }
            }
            *end = kept as u32;
        }
        low.truncate(kept);
        vals.truncate(kept);
        Some(())
    }
}
