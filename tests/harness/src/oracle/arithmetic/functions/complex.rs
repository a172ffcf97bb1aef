//! Functions of complex numbers, computed from functions of real numbers.

use sparsegen::c64;

use crate::number::Number;
use crate::oracle::arithmetic::{Fault, of_complex};
use crate::statement::Function;

/// Returns the result of a function.
pub fn apply(function: Function, z: c64) -> Result<Number, Fault> {
    let real = match function {
        Function::Abs => Some(absolute(z)),
        Function::Re => Some(z.re),
        Function::Im => Some(z.im),
        Function::Arg => Some(argument(z)),
        _ => None,
    };
    if let Some(real) = real {
        return Ok(Number::Real(real));
    }
    let i = c64::new(0.0, 1.0);
    Ok(of_complex(match function {
        Function::Sqrt => polar(absolute(z).sqrt(), argument(z) / 2.0),
        Function::Exp => exponential(z),
        Function::Ln => logarithm(z),
        Function::Sin => sine(z),
        Function::Cos => cosine(z),
        Function::Tan => sine(z) / cosine(z),
        Function::Sinh => -i * sine(i * z),
        Function::Cosh => cosine(i * z),
        Function::Tanh => -i * sine(i * z) / cosine(i * z),
        Function::Recip => c64::new(1.0, 0.0) / z,
        Function::Conj => z.conj(),
        _ => return Err(Fault::Types),
    }))
}

fn absolute(z: c64) -> f64 {
    z.re.hypot(z.im)
}

fn argument(z: c64) -> f64 {
    z.im.atan2(z.re)
}

fn polar(radius: f64, angle: f64) -> c64 {
    c64::new(radius * angle.cos(), radius * angle.sin())
}

fn exponential(z: c64) -> c64 {
    polar(z.re.exp(), z.im)
}

fn logarithm(z: c64) -> c64 {
    c64::new(absolute(z).ln(), argument(z))
}

fn sine(z: c64) -> c64 {
    c64::new(z.re.sin() * z.im.cosh(), z.re.cos() * z.im.sinh())
}

fn cosine(z: c64) -> c64 {
    c64::new(z.re.cos() * z.im.cosh(), -z.re.sin() * z.im.sinh())
}
