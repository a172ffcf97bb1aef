//! The arrays of a file, as the levels write, read and borrow them.

use std::io::{BufWriter, Read, Seek, Write};
use std::ops::Range;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::number::{self, FileNumber, Plain};
use crate::Error;
use crate::io::lines;
use crate::io::npz::archive::Archive;
use crate::io::npz::{error, npy};

/// The alignment of arrays in a file, in bytes.
const ALIGNMENT: u16 = 64;

/// Returns the name in a file of an array of a level.
fn name_in_file(level: usize, array: &str) -> String {
    match array {
        "pos" => format!("pointers_to_{level}"),
        "crd" => format!("indices_{level}"),
        other => format!("{other}_{level}"),
    }
}

pub(super) trait Stream: Read + Seek {}
impl<R: Read + Seek> Stream for R {}

pub(super) trait Sink: Write + Seek {}
impl<W: Write + Seek> Sink for W {}

/// A file to which the arrays of a level are added.
pub struct ArrayWriter<'w> {
    pub(super) level: usize,
    zip: ZipWriter<Box<dyn Sink + 'w>>,
    /// The name of the file, for errors.
    name: &'w str,
    /// The name and the type of each array, in Binsparse's notation.
    pub(super) types: Vec<(String, String)>,
}

impl<'w> ArrayWriter<'w> {
    pub(super) fn new(writer: impl Write + Seek + 'w, name: &'w str) -> Self {
        let zip = ZipWriter::new(Box::new(writer) as Box<dyn Sink>);
        ArrayWriter { level: 0, zip, name, types: Vec::new() }
    }

    /// Adds an array of the level.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn array<N: FileNumber>(&mut self, name: &str, numbers: &[N]) -> Result<(), Error> {
        self.plain(&name_in_file(self.level, name), N::TYPE, numbers)
    }

    /// Adds a number of the level, as an array of one element.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn number(&mut self, name: &str, number: usize) -> Result<(), Error> {
        self.array(name, &[number as u64])
    }

    /// Adds an array of numbers that represent elements of a type.
    pub(super) fn plain<N: Plain>(
        &mut self,
        array: &str,
        type_name: &str,
        numbers: &[N],
    ) -> Result<(), Error> {
        self.types.push((array.to_owned(), type_name.to_owned()));
        let size = size_of_val(numbers);
        self.member(array, N::DTYPE, &[numbers.len()], size, |out| number::write(numbers, out))
    }

    /// Adds a text, as an array of order 0.
    pub(super) fn text(&mut self, array: &str, text: &str) -> Result<(), Error> {
        let letters: Vec<u32> = text.chars().map(u32::from).collect();
        let dtype = format!("<U{}", letters.len());
        self.member(array, &dtype, &[], 4 * letters.len(), |out| number::write(&letters, out))
    }

    fn member(
        &mut self,
        array: &str,
        dtype: &str,
        shape: &[usize],
        size: usize,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        // The header of an array takes a multiple of the alignment.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .with_alignment(ALIGNMENT)
            .large_file(size > u32::MAX as usize / 2);
        let written = self.zip.start_file(format!("{array}.npy"), options);
        let written = written.map_err(std::io::Error::from).and_then(|()| {
            let mut out = BufWriter::with_capacity(1 << 16, &mut self.zip);
            npy::write(&mut out, dtype, shape, write)?;
            out.flush()
        });
        written.map_err(|reason| lines::io_error(self.name, reason))
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<(), Error> {
        let finished = self.zip.finish().map_err(std::io::Error::from);
        finished
            .and_then(|mut writer| writer.flush())
            .map_err(|reason| lines::io_error(self.name, reason))
    }
}

/// A file from which the arrays of a level are read into memory.
pub struct ArrayReader<'r> {
    pub(super) level: usize,
    pub(super) archive: Archive<'r, Box<dyn Stream + 'r>>,
}

