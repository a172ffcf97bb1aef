//! Two bodies with the loops that they have in common as one.

use std::collections::BTreeSet;

use crate::ir::{Expr, Stmt, Uses};

/// One body after the other with a loop that both have as one; nothing where there is none.
pub(super) fn fused(a: &[Stmt], b: &[Stmt]) -> Option<Vec<Stmt>> {
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
        && in_step(name, of_a, of_b);
    // Who leaves one loop does not leave the other.
    if !same || !independent || leaves(of_a) || leaves(of_b) {
        return None;
    }
    let body = fused(of_a, of_b).unwrap_or_else(|| beside(of_a, of_b));
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

/// What one of two bodies writes and the other one reads or writes.
fn conflicts(a: &[Stmt], b: &[Stmt]) -> impl Iterator<Item = String> {
    let (of_a, of_b) = (Uses::of(a), Uses::of(b));
    let touches =
        |uses: &Uses, name: &str| uses.reads(name) + uses.writes(name) + uses.measures(name) > 0;
    let names: BTreeSet<String> = of_a.written.keys().chain(of_b.written.keys()).cloned().collect();
    names.into_iter().filter(move |name| touches(&of_a, name) && touches(&of_b, name))
}

/// Whether two bodies, one after the other in each iteration of a loop, do what two loops do: what one
/// writes and the other one touches is an array, and each iteration touches its own element alone.
fn in_step(counter: &str, a: &[Stmt], b: &[Stmt]) -> bool {
    let index = Expr::var(counter);
    conflicts(a, b).all(|array| {
        let mut own = true;
        for stmt in a.iter().chain(b) {
            stmt.for_each(&mut |stmt| {
                own &= match stmt {
                    Stmt::Store { array: name, index: at, .. } => *name != array || *at == index,
                    Stmt::Let { name, .. } | Stmt::For { name, .. } => {
                        *name != array && name != counter
                    }
                    Stmt::Assign { name, .. }
                    | Stmt::Scratch { name, .. }
                    | Stmt::Sort { array: name }
                    | Stmt::Workspace { name, .. }
                    | Stmt::Harvest { workspace: name, .. }
                    | Stmt::Clear { array: name }
                    | Stmt::Reserve { array: name, .. }
                    | Stmt::Push { array: name, .. }
                    | Stmt::Resize { array: name, .. } => *name != array,
                    Stmt::Comment(_)
                    | Stmt::Refuse { .. }
                    | Stmt::Break
                    | Stmt::While { .. }
                    | Stmt::If { .. } => true,
                };
                for expr in stmt.expressions() {
                    expr.for_each(&mut |part| {
                        own &= match part {
                            Expr::Load { array: name, index: at } => {
                                *name != array || **at == index
                            }
                            Expr::Var(name) | Expr::Len(name) => *name != array,
                            Expr::Search { array: name, .. } => *name != array,
                            Expr::Index(_)
                            | Expr::Value(..)
                            | Expr::Constant(..)
                            | Expr::Bool(_)
                            | Expr::Largest(_)
                            | Expr::Pair(..)
                            | Expr::Unary(..)
                            | Expr::Binary(..)
                            | Expr::Call(..)
                            | Expr::Cast { .. }
                            | Expr::Choose { .. } => true,
                        };
                    });
                }
            });
        }
        own
    })
}
