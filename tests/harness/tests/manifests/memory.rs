//! An allocator that counts memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system allocator with a count of allocated bytes, which ends the process beyond a limit.
pub struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The exit code of a process that reached its limit.
pub const REACHED: i32 = 86;

/// Sets the limit at which the process ends.
pub fn limit(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
}

/// Returns the largest amount of memory since the last call.
pub fn most() -> usize {
    MOST.swap(NOW.load(Relaxed), Relaxed)
}

fn add(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(now, Relaxed);
    if now > LIMIT.load(Relaxed) {
        std::process::exit(REACHED);
    }
}

// SAFETY: every request is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise is the one that is required.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is the one that is required.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Relaxed);
        add(size);
        // SAFETY: the caller's promise is the one that is required.
        unsafe { System.realloc(memory, layout, size) }
    }
}
