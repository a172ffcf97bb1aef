//! Lists of coordinates, as index sets and gathers have them.

use alloc::vec::Vec;

use crate::memory::HashSet;

use super::grow;
use crate::level::{Compressed, Dense};
use crate::{Csr, Error, Pattern, Tensor, Value};

/// Returns the list with all but the last of equal coordinates replaced by `usize::MAX`, which is
/// not a coordinate. Takes time proportional to the length of the list, on average.
pub fn last_of_each(list: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut last = list.to_vec();
    for coordinate in last.iter_mut().rev() {
        if !seen.insert(*coordinate) {
            *coordinate = usize::MAX;
        }
    }
    last
}

/// Returns the inverse of a list: the pattern with an entry at `[c, j]` where the list has the
/// coordinate `c` at `j`. Elements of the list that are not below the extent have none. Takes time and
/// memory proportional to the length of the list and the extent (a counting sort).
///
/// # Errors
/// [`Error::Size`] if the memory is not available.
pub fn inverse<V: Value>(
    list: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone,
    extent: usize,
) -> Result<Tensor<Pattern<V>, Csr<usize, usize>>, Error> {
    const NAME: &str = "inverse of a list";
    let len = list.len();
    let (mut pos, mut crd) = (Vec::new(), Vec::new());
    grow(&mut pos, &[extent.saturating_add(1)], 0, NAME)?;
    grow(&mut crd, &[len], 0, NAME)?;
    // The number of places of each coordinate, then the end of its segment, then the start.
    let is_inside = |coordinate: &usize| *coordinate < extent;
    list.clone().filter(is_inside).for_each(|coordinate| pos[coordinate] += 1);
    let mut end = 0;
    for count in &mut pos {
        end += *count;
        *count = end;
    }
    crd.truncate(end);
    for (at, coordinate) in list.enumerate().rev().filter(|(_, coordinate)| is_inside(coordinate)) {
        pos[coordinate] -= 1;
        crd[pos[coordinate]] = at;
    }
    let levels = (Dense { size: extent }, Compressed { pos, crd });
    Tensor::from_parts([extent, len], levels, vec![Pattern::ONE; end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_lists_the_places_of_each_coordinate_in_order() {
        let found = inverse::<f64>([3, 1, 3, 0, 3].into_iter(), 5).unwrap();
        let expected = [[0, 3], [1, 1], [3, 0], [3, 2], [3, 4]];
        let expected = expected.map(|at| (at, Pattern::ONE));
        assert_eq!(found.shape(), [5, 5]);
        assert!(found.iter().eq(expected));
        let others = inverse::<f64>([7, 1, usize::MAX, 0, 2].into_iter(), 2).unwrap();
        assert_eq!(others.shape(), [2, 5]);
        assert!(others.iter().map(|(at, _)| at).eq([[0, 3], [1, 1]]));
        let empty = inverse::<f64>([].into_iter(), 2).unwrap();
        assert_eq!((empty.shape(), empty.iter().count()), ([2, 0], 0));
    }
}
