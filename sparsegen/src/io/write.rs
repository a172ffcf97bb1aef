//! Writing Matrix Market and FROSTT files.

use std::io::{self, Write};
use std::path::Path;

use super::element::{Element, Field, RealElement};
use super::{compression, lines};
use crate::{Error, Format, Shape, Tensor};

/// Writes a matrix as a Matrix Market file: every stored entry, explicit zeros included, in storage
/// order. The banner has the layout `coordinate`, the element type's field and the symmetry
/// `general`. The file is compressed if its name ends in `.gz` (feature
/// `gzip`) or `.zst` (feature `zstd`), and replaced only once it is complete.
///
/// [`read_mtx`](super::read_mtx) reads the same entries back.
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a = Tensor::<f64, Csr>::eye(1000)?;
/// io::write_mtx("identity.mtx", &a)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written, and [`Error::Fill`] if the fill value of
/// the tensor's format is not zero.
pub fn write_mtx<V, F>(path: impl AsRef<Path>, tensor: &Tensor<V, F>) -> Result<(), Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    check_fill::<F>(&path.as_ref().display().to_string())?;
    create(path.as_ref(), |out| matrix_market(out, tensor))
}

/// Writes a matrix to a stream, uncompressed, like [`write_mtx`]; `name` replaces the file name in
/// errors.
///
/// ```
/// use sparsegen::{Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Vec::new();
/// io::write_mtx_to(&mut file, "a.mtx", &a)?;
/// assert_eq!(io::read_mtx_from::<f64, Csr>(&*file, "a.mtx")?, a);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`] if the stream cannot be written, and [`Error::Fill`] if the fill value of the
/// tensor's format is not zero.
pub fn write_mtx_to<V, F>(
    mut writer: impl Write,
    name: &str,
    tensor: &Tensor<V, F>,
) -> Result<(), Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    check_fill::<F>(name)?;
    let written = matrix_market(&mut writer, tensor).and_then(|()| writer.flush());
    written.map_err(|reason| lines::io_error(name, reason))
}

/// Writes a tensor of any order as a FROSTT file: a comment with the extents, then every stored
/// entry, explicit zeros included, in storage order. The file is compressed if its name ends in
/// `.gz` (feature `gzip`) or `.zst` (feature `zstd`), and replaced only once it is complete.
///
/// The format does not store extents: [`read_tns`](super::read_tns) uses the largest index of each
/// mode, and [`read_tns_with_shape`](super::read_tns_with_shape) restores the extents of the
/// tensor.
///
/// ```no_run
/// use sparsegen::{Csf, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let t = Tensor::<f64, Csf<3>>::from_triplets([2, 3, 4], [([0, 1, 2], 5.0)])?;
/// io::write_tns("t.tns", &t)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written, and [`Error::Fill`] if the fill value of
/// the tensor's format is not zero.
pub fn write_tns<V, F>(path: impl AsRef<Path>, tensor: &Tensor<V, F>) -> Result<(), Error>
where
    V: RealElement,
    F: Format,
{
    check_fill::<F>(&path.as_ref().display().to_string())?;
    create(path.as_ref(), |out| frostt(out, tensor))
}

/// Writes a tensor to a stream, uncompressed, like [`write_tns`]; `name` replaces the file name in
/// errors.
///
/// ```
/// use sparsegen::{Csf, Tensor, io};
///
/// let t = Tensor::<f64, Csf<3>>::from_triplets([2, 3, 4], [([0, 1, 2], 5.0)])?;
/// let mut file = Vec::new();
/// io::write_tns_to(&mut file, "t.tns", &t)?;
/// assert!(io::read_tns_from::<f64, Csf<3>>(&*file, "t.tns")?.iter().eq(t.iter()));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`] if the stream cannot be written, and [`Error::Fill`] if the fill value of the
/// tensor's format is not zero.
pub fn write_tns_to<V, F>(
    mut writer: impl Write,
    name: &str,
    tensor: &Tensor<V, F>,
) -> Result<(), Error>
where
    V: RealElement,
    F: Format,
{
    check_fill::<F>(name)?;
    let written = frostt(&mut writer, tensor).and_then(|()| writer.flush());
    written.map_err(|reason| lines::io_error(name, reason))
}

/// Checks that the fill value is zero, the value of unlisted entries of a file.
pub(crate) fn check_fill<F: Format>(file: &str) -> Result<(), Error> {
    match F::FILL.to_f64() == 0.0 {
        true => Ok(()),
        false => Err(Error::Fill { file: file.to_owned(), format: F::NAME }),
    }
}

pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    compression::create(path, write)
        .map_err(|reason| lines::io_error(&path.display().to_string(), reason))
}

fn matrix_market<V, F>(out: &mut dyn Write, tensor: &Tensor<V, F>) -> io::Result<()>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    matrix_market_header::<V>(out, tensor.shape(), tensor.iter().count())?;
    write_entries(out, tensor.iter())
}

/// Writes the banner and the size line.
pub(crate) fn matrix_market_header<V: Element>(
    out: &mut dyn Write,
    [rows, columns]: [usize; 2],
    entries: usize,
) -> io::Result<()> {
    let field = match V::FIELD {
        Field::Pattern => "pattern",
        Field::Integer => "integer",
        Field::Real => "real",
        Field::Complex => "complex",
    };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(out, "{rows} {columns} {entries}")
}

fn frostt<V, F>(out: &mut dyn Write, tensor: &Tensor<V, F>) -> io::Result<()>
where
    V: RealElement,
    F: Format,
{
    frostt_header(out, &tensor.shape())?;
    write_entries(out, tensor.iter())
}

/// Writes a comment with the extents.
pub(crate) fn frostt_header(out: &mut dyn Write, shape: &impl Shape) -> io::Result<()> {
    let extents: Vec<String> = shape.as_ref().iter().map(usize::to_string).collect();
    writeln!(out, "# extents {}; indices count from 1", extents.join(" x "))
}

/// Writes one line per entry: the indices, counted from 1, and the value unless the tensor is a
/// pattern.
pub(crate) fn write_entries<S: Shape, V: Element>(
    out: &mut dyn Write,
    entries: impl Iterator<Item = (S, V)>,
) -> io::Result<()> {
    for (coordinates, value) in entries {
        let mut separator = "";
        for coordinate in coordinates.as_ref() {
            write!(out, "{separator}{}", coordinate + 1)?;
            separator = " ";
        }
        if V::FIELD != Field::Pattern {
            write!(out, "{separator}")?;
            value.write(out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
