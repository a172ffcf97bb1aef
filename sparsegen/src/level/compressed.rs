//! `compressed`: the coordinates that are there, one segment of an array per parent.

use std::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Node, Parents, narrowed, widened, zeros};
use crate::Width;

/// A level that stores the coordinates of each parent's children in one segment of `crd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compressed<P = u32, C = u32> {
    /// Where segments begin and end: that of `parent` is `pos[parent]..pos[parent + 1]`. One
    /// element more than there are parents.
    pub pos: Vec<P>,
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`Compressed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedView<'a, P = u32, C = u32> {
    /// Where segments begin and end: that of `parent` is `pos[parent]..pos[parent + 1]`. One
    /// element more than there are parents.
    pub pos: &'a [P],
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` appends the nodes in order, closes a segment after each parent, and checks that
// positions and coordinates fit; padding keeps coordinates in order and below the size.
unsafe impl<P: Width, C: Width> Level for Compressed<P, C> {
    const KIND: Kind = Kind { name: "compressed", full: false, branchless: false };

    type View<'a> = CompressedView<'a, P, C>;

    fn view(&self) -> CompressedView<'_, P, C> {
        CompressedView { pos: &self.pos, crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let full = axis.properties.full;
        let mut level = Self::childless(axis, parents)?;
        let padded = if full { parents.checked_mul(axis.size) } else { Some(0) };
        let count = padded.ok_or(Fault::Size)?.max(nodes.len());
        level.crd.try_reserve_exact(count).map_err(|_| Fault::Size)?;
        let mut positions = Vec::with_capacity(nodes.len());
        let mut nodes = nodes.peekable();
        for parent in 0..parents {
            // Below this, all coordinates of a full level are there.
            let mut next = 0;
            while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
                if full {
                    level.append(next..coordinate)?;
                }
                positions.push(level.crd.len());
                level.append(coordinate..coordinate + 1)?;
                next = coordinate + 1;
            }
            if full {
                level.append(next..axis.size)?;
            }
            level.pos[parent + 1] = narrowed("positions", level.crd.len())?;
        }
        Ok((level, positions))
    }

    fn empty(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        if axis.properties.full {
            return Ok(Self::build(axis, parents, std::iter::empty())?.0);
        }
        Self::childless(axis, parents)
    }
}

impl<P: Width, C: Width> Compressed<P, C> {
    /// One empty segment per parent.
    fn childless(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        axis.fits::<C>()?;
        let bounds = parents.checked_add(1).ok_or(Fault::Size)?;
        Ok(Compressed { pos: zeros(bounds)?, crd: Vec::new() })
    }

    fn append(&mut self, coordinates: Range<usize>) -> Result<(), Fault> {
        for coordinate in coordinates {
            self.crd.push(narrowed("coordinates", coordinate)?);
        }
        Ok(())
    }
}

impl<P: Width, C: Width> CompressedView<'_, P, C> {
    fn segment(&self, parent: usize) -> Range<usize> {
        self.pos[parent].to_usize()..self.pos[parent + 1].to_usize()
    }

    /// Checks that `pos` cuts `crd` into one segment per parent.
    fn validate_segments(&self, parents: usize) -> Result<(), Fault> {
        let (pos, crd) = (self.pos, self.crd);
        if parents.checked_add(1) != Some(pos.len()) {
            let reason = format!(
                "`pos` has {} elements, but {parents} parents need one more than there are parents",
                pos.len()
            );
            return Err(Fault::broken(pos.len(), reason));
        }
        if pos[0] != P::default() {
            let reason = format!("`pos` starts at {}, not at 0", pos[0].to_usize());
            return Err(Fault::broken(0, reason));
        }
        if let Some(index) = pos.windows(2).position(|pair| pair[0] > pair[1]) {
            let (from, to) = (pos[index].to_usize(), pos[index + 1].to_usize());
            let reason = format!("`pos` decreases from {from} to {to}");
            return Err(Fault::broken(index + 1, reason));
        }
        let end = pos[parents].to_usize();
        if end != crd.len() {
            let reason = format!("`pos` ends at {end}, but `crd` has {} elements", crd.len());
            return Err(Fault::broken(parents, reason));
        }
        Ok(())
    }

    /// Checks the coordinates of one parent's children; `scratch` is only for those that stand in
    /// no order.
    fn validate_siblings(
        &self,
        segment: Range<usize>,
        axis: &Axis,
        scratch: &mut Vec<C>,
    ) -> Result<(), Fault> {
        let first = segment.start;
        let stored = &self.crd[segment];
        let properties = axis.properties;
        // Nearly all levels are ordered and unique: one pass, whose last coordinate is the largest.
        let increases = stored.is_sorted_by(|a, b| a < b);
        if increases && !properties.full && stored.last().is_none_or(|c| c.to_usize() < axis.size) {
            return Ok(());
        }
        if let Some(index) = stored.iter().position(|c| c.to_usize() >= axis.size) {
            return axis.contains(stored[index].to_usize(), first + index);
        }
        if properties.ordered
            && let Some(index) = stored.windows(2).position(|pair| pair[0] > pair[1])
        {
            let (from, to) = (stored[index].to_usize(), stored[index + 1].to_usize());
            let reason = format!("coordinates decrease from {from} to {to} in an ordered level");
            return Err(Fault::broken(first + index + 1, reason));
        }
        let sorted = if properties.ordered || !(properties.unique || properties.full) {
            stored
        } else {
            scratch.clear();
            scratch.extend_from_slice(stored);
            scratch.sort_unstable();
            scratch
        };
        if properties.unique
            && let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1])
        {
            let copies = stored.iter().enumerate().filter(|(_, c)| **c == pair[0]);
            let second = copies.map(|(index, _)| index).nth(1).unwrap_or(0);
            let reason =
                format!("coordinate {} stands twice in a unique level", pair[0].to_usize());
            return Err(Fault::broken(first + second, reason));
        }
        if properties.full {
            let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
            let (distinct, size) = (sorted.len() - repeated, axis.size);
            if distinct != size {
                let reason = format!("a full level has {distinct} of {size} coordinates here");
                return Err(Fault::broken(first, reason));
            }
        }
        Ok(())
    }
}

// SAFETY: `validate` checks that the segments lie one after the other within `crd`, so positions
// are below its length, and every coordinate against the size of the axis.
unsafe impl<P: Width, C: Width> LevelView for CompressedView<'_, P, C> {
    fn children(&self, _: usize) -> Option<usize> {
        Some(self.crd.len())
    }

    fn expand(&self, parent: Node<'_>) -> Range<usize> {
        self.segment(parent.position)
    }

    fn child(&self, _: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((self.crd[slot].to_usize(), slot))
    }

    fn locate(&self, parent: Node<'_>, coordinate: usize, axis: &Axis) -> Range<usize> {
        let segment = self.segment(parent.position);
        if !axis.properties.ordered {
            return segment;
        }
        let stored = &self.crd[segment.clone()];
        let before = stored.partition_point(|c| c.to_usize() < coordinate);
        let equal = stored[before..].partition_point(|c| c.to_usize() == coordinate);
        segment.start + before..segment.start + before + equal
    }

    fn validate(&self, parents: &Parents<'_>, axis: &Axis) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        self.validate_segments(parents.count())?;
        let mut scratch = Vec::new();
        for parent in 0..parents.count() {
            self.validate_siblings(self.segment(parent), axis, &mut scratch)?;
        }
        Ok(self.crd.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("pos", widened(self.pos)), ("crd", widened(self.crd))]
    }
}
