//! Conversion between elements and the numbers of a file.

use std::io::{self, Write};

use super::lines::quoted;
use super::number;
use crate::{Pattern, Stored, Value};

/// The kind of numbers in a file: the third word of a Matrix Market banner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// No values: each entry has the value 1.
    Pattern,
    /// Integers.
    Integer,
    /// Real numbers in decimal notation.
    Real,
    /// The real part and the imaginary part.
    Complex,
}

/// The value of one entry: its text, or the number that a binary file stores.
#[derive(Clone, Copy, Debug)]
pub enum Number<'a> {
    /// The value of an entry of a pattern: 1.
    One,
    /// Digits with or without a sign.
    Integer(&'a str),
    /// A number in decimal notation.
    Real(&'a str),
    /// The real and the imaginary part.
    Complex(&'a str, &'a str),
    /// An integer of a binary file.
    BinaryInteger(i128),
    /// A floating-point number of a binary file.
    BinaryReal(f64),
    /// The real and the imaginary part in a binary file.
    BinaryComplex(f64, f64),
}

impl Number<'_> {
    /// Returns the number for an error.
    fn shown(self) -> String {
        match self {
            Number::One => "1".to_owned(),
            Number::Integer(text) | Number::Real(text) => text.to_owned(),
            Number::Complex(re, im) => format!("{re} {im}"),
            Number::BinaryInteger(number) => number.to_string(),
            Number::BinaryReal(number) => format!("{number:?}"),
            Number::BinaryComplex(re, im) => format!("{re:?} {im:?}"),
        }
    }
}

/// An element type that files can store.
///
/// | file's field | into `f64`, `f32` | into integers | into complex numbers |
/// |---|---|---|---|
/// | pattern | 1 | 1 | 1 |
/// | integer | rounded to the nearest | if it fits | rounded to the nearest |
/// | real | rounded to the nearest | if it is an integer and fits | rounded to the nearest |
/// | complex | an error | an error | rounded to the nearest |
///
/// A `bool` is read from 0 and 1, and written as them.
///
/// A value that the type cannot represent is an error of its place in the file. Only a file of the
/// field `pattern` can also be read into [`Pattern`]. The numbers of binary files are converted like
/// those of the field `integer`, `real` or `complex`.
pub trait Element: Stored {
    /// The field that represents this type without loss.
    const FIELD: Field;

    /// The name of the type in errors.
    const NAME: &'static str;

    /// Converts a number of a file.
    ///
    /// # Errors
    /// The reason why this type cannot represent the number.
    fn of_number(number: Number<'_>) -> Result<Self, String>;

    /// Returns the sum, or `None` if the type cannot represent it: on overflow of an integer type,
    /// and for every pattern.
    fn plus(self, other: Self) -> Option<Self>;

    /// Returns the value mirrored across the diagonal of a skew-symmetric matrix, `-self`, or
    /// `None` if the type cannot represent it.
    fn negated(self) -> Option<Self>;

    /// Returns the value mirrored across the diagonal of a hermitian matrix.
    fn conjugated(self) -> Self;

    /// Writes the value as text that [`Element::of_number`] reads back as the same value.
    ///
    /// # Errors
    /// Those of the writer.
    fn write(self, out: &mut dyn Write) -> io::Result<()>;
}

/// An element type of real numbers or integers, which FROSTT files can store.
#[diagnostic::on_unimplemented(
    message = "FROSTT files store real numbers, not `{Self}`",
    note = "write the real and the imaginary part as two tensors, or a matrix as Matrix Market"
)]
pub trait RealElement: Element {}

fn refusal(text: &str, reason: &str) -> String {
    format!("the value {} {reason}", quoted(text))
}

/// Reads an integer of a file whose field is `integer`, where the notation of reals is an error.
fn integer_text(text: &str) -> Result<i128, String> {
    number::integer(text).map_err(|reason| {
        let real = number::float::<f64>(text, "f64").is_ok();
        let hint = if real { " (a file with such values is declared `real`)" } else { "" };
        refusal(text, &format!("{reason}{hint}"))
    })
}

fn too_large(number: Number<'_>, type_name: &str) -> String {
    refusal(&number.shown(), &format!("is too large for `{type_name}`"))
}

