//! What a scalar comes to where nothing that is stored went into it.
//!
//! The least of a row without entries is 0, which a sparse result need not store: where all that is
//! reduced is one constant, it does not matter of how many. Only an empty range is another matter.

use super::certain::Certain;
use super::plan::Plan;
use crate::concrete::{Program, Stmt};
use crate::notation::{Access, Expr, Function, ReduceOp, TensorId, VariableId};

/// A scalar of which it is not certain that anything is found for it.
#[derive(Clone)]
pub(super) struct Unfound {
    pub(super) temporary: TensorId,
    /// What it may be if nothing is.
    pub(super) values: Vec<Expr>,
    /// Whether something is certain to be found unless a range is empty.
    pub(super) is_range: bool,
}

/// What a scalar that a plan fills may be if nothing is found for it; nothing where something is
/// certain to be found, or where it is not known what it is then.
pub(super) fn unfound(
    program: &Program,
    temporary: TensorId,
    op: ReduceOp,
    producer: &Plan,
) -> Option<Unfound> {
    // A product that has entries is zero all the same where one is missing, and only there.
    if annihilates(producer, temporary) {
        return Some(Unfound { temporary, values: vec![Expr::ZERO], is_range: false });
    }
    let happens = |ranges_count, counts: &dyn Fn(&Access, &Expr) -> bool| {
        Certain { program, ranges_count, counts }.happens(producer)
    };
    let certain = |counts: &dyn Fn(&Access, &Expr) -> bool| happens(true, counts);
    let mut constants = Vec::new();
    for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, _| {
        if !constants.contains(constant) {
            constants.push(constant.clone());
        }
    });
    let is_full = certain(&|_, _| true);
    let known: Vec<Option<Expr>> =
        constants.iter().map(|constant| op.of_constant(constant)).collect();
    let of_nothing = Expr::Literal(op.of_nothing());
    match &known[..] {
        [Some(known)] => {
            let is_found =
                |target: &Access, value: &Expr| target.tensor != temporary || !value.is_constant();
            let mut values = vec![known.clone()];
            if !is_full {
                values.push(of_nothing);
            }
            (!certain(&is_found)).then_some(Unfound { temporary, values, is_range: false })
        }
        [Some(_), ..] => None,
        [] | [None, ..] => {
            let unfound = Unfound { temporary, values: vec![of_nothing], is_range: is_full };
            (!happens(false, &|_, _| true)).then_some(unfound)
        }
    }
}

/// Whether nothing is left of a statement, whatever scalars are for which nothing is found.
pub(super) fn is_nothing_without(stmt: &Stmt, unfound: &[Unfound]) -> bool {
    match unfound {
        [] => stmt.is_skip(),
        [Unfound { temporary, values, .. }, rest @ ..] => values.iter().all(|value| {
            let known = |access: &Access| (access.tensor == *temporary).then(|| value.clone());
            is_nothing_without(&stmt.with(&known), rest)
        }),
    }
}

/// What must have been found for a value to be more than what is not stored.
pub(super) fn condition(value: &Expr, unfound: &[Unfound]) -> Option<Expr> {
    let mut read: Vec<&Access> = Vec::new();
    value.for_each_access(&mut |access| {
        if !read.contains(&access) {
            read.push(access);
        }
    });
    let of = |id: TensorId| unfound.iter().find(|known| known.temporary == id);
    let temporaries: Vec<&Access> =
        read.into_iter().filter(|access| of(access.tensor).is_some()).collect();
    let values = |access: &Access| of(access.tensor).map_or(&[][..], |known| &known.values);
    let is_nothing = |known: &dyn Fn(&Access) -> Option<Expr>| value.substitute(&known).is_zero();
    let is_needed = |access: &&&Access| {
        let mut values = values(access).iter();
        values.all(|value| is_nothing(&|read| (read == **access).then(|| value.clone())))
    };
    let found = |function: Function, of: &[&Access]| {
        let found = of.iter().copied().cloned().map(Expr::Access);
        let found = found.map(|access| Expr::call(Function::Found, vec![access]));
        found.reduce(|a, b| Expr::call(function, vec![a, b]))
    };
    let needed: Vec<&Access> = temporaries.iter().filter(is_needed).copied().collect();
    if !needed.is_empty() {
        return found(Function::And, &needed);
    }
    let first = |access: &Access| values(access).first().cloned();
    let is_certain = temporaries.iter().all(|access| values(access).len() == 1);
    found(Function::Or, &temporaries).filter(|_| is_certain && is_nothing(&first))
}

/// Whether a value asks whether anything was found for a temporary.
pub(super) fn asks_for(value: &Expr, temporary: TensorId) -> bool {
    match value {
        Expr::Call(Function::Found, of) => {
            matches!(&of[..], [Expr::Access(access)] if access.tensor == temporary)
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => value.children().into_iter().any(|child| asks_for(child, temporary)),
    }
}

/// Calls `visit` on every constant that goes into a temporary, with the loops around.
pub(crate) fn for_each_constant(
    plan: &Plan,
    temporary: TensorId,
    around: &mut Vec<VariableId>,
    visit: &mut impl FnMut(&Expr, &[VariableId]),
) {
    match plan {
        Plan::Loop(inner) => {
            around.push(inner.variable);
            for body in &inner.bodies {
                for_each_constant(body, temporary, around, visit);
            }
            around.pop();
        }
        Plan::Where { consumer, producer, .. } => {
            for_each_constant(producer, temporary, around, visit);
            for_each_constant(consumer, temporary, around, visit);
        }
        Plan::Assign { target, value, .. } => {
            if value.is_constant() && target.tensor == temporary {
                visit(value, around);
            }
        }
        Plan::If { body, .. } => for_each_constant(body, temporary, around, visit),
        Plan::Sequence(plans) => {
            for plan in plans {
                for_each_constant(plan, temporary, around, visit);
            }
        }
    }
}

/// Returns whether an unstored zero may go into a product.
pub(crate) fn annihilates(producer: &Plan, product: TensorId) -> bool {
    match producer {
        Plan::Loop(inner) => inner.bodies.iter().any(|body| annihilates(body, product)),
        Plan::Where { consumer, producer, .. } => {
            [consumer, producer].into_iter().any(|plan| annihilates(plan, product))
        }
        Plan::Assign { target, accumulate, value } => {
            target.tensor == product && accumulate.is_some_and(|op| op.is_annihilated_by(value))
        }
        Plan::If { body, .. } => annihilates(body, product),
        Plan::Sequence(plans) => plans.iter().any(|plan| annihilates(plan, product)),
    }
}
