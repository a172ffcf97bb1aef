//! Padding of operands: in a format that pads, an element equal to the fill value is not an entry.
//!
//! Levels do not distinguish padding from entries. A statement is therefore split at the last level
//! of such an operand: one branch for an entry, the other for an operand without an entry. It is
//! not split if the added fill value does not change its effect. Operands that are only added are
//! not distinguished from each other, so that the number of branches does not grow with them.

use std::borrow::Cow;

use super::full;
use super::iterator::Frontier;
use super::optional::{is_only_added, suits};
use crate::concrete::{Program, Stmt};
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp, TensorId};

/// Splits a statement within a loop that resolves accesses by whether these have entries.
pub(super) fn split<'s>(
    program: &Program,
    before: &Frontier,
    inner: &Frontier,
    stmt: &'s Stmt,
) -> Cow<'s, Stmt> {
    let is_reached = |access: &Access| {
        let format = &program.tensor(access.tensor).format;
        let depth = format.levels.len();
        format.pads() && before.resolved(access) < depth && inner.resolved(access) == depth
    };
    let reads = stmt.reads();
    let padded = reads.into_iter().filter(|access| is_reached(access)).cloned();
    let (terms, others): (Vec<Access>, Vec<Access>) =
        padded.partition(|access| is_only_added(program, access, stmt));
    // Those that are only added come last: each case of the others has terms of its own.
    let mut groups: Vec<Vec<Access>> = others.into_iter().map(|access| vec![access]).collect();
    groups.extend(Some(terms).filter(|terms| !terms.is_empty()));
    match groups.is_empty() {
        true => Cow::Borrowed(stmt),
        false => Cow::Owned(split_by(program, &groups, stmt.clone())),
    }
}

/// Splits a statement by whether any operand of the first group has an entry, and each case by the
/// other groups.
fn split_by(program: &Program, groups: &[Vec<Access>], stmt: Stmt) -> Stmt {
    let Some((group, others)) = groups.split_first() else { return stmt };
    if !distinguishes_padding(program, &stmt) {
        return stmt;
    }
    let reads = stmt.reads();
    let read: Vec<&Access> = group.iter().filter(|access| reads.contains(access)).collect();
    let is_present = |access: &&Access| {
        let fill = program.kernel.fill(access.tensor);
        Expr::call(Function::Present, vec![Expr::Access((*access).clone()), fill])
    };
    let present = read.iter().map(is_present).reduce(|a, b| Expr::binary(BinaryOp::Or, a, b));
    let Some(present) = present else { return split_by(program, others, stmt) };
    let absent = Expr::call(Function::Not, vec![present.clone()]);
    let without = stmt.in_region(&program.kernel, &|other| group.contains(other), &|_| false);
    let without = program.with_constants(&without);
    let has_same_effect = read.iter().all(|access| is_only_added(program, access, &stmt))
        && suits(&stmt, &without)
        && reads_entries(program, &without);
    if without == stmt || has_same_effect {
        return split_by(program, others, stmt);
    }
    // A result with all coordinates of a level has those of padding.
    let without = match without.is_skip() {
        true => full::zeros(program, &stmt),
        false => split_by(program, others, without),
    };
    let stmt = split_by(program, others, stmt);
    Stmt::sequence(vec![Stmt::when(present, stmt), Stmt::when(absent, without)])
}

/// Returns whether a statement reads operands, and only those: a known value is no entry, and a
/// temporary may have none.
fn reads_entries(program: &Program, stmt: &Stmt) -> bool {
    let reads = stmt.reads();
    let mut tensors = reads.iter().map(|access| access.tensor);
    !reads.is_empty() && tensors.all(|tensor| !program.kernel.is_temporary(tensor))
}

/// Returns whether padding and an entry of the same value have different effects in a statement: it
/// stores entries, divides, multiplies by an infinity, accumulates a product, or assigns a temporary
/// that is zero in a quotient or product only without entries.
fn distinguishes_padding(program: &Program, stmt: &Stmt) -> bool {
    let stores_entries = program.targets.iter().any(|target| {
        let result = target.access.tensor;
        let pads = target.packed.is_none() && program.tensor(result).format.pads();
        // A result with every coordinate stores a zero either way.
        let stores_all = full::stores_all(program, &target.access);
        program.may_lack_entries(result) && !pads && !(stores_all && full::must_run(program, stmt))
    });
    let mut tells = stores_entries;
    stmt.for_each_assign(&mut |target, accumulate, value| {
        let product = accumulate == Some(ReduceOp::PROD);
        tells |= product || divides(value) || multiplies_by_infinity(program, value);
        tells |= is_annihilated_if_absent(program, target.tensor);
    });
    tells
}

/// Returns whether a temporary without entries is a dividend or a factor that is zero whatever the
/// divisor or the other factor is, or is a part of such a temporary.
fn is_annihilated_if_absent(program: &Program, tensor: TensorId) -> bool {
    let is_temporary = |tensor: &TensorId| program.kernel.is_temporary(*tensor);
    // The temporary, and the temporaries that are computed from it.
    let mut computed: Vec<TensorId> = Some(tensor).filter(is_temporary).into_iter().collect();
    let (mut next, mut is_annihilated) = (0, false);
    while let Some(temporary) = computed.get(next).copied() {
        program.body.for_each_assign(&mut |target, _, value| {
            if value.depends_on(temporary) {
                is_annihilated |= annihilates(program, value, temporary);
                if is_temporary(&target.tensor) && !computed.contains(&target.tensor) {
                    computed.push(target.tensor);
                }
            }
        });
        next += 1;
    }
    is_annihilated
}

/// Returns whether a value has a part that an absent temporary makes zero, and that may be NaN if
/// the temporary has an entry.
fn annihilates(program: &Program, value: &Expr, temporary: TensorId) -> bool {
    let is_here = match value {
        Expr::Binary(BinaryOp::Div, dividend, _) => is_zero_without(program, dividend, temporary),
        Expr::Call(Function::Quotient | Function::Ratio, both) => {
            is_zero_without(program, &both[0], temporary)
        }
        Expr::Binary(BinaryOp::Mul, ..) => {
            program.kernel.may_be_infinite(value) && is_zero_without(program, value, temporary)
        }
        _ => false,
    };
    is_here || value.children().any(|child| annihilates(program, child, temporary))
}

/// Returns whether a value that depends on a temporary is zero without entries.
fn is_zero_without(program: &Program, value: &Expr, temporary: TensorId) -> bool {
    let kernel = &program.kernel;
    let absent = |access: &Access| kernel.is_temporary(access.tensor).then_some(Expr::ZERO);
    value.depends_on(temporary) && kernel.vanishes(&value.substitute(&absent))
}

fn multiplies_by_infinity(program: &Program, value: &Expr) -> bool {
    match value {
        Expr::Binary(BinaryOp::Mul, ..) => program.kernel.may_be_infinite(value),
        value => value.children().any(|child| multiplies_by_infinity(program, child)),
    }
}

fn divides(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Binary(BinaryOp::Div, ..) | Expr::Call(Function::Quotient | Function::Ratio, _)
    ) || value.children().any(divides)
}
