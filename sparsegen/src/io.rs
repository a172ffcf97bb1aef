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
pub(crate) mod entries;
pub(crate) mod frostt;
pub(crate) mod lines;
pub(crate) mod matrix_market;
#[cfg(feature = "npz")]
mod npz;
mod number;
mod progress;
mod reader;
mod replace;
#[cfg(feature = "mpi")]
pub(crate) mod share;
pub(crate) mod sums;
pub(crate) mod write;

#[cfg(test)]
mod tests;

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
pub use reader::Reader;
pub use write::{write_mtx, write_mtx_to, write_tns, write_tns_to};

use crate::{Error, Format, Tensor};

/// Reads a matrix from a Matrix Market file.
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a: Tensor<f64, Csr> = io::read_mtx("bcsstk13.mtx")?;
/// println!("{:?} with {} entries", a.shape(), a.stored());
/// # Ok(())
/// # }
/// ```
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
/// ```
/// use sparsegen::{Csr, io};
///
/// let file = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 2.0\n2 3 3.0\n";
/// let a = io::read_mtx_from::<f64, Csr>(file.as_bytes(), "example.mtx")?;
/// assert!(a.iter().eq([([0, 1], 2.0), ([1, 2], 3.0)]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
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
/// ```no_run
/// use sparsegen::{Csf, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let t: Tensor<f64, Csf<3>> = io::read_tns("kinships.tns")?;
/// println!("{:?} with {} entries", t.shape(), t.stored());
/// # Ok(())
/// # }
/// ```
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
/// ```no_run
/// use sparsegen::{Csf, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let t: Tensor<f64, Csf<3>> = io::read_tns_with_shape("kinships.tns", [104, 104, 26])?;
/// assert_eq!(t.shape(), [104, 104, 26]);
/// # Ok(())
/// # }
/// ```
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
/// ```
/// use sparsegen::{Csf, io};
///
/// let t = io::read_tns_from::<f64, Csf<3>>("1 2 1 2.5\n2 1 4 3.5\n".as_bytes(), "example.tns")?;
/// assert_eq!((t.shape(), t.vals()), ([2, 2, 4], &[2.5, 3.5][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
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
