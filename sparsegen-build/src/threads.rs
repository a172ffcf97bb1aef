//! Independent work on all processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

/// The bytes of a thread's stack, as many as the main thread has on most systems: expressions are
/// traversed recursively, in frames that are large without optimization.
const STACK: usize = 8 << 20;

/// Applies a function to each item; returns the results in the order of the items. Every thread takes
/// the next item when it has finished one, because kernels differ in size.
pub(crate) fn on_threads<T: Send, R: Send>(items: Vec<T>, apply: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().expect("no thread panics while it takes an item").next();
    let work = || std::iter::from_fn(next).map(|(k, item)| (k, apply(item))).collect();
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        // Without further threads, this one does everything.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..count).filter_map(start).collect();
        let mut results: Vec<_> = work();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::on_threads;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 1000] {
            let doubled = on_threads((0..count).collect(), |item| 2 * item);
            assert!(doubled.into_iter().eq((0..count).map(|item| 2 * item)));
        }
    }
}
