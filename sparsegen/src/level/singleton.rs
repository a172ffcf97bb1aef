//! `singleton`: exactly one child per parent, at the parent's position.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing, repeated, widened,
};
use crate::Width;

/// A level that stores one coordinate per parent; the position of a child is that of its parent.
///
/// ```
/// use sparsegen::{Coo, Tensor, level};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Coo<2>>::from_triplets([2, 3], entries)?;
/// let (rows, columns): &(level::Compressed, level::Singleton) = a.levels();
/// assert_eq!((&*rows.crd, &*columns.crd), (&[0, 1, 1][..], &[1, 0, 2][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Singleton<C = u32> {
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`Singleton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingletonView<'a, C = u32> {
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` stores one coordinate per parent, that of its node or the padding 0, which is a
// coordinate of every nonempty dimension; so does `insert`, which checks that there is no other.
unsafe impl<C: Width> Level for Singleton<C> {
    const KIND: Kind = Kind::new("singleton").branchless().compact().list();

    type View<'a> = SingletonView<'a, C>;

    fn view(&self) -> SingletonView<'_, C> {
        SingletonView { crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        check_full(axis, parents)?;
        // The padding is the smallest coordinate, so that the operand values at it stay in cache.
        let mut crd = repeated(axis.stored(0)?, parents)?;
        let mut positions = Vec::with_capacity(nodes.len());
        for (index, (parent, coordinate)) in nodes.enumerate() {
            if positions.last() == Some(&parent) {
                return Err(Fault::broken(index, OCCUPIED));
            }
            crd[parent] = axis.stored(coordinate)?;
            positions.push(parent);
        }
        Ok((Singleton { crd }, positions))
    }

    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        Some(Self::insert_all(axis, parents, positions, coords))
    }
}

impl<C: Width> Singleton<C> {
    fn insert_all(
        axis: &Axis,
        parents: usize,
        positions: &[u32],
        coords: &[u32],
    ) -> Result<Self, Fault> {
        axis.fits::<C>()?;
        check_full(axis, parents)?;
        if listing::is_identity(positions, parents) {
            return Ok(Singleton { crd: listing::coordinates(axis, &mut coords.into())? });
        }
        let mut crd = repeated(axis.stored(0)?, parents)?;
        for (parent, coordinate) in positions.iter().zip(coords) {
            crd[*parent as usize] = axis.stored(*coordinate as usize)?;
        }
        let is_other = |(parent, coordinate): (&u32, &u32)| {
            axis.coordinate(crd[*parent as usize]) != *coordinate as usize
        };
        match positions.iter().zip(coords).position(is_other) {
            Some(index) => Err(Fault::broken(index, OCCUPIED)),
            None => Ok(Singleton { crd }),
        }
    }
}

/// The reason why a parent does not take another child.
const OCCUPIED: &str = "a singleton level has room for one coordinate under each coordinate of the \
                        level above, and a second one is given; declare the level above nonunique \
                        if it is compressed, or this one compressed";

/// Checks that a level declared full has at most one coordinate.
fn check_full(axis: &Axis, parents: usize) -> Result<(), Fault> {
    if axis.properties.full && parents > 0 { axis.is_full(1, 0) } else { Ok(()) }
}

// SAFETY: `validate` checks that there is one coordinate per parent, so the positions of parents
// are positions of children, and checks every coordinate against the size of the axis. If the size
// is 0, its caller checks that there are no parents.
unsafe impl<C: Width> LevelView for SingletonView<'_, C> {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        Some(parents)
    }

    fn grown(&self, axis: &Axis, parents: usize, _: usize) -> Option<usize> {
        (!axis.counted).then_some(parents)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        parent.position..parent.position + 1
    }

    fn child(&self, axis: &Axis, _: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((axis.coordinate(self.crd[slot]), slot))
    }

    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Single { crd: listing::narrow_crd(axis, self.crd)? })
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        if self.crd.len() != parents.count() {
            let (length, count) = (self.crd.len(), parents.count());
            let reason = format!("`crd` has {length} elements for {count} parents");
            return Err(Fault::broken(length, reason));
        }
        check_full(axis, parents.count())?;
        // Without coordinates there are no parents, but there may be unused positions.
        if axis.size > 0 {
            for (index, coordinate) in self.crd.iter().enumerate() {
                axis.contains(*coordinate, index)?;
            }
        }
        Ok(self.crd.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("crd", widened(self.crd))]
    }
}
