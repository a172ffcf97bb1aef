//! Lists as whole arrays: what converting and packing handle without a call for each child.

use std::any::Any;
use std::borrow::Cow;

use super::{Axis, Fault, narrowed};
use crate::Width;

/// The children of all parents of a level, in the order of their positions, which are the numbers
/// from 0 on. Coordinates count from 0, whatever numbers the level's own arrays hold for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing<'a> {
    /// Each parent has all of so many coordinates.
    Every(usize),
    /// Each parent has the coordinates of a segment.
    Segments {
        /// Where segments begin and end: one element more than there are parents, from 0 on.
        pos: Cow<'a, [u32]>,
        /// The coordinate at each position.
        crd: Cow<'a, [u32]>,
    },
    /// Each parent has one coordinate.
    Single {
        /// The coordinate at each position.
        crd: Cow<'a, [u32]>,
    },
}

impl Listing<'_> {
    /// The coordinates, without a copy where they are owned; none where nothing is listed.
    pub(crate) fn into_crd(self) -> Vec<u32> {
        match self {
            Listing::Every(_) => Vec::new(),
            Listing::Segments { crd, .. } | Listing::Single { crd } => crd.into_owned(),
        }
    }
}

/// An array in 32 bits, without a copy where it has them. Negative numbers do not fit.
pub(super) fn narrow<W: Width>(array: &[W]) -> Option<Cow<'_, [u32]>> {
    if let Some(same) = W::as_u32(array) {
        return Some(Cow::Borrowed(same));
    }
    array.iter().map(|number| u32::try_from(number.to_usize()).ok()).collect()
}

/// Coordinates in 32 bits, where arrays hold them as they are.
pub(super) fn narrow_crd<'a, C: Width>(axis: &Axis, crd: &'a [C]) -> Option<Cow<'a, [u32]>> {
    if axis.first == 0 { narrow(crd) } else { None }
}

/// Coordinates in the width in which they are stored.
pub(super) fn coordinates<C: Width>(
    axis: &Axis,
    crd: &mut Cow<'_, [u32]>,
) -> Result<Vec<C>, Fault> {
    axis.fits::<C>()?;
    let crd = std::mem::take(crd).into_owned();
    if axis.first == 0 {
        return kept(crd, |coordinate| axis.stored(coordinate));
    }
    crd.into_iter().map(|coordinate| axis.stored(coordinate as usize)).collect()
}

/// Positions in the width in which they are stored.
pub(super) fn positions<P: Width>(pos: &mut Cow<'_, [u32]>) -> Result<Vec<P>, Fault> {
    kept(std::mem::take(pos).into_owned(), narrowed)
}

/// The same numbers in another width. The array is kept where that is its own.
fn kept<W: Width>(
    mut array: Vec<u32>,
    convert: impl Fn(usize) -> Result<W, Fault>,
) -> Result<Vec<W>, Fault> {
    if let Some(same) = (&mut array as &mut dyn Any).downcast_mut::<Vec<W>>() {
        let mut same = std::mem::take(same);
        same.shrink_to_fit();
        return Ok(same);
    }
    array.into_iter().map(|number| convert(number as usize)).collect()
}
