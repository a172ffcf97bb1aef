//! Reading Matrix Market files: an iterator over the entries.

mod header;

use header::{Header, Layout, Symmetry};

use super::element::{Element, Field, Number};
use super::entries::{self, Triangle};
use super::lines::{Fields, Lines, quoted};
use super::number;
use super::progress::Progress;
use crate::Error;

/// The byte that begins a comment.
const COMMENT: u8 = b'%';

/// An entry: row and column, counted from 0, and value.
type Triplet<V> = ([usize; 2], V);

/// The entries of a file and the ones implied by its symmetry: an iterator that reads one line at a
/// time and ends after the first error.
pub(crate) struct Entries<'r, 'p, V> {
    lines: Lines<'r>,
    header: Header,
    progress: Progress<'p>,
    /// The number of entries read from the file.
    done: usize,
    /// Whether the file ends with these lines.
    is_last: bool,
    /// The indices of an array's next entry.
    cell: [usize; 2],
    /// The first entry off the diagonal; with a symmetry, all others must lie in its triangle.
    first: Option<OffDiagonal>,
    /// The mirror image of the last returned entry.
    mirrored: Option<Triplet<V>>,
    /// Set at the end and after an error.
    finished: bool,
}

/// An entry off the diagonal.
#[derive(Clone, Copy)]
struct OffDiagonal {
    at: [usize; 2],
    triangle: Triangle,
    line: usize,
}

impl OffDiagonal {
    /// Returns an error if an earlier entry lies in the other triangle.
    fn check(self, earlier: Triangle, lines: &Lines<'_>) -> Result<(), Error> {
        let OffDiagonal { at: [row, column], triangle, line } = self;
        if triangle == earlier {
            return Ok(());
        }
        let message = format!(
            "the entry ({}, {}) lies {} the diagonal and earlier ones {} it: a file with a symmetry \
             lists one triangle, the other follows (one that lists both is `general`)",
            row + 1,
            column + 1,
            triangle.name(),
            earlier.name()
        );
        Err(lines.error_at(line, message))
    }
}

impl<'r, 'p, V: Element> Entries<'r, 'p, V> {
    /// Reads the header.
    pub(crate) fn of(mut lines: Lines<'r>, progress: Progress<'p>) -> Result<Self, Error> {
        let header = Header::parse::<V>(&mut lines)?;
        let cell = header.cell(0);
        Ok(Entries {
            lines,
            header,
            progress,
            done: 0,
            is_last: true,
            cell,
            first: None,
            mirrored: None,
            finished: false,
        })
    }

    /// Returns the next entry of the file.
    fn advance(&mut self) -> Result<Option<Triplet<V>>, Error> {
        let promised = self.header.entries;
        let more = self.lines.advance_to_data(COMMENT)?;
        if self.done >= promised {
            if more {
                return Err(self.lines.error(format!(
                    "expected the end of the file after the {promised} entries that the size \
                     line promises, found another line"
                )));
            }
            self.progress.finish(self.done, Some(promised));
            return Ok(None);
        }
        if !more && !self.is_last {
            return Ok(None);
        }
        if !more {
            return Err(self.lines.error(format!(
                "expected {promised} entries as the size line promises, found the end of the \
                 file after {}",
                self.done
            )));
        }
        let words = self.lines.fields()?;
        let entry = match self.header.layout {
            Layout::Coordinate => self.coordinate_entry(words),
            Layout::Array => self.array_entry(words),
        };
        let entry = entry.map_err(|message| self.lines.error(message))?;
        self.mirrored = self.mirror(entry)?;
        if self.header.layout == Layout::Array {
            self.step();
        }
        self.done += 1;
        self.progress.step(self.done, Some(promised));
        Ok(Some(entry))
    }

    /// Parses a line `row column value`.
    fn coordinate_entry(&self, mut words: Fields<'_>) -> Result<Triplet<V>, String> {
        let line = match self.header.field {
            Field::Pattern => "row and column",
            Field::Integer | Field::Real => "row, column and value",
            Field::Complex => "row, column, real part and imaginary part",
        };
        let row = index(&mut words, line, "row", self.header.rows)?;
        let column = index(&mut words, line, "column", self.header.columns)?;
        let value = self.value(&mut words, line)?;
        Ok(([row, column], value))
    }

