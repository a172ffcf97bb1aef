//! Constant propagation through reductions, for results that do not store known fill values.

use std::sync::Arc;

use crate::notation::{Access, Expr, ReduceOp, VariableId};

use super::{Stmt, Temporary};

impl Stmt {
    /// Propagates constants for results that do not store values that are known to be the fill
    /// value: reductions of a constant, such as a minimum of zeros, have that value, and masks
    /// within values become conditions. This is not valid for an empty range.
    ///
    /// `is_full` returns whether a target stores a value at every coordinate; assignments to it are
    /// kept. `is_fixed` returns whether a variable has a single coordinate.
    pub fn with_constants(
        &self,
        is_full: &dyn Fn(&Access) -> bool,
        is_fixed: &dyn Fn(VariableId) -> bool,
    ) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => Stmt::forall(
                *variable,
                Arc::clone(annotations),
                body.with_constants(is_full, is_fixed),
            ),
            Stmt::If { condition, body } => {
                let mut is_for_full = false;
                body.for_each_assign(&mut |target, _, _| is_for_full |= is_full(target));
                let condition = match is_for_full {
                    true => condition.clone(),
                    false => condition.with_constant_reductions(),
                };
                Stmt::when(condition, body.with_constants(is_full, is_fixed))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let mut is_for_full = false;
                consumer.for_each_assign(&mut |target, _, _| is_for_full |= is_full(target));
                if let [Temporary { tensor, op }] = &temporaries[..]
                    && let Some(constant) =
                        producer.constant(*op, true, is_fixed).filter(|_| !is_for_full)
                {
                    let known =
                        |access: &Access| (access.tensor == *tensor).then(|| constant.clone());
                    return consumer.with(&known).with_constants(is_full, is_fixed);
                }
                let [consumer, producer] =
                    [consumer, producer].map(|stmt| stmt.with_constants(is_full, is_fixed));
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
                let settled = statements.iter().map(|stmt| stmt.with_constants(is_full, is_fixed));
                Stmt::sequence(settled.collect())
            }
        }
    }

    /// Returns the constant value of a reduction that only this statement accumulates, if it does not
    /// depend on the number of values, or if there is one. `is_one` is `true` if the loops around this
    /// statement have one iteration.
    fn constant(
        &self,
        op: ReduceOp,
        is_one: bool,
        is_fixed: &dyn Fn(VariableId) -> bool,
    ) -> Option<Expr> {
        match self {
            Stmt::Forall { variable, body, .. } => {
                body.constant(op, is_one && is_fixed(*variable), is_fixed)
            }
            Stmt::Assign { accumulate, value, .. } if *accumulate == Some(op) => {
                op.of_constant(value, is_one)
            }
            Stmt::Assign { .. } | Stmt::Where { .. } | Stmt::If { .. } | Stmt::Sequence(_) => None,
        }
    }
}
