//! Reading and writing: Matrix Market (`.mtx`) for matrices and FROSTT (`.tns`) for tensors of any
//! order, both plain or compressed with gzip or Zstandard (features `gzip` and `zstd`), and the
//! sparse arrays of SciPy (`.npz`, feature `npz`). With the feature `binsparse`, files store the arrays
//! of tensors in every format as they are in memory; with `mmap` they are mapped instead of read.
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
//! Text files are streamed line by line, so that memory is allocated for the entries of a file and not
//! for the number that its header declares. Errors give the file, the line and the expected
//! content; no input causes a panic. Writers write to a temporary file in the same folder and rename
//! it, so that a file is either the previous one or complete.
//!
//! # Matrix Market
//!
//! The whole exchange format of Boisvert, Pozo and Remington (NISTIR 5935, 1996) is supported:
//!
//! - The layouts `coordinate` and `array`, the fields `real`, `integer`, `complex` and `pattern`,
//!   the symmetries `general`, `symmetric`, `skew-symmetric` and `hermitian`, in any case and in
//!   the combinations that the standard allows. Other words, such as `double`, are refused, and the
//!   error suggests the standard's word.
//! - Comments and blank lines may occur anywhere after the banner. Lines may end in CR LF, and the
//!   last line may have no line end.
//! - Duplicate entries are summed; a sum that overflows an integer type is an error. Explicit zeros
//!   are stored.
//! - Symmetric matrices are expanded: the tensor stores both triangles. The standard requires the
//!   lower triangle; the upper one is accepted too, but not both in one file, since `(i, j)` and
//!   `(j, i)` could then be one entry or two entries to be summed. A skew-symmetric file must not
//!   list its diagonal. The diagonal of a hermitian file is read unchanged, imaginary parts
//!   included.
//! - The number of entries must equal the one in the size line. An array lists one column after
//!   another (with a symmetry only the lower triangle, without the diagonal if skew-symmetric).
//! - Values may have Fortran's exponent letter `D`; `nan` and `inf` are valid. The table of
//!   [`Element`] lists how values are converted to elements.
//!
//! # FROSTT
//!
//! Each line has the indices of one entry and its value, as defined by S. Smith et al., *FROSTT:
//! The Formidable Repository of Open Sparse Tensors and Tools*, 2017. Comments begin with `#`;
//! comments and blank lines may occur anywhere. There is no header: the extent of a mode is its
//! largest index, unless the caller passes a shape. Duplicate entries are summed.
//!
//! In both formats indices count from 1; the coordinates of a [`Tensor`] count from 0.

#[cfg(feature = "binsparse")]
pub mod binsparse;
mod compression;
mod element;
mod frostt;
mod lines;
mod matrix_market;
#[cfg(feature = "npz")]
mod npz;
mod number;
mod progress;
mod replace;
mod sums;
mod write;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

#[cfg(feature = "mmap")]
pub use binsparse::Mapped;
#[cfg(feature = "binsparse")]
pub use binsparse::{
    read_binsparse, read_binsparse_from, view_binsparse, write_binsparse, write_binsparse_to,
};
pub use element::{Element, Field, Number, RealElement};
#[cfg(feature = "npz")]
pub use npz::{NumpyElement, read_npz, read_npz_from, write_npz, write_npz_to};
pub use write::{write_mtx, write_mtx_to, write_tns, write_tns_to};

use lines::Lines;
use progress::Progress;

use crate::{Error, Format, Tensor};

/// Reads a matrix from a Matrix Market file.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Parse`] if it is not a valid file
/// or contains a value that `V` cannot represent, and [`Error::File`] with an error of
/// [`Tensor::from_triplets`].
pub fn read_mtx<V, F>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    Reader::new().read_mtx(path)
}

/// Reads a matrix in the Matrix Market format from a stream; `name` replaces the file name in
/// errors.
///
/// # Errors
/// The same as [`read_mtx`].
pub fn read_mtx_from<V, F>(reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    Reader::new().read_mtx_from(reader, name)
}

/// Reads a tensor from a FROSTT file. The extent of each mode is its largest index, or 0 if the
/// file has no entries.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Parse`] if it is not a valid file
/// of the format's order or contains a value that `V` cannot represent, and [`Error::File`] with an
/// error of [`Tensor::from_triplets`].
pub fn read_tns<V, F>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
where
    V: RealElement,
    F: Format,
{
    Reader::new().read_tns(path)
}

