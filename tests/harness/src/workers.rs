//! Work that is divided among threads.

use std::thread;

/// Returns what a function returns for each element of a list, in no particular order. It is called
/// on as many threads as there are processors.
///
/// # Panics
/// Panics if the function does.
pub fn on_threads<'a, T: Sync, R: Send>(
    all: &'a [T],
    function: impl Fn(&'a T) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let start = |first: usize| {
            let own = all.iter().skip(first).step_by(threads);
            scope.spawn(|| own.map(&function).collect::<Vec<_>>())
        };
        let handles: Vec<_> = (0..threads).map(start).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no thread panics")).collect()
    })
}
