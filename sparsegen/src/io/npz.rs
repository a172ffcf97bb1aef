//! SciPy's sparse arrays in NumPy's `.npz` archives.

pub(super) mod archive;
mod dtype;
pub(super) mod npy;
mod read;
mod write;

use std::io::{Read, Seek, Write};
use std::path::Path;

pub use dtype::NumpyElement;
pub(super) use read::read;

use super::write::check_fill;
use super::{Reader, lines, replace};
use crate::io::Element;
use crate::{Error, Format, Tensor};

/// Reads a sparse array or matrix that SciPy has saved with `scipy.sparse.save_npz`.
///
/// The array may be in any of the formats that SciPy saves (`csr`, `csc`, `bsr`, `dia`, and `coo` of
/// any order), compressed or not, with numbers of any type of NumPy up to 8 bytes, or complex. The
/// tensor is packed into the format `F`, whatever the format of the file. Entries need not be
/// sorted, and duplicates are summed, as SciPy does. The zeros of `bsr` and `dia` are padding and
/// become no entries.
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a: Tensor<f64, Csr> = io::read_npz("from_scipy.npz")?;
/// println!("{:?} with {} entries", a.shape(), a.stored());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Array`] if an array of the file is
/// missing, not valid, or has a value that `V` cannot represent, and [`Error::File`] with an error
/// of [`Tensor::from_triplets`].
pub fn read_npz<V: Element, F: Format>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error> {
    Reader::new().read_npz(path)
}

/// Reads a sparse array from an archive in memory or in another stream, like [`read_npz`]; `name`
/// replaces the file name in errors.
///
/// ```
/// use std::io::Cursor;
///
/// use sparsegen::{Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Cursor::new(Vec::new());
/// io::write_npz_to(&mut file, "a.npz", &a)?;
/// assert_eq!(io::read_npz_from::<f64, Csr>(file, "a.npz")?, a);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// The same as [`read_npz`].
pub fn read_npz_from<V: Element, F: Format>(
    reader: impl Read + Seek,
    name: &str,
) -> Result<Tensor<V, F>, Error> {
    Reader::new().read_npz_from(reader, name)
}

/// Writes a tensor so that `scipy.sparse.load_npz` reads it: every stored entry, explicit zeros
/// included. The file is replaced only once it is complete.
///
/// | tensor's format | format of the file |
/// |---|---|
/// | `csr`, `csc`, `dia`, with any widths | the same |
/// | blocks `(i / r : dense, j / c : compressed, i % r : dense, j % c : dense)` whose sizes divide the extents | `bsr` |
/// | any other, of order 1 or more | `coo` |
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// io::write_npz("a.npz", &a)?;
/// assert_eq!(io::read_npz::<f64, Csr>("a.npz")?, a);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written, [`Error::Fill`] if the fill value of the
/// tensor's format is not zero, and [`Error::Array`] if the tensor has order 0.
pub fn write_npz<V: NumpyElement, F: Format>(
    path: impl AsRef<Path>,
    tensor: &Tensor<V, F>,
) -> Result<(), Error> {
    let name = path.as_ref().display().to_string();
    check::<F>(&name)?;
    replace::replace(path.as_ref(), |file| write::archive(file, tensor).map(|_| ()))
        .map_err(|reason| lines::io_error(&name, reason))
}

/// Writes a tensor to a stream, like [`write_npz`]; `name` replaces the file name in errors.
///
/// ```
/// use std::io::Cursor;
///
/// use sparsegen::{Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Cursor::new(Vec::new());
/// io::write_npz_to(&mut file, "a.npz", &a)?;
/// assert!(file.into_inner().starts_with(b"PK"));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// The same as [`write_npz`].
pub fn write_npz_to<V: NumpyElement, F: Format>(
    writer: impl Write + Seek,
    name: &str,
    tensor: &Tensor<V, F>,
) -> Result<(), Error> {
    check::<F>(name)?;
    write::archive(writer, tensor)
        .and_then(|mut writer| writer.flush())
        .map_err(|reason| lines::io_error(name, reason))
}

/// Checks that SciPy can represent tensors of a format.
fn check<F: Format>(name: &str) -> Result<(), Error> {
    if F::MAP.levels.is_empty() {
        let message = "a sparse array of SciPy has at least one mode; write the value itself";
        return Err(error(name, "shape", message));
    }
    check_fill::<F>(name)
}

/// Returns an error of an array of an archive.
pub(super) fn error(file: &str, array: &str, message: impl Into<String>) -> Error {
    Error::Array { file: file.to_owned(), array: array.to_owned(), message: message.into() }
}
