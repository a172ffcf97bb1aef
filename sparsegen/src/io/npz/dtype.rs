//! The element types of NumPy's arrays.

use std::io::{self, Write};

use crate::io::element::{Element, Number};
use crate::{Pattern, Value};

/// An element type of an array of NumPy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::io) struct Dtype {
    kind: Kind,
    /// The number of bytes of an element.
    size: usize,
    is_big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
    /// Text in ASCII. Only the names of formats and descriptors are text.
    Bytes,
    /// Text of characters of four bytes.
    Text,
}

/// The longest text that is accepted, in characters.
const LONGEST_TEXT: usize = 1 << 16;

impl Dtype {
    /// Parses a name such as `<f8`.
    pub(in crate::io) fn parse(name: &str) -> Result<Dtype, String> {
        let refusal = || {
            format!("elements `{name}` are neither integers of up to 8 bytes nor `f2 f4 f8 c8 c16`")
        };
        let mut letters = name.chars();
        let is_big_endian = match letters.next() {
            Some('<' | '|' | '=') => false,
            Some('>') => true,
            _ => return Err(refusal()),
        };
        let (kind, size) = (letters.next(), letters.as_str().parse::<usize>().ok());
        let (kind, size) = match (kind, size) {
            (Some('b'), Some(1)) => (Kind::Bool, 1),
            (Some('i'), Some(size @ (1 | 2 | 4 | 8))) => (Kind::Signed, size),
            (Some('u'), Some(size @ (1 | 2 | 4 | 8))) => (Kind::Unsigned, size),
            (Some('f'), Some(size @ (2 | 4 | 8))) => (Kind::Float, size),
            (Some('c'), Some(size @ (8 | 16))) => (Kind::Complex, size),
            (Some('S'), Some(size @ 1..=LONGEST_TEXT)) => (Kind::Bytes, size),
            (Some('U'), Some(size @ 1..=LONGEST_TEXT)) => (Kind::Text, 4 * size),
            _ => return Err(refusal()),
        };
        Ok(Dtype { kind, size, is_big_endian })
    }

    /// Returns the name of the type: `<f8`.
    #[cfg(feature = "binsparse")]
    pub(in crate::io) fn name(self) -> String {
        let order = if self.size == 1 {
            '|'
        } else if self.is_big_endian {
            '>'
        } else {
            '<'
        };
        let (letter, size) = match self.kind {
            Kind::Bool => ('b', self.size),
            Kind::Signed => ('i', self.size),
            Kind::Unsigned => ('u', self.size),
            Kind::Float => ('f', self.size),
            Kind::Complex => ('c', self.size),
            Kind::Bytes => ('S', self.size),
            Kind::Text => ('U', self.size / 4),
        };
        format!("{order}{letter}{size}")
    }

    /// Returns the number of bytes of an element.
    pub(in crate::io) fn size(self) -> usize {
        self.size
    }

    /// Returns whether elements are text.
    pub(in crate::io) fn is_text(self) -> bool {
        matches!(self.kind, Kind::Bytes | Kind::Text)
    }

    /// Converts the bytes of text, which zeros fill up, or returns `None` if they are none.
    pub(in crate::io) fn text(self, bytes: &[u8]) -> Option<String> {
        let letters = match self.kind {
            Kind::Bytes => bytes.iter().map(|byte| char::from_u32((*byte).into())).collect(),
            Kind::Text => {
                bytes.chunks(4).map(|char| char::from_u32(self.bits(char) as u32)).collect()
            }
            Kind::Bool | Kind::Signed | Kind::Unsigned | Kind::Float | Kind::Complex => None,
        };
        letters.map(|letters: String| letters.trim_end_matches('\0').to_owned())
    }

