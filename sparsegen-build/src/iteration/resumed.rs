//! Loops that resume where they ended for the previous coordinate of the loop around them.
//!
//! In `∀i (y[i] = sum where ∀j (sum += x[j] if j <= i))`, the terms of a coordinate of `i` are those of
//! the previous coordinate and a few behind them. The sum is kept, and the loop over `j` resumes: a
//! running sum, or another running reduction, takes time proportional to `i + j`, not to `i · j`. If the
//! terms are those with `i <= j`, the loop over `i` runs backward.

use std::sync::Arc;

use super::iterator::LevelIterator;
use super::placed::is_ordered;
use super::plan::{Loop, Plan};
use crate::concrete::{Program, Temporary};
use crate::notation::{BinaryOp, Expr, Function, TensorId, VariableId};

/// The order in which a loop visits the coordinates of its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Forward,
    Backward,
}

/// The loop around a loop that resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// The variable of the loop around.
    pub around: VariableId,
    /// The order of the loop around: each of its coordinates adds coordinates behind those visited
    /// before if it runs forward, and before them if it runs backward.
    pub order: Order,
}

/// Returns the plan with its loops resumed where they can be, or `None` if none can.
pub(super) fn resumed(program: &Program, plan: &Plan) -> Option<Plan> {
    within(program, plan, None)
}

/// Returns a part of a plan with loops that resume; `around` is the enclosing loop, and its order.
fn within(program: &Program, plan: &Plan, around: Option<(&Loop, Order)>) -> Option<Plan> {
    let all = |plans: &[Arc<Plan>], around: Option<(&Loop, Order)>| {
        let parts: Vec<Option<Plan>> =
            plans.iter().map(|plan| within(program, plan, around)).collect();
        parts.iter().any(Option::is_some).then(|| {
            let parts = plans.iter().zip(parts);
            parts.map(|(old, new)| new.map_or_else(|| Arc::clone(old), Arc::new)).collect()
        })
    };
    match plan {
        Plan::Loop(inner) => {
            let order = [Order::Forward, Order::Backward].into_iter().find(|order| {
                let resumes = |body: &Arc<Plan>| has_resuming(program, body, (inner, *order));
                inner.bodies.iter().any(resumes) && can_run(program, inner, *order)
            });
            let bodies = all(&inner.bodies, order.map(|order| (inner, order)))?;
            Some(Plan::Loop(Loop { bodies, order: order.unwrap_or(inner.order), ..inner.clone() }))
        }
        Plan::Where { temporaries, consumer, producer } => {
            let resumes = match (around, &**producer) {
                (Some(around), Plan::Loop(own)) if resumes(program, around, temporaries, own) => {
                    let (Loop { variable, .. }, order) = around;
                    let resumes = Some(Resumed { around: *variable, order });
                    Some(Plan::Loop(Loop { resumes, ..own.clone() }))
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

/// Returns whether a loop in a plan resumes if the enclosing loop runs in an order.
fn has_resuming(program: &Program, plan: &Plan, around: (&Loop, Order)) -> bool {
    match plan {
        Plan::Where { temporaries, consumer, producer } => {
            let of_producer = match &**producer {
                Plan::Loop(own) => resumes(program, around, temporaries, own),
                producer => has_resuming(program, producer, around),
            };
            of_producer || has_resuming(program, consumer, around)
        }
        Plan::If { body, .. } => has_resuming(program, body, around),
        Plan::Sequence(plans) => plans.iter().any(|plan| has_resuming(program, plan, around)),
        Plan::Loop(_) | Plan::Assign { .. } | Plan::Visit(_) => false,
    }
}

/// Returns whether a single loop can visit the coordinates of its variable in an order.
fn can_run(program: &Program, inner: &Loop, order: Order) -> bool {
    let is_sorted =
        |iterator: &LevelIterator| iterator.conversions.is_empty() && iterator.is_in_order(program);
    only_driver(inner).is_some_and(|driver| match order {
        Order::Forward => driver.is_none_or(is_sorted),
        Order::Backward => {
            driver.is_none_or(|driver| is_sorted(driver) && runs_backward(program, driver))
                && is_free(program, inner)
        }
    }) && inner.bodies.len() == 2
        && is_plain(program, inner.variable)
}

/// Returns whether a loop can visit the coordinates or positions of an iterator one by one, backward.
fn runs_backward(program: &Program, iterator: &LevelIterator) -> bool {
    let level = &iterator.spec(program).level;
    let is_plain = level
        .position_iteration()
        .is_none_or(|iteration| iteration.all_carried().is_empty() && iteration.groups().is_none());
    is_plain && !iterator.dedups() && !iterator.is_spread(program)
}

/// Returns whether nothing that a loop stores depends on the order of its coordinates.
fn is_free(program: &Program, inner: &Loop) -> bool {
    let assigns = |tensor: TensorId| inner.bodies.iter().any(|body| body.assigns(tensor));
    let mut targets = program.targets.iter().filter(|target| assigns(target.access.tensor));
    let mut workspaces = program.workspaces().into_iter().map(|access| access.tensor);
    !targets.any(|target| is_ordered(program, target, inner.variable))
        && !workspaces.any(|id| assigns(id) && program.is_listed(id))
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
/// coordinate of the loop around it only in that there are more for later ones.
fn resumes(program: &Program, around: (&Loop, Order), sums: &[Temporary], own: &Loop) -> bool {
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

/// Returns whether a body of a loop runs up to, or from, a coordinate that changes with the coordinate of
/// the loop around it so that there are more, and depends on nothing else of it.
fn grows(program: &Program, (around, order): (&Loop, Order), own: &Loop, plan: &Plan) -> bool {
    let Plan::If { condition, body } = plan else { return false };
    let (bounds, others): (Vec<&Expr>, Vec<&Expr>) = condition
        .conjuncts()
        .into_iter()
        .partition(|condition| bounds(condition, own.variable, around.variable, order));
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

/// Returns whether a condition bounds a variable by one that grows with another, `j <= i + 2`, or, if that
/// is visited backward, `i <= j + 2`.
pub fn bounds(condition: &Expr, v: VariableId, by: VariableId, order: Order) -> bool {
    let Expr::Call(Function::Operator(BinaryOp::Lt | BinaryOp::Le), sides) = condition else {
        return false;
    };
    let (less, greater) = match order {
        Order::Forward => (v, by),
        Order::Backward => (by, v),
    };
    Expr::difference(&sides[0], &sides[1]).is_some_and(|difference| {
        let is_known = |of: &Expr| *of == Expr::Index(v) || *of == Expr::Index(by);
        difference.stride(&Expr::Index(less)) == 1
            && difference.stride(&Expr::Index(greater)) == -1
            && difference.variables().all(is_known)
    })
}
