//! Values at the positions of their entries.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::level::is_identity;
use crate::memory::filled;
use crate::tensor::build::Merge;
use crate::{Fill, Stored};

/// Returns an array of `count` values with each value at the position of its entry. Values at the
/// same position are combined by `merge`, in their order; without it, positions are distinct.
///
/// Returns `None` if combining is refused.
pub(super) fn place<V: Stored>(
    positions: &[u32],
    vals: Cow<'_, [V]>,
    count: usize,
    fill: Fill,
    merge: Option<Merge<'_, V::Value>>,
) -> Option<Vec<V>> {
    if is_identity(positions, count) {
        return Some(vals.into_owned());
    }
    let mut places = filled(V::filler(fill), count)?;
    let Some(merge) = merge else {
        for (position, value) in positions.iter().zip(&*vals) {
            places[*position as usize] = *value;
        }
        return Some(places);
    };
    let mut is_taken = filled(0_u64, count.div_ceil(64))?;
    for (position, value) in positions.iter().zip(&*vals) {
        let place = &mut places[*position as usize];
        let (word, bit) = (&mut is_taken[*position as usize / 64], 1 << (position % 64));
        if *word & bit == 0 {
            (*place, *word) = (*value, *word | bit);
        } else if merge.refuses(V::IS_PATTERN) {
            return None;
        } else {
            *place = place.combine(*value, |earlier, later| merge.combine(earlier, later));
        }
    }
    Some(places)
}
