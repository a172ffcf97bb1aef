//! Hash tables that the parts of a loop have filled, which become one table.
//!
//! The slot of a coordinate depends on which coordinates were inserted before it and on when its
//! bucket grew, so on the division into parts. Which slots of a bucket are used does not. Here the
//! coordinates of each run of used slots are sorted by their first slots, then by themselves, so that
//! the result is the same for every number of parts. See G. Blelloch and D. Golovin, Strongly
//! history-independent hashing with applications, 2007.

use alloc::vec::Vec;
use core::mem;

use super::parallel::run_all;
use super::{grow, widen};
use crate::{Error, Width};

/// The tables of parts in buckets of one width: what moves from the slots that the parts have filled.
#[derive(Debug)]
pub struct Buckets {
    width: usize,
    /// The number of slots that the parts have filled, used or not.
    before: usize,
    tables: Vec<Table>,
    what: &'static str,
}

/// A table of joined buckets.
#[derive(Debug)]
struct Table {
    slots: usize,
    /// The entries that were inserted, or `None` if a part has filled the table.
    inserted: Option<Vec<Move>>,
    /// The slots that were then exchanged, in order.
    swaps: Vec<(usize, usize)>,
}

/// The move of an entry from a slot of a part to one of the table.
#[derive(Debug)]
struct Move {
    part: usize,
    from: usize,
    to: usize,
}

impl Buckets {
    /// Gives the buckets of all parts the same width. `crd` has the slots of each part, and `widths`
    /// the number of slots of each of its buckets, a power of two; the parts have different parents.
    /// `what` names the arrays in errors.
    ///
    /// Takes time proportional to the number of slots, which the threads share.
    ///
    /// # Errors
    /// [`Error::Size`] if the memory for the slots is not available.
    pub fn alike<C: Width>(
        crd: &mut Vec<Vec<C>>,
        widths: &[usize],
        what: &'static str,
    ) -> Result<Buckets, Error> {
        let width = widths.iter().copied().max().unwrap_or(1);
        let parts = parts(crd, widths);
        let before = parts.iter().map(|part| part.crd.len()).sum();
        let table = |part: Part<C>| {
            let parents = part.crd.len() / part.width;
            table(vec![part], parents, width, what)
        };
        let tables = run_all(parts, table).into_iter().collect::<Result<Vec<_>, _>>()?;
        let (slots, tables) = tables.into_iter().unzip();
        *crd = slots;
        Ok(Buckets { width, before, tables, what })
    }

    /// Merges the buckets that different parts have for the same parents. `crd` has the slots of each
    /// part, and `widths` the number of slots of each of its buckets, a power of two; no coordinate
    /// is in two parts. `what` names the arrays in errors.
    ///
    /// Takes time proportional to the number of slots.
    ///
    /// # Errors
    /// [`Error::Size`] if the memory for the slots is not available.
    pub fn merged<C: Width>(
        crd: &mut Vec<Vec<C>>,
        widths: &[usize],
        parents: usize,
        what: &'static str,
    ) -> Result<Buckets, Error> {
        let parts = parts(crd, widths);
        let before = parts.iter().map(|part| part.crd.len()).sum();
        let width = match &parts[..] {
            [only] => only.width,
            // It doubles when a bucket is half full, as in the loops.
            parts => {
                let count = |parent| parts.iter().map(|part| part.entries(parent).count()).sum();
                let fullest: usize = (0..parents).map(count).max().unwrap_or(0);
                (2 * fullest).next_power_of_two()
            }
        };
        let (slots, table) = table(parts, parents, width, what)?;
        crd.push(slots);
        Ok(Buckets { width, before, tables: vec![table], what })
    }

