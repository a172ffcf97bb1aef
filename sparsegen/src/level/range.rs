//! `range`: the coordinates of a dimension that lie on a diagonal.

use super::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// A level of those coordinates with which another dimension's, which an outer level's sum or
/// difference gives, stays within its extent. It stores nothing: the child of `parent` with
/// coordinate `i` is at position `parent * size + i`, for the dimension's size.
///
/// In `dia`, `(i, j) -> (j - i : compressed, i : range, j : offset)`, the rows that a diagonal
/// meets. Positions beyond its ends belong to no entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range;

// SAFETY: there is nothing that `validate` could refuse, but for a number of positions that
// overflows, which `build` refuses too.
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
}

/// The rows that a diagonal meets.
fn bounds(axis: &Axis, parent: Node<'_>) -> std::ops::Range<usize> {
    match &axis.diagonal {
        Some(diagonal) => diagonal.bounds(axis.size, parent.coords),
        None => 0..axis.size,
    }
}

// SAFETY: coordinates are below the size of the axis, and so positions are below the number of
// parents times that.
unsafe impl LevelView for Range {
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(axis.size)
    }

    fn expand(&self, axis: &Axis, parent: Node<'_>) -> std::ops::Range<usize> {
        bounds(axis, parent)
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((slot, parent.position * axis.size + slot))
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> std::ops::Range<usize> {
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
