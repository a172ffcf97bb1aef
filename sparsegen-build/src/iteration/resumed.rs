//! Loops that resume where they ended for the previous coordinate of the loop around them.
//!
//! In `∀i (y[i] = sum where ∀j (sum += x[j] if j <= i))`, the terms of a coordinate of `i` are those of
//! the previous coordinate and a few behind them. The sum is kept, and the loop over `j` resumes: a
//! running sum, or another running reduction, takes time proportional to `i + j`, not to `i · j`.

use std::sync::Arc;

use super::iterator::LevelIterator;
use super::plan::{Loop, Plan};
use crate::concrete::{Program, Temporary};
use crate::notation::{BinaryOp, Expr, Function, TensorId, VariableId};

/// Returns the plan with its loops resumed where they can be, or `None` if none can.
pub(super) fn resumed(program: &Program, plan: &Plan) -> Option<Plan> {
    within(program, plan, None)
}

/// Returns a part of a plan with loops that resume; `around` is the enclosing loop.
fn within(program: &Program, plan: &Plan, around: Option<&Loop>) -> Option<Plan> {
    let all = |plans: &[Arc<Plan>], around: Option<&Loop>| {
        let parts: Vec<Option<Plan>> =
            plans.iter().map(|plan| within(program, plan, around)).collect();
        parts.iter().any(Option::is_some).then(|| {
            let parts = plans.iter().zip(parts);
            parts.map(|(old, new)| new.map_or_else(|| Arc::clone(old), Arc::new)).collect()
        })
    };
    match plan {
        Plan::Loop(inner) => {
            let around = has_all_in_order(program, inner).then_some(inner);
            all(&inner.bodies, around).map(|bodies| Plan::Loop(Loop { bodies, ..inner.clone() }))
        }
        Plan::Where { temporaries, consumer, producer } => {
            let resumes = match (around, &**producer) {
                (Some(around), Plan::Loop(own)) if resumes(program, around, temporaries, own) => {
                    Some(Plan::Loop(Loop { resumes: Some(around.variable), ..own.clone() }))
                }
                (_, producer) => within(program, producer, around),
            };
            let consumed = within(program, consumer, around);
            (resumes.is_some() || consumed.is_some()).then(|| Plan::Where {
                temporaries: temporaries.clone(),
                consumer: consumed.map_or_else(|| Arc::clone(consumer), Arc::new),
                producer: resumes.map_or_else(|| Arc::clone(producer), Arc::new),
            })
        }
        Plan::If { condition, body } => within(program, body, around)
            .map(|body| Plan::If { condition: condition.clone(), body: Arc::new(body) }),
        Plan::Sequence(plans) => all(plans, around).map(Plan::Sequence),
        Plan::Assign { .. } | Plan::Visit(_) => None,
    }
}

/// Returns whether a single loop visits the coordinates of its variable in order.
fn has_all_in_order(program: &Program, inner: &Loop) -> bool {
    let is_ordered =
        |iterator: &LevelIterator| iterator.conversions.is_empty() && iterator.is_in_order(program);
    only_driver(inner).is_some_and(|driver| driver.is_none_or(is_ordered))
        && inner.bodies.len() == 2
        && is_plain(program, inner.variable)
}

/// Returns the only operand that drives a loop, if there are no others: `Some(None)` if there is
/// none, and the loop is over the dimension.
fn only_driver(inner: &Loop) -> Option<Option<&LevelIterator>> {
    let [point] = &inner.points[..] else { return None };
    let mut drivers = point.drivers.members().map(|member| &inner.iterators[member]);
    let first = drivers.next();
    let is_only = drivers.next().is_none() && (first.is_none() || !point.by_dimension);
    (is_only && inner.rest.is_none()).then_some(first)
}

/// Returns whether the coordinates of a variable are those of a loop over a dimension.
fn is_plain(program: &Program, v: VariableId) -> bool {
    program.space.definition(v).is_none() && !program.basis.is_limited(v)
}

/// Returns whether a loop that combines values in temporaries can resume: its values depend on the
/// coordinate of the loop around it only in that there are more for greater ones.
fn resumes(program: &Program, around: &Loop, sums: &[Temporary], own: &Loop) -> bool {
    // The entries of other workspaces are forgotten when they have been read.
    let is_kept = |Temporary { tensor, op }: &Temporary| {
        !op.tells_where && !program.is_listed(*tensor) && !program.is_looked_up(*tensor)
    };
    let is_cut = |iterator: &LevelIterator| match iterator.is_full(program) {
        true => iterator.conversions.is_empty(),
        false => iterator.can_be_cut(program),
    };
    let is_longer = |body: &Arc<Plan>| grows(program, around, own, body);
    // The coordinates of a result are stored in the order of its loops.
    let is_stored =
        program.targets.iter().any(|target| target.access.indices.contains(&own.variable));
    sums.iter().all(is_kept)
        && !is_stored
        && is_plain(program, own.variable)
        && only_driver(own).is_some_and(|driver| driver.is_none_or(is_cut))
        && own.bodies.len() > 1
        && own.bodies.iter().skip(1).all(is_longer)
}

/// Returns whether a body of a loop runs up to a coordinate that grows with the coordinate of the loop
/// around it, and depends on nothing else of it.
fn grows(program: &Program, around: &Loop, own: &Loop, plan: &Plan) -> bool {
    let Plan::If { condition, body } = plan else { return false };
    let (bounds, others): (Vec<&Expr>, Vec<&Expr>) = condition
        .conjuncts()
        .into_iter()
        .partition(|condition| bounds(condition, own.variable, around.variable));
    let changes = |tensor: TensorId| {
        let is_own = body.assigns(tensor) && program.kernel.is_temporary(tensor);
        !is_own && around.bodies.iter().any(|body| body.assigns(tensor))
    };
    // Other bounds are searched for within the loop around this one.
    let is_bound = |condition: &Expr| {
        let Expr::Call(Function::Operator(_), sides) = condition else { return false };
        let difference = Expr::difference(&sides[0], &sides[1]);
        difference.is_some_and(|difference| difference.stride(&Expr::Index(own.variable)) != 0)
    };
    let mut is_same = !bounds.is_empty()
        && !others.iter().any(|other| is_bound(other))
        && !program.kernel.tensor_ids().any(|id| changes(id) && plan.reads_presence(id));
    let mut see = |value: &Expr| {
        let mut variables = value.variables().into_iter();
        is_same &= variables.all(|v| v != around.variable && is_plain(program, v));
        value.for_each_access(&mut |access| is_same &= !changes(access.tensor));
    };
    others.into_iter().for_each(&mut see);
    body.for_each_value(&mut see);
    body.for_each_assign(&mut |target, _| {
        is_same &= !target.indices.contains(&around.variable);
    });
    body.for_each_loop(&mut |inner| is_same &= is_plain(program, inner.variable));
    is_same
}

/// Returns whether a condition bounds a variable by one that grows with another: `j <= i + 2`.
fn bounds(condition: &Expr, v: VariableId, by: VariableId) -> bool {
    let Expr::Call(Function::Operator(BinaryOp::Lt | BinaryOp::Le), sides) = condition else {
        return false;
    };
    Expr::difference(&sides[0], &sides[1]).is_some_and(|difference| {
        let is_known = |of: &Expr| *of == Expr::Index(v) || *of == Expr::Index(by);
        difference.stride(&Expr::Index(v)) == 1
            && difference.stride(&Expr::Index(by)) == -1
            && difference.variables().all(is_known)
    })
}
