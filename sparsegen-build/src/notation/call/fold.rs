//! Constant folding of functions.

use super::super::{BinaryOp, Expr};
use super::Function;
use crate::types::{Dtype, Literal};

/// Evaluates a function of constants; returns `None` if the value depends on the type or is
/// undefined.
pub(super) fn fold(function: Function, arguments: &[Literal]) -> Option<Literal> {
    match function {
        Function::Math(function) => function.of_literals(arguments),
        // If the real function has a finite value, the complex function has the same value.
        Function::Complex(function, _) => {
            let value = function.of_literals(arguments)?;
            matches!(value, Literal::Int(_) | Literal::Float(_)).then_some(value)
        }
        Function::Operator(op) => op.of_literals(arguments[0], arguments[1]),
        Function::Quotient => integers(BinaryOp::Div, arguments),
        Function::Remainder => integers(BinaryOp::Rem, arguments),
        Function::Ratio if arguments[1].is_zero() => None,
        Function::Ratio => {
            Expr::div(Expr::Literal(arguments[0]), Expr::Literal(arguments[1])).as_literal()
        }
        Function::Not => Some(Literal::Bool(!arguments[0].as_bool()?)),
        Function::Present => Some(Literal::Bool(!arguments[0].is_same(arguments[1]))),
        // The operand is replaced by its fill value where it has no entry.
        Function::Stored => Some(Literal::Bool(false)),
        Function::Convert(dtype) => convert(arguments[0], dtype),
        Function::Entry => arguments[0].is_same(arguments[1]).then_some(Literal::Int(0)),
        // The complement of zero depends on the type.
        Function::Complement
        | Function::Own(_)
        | Function::Found(_)
        | Function::Extent(_)
        | Function::Select
        | Function::Mask
        | Function::Number(_)
        | Function::Symbol(_) => None,
    }
}

/// Divides two integers, or returns their remainder.
fn integers(op: BinaryOp, arguments: &[Literal]) -> Option<Literal> {
    let [Literal::Int(a), Literal::Int(b)] = *arguments else { return None };
    i64::try_from(op.of_integers(a.into(), b.into())?).ok().map(Literal::Int)
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
        (_, None) if dtype.is_half() || dtype.is_opaque() => return None,
        (_, None) if dtype.real() == Dtype::F32 => Literal::real(f64::from(real as f32)),
        (_, None) => Literal::real(real),
    })
}
