//! Tail merging: moves common first and last statements of all branches out of them.
//!
//! For readability: a reader would have to compare the branches to see that they store the same
//! coordinate. rustc could do it too.

use crate::ir::{Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = merge(&function.body);
    function
}

fn merge(body: &[Stmt]) -> Vec<Stmt> {
    let mut done = Vec::new();
    for stmt in body {
        let inner = stmt.map(&mut Expr::clone, &mut merge);
        match inner.as_slice() {
            [Stmt::If { arms, otherwise }] if !otherwise.is_empty() => {
                done.extend(factor_branches(arms.clone(), otherwise.clone()));
            }
            _ => done.extend(inner),
        }
    }
    done
}

fn factor_branches(mut arms: Vec<(Expr, Vec<Stmt>)>, mut otherwise: Vec<Stmt>) -> Vec<Stmt> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    while let Some(first) = otherwise.first().cloned()
        && arms.iter().all(|(_, body)| body.first() == Some(&first))
        && may_precede(&first, &arms)
    {
        otherwise.remove(0);
        for (_, body) in &mut arms {
            body.remove(0);
        }
        before.push(first);
    }
    while let Some(last) = otherwise.last().cloned()
        && arms.iter().all(|(_, body)| body.last() == Some(&last))
        && may_follow(&last, &arms, &otherwise)
    {
        otherwise.pop();
        for (_, body) in &mut arms {
            body.pop();
        }
        after.insert(0, last);
    }
    before.extend(Stmt::choose(arms, otherwise));
    before.extend(after);
    before
}

/// Returns whether a statement can be moved before the branches: it changes no operand of a
/// condition, and binds no name.
fn may_precede(stmt: &Stmt, arms: &[(Expr, Vec<Stmt>)]) -> bool {
    let written = Uses::of(std::slice::from_ref(stmt)).written;
    let changes = |condition: &Expr| written.keys().any(|name| condition.mentions(name));
    !is_local(stmt) && !arms.iter().any(|(condition, _)| changes(condition))
}

/// Returns whether a statement can be moved after the branches: it uses no name that they bind.
fn may_follow(stmt: &Stmt, arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> bool {
    let uses = Uses::of(std::slice::from_ref(stmt));
    let is_used = |name: &str| uses.reads(name) + uses.writes(name) > 0;
    let mut branches = arms.iter().map(|(_, body)| body.as_slice()).chain([otherwise]);
    let names_used = |body: &[Stmt]| body.iter().flat_map(Stmt::binds).any(is_used);
    !is_local(stmt) && !branches.any(names_used)
}

/// Returns whether a statement is valid only in its place.
fn is_local(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Let { .. }
            | Stmt::Scratch { .. }
            | Stmt::Tile { .. }
            | Stmt::Workspace { .. }
            | Stmt::Places { .. }
            | Stmt::Harvest { .. }
            | Stmt::Refuse { .. }
            | Stmt::Break
            | Stmt::Comment(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branches(a: Vec<Stmt>, b: Vec<Stmt>) -> Vec<Stmt> {
        Stmt::choose(vec![(Expr::lt(Expr::var("p"), Expr::var("q")), a)], b)
    }

    fn check(body: &[Stmt], expected: &str) {
        let text: String = merge(body).iter().map(Stmt::to_string).collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_common_stands_once() {
        let branch = |value| {
            vec![
                Stmt::push("crd", Expr::var("j")),
                Stmt::push("vals", Expr::var(value)),
                Stmt::accumulate("p", Expr::Index(1)),
            ]
        };
        check(
            &branches(branch("a"), branch("b")),
            "\
crd.push(j);
if p < q {
    vals.push(a);
} else {
    vals.push(b);
}
p += 1;
",
        );
    }

    #[test]
    fn what_a_condition_reads_is_not_changed_before() {
        let branch = |value| {
            vec![Stmt::accumulate("p", Expr::Index(1)), Stmt::push("vals", Expr::var(value))]
        };
        let body = branches(branch("a"), branch("b"));
        assert_eq!(merge(&body), body);
    }

    #[test]
    fn names_stay_with_their_branch() {
        let check = |branch: &dyn Fn(usize) -> Stmt, used: &str| {
            let branch = |n| vec![branch(n), Stmt::push("vals", Expr::var(used))];
            let body = branches(branch(1), branch(2));
            assert_eq!(merge(&body), body);
        };
        check(&|n| Stmt::bind("v", Expr::Index(n)), "v");
        check(&|_| Stmt::harvest("w", "w_crd", "w_vals"), "w_crd");
        check(&|_| Stmt::harvest("w", "w_crd", "w_vals"), "w_vals");
    }
}
