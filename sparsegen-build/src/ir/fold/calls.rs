//! Folding constructors of functions, conversions and choices.

use super::super::{BinaryOp, Callee, Dtype, Expr, Literal, math};

impl Expr {
    /// Returns a call of a function with arguments of a type, folded.
    pub fn call(function: math::Function, dtype: Dtype, arguments: Vec<Expr>) -> Expr {
        use math::Function::{Conj, Im, Re};
        let is_real = !dtype.is_complex();
        match (function, <[Expr; 2]>::try_from(arguments)) {
            (_, Ok(two)) if dtype.is_half() => Expr::in_single(function, dtype, two.into()),
            (_, Ok(two)) => Expr::Call(Callee::Math(function), dtype, two.into()),
            (Conj | Re, Err(mut one)) if is_real && one.len() == 1 => one.remove(0),
            (Im, Err(_)) if is_real => Expr::value(Literal::Int(0), dtype),
            (_, Err(arguments)) if dtype.is_half() => Expr::in_single(function, dtype, arguments),
            (_, Err(arguments)) => Expr::Call(Callee::Math(function), dtype, arguments),
        }
    }

    /// Returns a call of a half-precision function, which is computed in single precision.
    fn in_single(function: math::Function, dtype: Dtype, arguments: Vec<Expr>) -> Expr {
        let wide = arguments.into_iter().map(|a| Expr::cast(a, Some(dtype), Dtype::F32));
        Expr::cast(Expr::call(function, Dtype::F32, wide.collect()), Some(Dtype::F32), dtype)
    }

    /// Returns the quotient of integers of a type; a divisor of 0 is an error of the call.
    pub fn quotient(dtype: Dtype, a: Expr, b: Expr) -> Expr {
        match divides_safely(&b) {
            true => Expr::div(a, b),
            false => Expr::Call(Callee::Quotient, dtype, vec![a, b]),
        }
    }

    /// Returns the remainder of integers of a type; a divisor of 0 is an error of the call.
    pub fn remainder(dtype: Dtype, a: Expr, b: Expr) -> Expr {
        match divides_safely(&b) {
            true => Expr::rem(a, b),
            false => Expr::Call(Callee::Remainder, dtype, vec![a, b]),
        }
    }

    /// Returns the condition that two values of a type differ, where NaN does not differ from NaN.
    pub fn differs(dtype: Dtype, a: Expr, b: Expr) -> Expr {
        let is_number =
            |expr: &Expr| expr.constant().is_some_and(|(literal, _)| literal != Literal::Nan);
        let has_nan = !dtype.is_integer() && dtype != Dtype::Bool;
        match has_nan && !is_number(&a) && !is_number(&b) {
            true => Expr::Call(Callee::Differs, dtype, vec![a, b]),
            false => Expr::ne(a, b),
        }
    }

    /// Returns a call of a function or a constant by its path.
    pub fn run(path: &str, dtype: Dtype, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Path(path.to_owned()), dtype, arguments)
    }

    /// Converts a value to another type; `from` is `None` for an index.
    pub fn cast(value: Expr, from: Option<Dtype>, to: Dtype) -> Expr {
        if from == Some(to) {
            return value;
        }
        match value {
            Expr::Index(n) if to != Dtype::Bool => match i64::try_from(n) {
                Ok(n) => Expr::value(Literal::Int(n), to),
                Err(_) => Expr::Cast { value: Box::new(Expr::Index(n)), from, to },
            },
            Expr::Bool(truth) if to != Dtype::Bool => Expr::value(Literal::Int(truth.into()), to),
            truth if from == Some(Dtype::Bool) && (to.is_half() || to.is_opaque()) => {
                let [one, zero] = [1, 0].map(|n| Expr::value(Literal::Int(n), to));
                Expr::choose(truth, one, zero)
            }
            // Constants of a half-precision type are representable in single precision.
            Expr::Value(literal @ (Literal::Int(_) | Literal::Float(_)), _)
                if to == Dtype::F32 && from.is_some_and(Dtype::is_half) =>
            {
                Expr::value(literal, to)
            }
            value => Expr::Cast { value: Box::new(value), from, to },
        }
    }

    /// Returns `count` equal values combined; `callee` repeats an operation.
    pub fn repeated(callee: Callee, dtype: Dtype, value: Expr, count: Expr) -> Expr {
        match count {
            Expr::Index(1) => value,
            count => Expr::Call(callee, dtype, vec![value, count]),
        }
    }

    /// Returns one of two values.
    pub fn choose(condition: Expr, holds: Expr, otherwise: Expr) -> Expr {
        match condition {
            Expr::Bool(true) => holds,
            Expr::Bool(false) => otherwise,
            _ if holds == otherwise => holds,
            condition => {
                let [condition, holds, otherwise] = [condition, holds, otherwise].map(Box::new);
                Expr::Choose { condition, holds, otherwise }
            }
        }
    }

    /// Returns a bitwise operation on integers, or a logical operation on truth values.
    pub(super) fn bits(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match (op, a, b) {
            (BinaryOp::BitOr | BinaryOp::Xor, a, zero)
            | (BinaryOp::BitOr | BinaryOp::Xor, zero, a)
                if zero.is_zero() =>
            {
                a
            }
            (BinaryOp::BitAnd, _, zero) | (BinaryOp::BitAnd, zero, _) if zero.is_zero() => zero,
            (op, a, b) => Expr::Binary(op, Box::new(a), Box::new(b)),
        }
    }
}

/// Returns whether a divisor is a constant other than 0 and -1, the division of the least number by
/// which overflows.
fn divides_safely(divisor: &Expr) -> bool {
    matches!(divisor.constant(), Some((Literal::Int(n), _)) if n != 0 && n != -1)
}
