//! `range`: the coordinates of a dimension that lie on a diagonal.

use alloc::vec::Vec;

use super::{Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing};

/// A level of the coordinates on a diagonal: those for which the coordinate of another dimension,
/// given by the sum or difference at an outer level, is within its extent. It stores nothing: the
/// child of `parent` with coordinate `i` is at position `parent * size + i`, for the size of the
/// dimension.
///
/// In `dia`, `(i, j) -> (j - i : compressed, i : range, j : offset)`, these are the rows that a
/// diagonal intersects. Positions beyond its ends belong to no entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Range;

// SAFETY: the storage is empty, and valid unless the number of positions overflows, which `build`
// also checks.
unsafe impl Level for Range {
    const KIND: Kind = Kind::new("range").pads().relative();

    type View<'a> = Range;

    fn view(&self) -> Range {
        *self
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        parents.checked_mul(axis.size).ok_or(Fault::Size)?;
        let positions = nodes.map(|(parent, coordinate)| parent * axis.size + coordinate);
        Ok((Range, positions.collect()))
    }

    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        Some(listing::number(axis, parents, positions, coords).map(|()| Range))
    }
}

/// Returns the coordinates on the diagonal of `parent`.
fn bounds(axis: &Axis, parent: Node<'_>) -> core::ops::Range<usize> {
    match &axis.diagonal {
        Some(diagonal) => diagonal.bounds(axis.size, parent.coords),
        None => 0..axis.size,
    }
}

// SAFETY: coordinates are below the size of the axis, so positions are below the number of parents
// times that size.
unsafe impl LevelView for Range {
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(axis.size)
    }

    fn grown(&self, axis: &Axis, parents: usize, _: usize) -> Option<usize> {
        parents.checked_mul(axis.size)
    }

    fn expand(&self, axis: &Axis, parent: Node<'_>) -> core::ops::Range<usize> {
        bounds(axis, parent)
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((slot, parent.position * axis.size + slot))
    }

    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Every(axis.size))
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> core::ops::Range<usize> {
        let inside = bounds(axis, parent).contains(&coordinate);
        if inside { coordinate..coordinate + 1 } else { 0..0 }
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        self.children(axis, parents.count()).ok_or(Fault::Size)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        Vec::new()
    }
}
