//! Reports of how far a reader is.

/// A callback that is told how many entries are read and, where the file says so, how many it
/// promises.
type Report<'p> = Box<dyn FnMut(usize, Option<usize>) + 'p>;

/// Calls back now and then, not for every entry.
#[derive(Default)]
pub(super) struct Progress<'p> {
    report: Option<Report<'p>>,
}

impl<'p> Progress<'p> {
    /// How many entries are read between two calls: a few milliseconds' work.
    pub(super) const INTERVAL: usize = 1 << 16;

    pub(super) fn new(report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Progress { report: Some(Box::new(report)) }
    }

    /// After every entry.
    pub(super) fn step(&mut self, done: usize, promised: Option<usize>) {
        if done.is_multiple_of(Self::INTERVAL) {
            self.finish(done, promised);
        }
    }

    /// At the end of a file without errors.
    pub(super) fn finish(&mut self, done: usize, promised: Option<usize>) {
        if let Some(report) = &mut self.report {
            report(done, promised);
        }
    }
}
