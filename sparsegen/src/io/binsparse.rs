//! Files of raw arrays, which are opened without being read: tensors in every format, described as
//! by Binsparse.
//!
//! A file is an archive of NumPy (`.npz`, not compressed) with the arrays of the levels, the array
//! of values, and a descriptor in JSON as defined by B. Brock et al., *Binary Sparse Format
//! Specification*. Other programs that know Binsparse read the files whose format it can describe:
//! those of dense levels, compressed levels, and lists of coordinates in order (`dense`, `csr`,
//! `csc`, `dcsr`, `dcsc`, `coo`, `csf` and the like). The arrays of all formats can be read with
//! `numpy.load`.
//!
//! ```no_run
//! use sparsegen::{Csr, Error, Tensor, io};
//!
//! # fn main() -> Result<(), Error> {
//! let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
//! io::write_binsparse("a.npz", &a)?;
//! assert_eq!(io::read_binsparse::<f64, Csr>("a.npz")?, a);
//! # Ok(())
//! # }
//! ```
//!
//! # Three ways to open a file
//!
//! | | copies | checks | file of another program, or in another format |
//! |---|---|---|---|
//! | [`read_binsparse`] | everything | everything, also checksums | converted |
//! | [`view_binsparse`], `Mapped::open` | nothing | every invariant of the structure, which reads all arrays but the values | an error |
//! | `Mapped::open_trusted` | nothing | the descriptor | an error |
//!
//! `Mapped` is in the feature `mmap`. Its pages are read from the file when they are first needed,
//! and may be dropped again, so that a tensor may be larger than the memory.
//!
//! # Arrays
//!
//! | array | content |
//! |---|---|
//! | `binsparse` | the descriptor: format, shape, number of values and type of each array |
//! | `sparsegen` | the map of the format, in the notation of a manifest |
//! | `pointers_to_K`, `indices_K` | the arrays `pos` and `crd` of level `K`, counted from 0 |
//! | `NAME_K` | any other array of level `K` |
//! | `values` | the values; real and imaginary parts of complex numbers alternate |
//! | `fill_value` | the fill value, if it is not zero |
//!
//! Each array begins at a multiple of 64 bytes, and stores the least significant byte of a number
//! first. `pointers_to_0`, which Binsparse leaves out, is there as well, so that it can be borrowed.

use std::io::{Read, Seek, Write};
use std::path::Path;

mod arrays;
mod descriptor;
mod entries;
mod json;
mod level;
mod located;
#[cfg(feature = "mmap")]
mod mapped;
mod number;

pub use arrays::{ArrayReader, ArraySlices, ArrayWriter};
pub use level::{FileLevel, FileLevels, Role};
#[cfg(feature = "mmap")]
pub use mapped::Mapped;
pub use number::{FileElement, FileNumber};

use arrays::Stream;
use descriptor::{Descriptor, Layout};
use located::Located;

use super::npz::archive::Archive;
use super::npz::error;
use super::progress::{Counted, Progress};
use super::{Element, Reader, lines, replace};
use crate::tensor::axes;
use crate::{Error, Fill, Format, Shape, Tensor, View};

/// Writes a tensor as a file of raw arrays; see the [module](self). The file is replaced only once
/// it is complete.
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a = Tensor::<f64, Csr>::eye(1000)?;
/// io::write_binsparse("identity.npz", &a)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be created or written.
pub fn write_binsparse<V, F>(path: impl AsRef<Path>, tensor: &Tensor<V, F>) -> Result<(), Error>
where
    V: FileElement,
    F: Format<Levels: FileLevels>,
{
    let name = path.as_ref().display().to_string();
    let mut failed = None;
    let replaced = replace::replace(path.as_ref(), |file| {
        write_binsparse_to(file, &name, tensor).map_err(|reason| {
            let message = reason.to_string();
            failed = Some(reason);
            std::io::Error::other(message)
        })
    });
    let replaced = replaced.map_err(|reason| lines::io_error(&name, reason));
    failed.map_or(replaced, Err)
}

