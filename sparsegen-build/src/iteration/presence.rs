//! Presence analysis: the values of scalars for which no entries were found.
//!
//! The minimum of a row without entries is 0, which a sparse result does not store. If all reduced
//! values are the same constant, their number does not matter unless the range is empty.

use super::must_execute::MustExecute;
use super::plan::Plan;
use crate::concrete::{Program, Stmt, Temporary};
use crate::limits::PRESENCE;
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp, TensorId, VariableId};
use crate::types::Literal;

/// A scalar for which no entry may have been found.
#[derive(Clone, PartialEq)]
pub(super) struct MaybeAbsent {
    pub(super) temporary: TensorId,
    /// Its possible values without an entry.
    pub(super) values: Vec<Expr>,
    /// `true` if it has an entry unless a range is empty.
    pub(super) is_range: bool,
}

/// Returns the values that a scalar may have if the producer finds no entry for it. Returns `None`
/// if an entry must be found, or if the value is then unknown.
pub(super) fn maybe_absent(
    program: &Program,
    Temporary { tensor: temporary, op }: Temporary,
    producer: &Plan,
) -> Option<MaybeAbsent> {
    let levels = &program.tensor(temporary).format.levels;
    if !levels.is_empty() {
        // A workspace records which entries were found, unless its level is full.
        let counts = |target: &Access, _: &Expr| target.tensor == temporary;
        let must = MustExecute { program, ranges_count: false, counts: &counts };
        let is_full = levels.iter().all(|spec| spec.properties.full);
        let values = vec![Expr::Literal(op.of_nothing())];
        return (is_full && !must.holds_for(producer)).then_some(MaybeAbsent {
            temporary,
            values,
            is_range: true,
        });
    }
    // A product is zero if and only if an entry is missing.
    if annihilates(producer, temporary) {
        return Some(MaybeAbsent { temporary, values: vec![Expr::ZERO], is_range: false });
    }
    let happens = |ranges_count, counts: &dyn Fn(&Access, &Expr) -> bool| {
        MustExecute { program, ranges_count, counts }.holds_for(producer)
    };
    let certain = |counts: &dyn Fn(&Access, &Expr) -> bool| happens(true, counts);
    let mut constants = Vec::new();
    for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, _| {
        if !constants.contains(constant) {
            constants.push(constant.clone());
        }
    });
    let is_full = certain(&|target, _| target.tensor == temporary);
    let known: Vec<Option<Expr>> =
        constants.iter().map(|constant| op.of_constant(constant)).collect();
    let of_nothing = Expr::Literal(op.of_nothing());
    match &known[..] {
        [Some(known)] => {
            let is_found =
                |target: &Access, value: &Expr| target.tensor == temporary && !value.is_constant();
            let mut values = vec![known.clone()];
            if !is_full {
                values.push(of_nothing);
            }
            (!certain(&is_found)).then_some(MaybeAbsent { temporary, values, is_range: false })
        }
        [Some(_), ..] => None,
        [] | [None, ..] => {
            let absent = MaybeAbsent { temporary, values: vec![of_nothing], is_range: is_full };
            (!happens(false, &|target, _| target.tensor == temporary)).then_some(absent)
        }
    }
}

/// Returns whether a statement is a no-op if no entries were found for any of these scalars.
pub(super) fn is_no_op_without(stmt: &Stmt, absent: &[MaybeAbsent]) -> bool {
    match absent {
        [] => stmt.is_skip(),
        [MaybeAbsent { temporary, values, .. }, rest @ ..] => values.iter().all(|value| {
            let known = |access: &Access| (access.tensor == *temporary).then(|| value.clone());
            is_no_op_without(&stmt.with(&known), rest)
        }),
    }
}

/// Returns the predicate under which `value` differs from the fill value, in terms of the presence
/// of scalars and of masks. Returns `None` if it may always differ.
pub(super) fn condition(value: &Expr, absent: &[MaybeAbsent]) -> Option<Expr> {
    condition_within(None, value, absent)
}

/// Returns the predicate under which an assignment of `value` stores or adds a nonzero value, or
/// `None` if it always may. A mask around the whole of a value that is stored, added or multiplied
/// is ignored, because the assignment is conditional on it anyway.
pub(super) fn condition_of_assign(
    accumulate: Option<ReduceOp>,
    value: &Expr,
    absent: &[MaybeAbsent],
) -> Option<Expr> {
    let is_under = matches!(accumulate, None | Some(ReduceOp::SUM | ReduceOp::PROD));
    match value {
        Expr::Call(Function::Mask, masked) if is_under => {
            condition_within(Some(&masked[0]), value, absent)
        }
        value => condition_within(None, value, absent),
    }
}

