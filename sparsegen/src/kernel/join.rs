//! Results of which each part of a loop has entries of all parents: the entries of each parent are
//! joined in the order of the parts.
//!
//! A part assembles a result of its own, with the segments of all parents. The joined result is the
//! one that a single part would have assembled, because the parts are in the order of the
//! coordinates of each parent.

use alloc::vec::Vec;
use core::ops::Range;

use super::grow;
use super::parallel::{Parts, counted, run_all};
use crate::{Error, Width, memory};

/// The entries of parts, in the order in which they are joined.
#[derive(Clone, Debug)]
pub struct Order<'p, P> {
    of: Parents<'p, P>,
    /// The number of entries of each part.
    counts: Vec<usize>,
    /// The number of coordinates of parents.
    parents: usize,
}

#[derive(Clone, Debug)]
enum Parents<'p, P> {
    /// The positions of the first entry of each parent, followed by the number of entries, by part.
    All(Vec<&'p [P]>),
    /// The segments of the parents that have entries, in the order in which they are joined.
    Listed(Vec<Listed>),
    /// The positions of some part have overflowed their type.
    Overflown,
}

/// The entries of one part for a parent.
#[derive(Clone, Debug)]
struct Listed {
    coordinate: usize,
    part: usize,
    entries: Range<usize>,
}

impl<'p, P: Width> Order<'p, P> {
    /// Returns the order of entries of which each part has a segment for every parent. `ends` has the
    /// positions of the first entry of each parent, followed by the number of entries, for each part;
    /// `counts` are these numbers, whatever the type of positions can represent.
    pub fn of_segments(
        ends: impl Iterator<Item = &'p [P]>,
        counts: impl Iterator<Item = usize>,
    ) -> Order<'p, P> {
        let (ends, counts): (Vec<&[P]>, Vec<usize>) = (ends.collect(), counts.collect());
        match is_exact(ends.iter().copied(), &counts) {
            true => Order { of: Parents::All(ends), counts, parents: 0 },
            false => Order { of: Parents::Overflown, counts, parents: 0 },
        }
    }
}

impl<P: Width> Order<'static, P> {
    /// Returns the order of entries of which each part lists the parents: their coordinates, in order,
    /// and the positions of the first entry of each, followed by the number of entries. `counts` are
    /// these numbers.
    ///
    /// Takes O(n log n) time for n listed parents.
    pub fn of_listed<'a, C: Width>(
        parents: impl Iterator<Item = &'a [C]>,
        ends: impl Iterator<Item = &'a [P]>,
        counts: impl Iterator<Item = usize>,
    ) -> Order<'static, P> {
        let (ends, counts): (Vec<&[P]>, Vec<usize>) = (ends.collect(), counts.collect());
        if !is_exact(ends.iter().copied(), &counts) {
            return Order { of: Parents::Overflown, counts, parents: 0 };
        }
        let mut listed = Vec::new();
        for (part, (coordinates, ends)) in parents.zip(ends).enumerate() {
            listed.extend(coordinates.iter().zip(ends.windows(2)).map(|(coordinate, ends)| {
                Listed {
                    coordinate: coordinate.to_usize(),
                    part,
                    entries: ends[0].to_usize()..ends[1].to_usize(),
                }
            }));
        }
        // The parts of a parent stay in order.
        listed.sort_by_key(|listed| listed.coordinate);
        let parents = listed.chunk_by(|a, b| a.coordinate == b.coordinate).count();
        Order { of: Parents::Listed(listed), counts, parents }
    }

    /// Returns the order of entries of which each part has the coordinates, in order and without
    /// repetition. Several parts may have a coordinate.
    ///
    /// Takes O(n log n) time for n coordinates of all parts.
    pub fn of_distinct<'a>(parts: impl Iterator<Item = &'a [P]>) -> Order<'static, P> {
        let mut order = Order::of_repeated(parts);
        if let Parents::Listed(listed) = &order.of {
            order.parents = listed.chunk_by(|a, b| a.coordinate == b.coordinate).count();
        }
        order
    }

    /// Returns the order of entries of which each part has the coordinates of the parents, one for
    /// each entry, in order.
    ///
    /// Takes O(n log n) time for n distinct parents of each part.
    pub fn of_repeated<'a>(parts: impl Iterator<Item = &'a [P]>) -> Order<'static, P> {
        let (mut listed, mut counts) = (Vec::new(), Vec::new());
        for (part, coordinates) in parts.enumerate() {
            let mut begin = 0;
            for same in coordinates.chunk_by(|a, b| a == b) {
                let entries = begin..begin + same.len();
                begin = entries.end;
                listed.push(Listed { coordinate: same[0].to_usize(), part, entries });
            }
            counts.push(begin);
        }
        listed.sort_by_key(|listed| listed.coordinate);
        let parents = counts.iter().sum();
        Order { of: Parents::Listed(listed), counts, parents }
    }
}

