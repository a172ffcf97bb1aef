//! Independent work on all processors.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

/// Applies a function to each item; returns the results in the order of the items. Every thread takes
/// the next item when it has finished one, because kernels differ in size.
pub(crate) fn on_threads<T: Send, R: Send>(items: Vec<T>, apply: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    if count <= 1 {
        return items.into_iter().map(apply).collect();
    }
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().expect("no thread panics while it takes an item").next();
    let work = || std::iter::from_fn(next).map(|(k, item)| (k, apply(item))).collect();
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|of: thread::Result<Vec<_>>| match of {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
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
