//! Slices and vectors whose accesses are proven to be within bounds.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::memory;

/// A slice whose indices are always below its length, so that indexing is not checked.
///
/// Debug builds check every index.
#[derive(Debug)]
pub struct Proven<'a, T>(&'a [T]);

impl<'a, T> Proven<'a, T> {
    /// Wraps a slice.
    ///
    /// # Safety
    /// Every index used on the result must be below the slice's length.
    #[inline(always)]
    pub unsafe fn new(slice: &'a [T]) -> Self {
        Proven(slice)
    }
}

impl<T> Proven<'_, T> {
    /// Returns the length of the slice.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the slice is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Clone for Proven<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Proven<'_, T> {}

impl<T> Index<usize> for Proven<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: the caller of `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

/// The mutable counterpart of [`Proven`].
#[derive(Debug)]
pub struct ProvenMut<'a, T>(&'a mut [T]);

impl<'a, T> ProvenMut<'a, T> {
    /// Wraps a slice.
    ///
    /// # Safety
    /// Every index used on the result must be below the slice's length.
    #[inline(always)]
    pub unsafe fn new(slice: &'a mut [T]) -> Self {
        ProvenMut(slice)
    }
}

impl<T> Index<usize> for ProvenMut<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: the caller of `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

impl<T> IndexMut<usize> for ProvenMut<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: the caller of `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked_mut(index) }
    }
}

/// A vector whose appends stay within its reserved capacity, so that appending is not checked.
///
/// The vector's length is updated when this is dropped. Debug builds check the capacity.
#[derive(Debug)]
pub struct Reserved<'a, T> {
    vector: &'a mut Vec<T>,
    len: usize,
}

impl<'a, T: Copy> Reserved<'a, T> {
    /// Reserves capacity for `additional` more elements.
    ///
    /// # Safety
    /// No more than `additional` elements may be pushed.
    #[inline(always)]
    pub unsafe fn new(vector: &'a mut Vec<T>, additional: usize) -> Self {
        memory::reserve(vector, additional);
        let len = vector.len();
        Reserved { vector, len }
    }

    /// Appends an element.
    #[inline(always)]
    pub fn push(&mut self, element: T) {
        debug_assert!(
            self.len < self.vector.capacity(),
            "no capacity beyond {} elements",
            self.len
        );
        // SAFETY: the caller of `new` promised that no more elements are pushed than it reserved.
        unsafe { self.vector.as_mut_ptr().add(self.len).write(element) };
        self.len += 1;
    }

    /// Returns the number of elements, including the appended ones.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T> Drop for Reserved<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the elements below `len` existed before or have been written by `push`.
        unsafe { self.vector.set_len(self.len) };
    }
}
