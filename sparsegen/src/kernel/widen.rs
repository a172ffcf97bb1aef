//! Growth of hash tables that are filled in any order.

use alloc::vec::Vec;

use super::grow;
use crate::{Error, Width};

/// Doubles the width of the buckets of a `hashed` level, a power of two, and inserts their coordinates again.
/// [`Widened::moving`] then moves the elements of another array along.
///
/// Takes time proportional to the number of slots. `what` names the arrays in errors.
///
/// # Errors
/// [`Error::Size`] if the memory for the slots is not available.
pub fn widen<C: Width>(
    crd: &mut Vec<C>,
    width: usize,
    what: &'static str,
) -> Result<Widened, Error> {
    let (wider, count) = (2 * width, crd.len());
    let narrow = core::mem::take(crd);
    grow(crd, &[2, count], C::MAX, what)?;
    let mut moves = Vec::new();
    for (from, coordinate) in narrow.into_iter().enumerate() {
        if coordinate == C::MAX {
            continue;
        }
        let bucket = from / width * wider;
        let slot = insert(&mut crd[bucket..bucket + wider], coordinate);
        moves.push((from, bucket + slot));
    }
    Ok(Widened { width: wider, count, moves, what })
}

/// Returns `coordinate % width`, the slot at which the search for a coordinate begins. A division is
/// slower than the whole search, and is only needed for tables that others have built: here, widths
/// are powers of two.
#[inline]
pub fn wrap(coordinate: usize, width: usize) -> usize {
    if width.is_power_of_two() { coordinate & (width - 1) } else { coordinate % width }
}

/// Stores a new coordinate in the first empty slot for it; returns the slot. The number of slots is a
/// power of two.
pub(super) fn insert<C: Width>(bucket: &mut [C], coordinate: C) -> usize {
    let mask = bucket.len() - 1;
    let mut slot = coordinate.to_usize() & mask;
    while bucket[slot] != C::MAX {
        slot = (slot + 1) & mask;
    }
    bucket[slot] = coordinate;
    slot
}

/// The moves of slots to wider buckets.
#[derive(Debug)]
pub struct Widened {
    width: usize,
    /// The number of slots before.
    count: usize,
    /// The positions of each used slot before and after.
    moves: Vec<(usize, usize)>,
    what: &'static str,
}

impl Widened {
    /// Moves the elements of an array that has as many for each slot; `initial` is the element for
    /// empty slots.
    ///
    /// # Errors
    /// [`Error::Size`] if the memory for the array is not available.
    pub fn moving<V: Copy>(self, array: &mut Vec<V>, initial: V) -> Result<Self, Error> {
        let each = array.len().checked_div(self.count).unwrap_or(0);
        let old = core::mem::take(array);
        grow(array, &[2, old.len()], initial, self.what)?;
        for (from, to) in &self.moves {
            array[to * each..][..each].copy_from_slice(&old[from * each..][..each]);
        }
        Ok(self)
    }

    /// Returns the number of slots of each bucket.
    pub fn width(self) -> usize {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_keeps_what_is_below() -> Result<(), Error> {
        let none = u32::MAX;
        let (mut crd, mut vals) = (vec![8, 3, none, none], vec![1, 2, 3, 4, 0, 0, 0, 0]);
        let mut counts = vec![5, 6, 7, 8];
        let widened = widen(&mut crd, 2, "a")?.moving(&mut vals, 9)?.moving(&mut counts, 0)?;
        assert_eq!(widened.width(), 4);
        assert_eq!(crd, [8, none, none, 3, none, none, none, none]);
        assert_eq!(vals, [1, 2, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(counts, [5, 0, 0, 6, 0, 0, 0, 0]);
        let nothing = widen(&mut Vec::<u32>::new(), 1, "a")?;
        assert_eq!(nothing.moving(&mut Vec::<f64>::new(), 0.0)?.width(), 2);
        Ok(())
    }

    #[test]
    fn searches_begin_at_the_remainder() {
        for (coordinate, width) in [(13, 8), (13, 1), (13, 6), (5, 6), (usize::MAX, 48)] {
            assert_eq!(wrap(coordinate, width), coordinate % width);
        }
    }

    #[test]
    fn what_no_machine_has_is_an_error() {
        for count in [usize::MAX, usize::MAX / 4, usize::MAX / 64] {
            let expected = Error::Size { format: "a", shape: vec![2, count] };
            assert_eq!(grow(&mut Vec::new(), &[2, count], 0_u64, "a"), Err(expected));
        }
    }
}
