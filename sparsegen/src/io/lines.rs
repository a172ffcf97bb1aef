//! Text files, read line by line, and errors that give the line.

use std::fmt::Display;
use std::io::{self, BufRead, Read};
use std::str::SplitAsciiWhitespace;

use crate::Error;

/// The longest line that is accepted, in bytes: a limit, so that a stream without line ends does
/// not exhaust memory.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a stream line by line into one reused buffer.
pub(crate) struct Lines<'r> {
    reader: Box<dyn BufRead + 'r>,
    /// The name of the stream in errors, usually a path.
    name: String,
    /// The number of the line in the buffer, from 1; 0 before the first line.
    number: usize,
    /// The number of bytes read.
    position: u64,
    buffer: Vec<u8>,
}

impl<'r> Lines<'r> {
    pub(super) fn new(reader: Box<dyn BufRead + 'r>, name: &str) -> Self {
        Lines { reader, name: name.to_owned(), number: 0, position: 0, buffer: Vec::new() }
    }

    /// Numbers the lines as those after the first `before` ones of a file.
    #[cfg(feature = "mpi")]
    pub(super) fn after(self, before: usize) -> Self {
        Lines { number: before, ..self }
    }

    /// Returns the number of the line in the buffer, from 1; 0 before the first line.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns the number of bytes up to the end of the line in the buffer.
    #[cfg(feature = "mpi")]
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of remaining lines, and of those with data, up to the first line that is too
    /// long.
    #[cfg(feature = "mpi")]
    pub(crate) fn count(mut self, comment: u8) -> Result<[usize; 2], Error> {
        let (before, mut data) = (self.number, 0);
        loop {
            match self.advance_to_data(comment) {
                Ok(true) => data += 1,
                Ok(false) | Err(Error::Parse { .. }) => return Ok([self.number - before, data]),
                Err(error) => return Err(error),
            }
        }
    }

    /// Advances to the next line; returns `false` at the end of the stream.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        let any = self.begin()?;
        if any && self.is_cut() { Err(self.too_long()) } else { Ok(any) }
    }

    /// Advances to the next line that is neither blank nor a comment; returns `false` at the end of
    /// the stream. A comment is a line whose first visible byte is `comment`; its text may have any
    /// encoding and length.
    pub(super) fn advance_to_data(&mut self, comment: u8) -> Result<bool, Error> {
        while self.begin()? {
            // Leading white space may exceed the buffer.
            let begins_whole = !self.is_cut();
            while self.first_visible().is_none() && self.is_cut() {
                self.read()?;
            }
            match self.first_visible() {
                None => {}
                Some(first) if first == comment => self.skip()?,
                Some(_) if begins_whole => return Ok(true),
                Some(_) => return Err(self.too_long()),
            }
        }
        Ok(false)
    }

    /// Reads the beginning of the next line; returns `false` at the end of the stream.
    fn begin(&mut self) -> Result<bool, Error> {
        self.read()?;
        self.number += usize::from(!self.buffer.is_empty());
        Ok(!self.buffer.is_empty())
    }

    /// Reads up to the end of the line, or at most `LONGEST_LINE` bytes.
    fn read(&mut self) -> Result<(), Error> {
        self.buffer.clear();
        let mut rest = (&mut self.reader).take(LONGEST_LINE);
        let read = rest.read_until(b'\n', &mut self.buffer);
        let count = read.map_err(|reason| io_error(&self.name, reason))?;
        self.position += count as u64;
        Ok(())
    }

    /// Skips the rest of the line.
    fn skip(&mut self) -> Result<(), Error> {
        while self.is_cut() {
            self.read()?;
        }
        Ok(())
    }

    /// Returns whether the line may continue beyond the buffer.
    fn is_cut(&self) -> bool {
        self.buffer.len() as u64 == LONGEST_LINE && !self.buffer.ends_with(b"\n")
    }

    fn first_visible(&self) -> Option<u8> {
        self.buffer.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }

    fn too_long(&self) -> Error {
        self.error(format!("the line is longer than {LONGEST_LINE} bytes"))
    }

    /// Returns an error of the tensor made from the entries, with the name of the stream.
    pub(crate) fn of_stream(&self, reason: Error) -> Error {
        Error::File { file: self.name.clone(), reason: Box::new(reason) }
    }

    /// Returns the line in the buffer as text.
    pub(super) fn text(&self) -> Result<&str, Error> {
        str::from_utf8(&self.buffer).map_err(|_| self.error("the line is not text in UTF-8"))
    }

    /// Returns the words of the line in the buffer.
    pub(super) fn fields(&self) -> Result<Fields<'_>, Error> {
        Ok(Fields::of(self.text()?))
    }

    /// Returns an error for the line in the buffer, or for the first line before any is read.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        self.error_at(self.number, message)
    }

    /// Returns an error for the line with a number.
    pub(crate) fn error_at(&self, number: usize, message: impl Into<String>) -> Error {
        Error::Parse { file: self.name.clone(), line: number.max(1), message: message.into() }
    }
}

/// The words of a line, in order.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    words: SplitAsciiWhitespace<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        Fields { words: line.split_ascii_whitespace() }
    }

    /// Returns the next word, or an error that names `what` at the end of the line.
    pub(super) fn expect(&mut self, what: impl Display) -> Result<&'a str, String> {
        self.words.next().ok_or_else(|| format!("expected {what}, found the end of the line"))
    }

    /// Returns the next word, if any.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// Returns the number of remaining words.
    pub(super) fn count(self) -> usize {
        self.words.count()
    }

    /// Returns an error if there are more words than `expected` describes.
    pub(super) fn finish(&mut self, expected: impl Display) -> Result<(), String> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => {
                Err(format!("expected the line to end after {expected}, found {}", quoted(word)))
            }
        }
    }
}

/// Quotes text of a file for an error: in backticks, with control characters escaped, and truncated
/// if long.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let dots = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    format!("`{shown}{dots}`")
}

/// Returns an error of reading or writing the stream called `name`.
pub(crate) fn io_error(name: &str, reason: io::Error) -> Error {
    Error::Io { file: name.to_owned(), source: reason.to_string() }
}