    /// Moves the elements of an array that has as many for each slot; `initial` is the element for
    /// empty slots.
    ///
    /// # Errors
    /// [`Error::Size`] if the memory for the array is not available.
    pub fn moving<V: Copy + Send + Sync>(
        self,
        parts: &mut Vec<Vec<V>>,
        initial: V,
    ) -> Result<Buckets, Error> {
        let elements: usize = parts.iter().map(Vec::len).sum();
        let each = elements.checked_div(self.before).unwrap_or(0);
        let kept = parts.iter_mut().zip(&self.tables).map(|(part, table)| match table.inserted {
            Some(_) => Vec::new(),
            None => mem::take(part),
        });
        let kept: Vec<(Vec<V>, &Table)> =
            kept.collect::<Vec<_>>().into_iter().zip(&self.tables).collect();
        let joined = run_all(kept, |(mut array, Table { slots, inserted, swaps })| {
            if let Some(moves) = inserted {
                grow(&mut array, &[*slots, each], initial, self.what)?;
                for Move { part, from, to } in moves {
                    array[to * each..][..each]
                        .copy_from_slice(&parts[*part][from * each..][..each]);
                }
            }
            for (a, b) in swaps {
                (0..each).for_each(|k| array.swap(a * each + k, b * each + k));
            }
            Ok(array)
        });
        *parts = joined.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(self)
    }

    /// Returns the number of slots of each bucket.
    pub fn width(self) -> usize {
        self.width
    }
}

/// The slots that a part has filled.
struct Part<C> {
    part: usize,
    crd: Vec<C>,
    width: usize,
}

/// Takes the slots of each part.
fn parts<C>(crd: &mut Vec<Vec<C>>, widths: &[usize]) -> Vec<Part<C>> {
    let parts = mem::take(crd).into_iter().zip(widths).enumerate();
    parts.map(|(part, (crd, width))| Part { part, crd, width: *width }).collect()
}

impl<C: Width> Part<C> {
    /// Returns the coordinates of a parent, each with its slot.
    fn entries(&self, parent: usize) -> impl Iterator<Item = (C, usize)> {
        let begin = parent * self.width;
        let slots = self.crd[begin..begin + self.width].iter().enumerate();
        let used = slots.filter(|(_, coordinate)| **coordinate != C::MAX);
        used.map(move |(slot, coordinate)| (*coordinate, begin + slot))
    }
}

/// Returns the table of parts, in buckets of the given width.
fn table<C: Width>(
    mut parts: Vec<Part<C>>,
    parents: usize,
    width: usize,
    what: &'static str,
) -> Result<(Vec<C>, Table), Error> {
    let (mut crd, inserted) = match &mut parts[..] {
        [only] if only.width == width => (mem::take(&mut only.crd), None),
        parts => {
            let mut crd = Vec::new();
            grow(&mut crd, &[parents, width], C::MAX, what)?;
            let mut moves = Vec::new();
            for parent in 0..parents {
                let bucket = &mut crd[parent * width..][..width];
                for part in parts.iter() {
                    for (coordinate, from) in part.entries(parent) {
                        let slot = widen::insert(bucket, coordinate);
                        moves.push(Move { part: part.part, from, to: parent * width + slot });
                    }
                }
            }
            (crd, Some(moves))
        }
    };
    let swaps = sort_runs(&mut crd, width);
    Ok((crd, Table { slots: parents * width, inserted, swaps }))
}

/// Sorts the coordinates of each run of used slots; returns the slots that were exchanged.
fn sort_runs<C: Width>(crd: &mut [C], width: usize) -> Vec<(usize, usize)> {
    let mut swaps = Vec::new();
    for (parent, bucket) in crd.chunks_exact_mut(width).enumerate() {
        // A run may continue at the start of the bucket.
        let Some(empty) = bucket.iter().position(|coordinate| *coordinate == C::MAX) else {
            continue;
        };
        let mut before = C::MAX;
        for end in empty + 1..empty + width {
            let slot = end & (width - 1);
            let coordinate = bucket[slot];
            // Few slots follow a used one.
            if (before != C::MAX) & (coordinate != C::MAX) {
                sort_into_run(bucket, end, |a, b| {
                    swaps.push((parent * width + a, parent * width + b))
                });
            }
            before = bucket[slot];
        }
    }
    swaps
}