    /// Converts the bytes of an element, which is not text.
    pub(in crate::io) fn number(self, bytes: &[u8]) -> Number<'static> {
        match self.kind {
            Kind::Bool | Kind::Unsigned | Kind::Bytes | Kind::Text => {
                Number::BinaryInteger(i128::from(self.bits(bytes)))
            }
            Kind::Signed => {
                let unused = 64 - 8 * bytes.len() as u32;
                Number::BinaryInteger(i128::from((self.bits(bytes) << unused) as i64 >> unused))
            }
            Kind::Float => Number::BinaryReal(self.float(bytes)),
            Kind::Complex => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Number::BinaryComplex(self.float(re), self.float(im))
            }
        }
    }

    fn bits(self, bytes: &[u8]) -> u64 {
        let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        match self.is_big_endian {
            true => bytes.iter().take(8).fold(0, add),
            false => bytes.iter().take(8).rev().fold(0, add),
        }
    }

    fn float(self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        match bytes.len() {
            2 => of_half(bits as u16),
            4 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }
}

/// Converts a number of half precision.
fn of_half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-14),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// An element type that arrays of NumPy can have.
#[diagnostic::on_unimplemented(
    message = "arrays of NumPy have no elements of the type `{Self}`",
    note = "convert the tensor first, for example with `map_vals(f32::from)`"
)]
pub trait NumpyElement: Element {
    /// The name of the type in NumPy: `"<f8"`.
    const DTYPE: &'static str;

    /// Writes the bytes of the element.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_bytes(self, out: &mut dyn Write) -> io::Result<()>;
}

macro_rules! numpy_elements {
    ($($type:ident $dtype:literal)*) => {$(
        impl NumpyElement for $type {
            const DTYPE: &'static str = $dtype;

            fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
        }
    )*};
}

numpy_elements! {
    f64 "<f8" f32 "<f4" i8 "|i1" i16 "<i2" i32 "<i4" i64 "<i8" u8 "|u1" u16 "<u2" u32 "<u4" u64 "<u8"
}

impl NumpyElement for bool {
    const DTYPE: &'static str = "|b1";

    fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
        u8::from(self).write_bytes(out)
    }
}

impl NumpyElement for usize {
    const DTYPE: &'static str = "<u8";

    fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
        (self as u64).write_bytes(out)
    }
}

#[cfg(feature = "half")]
use half::f16;
#[cfg(feature = "half")]
numpy_elements!(f16 "<f2");

#[cfg(feature = "complex")]
macro_rules! complex_elements {
    ($($type:ident $dtype:literal)*) => {$(
        impl NumpyElement for num_complex::Complex<$type> {
            const DTYPE: &'static str = $dtype;

            fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
                self.re.write_bytes(out)?;
                self.im.write_bytes(out)
            }
        }
    )*};
}

#[cfg(feature = "complex")]
complex_elements!(f64 "<c16" f32 "<c8");

/// Each entry is written as a 1.
impl<V: Value + NumpyElement> NumpyElement for Pattern<V> {
    const DTYPE: &'static str = V::DTYPE;

    fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
        V::ONE.write_bytes(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, bytes: &[u8], expected: &str) {
        let number = Dtype::parse(name).unwrap().number(bytes);
        assert_eq!(format!("{number:?}"), expected, "{name}");
    }

    #[test]
    fn numbers_of_every_type() {
        check("<i4", &[254, 255, 255, 255], "BinaryInteger(-2)");
        check(">i2", &[255, 254], "BinaryInteger(-2)");
        check("<u8", &[255; 8], "BinaryInteger(18446744073709551615)");
        check("|b1", &[1], "BinaryInteger(1)");
        check("<f2", &[0x00, 0xc1], "BinaryReal(-2.5)");
        check("<f2", &[0x01, 0x00], "BinaryReal(5.960464477539063e-8)");
        check("<f2", &[0x00, 0x7c], "BinaryReal(inf)");
        check(">f8", &2.5_f64.to_be_bytes(), "BinaryReal(2.5)");
        let bytes = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        check("<c8", &bytes, "BinaryComplex(1.5, -2.0)");
    }

    #[test]
    fn other_types_are_refused() {
        for name in ["", "<", "f8", "<f", "<f16", "<i3", "|O", "<M8[ns]", "|S99999", "<f-8"] {
            assert!(Dtype::parse(name).is_err(), "{name}");
        }
    }
}