/// Reads a tensor of the given extents from a FROSTT file; an index beyond them is an error.
///
/// # Errors
/// The same as [`read_tns`].
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

/// Reads a tensor in the FROSTT format from a stream; `name` replaces the file name in errors.
///
/// # Errors
/// The same as [`read_tns`].
pub fn read_tns_from<V, F>(reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
where
    V: RealElement,
    F: Format,
{
    Reader::new().read_tns_from(reader, name)
}

/// A reader of files that reports its progress.
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
    /// Creates a reader that reports no progress.
    pub fn new() -> Self {
        Reader::default()
    }

    /// Calls `report` after every 65536 entries and at the end of the file, with the number of
    /// entries read and the number of entries in the file's header, if it has one. The reader of raw
    /// arrays, `read_binsparse`, counts bytes instead, and reports every 2^20 of them with the size of
    /// the file.
    pub fn progress(self, report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Reader { progress: Progress::new(report) }
    }

    /// Like [`read_mtx`].
    ///
    /// # Errors
    /// The same as [`read_mtx`].
    pub fn read_mtx<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(open(path.as_ref())?)
    }

    /// Like [`read_mtx_from`].
    ///
    /// # Errors
    /// The same as [`read_mtx`].
    pub fn read_mtx_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(stream(reader, name)?)
    }

    /// Like [`read_tns`].
    ///
    /// # Errors
    /// The same as [`read_tns`].
    pub fn read_tns<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(open(path.as_ref())?, None)
    }

    /// Like [`read_tns_with_shape`].
    ///
    /// # Errors
    /// The same as [`read_tns`].
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

    /// Like [`read_tns_from`].
    ///
    /// # Errors
    /// The same as [`read_tns`].
    pub fn read_tns_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(stream(reader, name)?, None)
    }

    /// Like [`read_npz`].
    ///
    /// # Errors
    /// The same as [`read_npz`].
    #[cfg(feature = "npz")]
    pub fn read_npz<V: Element, F: Format>(
        self,
        path: impl AsRef<Path>,
    ) -> Result<Tensor<V, F>, Error> {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(|reason| lines::io_error(&name, reason))?;
        npz::read(std::io::BufReader::new(file), &name, self.progress)
    }

    /// Like [`read_npz_from`].
    ///
    /// # Errors
    /// The same as [`read_npz`].
    #[cfg(feature = "npz")]
    pub fn read_npz_from<V: Element, F: Format>(
        self,
        reader: impl Read + std::io::Seek,
        name: &str,
    ) -> Result<Tensor<V, F>, Error> {
        npz::read(reader, name, self.progress)
    }

    /// Like [`read_binsparse`].
    ///
    /// # Errors
    /// The same as [`read_binsparse`].
    #[cfg(feature = "binsparse")]
    pub fn read_binsparse<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Levels: binsparse::FileLevels>,
    {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(|reason| lines::io_error(&name, reason))?;
        binsparse::read(std::io::BufReader::new(file), &name, self.progress)
    }

    /// Like [`read_binsparse_from`].
    ///
    /// # Errors
    /// The same as [`read_binsparse`].
    #[cfg(feature = "binsparse")]
    pub fn read_binsparse_from<V, F>(
        self,
        reader: impl Read + std::io::Seek,
        name: &str,
    ) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Levels: binsparse::FileLevels>,
    {
        binsparse::read(reader, name, self.progress)
    }

    fn mtx<V, F>(self, lines: Lines<'_>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        let mut entries = matrix_market::Entries::of(lines, self.progress)?;
        let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>()?;
        sums::check(&triplets, 1).map_err(|message| entries.error(message))?;
        Tensor::from_triplets(entries.shape(), triplets).map_err(|reason| entries.of_stream(reason))
    }

    fn tns<V, F>(self, lines: Lines<'_>, shape: Option<F::Shape>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        let mut entries = frostt::Entries::of(lines, self.progress, shape);
        let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>()?;
        sums::check(&triplets, 1).map_err(|message| entries.error(message))?;
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
