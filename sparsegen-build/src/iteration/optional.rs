//! Optional operands: a loop has one body for coordinates with and without an entry of theirs.
//!
//! The number of regions grows exponentially with the operands of a sum. Where no operand has an entry,
//! the segment of the level below is empty, and a value is the fill value, so that the body for all
//! operands is right in each region with an effect.

use crate::concrete::{Program, Stmt};
use crate::limits::{BODIES, CASES};
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp};

use super::iterator::{LevelIterator, is_given};

/// Returns the largest number of bodies of a loop that distinguishes so many operands that may be
/// optional, with so many levels below.
pub(super) fn bodies(operands: usize, levels: usize) -> usize {
    match operands {
        0 => usize::MAX,
        _ => (1..=CASES)
            .rev()
            .find(|bodies| nested(operands, levels, *bodies) <= BODIES)
            .unwrap_or(0),
    }
}

/// Returns the number of bodies of nested loops that distinguish `regions` of some operands, at
/// this level and at `levels` below.
fn nested(operands: usize, levels: usize, regions: usize) -> usize {
    let sets = 1_usize.checked_shl(operands as u32).unwrap_or(usize::MAX);
    let of_each = sets.min(regions + 1);
    (0..levels).fold(regions, |bodies, _| bodies.saturating_mul(of_each))
}

/// Returns whether a loop around `body` needs no separate code for coordinates without an entry: the
/// level below can be iterated or located in below an empty segment of positions, or the levels above
/// determine its coordinates, or there is no level below, the value is only added, and each element
/// that is read is an entry.
pub(super) fn may_be(program: &Program, iterator: &LevelIterator, body: &Stmt) -> bool {
    let format = &program.tensor(iterator.access.tensor).format;
    let suits = match format.levels.get(iterator.through + 1) {
        Some(below) => {
            let is_walked = below.level.position_iteration().is_some_and(|iteration| {
                iteration.all_carried().is_empty() && iteration.groups().is_none()
            });
            is_walked || below.level.locate().is_some() || is_given(below)
        }
        None => {
            let mut levels = format.levels[iterator.level..].iter();
            levels.all(|spec| spec.properties.unique)
                && !distinguishes_padding(program, body)
                && only_adds(body, &iterator.access)
        }
    };
    suits
        && !iterator.is_full(program)
        && program.kernel.predicate(iterator.access.tensor).is_none()
}

/// Returns whether a statement reads elements that need not be entries, unless all are, and are only
/// added: it then runs if any of them is an entry.
fn distinguishes_padding(program: &Program, stmt: &Stmt) -> bool {
    let pads = |access: &Access| program.tensor(access.tensor).format.pads();
    let reads = stmt.reads();
    let is_alike = |access: &Access| pads(access) && is_only_added(program, access, stmt);
    reads.iter().any(|access| pads(access)) && !reads.iter().all(|access| is_alike(access))
}

/// Returns whether the body for all operands assigns what the body of a region does, under the same
/// mask. A loop in it has regions of its own.
pub(super) fn suits(shared: &Stmt, own: &Stmt) -> bool {
    fn assigned<'s>(stmt: &'s Stmt, targets: &mut Vec<(&'s Access, Option<&'s Expr>)>) {
        match stmt {
            Stmt::Assign { target, value, .. } => targets.push((target, value.mask())),
            Stmt::If { body, .. } => assigned(body, targets),
            Stmt::Sequence(statements) => statements.iter().for_each(|s| assigned(s, targets)),
            Stmt::Forall { .. } | Stmt::Where { .. } => {}
        }
    }
    let [of_shared, of_own] = [shared, own].map(|stmt| {
        let mut targets = Vec::new();
        assigned(stmt, &mut targets);
        targets
    });
    of_shared == of_own
}

/// Returns whether a statement is one assignment with the value of an access as a term, so that it
/// has an effect wherever there is an entry.
pub(super) fn is_term_of(access: &Access, stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Assign { .. }) && only_adds(stmt, access)
}

/// Returns whether a statement is one assignment to which an operand only adds its elements, so that
/// it computes the same value from padding as without an entry.
pub(super) fn is_only_added(program: &Program, access: &Access, stmt: &Stmt) -> bool {
    let accumulates = |op: ReduceOp| op != ReduceOp::PROD;
    matches!(stmt, Stmt::Assign { accumulate, .. } if accumulate.is_none_or(accumulates))
        && is_term_of(access, stmt)
        && !program.kernel.may_be_infinite(&program.kernel.fill(access.tensor))
}

/// Returns whether a statement has no loop and only adds or compares the value of an access. The
/// fill value would not do as a factor, because an entry that is not stored annihilates infinity.
fn only_adds(stmt: &Stmt, access: &Access) -> bool {
    match stmt {
        Stmt::Assign { value, .. } => is_term(value, access),
        Stmt::Sequence(statements) => statements.iter().all(|stmt| only_adds(stmt, access)),
        Stmt::Forall { .. } | Stmt::Where { .. } | Stmt::If { .. } => false,
    }
}

fn is_term(value: &Expr, access: &Access) -> bool {
    match value {
        Expr::Access(_) => true,
        Expr::Neg(_)
        | Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..)
        | Expr::Call(Function::Operator(BinaryOp::Min | BinaryOp::Max), _) => {
            value.children().all(|term| is_term(term, access))
        }
        Expr::Call(Function::Entry, entry) => is_term(&entry[0], access),
        _ => !value.reads(access),
    }
}
