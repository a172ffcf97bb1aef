//! Entries grouped by the nodes of a level.

use std::borrow::Cow;

use crate::level::Listing;
use crate::memory::filled;

/// The nodes of a level: a segment of coordinates for each node of the level above.
pub(super) struct Groups {
    /// The bounds of the segments: one more element than there are parents.
    pos: Vec<u32>,
    crd: Vec<u32>,
}

impl Groups {
    /// Returns the nodes of a level with the distinct coordinates below `size` of each parent, in
    /// increasing order.
    ///
    /// `places` holds the position of the parent of each entry, and then the number of its node.
    /// Takes time proportional to the number of entries and parents if the entries of each parent
    /// are in the order of their coordinates, or are many.
    pub(super) fn of(
        parents: usize,
        size: usize,
        places: &mut [u32],
        coords: Cow<'_, [u32]>,
    ) -> Option<Groups> {
        let (pos, is_sorted) = bounds(parents, places)?;
        let crd = if is_sorted {
            places.iter_mut().zip(0..).for_each(|(place, entry)| *place = entry);
            coords.into_owned()
        } else {
            let mut next = pos.clone();
            let mut crd = filled(0, coords.len())?;
            // Slices of equal length let the compiler check bounds once.
            for (place, coordinate) in places.iter_mut().zip(&*coords) {
                let next = &mut next[*place as usize];
                *place = *next;
                crd[*next as usize] = *coordinate;
                *next += 1;
            }
            crd
        };
        let mut groups = Groups { pos, crd };
        if !groups.is_distinct() {
            let ranks = groups.merge(size)?;
            match is_sorted {
                true => places.copy_from_slice(&ranks),
                false => places.iter_mut().for_each(|place| *place = ranks[*place as usize]),
            }
        }
        Some(groups)
    }

    /// Returns the nodes of a level for entries in storage order. An entry has a node of its own,
    /// or that of the previous entry, as `begins` returns. `places` is the same as for
    /// [`Groups::of`].
    ///
    /// Returns `None` if the positions of the parents decrease.
    pub(super) fn in_order(
        parents: usize,
        places: &mut [u32],
        coords: &[u32],
        begins: impl Fn(usize) -> bool,
    ) -> Option<Groups> {
        let mut pos = filled(0_u32, parents.checked_add(1)?)?;
        let mut crd = Vec::new();
        crd.try_reserve_exact(coords.len()).ok()?;
        let mut above = 0;
        for (entry, place) in places.iter_mut().enumerate() {
            if *place < above {
                return None;
            }
            above = *place;
            if entry == 0 || begins(entry) {
                crd.push(coords[entry]);
                pos[above as usize + 1] += 1;
            }
            *place = crd.len() as u32 - 1;
        }
        add_up(&mut pos);
        Some(Groups { pos, crd })
    }

    /// Returns whether the coordinates of each group increase.
    fn is_distinct(&self) -> bool {
        let mut start = 0;
        self.pos[1..].iter().all(|end| {
            let group = &self.crd[start..*end as usize];
            start = *end as usize;
            group.windows(2).all(|pair| pair[0] < pair[1])
        })
    }

    /// Sorts the coordinates of each group and removes repetitions; returns the number of the node
    /// of each former element.
    fn merge(&mut self, size: usize) -> Option<Vec<u32>> {
        let Groups { pos, crd } = self;
        let mut ranks = filled(0, crd.len())?;
        let mut scratch = Scratch::default();
        let (mut start, mut kept) = (0, 0);
        for end in &mut pos[1..] {
            let slots = start..*end as usize;
            start = slots.end;
            kept += scratch.sort(size, crd, slots, kept, &mut ranks);
            *end = kept as u32;
        }
        crd.truncate(kept);
        crd.shrink_to_fit();
        Some(ranks)
    }

    pub(super) fn into_listing(self) -> Listing<'static> {
        Listing::Segments { pos: self.pos.into(), crd: self.crd.into() }
    }

    /// Returns the number of nodes.
    pub(super) fn count(&self) -> usize {
        self.crd.len()
    }
}

