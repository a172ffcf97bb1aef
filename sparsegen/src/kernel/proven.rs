//! Slices whose indices are proven, and vectors whose room is.

use std::ops::{Index, IndexMut};

/// A slice that is only ever indexed within its length, so that indexing needs no check.
///
/// Debug builds check every index all the same.
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
    /// The slice's length.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the slice is empty.
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
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

/// As [`Proven`], for a slice that is written.
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
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

impl<T> IndexMut<usize> for ProvenMut<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked_mut(index) }
    }
}

/// A vector to which no more is appended than was reserved for, so that appending needs no check.
///
/// It is as long as what was appended once this is dropped. Debug builds check its room all the same.
#[derive(Debug)]
pub struct Reserved<'a, T> {
    vector: &'a mut Vec<T>,
    len: usize,
}

impl<'a, T: Copy> Reserved<'a, T> {
    /// Makes room for so many elements more.
    ///
    /// # Safety
    /// No more than `additional` elements may be pushed.
    #[inline(always)]
    pub unsafe fn new(vector: &'a mut Vec<T>, additional: usize) -> Self {
        vector.reserve(additional);
        let len = vector.len();
        Reserved { vector, len }
    }

    /// Appends an element.
    #[inline(always)]
    pub fn push(&mut self, element: T) {
        debug_assert!(self.len < self.vector.capacity(), "no room behind {} elements", self.len);
        // SAFETY: whoever called `new` promised that there are no more elements than there is room.
        unsafe { self.vector.as_mut_ptr().add(self.len).write(element) };
        self.len += 1;
    }

    /// The number of elements, with those that were appended.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T> Drop for Reserved<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: all elements below `len` were there before or have been written by `push`.
        unsafe { self.vector.set_len(self.len) };
    }
}
