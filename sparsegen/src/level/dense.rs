//! `dense`: every coordinate under every parent, so that nothing needs to be stored.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing};

/// A level that stores every coordinate: the child of `parent` with coordinate `i` is at position
/// `parent * size + i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dense {
    /// The number of coordinates: the dimension's extent, or the largest count of a level over
    /// `#i`.
    pub size: usize,
}

/// A borrowed [`Dense`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenseView {
    /// The number of coordinates: the dimension's extent, or the largest count of a level over
    /// `#i`.
    pub size: usize,
}

// SAFETY: `build` stores the size of the axis, which is all that `validate` checks.
unsafe impl Level for Dense {
    const KIND: Kind = Kind::new("dense").full().compact();

    type View<'a> = DenseView;

    fn view(&self) -> DenseView {
        DenseView { size: self.size }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let size = axis.size;
        parents.checked_mul(size).ok_or(Fault::Size)?;
        let positions = nodes.map(|(parent, coordinate)| parent * size + coordinate);
        Ok((Dense { size }, positions.collect()))
    }

    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        let numbered = listing::number(axis, parents, positions, coords);
        Some(numbered.map(|()| Dense { size: axis.size }))
    }
}

// SAFETY: coordinates are below `size`, which is the size of the axis, and so positions are below
// the number of parents times `size`.
unsafe impl LevelView for DenseView {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(self.size)
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        let counted = if axis.counted { added } else { 0 };
        parents.checked_mul(self.size.checked_add(counted)?)
    }

    fn expand(&self, _: &Axis, _: Node<'_>) -> Range<usize> {
        0..self.size
    }

    fn child(&self, _: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((slot, parent.position * self.size + slot))
    }

    fn listing(&self, _: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Every(self.size))
    }

    fn locate(&self, _: &Axis, _: Node<'_>, coordinate: usize) -> Range<usize> {
        if coordinate < self.size { coordinate..coordinate + 1 } else { 0..0 }
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.is_size(self.size)?;
        self.children(axis, parents.count()).ok_or(Fault::Size)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("size", vec![self.size])]
    }
}
