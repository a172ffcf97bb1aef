//! Two bodies with the loops that they have in common as one.

use super::steps::{conflicts, in_step};
use crate::ir::{Size, Stmt, Uses};

/// One body after the other with a loop that both have as one; nothing where there is none.
pub(super) fn fused(a: &[Stmt], b: &[Stmt], extents: &[Size]) -> Option<Vec<Stmt>> {
    let is_loop = |stmt: &Stmt| matches!(stmt, Stmt::For { .. });
    let (last, first) = (a.iter().rposition(is_loop)?, b.iter().position(is_loop)?);
    let (before, after) = (&a[..last], &a[last + 1..]);
    let (ahead, behind) = (&b[..first], &b[first + 1..]);
    let (
        Stmt::For { name, start, end, body: of_a },
        Stmt::For { name: other, start: start_b, end: end_b, body: of_b },
    ) = (&a[last], &b[first])
    else {
        return None;
    };
    let same = (name, start, end) == (other, start_b, end_b);
    let independent = !depend(after, &b[..=first])
        && !depend(std::slice::from_ref(&a[last]), ahead)
        && in_step(name, [of_a, of_b], extents);
    // Who leaves one loop does not leave the other.
    if !same || !independent || leaves(of_a) || leaves(of_b) {
        return None;
    }
    let body = fused(of_a, of_b, extents).unwrap_or_else(|| beside(of_a, of_b));
    let shared = Stmt::For { name: name.clone(), start: start.clone(), end: end.clone(), body };
    let mut all = beside(before, ahead);
    all.push(shared);
    all.extend(after.iter().chain(behind).cloned());
    Some(all)
}

/// Whether the loop around a body is left within it.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::For { .. } | Stmt::While { .. } => false,
        stmt => *stmt == Stmt::Break || stmt.bodies().into_iter().any(leaves),
    })
}

/// One body after the other, without what the first one has bound to the same already.
fn beside(a: &[Stmt], b: &[Stmt]) -> Vec<Stmt> {
    let written = Uses::of(a).written;
    let is_known = |stmt: &&Stmt| match stmt {
        Stmt::Let { mutable: false, value, .. } => {
            a.contains(stmt) && !written.keys().any(|name| value.mentions(name))
        }
        Stmt::Let { mutable: true, .. }
        | Stmt::Comment(_)
        | Stmt::Assign { .. }
        | Stmt::Store { .. }
        | Stmt::Scratch { .. }
        | Stmt::Sort { .. }
        | Stmt::Workspace { .. }
        | Stmt::Harvest { .. }
        | Stmt::Clear { .. }
        | Stmt::Reserve { .. }
        | Stmt::Push { .. }
        | Stmt::Resize { .. }
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => false,
    };
    a.iter().chain(b.iter().filter(|stmt| !is_known(stmt))).cloned().collect()
}

/// Whether it matters in which order two bodies run.
fn depend(a: &[Stmt], b: &[Stmt]) -> bool {
    conflicts(a, b).next().is_some()
}
