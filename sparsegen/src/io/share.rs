//! Text files that several ranks read: the lines of each rank.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::lines::{Lines, io_error};
use super::{compression, reader};
use crate::Error;

/// A text file that every rank can open.
pub(crate) struct TextFile {
    path: PathBuf,
    /// The size in bytes.
    pub(crate) size: u64,
    /// `true` if the file is compressed, so that it can only be read from its start.
    pub(crate) is_compressed: bool,
}

impl TextFile {
    pub(crate) fn open(path: &Path) -> Result<TextFile, Error> {
        let found = || {
            let file = File::open(path)?;
            let of = file.metadata()?;
            if !of.is_file() {
                let reason = "several ranks read regular files only; read it on one rank, and pass \
                              the entries to `from_triplets`";
                return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
            }
            Ok((of.len(), compression::is_compressed(file)?))
        };
        let found = found().map_err(|reason| io_error(&path.display().to_string(), reason));
        let (size, is_compressed) = found?;
        Ok(TextFile { path: path.to_owned(), size, is_compressed })
    }

    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns an error of opening or reading the file.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Io { file: self.name(), source: reason.into() }
    }

    /// Returns all lines, decompressed.
    pub(crate) fn lines(&self) -> Result<Lines<'static>, Error> {
        reader::open(&self.path)
    }

    /// Returns the bytes of the lines that begin in a rank's share of the bytes after the header.
    pub(crate) fn share(
        &self,
        header: u64,
        rank: usize,
        ranks: usize,
    ) -> Result<Range<u64>, Error> {
        let bytes = u128::from(self.size.saturating_sub(header));
        // A share is less than all bytes.
        let before = |rank: usize| header + (bytes * rank as u128 / ranks as u128) as u64;
        let share = || {
            let mut file = BufReader::new(File::open(&self.path)?);
            let mut start = |at: u64| -> io::Result<u64> {
                if at == header || at >= self.size {
                    return Ok(at);
                }
                // The byte before tells whether a line begins here.
                file.seek(SeekFrom::Start(at - 1))?;
                Ok(at - 1 + file.skip_until(b'\n')? as u64)
            };
            Ok(start(before(rank))?..start(before(rank + 1))?)
        };
        share().map_err(|reason: io::Error| io_error(&self.name(), reason))
    }

    /// Returns the lines in some bytes of the file, before which there are `before` lines.
    pub(crate) fn lines_in(
        &self,
        bytes: &Range<u64>,
        before: usize,
    ) -> Result<Lines<'static>, Error> {
        let part = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(bytes.start))?;
            Ok(BufReader::new(file.take(bytes.end - bytes.start)))
        };
        let part = part().map_err(|reason: io::Error| io_error(&self.name(), reason))?;
        Ok(Lines::new(Box::new(part), &self.name()).after(before))
    }
}
