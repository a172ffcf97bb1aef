//! Numbers of every element type, with the arithmetic of a debug build in Rust.

use std::cmp::Ordering;
use std::fmt;

use crate::ir::{BinaryOp, Dtype, Literal};

/// A number of an element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A number of a floating-point type.
    Float(f64),
    /// A number of an integer type.
    Integer(i128),
    /// The real and the imaginary part of a complex number.
    Complex(f64, f64),
}

impl Number {
    /// Returns the zero of a type.
    pub fn zero(dtype: Dtype) -> Number {
        Number::of(Literal::Int(0), dtype)
    }

    /// Returns a literal in a type.
    pub fn of(literal: Literal, dtype: Dtype) -> Number {
        let real = literal.as_real().unwrap_or(f64::from(literal.is_one()));
        if dtype.is_complex() {
            Number::Complex(round(real, dtype), 0.0)
        } else if dtype.is_float() || dtype.is_opaque() {
            Number::Float(round(real, dtype))
        } else {
            let (least, greatest) = range(dtype);
            match literal {
                Literal::Int(n) => Number::Integer(n.into()),
                Literal::Float(x) => Number::Integer(x as i128),
                Literal::Greatest => Number::Integer(greatest),
                Literal::Least => Number::Integer(least),
                Literal::Nan => Number::Integer(0),
                Literal::Bool(truth) => Number::Integer(truth.into()),
            }
        }
    }

    /// Returns the negation, or an error if the type has none.
    pub(super) fn neg(self, dtype: Dtype) -> Result<Number, String> {
        match self {
            Number::Float(x) => Ok(Number::Float(-x)),
            Number::Complex(re, im) => Ok(Number::Complex(-re, -im)),
            Number::Integer(_) if dtype.is_unsigned() => {
                Err(format!("{dtype} has no negative numbers"))
            }
            Number::Integer(n) => within(-n, dtype),
        }
    }

    /// Evaluates an arithmetic operation on two numbers of one type, or returns why it has no
    /// result.
    pub(super) fn arithmetic(
        op: BinaryOp,
        a: Number,
        b: Number,
        dtype: Dtype,
    ) -> Result<Number, String> {
        match (a, b) {
            (Number::Float(a), Number::Float(b)) => Ok(Number::Float(float(op, a, b, dtype)?)),
            (Number::Integer(a), Number::Integer(b)) => integer(op, a, b, dtype),
            (Number::Complex(a, b), Number::Complex(c, d)) => complex(op, (a, b), (c, d), dtype),
            (a, b) => Err(format!("{a} and {b} are not of one type")),
        }
    }

    /// Compares two numbers; different complex numbers have no order.
    pub(super) fn compare(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (a, b) => (a == b).then_some(Ordering::Equal),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Float(x) => write!(f, "{x:?}"),
            Number::Integer(n) => write!(f, "{n}"),
            Number::Complex(re, im) => write!(f, "{re:?} + {im:?}i"),
        }
    }
}

/// Rounds the result of exact arithmetic to a type.
///
/// A sum, difference, product or quotient of two `f32`, rounded in `f64` first, rounds to the
/// result in `f32`.
pub(super) fn round(x: f64, dtype: Dtype) -> f64 {
    match dtype {
        Dtype::F32 | Dtype::C32 => f64::from(x as f32),
        Dtype::F16 => half::f16::from_f64(x).to_f64(),
        Dtype::Bf16 => half::bf16::from_f64(x).to_f64(),
        Dtype::F64
        | Dtype::C64
        | Dtype::Generic
        | Dtype::User(_)
        | Dtype::I8
        | Dtype::I16
        | Dtype::I32
        | Dtype::I64
        | Dtype::U8
        | Dtype::U16
        | Dtype::U32
        | Dtype::U64
        | Dtype::Usize
        | Dtype::Bool => x,
    }
}

fn float(op: BinaryOp, a: f64, b: f64, dtype: Dtype) -> Result<f64, String> {
    let exact = op.of_reals(a, b).ok_or_else(|| no_arithmetic(op))?;
    Ok(round(exact, dtype))
}

fn integer(op: BinaryOp, a: i128, b: i128, dtype: Dtype) -> Result<Number, String> {
    let why = || match op {
        BinaryOp::Div => "division by zero".to_owned(),
        BinaryOp::Rem => "remainder of a division by zero".to_owned(),
        BinaryOp::Mul => overflow(dtype),
        op => no_arithmetic(op),
    };
    within(op.of_integers(a, b).ok_or_else(why)?, dtype)
}

/// Evaluates complex arithmetic like the crate `num-complex`, rounded after each step.
fn complex(
    op: BinaryOp,
    (a, b): (f64, f64),
    (c, d): (f64, f64),
    dtype: Dtype,
) -> Result<Number, String> {
    let r = |x| round(x, dtype);
    match op {
        BinaryOp::Add => Ok(Number::Complex(r(a + c), r(b + d))),
        BinaryOp::Sub => Ok(Number::Complex(r(a - c), r(b - d))),
        BinaryOp::Mul => Ok(Number::Complex(r(r(a * c) - r(b * d)), r(r(a * d) + r(b * c)))),
        BinaryOp::Div => {
            let norm = r(r(c * c) + r(d * d));
            let (re, im) = (r(r(a * c) + r(b * d)), r(r(b * c) - r(a * d)));
            Ok(Number::Complex(r(re / norm), r(im / norm)))
        }
        op => Err(no_arithmetic(op)),
    }
}

fn no_arithmetic(op: BinaryOp) -> String {
    format!("`{}` has no result among these numbers", op.rust_name())
}

pub(super) fn overflow(dtype: Dtype) -> String {
    format!("overflow of {dtype}")
}

/// Returns an integer, if its type can represent it.
pub(super) fn within(n: i128, dtype: Dtype) -> Result<Number, String> {
    let (least, greatest) = range(dtype);
    if (least..=greatest).contains(&n) { Ok(Number::Integer(n)) } else { Err(overflow(dtype)) }
}

/// Returns the least and the greatest integer of a type; an empty range for other types.
pub(super) fn range(dtype: Dtype) -> (i128, i128) {
    dtype.integers().map_or((0, -1), std::ops::RangeInclusive::into_inner)
}
