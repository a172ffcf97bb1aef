//! `structured(n, m)`: a fixed number of coordinates of each block.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing, repeated, widened,
};
use crate::Width;

/// A level over `j % m` that stores exactly `N` of the `M` coordinates of each block, in increasing
/// order; the sparse matrix units of graphics processors multiply 2 of 4. The children of `parent`
/// are at positions `parent * N..(parent + 1) * N`.
///
/// Building pads blocks that have fewer entries with the least unused coordinates, and refuses
/// blocks that have more.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : structured(2, 3))`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map =
///         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "structured").parameters(&[2, 3])]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Structured<u32, 2, 3>);
/// }
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 3], entries)?;
/// let columns = &a.levels().1;
/// // Row 0 is padded with column 0.
/// assert_eq!(columns.crd, [0, 1, 0, 2]);
/// assert_eq!(a.vals(), [0.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Structured<C, const N: usize, const M: usize> {
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`Structured`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructuredView<'a, C, const N: usize, const M: usize> {
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` stores `N` increasing coordinates below the size for each parent.
unsafe impl<C: Width, const N: usize, const M: usize> Level for Structured<C, N, M> {
    const KIND: Kind = {
        assert!(
            0 < N && N <= M,
            "a structured level stores from 1 to all of a block's coordinates"
        );
        Kind::new("structured").parameters(&[N, M]).compact().pads()
    };

    type View<'a> = StructuredView<'a, C, N, M>;

    fn view(&self) -> StructuredView<'_, C, N, M> {
        StructuredView { crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        check_block(axis, M)?;
        axis.fits::<C>()?;
        let mut crd = repeated(C::default(), parents.checked_mul(N).ok_or(Fault::Size)?)?;
        let mut positions = Vec::with_capacity(nodes.len());
        let mut nodes = nodes.enumerate().peekable();
        for parent in 0..parents {
            let (mut given, mut count) = ([false; M], 0);
            while let Some((index, (_, coordinate))) = nodes.next_if(|(_, (q, _))| *q == parent) {
                if count == N {
                    return Err(Fault::broken(index, full(N, M)));
                }
                given[coordinate] = true;
                count += 1;
            }
            let mut padding = N - count;
            let mut position = parent * N;
            for (coordinate, is_given) in given.into_iter().enumerate() {
                if is_given {
                    positions.push(position);
                } else if padding > 0 {
                    padding -= 1;
                } else {
                    continue;
                }
                crd[position] = axis.stored(coordinate)?;
                position += 1;
            }
        }
        Ok((Structured { crd }, positions))
    }
}

/// Returns why a block does not take another coordinate.
pub(crate) fn full(kept: usize, block: usize) -> String {
    format!(
        "structured({kept}, {block}) keeps {kept} of the {block} coordinates of a block, and one \
         more is given; leave out the smallest values, or choose another format"
    )
}

/// Checks that the axis of the level has as many coordinates as its declared blocks.
fn check_block(axis: &Axis, block: usize) -> Result<(), Fault> {
    if axis.size == block && axis.first == 0 {
        return Ok(());
    }
    let reason = format!("the level is for {block} coordinates, and its axis has {}", axis.size);
    Err(Fault::broken(0, reason))
}

// SAFETY: `validate` checks that there are `N` coordinates per parent, so positions are below their
// number, and checks every coordinate against the size of the axis.
unsafe impl<C: Width, const N: usize, const M: usize> LevelView for StructuredView<'_, C, N, M> {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(N)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        parent.position * N..(parent.position + 1) * N
    }

    fn child(&self, axis: &Axis, _: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((axis.coordinate(self.crd[slot]), slot))
    }

    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Slots { count: N, crd: listing::narrow_crd(axis, self.crd)? })
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        check_block(axis, M)?;
        axis.fits::<C>()?;
        let (length, count) = (self.crd.len(), parents.count());
        if self.children(axis, count) != Some(length) {
            let reason = format!("`crd` has {length} elements for {count} blocks of {N} each");
            return Err(Fault::broken(length, reason));
        }
        for (index, stored) in self.crd.iter().enumerate() {
            axis.contains(*stored, index)?;
            if index % N > 0 && self.crd[index - 1] >= *stored {
                let before = self.crd[index - 1];
                let reason = format!("coordinates of a block go from {before:?} to {stored:?}");
                return Err(Fault::broken(index, reason));
            }
        }
        Ok(length)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("crd", widened(self.crd))]
    }
}
