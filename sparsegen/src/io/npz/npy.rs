//! The arrays of an archive, in NumPy's `.npy` format: a header in the syntax of a Python
//! dictionary, then the elements.

use std::io::{self, ErrorKind, Read, Write};

use super::dtype::Dtype;
use crate::io::element::{Element, Number};

/// The first bytes of every array.
const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest header that is accepted, in bytes; NumPy's own limit is 10,000.
const LONGEST_HEADER: usize = 1 << 16;

/// The number of elements that are read at once.
const CHUNK: usize = 1 << 13;

/// The type and the extents of an array.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::io) struct Header {
    pub(in crate::io) dtype: Dtype,
    /// `true` if the first index varies fastest.
    pub(in crate::io) is_by_column: bool,
    pub(in crate::io) shape: Vec<usize>,
}

/// An array in memory.
pub(in crate::io) struct Array<T> {
    pub(in crate::io) shape: Vec<usize>,
    /// The distance of elements whose coordinates in one mode differ by 1, per mode.
    strides: Vec<usize>,
    pub(in crate::io) elements: Vec<T>,
}

impl<T: Copy> Array<T> {
    /// Returns an element.
    pub(in crate::io) fn at<const N: usize>(&self, coordinate: [usize; N]) -> T {
        let terms = coordinate.iter().zip(&self.strides).map(|(c, stride)| c * stride);
        self.elements[terms.sum::<usize>()]
    }
}

impl Header {
    /// Reads a header.
    pub(in crate::io) fn read(reader: &mut dyn Read) -> Result<Header, String> {
        let mut start = [0; 8];
        read_exact(reader, &mut start)?;
        let [major, _] = [start[6], start[7]];
        if start[..6] != MAGIC || !(1..=3).contains(&major) {
            return Err("this is not an array in a version of the `.npy` format from 1 to 3".into());
        }
        let mut length = [0; 4];
        read_exact(reader, &mut length[..if major == 1 { 2 } else { 4 }])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(format!("the header is longer than {LONGEST_HEADER} bytes"));
        }
        let mut text = vec![0; length];
        read_exact(reader, &mut text)?;
        let text = str::from_utf8(&text).map_err(|_| "the header is not text in UTF-8")?;
        Header::parse(text)
    }

    /// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Header, String> {
        let malformed = || format!("the header is not a dictionary of NumPy: {}", text.trim());
        let (mut dtype, mut is_by_column, mut shape) = (None, None, None);
        let inside = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let mut rest = inside.ok_or_else(malformed)?.trim_start();
        while !rest.is_empty() {
            let (key, after) = quoted(rest).ok_or_else(malformed)?;
            rest = after.trim_start().strip_prefix(':').ok_or_else(malformed)?.trim_start();
            match key {
                "descr" => {
                    let (name, after) = quoted(rest)
                        .ok_or("the elements have several fields, which no number has")?;
                    (dtype, rest) = (Some(Dtype::parse(name)?), after);
                }
                "fortran_order" => {
                    let (value, after) = [("True", true), ("False", false)]
                        .into_iter()
                        .find_map(|(word, value)| Some((value, rest.strip_prefix(word)?)))
                        .ok_or_else(malformed)?;
                    (is_by_column, rest) = (Some(value), after);
                }
                "shape" => {
                    let (extents, after) = rest
                        .strip_prefix('(')
                        .and_then(|rest| rest.split_once(')'))
                        .ok_or_else(malformed)?;
                    let extents = extents.split(',').map(str::trim).filter(|text| !text.is_empty());
                    let extents = extents.map(|text| text.trim_end_matches('L').parse());
                    let extents: Result<Vec<usize>, _> = extents.collect();
                    (shape, rest) = (Some(extents.map_err(|_| malformed())?), after);
                }
                _ => return Err(malformed()),
            }
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        match (dtype, is_by_column, shape) {
            (Some(dtype), Some(is_by_column), Some(shape)) => {
                Ok(Header { dtype, is_by_column, shape })
            }
            _ => Err(malformed()),
        }
    }

    /// Returns the number of elements.
    fn count(&self) -> Result<usize, String> {
        let count = self.shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        count.ok_or_else(|| format!("there is no memory for an array of shape {:?}", self.shape))
    }

    /// Reads the elements. Memory is allocated as they arrive, not for the number that the header
    /// declares.
    pub(in crate::io) fn elements<T>(
        self,
        reader: &mut dyn Read,
        convert: impl Fn(Number<'static>) -> Result<T, String>,
    ) -> Result<Array<T>, String> {
        if self.dtype.is_text() {
            return Err("has text, not numbers".to_owned());
        }
        let count = self.count()?;
        let size = self.dtype.size();
        let mut elements = Vec::new();
        let mut buffer = vec![0; CHUNK * size];
        while elements.len() < count {
            let bytes = &mut buffer[..size * CHUNK.min(count - elements.len())];
            read_exact(reader, bytes)
                .map_err(|reason| format!("{reason} in the {count} elements of the array"))?;
            for bytes in bytes.chunks_exact(size) {
                let element = convert(self.dtype.number(bytes));
                let index = elements.len();
                elements.push(element.map_err(|reason| format!("element {index}: {reason}"))?);
            }
        }
        read_end(reader, count)?;
        let mut strides = vec![1; self.shape.len()];
        let mut stride = 1_usize;
        let modes = 0..self.shape.len();
        let mut set = |mode: usize| {
            strides[mode] = stride;
            // Extents overflow only if there are no elements.
            stride = self.shape[mode].wrapping_mul(stride);
        };
        if self.is_by_column {
            modes.for_each(&mut set)
        } else {
            modes.rev().for_each(&mut set)
        }
        Ok(Array { shape: self.shape, strides, elements })
    }
}