/// Inserts the coordinate of a slot into the sorted run before it.
#[inline(never)]
fn sort_into_run<C: Width>(bucket: &mut [C], end: usize, mut swapped: impl FnMut(usize, usize)) {
    let mask = bucket.len() - 1;
    // Coordinates with the same first slot: the second one is one slot farther away from it.
    let distance = |slot: usize, coordinate: C| slot.wrapping_sub(coordinate.to_usize()) & mask;
    for k in (0..=end).rev() {
        let [a, b] = [k.wrapping_sub(1), k].map(|k| k & mask);
        let (first, second) = (bucket[a], bucket[b]);
        let (of_first, of_second) = (distance(a, first), distance(b, second));
        let is_first = of_second > of_first + 1
            || of_second == of_first + 1 && second.to_usize() < first.to_usize();
        if first == C::MAX || !is_first {
            break;
        }
        bucket.swap(a, b);
        swapped(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u32 = u32::MAX;

    #[test]
    fn buckets_of_other_parents_get_the_same_width() -> Result<(), Error> {
        let mut crd = vec![vec![NONE, NONE, 6, 2, 3, NONE, NONE, 7], vec![NONE, 5], vec![]];
        let mut vals = vec![vec![0, 0, 60, 20, 30, 0, 0, 70], vec![0, 50], vec![]];
        let mut pairs = vec![(1..=16).collect(), vec![17, 18, 19, 20], vec![]];
        let width = Buckets::alike(&mut crd, &[4, 2, 1], "a")?
            .moving(&mut vals, 0)?
            .moving(&mut pairs, 0)?
            .width();
        assert_eq!(width, 4);
        // The smaller one of two coordinates with the same first slot has it.
        let first = vec![NONE, NONE, 2, 6, 7, NONE, NONE, 3];
        assert_eq!(crd, [first, vec![NONE, 5, NONE, NONE], vec![]]);
        assert_eq!(vals, [vec![0, 0, 20, 60, 70, 0, 0, 30], vec![0, 50, 0, 0], vec![]]);
        assert_eq!(pairs[0], [1, 2, 3, 4, 7, 8, 5, 6, 15, 16, 11, 12, 13, 14, 9, 10]);
        assert_eq!(pairs[1..], [vec![0, 0, 19, 20, 0, 0, 0, 0], vec![]]);
        Ok(())
    }

    #[test]
    fn the_order_of_insertion_does_not_matter() {
        let width = 8;
        let table = |coordinates: &[u32]| {
            let mut crd = vec![NONE; width];
            for coordinate in coordinates {
                let mut slot = *coordinate as usize % width;
                while crd[slot] != NONE {
                    slot = (slot + 1) % width;
                }
                crd[slot] = *coordinate;
            }
            sort_runs(&mut crd, width);
            crd
        };
        let orders = [[15, 7, 0, 6, 9], [9, 6, 0, 7, 15], [0, 15, 9, 7, 6], [6, 7, 9, 0, 15]];
        let tables = orders.map(|order| table(&order));
        assert!(tables.iter().all(|table| *table == tables[0]), "{tables:?}");
        assert_eq!(tables[0], [15, 0, 9, NONE, NONE, NONE, 6, 7]);
    }

    #[test]
    fn buckets_of_the_same_parents_are_merged() -> Result<(), Error> {
        let mut crd = vec![vec![NONE, 1, 4, NONE], vec![NONE, NONE], vec![2, NONE, NONE, NONE]];
        let mut vals = vec![vec![0, 10, 40, 0], vec![0, 0], vec![20, 0, 0, 0]];
        let merged = Buckets::merged(&mut crd, &[2, 1, 2], 2, "a")?.moving(&mut vals, 7)?;
        assert_eq!(merged.width(), 4);
        assert_eq!(crd, [vec![NONE, 1, 2, NONE, 4, NONE, NONE, NONE]]);
        assert_eq!(vals, [vec![7, 10, 20, 7, 40, 7, 7, 7]]);
        let mut none = vec![vec![NONE], vec![NONE]];
        assert_eq!(Buckets::merged(&mut none, &[1, 1], 1, "a")?.width(), 1);
        assert_eq!(none, [vec![NONE]]);
        Ok(())
    }
}