/// Writes a tensor to a stream, like [`write_binsparse`]; `name` replaces the file name in errors.
///
/// ```
/// use std::io::Cursor;
///
/// use sparsegen::{Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Cursor::new(Vec::new());
/// io::write_binsparse_to(&mut file, "a.npz", &a)?;
/// assert_eq!(io::read_binsparse_from::<f64, Csr>(file, "a.npz")?, a);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// The same as [`write_binsparse`].
pub fn write_binsparse_to<V, F>(
    writer: impl Write + Seek,
    name: &str,
    tensor: &Tensor<V, F>,
) -> Result<(), Error>
where
    V: FileElement,
    F: Format<Levels: FileLevels>,
{
    let shape = tensor.shape();
    let mut file = ArrayWriter::new(writer, name);
    tensor.levels().write(&axes::<F>(&shape)?, &mut file)?;
    let has_fill = F::FILL != Fill::ZERO;
    if has_fill {
        file.plain("fill_value", &V::type_name(), &V::parts(&[V::filler(F::FILL)]))?;
    }
    file.plain("values", &V::type_name(), &V::parts(tensor.vals()))?;
    let descriptor = Descriptor {
        shape: shape.as_ref().to_vec(),
        layout: Layout::of::<F>(),
        stored: tensor.vals().len(),
        has_fill,
        structure: None,
        values: V::type_name(),
    };
    file.text("sparsegen", &F::MAP.to_string())?;
    let text = descriptor.text(&file.types);
    file.text("binsparse", &text)?;
    file.finish()
}

/// Reads a tensor of a file of raw arrays into memory; see the [module](self).
///
/// A file whose format is `F` is read as it is, and integers and values are converted to the types of
/// `F` and `V` if they fit. Other files are packed into `F`, if Binsparse describes their format; the
/// other half of a symmetric, skew-symmetric or hermitian matrix is added.
///
/// ```no_run
/// use sparsegen::{Csr, Tensor, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let a: Tensor<f64, Csr> = io::read_binsparse("a.npz")?;
/// println!("{:?} with {} entries", a.shape(), a.stored());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, [`Error::Array`] if an array of the file is
/// missing, not valid, damaged, or has an element that `V` or the format's integers cannot
/// represent, and [`Error::File`] with an error of [`Tensor::from_parts`] or
/// [`Tensor::from_triplets`].
pub fn read_binsparse<V, F>(path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Levels: FileLevels>,
{
    Reader::new().read_binsparse(path)
}

/// Reads a tensor from a stream, like [`read_binsparse`]; `name` replaces the file name in errors.
///
/// ```
/// use std::io::Cursor;
///
/// use sparsegen::{Csc, Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Cursor::new(Vec::new());
/// io::write_binsparse_to(&mut file, "a.npz", &a)?;
/// // In another format, the file is converted.
/// let columns = io::read_binsparse_from::<f64, Csc>(file, "a.npz")?;
/// assert_eq!(columns, a.to::<Csc>()?);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// The same as [`read_binsparse`].
pub fn read_binsparse_from<V, F>(
    reader: impl Read + Seek,
    name: &str,
) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Levels: FileLevels>,
{
    Reader::new().read_binsparse_from(reader, name)
}

/// Reads a tensor from a stream.
pub(super) fn read<V, F>(
    reader: impl Read + Seek,
    name: &str,
    progress: Progress<'_>,
) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Levels: FileLevels>,
{
    let counted = Counted::new(reader, progress);
    let mut counted = counted.map_err(|reason| lines::io_error(name, reason))?;
    let tensor = read_counted(&mut counted, name)?;
    counted.finish();
    Ok(tensor)
}

fn read_counted<V, F>(reader: impl Read + Seek, name: &str) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format<Levels: FileLevels>,
{
    let mut archive = Archive::open(Box::new(reader) as Box<dyn Stream>, name)?;
    let descriptor = descriptor(&mut archive)?;
    let map = archive.text("sparsegen")?;
    let shape = shape::<F>(name, &descriptor)?;
    check_fill::<V, F, _>(&mut archive, &descriptor)?;
    let of_file = |reason| Error::File { file: name.to_owned(), reason: Box::new(reason) };
    let layout = descriptor.layout.as_ref();
    let is_same = match &map {
        Some(map) => *map == F::MAP.to_string(),
        None => layout.is_some() && layout == Layout::of::<F>().as_ref(),
    };
    if is_same && descriptor.structure.is_none() {
        let axes = axes::<F>(&shape).map_err(of_file)?;
        let mut file = ArrayReader { level: 0, archive };
        let levels = F::Levels::read(&axes, &mut file)?;
        let values = file.archive.elements("values", &descriptor.values, descriptor.stored)?;
        return Tensor::from_parts(shape, levels, values).map_err(of_file);
    }
    let layout = layout.ok_or_else(|| other_format::<F>(name, map.as_deref()))?;
    let entries = archive.stored_entries::<V, F::Shape>(&descriptor, layout, shape)?;
    Tensor::from_triplets(shape, entries).map_err(of_file)
}

/// Borrows a tensor from the bytes of a file of raw arrays, such as those of a mapped file; see the
/// [module](self). Copies nothing.
///
/// All invariants are checked, which takes the time of reading all arrays but the values, and those
/// of `bool` too. The checksums of the file are not compared.
///
/// ```
/// use std::io::Cursor;
///
/// use sparsegen::{Csr, Tensor, io};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// let mut file = Cursor::new(Vec::new());
/// io::write_binsparse_to(&mut file, "a", &a)?;
///
/// // Arrays begin at multiples of 64 bytes, if the file does.
/// #[repr(align(64))]
/// struct Aligned([u8; 8192]);
/// let mut bytes = Aligned([0; 8192]);
/// let length = file.get_ref().len();
/// bytes.0[..length].copy_from_slice(file.get_ref());
///
/// let view = io::view_binsparse::<f64, Csr>(&bytes.0[..length], "a")?;
/// assert_eq!(view.get([1, 2]), Some(3.0));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Errors
/// [`Error::Array`] if an array of the file is missing, not valid, compressed, not aligned, or has
/// elements of another type than `V` or the integers of the format, and [`Error::File`] with an error
/// of [`View::from_parts`].
pub fn view_binsparse<'a, V, F>(bytes: &'a [u8], name: &str) -> Result<View<'a, V, F>, Error>
where
    V: FileElement,
    F: Format<Levels: FileLevels>,
{
    let located = Located::<F>::of::<V>(bytes, name)?;
    let (levels, vals) = located.parts::<V>(bytes)?;
    View::from_parts(located.shape, levels, vals).map_err(|reason| located.of_file(reason))
}

