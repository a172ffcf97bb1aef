//! Entries as numbers, brought into the order of packing.

use std::borrow::Cow;

use crate::format::Shape;
use crate::memory::filled;
use crate::tensor::build::Merge;
use crate::tensor::columns::Columns;
use crate::tensor::radix::Radix;
use crate::{Fill, Stored};

/// Where packing takes entries from.
pub(in crate::tensor) enum Source<'a, S, V: Clone> {
    Triplets(&'a [(S, V)]),
    /// The entries of a tensor.
    Columns(Columns<'a, V>),
}

/// Entries as the numbers that their coordinates make up, in any order.
struct Numbers<'a, V: Clone> {
    buckets: Cow<'a, [u32]>,
    low: Cow<'a, [u32]>,
    vals: Cow<'a, [V]>,
}

/// Entries by buckets: those of each stand together.
pub(super) struct Entries<V> {
    /// Where the entries of each bucket end.
    pub(super) ends: Vec<u32>,
    /// The number of each entry's coordinates at the inner levels.
    pub(super) low: Vec<u32>,
    pub(super) vals: Vec<V>,
}

impl<'a, S: Shape, V: Stored> Source<'a, S, V> {
    /// How many entries there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Source::Triplets(entries) => entries.len(),
            Source::Columns(columns) => columns.vals.len(),
        }
    }

    /// The entries in the order of packing, those that share all coordinates combined; `None` where
    /// that is not to be done, and where one lies outside the shape.
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
    /// Brings entries into the order of their buckets. Those of one bucket stay in theirs.
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

/// Brings entries into the order of their buckets, where these and the other numbers are dimensions:
/// without arrays of them in between.
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

/// Moves entries, each with its bucket and its other number, to their buckets, of which `places` has
/// the number of entries. Those of one bucket stay in their order.
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
    // Slices whose length is one and the same are checked once.
    let (lows, values) = (&mut low[..count as usize], &mut vals[..count as usize]);
    for (bucket, number, value) in entries {
        let place = places[bucket];
        places[bucket] = place + 1;
        lows[place as usize] = number;
        values[place as usize] = value;
    }
    // Where the entries of a bucket began to be placed is now where they end.
    Some(Entries { ends: places, low, vals })
}

impl<V: Stored> Entries<V> {
    /// Sorts the entries of each bucket, and combines those that share all coordinates; `None` where
    /// that is not to be done.
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
