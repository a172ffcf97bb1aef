//! The nodes of levels that are built one after the other, as parents and as children.

use crate::level::{Kind, Listing};
use crate::memory::filled;

/// The nodes of a level that have entries below them, or all that there are.
pub(super) struct Nodes {
    pub(super) ends: Ends,
    pub(super) positions: Positions,
}

/// Where the entries below each node end.
pub(super) enum Ends {
    /// Each node is an entry.
    Entries,
    Listed(Vec<u32>),
}

/// The position of each node.
pub(super) enum Positions {
    /// Its number.
    Numbered,
    Listed(Vec<usize>),
}

impl Positions {
    /// Positions that increase, as those of levels that do not choose them as they like, which are
    /// for the general way. All of as many as there are children are their numbers.
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

/// The nodes of one level as parents of those of the next.
pub(super) struct Parents<'n> {
    pub(super) above: &'n Nodes,
    pub(super) below: &'n Ends,
    /// How many entries there are.
    pub(super) entries: usize,
    /// How many positions the level above has.
    pub(super) count: usize,
}

impl<'n> Parents<'n> {
    /// The nodes of a list as whole arrays, with `crd` as their coordinates, which is left as it is
    /// where the level is none.
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

    /// The nodes, as their parents' positions and the coordinates in `crd`.
    pub(super) fn children<'c>(
        &self,
        crd: &'c [u32],
    ) -> Children<'c, impl Iterator<Item = (usize, usize)> + use<'n>> {
        Children { ends: self.ends(), crd, parent: 0, end: 0, passed: 0 }
    }

    /// The position of each parent, and how many nodes there are up to its last.
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

/// The nodes of a level, as their parents' positions and their own coordinates.
pub(super) struct Children<'c, I> {
    ends: I,
    /// The coordinates of the nodes to come.
    crd: &'c [u32],
    /// The parent of the node before.
    parent: usize,
    /// How many nodes there are up to its last.
    end: usize,
    /// How many nodes came already.
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
