//! Folding constructors of expressions and compound statements.
//!
//! Each constructor returns the simplified form, so that no later pass is needed. Operations on
//! indices are folded like operations on numbers. Operations on values are folded only if the
//! result is identical bit for bit in every type: `x * 1.0` becomes `x`, but `0.0 * x` and `x +
//! 0.0` are kept because `x` may be NaN or `-0.0`.

mod calls;
mod conditions;
mod saturating;
mod signed;
mod statements;

use super::{BinaryOp, Dtype, Expr, Literal, ToIndex, UnaryOp};
use crate::operator::Kind;

#[allow(clippy::should_implement_trait, reason = "operands side by side read as the formula does")]
impl Expr {
    /// Returns a variable.
    pub fn var(name: &str) -> Expr {
        Expr::Var(name.to_string())
    }

    /// Returns `array[index]`.
    pub fn load(array: &str, index: Expr) -> Expr {
        Expr::Load { array: array.to_string(), index: Box::new(index) }
    }

    /// Returns `workspace.contains(index)`.
    pub fn contains(workspace: &str, index: Expr) -> Expr {
        Expr::Contains { workspace: workspace.to_string(), index: Box::new(index) }
    }

    /// Returns `array.len()`.
    pub fn len(array: &str) -> Expr {
        Expr::Len(array.to_string())
    }

    /// Returns the first position in `start..end` whose element is at least `index`.
    pub fn search(array: &str, start: Expr, end: Expr, index: Expr) -> Expr {
        if index == Expr::Index(0) || start == end {
            return start;
        }
        let [start, end, index] = [start, end, index].map(Box::new);
        Expr::Search { array: array.to_string(), start, end, index }
    }

    /// Returns a constant of an element type.
    pub fn value(literal: Literal, dtype: Dtype) -> Expr {
        Expr::Value(literal, dtype)
    }

