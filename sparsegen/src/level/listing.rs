//! Levels as whole arrays, which conversion and packing process without a call per child.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::any::Any;

use super::{Axis, Fault, narrowed};
use crate::Width;

/// The children of all parents of a level, ordered by their positions, which are the numbers from
/// 0. Coordinates count from 0, even if the level's arrays store them shifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing<'a> {
    /// Each parent has the coordinates below this number.
    Every(usize),
    /// Each parent has the coordinates of a segment.
    Segments {
        /// The bounds of the segments, from 0: one more element than there are parents.
        pos: Cow<'a, [u32]>,
        /// The coordinate at each position.
        crd: Cow<'a, [u32]>,
    },
    /// Each parent has one coordinate.
    Single {
        /// The coordinate at each position.
        crd: Cow<'a, [u32]>,
    },
    /// Each parent has a number of slots, and a child in some of them, whose position is the slot.
    Slots {
        /// The number of slots of each parent.
        count: usize,
        /// The coordinate in each slot; the largest number marks an unused slot.
        crd: Cow<'a, [u32]>,
    },
}

/// Returns an array as `u32`, without a copy if it has that type, or `None` if a number does not
/// fit.
pub(super) fn narrow<W: Width>(array: &[W]) -> Option<Cow<'_, [u32]>> {
    if let Some(same) = W::as_u32(array) {
        return Some(Cow::Borrowed(same));
    }
    array.iter().map(|number| u32::try_from(number.to_usize()).ok()).collect()
}

/// Returns coordinates as `u32`, without a copy if arrays store them so.
pub(super) fn narrow_crd<'a, C: Width>(axis: &Axis, crd: &'a [C]) -> Option<Cow<'a, [u32]>> {
    if axis.first == 0 {
        return narrow(crd);
    }
    crd.iter().map(|stored| u32::try_from(axis.coordinate(*stored)).ok()).collect()
}

/// Returns the coordinates in slots as `u32`, where the largest number of `C` marks an unused slot.
pub(super) fn narrow_slots<'a, C: Width>(axis: &Axis, crd: &'a [C]) -> Option<Cow<'a, [u32]>> {
    if axis.first == 0
        && let Some(same) = C::as_u32(crd)
    {
        return Some(Cow::Borrowed(same));
    }
    let narrowed = |stored: &C| match *stored == C::MAX {
        true => Some(u32::MAX),
        false => u32::try_from(axis.coordinate(*stored)).ok().filter(|c| *c < u32::MAX),
    };
    crd.iter().map(narrowed).collect()
}

/// Converts coordinates to the type that stores them.
pub(super) fn coordinates<C: Width>(
    axis: &Axis,
    crd: &mut Cow<'_, [u32]>,
) -> Result<Vec<C>, Fault> {
    axis.fits::<C>()?;
    let crd = core::mem::take(crd).into_owned();
    if axis.first == 0 {
        return kept(crd, |coordinate| axis.stored(coordinate));
    }
    crd.into_iter().map(|coordinate| axis.stored(coordinate as usize)).collect()
}

/// Converts positions to the type that stores them.
pub(super) fn positions<P: Width>(pos: &mut Cow<'_, [u32]>) -> Result<Vec<P>, Fault> {
    kept(core::mem::take(pos).into_owned(), narrowed)
}

/// Converts an array to another integer type. Keeps the array if it has that type.
fn kept<W: Width>(
    mut array: Vec<u32>,
    convert: impl Fn(usize) -> Result<W, Fault>,
) -> Result<Vec<W>, Fault> {
    if let Some(same) = (&mut array as &mut dyn Any).downcast_mut::<Vec<W>>() {
        let mut same = core::mem::take(same);
        same.shrink_to_fit();
        return Ok(same);
    }
    array.into_iter().map(|number| convert(number as usize)).collect()
}

/// Returns whether positions are the numbers below `count`, in order.
pub(crate) fn is_identity(positions: &[u32], count: usize) -> bool {
    positions.len() == count && positions.iter().zip(0..).all(|(position, at)| *position == at)
}

/// Replaces the position of each node's parent by the position of the node, at a level with a
/// position for every coordinate of each parent. Positions must fit 32 bits.
pub(super) fn number(
    axis: &Axis,
    parents: usize,
    positions: &mut [u32],
    coords: &[u32],
) -> Result<(), Fault> {
    let count = parents.checked_mul(axis.size).and_then(|count| u32::try_from(count).ok());
    count.ok_or(Fault::Size)?;
    if parents == 1 {
        positions.copy_from_slice(coords);
        return Ok(());
    }
    for (position, coordinate) in positions.iter_mut().zip(coords) {
        *position = *position * axis.size as u32 + coordinate;
    }
    Ok(())
}