/// Splits off a string literal.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn read_exact(reader: &mut dyn Read, bytes: &mut [u8]) -> Result<(), String> {
    reader.read_exact(bytes).map_err(|reason| match reason.kind() {
        ErrorKind::UnexpectedEof => "the file ends".to_owned(),
        _ => reason.to_string(),
    })
}

/// Checks that the array ends, where the archive compares checksums.
fn read_end(reader: &mut dyn Read, count: usize) -> Result<(), String> {
    match reader.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(format!("there is more than the {count} elements of the array")),
        Err(reason) => Err(reason.to_string()),
    }
}

/// Reads the text that is the only element of an array.
pub(in crate::io) fn text(header: Header, reader: &mut dyn Read) -> Result<String, String> {
    if !header.dtype.is_text() || !header.shape.is_empty() {
        return Err("is not text".to_owned());
    }
    let mut bytes = vec![0; header.dtype.size()];
    read_exact(reader, &mut bytes)?;
    read_end(reader, 1)?;
    header.dtype.text(&bytes).ok_or_else(|| "is not text in Unicode".to_owned())
}

/// Reads an array of integers that fit an `i64`.
pub(in crate::io) fn integers(header: Header, reader: &mut dyn Read) -> Result<Array<i64>, String> {
    header.elements(reader, i64::of_number)
}

/// Writes an array: the header, then the elements by `write`. A header takes a multiple of 64
/// bytes.
pub(in crate::io) fn write(
    out: &mut dyn Write,
    dtype: &str,
    shape: &[usize],
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let extents: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let extents =
        if shape.len() == 1 { extents.trim_end() } else { extents.trim_end_matches(", ") };
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({extents}), }}");
    let length = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    out.write_all(&MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{text:<width$}", width = length - 1)?;
    write(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_version_are_read() {
        let header = |text: &str| Header::parse(text);
        let plain = header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n");
        assert_eq!(plain.as_ref().map(|header| header.shape.clone()), Ok(vec![3, 4]));
        let other = header("{\"shape\": (5L,), \"descr\": \"|b1\", \"fortran_order\": True}");
        assert!(other.is_ok_and(|header| header.is_by_column && header.shape == [5]));
        let scalar = header("{'descr': '|S3', 'fortran_order': False, 'shape': ()}");
        assert!(scalar.is_ok_and(|header| header.shape.is_empty()));
        for wrong in [
            "",
            "{",
            "{'descr': '<f8'}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}",
            "{'é",
        ] {
            assert!(header(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn arrays_come_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, "<i4", &[2, 3], |out| {
            (0..6_i32).try_for_each(|i| out.write_all(&i.to_le_bytes()))
        })
        .unwrap();
        assert_eq!((bytes.len() - 24) % 64, 0);
        let mut reader = bytes.as_slice();
        let header = Header::read(&mut reader).unwrap();
        let array = integers(header, &mut reader).unwrap();
        assert_eq!((array.shape.as_slice(), array.at([1, 0])), (&[2, 3][..], 3));
        let mut short = &bytes[..bytes.len() - 1];
        let header = Header::read(&mut short).unwrap();
        let message = integers(header, &mut short).err().unwrap();
        assert_eq!(message, "the file ends in the 6 elements of the array");
    }
}
