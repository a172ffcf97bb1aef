//! Growth of hash tables that are filled in any order.

use crate::Width;

/// Doubles the width of the buckets of a `hashed` level and inserts their coordinates again, with
/// the values below them; returns the new width. There are as many values for each slot, and
/// `initial` is the value at empty slots.
///
/// Takes time proportional to the number of slots.
///
/// # Panics
/// Panics if there are too many slots for memory.
pub fn widen<C: Width, V: Copy>(
    crd: &mut Vec<C>,
    vals: &mut Vec<V>,
    width: usize,
    initial: V,
) -> usize {
    let each = vals.len().checked_div(crd.len()).unwrap_or(0);
    let (wider, count) = (2 * width, crd.len());
    let narrow = std::mem::replace(crd, vec![C::MAX; 2 * count]);
    let narrow_vals = std::mem::replace(vals, vec![initial; 2 * count * each]);
    for (position, coordinate) in narrow.into_iter().enumerate() {
        if coordinate == C::MAX {
            continue;
        }
        let bucket = position / width * wider;
        let mut slot = coordinate.to_usize() % wider;
        while crd[bucket + slot] != C::MAX {
            slot = (slot + 1) % wider;
        }
        crd[bucket + slot] = coordinate;
        vals[(bucket + slot) * each..][..each]
            .copy_from_slice(&narrow_vals[position * each..][..each]);
    }
    wider
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_keeps_its_value() {
        let none = u32::MAX;
        let (mut crd, mut vals) = (vec![8, 3, none, none], vec![1, 2, 3, 4, 0, 0, 0, 0]);
        assert_eq!(widen(&mut crd, &mut vals, 2, 9), 4);
        assert_eq!(crd, [8, none, none, 3, none, none, none, none]);
        assert_eq!(vals, [1, 2, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(widen(&mut Vec::<u32>::new(), &mut Vec::<f64>::new(), 1, 0.0), 2);
    }
}
