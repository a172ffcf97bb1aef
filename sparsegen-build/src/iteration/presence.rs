//! Presence analysis: scalars without entries, as operands of order 0.
//!
//! The minimum of a row without entries is 0, which a sparse result does not store. If all reduced
//! values are the same constant, their number does not matter unless the range is empty.
//!
//! A statement that reads such scalars has regions, as the body of a loop has: see
//! [`regions`](super::regions). A scalar has a value whether or not it has an entry, so regions share
//! a body unless nothing is left of it.

use super::must_execute::MustExecute;
use super::plan::{Plan, either};
use super::regions::{Outcomes, Regions, Set, arms};
use crate::concrete::fixed::is_fixed;
use crate::concrete::{Program, Stmt, Temporary};
use crate::limits::PRESENCE;
use crate::notation::{
    Access, BinaryOp, Expr, Function, Kernel, ReduceOp, TensorId, VariableId, are_opposite,
};
use crate::types::Literal;

/// A scalar, or a workspace with a full level, that may have no entry.
#[derive(Clone, PartialEq)]
pub(super) struct MaybeAbsent {
    pub(super) temporary: TensorId,
    /// Its value without an entry.
    value: Expr,
    /// Its value over an empty range.
    of_nothing: Literal,
}

impl MaybeAbsent {
    /// Returns the predicate that an entry was found.
    pub(super) fn found(&self) -> Expr {
        found(self.temporary)
    }

    /// Returns whether its value over an empty range is infinite, if its type has infinities.
    fn may_be_infinite(&self) -> bool {
        matches!(self.of_nothing, Literal::Greatest | Literal::Least)
    }
}

/// Returns the predicate that an entry was found for a temporary.
pub(crate) fn found(temporary: TensorId) -> Expr {
    Expr::Call(Function::Found(temporary), Vec::new())
}

/// Returns the temporary as an operand that may be absent. Returns `None` if an entry must be found,
/// or if its value is then unknown.
pub(super) fn maybe_absent(
    program: &Program,
    Temporary { tensor: temporary, op }: Temporary,
    producer: &Plan,
) -> Option<MaybeAbsent> {
    let happens = |ranges_count, counts: &dyn Fn(&Access, &Expr) -> bool| {
        MustExecute { program, ranges_count, counts }.holds_for(producer)
    };
    let assigns = |target: &Access, _: &Expr| target.tensor == temporary;
    let of_nothing = Expr::Literal(op.of_nothing());
    let absent = |value| Some(MaybeAbsent { temporary, value, of_nothing: op.of_nothing() });
    let levels = &program.tensor(temporary).format.levels;
    if !levels.is_empty() {
        // A workspace records which entries were found, unless its level is full.
        let is_full = levels.iter().all(|spec| spec.properties.full);
        return absent(of_nothing).filter(|_| is_full && !happens(false, &assigns));
    }
    // A product is zero if and only if an entry is missing.
    if annihilates(producer, temporary) {
        return absent(Expr::ZERO);
    }
    let mut constants = Vec::new();
    for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, _| {
        if !constants.contains(constant) {
            constants.push(constant.clone());
        }
    });
    let is_full = happens(true, &assigns);
    let is_one = has_one_value(program, producer);
    let known: Vec<Option<Expr>> =
        constants.iter().map(|constant| op.of_constant(constant, is_one)).collect();
    match &known[..] {
        [Some(known)] => {
            let is_found =
                |target: &Access, value: &Expr| target.tensor == temporary && !value.is_constant();
            let is_known = is_full || *known == of_nothing;
            absent(known.clone()).filter(|_| is_known && !happens(true, &is_found))
        }
        [Some(_), ..] => None,
        [] | [None, ..] => absent(of_nothing).filter(|_| !happens(false, &assigns)),
    }
}

/// An operand of order 0.
enum Operand<'e> {
    Scalar(&'e MaybeAbsent),
    /// A mask over variables with known coordinates.
    Mask(&'e Expr),
}

impl Operand<'_> {
    /// Returns the predicate that the operand is present.
    fn predicate(&self) -> Expr {
        match self {
            Operand::Scalar(scalar) => scalar.found(),
            Operand::Mask(mask) => (*mask).clone(),
        }
    }

    fn is_read_by(&self, stmt: &Stmt) -> bool {
        match self {
            Operand::Scalar(scalar) => {
                stmt.reads().iter().any(|access| access.tensor == scalar.temporary)
            }
            Operand::Mask(mask) => masks(stmt).iter().any(|other| decides(mask, other).is_some()),
        }
    }

    /// Returns a value simplified for the operand being present or absent.
    fn simplify(&self, value: &Expr, is_present: bool) -> Expr {
        match self {
            Operand::Scalar(_) if is_present => value.clone(),
            Operand::Scalar(MaybeAbsent { temporary, value: known, .. }) => {
                value.substitute(&|read| (read.tensor == *temporary).then(|| known.clone()))
            }
            Operand::Mask(mask) => {
                value.with_masks(&|other| decides(mask, other).map(|same| same == is_present))
            }
        }
    }
}

