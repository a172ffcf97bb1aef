//! Checks that the required type can represent constant expressions.

use crate::error::{Code, Diagnostic};
use crate::notation::syntax::{self, BinaryOp, Expr, ExprKind, Number, UnaryOp};
use crate::types::Dtype;

use super::Context;
use super::unparenthesized;

/// Returns the diagnostic for a constant expression that a type cannot represent.
pub(super) fn check(
    context: Context<'_>,
    expr: &Expr,
    value: Value,
    dtype: Dtype,
) -> Option<Diagnostic> {
    let text = unparenthesized(context.text.at(expr.span));
    let Value { exact, nearest } = value;
    if exact.map_or(holds_float(dtype, nearest), |exact| holds(dtype, exact)) {
        return None;
    }
    let value = exact.map_or(nearest.to_string(), |exact| exact.to_string());
    let message = match &expr.kind {
        ExprKind::Binary(..) => format!("{dtype} cannot hold `{text}`, which is {value}"),
        ExprKind::Number(_)
        | ExprKind::Unary(..)
        | ExprKind::Reduce(..)
        | ExprKind::Constant(_)
        | ExprKind::Access(_)
        | ExprKind::Call(..) => format!("{dtype} cannot hold `{text}`"),
    };
    let diagnostic = Diagnostic::new(Code::ConstantDoesNotFit, expr.span, message)
        .label(format!("the context requires {dtype}"));
    Some(diagnostic.help(if exact.is_none() && dtype.is_integer() {
        "write a whole number, or declare the tensors with `dtype = \"f64\"`"
    } else {
        "declare the tensors with a `dtype` that can hold it"
    }))
}

/// The value of a constant expression.
pub(super) struct Value {
    /// The value, if it is an integer of moderate size.
    exact: Option<i128>,
    /// The nearest `f64`.
    nearest: f64,
}

/// Evaluates a constant expression in a type; returns `None` if it divides an integer by zero.
pub(super) fn value(expr: &Expr, dtype: Dtype) -> Option<Value> {
    let whole = |value: f64| {
        // Larger integers are not all representable as f64, so the value could be rounded.
        (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
    };
    match &expr.kind {
        ExprKind::Number(Number::Int(n)) => {
            Some(Value { exact: Some(i128::from(*n)), nearest: *n as f64 })
        }
        ExprKind::Number(Number::Float(x)) => Some(Value { exact: whole(*x), nearest: *x }),
        ExprKind::Constant(syntax::Constant::Pi) => {
            Some(Value { exact: None, nearest: std::f64::consts::PI })
        }
        ExprKind::Unary(UnaryOp::Neg, a) => {
            let Value { exact, nearest } = value(a, dtype)?;
            Some(Value { exact: exact.map(|n| -n), nearest: -nearest })
        }
        ExprKind::Binary(op, _, a, b) => {
            let (a, b) = (value(a, dtype)?, value(b, dtype)?);
            let exact = a.exact.zip(b.exact).and_then(|(a, b)| op.of_integers(a, b));
            let nearest = op.of_reals(a.nearest, b.nearest)?;
            match (op, dtype.is_integer()) {
                (BinaryOp::Div, true) => exact.map(|n| Value { exact, nearest: n as f64 }),
                (BinaryOp::Div, false) => Some(Value { exact: None, nearest }),
                _ => Some(Value { exact, nearest }),
            }
        }
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Constant(_)
        | ExprKind::Access(_)
        | ExprKind::Call(..)
        | ExprKind::Reduce(..) => None,
    }
}

/// Returns whether a type can represent an integer.
pub(super) fn holds(dtype: Dtype, value: i128) -> bool {
    match dtype.integers() {
        // Literals are i64, and `usize` may have 32 bits.
        Some(_) if dtype == Dtype::Usize => u32::try_from(value).is_ok(),
        Some(range) => range.contains(&value) && i64::try_from(value).is_ok(),
        None if dtype == Dtype::Bool => (0..=1).contains(&value),
        None => holds_float(dtype, value as f64),
    }
}

/// Returns whether a type can represent a real number, possibly rounded.
pub(super) fn holds_float(dtype: Dtype, value: f64) -> bool {
    match dtype {
        Dtype::F64 | Dtype::C64 | Dtype::Generic | Dtype::User(_) => value.is_finite(),
        // Values from half a step above the largest number round to infinity.
        Dtype::F16 => value.abs() < 65_520.0,
        Dtype::F32 | Dtype::C32 | Dtype::Bf16 => (value as f32).is_finite(),
        Dtype::I8
        | Dtype::I16
        | Dtype::I32
        | Dtype::I64
        | Dtype::U8
        | Dtype::U16
        | Dtype::U32
        | Dtype::U64
        | Dtype::Usize
        | Dtype::Bool => false,
    }
}
