//! Known ranges: replaces flags that every iteration of a loop sets by a test of the loop's range.
//!
//! A flag that every iteration sets is set if the range is not empty. Without the flag the loop is
//! easier to read, and a reader need not look into it for the value of the flag. A flag that is set
//! unconditionally is a constant.

use crate::ir::{Expr, Function, Stmt, Uses, substitute};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = simplify(&function.body);
    function
}

fn simplify(body: &[Stmt]) -> Vec<Stmt> {
    let mut done: Vec<Stmt> = Vec::new();
    let mut rest = body;
    while let Some((stmt, behind)) = rest.split_first() {
        rest = behind;
        if let Stmt::Let { name, mutable: true, value: Expr::Bool(false) } = stmt
            && let Some(shorter) = set_by_loop(name, behind).or_else(|| set_at_once(name, behind))
        {
            done.extend(simplify(&shorter));
            return done;
        }
        done.extend(stmt.map(&mut Expr::clone, &mut simplify));
    }
    done
}

/// Returns the statements after the declaration of a flag that a loop sets, with the flag declared
/// where its value is known, or `None` if no loop sets it in every iteration.
fn set_by_loop(flag: &str, behind: &[Stmt]) -> Option<Vec<Stmt>> {
    let is_used = |stmt: &Stmt| {
        let uses = Uses::of(std::slice::from_ref(stmt));
        uses.reads(flag) + uses.writes(flag) > 0
    };
    let at = behind.iter().position(is_used)?;
    let (condition, looped) = without(flag, &behind[at])?;
    if Uses::of(&behind[at + 1..]).writes(flag) > 0 {
        return None;
    }
    let mut shorter = behind[..at].to_vec();
    shorter.push(Stmt::bind(flag, condition));
    shorter.extend(looped);
    shorter.extend_from_slice(&behind[at + 1..]);
    Some(shorter)
}

/// Returns the condition under which a loop sets a flag, and the loop without it, or `None` if some
/// iteration may not set it. A nest of loops sets it if none of their ranges is empty.
fn without(flag: &str, looped: &Stmt) -> Option<(Expr, Vec<Stmt>)> {
    let Stmt::For { name, start, end, body } = looped else { return None };
    let uses = Uses::of(body);
    if (uses.reads(flag), uses.writes(flag)) != (0, 1) {
        return None;
    }
    let sets = Stmt::assign(flag, Expr::Bool(true));
    let is_set = |stmt: &Stmt| Uses::of(std::slice::from_ref(stmt)).writes(flag) > 0;
    let at = body.iter().position(is_set)?;
    if leaves(&body[..at]) {
        return None;
    }
    let range = Expr::lt(start.clone(), end.clone());
    let (condition, inner) = match &body[at] {
        set if *set == sets => (range, Vec::new()),
        nested => {
            let (inside, nested) = without(flag, nested)?;
            (!varies(&inside, name, body)).then(|| (Expr::and(range, inside), nested))?
        }
    };
    let body = [&body[..at], &inner, &body[at + 1..]].concat();
    Some((condition, Stmt::for_range(name, start.clone(), end.clone(), body)))
}

/// Returns whether the value of an expression may differ between iterations of a loop over `name`.
fn varies(expr: &Expr, name: &str, body: &[Stmt]) -> bool {
    let mut read = Uses::default();
    read.count_expr(expr);
    let mut changed = Uses::of(body).written;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
                changed.entry(name.clone()).or_default();
            }
        });
    }
    let mut names = read.read.keys().chain(read.measured.keys());
    names.any(|read| read == name || changed.contains_key(read))
}

/// Returns the statements after the declaration of a flag that one of them sets unconditionally,
/// with the flag declared there.
fn set_at_once(flag: &str, behind: &[Stmt]) -> Option<Vec<Stmt>> {
    let sets = Stmt::assign(flag, Expr::Bool(true));
    let at = behind.iter().position(|stmt| *stmt == sets)?;
    let (before, after) = (&behind[..at], &behind[at + 1..]);
    let (uses_before, uses_after) = (Uses::of(before), Uses::of(after));
    if (uses_before.reads(flag), uses_before.writes(flag)) != (0, 0) || uses_after.writes(flag) > 0
    {
        return None;
    }
    let mut shorter = before.to_vec();
    shorter.push(Stmt::bind(flag, Expr::Bool(true)));
    shorter.extend(substitute(after, flag, &Expr::Bool(true)));
    Some(shorter)
}

/// Returns whether these statements contain a `break`.
fn leaves(body: &[Stmt]) -> bool {
    let mut leaves = false;
    for stmt in body {
        stmt.for_each(&mut |stmt| leaves |= *stmt == Stmt::Break);
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: Vec<Stmt>) -> String {
        simplify(&body).iter().map(Stmt::to_string).collect()
    }

    fn flagged(within: Vec<Stmt>) -> Vec<Stmt> {
        let looped = Stmt::for_range("p", Expr::var("begin"), Expr::var("end"), within);
        let read = Stmt::when(Expr::var("found"), vec![Stmt::push("y", Expr::var("sum"))]);
        let flag = Stmt::bind_mut("found", Expr::Bool(false));
        [vec![flag], looped, read].concat()
    }

    #[test]
    fn a_range_tells_what_every_iteration_sets() {
        let set = Stmt::assign("found", Expr::Bool(true));
        let add = Stmt::accumulate("sum", Expr::var("p"));
        assert_eq!(
            shown(flagged(vec![set, add])),
            "let found = begin < end;\nfor p in begin..end {\n    sum += p;\n}\nif found {\n    \
             y.push(sum);\n}\n"
        );
    }

    #[test]
    fn ranges_tell_what_every_iteration_of_a_nest_sets() {
        let set = || vec![Stmt::assign("found", Expr::Bool(true))];
        let inner = |end: &str| Stmt::for_range("q", Expr::var("first"), Expr::var(end), set());
        assert_eq!(
            shown(flagged(inner("last"))),
            "let found = begin < end && first < last;\nif found {\n    y.push(sum);\n}\n"
        );
        // The inner range depends on the outer loop.
        let text: String = flagged(inner("p")).iter().map(Stmt::to_string).collect();
        assert_eq!(shown(flagged(inner("p"))), text);
    }

    #[test]
    fn a_flag_that_is_set_without_a_loop_is_a_constant() {
        let flag = Stmt::bind_mut("found", Expr::Bool(false));
        let set = Stmt::assign("found", Expr::Bool(true));
        let read = Stmt::when(Expr::var("found"), vec![Stmt::push("y", Expr::var("sum"))]);
        let body = [vec![flag, set], read].concat();
        assert_eq!(shown(body), "let found = true;\ny.push(sum);\n");
    }

    #[test]
    fn what_only_some_iterations_set_stays() {
        let set = Stmt::when(
            Expr::lt(Expr::var("p"), Expr::var("n")),
            vec![Stmt::assign("found", Expr::Bool(true))],
        );
        let body = flagged(set);
        let text: String = body.iter().map(Stmt::to_string).collect();
        assert_eq!(shown(body), text);
    }
}
