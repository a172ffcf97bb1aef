//! Kept values: of two loops over the same entries that call a function which takes long for the same
//! arguments, the first one keeps the values for the second.
//!
//! `exp(A[i,j]) / sum[k](exp(A[i,k]))` has two such loops for each row: a softmax takes little more
//! than half the time. rustc does not keep values from one loop to the next.

use super::fresh::Names;
use super::loop_invariants::is_in_loop;
use crate::ir::{Callee, Element, Expr, Function, Stmt, Uses, breaks, replace};
use crate::math;
use crate::types::{Dtype, Literal};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    if !has_calls(&function) {
        return function;
    }
    let mut pass = Pass { names: Names::of(&function), arrays: Vec::new() };
    function.body = pass.body(&function.body);
    // The arrays are declared before the first loop or other statement that uses one of them.
    let is_use = |stmt: &Stmt| {
        let uses = Uses::of(std::slice::from_ref(stmt));
        let mut declared = pass.arrays.iter().flat_map(Stmt::binds);
        declared.any(|array| uses.touches(array))
    };
    let first = function.body.iter().position(is_use).unwrap_or(0);
    function.body.splice(first..first, pass.arrays);
    function
}

/// Returns whether a function calls one that takes long.
pub(super) fn has_calls(function: &Function) -> bool {
    let mut has_calls = false;
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| has_calls |= stmt.any_expression(&takes_long));
    }
    has_calls
}

struct Pass {
    names: Names,
    /// The declarations of the arrays of kept values.
    arrays: Vec<Stmt>,
}

/// A call within a loop, outside of loops within that one.
struct Call {
    /// The call as it is in the loop.
    original: Expr,
    /// The call in terms of the variable of the loop and of what is known before it.
    value: Expr,
    /// The conditions for the call, in the same terms.
    conditions: Vec<Expr>,
}

/// The name of the variable of a loop in [`Call::value`].
const COUNTER: &str = "#";

impl Pass {
    fn body(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let body =
            body.iter().flat_map(|stmt| stmt.map(&mut Expr::clone, &mut |body| self.body(body)));
        let mut body: Vec<Stmt> = body.collect();
        let mut first = 0;
        while first < body.len() {
            let mut seconds = first + 1..body.len();
            match seconds.find_map(|second| self.kept(&body, first, second)) {
                // More calls of the same loop may be kept.
                Some((kept, at)) => (body, first) = (kept, at),
                None => first += 1,
            }
        }
        body
    }

    /// Returns statements in which the loop at index `first` keeps the values of a call for the one
    /// at index `second`, and the new index of the first loop.
    fn kept(&mut self, body: &[Stmt], first: usize, second: usize) -> Option<(Vec<Stmt>, usize)> {
        let Stmt::For { name, start, end, body: within } = &body[first] else { return None };
        let Stmt::For { name: other, start: from, end: to, body: then } = &body[second] else {
            return None;
        };
        if (start, end) != (from, to) || breaks(within) {
            return None;
        }
        let both = &body[first..=second];
        let is_known = |expr: &Expr| expr.is_known_in(both);
        if ![start, end].into_iter().all(is_known) {
            return None;
        }
        let used = calls(other, then);
        let is_kept = |call: &&Call| {
            let mut same = used.iter().filter(|other| other.value == call.value).peekable();
            let holds = |other: &Call| {
                call.conditions.iter().all(|condition| other.conditions.contains(condition))
            };
            // The conditions for calls in inner loops are not known.
            let is_inner = |other: &Call| {
                let mut is_inner = false;
                for stmt in then {
                    stmt.for_each(&mut |stmt| is_inner |= is_in_loop(stmt, &other.original));
                }
                is_inner && !call.conditions.is_empty()
            };
            let known = || std::iter::once(&call.value).chain(&call.conditions);
            same.peek().is_some()
                && same.all(|other| holds(other) && !is_inner(other))
                && known().all(is_known)
        };
        let calls = calls(name, within);
        let call = calls.iter().find(is_kept)?;
        let Expr::Call(Callee::Math(math), dtype, _) = &call.original else { return None };
        let (value, dtype) = (self.names.fresh(math.name()), math.result(*dtype));
        let array = self.names.beside(math.name(), "vals");
        self.arrays.push(Stmt::scratch(&array, Element::Value(dtype)));

        let mut stmts = body[..first].to_vec();
        let start = self.names.bound(name, "begin", start, &mut stmts);
        let end = self.names.bound(name, "end", end, &mut stmts);
        let comment =
            format!("The values of `{}` are kept for the next loop over them.", math.name());
        let len = Expr::sub(end.clone(), start.clone());
        stmts.push(Stmt::resize(&array, len, Expr::value(Literal::Int(0), dtype)));
        let at = |variable: &str| Expr::sub(Expr::var(variable), start.clone());
        stmts.push(Stmt::Comment(comment.into()));
        let kept = Kept { call: &call.original, value: &value, array: &array, at: at(name) };
        let moved = stmts.len();
        stmts.push(Stmt::For {
            name: name.clone(),
            start: start.clone(),
            end: end.clone(),
            body: kept.stored(within),
        });
        stmts.extend_from_slice(&body[first + 1..second]);
        let same = used.iter().filter(|other| other.value == call.value);
        let element = Expr::load(&array, at(other));
        let then = same.fold(then.clone(), |then, call| replace(&then, &call.original, &element));
        let name = other.clone();
        stmts.push(Stmt::For { name, start, end, body: then });
        stmts.extend_from_slice(&body[second + 1..]);
        Some((stmts, moved))
    }
}

