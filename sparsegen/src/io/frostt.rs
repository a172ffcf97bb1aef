//! Reading FROSTT files: lines of indices and a value, without a header.

use std::marker::PhantomData;

use super::element::{Number, RealElement};
use super::entries;
use super::lines::{Fields, Lines, quoted};
use super::number;
use super::progress::Progress;
use crate::{Error, Shape};

/// The byte that begins a comment.
const COMMENT: u8 = b'#';

/// The entries of a file, with coordinates from 0: an iterator that reads one line at a time and
/// ends after the first error.
pub(crate) struct Entries<'r, 'p, V, S> {
    lines: Lines<'r>,
    progress: Progress<'p>,
    /// The extents that the caller passed; without them, any index is valid.
    bounds: Option<S>,
    /// The smallest extent of each mode that contains the entries so far.
    extents: S,
    done: usize,
    /// Set at the end and after an error.
    finished: bool,
    values: PhantomData<V>,
}

impl<'r, 'p, V: RealElement, S: Shape> Entries<'r, 'p, V, S> {
    pub(crate) fn of(lines: Lines<'r>, progress: Progress<'p>, bounds: Option<S>) -> Self {
        Entries {
            lines,
            progress,
            bounds,
            extents: S::splat(0),
            done: 0,
            finished: false,
            values: PhantomData,
        }
    }

    fn advance(&mut self) -> Result<Option<(S, V)>, Error> {
        if !self.lines.advance_to_data(COMMENT)? {
            self.progress.finish(self.done, None);
            return Ok(None);
        }
        let words = self.lines.fields()?;
        let entry = self.entry(words.clone()).map_err(|message| {
            // A wrong number of words explains any other error of the line.
            let other_order = self.other_order(words.count());
            self.lines.error(other_order.unwrap_or(message))
        })?;
        for (extent, &coordinate) in self.extents.as_mut().iter_mut().zip(entry.0.as_ref()) {
            *extent = (*extent).max(coordinate + 1);
        }
        self.done += 1;
        self.progress.step(self.done, None);
        Ok(Some(entry))
    }

    /// Parses a line `index … index value`.
    fn entry(&self, mut words: Fields<'_>) -> Result<(S, V), String> {
        let mut coordinates = S::splat(0);
        for (mode, coordinate) in coordinates.as_mut().iter_mut().enumerate() {
            let word = words.expect("an index")?;
            let place = || format!("the index of mode {}", mode + 1);
            let index = number::index(word)
                .map_err(|reason| format!("{} {} {reason}", place(), quoted(word)))?;
            *coordinate = index
                .checked_sub(1)
                .ok_or_else(|| format!("{} is 0; indices count from 1", place()))?;
            if let Some(bounds) = &self.bounds
                && index > bounds.as_ref()[mode]
            {
                let size = bounds.as_ref()[mode];
                return Err(format!("{} is {index}, the given shape has {size}", place()));
            }
        }
        let value = V::of_number(Number::Real(words.expect("a value")?))?;
        words.finish("the value")?;
        Ok((coordinates, value))
    }

    /// Returns the message for a line with the wrong number of words, or `None` if the number is
    /// right.
    fn other_order(&self, words: usize) -> Option<String> {
        let order = S::ORDER;
        if words == order + 1 {
            return None;
        }
        let expected = match order {
            0 => "a value".to_owned(),
            1 => "1 index and a value".to_owned(),
            _ => format!("{order} indices and a value"),
        };
        let plural = if words == 1 { "word" } else { "words" };
        // The first entry determines the order of the file.
        let hint = if self.done == 0 {
            format!(": the file's tensor has order {}, not {order}", words.saturating_sub(1))
        } else {
            " unlike on the lines before".to_owned()
        };
        Some(format!("expected {expected}, found {words} {plural}{hint}"))
    }
}

impl<'r, V: RealElement, S: Shape> entries::Entries<'r, S, V> for Entries<'r, '_, V, S> {
    fn lines(&self) -> &Lines<'r> {
        &self.lines
    }

    fn shape(&self) -> S {
        self.bounds.unwrap_or(self.extents)
    }
}

#[cfg(feature = "mpi")]
impl<'r, V: RealElement, S: Shape> entries::Resumed<'r, S, V> for Entries<'r, '_, V, S> {
    const COMMENT: u8 = COMMENT;

    fn resumed(self, lines: Lines<'r>, done: usize, _is_last: bool) -> Self {
        Entries { lines, done, ..self }
    }

    fn triangle(&self) -> Option<entries::Triangle> {
        None
    }

    fn check_triangle(&self, _earlier: entries::Triangle) -> Result<(), Error> {
        Ok(())
    }
}

impl<V: RealElement, S: Shape> Iterator for Entries<'_, '_, V, S> {
    type Item = Result<(S, V), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let entry = self.advance();
        self.finished = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}
