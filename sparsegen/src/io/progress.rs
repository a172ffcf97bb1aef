//! Progress reports of readers.

#[cfg(feature = "binsparse")]
use std::io::{Read, Result, Seek, SeekFrom};

/// A callback with the number of entries read and, if the file declares it, their total number.
type Report<'p> = Box<dyn FnMut(usize, Option<usize>) + 'p>;

/// Calls a callback at regular intervals.
#[derive(Default)]
pub(crate) struct Progress<'p> {
    report: Option<Report<'p>>,
}

impl<'p> Progress<'p> {
    /// The number of entries between two calls: a few milliseconds of work.
    pub(super) const INTERVAL: usize = 1 << 16;

    /// The number of bytes between two calls, where bytes are counted.
    #[cfg(feature = "binsparse")]
    const BYTES: usize = 1 << 20;

    pub(super) fn new(report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Progress { report: Some(Box::new(report)) }
    }

    /// Counts an entry.
    pub(super) fn step(&mut self, done: usize, promised: Option<usize>) {
        if done.is_multiple_of(Self::INTERVAL) {
            self.finish(done, promised);
        }
    }

    /// Calls the callback, as at the end of a file without errors.
    pub(super) fn finish(&mut self, done: usize, promised: Option<usize>) {
        if let Some(report) = &mut self.report {
            report(done, promised);
        }
    }
}

/// A reader that reports how many bytes of a file have been read.
#[cfg(feature = "binsparse")]
pub(super) struct Counted<'p, R> {
    reader: R,
    done: usize,
    size: usize,
    progress: Progress<'p>,
}

#[cfg(feature = "binsparse")]
impl<'p, R: Read + Seek> Counted<'p, R> {
    pub(super) fn new(mut reader: R, progress: Progress<'p>) -> Result<Self> {
        let size = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Counted { reader, done: 0, size: usize::try_from(size).unwrap_or(usize::MAX), progress })
    }

    /// Reports the end of a file without errors.
    pub(super) fn finish(&mut self) {
        self.progress.finish(self.size, Some(self.size));
    }
}

#[cfg(feature = "binsparse")]
impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.reader.read(buffer)?;
        let before = self.done / Progress::BYTES;
        // Some bytes are read twice.
        self.done = self.size.min(self.done.saturating_add(count));
        if self.done / Progress::BYTES > before {
            self.progress.finish(self.done, Some(self.size));
        }
        Ok(count)
    }
}

#[cfg(feature = "binsparse")]
impl<R: Seek> Seek for Counted<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.reader.seek(to)
    }
}
