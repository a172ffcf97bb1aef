//! Constant folding of functions.

use super::super::Expr;
use super::super::semiring::is_same;
use super::Function;
use crate::types::{Dtype, Literal};

/// Evaluates a function of constants; returns `None` if the value depends on the type or is
/// undefined.
pub(super) fn fold(function: Function, arguments: &[Literal]) -> Option<Literal> {
    let truth = |k: usize| arguments.get(k).copied().and_then(Literal::as_bool);
    let compare = |holds: fn(f64, f64) -> bool| match arguments {
        [Literal::Bool(a), Literal::Bool(b)] => {
            Some(Literal::Bool(holds(f64::from(*a), f64::from(*b))))
        }
        [a, b] => Some(Literal::Bool(holds(number(*a)?, number(*b)?))),
        _ => None,
    };
    match function {
        Function::Math(function) => function.of_literals(arguments),
        // If the real function has a finite value, the complex function has the same value.
        Function::Complex(function, _) => {
            let value = function.of_literals(arguments)?;
            matches!(value, Literal::Int(_) | Literal::Float(_)).then_some(value)
        }
        Function::Quotient => integers(arguments, i64::checked_div),
        Function::Ratio if arguments[1].is_zero() => None,
        Function::Ratio => {
            Expr::div(Expr::Literal(arguments[0]), Expr::Literal(arguments[1])).as_literal()
        }
        Function::Remainder => integers(arguments, i64::checked_rem),
        Function::Not => Some(Literal::Bool(!truth(0)?)),
        Function::And => bits(arguments, |a, b| a & b),
        Function::Or => bits(arguments, |a, b| a | b),
        Function::Xor => bits(arguments, |a, b| a ^ b),
        Function::Less => compare(|a, b| a < b),
        Function::LessEqual => compare(|a, b| a <= b),
        Function::Equal => compare(|a, b| a == b),
        Function::NotEqual => compare(|a, b| a != b),
        Function::Present => Some(Literal::Bool(!is_same(arguments[0], arguments[1]))),
        // Constants have no entries.
        Function::Found => Some(Literal::Bool(false)),
        Function::Convert(dtype) => convert(arguments[0], dtype),
        Function::Entry => is_same(arguments[0], arguments[1]).then_some(Literal::Int(0)),
        // The complement of zero depends on the type.
        Function::Complement
        | Function::Own(_)
        | Function::Select
        | Function::Mask
        | Function::Number(_)
        | Function::Symbol(_) => None,
    }
}

/// Evaluates a function of two integers.
fn integers(arguments: &[Literal], value: fn(i64, i64) -> Option<i64>) -> Option<Literal> {
    let [Literal::Int(a), Literal::Int(b)] = *arguments else { return None };
    value(a, b).map(Literal::Int)
}

/// Evaluates a bitwise function of two integers, or a function of two Booleans.
fn bits(arguments: &[Literal], value: fn(i64, i64) -> i64) -> Option<Literal> {
    if let [Literal::Int(a), Literal::Int(b)] = *arguments {
        return Some(Literal::Int(value(a, b)));
    }
    let [a, b] = *arguments else { return None };
    Some(Literal::Bool(value(a.as_bool()?.into(), b.as_bool()?.into()) != 0))
}

fn number(literal: Literal) -> Option<f64> {
    literal.as_real().or(literal.as_bool().map(f64::from))
}

/// Converts a constant, if its value is preserved.
fn convert(literal: Literal, dtype: Dtype) -> Option<Literal> {
    if dtype == Dtype::Bool {
        return Some(Literal::Bool(literal.as_bool().or(literal.as_real().map(|x| x != 0.0))?));
    }
    let Some(real) = literal.as_real() else {
        return literal.as_bool().map(|truth| Literal::Int(truth.into()));
    };
    Some(match (literal, dtype.integers()) {
        // The name says more than the number.
        (Literal::Greatest | Literal::Least, Some(_)) => return None,
        (Literal::Int(n), Some(range)) => {
            let (least, greatest) = range.into_inner();
            let wrapped = (i128::from(n) - least).rem_euclid(greatest - least + 1) + least;
            Literal::Int(i64::try_from(wrapped).ok()?)
        }
        (_, Some(range)) => {
            let (least, greatest) = range.into_inner();
            Literal::Int(i64::try_from((real as i128).clamp(least, greatest)).ok()?)
        }
        (Literal::Int(n @ (0 | 1)), None) => Literal::Int(n),
        // Generated code rounds constants of these types.
        (_, None) if dtype.is_half() || dtype == Dtype::Generic => return None,
        (_, None) if dtype.real() == Dtype::F32 => Literal::real(f64::from(real as f32)),
        (_, None) => Literal::real(real),
    })
}
