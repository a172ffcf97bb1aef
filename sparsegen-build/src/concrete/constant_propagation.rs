//! Constant propagation through reductions, for results that do not store known fill values.

use std::sync::Arc;

use crate::notation::{Access, Expr, ReduceOp};

use super::{Stmt, Temporary};

impl Stmt {
    /// Propagates constants for results that do not store values that are known to be the fill
    /// value: reductions of a constant, such as a minimum of zeros, have that value, and masks
    /// within values become conditions. This is not valid for an empty range.
    ///
    /// `is_full` returns whether a target stores a value at every coordinate; assignments to it are
    /// kept.
    pub fn with_constants(&self, is_full: &dyn Fn(&Access) -> bool) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Arc::clone(annotations), body.with_constants(is_full))
            }
            Stmt::If { condition, body } => {
                let mut is_for_full = false;
                body.for_each_assign(&mut |target, _, _| is_for_full |= is_full(target));
                let condition = match is_for_full {
                    true => condition.clone(),
                    false => condition.with_constant_reductions(),
                };
                Stmt::when(condition, body.with_constants(is_full))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let mut is_for_full = false;
                consumer.for_each_assign(&mut |target, _, _| is_for_full |= is_full(target));
                if let [Temporary { tensor, op }] = &temporaries[..]
                    && let Some(constant) = producer.constant(*op).filter(|_| !is_for_full)
                {
                    let known =
                        |access: &Access| (access.tensor == *tensor).then(|| constant.clone());
                    return consumer.with(&known).with_constants(is_full);
                }
                let [consumer, producer] =
                    [consumer, producer].map(|stmt| stmt.with_constants(is_full));
                Stmt::where_(temporaries.clone(), consumer, producer)
            }
            // An excluded value is also not added.
            Stmt::Assign { target, accumulate, value }
                if accumulate.is_none_or(|op| op == ReduceOp::SUM) && !is_full(target) =>
            {
                let value = value.with_constant_reductions().under_masks();
                Stmt::assign(target.clone(), *accumulate, value)
            }
            Stmt::Assign { .. } => self.clone(),
            Stmt::Sequence(statements) => {
                let settled = statements.iter().map(|stmt| stmt.with_constants(is_full));
                Stmt::sequence(settled.collect())
            }
        }
    }

    /// Returns the constant value of a reduction that only this statement accumulates, if it does
    /// not depend on the number of values.
    fn constant(&self, op: ReduceOp) -> Option<Expr> {
        match self {
            Stmt::Forall { body, .. } => body.constant(op),
            Stmt::Assign { accumulate, value, .. } if *accumulate == Some(op) => {
                op.of_constant(value)
            }
            Stmt::Assign { .. } | Stmt::Where { .. } | Stmt::If { .. } | Stmt::Sequence(_) => None,
        }
    }
}
