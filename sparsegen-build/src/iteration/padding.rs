//! Padding of operands: where a format pads, an element that equals the fill is no entry.
//!
//! Levels cannot tell padding from entries, so a statement is split where the last level of such an operand
//! is reached: one part for an entry, one as if the operand had none there. Where adding the fill makes no
//! difference, nothing is split.

use super::iterator::Frontier;
use crate::concrete::{Program, Stmt};
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp};

/// Returns a statement within a loop that resolves accesses, split by whether these have entries.
pub(super) fn split(program: &Program, before: &Frontier, inner: &Frontier, stmt: &Stmt) -> Stmt {
    let is_reached = |access: &Access| {
        let format = &program.tensor(access.tensor).format;
        let depth = format.levels.len();
        format.pads() && before.resolved(access) < depth && inner.resolved(access) == depth
    };
    let reads = stmt.reads();
    let padded: Vec<Access> = reads.into_iter().filter(|a| is_reached(a)).cloned().collect();
    padded.iter().fold(stmt.clone(), |stmt, access| match tells_apart(program, &stmt) {
        true => split_by(program, access, stmt),
        false => stmt,
    })
}

fn split_by(program: &Program, access: &Access, stmt: Stmt) -> Stmt {
    let fill = program.kernel.fill(access.tensor);
    let present = Expr::call(Function::Present, vec![Expr::Access(access.clone()), fill]);
    let absent = Expr::call(Function::Not, vec![present.clone()]);
    let without = stmt.in_region(&program.kernel, &|other| other == access, &|_| false);
    let without = if program.may_lack_entries() { without.settled() } else { without };
    if without == stmt {
        return stmt;
    }
    Stmt::sequence(vec![Stmt::when(present, stmt), Stmt::when(absent, without)])
}

/// Returns whether a statement does something else for padding than for an entry of the same value: stores
/// an entry, divides, or multiplies by what must not be an unstored zero.
fn tells_apart(program: &Program, stmt: &Stmt) -> bool {
    let result = &program.tensor(program.kernel.result()).format;
    let stores_entries = program.may_lack_entries() && (program.packed.is_some() || !result.pads());
    let mut tells = stores_entries;
    stmt.for_each_assign(&mut |_, accumulate, value| {
        tells |= accumulate == Some(ReduceOp::Prod) || divides(value);
    });
    tells
}

fn divides(value: &Expr) -> bool {
    matches!(value, Expr::Binary(BinaryOp::Div, ..) | Expr::Call(Function::Quotient, _))
        || value.children().into_iter().any(divides)
}
