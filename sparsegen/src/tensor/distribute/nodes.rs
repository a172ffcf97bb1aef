//! Nodes of adjacent levels, as parents and children.

use crate::level::{Kind, Listing};
use crate::memory::filled;

/// The nodes of a level that have entries below them, or all nodes.
pub(super) struct Nodes {
    pub(super) ends: Ends,
    pub(super) positions: Positions,
}

/// The end of the entries below each node.
pub(super) enum Ends {
    /// Each node is an entry.
    Entries,
    Listed(Vec<u32>),
}

/// The position of each node.
pub(super) enum Positions {
    /// The number of the node.
    Numbered,
    Listed(Vec<usize>),
}

impl Positions {
    /// Returns positions in compact form, or `None` if they do not increase, which only general
    /// packing supports. Increasing positions of all children equal the numbers of the children.
    pub(super) fn of(positions: Vec<usize>, children: usize) -> Option<Positions> {
        if !positions.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let is_all = positions.len() == children;
        Some(if is_all { Positions::Numbered } else { Positions::Listed(positions) })
    }

    fn get(&self, node: usize) -> usize {
        match self {
            Positions::Numbered => node,
            Positions::Listed(positions) => positions[node],
        }
    }
}

/// The nodes of a level and of the next level, as parents and children.
pub(super) struct Parents<'n> {
    pub(super) above: &'n Nodes,
    pub(super) below: &'n Ends,
    /// The number of entries.
    pub(super) entries: usize,
    /// The number of positions of the level above.
    pub(super) count: usize,
}

impl<'n> Parents<'n> {
    /// Returns the children as whole arrays, with `crd` as their coordinates, or `None`, with `crd`
    /// unchanged, if the level is not a list.
    pub(super) fn listing(&self, kind: &Kind, crd: &mut Vec<u32>) -> Option<Listing<'static>> {
        if !kind.list || kind.relative {
            return None;
        }
        if kind.branchless {
            let is_one_each = self.is_numbered() && crd.len() == self.count;
            let is_one_each = is_one_each && matches!(self.above.ends, Ends::Entries);
            return is_one_each.then(|| Listing::Single { crd: std::mem::take(crd).into() });
        }
        let mut pos = filled(0, self.count.checked_add(1)?)?;
        if let (Ends::Listed(ends), Ends::Entries, true) =
            (&self.above.ends, self.below, self.is_numbered())
        {
            pos[1..].copy_from_slice(ends);
        } else {
            let (mut next, mut before) = (1, 0);
            for (parent, end) in self.ends() {
                pos[next..=parent].fill(before);
                (next, before) = (parent + 2, end as u32);
                pos[parent + 1] = before;
            }
            pos[next..].fill(before);
        }
        Some(Listing::Segments { pos: pos.into(), crd: std::mem::take(crd).into() })
    }

    fn is_numbered(&self) -> bool {
        matches!(self.above.positions, Positions::Numbered)
    }

    /// Returns an iterator over the children, as positions of their parents and the coordinates in
    /// `crd`.
    pub(super) fn children<'c>(
        &self,
        crd: &'c [u32],
    ) -> Children<'c, impl Iterator<Item = (usize, usize)> + use<'n>> {
        Children { ends: self.ends(), crd, parent: 0, end: 0, passed: 0 }
    }

    /// Returns the position of each parent, and the number of children up to its last child.
    fn ends(&self) -> impl Iterator<Item = (usize, usize)> + use<'n> {
        let Parents { above, below, entries, .. } = *self;
        let parents = match &above.ends {
            Ends::Entries => entries,
            Ends::Listed(ends) => ends.len(),
        };
        let mut nodes = 0;
        (0..parents).map(move |parent| {
            let entries = match &above.ends {
                Ends::Entries => parent + 1,
                Ends::Listed(ends) => ends[parent] as usize,
            };
            match below {
                Ends::Entries => nodes = entries,
                Ends::Listed(ends) => {
                    while ends.get(nodes).is_some_and(|end| *end as usize <= entries) {
                        nodes += 1;
                    }
                }
            }
            (above.positions.get(parent), nodes)
        })
    }
}

/// An iterator over the nodes of a level, as positions of their parents and coordinates.
pub(super) struct Children<'c, I> {
    ends: I,
    /// The coordinates of the remaining nodes.
    crd: &'c [u32],
    /// The parent of the previous node.
    parent: usize,
    /// The number of nodes up to the last child of that parent.
    end: usize,
    /// The number of nodes visited.
    passed: usize,
}

impl<I: Iterator<Item = (usize, usize)>> Iterator for Children<'_, I> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let (coordinate, rest) = self.crd.split_first()?;
        self.crd = rest;
        while self.passed == self.end {
            (self.parent, self.end) = self.ends.next()?;
        }
        self.passed += 1;
        Some((self.parent, *coordinate as usize))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.crd.len(), Some(self.crd.len()))
    }
}

impl<I: Iterator<Item = (usize, usize)>> ExactSizeIterator for Children<'_, I> {}