impl<P: Width> Order<'_, P> {
    /// Stores the end of the only segment of parents, after its start.
    pub fn join_count<C: Width>(&self, into: &mut Vec<C>) {
        into.clear();
        into.extend([narrow(0), narrow::<C>(self.parents)]);
    }

    /// Stores the coordinates of the parents, once each.
    pub fn join_parents<C: Width>(&self, into: &mut Vec<C>) {
        into.clear();
        let Parents::Listed(listed) = &self.of else { return };
        let parents = listed.chunk_by(|a, b| a.coordinate == b.coordinate);
        into.extend(parents.map(|same| narrow::<C>(same[0].coordinate)));
    }

    /// Stores the value of each parent: those of the parts, combined in their order. Each part has a
    /// value for each of its coordinates.
    pub fn combine<'v, V: Copy + 'v>(
        &self,
        into: &mut Vec<V>,
        parts: impl Iterator<Item = &'v [V]>,
        combine: impl Fn(V, V) -> V,
    ) {
        into.clear();
        let parts: Vec<&[V]> = parts.collect();
        let Parents::Listed(listed) = &self.of else { return };
        for same in listed.chunk_by(|a, b| a.coordinate == b.coordinate) {
            let values = same.iter().map(|listed| parts[listed.part][listed.entries.start]);
            into.extend(values.reduce(&combine));
        }
    }

    /// Stores the positions of the first entry of each parent, followed by the number of entries. A
    /// position that overflows its type is stored wrongly; there are then too many entries.
    pub fn join_ends(&self, into: &mut Vec<P>) {
        into.clear();
        match &self.of {
            Parents::All(ends) => {
                let parents = ends.iter().map(|ends| ends.len()).max().unwrap_or(0);
                let end = |k: usize| ends.iter().map(|ends| ends[k].to_usize()).sum();
                into.extend((0..parents).map(|k| narrow::<P>(end(k))));
            }
            Parents::Overflown => {}
            Parents::Listed(listed) => {
                into.push(narrow(0));
                let mut end = 0;
                for same in listed.chunk_by(|a, b| a.coordinate == b.coordinate) {
                    end += same.iter().map(|listed| listed.entries.len()).sum::<usize>();
                    into.push(narrow(end));
                }
            }
        }
    }

    /// Stores the elements of all entries. Each part has the same number of elements for each of its
    /// entries. Those of a single part are in order.
    pub fn join<V: Copy + Send + Sync>(&self, into: &mut Vec<V>, mut parts: Vec<Vec<V>>) {
        if let [part] = &mut parts[..] {
            *into = core::mem::take(part);
            return;
        }
        into.clear();
        let Some(first) = parts.iter().find_map(|part| part.first()) else { return };
        let elements: usize = parts.iter().map(Vec::len).sum();
        let each = elements.checked_div(self.counts.iter().sum()).unwrap_or(0);
        match &self.of {
            Parents::All(ends) => {
                let parents = ends[0].len() - 1;
                let before = |k: usize| ends.iter().map(|ends| ends[k].to_usize()).sum();
                let blocks = counted(parents, |_| parts.len(), before);
                memory::reserve(into, elements);
                into.resize(elements, *first);
                let pieces = pieces(into, &blocks, |k| each * before(k));
                run_all(pieces, |(range, own)| {
                    let mut end = 0;
                    for parent in range {
                        for (ends, part) in ends.iter().zip(&parts) {
                            let [begin, next] = [ends[parent], ends[parent + 1]];
                            let part = &part[each * begin.to_usize()..each * next.to_usize()];
                            own[end..end + part.len()].copy_from_slice(part);
                            end += part.len();
                        }
                    }
                });
            }
            // Only the number of entries matters.
            Parents::Overflown => parts.iter().for_each(|part| into.extend_from_slice(part)),
            Parents::Listed(listed) => {
                memory::reserve(into, elements);
                for Listed { part, entries, .. } in listed {
                    let own = each * entries.start..each * entries.end;
                    into.extend_from_slice(&parts[*part][own]);
                }
            }
        }
    }

    /// Returns the largest number of entries of a parent.
    pub fn slots(&self) -> usize {
        match &self.of {
            Parents::All(ends) => {
                let parents = ends.iter().map(|ends| ends.len()).max().unwrap_or(1) - 1;
                let entries = |k: usize| ends.iter().map(|ends| segment(ends, k).len()).sum();
                (0..parents).map(entries).max().unwrap_or(0)
            }
            Parents::Listed(_) | Parents::Overflown => 0,
        }
    }

    /// Stores the elements of all entries in slots, each of which has an element for every parent: the
    /// entries of a parent are in the first slots, `padding` is in the others. `what` names the array in
    /// errors.
    ///
    /// # Errors
    /// [`Error::Size`] if the memory is not available.
    pub fn join_in_slots<V: Copy + Send + Sync>(
        &self,
        into: &mut Vec<V>,
        parts: Vec<Vec<V>>,
        padding: V,
        what: &'static str,
    ) -> Result<(), Error> {
        into.clear();
        let Parents::All(ends) = &self.of else { return Ok(()) };
        let parents = ends.iter().map(|ends| ends.len()).max().unwrap_or(1) - 1;
        grow(into, &[self.slots(), parents], padding, what)?;
        let before = |k: usize| ends.iter().map(|ends| ends[k].to_usize()).sum();
        let blocks = counted(parents, |_| parts.len(), before);
        // The elements of each block of parents, slot by slot.
        let mut pieces: Vec<_> = blocks.ranges().map(|range| (range, Vec::new())).collect();
        for mut slot in into.chunks_mut(parents.max(1)) {
            for (range, own) in &mut pieces {
                let (first, rest) = slot.split_at_mut(range.len());
                own.push(first);
                slot = rest;
            }
        }
        run_all(pieces, |(range, mut own)| {
            for (k, parent) in range.enumerate() {
                let entries = ends.iter().zip(&parts);
                let entries = entries.flat_map(|(ends, part)| &part[segment(ends, parent)]);
                entries.zip(&mut own).for_each(|(entry, slot)| slot[k] = *entry);
            }
        });
        Ok(())
    }
}

