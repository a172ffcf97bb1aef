//! `loose_compressed`: like `compressed`, with gaps between segments, which may have any order.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Node, Parents, narrowed, repeated, segments, widened,
};
use crate::Width;

/// A level that stores the coordinates of the children of each parent in one segment of `crd`,
/// which may have gaps before, between and after segments.
///
/// Coordinates and values in gaps are ignored. Building leaves no gaps.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : loose_compressed)`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map =
///         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "loose_compressed")]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::LooseCompressed);
/// }
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 3], entries)?;
/// let columns = &a.levels().1;
/// assert_eq!((&*columns.lo, &*columns.hi), (&[0, 1][..], &[1, 3][..]));
/// assert_eq!(columns.crd, [1, 0, 2]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LooseCompressed<P = u32, C = u32> {
    /// The begin of the segment of each parent.
    pub lo: Vec<P>,
    /// The end of the segment of each parent: `lo[parent]..hi[parent]` is the segment of `parent`.
    pub hi: Vec<P>,
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`LooseCompressed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LooseCompressedView<'a, P = u32, C = u32> {
    /// The begin of the segment of each parent.
    pub lo: &'a [P],
    /// The end of the segment of each parent: `lo[parent]..hi[parent]` is the segment of `parent`.
    pub hi: &'a [P],
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` appends the nodes in order, stores one segment per parent, and checks that
// positions and coordinates fit; padding keeps coordinates sorted and below the size.
unsafe impl<P: Width, C: Width> Level for LooseCompressed<P, C> {
    const KIND: Kind = Kind::new("loose_compressed").list();

    type View<'a> = LooseCompressedView<'a, P, C>;

    fn view(&self) -> LooseCompressedView<'_, P, C> {
        LooseCompressedView { lo: &self.lo, hi: &self.hi, crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        let (mut lo, mut hi) = (repeated(P::default(), parents)?, repeated(P::default(), parents)?);
        let mut crd = Vec::new();
        let positions = segments::build(axis, parents, nodes, &mut crd, |parent, segment| {
            (lo[parent], hi[parent]) = (narrowed(segment.start)?, narrowed(segment.end)?);
            Ok(())
        })?;
        Ok((LooseCompressed { lo, hi, crd }, positions))
    }
}

impl<P: Width, C: Width> LooseCompressedView<'_, P, C> {
    fn segment(&self, parent: usize) -> Range<usize> {
        self.lo[parent].to_usize()..self.hi[parent].to_usize()
    }

    /// Checks that `lo` and `hi` are the bounds of disjoint segments of `crd`, one per parent.
    fn validate_segments(&self, parents: usize) -> Result<(), Fault> {
        for (name, array) in [("lo", self.lo), ("hi", self.hi)] {
            if array.len() != parents {
                let reason = format!("`{name}` has {} elements for {parents} parents", array.len());
                return Err(Fault::broken(array.len(), reason));
            }
        }
        for parent in 0..parents {
            let (lo, hi, length) = (self.lo[parent], self.hi[parent], self.crd.len());
            if lo > hi || lo < P::default() {
                let reason = format!("a segment begins at {lo:?} and ends at {hi:?}");
                return Err(Fault::broken(parent, reason));
            }
            if hi.to_usize() > length {
                let reason = format!("a segment ends at {hi:?}, but `crd` has {length} elements");
                return Err(Fault::broken(parent, reason));
            }
        }
        let mut filled: Vec<usize> = (0..parents).filter(|q| self.lo[*q] < self.hi[*q]).collect();
        filled.sort_by_key(|parent| self.lo[*parent]);
        match filled.windows(2).find(|pair| self.hi[pair[0]] > self.lo[pair[1]]) {
            None => Ok(()),
            Some(pair) => {
                let (first, second) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                let reason = format!("the segment overlaps that of parent {first}");
                Err(Fault::broken(second, reason))
            }
        }
    }
}

// SAFETY: `validate` checks that segments are disjoint and lie within `crd`, so positions are below
// its length, and every coordinate in them against the size of the axis.
unsafe impl<P: Width, C: Width> LevelView for LooseCompressedView<'_, P, C> {
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        Some(self.crd.len())
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        segments::grown::<P>(axis, parents, self.crd.len().checked_add(added)?)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        self.segment(parent.position)
    }

    fn child(&self, axis: &Axis, _: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((axis.coordinate(self.crd[slot]), slot))
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> Range<usize> {
        segments::locate(axis, self.crd, self.segment(parent.position), coordinate)
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        self.validate_segments(parents.count())?;
        let mut scratch = Vec::new();
        for parent in 0..parents.count() {
            segments::validate(axis, self.crd, self.segment(parent), &mut scratch)?;
        }
        Ok(self.crd.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("lo", widened(self.lo)), ("hi", widened(self.hi)), ("crd", widened(self.crd))]
    }
}
