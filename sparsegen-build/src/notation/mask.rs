//! Masks: conditions that say whether there is a value at all.
//!
//! A **mask** is a condition as a factor: where it does not hold, the product is what is not stored,
//! and no result stores it. Each mask stands outside of the product that it masks.

use super::{Expr, Function};

impl Expr {
    /// Whether a mask decides whether there is a value at all.
    pub fn is_masked(&self) -> bool {
        matches!(self, Expr::Call(Function::Mask, _))
    }

    /// A condition as a factor, where it is one: what a condition masks, or selects from what is not
    /// stored.
    pub(super) fn factor(condition: Expr, value: Expr) -> Expr {
        if condition.is_mask() {
            Expr::call(Function::Mask, vec![condition, value])
        } else {
            Expr::call(Function::Select, vec![condition, value, Expr::ZERO])
        }
    }

    /// Whether a condition tells of which entries there are, or of where they stand, and not of values.
    fn is_mask(&self) -> bool {
        match self {
            Expr::Call(Function::Present, _) => true,
            Expr::Call(Function::Not | Function::And | Function::Or | Function::Xor, inner) => {
                inner.iter().all(Expr::is_mask)
            }
            Expr::Call(_, arguments) => arguments.iter().all(Expr::is_place),
            Expr::Literal(_) => true,
            Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Reduce(_) => false,
        }
    }

    /// This expression under the masks that stand within it, as far as nothing is left of it where they
    /// do not hold: `abs(c * a)` is `c * abs(a)`.
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
        let join = |function: Function, masks: &[&Expr]| {
            let masks = masks.iter().copied().cloned();
            masks.reduce(|a, b| Expr::call(function, vec![a, b]))
        };
        let (condition, value) = if !needed.is_empty() {
            let holds = |mask: &Expr| needed.contains(&mask).then_some(true);
            (join(Function::And, &needed), self.with_masks(&holds))
        } else if masks.len() > 1 && self.with_masks(&|_| Some(false)).is_zero() {
            (join(Function::Or, &masks), self.clone())
        } else {
            (None, self.clone())
        };
        match condition {
            Some(condition) => Expr::call(Function::Mask, vec![condition, value]),
            None => value,
        }
    }

    /// The conditions of the masks within, each once.
    fn collect_masks<'e>(&'e self, masks: &mut Vec<&'e Expr>) {
        if let Expr::Call(Function::Mask, masked) = self
            && !masks.contains(&&masked[0])
        {
            masks.push(&masked[0]);
        }
        self.children().into_iter().for_each(|child| child.collect_masks(masks));
    }

    /// This expression where it is known of some masks whether they hold.
    fn with_masks(&self, holds: &impl Fn(&Expr) -> Option<bool>) -> Expr {
        match self {
            Expr::Call(Function::Mask, masked) => match holds(&masked[0]) {
                Some(true) => masked[1].with_masks(holds),
                Some(false) => Expr::ZERO,
                None => self.map_children(&mut |child| child.with_masks(holds)),
            },
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Reduce(_) => self.map_children(&mut |child| child.with_masks(holds)),
        }
    }
}

/// Whether of two conditions of places always one holds and the other does not.
pub(super) fn are_opposite(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Call(Function::Not, of), mask) | (mask, Expr::Call(Function::Not, of)) => {
            of[0] == *mask && mask.is_mask()
        }
        (Expr::Call(Function::Less, less), Expr::Call(Function::LessEqual, not_less))
        | (Expr::Call(Function::LessEqual, not_less), Expr::Call(Function::Less, less)) => {
            a.is_mask() && less[0] == not_less[1] && less[1] == not_less[0]
        }
        (Expr::Call(Function::Equal, x), Expr::Call(Function::NotEqual, y))
        | (Expr::Call(Function::NotEqual, y), Expr::Call(Function::Equal, x)) => {
            a.is_mask() && x == y
        }
        (_, _) => false,
    }
}

/// What a mask leaves, changed.
pub(super) fn masked_by(masked: Vec<Expr>, change: impl FnOnce(Expr) -> Expr) -> Expr {
    let mut masked = masked.into_iter();
    let (condition, value) = (masked.next(), masked.next().unwrap_or(Expr::ZERO));
    let changed = change(value);
    match condition {
        Some(condition) => Expr::call(Function::Mask, vec![condition, changed]),
        None => changed,
    }
}
