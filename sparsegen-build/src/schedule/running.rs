//! Running sums in both directions: the terms before a coordinate, and those behind it.
//!
//! A loop resumes for one of `sum[j](x[j] * (j < i))` and `sum[j](x[j] * (i < j))`, by running forward or
//! backward. If a value has both, the second one goes through a workspace over `i`.

use crate::iteration::resumed::{Order, bounds};
use crate::notation::{BinaryOp, Expr, Function, Reduce, VariableId};

use super::distribute::for_each_part;

/// Returns whether the terms of a reduction grow in number with smaller coordinates of a variable, and those
/// of another reduction in the value with greater ones: one loop resumes for one of them.
pub(super) fn runs_against(value: &Expr, reduce: &Reduce, v: VariableId) -> bool {
    let mut has_other = false;
    for_each_part(value, &mut Vec::new(), &mut |part, _| {
        has_other |= matches!(part, Expr::Reduce(other) if runs(other, v) == Some(Order::Forward));
    });
    has_other && runs(reduce, v) == Some(Order::Backward)
}

/// Returns the order of the coordinates of a variable in which the terms of a reduction grow in number.
fn runs(Reduce { variables, body, .. }: &Reduce, v: VariableId) -> Option<Order> {
    let conditions = body.mask()?.conjuncts();
    let grows = |order: Order| {
        let is_bound =
            |condition: &&Expr| variables.iter().any(|own| bounds(condition, *own, v, order));
        conditions.iter().any(is_bound)
    };
    match [Order::Forward, Order::Backward].map(grows) {
        [true, false] => Some(Order::Forward),
        [false, true] => Some(Order::Backward),
        _ => None,
    }
}

/// Returns a sum over all coordinates but one as two sums, over those before and behind it, each of which
/// is a running sum: `sum[j](x[j] * (j != i))` is `sum[j](x[j] * (j < i)) + sum[j](x[j] * (i < j))`.
pub(super) fn around_one(Reduce { variables, body, .. }: &Reduce) -> Option<Expr> {
    let [own] = variables[..] else { return None };
    let (conditions, value) = body.split_mask();
    let differs = |condition: &&Expr| match condition {
        Expr::Call(Function::Operator(BinaryOp::Ne), _) => condition.variables().contains(&own),
        _ => false,
    };
    let (differing, others): (Vec<&Expr>, Vec<&Expr>) = conditions.into_iter().partition(differs);
    let [Expr::Call(_, sides)] = differing[..] else { return None };
    let less = |a: &Expr, b: &Expr| {
        Expr::Call(Function::Operator(BinaryOp::Lt), vec![a.clone(), b.clone()])
    };
    let (before, behind) = (less(&sides[0], &sides[1]), less(&sides[1], &sides[0]));
    let around = before.variables().into_iter().find(|v| *v != own)?;
    let is_bound = |order: Order| bounds(&before, own, around, order);
    let is_same = |expr: &Expr| expr.variables().iter().all(|v| *v == own);
    let suits = (is_bound(Order::Forward) || is_bound(Order::Backward))
        && is_same(value)
        && others.iter().all(|other| is_same(other));
    let sum = |limit: Expr| {
        let conditions = others.iter().map(|other| (*other).clone()).chain([limit]);
        Expr::sum(vec![own], value.clone().where_all(conditions))
    };
    suits.then(|| Expr::add(sum(before), sum(behind)))
}