impl ArrayReader<'_> {
    /// Reads an array of the level, whatever integers the file stores.
    ///
    /// # Errors
    /// [`Error::Array`] if the file does not have the array, or an element does not fit the type.
    pub fn array<N: FileNumber>(&mut self, name: &str) -> Result<Vec<N>, Error> {
        let array = name_in_file(self.level, name);
        if self.level == 0 && name == "pos" && !self.archive.has(&array) {
            // Binsparse leaves out the bounds of the only segment.
            let crd: Vec<N> = self.archive.array(&name_in_file(0, "crd"))?;
            let end = N::of_integer(crd.len() as i128).ok_or_else(|| {
                let message = format!("{} positions do not fit `{}`", crd.len(), N::TYPE);
                error(self.archive.name, &array, message)
            })?;
            let start = N::of_integer(0).expect("every integer type has a 0");
            return Ok(vec![start, end]);
        }
        self.archive.array(&array)
    }

    /// Reads a number of the level.
    ///
    /// # Errors
    /// The same as for [`ArrayReader::array`].
    pub fn number(&mut self, name: &str) -> Result<usize, Error> {
        let array = name_in_file(self.level, name);
        let numbers = self.archive.array::<usize>(&array)?;
        only(&numbers).ok_or_else(|| error(self.archive.name, &array, NO_NUMBER))
    }
}

const NO_NUMBER: &str = "is not one number that is not negative";

fn only<T: Copy>(numbers: &[T]) -> Option<T> {
    match numbers {
        [number] => Some(*number),
        _ => None,
    }
}

/// The bytes of a file from which the arrays of a level are borrowed.
pub struct ArraySlices<'a, 'f> {
    pub(super) level: usize,
    pub(super) bytes: &'a [u8],
    pub(super) places: &'f Places,
}

/// The places of arrays in the bytes of a file.
pub(super) struct Places {
    /// The name of the file, for errors.
    pub(super) name: String,
    pub(super) arrays: Vec<Place>,
}

/// The place of an array.
pub(super) struct Place {
    pub(super) array: String,
    /// The type in NumPy's notation.
    pub(super) dtype: String,
    pub(super) count: usize,
    /// The bytes of the elements, which lie within the file.
    pub(super) bytes: Range<usize>,
}

impl Places {
    /// Borrows an array of numbers.
    pub(super) fn numbers<'a, N: Plain>(
        &self,
        bytes: &'a [u8],
        array: &str,
    ) -> Result<&'a [N], Error> {
        let fail = |message: String| error(&self.name, array, message);
        let Some(place) = self.arrays.iter().find(|place| place.array == array) else {
            return Err(fail(
                "the file does not have it; `read_binsparse` reads files of other programs, and \
                 `write_binsparse` writes files that can be borrowed"
                    .to_owned(),
            ));
        };
        if place.dtype != N::DTYPE {
            return Err(fail(format!(
                "has elements of the type `{}`, not `{}`; `read_binsparse` converts them",
                place.dtype,
                N::DTYPE
            )));
        }
        number::borrow(&bytes[place.bytes.clone()], place.count).map_err(fail)
    }
}

impl<'a> ArraySlices<'a, '_> {
    /// Borrows an array of the level, which the file must store in this type.
    ///
    /// # Errors
    /// [`Error::Array`] if the file does not have the array, or its elements have another type or
    /// are not aligned.
    pub fn array<N: FileNumber>(&mut self, name: &str) -> Result<&'a [N], Error> {
        self.places.numbers(self.bytes, &name_in_file(self.level, name))
    }

    /// Returns a number of the level.
    ///
    /// # Errors
    /// The same as for [`ArraySlices::array`].
    pub fn number(&mut self, name: &str) -> Result<usize, Error> {
        let array = name_in_file(self.level, name);
        let numbers = self.places.numbers::<u64>(self.bytes, &array)?;
        let number = only(numbers).and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| error(&self.places.name, &array, NO_NUMBER))
    }
}