    /// Returns `a + b`; constant indices are collected on the right.
    pub fn add(a: Expr, b: Expr) -> Expr {
        if a.is_exact_zero() {
            return b;
        }
        if b.is_exact_zero() {
            return a;
        }
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Add, m, n),
            (Expr::Index(m), b) => Expr::add(b, Expr::Index(m)),
            (a, Expr::Index(n)) => match a.split_offset() {
                (inner, Offset::Plus(m)) if m.checked_add(n).is_some() => {
                    offset(inner, Offset::Plus(m + n))
                }
                (inner, Offset::Minus(m)) if n >= m => offset(inner, Offset::Plus(n - m)),
                (inner, Offset::Minus(m)) => offset(inner, Offset::Minus(m - n)),
                (inner, Offset::Plus(m)) => {
                    node(BinaryOp::Add, offset(inner, Offset::Plus(m)), Expr::Index(n))
                }
            },
            (a, Expr::Unary(UnaryOp::Neg, b)) => Expr::sub(a, *b),
            (a, b) => match whole_of(&a, &b) {
                Some(whole) => whole,
                None => fold_integers(BinaryOp::Add, a, b),
            },
        }
    }

    /// Returns `a - b`.
    pub fn sub(a: Expr, b: Expr) -> Expr {
        if b.is_zero() {
            return a;
        }
        if a == b && a.is_index() {
            return Expr::Index(0);
        }
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Sub, m, n),
            (Expr::Binary(BinaryOp::Max, x, least), b @ Expr::Index(_)) if *least == b => {
                Expr::saturating_sub(*x, b)
            }
            (a, Expr::Index(n)) => match a.split_offset() {
                (inner, Offset::Plus(m)) if m >= n => offset(inner, Offset::Plus(m - n)),
                (inner, Offset::Plus(m)) => offset(inner, Offset::Minus(n - m)),
                (inner, Offset::Minus(m)) if m.checked_add(n).is_some() => {
                    offset(inner, Offset::Minus(m + n))
                }
                (inner, Offset::Minus(m)) => {
                    node(BinaryOp::Sub, offset(inner, Offset::Minus(m)), Expr::Index(n))
                }
            },
            // The length of a range from `b` to `b + n`.
            (Expr::Binary(BinaryOp::Add, x, n), b) if *x == b && matches!(*n, Expr::Index(_)) => *n,
            (a, Expr::Unary(UnaryOp::Neg, b)) => Expr::add(a, *b),
            (a, b) => fold_integers(BinaryOp::Sub, a, b),
        }
    }

    /// Returns `a * b`.
    pub fn mul(a: Expr, b: Expr) -> Expr {
        if a.is_exact_zero() || b.is_one() {
            return a;
        }
        if b.is_exact_zero() || a.is_one() {
            return b;
        }
        match (a, b) {
            (Expr::Unary(UnaryOp::Neg, a), Expr::Unary(UnaryOp::Neg, b)) => Expr::mul(*a, *b),
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Mul, m, n),
            (Expr::Index(m), b) => Expr::mul(b, Expr::Index(m)),
            (Expr::Binary(BinaryOp::Mul, x, m), Expr::Index(n)) => match *m {
                Expr::Index(m) if m.checked_mul(n).is_some() => {
                    node(BinaryOp::Mul, *x, Expr::Index(m * n))
                }
                m => node(BinaryOp::Mul, node(BinaryOp::Mul, *x, m), Expr::Index(n)),
            },
            (a, b) => fold_integers(BinaryOp::Mul, a, b),
        }
    }

    /// Returns `a / b`.
    pub fn div(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, b) if b.is_one() => a,
            (Expr::Unary(UnaryOp::Neg, a), Expr::Unary(UnaryOp::Neg, b)) => Expr::div(*a, *b),
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Div, m, n),
            (a, b) => node(BinaryOp::Div, a, b),
        }
    }

    /// Returns `a % b`.
    pub fn rem(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Rem, m, n),
            (_, Expr::Index(1)) => Expr::Index(0),
            (_, Expr::Value(one, dtype)) if dtype.is_integer() && one.is_one() => {
                Expr::value(Literal::Int(0), dtype)
            }
            (a, b) => node(BinaryOp::Rem, a, b),
        }
    }

    /// Returns `kernel::wrap(a, b)`: `a % b` for a number `b` that is usually a power of two.
    pub fn wrap(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::Wrap, m, n),
            (_, Expr::Index(1)) => Expr::Index(0),
            (a, b) => node(BinaryOp::Wrap, a, b),
        }
    }

    /// Returns `a.div_ceil(b)`.
    pub fn div_ceil(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, Expr::Index(1)) => a,
            (Expr::Index(m), Expr::Index(n)) => fold_indices(BinaryOp::DivCeil, m, n),
            (a, b) => node(BinaryOp::DivCeil, a, b),
        }
    }

    /// Returns the minimum of two expressions.
    pub fn min(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => Expr::Index(m.min(n)),
            (a, b) if a == b => a,
            (a, b) => node(BinaryOp::Min, a, b),
        }
    }

    /// Returns the maximum of two expressions.
    pub fn max(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Index(m), Expr::Index(n)) => Expr::Index(m.max(n)),
            (a, Expr::Index(0)) => a,
            (Expr::Index(0), b) => b,
            (a, b) if a == b => a,
            (a, b) => node(BinaryOp::Max, a, b),
        }
    }

    /// Returns `-a`.
    pub fn neg(a: Expr) -> Expr {
        match a {
            Expr::Unary(UnaryOp::Neg, inner) => *inner,
            Expr::Binary(BinaryOp::Difference, a, b) => Expr::difference(*b, *a),
            Expr::Value(Literal::Float(x), dtype) => Expr::Value(Literal::Float(-x), dtype),
            Expr::Value(Literal::Int(0), dtype) if !dtype.is_integer() => {
                Expr::Value(Literal::Float(-0.0), dtype)
            }
            Expr::Value(Literal::Int(n), dtype) if !dtype.is_unsigned() && n != i64::MIN => {
                Expr::Value(Literal::Int(-n), dtype)
            }
            a => Expr::Unary(UnaryOp::Neg, Box::new(a)),
        }
    }

    /// Returns a unary operation.
    pub fn unary(op: UnaryOp, a: Expr) -> Expr {
        match op {
            UnaryOp::Neg => Expr::neg(a),
            UnaryOp::Not => Expr::not(a),
        }
    }

    /// Returns an index from another value.
    pub fn to_index(part: ToIndex, a: Expr) -> Expr {
        match part {
            ToIndex::FromBool => Expr::from_bool(a),
            ToIndex::BelowZero => Expr::below_zero(a),
        }
    }

    /// Returns a binary operation.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Add => Expr::add(a, b),
            BinaryOp::Sub => Expr::sub(a, b),
            BinaryOp::Mul => Expr::mul(a, b),
            BinaryOp::Div => Expr::div(a, b),
            BinaryOp::Rem => Expr::rem(a, b),
            BinaryOp::DivCeil => Expr::div_ceil(a, b),
            BinaryOp::SaturatingAdd => Expr::saturating_add(a, b),
            BinaryOp::SaturatingMul => Expr::saturating_mul(a, b),
            BinaryOp::SaturatingSub => Expr::saturating_sub(a, b),
            BinaryOp::Wrap => Expr::wrap(a, b),
            BinaryOp::Offset => Expr::offset(a, b),
            BinaryOp::Difference => Expr::difference(a, b),
            BinaryOp::Min => Expr::min(a, b),
            BinaryOp::Max => Expr::max(a, b),
            BinaryOp::Eq => Expr::eq(a, b),
            BinaryOp::Ne => Expr::ne(a, b),
            BinaryOp::Lt => Expr::lt(a, b),
            BinaryOp::Le => Expr::le(a, b),
            BinaryOp::Gt => Expr::lt(b, a),
            BinaryOp::Ge => Expr::le(b, a),
            BinaryOp::And => Expr::and(a, b),
            BinaryOp::Or => Expr::or(a, b),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::Xor => Expr::bits(op, a, b),
        }
    }

    /// Returns whether the expression is the constant 0 of any type, but not `-0.0`.
    pub fn is_zero(&self) -> bool {
        match self.constant() {
            Some((Literal::Float(x), _)) => x == 0.0 && x.is_sign_positive(),
            Some((literal, _)) => literal.is_zero(),
            None => *self == Expr::Index(0),
        }
    }

    /// Returns whether the expression is the constant 1 of any type.
    pub fn is_one(&self) -> bool {
        self.constant().map_or(*self == Expr::Index(1), |(literal, _)| literal.is_one())
    }

    /// Returns the constant of an element type.
    pub fn constant(&self) -> Option<(Literal, Dtype)> {
        if let Expr::Value(literal, dtype) = self { Some((*literal, *dtype)) } else { None }
    }

    /// Returns whether the expression is 0 of a type in which `x + 0` is `x` and `x * 0` is 0.
    fn is_exact_zero(&self) -> bool {
        self.is_zero() && self.constant().is_none_or(|(_, dtype)| dtype.is_integer())
    }

    /// Returns whether the form of the expression shows that it is an index, and so not NaN or
    /// negative.
    fn is_index(&self) -> bool {
        match self {
            Expr::Index(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Len(_)
            | Expr::Extent(..)
            | Expr::Search { .. }
            | Expr::ToIndex(..)
            | Expr::Binary(
                BinaryOp::Offset
                | BinaryOp::DivCeil
                | BinaryOp::SaturatingAdd
                | BinaryOp::SaturatingMul
                | BinaryOp::SaturatingSub
                | BinaryOp::Wrap,
                ..,
            ) => true,
            Expr::Binary(BinaryOp::Difference, ..) => false,
            Expr::Binary(op, a, b) => {
                op.kind() == Kind::Arithmetic && (a.is_index() || b.is_index())
            }
            Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Call(..)
            | Expr::Cast { .. }
            | Expr::Choose { .. }
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Contains { .. }
            | Expr::Entry(_)
            | Expr::Field(..)
            | Expr::Unary(..) => false,
        }
    }

    /// Splits off a constant index that is added or subtracted.
    fn split_offset(self) -> (Expr, Offset) {
        match self {
            Expr::Binary(BinaryOp::Add, a, b) => match *b {
                Expr::Index(n) => (*a, Offset::Plus(n)),
                b => (node(BinaryOp::Add, *a, b), Offset::Plus(0)),
            },
            Expr::Binary(BinaryOp::Sub, a, b) => match *b {
                Expr::Index(n) => (*a, Offset::Minus(n)),
                b => (node(BinaryOp::Sub, *a, b), Offset::Plus(0)),
            },
            other => (other, Offset::Plus(0)),
        }
    }
}

