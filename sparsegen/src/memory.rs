//! Large arrays: those that may exceed memory, whose allocation fails instead of aborting the
//! process, and huge pages; and what takes the place of parts of the standard library.

use alloc::collections::TryReserveError;
#[cfg(not(feature = "std"))]
pub(crate) use alloc::collections::{BTreeMap as HashMap, BTreeSet as HashSet};
use alloc::vec::Vec;
#[cfg(feature = "std")]
pub(crate) use std::collections::{HashMap, HashSet};
#[cfg(feature = "std")]
pub(crate) use std::sync::OnceLock;

#[cfg(not(feature = "std"))]
mod once;
#[cfg(not(feature = "std"))]
pub(crate) use once::OnceLock;

/// Returns an array of `count` copies of `value`, or `None` if memory does not suffice.
///
/// An array of zeros is allocated as zeroed pages, which take memory only once they are written.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    has_room::<T>(count).then(|| array(value, count))
}

/// Returns an array of `count` copies of `value`, in huge pages if it is large.
pub(crate) fn array<T: Clone>(value: T, count: usize) -> Vec<T> {
    let array = vec![value; count];
    advise(&array);
    array
}

/// Collects elements in an array, in huge pages if it is large.
pub(crate) fn collect<T>(elements: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut array = Vec::new();
    reserve(&mut array, elements.len());
    array.extend(elements);
    array
}

/// Reserves capacity for more elements, in huge pages if that takes much new memory.
pub(crate) fn reserve<T>(array: &mut Vec<T>, additional: usize) {
    let before = array.capacity();
    array.reserve(additional);
    if array.capacity() > before {
        advise(array);
    }
}

/// Reserves capacity for more elements, and for those of the remaining iterations of a loop, given the
/// number of iterations until now and of all.
///
/// A large array moves to new memory: pages that are mapped elsewhere would no longer be huge.
#[cold]
#[inline(never)]
pub(crate) fn reserve_ahead<T>(array: &mut Vec<T>, additional: usize, (done, all): (usize, usize)) {
    let len = array.len() + additional;
    // A little more, as few loops are that regular.
    let expected = len as f64 / done as f64 * all as f64 * 1.05;
    let capacity = (expected as usize).clamp(len.saturating_mul(2), len.saturating_mul(32));
    let mut grown = Vec::new();
    if capacity.saturating_mul(size_of::<T>()) < LARGE || grown.try_reserve_exact(capacity).is_err()
    {
        return array.reserve(additional);
    }
    advise(&grown);
    grown.append(array);
    *array = grown;
}

/// Like [`reserve`], for exactly as many elements, or an error if memory does not suffice.
pub(crate) fn try_reserve<T>(array: &mut Vec<T>, additional: usize) -> Result<(), TryReserveError> {
    let before = array.capacity();
    array.try_reserve_exact(additional)?;
    if array.capacity() > before {
        advise(array);
    }
    Ok(())
}

/// Asks the system to back a large array with huge pages, before its memory is written.
///
/// The first access to a page of 4 KiB takes longer than storing the entries in it, so that kernels
/// that assemble a new result would spend much of their time there.
pub(crate) fn advise<T>(array: &Vec<T>) {
    let (start, bytes) = (array.as_ptr().addr(), array.capacity() * size_of::<T>());
    if bytes >= LARGE {
        let first = start.next_multiple_of(HUGE);
        let end = (start + bytes) / HUGE * HUGE;
        system::advise(array.as_ptr().with_addr(first).cast(), end - first);
    }
}

/// The size of a huge page, in bytes, on most machines.
const HUGE: usize = 1 << 21;

/// The smallest array, in bytes, for which huge pages are worth a system call.
const LARGE: usize = 2 * HUGE;

#[cfg(all(feature = "huge-pages", target_os = "linux", not(miri)))]
mod system {
    use core::ffi::{c_int, c_void};

    /// `MADV_HUGEPAGE` of Linux, on every architecture.
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }

    /// Asks for huge pages in a part of an allocation, which begins at a multiple of their size. A
    /// system without huge pages refuses, which changes nothing.
    pub(super) fn advise(start: *const c_void, bytes: usize) {
        // SAFETY: The advice changes how the system backs the memory, and neither its contents nor
        // its validity, whoever owns it.
        let _ = unsafe { madvise(start.cast_mut(), bytes, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "huge-pages", target_os = "linux", not(miri))))]
mod system {
    pub(super) fn advise(_start: *const core::ffi::c_void, _bytes: usize) {}
}

/// Returns whether there is memory for an array of `count` elements.
pub(crate) fn has_room<T>(count: usize) -> bool {
    match count.checked_mul(size_of::<T>()) {
        None => false,
        Some(bytes) => bytes < ASKED || can_reserve::<T>(count),
    }
}

/// The smallest array, in bytes, for which a trial allocation is made.
const ASKED: usize = 1 << 20;

#[cold]
fn can_reserve<T>(count: usize) -> bool {
    let mut room = Vec::<T>::new();
    let is_had = room.try_reserve_exact(count).is_ok();
    // Keeps the compiler from removing the unused allocation.
    core::hint::black_box(&mut room);
    is_had
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;

    #[test]
    fn large_arrays_keep_their_elements() {
        let mut array = filled(0u8, 3 * LARGE + 5).expect("some megabytes");
        array[LARGE] = 7;
        reserve(&mut array, 2 * LARGE);
        assert!(array.capacity() >= 5 * LARGE + 5);
        assert_eq!((array.len(), array[LARGE], array[3 * LARGE + 4]), (3 * LARGE + 5, 7, 0));
        let mut units = vec![(); 3];
        reserve(&mut units, LARGE);
        assert_eq!(units.len(), 3);
    }

    #[test]
    fn large_arrays_grow_by_the_progress_of_a_loop() {
        let (mut array, mut capacities) = (Vec::new(), Vec::new());
        for at in 0..1000 {
            kernel::append(&mut array, &[at; 4000], at, 0..1000);
            if array.capacity() * size_of::<usize>() >= LARGE {
                capacities.push(array.capacity());
            }
        }
        assert!((0..1000).all(|at| array[4000 * at..][..4000] == [at; 4000]));
        capacities.dedup();
        assert!(capacities.len() <= 2, "{capacities:?} are few");
        assert!(capacities.ends_with(&[4_200_000]), "{capacities:?} end slightly above the length");
        // The first iterations tell too much, or too little.
        for (first, all) in [(100_000, 1000), (0, 1 << 40)] {
            let mut array = vec![0_u8; first];
            kernel::append(&mut array, &[1; 3], 0, 0..all);
            assert!(array.len() == first + 3 && array.capacity() <= 32 * array.len() + 8);
        }
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        assert_eq!(filled(7u8, 3), Some(vec![7, 7, 7]));
        assert_eq!(filled(0u64, usize::MAX), None);
        assert_eq!(filled(0u64, usize::MAX / 32), None);
    }
}
