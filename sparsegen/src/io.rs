//! Reading and writing: Matrix Market (`.mtx`) for matrices, FROSTT (`.tns`) for tensors of any
//! order, both plain and, with the feature `gzip`, compressed.
//!
//! ```no_run
//! use sparsegen::{Csf, Csr, Tensor, io};
//!
//! # fn main() -> Result<(), sparsegen::Error> {
//! let matrix: Tensor<f64, Csr> = io::read_mtx("bcsstk13.mtx")?;
//! let tensor = io::read_tns::<f64, Csf<3>>("kinships.tns")?;
//! io::write_mtx("copy.mtx", &matrix)?;
//! # Ok(())
//! # }
//! ```
//!
//! Files are read as streams, line by line: a header that promises 10^18 entries allocates nothing
//! until they come. Errors name file, line and what was expected there; no input causes a panic.
//!
//! # Matrix Market
//!
//! All of the exchange format of Boisvert, Pozo and Remington (NISTIR 5935, 1996):
//!
//! - The layouts `coordinate` and `array`, the fields `real`, `integer`, `complex` and `pattern`,
//!   the symmetries `general`, `symmetric`, `skew-symmetric` and `hermitian`, in any case and in
//!   the combinations that the standard allows. Words beyond it (`double`) are refused with the
//!   standard's word.
//! - Comments and blank lines may stand anywhere after the banner; lines may end in CR LF, the last
//!   one without an end.
//! - Entries that are listed more than once are summed, which is an error where an integer type
//!   does not hold the sum. Explicit zeros are stored.
//! - A symmetry is expanded: the tensor stores both triangles. The standard asks for the lower
//!   triangle; the upper one is read as well, but a file that mixes them is refused, since it would
//!   be ambiguous whether `(i, j)` and `(j, i)` are one entry or two to be summed. A skew-symmetric
//!   file that lists its diagonal is refused. A hermitian file's diagonal is taken as it is written,
//!   imaginary parts included.
//! - As many entries as the size line promises, no fewer and no more; an array lists one column
//!   after another (with a symmetry: the lower triangle's, without the diagonal if skew).
//! - Values may have Fortran's exponent letter `D`; `nan` and `inf` are values. How they become
//!   elements is [`Element`]'s table.
//!
//! # FROSTT
//!
//! One entry a line, its indices and then its value, after S. Smith et al., *FROSTT: The Formidable
//! Repository of Open Sparse Tensors and Tools*, 2017. Comments begin with `#` and may stand
//! anywhere, as blank lines may. There is no header: the extent of a mode is its largest index,
//! unless the caller gives a shape. Duplicates are summed.
//!
//! In both formats indices count from 1; those of a [`Tensor`] count from 0.

mod compression;
mod element;
mod frostt;
mod lines;
mod matrix_market;
mod number;
mod progress;
mod sums;
mod write;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use element::{Element, Field, Number, RealElement};
pub use write::{write_mtx, write_mtx_to, write_tns, write_tns_to};

use lines::Lines;
use progress::Progress;

use crate::{Error, Format, Tensor};

/// Reads a matrix from a Matrix Market file.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Parse`] if it is not a valid file
/// or holds values that are none of `V`, and [`Error::File`] with those of
/// [`Tensor::from_triplets`].
pub fn read_mtx<V, F>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    Reader::new().read_mtx(path)
}

/// As [`read_mtx`], from any stream; `name` stands for a file's in errors.
///
/// # Errors
/// Those of [`read_mtx`].
pub fn read_mtx_from<V, F>(reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    Reader::new().read_mtx_from(reader, name)
}

/// Reads a tensor from a FROSTT file. The extent of each mode is its largest index, so 0 where the
/// file has no entries.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Parse`] if it is not a valid file
/// of the format's order or holds values that are none of `V`, and [`Error::File`] with those of
/// [`Tensor::from_triplets`].
pub fn read_tns<V, F>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
where
    V: RealElement,
    F: Format,
{
    Reader::new().read_tns(path)
}

/// As [`read_tns`], with the extents of the modes given; an index beyond them is an error.
///
/// # Errors
/// Those of [`read_tns`].
pub fn read_tns_with_shape<V, F>(
    path: impl AsRef<Path>,
    shape: F::Shape,
) -> Result<Tensor<V, F>, Error>
where
    V: RealElement,
    F: Format,
{
    Reader::new().read_tns_with_shape(path, shape)
}

/// As [`read_tns`], from any stream; `name` stands for a file's in errors.
///
/// # Errors
/// Those of [`read_tns`].
pub fn read_tns_from<V, F>(reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
where
    V: RealElement,
    F: Format,
{
    Reader::new().read_tns_from(reader, name)
}

/// Reads files, and says how far it is.
///
/// ```no_run
/// use sparsegen::{Csr, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let report = |done: usize, promised: Option<usize>| match promised {
///     Some(promised) => eprintln!("{done} of {promised} entries"),
///     None => eprintln!("{done} entries"),
/// };
/// let matrix = io::Reader::new().progress(report).read_mtx::<f64, Csr>("large.mtx")?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Reader<'p> {
    progress: Progress<'p>,
}

impl<'p> Reader<'p> {
    /// A reader that reports nothing.
    pub fn new() -> Self {
        Reader::default()
    }

    /// Calls `report` after every 65536 entries and at the end of the file, with the number of
    /// entries read and the number that the file's header promises, if it has one.
    pub fn progress(self, report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Reader { progress: Progress::new(report) }
    }

    /// As [`read_mtx`].
    ///
    /// # Errors
    /// Those of [`read_mtx`].
    pub fn read_mtx<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(open(path.as_ref())?)
    }

    /// As [`read_mtx_from`].
    ///
    /// # Errors
    /// Those of [`read_mtx`].
    pub fn read_mtx_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(stream(reader, name)?)
    }

    /// As [`read_tns`].
    ///
    /// # Errors
    /// Those of [`read_tns`].
    pub fn read_tns<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(open(path.as_ref())?, None)
    }

    /// As [`read_tns_with_shape`].
    ///
    /// # Errors
    /// Those of [`read_tns`].
    pub fn read_tns_with_shape<V, F>(
        self,
        path: impl AsRef<Path>,
        shape: F::Shape,
    ) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(open(path.as_ref())?, Some(shape))
    }

    /// As [`read_tns_from`].
    ///
    /// # Errors
    /// Those of [`read_tns`].
    pub fn read_tns_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(stream(reader, name)?, None)
    }

    fn mtx<V, F>(self, lines: Lines<'_>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        let mut entries = matrix_market::Entries::of(lines, self.progress)?;
        let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>()?;
        sums::check(&triplets).map_err(|message| entries.error(message))?;
        Tensor::from_triplets(entries.shape(), triplets).map_err(|reason| entries.of_stream(reason))
    }

    fn tns<V, F>(self, lines: Lines<'_>, shape: Option<F::Shape>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        let mut entries = frostt::Entries::of(lines, self.progress, shape);
        let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>()?;
        sums::check(&triplets).map_err(|message| entries.error(message))?;
        Tensor::from_triplets(entries.shape(), triplets).map_err(|reason| entries.of_stream(reason))
    }
}

fn open(path: &Path) -> Result<Lines<'static>, Error> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => stream(file, &name),
        Err(reason) => Err(lines::io_error(&name, reason)),
    }
}

fn stream<'r>(reader: impl Read + 'r, name: &str) -> Result<Lines<'r>, Error> {
    match compression::buffered(reader) {
        Ok(reader) => Ok(Lines::new(reader, name)),
        Err(reason) => Err(lines::io_error(name, reason)),
    }
}