/// A constant index that is added or subtracted.
#[derive(Clone, Copy)]
enum Offset {
    Plus(usize),
    Minus(usize),
}

fn offset(a: Expr, by: Offset) -> Expr {
    match by {
        Offset::Plus(0) | Offset::Minus(0) => a,
        Offset::Plus(n) => node(BinaryOp::Add, a, Expr::Index(n)),
        Offset::Minus(n) => node(BinaryOp::Sub, a, Expr::Index(n)),
    }
}

fn node(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// Returns the constant, or the operation if it has no result.
fn fold_indices(op: BinaryOp, m: usize, n: usize) -> Expr {
    let folded = op.of_indices(m, n).map(Expr::Index);
    folded.unwrap_or_else(|| node(op, Expr::Index(m), Expr::Index(n)))
}

/// Returns `x` of the two terms in `x / n * n + x % n`, for indices.
fn whole_of(a: &Expr, b: &Expr) -> Option<Expr> {
    let Expr::Binary(BinaryOp::Mul, quotient, n) = a else { return None };
    let Expr::Binary(BinaryOp::Div, x, by) = &**quotient else { return None };
    let Expr::Binary(BinaryOp::Rem, y, modulo) = b else { return None };
    (x == y && n == by && n == modulo).then(|| (**x).clone())
}

/// Folds integer constants if the result is representable in their type.
fn fold_integers(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    if let (Some((Literal::Int(m), dtype)), Some((Literal::Int(n), other))) =
        (a.constant(), b.constant())
        && dtype == other
        && let Some(folded) = op.of_integers(m.into(), n.into())
        && dtype.integers().is_some_and(|range| range.contains(&folded))
        && let Ok(folded) = i64::try_from(folded)
    {
        return Expr::Value(Literal::Int(folded), dtype);
    }
    node(op, a, b)
}

#[cfg(test)]
mod tests;