/// Returns the calls of functions that take long in a loop over a variable.
fn calls(variable: &str, body: &[Stmt]) -> Vec<Call> {
    let mut found = Vec::new();
    let mut known = vec![(variable.to_owned(), Expr::var(COUNTER))];
    collect(body, &mut known, &[], &mut found);
    found
}

/// Collects calls under some conditions. Variables have known values.
fn collect(
    body: &[Stmt],
    known: &mut Vec<(String, Expr)>,
    conditions: &[Expr],
    found: &mut Vec<Call>,
) {
    let before = known.len();
    for stmt in body {
        let expressions = match stmt {
            // The other conditions are computed only if it does not hold.
            Stmt::If { arms, .. } => arms.iter().take(1).map(|(condition, _)| condition).collect(),
            Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. } => Vec::new(),
            stmt => stmt.expressions(),
        };
        for original in expressions.into_iter().flat_map(outermost) {
            let (value, conditions) = (resolved(known, original), conditions.to_vec());
            found.push(Call { original: original.clone(), value, conditions });
        }
        match stmt {
            Stmt::Let { name, mutable: false, value } => {
                let value = resolved(known, value);
                known.push((name.clone(), value));
            }
            Stmt::If { arms, otherwise } => {
                let mut conditions = conditions.to_vec();
                for (condition, body) in arms {
                    let condition = resolved(known, condition);
                    conditions.push(condition.clone());
                    collect(body, known, &conditions, found);
                    conditions.pop();
                    conditions.push(Expr::not(condition));
                }
                collect(otherwise, known, &conditions, found);
            }
            _ => {}
        }
    }
    known.truncate(before);
}

/// Returns an expression in terms of the values of variables.
fn resolved(known: &[(String, Expr)], expr: &Expr) -> Expr {
    known.iter().fold(expr.clone(), |expr, (name, value)| expr.substitute(name, value))
}

/// Returns the outermost calls of functions that take long, without calls that depend on a condition
/// in the expression.
pub(super) fn outermost(expr: &Expr) -> Vec<&Expr> {
    let (mut calls, mut chosen): (Vec<&Expr>, Vec<&Expr>) = (Vec::new(), Vec::new());
    if !expr.any(&takes_long) {
        return calls;
    }
    expr.for_each(&mut |expr| {
        if let Expr::Choose { holds, otherwise, .. } = expr {
            chosen.extend([&**holds, &**otherwise]);
        }
        let is_within =
            calls.iter().chain(&chosen).any(|outer| outer.any(&|within| within == expr));
        if takes_long(expr) && !is_within {
            calls.push(expr);
        }
    });
    calls
}

/// Returns whether it takes longer to compute a value than to store and to load it. Powers by
/// constants are products.
fn takes_long(expr: &Expr) -> bool {
    match expr {
        Expr::Call(Callee::Math(math::Function::Pow), _, arguments) => {
            !matches!(arguments[..], [_, Expr::Value(..)])
        }
        Expr::Call(Callee::Math(math), dtype, _) => *dtype != Dtype::Bool && math.takes_long(),
        _ => false,
    }
}

