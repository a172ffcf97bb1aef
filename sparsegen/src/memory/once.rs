//! A value that is computed at most once, without the standard library.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A cell like `std::sync::OnceLock`. As nothing waits without the standard library, two threads may
/// compute the value at the same time; the first result is kept.
pub(crate) struct OnceLock<T> {
    value: AtomicPtr<T>,
    owned: PhantomData<Box<T>>,
}

// SAFETY: Like a `OnceLock`: threads share references to the value, and any of them may have
// computed or may drop it.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}
// SAFETY: As above.
unsafe impl<T: Send> Send for OnceLock<T> {}

impl<T> OnceLock<T> {
    pub(crate) const fn new() -> Self {
        OnceLock { value: AtomicPtr::new(ptr::null_mut()), owned: PhantomData }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        let value = self.value.load(Ordering::Acquire);
        // SAFETY: The pointer is null, or of a box that this cell owns and does not change while it
        // is borrowed.
        unsafe { value.as_ref() }
    }

    pub(crate) fn get_or_init(&self, compute: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        let new = Box::into_raw(Box::new(compute()));
        let orders = (Ordering::AcqRel, Ordering::Acquire);
        match self.value.compare_exchange(ptr::null_mut(), new, orders.0, orders.1) {
            // SAFETY: The box is now owned by this cell.
            Ok(_) => unsafe { &*new },
            Err(first) => {
                // SAFETY: No one else has the pointer of the box that was not stored.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: The other pointer is of a box that this cell owns.
                unsafe { &*first }
            }
        }
    }

    pub(crate) fn into_inner(self) -> Option<T> {
        let value = self.value.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: The pointer, if not null, is of a box that this cell owned until now.
        (!value.is_null()).then(|| *unsafe { Box::from_raw(value) })
    }

    pub(crate) fn take(&mut self) -> Option<T> {
        core::mem::replace(self, OnceLock::new()).into_inner()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        self.get().cloned().map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        OnceLock { value: AtomicPtr::new(Box::into_raw(Box::new(value))), owned: PhantomData }
    }
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: The pointer is of a box that this cell owns.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}
