//! `offset`: the coordinate that a diagonal and the coordinate of another dimension determine.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// A level whose coordinates follow from those of outer levels, which store another dimension and
/// the sum or difference of both. It stores nothing; a child has the position of its parent.
///
/// In `dia`, `(i, j) -> (j - i : compressed, i : range, j : offset)`, it computes the column of the
/// entry of a diagonal in a row. The level above must ensure that columns lie within the dimension:
/// it must be a `range`, or not pad.
///
/// ```
/// use sparsegen::{Dia, Tensor, level};
///
/// let a = Tensor::<f64, Dia>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let (diagonals, level::Range, level::Offset) = a.levels();
/// assert_eq!(diagonals.crd, [1]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Offset;

// SAFETY: every storage is valid. The code that builds or validates a tensor checks that
// coordinates lie within the dimension.
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

    fn insert(_: &Axis, _: usize, _: &mut [u32], _: &[u32]) -> Option<Result<Self, Fault>> {
        Some(Ok(Offset))
    }
}

// SAFETY: the position of a child is that of its parent. The caller of `validate` checks that
// coordinates lie within the dimension, as for every branchless and relative level.
unsafe impl LevelView for Offset {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        Some(parents)
    }

    fn grown(&self, _: &Axis, parents: usize, _: usize) -> Option<usize> {
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