/// Reads the descriptor.
fn descriptor<R: Read + Seek>(archive: &mut Archive<'_, R>) -> Result<Descriptor, Error> {
    let text = archive.text("binsparse")?;
    let text = text.ok_or_else(|| {
        let message = "the file does not have it, which describes the others in a file of Binsparse; \
                       arrays of SciPy are read with `read_npz`";
        error(archive.name, "binsparse", message)
    })?;
    Descriptor::parse(&text).map_err(|message| error(archive.name, "binsparse", message))
}

fn shape<F: Format>(name: &str, descriptor: &Descriptor) -> Result<F::Shape, Error> {
    let (found, expected) = (descriptor.shape.len(), F::Shape::ORDER);
    if found != expected {
        let message = format!("the tensor has order {found}, not {expected}");
        return Err(error(name, "binsparse", message));
    }
    let mut shape = F::Shape::splat(0);
    shape.as_mut().copy_from_slice(&descriptor.shape);
    Ok(shape)
}

/// Checks that the entries that a file does not store have the fill value of the format.
fn check_fill<V: Element, F: Format, R: Read + Seek>(
    archive: &mut Archive<'_, R>,
    descriptor: &Descriptor,
) -> Result<(), Error> {
    if V::IS_PATTERN && F::FILL == Fill::ZERO && !descriptor.has_fill {
        return Ok(());
    }
    let expected = V::filler(F::FILL);
    let found = match descriptor.has_fill {
        true => archive.elements("fill_value", &descriptor.values, 1)?[0],
        false => V::filler(Fill::ZERO),
    };
    // No fill value of a format is NaN.
    if found == expected {
        return Ok(());
    }
    let message = format!(
        "is {found}, and that of `{}` is {expected}; choose a format with the same `fill`",
        F::NAME
    );
    Err(error(archive.name, "fill_value", message))
}

fn other_format<F: Format>(name: &str, map: Option<&str>) -> Error {
    let found = match map {
        Some(map) => format!("the tensor is stored as {map}"),
        None => "the file is of another program".to_owned(),
    };
    let message = format!(
        "{found}, and `{}` is {}; read it in its own format, or with `read_binsparse`, then convert \
         it with `to`",
        F::NAME,
        F::MAP
    );
    error(name, "sparsegen", message)
}
