//! The values of operators.

use std::cmp::Ordering;

use super::BinaryOp;
use super::BinaryOp::{
    Add, And, BitAnd, BitOr, Div, DivCeil, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Or, Rem,
    SaturatingAdd, SaturatingMul, SaturatingSub, Sub, Wrap, Xor,
};
use super::Kind::{Arithmetic, Comparison, Logic};
use crate::types::Literal;

impl BinaryOp {
    /// Combines two integers, if there is a result.
    pub fn of_integers(self, a: i128, b: i128) -> Option<i128> {
        match self {
            Add => a.checked_add(b),
            Sub => a.checked_sub(b),
            Mul => a.checked_mul(b),
            Div => a.checked_div(b),
            Rem => a.checked_rem(b),
            Min => Some(a.min(b)),
            Max => Some(a.max(b)),
            And | BitAnd => Some(a & b),
            Or | BitOr => Some(a | b),
            Xor => Some(a ^ b),
            _ => None,
        }
    }

    /// Combines two real numbers, if the operator applies to them.
    pub fn of_reals(self, a: f64, b: f64) -> Option<f64> {
        match self {
            Add => Some(a + b),
            Sub => Some(a - b),
            Mul => Some(a * b),
            Div => Some(a / b),
            Rem => Some(a % b),
            Min => Some(a.min(b)),
            Max => Some(a.max(b)),
            _ => None,
        }
    }

    /// Combines two indices, if the result is an index.
    pub fn of_indices(self, a: usize, b: usize) -> Option<usize> {
        match self {
            DivCeil => (b > 0).then(|| a.div_ceil(b)),
            SaturatingAdd => Some(a.saturating_add(b)),
            SaturatingMul => Some(a.saturating_mul(b)),
            SaturatingSub => Some(a.saturating_sub(b)),
            Wrap => a.checked_rem(b),
            op => usize::try_from(op.of_integers(a as i128, b as i128)?).ok(),
        }
    }

    /// Compares two values by their order, which is `None` for unordered ones.
    pub fn of_order(self, order: Option<Ordering>) -> Option<bool> {
        match self {
            BinaryOp::Eq => Some(order.is_some_and(Ordering::is_eq)),
            Ne => Some(!order.is_some_and(Ordering::is_eq)),
            Lt => Some(order.is_some_and(Ordering::is_lt)),
            Le => Some(order.is_some_and(Ordering::is_le)),
            Gt => Some(order.is_some_and(Ordering::is_gt)),
            Ge => Some(order.is_some_and(Ordering::is_ge)),
            _ => None,
        }
    }

    /// Combines or compares two truth values.
    pub fn of_truths(self, a: bool, b: bool) -> Option<bool> {
        match self.kind() {
            Arithmetic if !matches!(self, BitAnd | BitOr) => None,
            Comparison => self.of_order(Some(a.cmp(&b))),
            Arithmetic | Logic => Some(self.of_integers(a.into(), b.into())? != 0),
        }
    }

    /// Combines two constants, if the result is the same in every type that can represent it.
    pub fn of_literals(self, a: Literal, b: Literal) -> Option<Literal> {
        match (self.kind(), a, b) {
            // An integer type would round the quotient.
            (_, Literal::Int(_), Literal::Int(_)) if self == Div => None,
            // The remainder by zero is NaN, unless it is one of integers.
            (Arithmetic | Logic, Literal::Int(a), Literal::Int(b)) if self != Rem || b != 0 => {
                let exact = self.of_integers(a.into(), b.into())?;
                i64::try_from(exact).ok().map(Literal::Int)
            }
            // An integer stays one.
            (Arithmetic, extreme, Literal::Int(n)) | (Arithmetic, Literal::Int(n), extreme)
                if matches!((self, extreme), (Max, Literal::Least) | (Min, Literal::Greatest)) =>
            {
                Some(Literal::Int(n))
            }
            (Arithmetic, a, b) => self.of_reals(a.as_real()?, b.as_real()?).map(Literal::real),
            (Logic, a, b) => self.of_truths(a.as_bool()?, b.as_bool()?).map(Literal::Bool),
            (Comparison, a, b) => {
                let number = |c: Literal| c.as_real().or(c.as_bool().map(f64::from));
                self.of_order(number(a)?.partial_cmp(&number(b)?)).map(Literal::Bool)
            }
        }
    }
}
