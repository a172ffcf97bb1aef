//! Entries grouped by the nodes of a level.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use crate::memory::HashMap;

use crate::level::Listing;
use crate::memory::{filled, try_reserve};

/// The largest number of elements of a group that are sorted with their repetitions: finding these first
/// takes more time for as few as the rows of a grid have.
const SHORT: usize = 16;

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
        places: &mut Vec<u32>,
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
                true => *places = ranks,
                false => places.iter_mut().for_each(|place| *place = ranks[*place as usize]),
            }
        }
        Some(groups)
    }

    /// Returns the nodes of a level of which each entry has its own. `places` is the same as for
    /// [`Groups::of`].
    ///
    /// Returns `None` if the positions of the parents decrease.
    pub(super) fn of_each(
        parents: usize,
        places: &mut [u32],
        coords: Cow<'_, [u32]>,
    ) -> Option<Groups> {
        let (pos, is_sorted) = bounds(parents, places)?;
        places.iter_mut().zip(0..).for_each(|(place, entry)| *place = entry);
        is_sorted.then(|| Groups { pos, crd: coords.into_owned() })
    }

    /// Returns the nodes of a level for entries in storage order. An entry has a node of its own if
    /// `begins` returns `true`, and shares the node of the previous entry otherwise. `places` is the
    /// same as for [`Groups::of`].
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
        try_reserve(&mut crd, coords.len()).ok()?;
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
        let mut finder = Finder::new(size, crd.len())?;
        let (mut start, mut kept) = (0, 0);
        let (mut before, mut node) = (0, 0);
        for end in &mut pos[1..] {
            let group = start..*end as usize;
            start = group.end;
            let first = kept;
            if group.len() <= SHORT {
                kept = finder.merge_short(crd, group, kept, &mut ranks);
                *end = kept as u32;
                continue;
            }
            for slot in group.clone() {
                let coordinate = crd[slot];
                // Fast path: neighbours often belong to one block or row.
                if slot == group.start || coordinate != before {
                    node = finder.find(coordinate, first, kept);
                    before = coordinate;
                    if node == kept {
                        // Earlier elements have been read.
                        crd[kept] = coordinate;
                        kept += 1;
                    }
                }
                ranks[slot] = node as u32;
            }
            if let Some(order) = finder.sort(&mut crd[first..kept], first) {
                ranks[group].iter_mut().for_each(|rank| *rank = order[*rank as usize - first]);
            }
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

/// The nodes of one group by their coordinates, in any order until they are sorted.
struct Finder {
    /// For each coordinate, the number of the last node with it, plus 1; empty if they are hashed.
    table: Vec<u32>,
    hashed: HashMap<u32, u32>,
    /// The coordinates of a group with their present indices.
    keys: Vec<u64>,
    /// For each present index, the number of the node after sorting.
    order: Vec<u32>,
}

impl Finder {
    /// Creates a finder of coordinates below `size`. Takes memory for each of them if they are not
    /// much more than the `count` elements of all groups.
    fn new(size: usize, count: usize) -> Option<Finder> {
        let is_table = size / 8 <= count.max(1024);
        let table = filled(0, if is_table { size } else { 0 })?;
        Some(Finder { table, hashed: HashMap::new(), keys: Vec::new(), order: Vec::new() })
    }

    /// Returns the node of a coordinate in the group whose first node is `first`, or `next`, which
    /// becomes its node.
    #[inline]
    fn find(&mut self, coordinate: u32, first: usize, next: usize) -> usize {
        let place = match self.table.get_mut(coordinate as usize) {
            Some(place) => place,
            None => self.hashed.entry(coordinate).or_default(),
        };
        // Smaller numbers are of earlier groups.
        if *place as usize <= first {
            *place = next as u32 + 1;
        }
        *place as usize - 1
    }

    /// Sorts the coordinates of a short group, and moves the distinct ones to `kept`, which is at most
    /// the start of the group. Stores the node of each former element; returns the number of the next
    /// node.
    fn merge_short(
        &mut self,
        crd: &mut [u32],
        group: Range<usize>,
        kept: usize,
        ranks: &mut [u32],
    ) -> usize {
        let (first, mut kept) = (kept, kept);
        self.keys.clear();
        let coordinates = crd[group.clone()].iter().zip(group);
        self.keys.extend(coordinates.map(|(crd, slot)| u64::from(*crd) << 32 | slot as u64));
        self.keys.sort_unstable();
        for key in &self.keys {
            let (coordinate, slot) = ((key >> 32) as u32, *key as u32 as usize);
            if kept == first || crd[kept - 1] != coordinate {
                crd[kept] = coordinate;
                kept += 1;
            }
            ranks[slot] = kept as u32 - 1;
        }
        kept
    }

    /// Sorts the distinct coordinates of the group whose first node is `first`; returns for each
    /// former index the number of the node. Returns `None` if they were sorted.
    fn sort(&mut self, crd: &mut [u32], first: usize) -> Option<&[u32]> {
        if crd.is_sorted() {
            return None;
        }
        self.order.resize(crd.len(), 0);
        let mut numbers = first as u32..;
        if !self.table.is_empty() && self.table.len() / 16 < crd.len() {
            // A pass over all coordinates takes less time than sorting many of them.
            let nodes = (0..).zip(&self.table).filter(|(_, node)| **node as usize > first);
            for ((coordinate, node), number) in nodes.zip(numbers) {
                crd[number as usize - first] = coordinate;
                self.order[*node as usize - 1 - first] = number;
            }
            return Some(&self.order);
        }
        self.keys.clear();
        let keys = crd.iter().zip(0..);
        self.keys.extend(keys.map(|(coordinate, index)| u64::from(*coordinate) << 32 | index));
        self.keys.sort_unstable();
        for ((coordinate, key), number) in crd.iter_mut().zip(&self.keys).zip(&mut numbers) {
            *coordinate = (key >> 32) as u32;
            self.order[*key as u32 as usize] = number;
        }
        Some(&self.order)
    }
}

/// Returns the bounds of the entries of each parent once they are grouped, and whether they are.
fn bounds(parents: usize, places: &[u32]) -> Option<(Vec<u32>, bool)> {
    let mut pos = filled(0_u32, parents.checked_add(1)?)?;
    let is_sorted = places.is_sorted();
    if is_sorted {
        // One store for each parent: counting in memory would make each entry wait for another.
        let mut above = 0;
        for (&parent, entry) in places.iter().zip(0..) {
            if parent != above {
                pos[above as usize + 1..=parent as usize].fill(entry);
                above = parent;
            }
        }
        if let Some(rest) = pos.get_mut(above as usize + 1..) {
            rest.fill(places.len() as u32);
        }
    } else {
        places.iter().for_each(|parent| pos[*parent as usize + 1] += 1);
        add_up(&mut pos);
    }
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
