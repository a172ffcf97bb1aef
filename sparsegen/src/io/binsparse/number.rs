//! The numbers and elements that files store as they are in memory.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::io::NumpyElement;
use crate::{Pattern, Stored, Value};

/// A number that files store as it is in memory, apart from the order of its bytes.
///
/// # Safety
/// The type has no padding, and any bytes of its size are a value of it.
pub(super) unsafe trait Plain: Copy + Send + Sync + 'static {
    /// The type in NumPy's notation: `"<u4"`.
    const DTYPE: &'static str;
    /// The type in Binsparse's notation: `"uint32"`.
    const TYPE: &'static str;

    /// Writes the bytes of the number, the least significant byte first.
    fn write_bytes(self, out: &mut dyn Write) -> io::Result<()>;
}

/// An integer type of the arrays of levels in a file.
///
/// The trait is sealed, because arrays of these types are borrowed from the bytes of a file.
#[expect(private_bounds, reason = "sealed")]
pub trait FileNumber: Plain {
    /// Converts an integer of a file, or returns `None` if it does not fit.
    fn of_integer(integer: i128) -> Option<Self>;
}

macro_rules! plain {
    ($($type:ident $dtype:literal $name:literal)*) => {$(
        // SAFETY: A number of this type has no padding, and any bytes are one.
        unsafe impl Plain for $type {
            const DTYPE: &'static str = $dtype;
            const TYPE: &'static str = $name;

            fn write_bytes(self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
        }
    )*};
}

plain! {
    u8 "|u1" "uint8" u16 "<u2" "uint16" u32 "<u4" "uint32" u64 "<u8" "uint64"
    i8 "|i1" "int8" i16 "<i2" "int16" i32 "<i4" "int32" i64 "<i8" "int64"
    f32 "<f4" "float32" f64 "<f8" "float64"
}
#[cfg(target_pointer_width = "64")]
plain!(usize "<u8" "uint64" isize "<i8" "int64");
#[cfg(target_pointer_width = "32")]
plain!(usize "<u4" "uint32" isize "<i4" "int32");
#[cfg(feature = "half")]
use half::f16;
#[cfg(feature = "half")]
plain!(f16 "<f2" "float16");

macro_rules! file_numbers {
    ($($type:ident)*) => {$(
        impl FileNumber for $type {
            fn of_integer(integer: i128) -> Option<Self> {
                integer.try_into().ok()
            }
        }
    )*};
}

file_numbers! { u8 u16 u32 u64 i8 i16 i32 i64 usize isize }

/// Writes an array.
pub(super) fn write<N: Plain>(numbers: &[N], out: &mut dyn Write) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        // SAFETY: The numbers have no padding, so that each byte of the slice is initialized.
        let bytes = unsafe {
            std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), size_of_val(numbers))
        };
        return out.write_all(bytes);
    }
    numbers.iter().try_for_each(|number| number.write_bytes(out))
}

/// Borrows an array of `count` numbers from the bytes of a file.
pub(super) fn borrow<N: Plain>(bytes: &[u8], count: usize) -> Result<&[N], String> {
    if cfg!(target_endian = "big") && size_of::<N>() > 1 {
        return Err("is stored with the least significant byte first, unlike in the memory of \
                    this machine; read the file with `read_binsparse`, which converts it"
            .to_owned());
    }
    if count.checked_mul(size_of::<N>()) != Some(bytes.len()) {
        return Err(format!("takes {} bytes, and {count} elements do not", bytes.len()));
    }
    if !bytes.as_ptr().cast::<N>().is_aligned() {
        return Err(format!(
            "does not begin at a multiple of {} bytes; read the file with `read_binsparse`, and \
             write it again",
            align_of::<N>()
        ));
    }
    // SAFETY: The bytes are `count` numbers, begin at a multiple of their alignment, and any bytes
    // are a number.
    Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<N>(), count) })
}

