//! Writing Matrix Market and FROSTT files.

use std::io::{self, Write};
use std::path::Path;

use super::element::{Element, Field, RealElement};
use super::{compression, lines};
use crate::{Error, Format, Tensor};

/// Writes a matrix as a Matrix Market file: every stored entry, explicit zeros among them, in
/// storage order, under the banner `coordinate`, the element type's field, `general`. A name that
/// ends in `.gz` makes a compressed file (feature `gzip`).
///
/// [`read_mtx`](super::read_mtx) reads the same entries back.
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written, [`Error::Fill`] if what the tensor does not
/// store is not zero.
pub fn write_mtx<V, F>(path: impl AsRef<Path>, tensor: &Tensor<V, F>) -> Result<(), Error>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    check_fill::<F>(&path.as_ref().display().to_string())?;
    create(path.as_ref(), |out| matrix_market(out, tensor))
}

/// As [`write_mtx`], to any stream, uncompressed; `name` stands for a file's in errors.
///
/// # Errors
/// [`Error::Io`] if the stream cannot be written, [`Error::Fill`] if what the tensor does not store is
/// not zero.
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
/// entry, explicit zeros among them, in storage order. A name that ends in `.gz` makes a compressed
/// file (feature `gzip`).
///
/// The format keeps no extents: [`read_tns`](super::read_tns) takes the largest index of each mode,
/// [`read_tns_with_shape`](super::read_tns_with_shape) brings back the tensor's own.
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written, [`Error::Fill`] if what the tensor does not
/// store is not zero.
pub fn write_tns<V, F>(path: impl AsRef<Path>, tensor: &Tensor<V, F>) -> Result<(), Error>
where
    V: RealElement,
    F: Format,
{
    check_fill::<F>(&path.as_ref().display().to_string())?;
    create(path.as_ref(), |out| frostt(out, tensor))
}

/// As [`write_tns`], to any stream, uncompressed; `name` stands for a file's in errors.
///
/// # Errors
/// [`Error::Io`] if the stream cannot be written, [`Error::Fill`] if what the tensor does not store is
/// not zero.
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

/// What a file does not list is zero.
fn check_fill<F: Format>(file: &str) -> Result<(), Error> {
    match F::FILL.to_f64() == 0.0 {
        true => Ok(()),
        false => Err(Error::Fill { file: file.to_owned(), format: F::NAME }),
    }
}

fn create(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    compression::create(path, write)
        .map_err(|reason| lines::io_error(&path.display().to_string(), reason))
}

fn matrix_market<V, F>(out: &mut dyn Write, tensor: &Tensor<V, F>) -> io::Result<()>
where
    V: Element,
    F: Format<Shape = [usize; 2]>,
{
    let field = match V::FIELD {
        Field::Pattern => "pattern",
        Field::Integer => "integer",
        Field::Real => "real",
        Field::Complex => "complex",
    };
    let [rows, columns] = tensor.shape();
    writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(out, "{rows} {columns} {}", tensor.iter().count())?;
    write_entries(out, tensor)
}

fn frostt<V, F>(out: &mut dyn Write, tensor: &Tensor<V, F>) -> io::Result<()>
where
    V: RealElement,
    F: Format,
{
    let shape = tensor.shape();
    let extents: Vec<String> = shape.as_ref().iter().map(usize::to_string).collect();
    writeln!(out, "# extents {}; indices count from 1", extents.join(" x "))?;
    write_entries(out, tensor)
}

/// One line an entry: the indices, counted from 1, and the value unless it is that of a pattern.
fn write_entries<V, F>(out: &mut dyn Write, tensor: &Tensor<V, F>) -> io::Result<()>
where
    V: Element,
    F: Format,
{
    for (coordinates, value) in tensor.iter() {
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
