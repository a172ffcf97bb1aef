//! Values at any coordinates, for kernels that know where they store.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Add, Index, IndexMut};

use crate::{Value, Width, memory};

use super::hashed::Hashed;
use super::{WIDEST, add_beyond, beyond, hashed};

/// One row of a result whose coordinates are known, while its values are computed: a value for each
/// coordinate below an extent.
///
/// Unlike a [`Workspace`](super::Workspace), it does not record where values are stored. The kernel
/// replaces each by the initial value when it has read it.
#[derive(Debug)]
pub struct Accumulator<V, C> {
    /// Empty if values are hashed.
    vals: Vec<V>,
    initial: V,
    /// A hash table, if there are too many coordinates for an array.
    hashed: Option<Box<Hashed<V, C>>>,
}

impl<V: Value, C: Width> Accumulator<V, C> {
    /// Creates zeros for coordinates below `size`, which must fit `C`.
    ///
    /// Allocates memory for `size` values if there are at most 2^26, otherwise for as many as are
    /// stored at a time.
    pub fn new(size: usize) -> Self {
        Self::starting(size, V::ZERO)
    }

    /// Creates an accumulator like [`new`](Self::new), with another initial value than zero.
    pub fn starting(size: usize, initial: V) -> Self {
        let has_places = size <= WIDEST && memory::has_room::<V>(size);
        let hashed = (!has_places).then(|| Box::new(Hashed::new(initial)));
        Accumulator { vals: vec![initial; if has_places { size } else { 0 }], initial, hashed }
    }

    /// Returns whether this accumulator is one for coordinates below `size`.
    pub(in crate::kernel) fn fits(&self, size: usize, initial: V) -> bool {
        self.initial == initial
            && (size <= self.vals.len() || size > WIDEST && self.hashed.is_some())
    }

    /// Returns whether all values are initial. Takes time proportional to the memory.
    pub(in crate::kernel) fn is_initial(&self) -> bool {
        self.vals.iter().all(|value| *value == self.initial)
    }

    /// Adds to the value at a coordinate.
    #[inline(always)]
    pub fn add(&mut self, coordinate: usize, value: V)
    where
        V: Add<Output = V>,
    {
        match self.vals.get_mut(coordinate) {
            Some(sum) => *sum = *sum + value,
            None => add_beyond(self.hashed.as_deref_mut(), coordinate, value),
        }
    }

    /// Removes the values of a row, all of which have been replaced, from the hash table.
    #[inline(always)]
    pub fn clear(&mut self) {
        if let Some(hashed) = &mut self.hashed {
            hashed.clear();
        }
    }
}

/// Returns the value at a coordinate.
impl<V: Value, C: Width> Index<usize> for Accumulator<V, C> {
    type Output = V;

    #[inline(always)]
    fn index(&self, coordinate: usize) -> &V {
        match self.vals.get(coordinate) {
            Some(value) => value,
            None => hashed(self.hashed.as_deref(), coordinate).value(coordinate),
        }
    }
}

impl<V: Value, C: Width> IndexMut<usize> for Accumulator<V, C> {
    #[inline(always)]
    fn index_mut(&mut self, coordinate: usize) -> &mut V {
        match self.vals.get_mut(coordinate) {
            Some(value) => value,
            None => beyond(self.hashed.as_deref_mut(), coordinate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_added_and_replaced() {
        for (size, coordinate) in [(100, 99), (1 << 40, 1 << 39)] {
            let mut w = Accumulator::<f64, u64>::starting(size, 1.0);
            w.add(coordinate, 2.0);
            w.add(coordinate, 3.0);
            w[7] = 4.0;
            assert_eq!((w[coordinate], w[7], w[8]), (6.0, 4.0, 1.0));
            (w[coordinate], w[7]) = (1.0, 1.0);
            w.clear();
            assert_eq!((w[coordinate], w[7]), (1.0, 1.0));
            assert!(w.is_initial() && w.fits(size, 1.0));
        }
    }
}
