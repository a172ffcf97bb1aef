//! Counts what is allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts and, beyond a limit, ends the process.
pub struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The status of a process that reached its limit.
pub const REACHED: i32 = 86;

/// Ends the process where it holds more than this.
pub fn limit(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
}

/// The most that was held since this was called last.
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

// SAFETY: Every request is passed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: The caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: The caller's promise is the one that is asked for.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Relaxed);
        add(size);
        // SAFETY: The caller's promise is the one that is asked for.
        unsafe { System.realloc(memory, layout, size) }
    }
}