/// An element type that files store as it is in memory, so that it is borrowed from their bytes:
/// real numbers and integers of every type, `f16`, `bool`, `c64` and `c32`, and [`Pattern`]s of
/// these.
///
/// The trait is sealed, because elements are borrowed from the bytes of a file. Tensors of other
/// types are written with `serde`.
#[diagnostic::on_unimplemented(
    message = "files of Binsparse store no elements of the type `{Self}`",
    note = "convert the tensor first, for example with `map_vals(f32::from)`, or serialize it with \
            `serde`"
)]
#[expect(private_bounds, reason = "sealed")]
pub trait FileElement: NumpyElement + Parts {}

impl<V: NumpyElement + Parts> FileElement for V {}

/// An element as numbers.
pub(super) trait Parts: Stored {
    /// The type of the numbers.
    type Part: Plain;

    /// Returns the type of the array in Binsparse's notation.
    fn type_name() -> String;

    /// Returns the numbers of all elements.
    fn parts(elements: &[Self]) -> Cow<'_, [Self::Part]>;

    /// Returns the number of numbers of `count` elements.
    fn part_count(count: usize) -> usize {
        count
    }

    /// Returns the elements of which these are the numbers.
    fn of_parts(parts: &[Self::Part], count: usize) -> Result<&[Self], String>;
}

macro_rules! own_parts {
    ($($type:ident)*) => {$(
        impl Parts for $type {
            type Part = $type;

            fn type_name() -> String {
                $type::TYPE.to_owned()
            }

            fn parts(elements: &[Self]) -> Cow<'_, [Self]> {
                elements.into()
            }

            fn of_parts(parts: &[Self], _: usize) -> Result<&[Self], String> {
                Ok(parts)
            }
        }
    )*};
}

own_parts! { f64 f32 i8 i16 i32 i64 u8 u16 u32 u64 usize }
#[cfg(feature = "half")]
own_parts!(f16);

impl Parts for bool {
    type Part = u8;

    fn type_name() -> String {
        "bint8".to_owned()
    }

    fn parts(elements: &[Self]) -> Cow<'_, [u8]> {
        elements.iter().map(|element| u8::from(*element)).collect()
    }

    fn of_parts(parts: &[u8], _: usize) -> Result<&[Self], String> {
        if let Some(index) = parts.iter().position(|part| *part > 1) {
            return Err(format!("element {index} is {}, no truth value", parts[index]));
        }
        // SAFETY: A `bool` takes a byte, and each byte is 0 or 1.
        Ok(unsafe { std::slice::from_raw_parts(parts.as_ptr().cast::<bool>(), parts.len()) })
    }
}

#[cfg(feature = "complex")]
macro_rules! complex_parts {
    ($($type:ident)*) => {$(
        impl Parts for num_complex::Complex<$type> {
            type Part = $type;

            fn type_name() -> String {
                format!("complex[{}]", $type::TYPE)
            }

            fn parts(elements: &[Self]) -> Cow<'_, [$type]> {
                elements.iter().flat_map(|element| [element.re, element.im]).collect()
            }

            fn part_count(count: usize) -> usize {
                count.saturating_mul(2)
            }

            fn of_parts(parts: &[$type], count: usize) -> Result<&[Self], String> {
                assert_eq!(parts.len(), 2 * count, "the file has been checked to have all parts");
                // SAFETY: `Complex` is `repr(C)`: the real part, then the imaginary part.
                Ok(unsafe { std::slice::from_raw_parts(parts.as_ptr().cast::<Self>(), count) })
            }
        }
    )*};
}

#[cfg(feature = "complex")]
complex_parts!(f64 f32);

/// All elements are the same 1, which is stored once.
impl<V: Value + FileElement> Parts for Pattern<V> {
    type Part = V::Part;

    fn type_name() -> String {
        format!("iso[{}]", V::type_name())
    }

    fn parts(_: &[Self]) -> Cow<'_, [V::Part]> {
        V::parts(&[V::ONE]).into_owned().into()
    }

    fn part_count(_: usize) -> usize {
        V::part_count(1)
    }

    fn of_parts(parts: &[V::Part], count: usize) -> Result<&[Self], String> {
        if V::of_parts(parts, 1)? != [V::ONE] {
            return Err("is not 1, which is the value of every entry of a pattern".to_owned());
        }
        // SAFETY: A pattern's entry has size 0, so that any number of them is at any address.
        Ok(unsafe { std::slice::from_raw_parts(std::ptr::dangling(), count) })
    }
}