/// Buffers for sorting the coordinates of groups.
#[derive(Default)]
struct Scratch {
    /// The coordinates of a group with their slots.
    keys: Vec<u64>,
    /// For each coordinate, the number of its node.
    table: Vec<u32>,
}

impl Scratch {
    /// Stores the distinct coordinates in the slots of a group in increasing order, from slot
    /// `kept` on; returns their number.
    fn sort(
        &mut self,
        size: usize,
        crd: &mut [u32],
        slots: std::ops::Range<usize>,
        kept: usize,
        ranks: &mut [u32],
    ) -> usize {
        let first = kept;
        let mut kept = kept;
        let increases = crd[slots.clone()].is_sorted();
        if !increases && size / 16 <= slots.len() {
            return self.sort_by_table(size, crd, slots, first, ranks);
        }
        if !increases {
            self.keys.clear();
            let key = |slot: usize| u64::from(crd[slot]) << 32 | slot as u64;
            self.keys.extend(slots.clone().map(key));
            self.keys.sort_unstable();
        }
        for index in 0..slots.len() {
            let (coordinate, slot) = match increases {
                true => (crd[slots.start + index], slots.start + index),
                false => ((self.keys[index] >> 32) as u32, self.keys[index] as u32 as usize),
            };
            if kept == first || crd[kept - 1] != coordinate {
                crd[kept] = coordinate;
                kept += 1;
            }
            ranks[slot] = kept as u32 - 1;
        }
        kept - first
    }

    /// Sorts like [`Scratch::sort`], in a pass over all coordinates, for a group with many of them.
    fn sort_by_table(
        &mut self,
        size: usize,
        crd: &mut [u32],
        slots: std::ops::Range<usize>,
        kept: usize,
        ranks: &mut [u32],
    ) -> usize {
        self.table.clear();
        self.table.resize(size, 0);
        crd[slots.clone()].iter().for_each(|coordinate| self.table[*coordinate as usize] = 1);
        let mut end = kept as u32;
        for number in &mut self.table {
            (*number, end) = (end, end + *number);
        }
        for slot in slots.clone() {
            ranks[slot] = self.table[crd[slot] as usize];
        }
        let table = self.table.iter().zip(self.table[1..].iter().chain([&end]));
        let mut count = 0;
        for (coordinate, _) in (0..).zip(table).filter(|(_, (number, next))| number < next) {
            crd[kept + count] = coordinate;
            count += 1;
        }
        count
    }
}

/// Returns the bounds of the entries of each parent once they are grouped, and whether they are.
fn bounds(parents: usize, places: &[u32]) -> Option<(Vec<u32>, bool)> {
    let mut pos = filled(0_u32, parents.checked_add(1)?)?;
    let (mut before, mut is_sorted) = (0, true);
    for &parent in places {
        pos[parent as usize + 1] += 1;
        is_sorted &= before <= parent;
        before = parent;
    }
    add_up(&mut pos);
    Some((pos, is_sorted))
}

fn add_up(pos: &mut [u32]) {
    let mut end = 0;
    for bound in pos {
        end += *bound;
        *bound = end;
    }
}

/// Returns an iterator over the nodes of segments, as positions of their parents and coordinates.
pub(super) fn nodes<'l>(list: &'l Listing<'_>) -> Nodes<'l> {
    let (pos, crd): (&[u32], &[u32]) = match list {
        Listing::Segments { pos, crd } => (pos, crd),
        Listing::Every(_) | Listing::Slots { .. } | Listing::Single { .. } => (&[0], &[]),
    };
    Nodes { ends: &pos[1..], crd, parent: 0, passed: 0 }
}

/// An iterator over the nodes of segments.
pub(super) struct Nodes<'l> {
    /// The end of each segment.
    ends: &'l [u32],
    crd: &'l [u32],
    /// The parent of the previous node.
    parent: usize,
    /// The number of nodes visited.
    passed: usize,
}

impl Iterator for Nodes<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let coordinate = *self.crd.get(self.passed)?;
        while self.ends[self.parent] as usize <= self.passed {
            self.parent += 1;
        }
        self.passed += 1;
        Some((self.parent, coordinate as usize))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.crd.len() - self.passed;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Nodes<'_> {}
