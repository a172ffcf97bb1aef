//! Quotients of scalars that may be sums over no entries.
//!
//! `0 / 0` is 0 if the dividend is not stored. A sum over no entries is such a dividend, although
//! its variable holds 0; a flag that records whether an entry was found distinguishes it from a sum
//! equal to zero.

use super::presence::{MaybeAbsent, condition, reads_presence};
use crate::concrete::Stmt;
use crate::notation::{BinaryOp, Expr, Function};

/// Returns the statement with quotients that are 0 if no entry was found for their dividends.
pub(super) fn guarded(stmt: &Stmt, absent: &[MaybeAbsent]) -> Stmt {
    match absent {
        [] => stmt.clone(),
        absent => stmt.map_values(&|value| guarded_value(value, absent)),
    }
}

fn guarded_value(value: &Expr, absent: &[MaybeAbsent]) -> Expr {
    let (dividend, divisor) = match value {
        Expr::Binary(BinaryOp::Div, a, b) => (&**a, &**b),
        Expr::Call(Function::Quotient | Function::Ratio, both) => (&both[0], &both[1]),
        Expr::Call(Function::Select, chosen)
            if absent.iter().any(|known| reads_presence(&chosen[0], known.temporary)) =>
        {
            return value.clone();
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => {
            return value.map_children(&mut |child| guarded_value(child, absent));
        }
    };
    let quotient = value.map_children(&mut |child| guarded_value(child, absent));
    let may_be_zero = divisor.as_literal().is_none_or(|literal| literal.is_zero());
    match condition(dividend, absent).filter(|_| may_be_zero) {
        Some(condition) => Expr::call(Function::Select, vec![condition, quotient, Expr::ZERO]),
        None => quotient,
    }
}
