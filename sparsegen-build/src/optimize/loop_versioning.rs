//! Loop versioning: adds a version of a loop for the case that its trip count is constant.
//!
//! The loops over a block end at `(i_size - io * 4).min(4)`, as the last block may be shorter.
//! rustc unrolls only loops with constant trip counts: with a version for full blocks, a product of
//! 4×4 blocks and a vector takes about three quarters of the time. Nested loops share a version if
//! all of their ends are known, and long bodies are not duplicated.

use std::collections::BTreeSet;

use super::strips::{cut, reaches};
use crate::ir::{Expr, Function, Stmt, Uses};

/// The largest number of statements that are duplicated.
const SHORT: usize = 16;

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = versions(&function.body);
    function
}

fn versions(body: &[Stmt]) -> Vec<Stmt> {
    body.iter().flat_map(version).collect()
}

fn version(stmt: &Stmt) -> Vec<Stmt> {
    let inner = || stmt.map(&mut Expr::clone, &mut versions);
    // The versions of a loop are chosen outside of loops of constant length.
    let is_cut = matches!(stmt, Stmt::For { end, .. } if cut(end).is_some() || matches!(end, Expr::Index(_)));
    let (mut count, mut bound) = (0, BTreeSet::new());
    stmt.for_each(&mut |stmt| {
        count += 1;
        if let Stmt::For { name, .. } | Stmt::Let { name, .. } = stmt {
            bound.insert(name.as_str());
        }
    });
    // A loop around others is not unrolled.
    let mut is_around = false;
    stmt.for_each(&mut |stmt| match stmt {
        Stmt::For { end, .. } => is_around |= cut(end).is_none() && !matches!(end, Expr::Index(_)),
        Stmt::While { .. } => is_around = true,
        _ => {}
    });
    if !is_cut || is_around || count > SHORT {
        return inner();
    }
    let changes = Uses::of(std::slice::from_ref(stmt)).written;
    let is_known = |end: &Expr| {
        let mut known = true;
        end.for_each(&mut |expr| {
            if let Expr::Var(name)
            | Expr::Load { array: name, .. }
            | Expr::Contains { workspace: name, .. }
            | Expr::Len(name) = expr
            {
                known &= !bound.contains(name.as_str()) && !changes.contains_key(name);
            }
        });
        known
    };
    let mut ends: Vec<&Expr> = Vec::new();
    stmt.for_each(&mut |stmt| {
        if let Stmt::For { end, .. } = stmt
            && cut(end).is_some()
            && is_known(end)
            && !ends.contains(&end)
        {
            ends.push(end);
        }
    });
    let conditions = ends.iter().filter_map(|end| cut(end)).map(|(left, most)| reaches(left, most));
    let Some(all) = conditions.reduce(Expr::and) else { return inner() };
    let comment = Stmt::Comment("Loops over full blocks have a constant length.".into());
    let whole = uncut(std::slice::from_ref(stmt), &ends);
    let mut stmts = vec![comment];
    stmts.extend(Stmt::choose(vec![(all, whole)], vec![stmt.clone()]));
    stmts
}

/// Returns statements in which these ends of loops are replaced by their constants.
fn uncut(body: &[Stmt], ends: &[&Expr]) -> Vec<Stmt> {
    let whole = |stmt: &Stmt| match stmt {
        Stmt::For { name, start, end, body } if ends.contains(&end) => {
            let end = cut(end).map_or_else(|| end.clone(), |(_, most)| Expr::Index(most));
            Stmt::for_range(name, start.clone(), end, uncut(body, ends))
        }
        stmt => stmt.map(&mut Expr::clone, &mut |body| uncut(body, ends)),
    };
    body.iter().flat_map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, size: &str, begin: Expr, body: Vec<Stmt>) -> Vec<Stmt> {
        let left = Expr::sub(Expr::var(size), begin);
        Stmt::for_range(name, Expr::Index(0), Expr::min(left, Expr::Index(4)), body)
    }

    fn shown(body: &[Stmt]) -> String {
        versions(body).iter().map(Stmt::to_string).collect()
    }

    #[test]
    fn loops_in_each_other_are_decided_on_together() {
        let add = vec![Stmt::accumulate("sum", Expr::var("ji"))];
        let inner = block("ji", "j_size", Expr::mul(Expr::var("jo"), Expr::Index(4)), add);
        let outer = block("ii", "i_size", Expr::mul(Expr::var("io"), Expr::Index(4)), inner);
        let expected = "\
// Loops over full blocks have a constant length.
if io * 4 + 4 <= i_size && jo * 4 + 4 <= j_size {
    for ii in 0..4 {
        for ji in 0..4 {
            sum += ji;
        }
    }
} else {
    for ii in 0..(i_size - io * 4).min(4) {
        for ji in 0..(j_size - jo * 4).min(4) {
            sum += ji;
        }
    }
}
";
        assert_eq!(shown(&outer), expected);
    }

    #[test]
    fn what_is_not_known_yet_is_left_alone() {
        let add = vec![Stmt::accumulate("sum", Expr::var("ji"))];
        let inner = block("ji", "j_size", Expr::var("ii"), add);
        let outer = Stmt::for_range("ii", Expr::Index(0), Expr::var("n"), inner);
        let text = shown(&outer);
        assert!(text.contains("    if ii + 4 <= j_size {"), "{text}");
        let long = (0..SHORT).map(|k| Stmt::accumulate("sum", Expr::Index(k + 1))).collect();
        let long = block("ji", "j_size", Expr::var("ii"), long);
        assert!(!shown(&long).contains("if"));
    }
}
