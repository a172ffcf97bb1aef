//! Conditions under which a value is assigned, or combined with others.

use super::Nest;
use crate::concrete::terms::outermost_reductions;
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp, VariableId};

impl Nest<'_> {
    /// Splits a value into conditions that the enclosing loops determine, and the value that is
    /// assigned if they hold.
    pub(super) fn take_ready(
        &self,
        bound: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: &Expr,
    ) -> Option<(Expr, Expr)> {
        let may_skip = self.may_skip(target, accumulate);
        let mask = may_skip.then(|| self.take_mask(bound, value)).flatten();
        mask.or_else(|| self.take_condition(bound, target, accumulate, value))
    }

    /// Returns whether a target may be skipped where a mask excludes the value: it is not a result
    /// that must store every coordinate in order, nor a returned scalar.
    fn may_skip(&self, target: &Access, accumulate: Option<ReduceOp>) -> bool {
        let levels = &self.program.tensor(target.tensor).format.levels;
        let is_result = target.tensor == self.program.kernel.result();
        let fills = levels.iter().any(|s| s.properties.full && s.level.insert().is_none());
        let is_sum = accumulate.is_none_or(|op| op == ReduceOp::SUM);
        is_sum && !(is_result && (fills || levels.is_empty()))
    }

    /// Splits a mask into the predicates that the enclosing loops determine, and the masked value.
    fn take_mask(&self, bound: &[VariableId], value: &Expr) -> Option<(Expr, Expr)> {
        let Expr::Call(Function::Mask, masked) = value else { return None };
        let (ready, open): (Vec<Expr>, Vec<Expr>) =
            masked[0].conjuncts().into_iter().cloned().partition(|of| self.is_ready(bound, of));
        let ready = ready.into_iter().reduce(|a, b| Expr::binary(BinaryOp::And, a, b))?;
        Some((ready, masked[1].clone().where_all(open)))
    }

    /// Splits a value that a reduction combines in a scalar into comparisons of coordinates that the
    /// enclosing loops determine, without which it is the identity element, and the value where they
    /// hold: `max[j](select(j <= i, x[j], -inf))` is the maximum of `x[j]` where `j <= i`.
    fn take_condition(
        &self,
        bound: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: &Expr,
    ) -> Option<(Expr, Expr)> {
        let op = accumulate.filter(|op| !op.tells_where && target.indices.is_empty())?;
        let kernel = &self.program.kernel;
        if !kernel.is_temporary(target.tensor) || !kernel.semiring.is_usual() {
            return None;
        }
        // Unstored elements are combined as well, without effect if they are identity elements.
        let has_all = |value: &Expr| match value {
            Expr::Access(access) if op.ignores(&kernel.fill(access.tensor)) => true,
            value => kernel.sparse_accesses(value).is_empty(),
        };
        let (conditions, chosen) = kernel.chosen(op, value)?;
        let combined = match op {
            // A condition may be an element that is not stored, and does not hold.
            ReduceOp::ALL if chosen.is_constant() => value,
            _ => &chosen,
        };
        (op == ReduceOp::SUM || has_all(combined)).then_some(())?;
        // What is left of conditions that were all taken is a literal.
        let is_mask = |condition: &Expr| match condition.as_literal() {
            Some(_) => false,
            None => condition.selects(),
        };
        let is_taken = |condition: &Expr| is_mask(condition) && self.is_ready(bound, condition);
        let (taken, open): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(is_taken);
        let taken = taken.into_iter().reduce(|a, b| Expr::binary(BinaryOp::And, a, b))?;
        Some((taken, kernel.choose(op, open, chosen)))
    }

    /// Returns whether the enclosing loops determine a condition.
    fn is_ready(&self, bound: &[VariableId], condition: &Expr) -> bool {
        let (mut open, mut reduces) = (Vec::new(), false);
        self.collect_free(condition, &mut bound.to_vec(), &mut open);
        outermost_reductions(condition, &mut |_| reduces = true);
        open.is_empty() && !reduces
    }
}