fn condition_within(outer: Option<&Expr>, value: &Expr, absent: &[MaybeAbsent]) -> Option<Expr> {
    let mut atoms: Vec<Atom<'_>> = Vec::new();
    value.for_each_access(&mut |access| {
        let known = absent.iter().find(|known| known.temporary == access.tensor);
        let atom = known.map(Atom::Present);
        atoms.extend(atom.filter(|atom| !atoms.contains(atom)));
    });
    let mut masks = Vec::new();
    value.collect_masks(&mut masks);
    atoms.extend(masks.into_iter().filter(|mask| Some(*mask) != outer).map(Atom::Mask));
    if atoms.is_empty() || atoms.len() > PRESENCE {
        return None;
    }
    match differs(value, &atoms) {
        Expr::Literal(literal) if literal.as_bool() == Some(true) => None,
        condition => Some(condition),
    }
}

/// A predicate that decides whether a value differs from the fill value.
#[derive(Clone, Copy, PartialEq)]
enum Atom<'e> {
    /// An entry was found for a scalar.
    Present(&'e MaybeAbsent),
    /// A mask holds.
    Mask(&'e Expr),
}

impl Atom<'_> {
    fn condition(self) -> Expr {
        match self {
            Atom::Present(MaybeAbsent { temporary, .. }) => {
                let scalar = Access { tensor: *temporary, indices: Vec::new() };
                Expr::call(Function::Found, vec![Expr::Access(scalar)])
            }
            Atom::Mask(mask) => mask.clone(),
        }
    }

    /// Returns the possible values of `value` if the predicate does not hold.
    fn without(self, value: &Expr) -> Vec<Expr> {
        match self {
            Atom::Present(MaybeAbsent { temporary, values, .. }) => {
                let with = |known: &Expr| {
                    let known = |read: &Access| (read.tensor == *temporary).then(|| known.clone());
                    value.substitute(&known)
                };
                values.iter().map(with).collect()
            }
            Atom::Mask(mask) => vec![value.with_masks(&|known| (known == mask).then_some(false))],
        }
    }

    /// Returns `value` simplified for a predicate that holds.
    fn with(self, value: &Expr) -> Expr {
        match self {
            Atom::Present(_) => value.clone(),
            Atom::Mask(mask) => value.with_masks(&|known| (known == mask).then_some(true)),
        }
    }
}

/// Returns the predicate under which `value` is not known to be zero, in terms of `atoms`.
fn differs(value: &Expr, atoms: &[Atom<'_>]) -> Expr {
    let truth = |truth: bool| Expr::Literal(Literal::Bool(truth));
    let [atom, rest @ ..] = atoms else { return truth(!value.is_zero()) };
    let either = |a: Expr, b: Expr| match [&a, &b].map(|side| *side == truth(false)) {
        [true, _] => b,
        [_, true] => a,
        [false, false] if a == b || a == truth(true) => a,
        [false, false] if b == truth(true) => b,
        [false, false] => Expr::binary(BinaryOp::Or, a, b),
    };
    let without = atom.without(value);
    let without = without.iter().map(|value| differs(value, rest)).fold(truth(false), either);
    let with = differs(&atom.with(value), rest);
    if with == without {
        return with;
    }
    let with = match with {
        Expr::Call(Function::Operator(BinaryOp::Or), sides) if sides.contains(&without) => {
            sides.into_iter().find(|side| *side != without).unwrap_or_else(|| truth(true))
        }
        with => with,
    };
    let holds = atom.condition();
    let with = if with == truth(true) { holds } else { Expr::binary(BinaryOp::And, holds, with) };
    either(without, with)
}

/// Returns whether a statement must run if any of these scalars has an entry. Returns `false` if
/// several must have entries.
pub(super) fn any_suffices(stmt: &Stmt, absent: &[MaybeAbsent]) -> bool {
    let Stmt::Assign { value, .. } = stmt else { return true };
    condition(value, absent).is_none_or(|condition| !has_conjunction(&condition))
}

fn has_conjunction(condition: &Expr) -> bool {
    matches!(condition, Expr::Call(Function::Operator(BinaryOp::And), _))
        || condition.children().into_iter().any(has_conjunction)
}

/// Returns whether a value depends on whether an entry was found for a temporary.
pub(super) fn reads_presence(value: &Expr, temporary: TensorId) -> bool {
    match value {
        Expr::Call(Function::Found, of) => {
            matches!(&of[..], [Expr::Access(access)] if access.tensor == temporary)
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => {
            value.children().into_iter().any(|child| reads_presence(child, temporary))
        }
    }
}

/// Calls `visit` on every constant assigned to a temporary, with the variables of enclosing loops.
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

/// Returns whether an unstored zero may be a factor of a product.
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
