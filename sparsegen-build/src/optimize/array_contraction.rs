//! Array contraction: a variable in place of a local array whose elements loops use at their own
//! coordinate only, and none of which passes from one loop to another (Sarkar and Gao 1991).
//!
//! Entries are counted for each row in one loop, and the counts are read in the next one. If the
//! loops can run as one, the count of a row is a variable: rows are slots of ELL in two thirds of the
//! time. rustc does not remove arrays.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Names;
use super::scalar_replacement::Element;
use crate::ir::{Expr, Function, Stmt, Uses, leaves};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    // The loops of parts are apart.
    if function.parallel.is_some() {
        return function;
    }
    let mut names = Names::of(&function);
    let mut at = 0;
    while at < function.body.len() {
        match contracted(&function.body, at, &mut names) {
            Some(body) => function.body = body,
            None => at += 1,
        }
    }
    function
}

/// Returns a body without the array that it allocates at an index, if it does.
fn contracted(body: &[Stmt], at: usize, names: &mut Names) -> Option<Vec<Stmt>> {
    let Stmt::Resize { array, len, value: Expr::Index(initial) } = &body[at] else { return None };
    let declared = body[..at]
        .iter()
        .position(|stmt| matches!(stmt, Stmt::Scratch { name, .. } if name == array))?;
    let is_fixed = matches!(len, Expr::Var(_) | Expr::Index(_));
    let mut stmts = body[..at].to_vec();
    stmts.remove(declared);
    let is_used = |stmts: &[Stmt]| Uses::of_name(stmts, array).touches(array);
    if !is_fixed || is_used(&stmts) {
        return None;
    }
    let rest = joined(&body[at + 1..], array);
    // The value of every element in front of a loop.
    let mut value = Some(Expr::Index(*initial));
    // The variables by those of the loops.
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    let mut variable = |of: &str| {
        let fresh = || names.beside(array, of);
        taken.entry(of.to_owned()).or_insert_with(fresh).clone()
    };
    for stmt in rest {
        if is_used(std::slice::from_ref(&stmt)) {
            let (contracted, after) = in_variable(&stmt, array, len, value?, &mut variable)?;
            stmts.push(contracted);
            value = after;
        } else {
            stmts.push(stmt);
        }
    }
    Some(stmts)
}

/// Returns statements in which a loop over elements of an array follows the previous one in its body,
/// if they can run as one loop.
fn joined(rest: &[Stmt], array: &str) -> Vec<Stmt> {
    let mut stmts: Vec<Stmt> = Vec::new();
    let mut previous: Option<usize> = None;
    for stmt in rest {
        if !Uses::of_name(std::slice::from_ref(stmt), array).touches(array) {
            stmts.push(stmt.clone());
            continue;
        }
        let both = previous.and_then(|at| both(&stmts[at], &stmts[at + 1..], stmt, array));
        if let (Some(at), Some(both)) = (previous, both) {
            stmts.remove(at);
            stmts.push(both);
        } else {
            stmts.push(stmt.clone());
        }
        previous = Some(stmts.len() - 1);
    }
    stmts
}

/// Returns one loop that does what two loops and the statements between them do, which come before
/// it, if their order does not matter except for elements of an array.
fn both(first: &Stmt, between: &[Stmt], second: &Stmt, array: &str) -> Option<Stmt> {
    let (
        Stmt::For { name, start, end, body },
        Stmt::For { name: other, start: from, end: to, body: then },
    ) = (first, second)
    else {
        return None;
    };
    let is_one = name == other && start == from && end == to && !leaves(body) && !leaves(then);
    let binds = between.iter().all(|stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Let { .. }));
    let [of_first, of_between, of_second] = [body, between, &then[..]].map(Uses::of);
    let is_free = |stmts: &[Stmt], others: &Uses| {
        let bound: BTreeSet<&str> = stmts.iter().flat_map(Stmt::binds).collect();
        !bound.iter().any(|name| others.touches(name))
    };
    let writes_apart = |writes: &Uses, others: &Uses| {
        writes.written.keys().all(|name| name == array || !others.touches(name))
    };
    let is_apart = writes_apart(&of_first, &of_between)
        && is_free(between, &of_first)
        && writes_apart(&of_first, &of_second)
        && writes_apart(&of_second, &of_first)
        && is_free(body, &of_second);
    (is_one && binds && is_apart).then(|| Stmt::For {
        name: name.clone(),
        start: start.clone(),
        end: end.clone(),
        body: [&body[..], then].concat(),
    })
}

