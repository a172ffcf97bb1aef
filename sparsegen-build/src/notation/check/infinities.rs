//! Sums with terms that are infinite where an operand is not stored.
//!
//! An infinity that is not stored absorbs a finite term, as an unstored zero annihilates a factor, so
//! that loops need not visit it: with the fill value `inf`, `A[i,j] + x[j]` is `select(stored(A[i,j]),
//! A[i,j] + x[j], inf)`.

use crate::notation::syntax::BinaryOp;
use crate::notation::{Expr, Function, Operator, TensorId};
use crate::types::{Dtype, Literal};

use super::values::{Builder, is_stored};

/// Returns whether an expression is infinity, or minus infinity.
fn is_infinite(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(Literal::Greatest | Literal::Least))
}

/// A term that is infinite where an operand is not stored.
struct Absorbing {
    /// The condition that it is not.
    stored: Expr,
    /// The term where that holds.
    value: Expr,
    infinity: Expr,
}

impl Absorbing {
    fn negated(self) -> Absorbing {
        let [value, infinity] = [self.value, self.infinity].map(Expr::neg);
        Absorbing { value, infinity, ..self }
    }
}

impl Builder<'_, '_> {
    /// Returns the sum or the difference of two terms.
    pub(super) fn sum(&self, op: BinaryOp, dtype: Dtype, a: Expr, b: Expr) -> Expr {
        // The symbol 1 is the one of a semiring, which is no number.
        if let Operator::Monoid(add) = self.semiring.add
            && add.is_idempotent()
            && a.as_literal().is_some()
            && a == b
        {
            return a;
        }
        if !self.semiring.is_usual() || dtype.is_integer() || dtype == Dtype::Bool {
            return Expr::binary(op, a, b);
        }
        let has_infinite_fill = |tensor: TensorId| {
            let format = self.tensor(tensor).and_then(|operand| operand.format.as_ref());
            format.is_some_and(|format| is_infinite(&Expr::Literal(format.fill)))
        };
        let is_finite = |term: &Expr| !term.may_be_infinite(&has_infinite_fill);
        let absorbing = [&a, &b].map(|term| self.absorbing(term));
        let of_sum = |b: &Absorbing| match op {
            BinaryOp::Sub => Expr::neg(b.infinity.clone()),
            _ => b.infinity.clone(),
        };
        let (stored, a, b, infinity) = match absorbing {
            [Some(of_a), Some(of_b)] if of_a.infinity == of_sum(&of_b) => {
                let stored = Expr::binary(BinaryOp::And, of_a.stored, of_b.stored);
                (stored, of_a.value, of_b.value, of_a.infinity)
            }
            [Some(of_a), None] if is_finite(&b) => (of_a.stored, of_a.value, b, of_a.infinity),
            [None, Some(of_b)] if is_finite(&a) => {
                let infinity = of_sum(&of_b);
                (of_b.stored, a, of_b.value, infinity)
            }
            _ => return Expr::binary(op, a, b),
        };
        Expr::call(Function::Select, vec![stored, Expr::binary(op, a, b), infinity])
    }

    /// Returns a term that is infinite where an operand is not stored.
    fn absorbing(&self, term: &Expr) -> Option<Absorbing> {
        match term {
            Expr::Access(access) if is_stored(access) => Some(Absorbing {
                stored: Expr::call(Function::Stored, vec![term.clone()]),
                value: term.clone(),
                infinity: self.unstored_infinity(access.tensor)?,
            }),
            Expr::Neg(term) => self.absorbing(term).map(Absorbing::negated),
            Expr::Call(Function::Select, parts) if is_infinite(&parts[2]) => {
                let [stored, value, infinity] = [0, 1, 2].map(|part| parts[part].clone());
                Some(Absorbing { stored, value, infinity })
            }
            _ => None,
        }
    }

    /// Returns the infinity that a tensor has where it has no entry.
    fn unstored_infinity(&self, id: TensorId) -> Option<Expr> {
        let format = self.tensor(id)?.format.as_ref()?;
        let fill = Expr::Literal(format.fill);
        (is_infinite(&fill) && !format.has_every_position()).then_some(fill)
    }
}