fn float_of_number<T>(number: Number<'_>, type_name: &str) -> Result<T, String>
where
    T: num_traits::Float + std::str::FromStr,
{
    let text = match number {
        Number::One => return Ok(T::one()),
        Number::Integer(text) => {
            // Every integer, of any length, has a nearest floating-point number.
            if !text.strip_prefix(['+', '-']).unwrap_or(text).bytes().all(|b| b.is_ascii_digit()) {
                integer_text(text)?;
            }
            text
        }
        Number::Real(text) => text,
        Number::BinaryInteger(integer) => {
            return T::from(integer).ok_or_else(|| too_large(number, type_name));
        }
        Number::BinaryReal(real) => {
            let rounded = T::from(real).filter(|t| t.is_finite() || !real.is_finite());
            return rounded.ok_or_else(|| too_large(number, type_name));
        }
        Number::Complex(..) | Number::BinaryComplex(..) => return Err(complex_refusal(type_name)),
    };
    number::float(text, type_name).map_err(|reason| refusal(text, &reason))
}

/// Returns the message that complex values do not fit the real type `type_name`, and what to do.
pub(super) fn complex_refusal(type_name: &str) -> String {
    format!(
        "complex values do not fit `{type_name}`: read them as `c64` (the feature `complex`), \
         then choose the real part, the imaginary part or the magnitude with `map_vals`"
    )
}

macro_rules! float_elements {
    ($($type:ident)*) => {$(
        impl Element for $type {
            const FIELD: Field = Field::Real;
            const NAME: &'static str = stringify!($type);

            fn of_number(number: Number<'_>) -> Result<Self, String> {
                float_of_number(number, Self::NAME)
            }

            fn plus(self, other: Self) -> Option<Self> {
                Some(self + other)
            }

            fn negated(self) -> Option<Self> {
                Some(-self)
            }

            fn conjugated(self) -> Self {
                self
            }

            fn write(self, out: &mut dyn Write) -> io::Result<()> {
                // `Debug` prints the shortest text that parses to the same number, and uses
                // exponents for very large and very small numbers.
                write!(out, "{self:?}")
            }
        }

        impl RealElement for $type {}
    )*};
}

macro_rules! integer_elements {
    ($($type:ident)*) => {$(
        impl Element for $type {
            const FIELD: Field = Field::Integer;
            const NAME: &'static str = stringify!($type);

            fn of_number(number: Number<'_>) -> Result<Self, String> {
                let value = match number {
                    Number::One => return Ok(1),
                    Number::Integer(text) => integer_text(text)?,
                    Number::Real(text) => {
                        number::whole(text).map_err(|reason| refusal(text, &reason))?
                    }
                    Number::BinaryInteger(value) => value,
                    Number::BinaryReal(value) => number::whole_of(value)
                        .ok_or_else(|| refusal(&number.shown(), "is not an integer"))?,
                    Number::Complex(..) | Number::BinaryComplex(..) => {
                        return Err(complex_refusal(Self::NAME));
                    }
                };
                let reason = concat!("does not fit `", stringify!($type), "`");
                value.try_into().map_err(|_| refusal(&number.shown(), reason))
            }

            fn plus(self, other: Self) -> Option<Self> {
                self.checked_add(other)
            }

            fn negated(self) -> Option<Self> {
                self.checked_neg()
            }

            fn conjugated(self) -> Self {
                self
            }

            fn write(self, out: &mut dyn Write) -> io::Result<()> {
                write!(out, "{self}")
            }
        }

        impl RealElement for $type {}
    )*};
}

#[cfg(feature = "complex")]
macro_rules! complex_elements {
    ($($type:ident as $name:literal),*) => {$(
        impl Element for num_complex::Complex<$type> {
            const FIELD: Field = Field::Complex;
            const NAME: &'static str = $name;

            fn of_number(number: Number<'_>) -> Result<Self, String> {
                match number {
                    Number::One
                    | Number::Integer(_)
                    | Number::Real(_)
                    | Number::BinaryInteger(_)
                    | Number::BinaryReal(_) => Ok(Self::new($type::of_number(number)?, 0.0)),
                    Number::BinaryComplex(re, im) => Ok(Self::new(
                        $type::of_number(Number::BinaryReal(re))?,
                        $type::of_number(Number::BinaryReal(im))?,
                    )),
                    Number::Complex(re, im) => Ok(Self::new(
                        $type::of_number(Number::Real(re))?,
                        $type::of_number(Number::Real(im))?,
                    )),
                }
            }

            fn plus(self, other: Self) -> Option<Self> {
                Some(self + other)
            }

            fn negated(self) -> Option<Self> {
                Some(-self)
            }

            fn conjugated(self) -> Self {
                self.conj()
            }

            fn write(self, out: &mut dyn Write) -> io::Result<()> {
                write!(out, "{:?} {:?}", self.re, self.im)
            }
        }
    )*};
}

/// The numbers 0 and 1.
impl Element for bool {
    const FIELD: Field = Field::Integer;
    const NAME: &'static str = "bool";

    fn of_number(number: Number<'_>) -> Result<Self, String> {
        match u8::of_number(number) {
            Ok(0) => Ok(false),
            Ok(1) => Ok(true),
            Ok(_) | Err(_) => Err(refusal(&number.shown(), "does not fit `bool`, which is 0 or 1")),
        }
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(self || other)
    }

    fn negated(self) -> Option<Self> {
        (!self).then_some(false)
    }

    fn conjugated(self) -> Self {
        self
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        u8::from(self).write(out)
    }
}

impl RealElement for bool {}

impl<V: Value> Element for Pattern<V> {
    const FIELD: Field = Field::Pattern;
    const NAME: &'static str = "Pattern";

    fn of_number(number: Number<'_>) -> Result<Self, String> {
        match number {
            Number::One => Ok(Pattern::ONE),
            Number::Integer(_)
            | Number::Real(_)
            | Number::Complex(..)
            | Number::BinaryInteger(_)
            | Number::BinaryReal(_)
            | Number::BinaryComplex(..) => {
                let reason = "does not fit a pattern, which keeps no values: read the file with \
                              its values, then leave them out with `pattern`";
                Err(refusal(&number.shown(), reason))
            }
        }
    }

    fn plus(self, _: Self) -> Option<Self> {
        None
    }

    fn negated(self) -> Option<Self> {
        None
    }

    fn conjugated(self) -> Self {
        self
    }

    fn write(self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

float_elements! { f64 f32 }
#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "half")]
float_elements!(f16 bf16);
integer_elements! { i8 i16 i32 i64 u8 u16 u32 u64 usize }
#[cfg(feature = "complex")]
complex_elements! { f64 as "c64", f32 as "c32" }

#[cfg(test)]
mod tests;
