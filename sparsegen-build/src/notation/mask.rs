//! Masks: conditions under which a value exists.
//!
//! A **mask** is a condition as a factor: where it does not hold, the product has the fill value
//! and is not stored. Each mask encloses the product that it masks.

use super::{BinaryOp, Expr, Function};
use crate::types::Literal;

impl Expr {
    /// Returns whether the expression is masked.
    pub fn is_masked(&self) -> bool {
        matches!(self, Expr::Call(Function::Mask, _))
    }

    /// Returns the fill value of the result, if this is an entry of one.
    pub fn fill_of_entry(&self) -> Option<&Expr> {
        if let Expr::Call(Function::Entry, entry) = self { entry.get(1) } else { None }
    }

    /// Returns this expression, or its truth if it compares a variable with 0: no coordinate is negative.
    pub(super) fn decided(self) -> Expr {
        let Expr::Call(Function::Operator(op), sides) = &self else { return self };
        match (op, &sides[..]) {
            (BinaryOp::Lt, [Expr::Index(_), b]) if b.is_zero() => {
                Expr::Literal(Literal::Bool(false))
            }
            (BinaryOp::Le, [a, Expr::Index(_)]) if a.is_zero() => {
                Expr::Literal(Literal::Bool(true))
            }
            _ => self,
        }
    }

    /// Returns whether a condition is a predicate over index variables or the presence of entries,
    /// and does not depend on values.
    pub(crate) fn is_mask(&self) -> bool {
        match self {
            Expr::Call(Function::Present | Function::Stored, _) => true,
            Expr::Call(function, inner) if function.is_logic() => inner.iter().all(Expr::is_mask),
            Expr::Call(_, arguments) => arguments.iter().all(Expr::is_place),
            Expr::Literal(_) => true,
            Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Reduce(_) => false,
        }
    }

    /// Returns whether a condition as a factor is a mask: it does not depend on values, or it compares
    /// variables with them.
    pub(crate) fn selects(&self) -> bool {
        let selects =
            |of: &Expr| of.is_mask() || of.as_class().is_some() || of.as_value_limit().is_some();
        self.conjuncts().into_iter().all(selects)
    }

    /// Returns the condition of a number that is 1 where the condition holds, and 0 elsewhere, if it is
    /// a mask as a factor.
    pub(super) fn as_selection(&self) -> Option<&Expr> {
        let Expr::Call(Function::Convert(_) | Function::Symbol(_), condition) = self else {
            return None;
        };
        condition.first().filter(|condition| condition.is_condition() && condition.selects())
    }

    /// Returns a factor with its condition as a mask, if it is one.
    pub(super) fn selected(self) -> Expr {
        match (self.as_selection().cloned(), self) {
            (Some(condition), Expr::Call(function, _)) => {
                let one = Expr::call(function, vec![Expr::Literal(Literal::Bool(true))]);
                one.where_all([condition])
            }
            (_, factor) => factor,
        }
    }

    /// Returns this expression with inner masks moved outside, if it is zero where they do not
    /// hold: `abs(c * a)` becomes `c * abs(a)`.
    pub fn under_masks(&self) -> Expr {
        if let Expr::Call(Function::Mask, masked) = self {
            let [condition, value] = [&masked[0], &masked[1]];
            return Expr::call(Function::Mask, vec![condition.clone(), value.under_masks()]);
        }
        let mut masks = Vec::new();
        self.collect_masks(&mut masks);
        let is_nothing_without =
            |mask: &Expr| self.with_masks(&|m| (m == mask).then_some(false)).is_zero();
        let needed: Vec<&Expr> =
            masks.iter().copied().filter(|mask| is_nothing_without(mask)).collect();
        let join = |op: BinaryOp, masks: &[&Expr]| {
            masks.iter().copied().cloned().reduce(|a, b| Expr::binary(op, a, b))
        };
        let (condition, value) = if !needed.is_empty() {
            let holds = |mask: &Expr| needed.contains(&mask).then_some(true);
            (join(BinaryOp::And, &needed), self.with_masks(&holds))
        } else if masks.len() > 1 && self.with_masks(&|_| Some(false)).is_zero() {
            (join(BinaryOp::Or, &masks), self.clone())
        } else {
            (None, self.clone())
        };
        value.where_all(condition)
    }

