//! Working memory that outlives the call of a kernel.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
#[cfg(feature = "std")]
use std::sync::{Mutex, PoisonError};

use super::{Accumulator, Places, Workspace};
use crate::{Value, Width};

/// The working memory of kernels, kept from one call to the next.
///
/// A kernel with workspaces, such as the product of two sparse matrices, allocates them for the
/// extents of its operands at each call. Its function `NAME_with` takes them from here and puts them
/// back, so that calls after the first one take time only for the entries that they compute. The
/// memory serves all kernels and operands of any extents, and each thread of a parallel kernel has
/// its own; it is released when this is dropped. Without the feature `std`, no memory is kept.
///
/// ```ignore
/// let mut workspaces = Workspaces::new();
/// loop {
///     kernels::step_with(&mut workspaces, &mut next, &graph, &frontier)?;
///     std::mem::swap(&mut frontier, &mut next);
/// }
/// ```
#[derive(Default)]
pub struct Workspaces {
    #[cfg(feature = "std")]
    kept: Mutex<All>,
}

/// A `Vec<W>` for each type `W` of working memory.
type All = Vec<Box<dyn Any + Send>>;

impl Workspaces {
    /// Creates a value without memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes memory for which `fits` returns `true`. Memory of this type that is too small is dropped,
    /// because its replacement will be kept.
    fn take<W: Kept>(&self, fits: impl Fn(&W) -> bool) -> Option<W> {
        self.locked(|kept| {
            let all = kept.iter_mut().find_map(|all| all.downcast_mut::<Vec<W>>())?;
            let fitting = all.iter().position(fits);
            match fitting {
                Some(k) => Some(all.swap_remove(k)),
                None => {
                    all.pop();
                    None
                }
            }
        })
    }

    fn put<W: Kept>(&self, memory: W) {
        self.locked(|kept| match kept.iter_mut().find_map(|all| all.downcast_mut::<Vec<W>>()) {
            Some(all) => all.push(memory),
            None => kept.push(Box::new(vec![memory])),
        });
    }

    #[cfg(feature = "std")]
    fn locked<T>(&self, run: impl FnOnce(&mut All) -> T) -> T {
        run(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[cfg(not(feature = "std"))]
    fn locked<T>(&self, run: impl FnOnce(&mut All) -> T) -> T {
        run(&mut All::new())
    }
}

impl fmt::Debug for Workspaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspaces").finish_non_exhaustive()
    }
}

/// Memory that [`Workspaces`] keep.
pub trait Kept: Send + 'static {
    /// Removes all contents, in time proportional to them, but not to the memory.
    fn empty(&mut self);
}

/// Empties the working memory of a kernel, and keeps it for later calls.
///
/// A kernel that returns early or panics drops its memory, so that only valid memory is kept.
pub fn keep<W: Kept>(workspaces: &Workspaces, mut memory: W) {
    memory.empty();
    workspaces.put(memory);
}

/// Returns an empty vector.
pub fn kept_vector<T: Send + 'static>(workspaces: &Workspaces) -> Vec<T> {
    workspaces.take(|_| true).unwrap_or_default()
}

impl<T: Send + 'static> Kept for Vec<T> {
    fn empty(&mut self) {
        self.clear();
    }
}

impl<V: Value, C: Width> Kept for Workspace<V, C> {
    fn empty(&mut self) {
        self.clear();
    }
}

impl<V: Value, C: Width> Workspace<V, C> {
    /// Returns an empty workspace like [`new`](Self::new).
    #[inline(always)]
    pub fn kept(workspaces: &Workspaces, size: usize) -> Self {
        Self::kept_starting(workspaces, size, V::ZERO)
    }

    /// Returns an empty workspace like [`starting`](Self::starting).
    #[inline(always)]
    pub fn kept_starting(workspaces: &Workspaces, size: usize, initial: V) -> Self {
        match workspaces.take(|kept: &Self| kept.fits(size, initial)) {
            Some(kept) => kept.shortened(size),
            None => Self::starting(size, initial),
        }
    }

    /// Returns an empty workspace like [`hashed`](Self::hashed).
    pub fn kept_hashed(workspaces: &Workspaces, initial: V) -> Self {
        let kept = workspaces.take(|kept: &Self| kept.is_hashed(initial));
        kept.unwrap_or_else(|| Self::hashed(initial))
    }
}

/// Kernels replace the values themselves, because they know where they are.
impl<V: Value, C: Width> Kept for Accumulator<V, C> {
    fn empty(&mut self) {
        debug_assert!(self.is_initial(), "a kept accumulator has initial values");
        self.clear();
    }
}