/// Returns a loop over all elements of an array with a variable for each of them, which has a value at
/// first, and the value after the loop, if it is the same for all.
fn in_variable(
    stmt: &Stmt,
    array: &str,
    len: &Expr,
    mut value: Expr,
    variable: &mut dyn FnMut(&str) -> String,
) -> Option<(Stmt, Option<Expr>)> {
    let Stmt::For { name, start: Expr::Index(0), end, body } = stmt else { return None };
    let index = Expr::var(name);
    let variable = variable(name);
    let element = Element { array, index: &index, name: &variable };
    let rebinds = body.iter().any(|stmt| stmt.binds_within(&|bound| bound == name));
    let is_whole = end == len && !rebinds;
    element.stores(stmt).filter(|_| is_whole)?;
    let is_store = |stmt: &Stmt| matches!(stmt, Stmt::Store { array: to, .. } if to == array);
    let (mut body, mut after) = (&body[..], None);
    if let Some((Stmt::Store { op: None, value, .. }, others)) = body.split_last()
        && body.last().is_some_and(is_store)
        && matches!(value, Expr::Index(_))
    {
        (body, after) = (others, Some(value.clone()));
    }
    // The first count is the value of the variable.
    if let Some((Stmt::Store { op: Some(op), value: by, .. }, others)) = body.split_first()
        && body.first().is_some_and(is_store)
        && !by.mentions(array)
    {
        (body, value) = (others, Expr::binary(*op, value, by.clone()));
    }
    let mutable = body.iter().filter_map(|stmt| element.stores(stmt)).any(|stores| stores > 0);
    let bound = Stmt::Let { name: variable.clone(), mutable, value };
    let within = body.iter().flat_map(|stmt| element.in_variable(stmt));
    let body = std::iter::once(bound).chain(within).collect();
    let stmt = Stmt::For { name: name.clone(), start: Expr::Index(0), end: end.clone(), body };
    Some((stmt, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Element as Type, Width, samples};

    /// Returns the statements after the pass.
    fn contracted(body: Vec<Stmt>) -> String {
        let function = run(Function { body, ..samples::spmv() });
        function.body.iter().map(Stmt::to_string).collect()
    }

    fn each(body: Vec<Stmt>) -> Stmt {
        let mut loops = Stmt::for_range("i", Expr::Index(0), Expr::var("n"), body);
        loops.remove(0)
    }

    /// Returns loops that count entries, look for the largest count, and place the entries.
    fn counted(between: Vec<Stmt>, last: Vec<Stmt>) -> Vec<Stmt> {
        let at = || Expr::load("next", Expr::var("i"));
        let mut body = vec![
            Stmt::scratch("next", Type::Index(Width::Usize)),
            Stmt::resize("next", Expr::var("n"), Expr::Index(0)),
            each(vec![Stmt::accumulate_at("next", Expr::var("i"), Expr::var("m"))]),
        ];
        body.extend(between);
        body.push(each(vec![
            Stmt::assign("slots", Expr::max(Expr::var("slots"), at())),
            Stmt::store("next", Expr::var("i"), Expr::Index(0)),
        ]));
        body.push(Stmt::push("y", Expr::var("slots")));
        body.push(each(last));
        body
    }

    #[test]
    fn counts_that_one_loop_uses_are_variables() {
        let place = || {
            let at = Expr::load("next", Expr::var("i"));
            let body = vec![
                Stmt::push("y", at),
                Stmt::accumulate_at("next", Expr::var("i"), Expr::Index(1)),
            ];
            Stmt::for_range("p", Expr::Index(0), Expr::var("m"), body)
        };
        let slots = || vec![Stmt::bind_mut("slots", Expr::Index(0))];
        let expected = "\
let mut slots = 0;
for i in 0..n {
    let next_i = m;
    slots = slots.max(next_i);
}
y.push(slots);
for i in 0..n {
    let mut next_i = 0;
    for p in 0..m {
        y.push(next_i);
        next_i += 1;
    }
}
";
        assert_eq!(contracted(counted(slots(), place())), expected);
        // A loop, or a statement between two loops, reads the count of another row.
        let other = vec![Stmt::push("y", Expr::load("next", Expr::var("m")))];
        let pushed = [slots(), vec![Stmt::push("y", Expr::load("next", Expr::Index(0)))]].concat();
        for body in [counted(slots(), other), counted(pushed, place())] {
            let before: String = body.iter().map(Stmt::to_string).collect();
            assert_eq!(contracted(body), before);
        }
    }
}
