//! Quotients of scalars for which nothing may be found.
//!
//! `0 / 0` is 0 where the dividend is not stored. A sum over entries of which there are none is such a
//! dividend, though it stands in a variable that holds 0: whether anything was found tells the two
//! apart.

use super::found::{Unfound, asks_for, condition};
use crate::concrete::Stmt;
use crate::notation::{BinaryOp, Expr, Function};

/// A statement in which quotients are 0 where nothing was found for their dividends.
pub(super) fn guarded(stmt: &Stmt, unfound: &[Unfound]) -> Stmt {
    match unfound {
        [] => stmt.clone(),
        unfound => stmt.map_values(&|value| guarded_value(value, unfound)),
    }
}

fn guarded_value(value: &Expr, unfound: &[Unfound]) -> Expr {
    let (dividend, divisor) = match value {
        Expr::Binary(BinaryOp::Div, a, b) => (&**a, &**b),
        Expr::Call(Function::Quotient, both) => (&both[0], &both[1]),
        Expr::Call(Function::Select, chosen)
            if unfound.iter().any(|known| asks_for(&chosen[0], known.temporary)) =>
        {
            return value.clone();
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => {
            return value.map_children(&mut |child| guarded_value(child, unfound));
        }
    };
    let quotient = value.map_children(&mut |child| guarded_value(child, unfound));
    let may_be_zero = divisor.as_literal().is_none_or(|literal| literal.is_zero());
    match condition(dividend, unfound).filter(|_| may_be_zero) {
        Some(condition) => Expr::call(Function::Select, vec![condition, quotient, Expr::ZERO]),
        None => quotient,
    }
}
