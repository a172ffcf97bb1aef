//! `offset`: the coordinate that follows from a diagonal and the other dimension's.

use std::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// A level whose coordinates follow from those of outer levels, which store another dimension and
/// the sum or difference of both. It stores nothing; the child has its parent's position.
///
/// In `dia`, `(i, j) -> (j - i : compressed, i : range, j : offset)`, the column of a diagonal's
/// entry in a row. The level above must be such that columns lie inside the dimension: a `range`,
/// or one that does not pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset;

// SAFETY: there is nothing that `validate` could refuse. Whether coordinates lie inside the
// dimension is checked by whoever built the levels, as after validating.
unsafe impl Level for Offset {
    const KIND: Kind = Kind::new("offset").branchless().relative().list();

    type View<'a> = Offset;

    fn view(&self) -> Offset {
        *self
    }

    fn build(
        _: &Axis,
        _: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        Ok((Offset, nodes.map(|(parent, _)| parent).collect()))
    }
}

// SAFETY: a child's position is its parent's. The caller of `validate` checks that no coordinate
// lies outside the dimension, as it does for every branchless and relative level.
unsafe impl LevelView for Offset {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        Some(parents)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        parent.position..parent.position + 1
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let coordinate = axis.diagonal.as_ref()?.coordinate(parent.coords)?;
        let inside = usize::try_from(coordinate).ok().filter(|c| *c < axis.size)?;
        Some((inside, slot))
    }

    fn validate(&self, _: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        Ok(parents.count())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        Vec::new()
    }
}
