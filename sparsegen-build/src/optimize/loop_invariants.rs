//! Loop-invariant code motion, and common subexpressions, for calls of functions that take long.
//!
//! `exp(x[i])` within a loop over `j` is computed before it. rustc does not move calls of the C library,
//! such as `tanh`, out of loops, and a reader sees what is computed once.

use super::fresh::Names;
use super::kept_values::{has_calls, outermost};
use crate::ir::{Callee, Expr, Function, Stmt, replace};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    if has_calls(&function) {
        function.body = moved(&function.body, &mut Names::of(&function));
    }
    function
}

fn moved(body: &[Stmt], names: &mut Names) -> Vec<Stmt> {
    let mut body = body.to_vec();
    let mut at = 0;
    while at < body.len() {
        let rest = &body[at..];
        let is_moved = |call: &&Expr| {
            call.is_known_in(rest) && (is_in_loop(&body[at], call) || count(rest, call) > 1)
        };
        let call = unconditional(&body[at]).into_iter().find(is_moved).cloned();
        match (call, &body[at]) {
            // It has a name already.
            (Some(call), Stmt::Let { name, mutable: false, value }) if *value == call => {
                let others = replace(&body[at + 1..], &call, &Expr::var(name));
                body.truncate(at + 1);
                body.extend(others);
            }
            (Some(call), _) => {
                let name = names.fresh(name_of(&call));
                let rest = replace(rest, &call, &Expr::var(&name));
                body.truncate(at);
                body.push(Stmt::bind(&name, call));
                body.extend(rest);
            }
            (None, _) => {}
        }
        at += 1;
    }
    let within =
        body.iter().flat_map(|stmt| stmt.map(&mut Expr::clone, &mut |body| moved(body, names)));
    within.collect()
}

/// Returns the calls that a statement, or a loop in it, makes in each iteration.
fn unconditional(stmt: &Stmt) -> Vec<&Expr> {
    let mut calls: Vec<&Expr> = match stmt {
        // The other conditions are computed only if the first one does not hold.
        Stmt::If { arms, .. } => {
            arms.iter().take(1).flat_map(|(first, _)| outermost(first)).collect()
        }
        stmt => stmt.expressions().into_iter().flat_map(outermost).collect(),
    };
    match stmt {
        // A loop over what another one has left has often no iteration.
        Stmt::For { name, start, .. } if *start == Expr::var(name) => {}
        Stmt::For { body, .. } | Stmt::ForOnes { body, .. } | Stmt::While { body, .. } => {
            calls.extend(body.iter().flat_map(unconditional));
        }
        _ => {}
    }
    calls
}

/// Returns whether an expression is in the body of a loop.
pub(super) fn is_in_loop(stmt: &Stmt, call: &Expr) -> bool {
    let (Stmt::For { body, .. } | Stmt::ForOnes { body, .. } | Stmt::While { body, .. }) = stmt
    else {
        return false;
    };
    count(body, call) > 0
}

/// Returns the number of occurrences of an expression.
fn count(body: &[Stmt], call: &Expr) -> usize {
    let mut count = 0;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.for_each(&mut |expr| count += usize::from(expr == call));
            }
        });
    }
    count
}

fn name_of(call: &Expr) -> &'static str {
    match call {
        Expr::Call(Callee::Math(math), ..) => math.name(),
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;
    use crate::math;
    use crate::types::Dtype;

    /// Checks the statements after the pass.
    fn check(body: Vec<Stmt>, expected: &str) {
        let function = run(Function { body, ..samples::spmv() });
        assert_eq!(function.body.iter().map(Stmt::to_string).collect::<String>(), expected);
    }

    fn tanh(argument: Expr) -> Expr {
        Expr::Call(Callee::Math(math::Function::Tanh), Dtype::F64, vec![argument])
    }

    fn each(variable: &str, body: Vec<Stmt>) -> Vec<Stmt> {
        Stmt::for_range(variable, Expr::Index(0), Expr::var("n"), body)
    }

    #[test]
    fn calls_are_moved_out_of_the_loops_that_do_not_change_their_arguments() {
        let push = |argument: Expr| vec![Stmt::push("y", tanh(argument))];
        let element = |i: &str| Expr::load("x", Expr::var(i));
        check(
            each("i", each("j", push(element("i")))),
            "for i in 0..n {\n    let tanh = x[i].tanh();\n    for j in 0..n {\n        \
             y.push(tanh);\n    }\n}\n",
        );
        let left = push(Expr::var("s"));
        check(
            Stmt::for_range("p", Expr::var("p"), Expr::var("n"), left),
            "for p in p..n {\n    y.push(s.tanh());\n}\n",
        );
        // Some argument is changed in the loop, or the call depends on a condition.
        let changing = [push(Expr::var("s")), vec![Stmt::accumulate("s", Expr::var("i"))]].concat();
        check(each("i", changing), "for i in 0..n {\n    y.push(s.tanh());\n    s += i;\n}\n");
        let some = Stmt::when(Expr::lt(Expr::var("i"), Expr::var("m")), push(Expr::var("s")));
        check(
            each("i", some),
            "for i in 0..n {\n    if i < m {\n        y.push(s.tanh());\n    }\n}\n",
        );
    }

    #[test]
    fn a_call_that_occurs_twice_is_made_once() {
        let twice = vec![
            Stmt::accumulate("s", tanh(Expr::var("t"))),
            Stmt::push("y", tanh(Expr::var("t"))),
        ];
        check(twice.clone(), "let tanh = t.tanh();\ns += tanh;\ny.push(tanh);\n");
        let named = [vec![Stmt::bind("u", tanh(Expr::var("t")))], twice].concat();
        check(named, "let u = t.tanh();\ns += u;\ny.push(u);\n");
        let own = vec![
            Stmt::accumulate("s", tanh(Expr::var("s"))),
            Stmt::push("y", tanh(Expr::var("s"))),
        ];
        check(own, "s += s.tanh();\ny.push(s.tanh());\n");
    }
}