/// Returns whether `other` holds if and only if `mask` does (`true`) or does not (`false`), or `None`
/// if neither is known.
fn decides(mask: &Expr, other: &Expr) -> Option<bool> {
    match mask == other {
        true => Some(true),
        false => are_opposite(mask, other).then_some(false),
    }
}

/// Returns the masks within assigned values whose variables all have coordinates.
fn masks(stmt: &Stmt) -> Vec<&Expr> {
    let mut masks = Vec::new();
    if let Stmt::Assign { accumulate, value, .. } = stmt {
        // An assignment is conditional on a mask around the whole of a value that is stored, added
        // or multiplied.
        let is_under = matches!(accumulate, None | Some(ReduceOp::SUM | ReduceOp::PROD));
        value.collect_masks(&mut masks);
        masks.retain(|mask| !(is_under && value.mask() == Some(*mask)));
    }
    masks
}

/// Returns the cases of a statement: predicates in terms of the presence of scalars and masks, and
/// bodies. The first predicate that holds selects the body; if none does, the statement is a no-op.
/// Returns `None` if the statement has the same effect in all regions.
fn cases(stmt: &Stmt, absent: &[MaybeAbsent]) -> Option<Vec<(Expr, Stmt)>> {
    let mut operands: Vec<Operand<'_>> = absent.iter().map(Operand::Scalar).collect();
    operands.retain(|operand| operand.is_read_by(stmt));
    for mask in masks(stmt) {
        let is_known = |known: &Operand<'_>| matches!(known, Operand::Mask(known) if decides(known, mask).is_some());
        if !operands.iter().any(is_known) {
            operands.push(Operand::Mask(mask));
        }
    }
    if operands.is_empty() || operands.len() > PRESENCE {
        return None;
    }
    let simplified = |absent: Set, present: Set| {
        let all = |value: &Expr| {
            let value =
                absent.members().fold(value.clone(), |v, k| operands[k].simplify(&v, false));
            present.members().fold(value, |v, k| operands[k].simplify(&v, true))
        };
        stmt.map_values(&all)
    };
    let body = |_: Set, _: Set, left: Stmt| match &left {
        left if left.is_skip() => None,
        // Reduced zeros are not found.
        Stmt::Assign { accumulate: Some(_), value, .. } if value.is_zero() => Some(left),
        Stmt::Forall { .. }
        | Stmt::Where { .. }
        | Stmt::Assign { .. }
        | Stmt::If { .. }
        | Stmt::Sequence(_) => Some(stmt.clone()),
    };
    let regions = Regions {
        operands: Set::of(0..operands.len()),
        optional: Set::EMPTY,
        certain: Set::EMPTY,
        most: usize::MAX,
        known: Set::of((0..operands.len()).filter(|k| matches!(operands[*k], Operand::Mask(_)))),
        stmt,
        reads: &|stmt| Set::of((0..operands.len()).filter(|k| operands[*k].is_read_by(stmt))),
        simplified: &simplified,
        body: &body,
    };
    let (outcomes, bodies) = regions.outcomes()?;
    if matches!(outcomes, Outcomes::Leaf(outcome) if bodies[outcome] == *stmt) {
        return None;
    }
    let all = |set: &Set| conjunction(set.members().map(|k| operands[k].predicate()));
    let case = |(sets, outcome): (Vec<Set>, usize)| {
        (disjunction(sets.iter().map(all)), bodies[outcome].clone())
    };
    Some(arms(&outcomes.cases()).into_iter().map(case).collect())
}

fn conjunction(predicates: impl Iterator<Item = Expr>) -> Expr {
    let truth = Expr::Literal(Literal::Bool(true));
    predicates.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or(truth)
}

fn disjunction(predicates: impl Iterator<Item = Expr>) -> Expr {
    let truth = Expr::Literal(Literal::Bool(false));
    predicates.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)).unwrap_or(truth)
}

/// Returns the predicate under which one of several cases has an effect.
fn any_runs(cases: &[(Expr, Stmt)]) -> Expr {
    let rest = Expr::Literal(Literal::Bool(false));
    cases.iter().rev().fold(rest, |rest, (predicate, body)| match body.is_skip() {
        true => {
            let not = Expr::call(Function::Not, vec![predicate.clone()]);
            Expr::binary(BinaryOp::And, not, rest)
        }
        false => Expr::binary(BinaryOp::Or, predicate.clone(), rest),
    })
}