/// A call whose values are kept in an array.
struct Kept<'k> {
    call: &'k Expr,
    value: &'k str,
    array: &'k str,
    at: Expr,
}

impl Kept<'_> {
    /// Returns the body of the loop that stores the values.
    fn stored(&self, body: &[Stmt]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let mut is_stored = false;
        for stmt in body {
            let reads = stmt.expressions().into_iter().any(|expr| expr.any(&|e| e == self.call));
            if reads && !is_stored {
                stmts.push(Stmt::bind(self.value, self.call.clone()));
                stmts.push(Stmt::store(self.array, self.at.clone(), Expr::var(self.value)));
                is_stored = true;
            }
            match is_stored {
                true => {
                    stmts.extend(replace(
                        std::slice::from_ref(stmt),
                        self.call,
                        &Expr::var(self.value),
                    ));
                }
                false => {
                    stmts.extend(stmt.map(&mut Expr::clone, &mut |body| match stmt {
                        Stmt::If { .. } => self.stored(body),
                        _ => body.to_vec(),
                    }));
                }
            }
        }
        stmts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    /// Returns the statements after the pass.
    fn kept(body: Vec<Stmt>) -> String {
        let function = run(Function { body, ..samples::spmv() });
        function.body.iter().map(Stmt::to_string).collect()
    }

    /// Returns `exp(a[variable])`.
    fn exp(variable: &str) -> Expr {
        let argument = Expr::load("a", Expr::var(variable));
        Expr::Call(Callee::Math(math::Function::Exp), Dtype::F64, vec![argument])
    }

    fn each(variable: &str, body: Vec<Stmt>) -> Vec<Stmt> {
        Stmt::for_range(variable, Expr::load("pos", Expr::var("i")), Expr::var("n"), body)
    }

    fn sum() -> Vec<Stmt> {
        each("p", vec![Stmt::accumulate("s", exp("p"))])
    }

    /// Returns a loop in which the argument of the call has another name.
    fn quotients() -> Vec<Stmt> {
        let quotient = Expr::div(exp("at"), Expr::var("s"));
        each("q", vec![Stmt::bind("at", Expr::var("q")), Stmt::push("y", quotient)])
    }

    #[test]
    fn the_second_loop_loads_the_values_of_the_first() {
        let expected = "\
let p_begin = pos[i];
let mut exp_vals = Vec::new();
exp_vals.resize(n - p_begin, 0.0);
// The values of `exp` are kept for the next loop over them.
for p in p_begin..n {
    let exp = a[p].exp();
    exp_vals[p - p_begin] = exp;
    s += exp;
}
for q in p_begin..n {
    let at = q;
    y.push(exp_vals[q - p_begin] / s);
}
";
        assert_eq!(kept([sum(), quotients()].concat()), expected);
    }

    #[test]
    fn values_that_the_first_loop_may_not_have_are_computed() {
        let stays = |body: Vec<Stmt>| {
            let before: String = body.iter().map(Stmt::to_string).collect();
            assert_eq!(kept(body), before);
        };
        let is_positive = || Expr::lt(Expr::Index(0), Expr::var("m"));
        // It is computed under a condition, or for a part of the entries.
        let some = each("p", Stmt::when(is_positive(), vec![Stmt::accumulate("s", exp("p"))]));
        stays([some, quotients()].concat());
        let until = [sum_body(), Stmt::when(is_positive(), vec![Stmt::Break])].concat();
        stays([each("p", until), quotients()].concat());
        let others = Stmt::for_range("q", Expr::Index(0), Expr::var("n"), sum_body());
        stays([sum(), others].concat());
        // An argument, or the range, changes between the loops.
        let stored = Stmt::store("a", Expr::Index(0), Expr::var("s"));
        stays([sum(), vec![stored], quotients()].concat());
        stays(
            [sum(), vec![Stmt::store("pos", Expr::Index(0), Expr::var("m"))], quotients()].concat(),
        );
    }

    fn sum_body() -> Vec<Stmt> {
        vec![Stmt::accumulate("s", exp("p"))]
    }
}
