//! `compressed`: the stored coordinates, one segment of an array per parent.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing, narrowed, repeated,
    segments, widened,
};
use crate::Width;

/// A level that stores the coordinates of the children of each parent in one segment of `crd`.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : compressed)`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map =
///         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "compressed")]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Compressed);
/// }
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 3], entries)?;
/// let columns = &a.levels().1;
/// assert_eq!((&*columns.pos, &*columns.crd), (&[0, 1, 3][..], &[1, 0, 2][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Compressed<P = u32, C = u32> {
    /// The bounds of the segments: `pos[parent]..pos[parent + 1]` is the segment of `parent`. It
    /// has one more element than there are parents.
    pub pos: Vec<P>,
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`Compressed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedView<'a, P = u32, C = u32> {
    /// The bounds of the segments: `pos[parent]..pos[parent + 1]` is the segment of `parent`. It
    /// has one more element than there are parents.
    pub pos: &'a [P],
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` appends the nodes in order, closes a segment after each parent, and checks that
// positions and coordinates fit; `build_list` checks the same of given arrays. Padding keeps
// coordinates sorted and below the size.
unsafe impl<P: Width, C: Width> Level for Compressed<P, C> {
    const KIND: Kind = Kind::new("compressed").compact().list();

    type View<'a> = CompressedView<'a, P, C>;

    fn view(&self) -> CompressedView<'_, P, C> {
        CompressedView { pos: &self.pos, crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let Compressed { mut pos, mut crd } = Self::childless(axis, parents)?;
        let positions = segments::build(axis, parents, nodes, &mut crd, |parent, segment| {
            pos[parent + 1] = narrowed(segment.end)?;
            Ok(())
        })?;
        Ok((Compressed { pos, crd }, positions))
    }

    fn build_list(axis: &Axis, list: &mut Listing<'_>) -> Option<Result<Self, Fault>> {
        match list {
            Listing::Segments { pos, crd } if !axis.properties.full => Some(
                listing::coordinates(axis, crd)
                    .and_then(|crd| Ok(Compressed { pos: listing::positions(pos)?, crd })),
            ),
            Listing::Every(_)
            | Listing::Segments { .. }
            | Listing::Single { .. }
            | Listing::Slots { .. } => None,
        }
    }

    fn empty(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        if axis.properties.full {
            return Ok(Self::build(axis, parents, core::iter::empty())?.0);
        }
        Self::childless(axis, parents)
    }
}

impl<P: Width, C: Width> Compressed<P, C> {
    /// Returns a level with an empty segment for each parent.
    fn childless(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        axis.fits::<C>()?;
        let bounds = parents.checked_add(1).ok_or(Fault::Size)?;
        Ok(Compressed { pos: repeated(P::default(), bounds)?, crd: Vec::new() })
    }
}

impl<P: Width, C: Width> CompressedView<'_, P, C> {
    fn segment(&self, parent: usize) -> Range<usize> {
        self.pos[parent].to_usize()..self.pos[parent + 1].to_usize()
    }

    /// Checks that `pos` divides `crd` into one segment per parent.
    fn validate_segments(&self, parents: usize) -> Result<(), Fault> {
        let (pos, crd) = (self.pos, self.crd);
        if parents.checked_add(1) != Some(pos.len()) {
            let reason = format!(
                "`pos` has {} elements, but {parents} parents need one more than there are parents",
                pos.len()
            );
            return Err(Fault::broken(pos.len(), reason));
        }
        segments::validate_bounds("pos", pos, ("crd", crd.len()))
    }
}

// SAFETY: `validate` checks that the segments lie one after the other within `crd`, so positions
// are below its length, and every coordinate against the size of the axis.
unsafe impl<P: Width, C: Width> LevelView for CompressedView<'_, P, C> {
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

    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Segments {
            pos: listing::narrow(self.pos)?,
            crd: listing::narrow_crd(axis, self.crd)?,
        })
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
        vec![("pos", widened(self.pos)), ("crd", widened(self.crd))]
    }
}