/// The scalars that may be absent where a statement runs.
#[derive(Clone, Copy)]
pub(super) struct Scalars<'s> {
    pub(super) absent: &'s [MaybeAbsent],
    /// Predicates of enclosing cases.
    pub(super) holds: &'s [Expr],
}

impl Scalars<'_> {
    pub(super) const NONE: Scalars<'static> = Scalars { absent: &[], holds: &[] };

    /// Returns the cases of a statement that enclosing cases do not decide. Returns `None` if the
    /// statement has the same effect in all regions.
    pub(super) fn cases(self, stmt: &Stmt) -> Option<Vec<(Expr, Stmt)>> {
        cases(stmt, self.absent).filter(|cases| {
            !matches!(&cases[..], [(predicate, body)]
                if body == stmt && self.holds.contains(predicate))
        })
    }

    /// Returns an assigned value in which quotients and products are 0 where they are known to be,
    /// although the variables of absent scalars make them NaN.
    pub(super) fn with_zeros(self, kernel: &Kernel, target: &Access, value: &Expr) -> Expr {
        let differs = self.may_be_nan(kernel, value).and_then(|(part, absent)| {
            let cases = Scalars { absent: &absent, ..self }.cases(&Stmt::assign(
                target.clone(),
                None,
                part.clone(),
            ))?;
            Some(any_runs(&cases))
        });
        let holds: Vec<Expr> = self.holds.iter().chain(&differs).cloned().collect();
        let within = Scalars { holds: &holds, ..self };
        let inside = value.map_children(&mut |child| within.with_zeros(kernel, target, child));
        match differs {
            Some(differs) => Expr::call(Function::Select, vec![differs, inside, Expr::ZERO]),
            None => inside,
        }
    }

    /// If a quotient or product may be NaN although it is known to be 0, returns the part and the
    /// scalars that decide it: `0 / 0` is 0 if no entry was found for the dividend, and 0 times the
    /// infinite minimum of an empty range is 0 if none was found for the 0.
    fn may_be_nan<'e>(
        self,
        kernel: &Kernel,
        value: &'e Expr,
    ) -> Option<(&'e Expr, Vec<MaybeAbsent>)> {
        if matches!(value, Expr::Binary(BinaryOp::Mul, ..)) {
            let (infinite, zeros): (Vec<_>, Vec<_>) =
                self.absent.iter().cloned().partition(MaybeAbsent::may_be_infinite);
            let is_infinite = value.may_be_infinite(&|factor| {
                let tensor = kernel.tensor(factor);
                let is_workspace = !tensor.format.levels.is_empty() && tensor.may_be_infinite;
                is_workspace || infinite.iter().any(|scalar| scalar.temporary == factor)
            });
            return is_infinite.then_some((value, zeros));
        }
        let [dividend, divisor] = value.as_quotient()?;
        let may_be_zero = divisor.as_literal().is_none_or(|literal| literal.is_zero());
        may_be_zero.then(|| (dividend, self.absent.to_vec()))
    }
}

/// Returns whether a value depends on whether an entry was found for a temporary.
pub(super) fn reads_presence(value: &Expr, temporary: TensorId) -> bool {
    *value == found(temporary) || value.children().any(|child| reads_presence(child, temporary))
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
        Plan::Visit(_) => {}
        Plan::If { body, .. } => for_each_constant(body, temporary, around, visit),
        Plan::Sequence(plans) => {
            for plan in plans {
                for_each_constant(plan, temporary, around, visit);
            }
        }
    }
}

/// Returns whether loops reduce one value at most, because their coordinates are fixed.
pub(crate) fn has_one_value(program: &Program, producer: &Plan) -> bool {
    match producer {
        Plan::Loop(inner) => {
            is_fixed(program, inner.variable)
                && inner.bodies.iter().all(|body| has_one_value(program, body))
        }
        Plan::Assign { .. } => true,
        Plan::Where { .. } | Plan::Visit(_) => false,
        Plan::If { body, .. } => has_one_value(program, body),
        Plan::Sequence(plans) => {
            (plans.len() <= 1 || either(plans).is_some())
                && plans.iter().all(|plan| has_one_value(program, plan))
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
        Plan::Visit(_) => false,
        Plan::If { body, .. } => annihilates(body, product),
        Plan::Sequence(plans) => plans.iter().any(|plan| annihilates(plan, product)),
    }
}
