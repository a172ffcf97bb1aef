//! Progress reports of readers.

/// A callback with the number of entries read and, if the file declares it, their total number.
type Report<'p> = Box<dyn FnMut(usize, Option<usize>) + 'p>;

/// Calls a callback at regular intervals.
#[derive(Default)]
pub(super) struct Progress<'p> {
    report: Option<Report<'p>>,
}

impl<'p> Progress<'p> {
    /// The number of entries between two calls: a few milliseconds of work.
    pub(super) const INTERVAL: usize = 1 << 16;

    pub(super) fn new(report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Progress { report: Some(Box::new(report)) }
    }

    /// Counts an entry.
    pub(super) fn step(&mut self, done: usize, promised: Option<usize>) {
        if done.is_multiple_of(Self::INTERVAL) {
            self.finish(done, promised);
        }
    }

    /// Reports the end of a file without errors.
    pub(super) fn finish(&mut self, done: usize, promised: Option<usize>) {
        if let Some(report) = &mut self.report {
            report(done, promised);
        }
    }
}
