//! Operators and functions on numbers of a type.

mod functions;

use sparsegen::{bf16, c64, f16};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::own::Own;
use crate::statement::{Binary, Function};

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An integer is divided by zero.
    Division,
    /// An arg-reduction ranges over no values.
    Empty,
    /// An integer overflows its type, with an undefined result.
    Overflow,
    /// The types do not fit the operator, which is an error in the statement.
    Types,
}

/// An operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// `-a`
    Negate,
    /// `!a`
    Not,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a < b` or another comparison.
    Compare(Binary),
    /// `sqrt(a)`
    Function(Function),
    /// A user function of the corpus, in its region of this number.
    Own(&'static Own, usize),
    /// `f64(a)`
    Convert,
    /// One of two numbers, for false and true.
    Count(Number, Number),
}

impl Op {
    /// Returns whether every implementation computes the same result, if it has few digits.
    pub fn is_exact(self) -> bool {
        match self {
            Op::Function(function) => functions::is_exact(function),
            Op::Own(..) => true,
            Op::Negate
            | Op::Not
            | Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::And
            | Op::Or
            | Op::Compare(_)
            | Op::Convert
            | Op::Count(..) => true,
        }
    }

    /// Returns the result in a type.
    pub fn apply(self, numbers: &[Number], dtype: Dtype) -> Result<Number, Fault> {
        let number = match (self, numbers) {
            (Op::Negate, [Number::Whole(n)]) => Ok(Number::Whole(-n)),
            (Op::Negate, [Number::Real(x)]) => Ok(Number::Real(-x)),
            (Op::Negate, [Number::Complex(re, im)]) => Ok(Number::Complex(-re, -im)),
            (Op::Not, [Number::Bool(a)]) => Ok(Number::Bool(!a)),
            (Op::Not, [Number::Whole(a)]) if dtype.is_unsigned() => {
                let (_, most) = dtype.range().ok_or(Fault::Types)?;
                Ok(Number::Whole(most - a))
            }
            (Op::Not, [Number::Whole(a)]) => Ok(Number::Whole(!a)),
            // A product of truth values is their conjunction.
            (Op::Multiply, [Number::Bool(a), Number::Bool(b)]) => Ok(Number::Bool(*a && *b)),
            (Op::Add | Op::Subtract | Op::Multiply | Op::Divide, [a, b]) => self.combine(*a, *b),
            (Op::And, [Number::Bool(a), Number::Bool(b)]) => Ok(Number::Bool(*a && *b)),
            (Op::And, [Number::Whole(a), Number::Whole(b)]) => Ok(Number::Whole(a & b)),
            (Op::Or, [Number::Bool(a), Number::Bool(b)]) => Ok(Number::Bool(*a || *b)),
            (Op::Or, [Number::Whole(a), Number::Whole(b)]) => Ok(Number::Whole(a | b)),
            (Op::Compare(op), [a, b]) => compare(op, *a, *b).map(Number::Bool),
            (Op::Function(function), numbers) => functions::apply(function, numbers, dtype),
            (Op::Own(own, k), numbers) => (own.regions[k].1)(numbers, dtype),
            (Op::Convert, [a]) => return convert(*a, dtype),
            (Op::Count(zero, one), [a]) => Ok(if a.holds() { one } else { zero }),
            (
                Op::Negate
                | Op::Not
                | Op::Add
                | Op::Subtract
                | Op::Multiply
                | Op::Divide
                | Op::And
                | Op::Or
                | Op::Compare(_)
                | Op::Convert
                | Op::Count(..),
                _,
            ) => Err(Fault::Types),
        };
        fit(number?, dtype)
    }

    fn combine(self, a: Number, b: Number) -> Result<Number, Fault> {
        match (a, b) {
            (Number::Whole(a), Number::Whole(b)) => match self {
                Op::Add => a.checked_add(b),
                Op::Subtract => a.checked_sub(b),
                Op::Multiply => a.checked_mul(b),
                _ if b == 0 => return Err(Fault::Division),
                _ => a.checked_div(b),
            }
            .map(Number::Whole)
            .ok_or(Fault::Overflow),
            (Number::Real(a), Number::Real(b)) => Ok(Number::Real(match self {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
                _ => a / b,
            })),
            (Number::Complex(..), Number::Complex(..)) => {
                let (a, b) = (complex(a), complex(b));
                Ok(of_complex(match self {
                    Op::Add => a + b,
                    Op::Subtract => a - b,
                    Op::Multiply => a * b,
                    _ => a / b,
                }))
            }
            _ => Err(Fault::Types),
        }
    }
}

fn complex(number: Number) -> c64 {
    c64::new(number.re(), number.im())
}

fn of_complex(number: c64) -> Number {
    Number::Complex(number.re, number.im)
}

/// Compares two numbers; complex numbers are not ordered.
pub fn compare(op: Binary, a: Number, b: Number) -> Result<bool, Fault> {
    let order = match (a, b) {
        (Number::Bool(a), Number::Bool(b)) => Some(a.cmp(&b)),
        (Number::Whole(a), Number::Whole(b)) => Some(a.cmp(&b)),
        (Number::Real(a), Number::Real(b)) => a.partial_cmp(&b),
        (Number::Complex(..), Number::Complex(..)) => match op {
            Binary::Equal => return Ok(a == b),
            Binary::Unequal => return Ok(a != b),
            _ => return Err(Fault::Types),
        },
        _ => return Err(Fault::Types),
    };
    Ok(match op {
        Binary::Less => order.is_some_and(|order| order.is_lt()),
        Binary::LessEqual => order.is_some_and(|order| order.is_le()),
        Binary::Greater => order.is_some_and(|order| order.is_gt()),
        Binary::GreaterEqual => order.is_some_and(|order| order.is_ge()),
        Binary::Equal => order.is_some_and(|order| order.is_eq()),
        Binary::Unequal => order.is_none_or(|order| order.is_ne()),
        _ => return Err(Fault::Types),
    })
}

/// Returns the number in a type that can represent it.
fn fit(number: Number, dtype: Dtype) -> Result<Number, Fault> {
    match number {
        Number::Whole(n) => match dtype.range() {
            Some((least, most)) if (least..=most).contains(&n) => Ok(number),
            Some(_) => Err(Fault::Overflow),
            None => Err(Fault::Types),
        },
        Number::Real(x) if dtype == Dtype::F32 => Ok(Number::Real(f64::from(x as f32))),
        Number::Real(x) if dtype == Dtype::F16 => Ok(Number::Real(f16::from_f64(x).to_f64())),
        Number::Real(x) if dtype == Dtype::Bf16 => Ok(Number::Real(bf16::from_f64(x).to_f64())),
        Number::Real(_) if dtype == Dtype::F64 => Ok(number),
        Number::Complex(re, im) if dtype == Dtype::C32 => {
            Ok(Number::Complex(f64::from(re as f32), f64::from(im as f32)))
        }
        Number::Complex(..) if dtype == Dtype::C64 => Ok(number),
        Number::Bool(_) if dtype == Dtype::Bool => Ok(number),
        Number::Real(_) | Number::Complex(..) | Number::Bool(_) => Err(Fault::Types),
    }
}

/// Converts a number like `as` in Rust; nonzero numbers are true, and real numbers become complex.
pub fn convert(number: Number, dtype: Dtype) -> Result<Number, Fault> {
    let converted = match dtype {
        Dtype::Bool => Number::Bool(number.holds()),
        Dtype::C32 | Dtype::C64 => Number::Complex(number.re(), number.im()),
        _ if matches!(number, Number::Complex(..)) => return Err(Fault::Types),
        Dtype::F32 | Dtype::F16 | Dtype::Bf16 | Dtype::F64 => Number::Real(number.re()),
        Dtype::Integer(..) | Dtype::Usize | Dtype::Exact => {
            let (least, most) = dtype.range().ok_or(Fault::Types)?;
            Number::Whole(match number {
                // Real numbers saturate, and integers wrap.
                Number::Real(x) => (x as i128).clamp(least, most),
                Number::Bool(_) | Number::Whole(_) | Number::Complex(..) => {
                    match most.checked_sub(least).and_then(|span| span.checked_add(1)) {
                        Some(span) => (number.whole() - least).rem_euclid(span) + least,
                        None => number.whole(),
                    }
                }
            })
        }
    };
    fit(converted, dtype)
}

/// Returns a literal in the required type, or `None` if the type cannot represent it.
pub fn literal(number: Number, dtype: Dtype) -> Option<Number> {
    // For `bool`, 0 and 1 are truth values.
    if let (Number::Whole(n @ (0 | 1)), Dtype::Bool) = (number, dtype) {
        return Some(Number::Bool(n == 1));
    }
    let is_whole = matches!(number, Number::Whole(_));
    let is_bool = matches!(number, Number::Bool(_));
    if is_bool != (dtype == Dtype::Bool) || (dtype.is_whole() && !is_whole) {
        return None;
    }
    match dtype.range() {
        Some((least, most)) => {
            (least..=most).contains(&number.whole()).then_some(Number::Whole(number.whole()))
        }
        None => convert(number, dtype).ok(),
    }
}