impl<V: Value, C: Width> Accumulator<V, C> {
    /// Returns an accumulator like [`new`](Self::new).
    pub fn kept(workspaces: &Workspaces, size: usize) -> Self {
        Self::kept_starting(workspaces, size, V::ZERO)
    }

    /// Returns an accumulator like [`starting`](Self::starting).
    pub fn kept_starting(workspaces: &Workspaces, size: usize, initial: V) -> Self {
        let kept = workspaces.take(|kept: &Self| kept.fits(size, initial));
        kept.unwrap_or_else(|| Self::starting(size, initial))
    }
}

/// Kernels remove the positions themselves, because they know the coordinates that have one.
impl Kept for Places {
    fn empty(&mut self) {
        debug_assert!(self.is_empty(), "kept places have no position");
        self.forget_hashed();
    }
}

impl Places {
    /// Returns places like [`new`](Self::new).
    pub fn kept(workspaces: &Workspaces, size: usize) -> Self {
        workspaces.take(|kept: &Self| kept.fits(size)).unwrap_or_else(|| Self::new(size))
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_and_grows() {
        let workspaces = Workspaces::new();
        for (size, coordinate) in [(10, 9), (5000, 4999), (70, 69), (1 << 40, 1 << 39), (300, 299)]
        {
            let mut w = Workspace::<f64, u64>::kept(&workspaces, size);
            assert_eq!(w.harvest(), (&[][..], &[][..]));
            w[coordinate] += 2.0;
            w[3] += 1.0;
            assert_eq!(w[coordinate], 2.0);
            keep(&workspaces, w);
        }
        let mut w = Workspace::<f64, u64>::kept(&workspaces, 100);
        (0..100).for_each(|coordinate| w[coordinate] += 1.0);
        assert_eq!(w.harvest().0.len(), 100);
    }

    #[test]
    fn a_workspace_is_reused_for_the_same_initial_value_only() {
        let workspaces = Workspaces::new();
        keep(&workspaces, Workspace::<f64, u32>::starting(1000, f64::INFINITY));
        assert_eq!(Workspace::<f64, u32>::kept(&workspaces, 10)[4], 0.0);
        keep(&workspaces, Workspace::<f64, u32>::starting(1000, f64::INFINITY));
        let w = Workspace::<f64, u32>::kept_starting(&workspaces, 10, f64::INFINITY);
        assert_eq!((w[4], w[999]), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn a_hash_table_is_kept() {
        let workspaces = Workspaces::new();
        for round in 0..3 {
            let mut w = Workspace::<f64, u32>::kept_hashed(&workspaces, 0.0);
            assert_eq!((w.contains(7), w[7]), (false, 0.0));
            (0..100).for_each(|k| w[k * 1000 + round] += 1.0);
            keep(&workspaces, w);
        }
        assert!(workspaces.take(|w: &Workspace<f64, u32>| w.is_hashed(0.0)).is_some());
        keep(&workspaces, Workspace::<f64, u32>::new(10));
        let mut w = Workspace::<f64, u32>::kept_hashed(&workspaces, 0.0);
        w[1 << 30] += 1.0;
        assert_eq!(w.harvest().0, [1 << 30]);
    }

    #[test]
    fn several_of_one_type_are_kept() {
        let workspaces = Workspaces::new();
        let mut all: Vec<_> = (0..3).map(|k| Workspace::<i32, u8>::starting(200 + k, 0)).collect();
        all.iter_mut().for_each(|w| w[199] = 1);
        all.into_iter().for_each(|w| keep(&workspaces, w));
        for _ in 0..3 {
            let found = workspaces.take(|w: &Workspace<i32, u8>| w.fits(200, 0));
            assert!(found.is_some_and(|w| !w.contains(199)));
        }
        assert!(workspaces.take(|_: &Workspace<i32, u8>| true).is_none());
    }

    #[test]
    fn vectors_and_places_are_kept_empty() {
        let workspaces = Workspaces::new();
        let mut vector: Vec<usize> = kept_vector(&workspaces);
        vector.extend([1, 2, 3]);
        let memory = vector.as_ptr();
        keep(&workspaces, vector);
        let vector: Vec<usize> = kept_vector(&workspaces);
        assert_eq!((vector.len(), vector.as_ptr()), (0, memory));
        for size in [50, 1 << 40, 80] {
            let mut places = Places::kept(&workspaces, size);
            places[size - 1] = 7;
            places.clear(&[size as u64 - 1], 0);
            assert_eq!(places[size - 1], 0);
            keep(&workspaces, places);
        }
    }
}
