//! Mathematical functions and conversions between types.

use num_complex::Complex64;

use super::number::{overflow, range, round, within};
use super::{Number, Value};
use crate::ir::Dtype;
use crate::ir::math::Function;

/// Evaluates a function for complex numbers of one of two precisions.
macro_rules! of_complex {
    ($function:expr, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let value = match $function {
            Function::Abs => return Ok(Number::Float(a.norm().into())),
            Function::Re => return Ok(Number::Float(a.re.into())),
            Function::Im => return Ok(Number::Float(a.im.into())),
            Function::Arg => return Ok(Number::Float(a.arg().into())),
            Function::Sqrt => a.sqrt(),
            Function::Exp => a.exp(),
            Function::Ln => a.ln(),
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Asin => a.asin(),
            Function::Acos => a.acos(),
            Function::Atan => a.atan(),
            Function::Sinh => a.sinh(),
            Function::Cosh => a.cosh(),
            Function::Tanh => a.tanh(),
            Function::Asinh => a.asinh(),
            Function::Acosh => a.acosh(),
            Function::Atanh => a.atanh(),
            Function::Recip => a.inv(),
            Function::Conj => a.conj(),
            Function::Square => a.powu(2),
            Function::Cube => a.powu(3),
            Function::Pow => a.powc(b),
            function => return Err(format!("`{}` of complex numbers", function.name())),
        };
        Ok(Number::Complex(value.re.into(), value.im.into()))
    }};
}

/// Evaluates a function, or returns why it has no value.
pub(super) fn call(
    function: Function,
    dtype: Dtype,
    arguments: &[Number],
) -> Result<Value, String> {
    let [a, b] = match arguments {
        [a] => [*a, Number::zero(dtype)],
        [a, b] => [*a, *b],
        _ => return Err(format!("`{}` of {} arguments", function.name(), arguments.len())),
    };
    let number = match (a, b) {
        (Number::Float(a), Number::Float(b)) if dtype == Dtype::F32 => {
            Number::Float(function.of_single(a as f32, b as f32).into())
        }
        (Number::Float(a), Number::Float(b)) => Number::Float(function.of_real(a, b)),
        (Number::Integer(a), Number::Integer(b)) => {
            within(function.of_integer(a, b).ok_or_else(|| overflow(dtype))?, dtype)?
        }
        (Number::Complex(..), Number::Complex(..)) => complex(function, a, b, dtype)?,
        (a, b) => return Err(format!("{a} and {b} are not of one type")),
    };
    Ok(Value::Number(number, function.result(dtype)))
}

fn complex(function: Function, a: Number, b: Number, dtype: Dtype) -> Result<Number, String> {
    if dtype == Dtype::C32 {
        let single = |number| match number {
            Number::Complex(re, im) => num_complex::Complex32::new(re as f32, im as f32),
            Number::Float(_) | Number::Integer(_) => num_complex::Complex32::new(0.0, 0.0),
        };
        return of_complex!(function, single(a), single(b));
    }
    let double = |number| match number {
        Number::Complex(re, im) => Complex64::new(re, im),
        Number::Float(_) | Number::Integer(_) => Complex64::new(0.0, 0.0),
    };
    of_complex!(function, double(a), double(b))
}

/// Converts a value to another type, like Rust.
pub(super) fn cast(value: Value, to: Dtype) -> Result<Value, String> {
    let number = match value {
        Value::Index(n) => Number::Integer(n as i128),
        Value::Bool(truth) => Number::Integer(truth.into()),
        Value::Number(number, _) => number,
        Value::Signed(_) => return Err(format!("{value} is not a number")),
    };
    if to == Dtype::Bool {
        return Ok(Value::Bool(match number {
            Number::Float(x) => x != 0.0,
            Number::Integer(n) => n != 0,
            Number::Complex(re, im) => re != 0.0 || im != 0.0,
        }));
    }
    let is_float = to.is_float() || to.is_opaque();
    let number = match (number, to.is_complex(), is_float) {
        (Number::Complex(re, im), true, _) => Number::Complex(round(re, to), round(im, to)),
        (Number::Complex(..), false, _) => return Err(format!("{number} is not real")),
        (Number::Float(x), true, _) => Number::Complex(round(x, to), 0.0),
        (Number::Integer(n), true, _) => Number::Complex(round(n as f64, to), 0.0),
        (Number::Float(x), false, true) => Number::Float(round(x, to)),
        (Number::Integer(n), false, true) if to == Dtype::F32 => Number::Float((n as f32).into()),
        (Number::Integer(n), false, true) => Number::Float(n as f64),
        (Number::Float(x), false, false) => {
            let (least, greatest) = range(to);
            Number::Integer((x as i128).clamp(least, greatest))
        }
        (Number::Integer(n), false, false) => {
            let (least, greatest) = range(to);
            Number::Integer((n - least).rem_euclid(greatest - least + 1) + least)
        }
    };
    Ok(Value::Number(number, to))
}

/// Returns the bitwise complement of an integer.
pub(super) fn turned(n: i128, dtype: Dtype) -> Number {
    let (_, greatest) = range(dtype);
    Number::Integer(if dtype.is_unsigned() { greatest - n } else { -n - 1 })
}
