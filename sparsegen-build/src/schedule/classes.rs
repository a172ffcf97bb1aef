//! Classes: terms that count for one coordinate of the result, `h[b] = sum[i](trunc(x[i]) == b)`.
//!
//! As a factor, such a comparison is a mask: the loop over `b` visits the coordinate that the value
//! determines. Here, comparisons that are whole terms and choices by comparisons become masks too. Terms
//! with different coordinates are sums of their own: `sum[i,j](a[i] * b[j] * select(i + j == k, 1,
//! select(i + j == k + n, -1, 0)))` is a product of polynomials modulo `x^n + 1`.

use crate::notation::schedule::Action;
use crate::notation::{BinaryOp, Expr, Function, Kernel, ReduceOp};
use crate::types::Literal;

/// Returns the kernel with masks instead of comparisons that determine a coordinate.
pub(super) fn classes(kernel: &Kernel) -> Kernel {
    // A precomputed part is identified by its expression.
    let mut actions = kernel.schedule.iter().map(|command| &command.action);
    let precomputes = actions.any(|action| matches!(action, Action::Precompute { .. }));
    let mut masked = kernel.clone();
    if kernel.semiring.is_usual() && !precomputes {
        masked.assignment.value = kernel.masked(&kernel.assignment.value);
    }
    masked
}

/// The largest number of sums that replace one.
const SUMS: usize = 8;

impl Kernel {
    /// Returns the whole value with masks.
    fn masked(&self, value: &Expr) -> Expr {
        if value.is_condition() && self.is_class(value) {
            let holds = Expr::Literal(Literal::Bool(true));
            return Expr::call(Function::Mask, vec![value.clone(), holds]);
        }
        let value = self.with_masks(value);
        match self.classes(&value).as_deref() {
            Some([term]) => term.clone(),
            _ => value,
        }
    }

    /// Returns a value with masks in its sums. Several sums replace one only if the kernel reassociates.
    fn with_masks(&self, value: &Expr) -> Expr {
        match value {
            Expr::Reduce(reduce) if reduce.op == ReduceOp::SUM => {
                let body = self.with_masks(&reduce.body);
                let most = if self.reassociate { SUMS } else { 1 };
                let terms = self.classes(&body).filter(|terms| (1..=most).contains(&terms.len()));
                let sums = terms.unwrap_or_else(|| vec![body]).into_iter();
                sums.map(|term| reduce.of(term)).reduce(Expr::add).unwrap_or(Expr::ZERO)
            }
            Expr::Call(
                Function::Ratio | Function::Quotient | Function::Present | Function::Stored,
                _,
            ) => value.clone(),
            value => value.map_children(&mut |child| self.with_masks(child)),
        }
    }

    /// Returns the additive terms of a sum's operand, if each is masked by a condition that determines a
    /// coordinate.
    fn classes(&self, value: &Expr) -> Option<Vec<Expr>> {
        let is_determined = |term: &Expr| {
            term.mask().is_some_and(|mask| {
                mask.conjuncts().into_iter().any(|condition| self.determines(condition))
            })
        };
        Some(self.masked_terms(value)).filter(|terms| terms.iter().all(is_determined))
    }

    /// Returns the additive terms of a value, with masks instead of conditions.
    pub(super) fn masked_terms(&self, value: &Expr) -> Vec<Expr> {
        let each = |of: &Expr, f: &dyn Fn(Expr) -> Expr| {
            self.masked_terms(of).into_iter().map(f).collect::<Vec<_>>()
        };
        let masked = |condition: &Expr, of: &Expr| {
            let mask = |term| Expr::call(Function::Mask, vec![condition.clone(), term]);
            each(of, &mask)
        };
        match value {
            Expr::Binary(BinaryOp::Add, a, b) => {
                [self.masked_terms(a), self.masked_terms(b)].concat()
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                [self.masked_terms(a), each(b, &Expr::neg)].concat()
            }
            Expr::Neg(a) => each(a, &Expr::neg),
            Expr::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.masked_terms(a), self.masked_terms(b));
                if a.len() * b.len() > SUMS {
                    return vec![value.clone()];
                }
                let with = |a: &Expr| {
                    b.iter().map(|b| Expr::mul(a.clone(), b.clone())).collect::<Vec<_>>()
                };
                a.iter().flat_map(with).collect()
            }
            Expr::Binary(BinaryOp::Div, a, b) => each(a, &|a| Expr::div(a, (**b).clone())),
            Expr::Call(Function::Mask, of) => masked(&of[0], &of[1]),
            Expr::Call(Function::Convert(_), of)
                if of[0].is_condition() && self.is_class(&of[0]) =>
            {
                masked(&of[0], &Expr::Literal(Literal::Int(1)))
            }
            Expr::Call(Function::Select, of) if self.is_class(&of[0]) => {
                let mut terms = masked(&of[0], &of[1]);
                if !of[2].is_zero() {
                    terms.extend(masked(&of[0].opposite(), &of[2]));
                }
                terms
            }
            value => vec![value.clone()],
        }
    }

    /// Returns whether a condition determines a coordinate and depends on values only for that.
    fn is_class(&self, condition: &Expr) -> bool {
        condition.selects()
            && condition.conjuncts().into_iter().any(|condition| self.determines(condition))
    }

    /// Returns whether a condition holds at one coordinate of a variable at most.
    fn determines(&self, condition: &Expr) -> bool {
        condition.variables().into_iter().any(|v| self.coordinate_of(condition, v).is_some())
    }
}