    /// Returns the value where all conditions hold: itself if there are none.
    pub fn where_all(self, conditions: impl IntoIterator<Item = Expr>) -> Expr {
        let all = conditions.into_iter().reduce(|a, b| Expr::binary(BinaryOp::And, a, b));
        match all {
            Some(all) => Expr::call(Function::Mask, vec![all, self]),
            None => self,
        }
    }

    /// Collects the distinct conditions of inner masks.
    pub fn collect_masks<'e>(&'e self, masks: &mut Vec<&'e Expr>) {
        if let Some(condition) = self.mask()
            && !masks.contains(&condition)
        {
            masks.push(condition);
        }
        self.children().for_each(|child| child.collect_masks(masks));
    }

    /// Returns the conditions under which this expression is not 0, and its value where they hold.
    pub fn split_mask(&self) -> (Vec<&Expr>, &Expr) {
        match self {
            Expr::Call(Function::Mask, masked) => (masked[0].conjuncts(), &masked[1]),
            value => (Vec::new(), value),
        }
    }

    /// Returns the condition of this expression, if it is a mask.
    pub fn mask(&self) -> Option<&Expr> {
        if let Expr::Call(Function::Mask, masked) = self { masked.first() } else { None }
    }

    /// Returns this expression with some masks known to hold or not to hold.
    pub fn with_masks(&self, holds: &impl Fn(&Expr) -> Option<bool>) -> Expr {
        let within = || self.map_children(&mut |child| child.with_masks(holds));
        match (self, self.mask().and_then(holds)) {
            (_, None) => within(),
            (_, Some(false)) => Expr::ZERO,
            (Expr::Call(Function::Mask, masked), Some(true)) => masked[1].with_masks(holds),
            (_, Some(true)) => within(),
        }
    }
}

/// Returns whether exactly one of two predicates over index variables holds.
pub(crate) fn are_opposite(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Call(Function::Not, of), mask) | (mask, Expr::Call(Function::Not, of)) => {
            of[0] == *mask && mask.is_mask()
        }
        (Expr::Call(Function::Operator(p), x), Expr::Call(Function::Operator(q), y)) => {
            let is_opposite = match (p, q) {
                (BinaryOp::Lt, BinaryOp::Le) | (BinaryOp::Le, BinaryOp::Lt) => {
                    x[0] == y[1] && x[1] == y[0]
                }
                (BinaryOp::Eq, BinaryOp::Ne) | (BinaryOp::Ne, BinaryOp::Eq) => x == y,
                _ => false,
            };
            is_opposite && a.is_mask()
        }
        (_, _) => false,
    }
}

impl Expr {
    /// Returns the condition that holds where a predicate over index variables does not.
    pub fn opposite(&self) -> Expr {
        let Expr::Call(Function::Operator(op), sides) = self else {
            return Expr::call(Function::Not, vec![self.clone()]);
        };
        let (a, b) = (sides[0].clone(), sides[1].clone());
        match op {
            BinaryOp::Lt => Expr::binary(BinaryOp::Le, b, a),
            BinaryOp::Le => Expr::binary(BinaryOp::Lt, b, a),
            BinaryOp::Eq => Expr::binary(BinaryOp::Ne, a, b),
            BinaryOp::Ne => Expr::binary(BinaryOp::Eq, a, b),
            _ => Expr::call(Function::Not, vec![self.clone()]),
        }
    }
}

/// Applies a function to the value of a mask.
pub(super) fn masked_by(masked: Vec<Expr>, change: impl FnOnce(Expr) -> Expr) -> Expr {
    let mut masked = masked.into_iter();
    let (condition, value) = (masked.next(), masked.next().unwrap_or(Expr::ZERO));
    change(value).where_all(condition)
}
