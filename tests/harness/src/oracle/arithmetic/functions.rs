//! The mathematical functions.

mod complex;

use sparsegen::c64;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::{Fault, Op};
use crate::statement::Function;

/// Returns whether every library computes the same result, if it has few digits.
pub fn is_exact(function: Function) -> bool {
    matches!(
        function,
        Function::Abs
            | Function::Floor
            | Function::Ceil
            | Function::Round
            | Function::Trunc
            | Function::Sign
            | Function::Recip
            | Function::Square
            | Function::Cube
            | Function::Conj
            | Function::Re
            | Function::Im
            | Function::Min
            | Function::Max
            | Function::Rem
            | Function::Xor
    )
}

/// Returns the result of a function in a type.
pub fn apply(function: Function, numbers: &[Number], dtype: Dtype) -> Result<Number, Fault> {
    match (function, numbers) {
        (Function::Square, [a]) => Op::Multiply.apply(&[*a, *a], dtype),
        (Function::Cube, [a]) => {
            Op::Multiply.apply(&[Op::Multiply.apply(&[*a, *a], dtype)?, *a], dtype)
        }
        (_, [Number::Real(x)]) => real(function, *x).map(Number::Real),
        (_, [Number::Whole(n)]) => whole(function, *n).map(Number::Whole),
        (_, [Number::Complex(re, im)]) => complex::apply(function, c64::new(*re, *im)),
        (Function::Xor, [Number::Bool(a), Number::Bool(b)]) => Ok(Number::Bool(a ^ b)),
        (_, [Number::Real(a), Number::Real(b)]) => Ok(Number::Real(match function {
            Function::Atan2 => a.atan2(*b),
            Function::Min => a.min(*b),
            Function::Max => a.max(*b),
            Function::Pow => a.powf(*b),
            Function::Hypot => a.hypot(*b),
            Function::Rem => a % b,
            _ => return Err(Fault::Types),
        })),
        (_, [Number::Whole(a), Number::Whole(b)]) => Ok(Number::Whole(match function {
            Function::Min => *a.min(b),
            Function::Max => *a.max(b),
            Function::Pow => {
                let exponent = u32::try_from(*b).map_err(|_| Fault::Overflow)?;
                a.checked_pow(exponent).ok_or(Fault::Overflow)?
            }
            Function::Rem if *b == 0 => return Err(Fault::Division),
            Function::Rem => a % b,
            Function::Xor => a ^ b,
            _ => return Err(Fault::Types),
        })),
        _ => Err(Fault::Types),
    }
}

fn real(function: Function, x: f64) -> Result<f64, Fault> {
    Ok(match function {
        Function::Abs => x.abs(),
        Function::Sqrt => x.sqrt(),
        Function::Cbrt => x.cbrt(),
        Function::Exp => x.exp(),
        Function::Exp2 => x.exp2(),
        Function::Expm1 => x.exp_m1(),
        Function::Ln => x.ln(),
        Function::Ln1p => x.ln_1p(),
        Function::Log2 => x.log2(),
        Function::Log10 => x.log10(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Asinh => x.asinh(),
        Function::Acosh => x.acosh(),
        Function::Atanh => x.atanh(),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Round => x.round(),
        Function::Trunc => x.trunc(),
        Function::Sign => {
            if x == 0.0 {
                0.0
            } else {
                x.signum()
            }
        }
        Function::Recip => 1.0 / x,
        Function::Conj | Function::Re => x,
        _ => return Err(Fault::Types),
    })
}

fn whole(function: Function, n: i128) -> Result<i128, Fault> {
    Ok(match function {
        Function::Abs => n.abs(),
        Function::Sign => n.signum(),
        _ => return Err(Fault::Types),
    })
}
