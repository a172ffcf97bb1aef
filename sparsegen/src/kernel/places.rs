//! The positions of coordinates that are stored in any order.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::Width;
use crate::memory::{self, HashMap};

use super::sort_values;

/// The largest extent with an array element for each coordinate; the positions of wider extents are
/// hashed. Elements that are never touched take no memory if the system provides zeroed pages.
const WIDEST: usize = 1 << 26;

/// The positions of the coordinates of one parent while they are stored in any order: for each
/// coordinate, its position plus 1, or 0 if it is not stored.
#[derive(Debug)]
pub struct Places {
    /// An element for each coordinate; empty if they are hashed.
    direct: Vec<usize>,
    hashed: HashMap<usize, usize>,
}

impl Places {
    /// Creates places for coordinates below `size`, none of which is stored.
    ///
    /// Allocates memory for all coordinates if there are at most 2^26, otherwise for those that are
    /// stored.
    pub fn new(size: usize) -> Self {
        let is_direct = size <= WIDEST && memory::has_room::<usize>(size);
        let direct = vec![0; if is_direct { size } else { 0 }];
        Places { direct, hashed: HashMap::new() }
    }

    /// Returns whether these places are some for coordinates below `size`.
    pub(super) fn fits(&self, size: usize) -> bool {
        size <= self.direct.len() || size > WIDEST && self.direct.is_empty()
    }

    /// Removes the coordinates that are hashed, all of which are known to have no position.
    pub(super) fn forget_hashed(&mut self) {
        self.hashed.clear();
    }

    /// Returns whether no coordinate has a position. Takes time proportional to the memory.
    pub(super) fn is_empty(&self) -> bool {
        self.direct.iter().chain(self.hashed.values()).all(|position| *position == 0)
    }

    /// Returns the positions for a loop that only reads them.
    pub fn known(&self) -> Known<'_> {
        Known { direct: &self.direct, hashed: &self.hashed }
    }

    /// Sorts the coordinates of a parent as [`sort_values`], and removes them from the places; `first`
    /// is the place of coordinate 0.
    pub fn sort<C: Width, V: Copy>(&mut self, crd: &mut [C], vals: &mut [V], first: usize) {
        self.clear(crd, first);
        sort_values(crd, vals);
    }

    /// Removes all coordinates of a parent; `first` is the place of coordinate 0.
    ///
    /// Takes time proportional to their number.
    pub fn clear<C: Width>(&mut self, crd: &[C], first: usize) {
        if self.direct.is_empty() {
            return self.hashed.clear();
        }
        for coordinate in crd {
            self.direct[place(*coordinate, first)] = 0;
        }
    }
}

/// Returns the place of a coordinate; those of signed types are sign-extended.
fn place<C: Width>(coordinate: C, first: usize) -> usize {
    coordinate.to_usize().wrapping_add(first)
}

/// Returns the position of a coordinate plus 1, or 0 if it is not stored.
#[inline]
fn position<'p>(
    direct: &'p [usize],
    hashed: &'p HashMap<usize, usize>,
    coordinate: usize,
) -> &'p usize {
    match direct.get(coordinate) {
        Some(position) => position,
        None => hashed.get(&coordinate).unwrap_or(&0),
    }
}

impl Index<usize> for Places {
    type Output = usize;

    #[inline]
    fn index(&self, coordinate: usize) -> &usize {
        position(&self.direct, &self.hashed, coordinate)
    }
}

/// Positions that a loop only reads. Unlike [`Places`], they are in registers there: what the loop
/// stores elsewhere does not change them.
#[derive(Clone, Copy, Debug)]
pub struct Known<'p> {
    direct: &'p [usize],
    hashed: &'p HashMap<usize, usize>,
}

impl Index<usize> for Known<'_> {
    type Output = usize;

    #[inline]
    fn index(&self, coordinate: usize) -> &usize {
        position(self.direct, self.hashed, coordinate)
    }
}

impl IndexMut<usize> for Places {
    #[inline]
    fn index_mut(&mut self, coordinate: usize) -> &mut usize {
        if coordinate < self.direct.len() {
            return &mut self.direct[coordinate];
        }
        self.hashed.entry(coordinate).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_sorted_with_their_values() {
        for size in [1000, 1 << 40] {
            let mut places = Places::new(size);
            let (mut crd, mut vals): (Vec<i32>, Vec<i32>) = (Vec::new(), Vec::new());
            for k in 0..500 {
                let coordinate = k * 7 % 61 - 30;
                let place = (coordinate as usize).wrapping_add(100);
                if places[place] == 0 {
                    crd.push(coordinate);
                    places[place] = crd.len();
                    vals.extend([coordinate, 10 * coordinate]);
                }
                assert_eq!(crd[places[place] - 1], coordinate);
                assert_eq!(crd[places.known()[place] - 1], coordinate);
            }
            places.sort(&mut crd, &mut vals, 100);
            assert!(crd.iter().copied().eq(-30..=30));
            assert!(vals.chunks(2).zip(-30..=30).all(|(pair, c)| pair == [c, 10 * c]));
            assert!((0..1000).all(|place| places[place] == 0));
        }
    }
}