/// Returns the positions of the entries of a parent.
fn segment<P: Width>(ends: &[P], parent: usize) -> Range<usize> {
    ends[parent].to_usize()..ends[parent + 1].to_usize()
}

/// Divides elements into those of blocks of parents, given the number of elements before a parent.
fn pieces<'v, V>(
    vals: &'v mut [V],
    blocks: &Parts,
    before: impl Fn(usize) -> usize,
) -> Vec<(Range<usize>, &'v mut [V])> {
    let (mut rest, mut done) = (vals, 0);
    let piece = |range: Range<usize>| {
        let end = before(range.end);
        let (own, behind) = core::mem::take(&mut rest).split_at_mut(end - done);
        (rest, done) = (behind, end);
        (range, own)
    };
    blocks.ranges().map(piece).collect()
}

/// Returns whether the positions of all parts are within their type.
fn is_exact<'p, P: Width>(ends: impl Iterator<Item = &'p [P]>, counts: &[usize]) -> bool {
    ends.zip(counts).all(|(ends, count)| ends.last().map_or(0, |end| end.to_usize()) == *count)
}

fn narrow<P: Width>(number: usize) -> P {
    P::try_from_usize(number).unwrap_or(P::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_parts_follow_each_other() {
        let ends = [vec![0, 2, 2, 3], vec![0, 0, 1, 3], vec![0, 0, 0, 0]];
        let coordinates = [vec![1, 2, 0], vec![3, 4, 5], vec![]];
        let counts = coordinates.iter().map(Vec::len);
        let order = Order::of_segments(ends.iter().map(|ends: &Vec<u32>| &ends[..]), counts);
        let (mut joined, mut all) = (vec![9], vec![9]);
        order.join_ends(&mut joined);
        order.join(&mut all, coordinates.clone().into());
        assert_eq!((joined, all), (vec![0, 2, 3, 6], vec![1, 2, 3, 0, 4, 5]));
        let blocks =
            coordinates.map(|part: Vec<u32>| part.iter().flat_map(|k| [*k, 10 * k]).collect());
        let mut all = Vec::new();
        order.join(&mut all, blocks.into());
        assert_eq!(all, [1, 10, 2, 20, 3, 30, 0, 0, 4, 40, 5, 50]);
    }

    #[test]
    fn entries_of_parts_are_joined_in_slots() {
        let ends: [&[usize]; 2] = [&[0, 2, 2, 3], &[0, 1, 1, 1]];
        let entries = [vec![1, 2, 3], vec![4]];
        let order = Order::of_segments(ends.into_iter(), entries.iter().map(Vec::len));
        assert_eq!(order.slots(), 3);
        let mut all = vec![9];
        order.join_in_slots(&mut all, entries.into(), 0, "arrays of k").unwrap();
        assert_eq!(all, [1, 0, 3, 2, 0, 0, 4, 0, 0]);
    }

    #[test]
    fn listed_parents_are_merged() {
        let parents: [&[u32]; 3] = [&[1, 4], &[0, 4], &[]];
        let ends: [&[u32]; 3] = [&[0, 1, 3], &[0, 1, 2], &[0]];
        let values: [&[f64]; 3] = [&[1.0, 2.0, 3.0], &[4.0, 5.0], &[]];
        let counts = values.iter().map(|values| values.len());
        let order = Order::of_listed(parents.into_iter(), ends.into_iter(), counts);
        let (mut coordinates, mut joined, mut all) = (vec![7_u8], vec![], vec![]);
        let mut count = Vec::<u16>::new();
        order.join_count(&mut count);
        assert_eq!(count, [0, 3]);
        order.join_parents(&mut coordinates);
        order.join_ends(&mut joined);
        order.join(&mut all, values.map(Vec::from).into());
        assert_eq!((coordinates, joined), (vec![0, 1, 4], vec![0, 1, 2, 5]));
        assert_eq!(all, [4.0, 1.0, 2.0, 3.0, 5.0]);
        let repeated: [&[u32]; 2] = [&[1, 4, 4], &[0, 4]];
        let order = Order::of_repeated(repeated.into_iter());
        let mut all = Vec::new();
        order.join(&mut all, repeated.map(Vec::from).into());
        assert_eq!(all, [0, 1, 4, 4, 4]);
        order.join(&mut all, vec![vec![5, 6, 7], vec![8, 9]]);
        assert_eq!(all, [8, 5, 6, 7, 9]);
    }

    #[test]
    fn values_of_several_parts_are_combined() {
        let coordinates: [&[u32]; 3] = [&[1, 4], &[0, 4], &[4]];
        let order = Order::of_distinct(coordinates.into_iter());
        let (mut count, mut distinct, mut all) = (Vec::<u32>::new(), Vec::<u32>::new(), Vec::new());
        order.join_count(&mut count);
        order.join_parents(&mut distinct);
        let values: [&[i32]; 3] = [&[1, 2], &[3, 4], &[5]];
        order.combine(&mut all, values.into_iter(), |earlier, later| 10 * earlier + later);
        assert_eq!((count, distinct, all), (vec![0, 3], vec![0, 1, 4], vec![3, 1, 245]));
    }

    #[test]
    fn positions_that_overflow_leave_all_entries() {
        let ends: [&[u8]; 2] = [&[0, 200], &[0, 100]];
        let entries = [vec![1_u32; 200], vec![2; 100]];
        let order = Order::of_segments(ends.into_iter(), entries.iter().map(Vec::len));
        let (mut joined, mut all) = (Vec::new(), Vec::new());
        order.join_ends(&mut joined);
        order.join(&mut all, entries.into());
        assert_eq!((joined, all.len()), (vec![0, u8::MAX], 300));
        let wrapped: [&[u8]; 2] = [&[0, 44], &[0, 0]];
        let order = Order::of_segments(wrapped.into_iter(), [300, 0].into_iter());
        order.join(&mut all, vec![vec![3; 300], vec![]]);
        assert_eq!(all.len(), 300);
    }
}