    /// Parses a line of an array, which consists of a value.
    fn array_entry(&self, mut words: Fields<'_>) -> Result<Triplet<V>, String> {
        let line = match self.header.field {
            Field::Pattern | Field::Integer | Field::Real => "one value",
            Field::Complex => "real part and imaginary part",
        };
        Ok((self.cell, self.value(&mut words, line)?))
    }

    /// Parses the value at the end of a line; `line` describes the whole line.
    fn value(&self, words: &mut Fields<'_>, line: &str) -> Result<V, String> {
        let number = match self.header.field {
            Field::Pattern => Number::One,
            Field::Integer => Number::Integer(words.expect(line)?),
            Field::Real => Number::Real(words.expect(line)?),
            Field::Complex => Number::Complex(words.expect(line)?, words.expect(line)?),
        };
        words.finish(line)?;
        V::of_number(number)
    }

    /// Returns the mirror image of an entry, if the symmetry implies one.
    fn mirror(&mut self, (at, value): Triplet<V>) -> Result<Option<Triplet<V>>, Error> {
        let [row, column] = at;
        let place = || format!("the entry ({}, {})", row + 1, column + 1);
        let mirrored = match self.header.symmetry {
            Symmetry::General => return Ok(None),
            Symmetry::SkewSymmetric if row == column => {
                return Err(self.lines.error(format!(
                    "{} lies on the diagonal, which a skew-symmetric file does not list",
                    place()
                )));
            }
            Symmetry::Symmetric | Symmetry::Hermitian if row == column => return Ok(None),
            Symmetry::Symmetric => value,
            Symmetry::Hermitian => value.conjugated(),
            Symmetry::SkewSymmetric => value.negated().ok_or_else(|| {
                let name = V::NAME;
                let place = place();
                self.lines.error(format!(
                    "the negative of {value}, mirrored from {place}, does not fit `{name}`"
                ))
            })?,
        };
        let triangle = if row > column { Triangle::Lower } else { Triangle::Upper };
        let entry = OffDiagonal { at, triangle, line: self.lines.number() };
        entry.check(self.first.get_or_insert(entry).triangle, &self.lines)?;
        Ok(Some(([column, row], mirrored)))
    }

    /// Advances the cell of an array in column-major order.
    fn step(&mut self) {
        let [row, column] = &mut self.cell;
        *row += 1;
        if *row >= self.header.rows {
            *column += 1;
            *row = self.header.first_row(*column);
        }
    }
}

impl<'r, V: Element> entries::Entries<'r, [usize; 2], V> for Entries<'r, '_, V> {
    fn lines(&self) -> &Lines<'r> {
        &self.lines
    }

    fn shape(&self) -> [usize; 2] {
        [self.header.rows, self.header.columns]
    }
}

#[cfg(feature = "mpi")]
impl<'r, V: Element> entries::Resumed<'r, [usize; 2], V> for Entries<'r, '_, V> {
    const COMMENT: u8 = COMMENT;

    fn resumed(self, lines: Lines<'r>, done: usize, is_last: bool) -> Self {
        let cell = self.header.cell(done);
        Entries { lines, done, is_last, cell, ..self }
    }

    fn triangle(&self) -> Option<Triangle> {
        self.first.map(|first| first.triangle)
    }

    fn check_triangle(&self, earlier: Triangle) -> Result<(), Error> {
        self.first.map_or(Ok(()), |first| first.check(earlier, &self.lines))
    }
}

/// Parses an index that counts from 1 and returns it counted from 0.
fn index(words: &mut Fields<'_>, line: &str, mode: &str, size: usize) -> Result<usize, String> {
    let word = words.expect(line)?;
    let index = number::index(word)
        .map_err(|reason| format!("the {mode} index {} {reason}; expected {line}", quoted(word)))?;
    match index.checked_sub(1) {
        None => Err(format!("the {mode} index is 0; indices count from 1")),
        Some(index) if index < size => Ok(index),
        Some(_) => Err(format!("the {mode} index is {index}, the matrix has {size} {mode}s")),
    }
}

impl<V: Element> Iterator for Entries<'_, '_, V> {
    type Item = Result<Triplet<V>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(entry) = self.mirrored.take() {
            return Some(Ok(entry));
        }
        if self.finished {
            return None;
        }
        let entry = self.advance();
        self.finished = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}
