//! Early exit: ends search loops when the result is decided.
//!
//! A disjunction stays true, and a conjunction stays false. rustc cannot know that the remaining
//! iterations have no other effect. Loops with other effects run to their ends.

use std::collections::BTreeSet;

use crate::ir::{Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let mut end = Uses::default();
    end.count_ends(&function);
    function.body = shorten_all(function.body, &end);
    function
}

/// The variable that loops search for, and the value that decides it.
struct Search<'n> {
    name: &'n str,
    decided: bool,
}

/// Returns statements with loops that end when their result is decided; `end` are the uses after them.
fn shorten_all(mut body: Vec<Stmt>, end: &Uses) -> Vec<Stmt> {
    let mut k = 0;
    // The replacement may have fewer statements.
    while k < body.len() {
        if let Stmt::Let { name, mutable: true, value: Expr::Bool(initial) } = body[k].clone() {
            let search = Search { name: &name, decided: !initial };
            if let Some(shorter) = search.shorten(&body[..k], &body[k + 1..], end) {
                body.splice(k + 1.., shorter);
            }
        }
        k += 1;
    }
    let mut inner = |body| shorten_all(body, &Uses::default());
    body.into_iter().flat_map(|stmt| stmt.with_bodies(&mut inner)).collect()
}

impl Search<'_> {
    /// Returns the statements after the variable's declaration, with loops that end when it is
    /// decided, or `None` if there are no such loops, or if other variables that they change are
    /// read.
    fn shorten(&self, before: &[Stmt], rest: &[Stmt], end: &Uses) -> Option<Vec<Stmt>> {
        let is_searching = |stmt: &Stmt| is_loop(stmt) && self.assigns(std::slice::from_ref(stmt));
        // The variables whose values are unknown after an early exit.
        let mut unknown: BTreeSet<String> = BTreeSet::new();
        let mut is_left = false;
        let mut shorter = Vec::new();
        for stmt in rest {
            let stmts = std::slice::from_ref(stmt);
            let reads_unknown =
                unknown.iter().any(|name| Uses::of_name(stmts, name).reads(name) > 0);
            if !is_searching(stmt) {
                // A variable that is assigned again is known.
                match self.sets(stmt) {
                    Some(names) => unknown.retain(|name| !names.contains(&name.as_str())),
                    None if reads_unknown && !self.is_if_open(stmt) => return None,
                    None => {}
                }
                shorter.push(stmt.clone());
                continue;
            }
            let own = declared(rest);
            for name in self.effects(stmts)? {
                if !own.contains(&name) || declared(before).contains(&name) {
                    return None;
                }
                unknown.insert(name);
            }
            let found = self.loop_of(stmt);
            shorter.extend(if is_left { Stmt::when(self.is_open(), found) } else { found });
            is_left = true;
        }
        let is_read = unknown.iter().any(|name| end.reads(name) > 0);
        (is_left && !is_read).then_some(shorter)
    }

    /// Returns the variables that a statement sets to constants if the variable is decided.
    fn sets<'s>(&self, stmt: &'s Stmt) -> Option<Vec<&'s str>> {
        let Stmt::If { arms, otherwise } = stmt else { return None };
        let [(condition, body)] = &arms[..] else { return None };
        let set = |stmt: &'s Stmt| {
            let Stmt::Assign { name, op: None, value } = stmt else { return None };
            matches!(value, Expr::Value(..) | Expr::Bool(_)).then_some(name.as_str())
        };
        let is_decided = *condition == self.is_decided() && otherwise.is_empty();
        if is_decided { body.iter().map(set).collect() } else { None }
    }

    /// Returns whether a statement has effects only if the variable is not decided, so that no loop
    /// was left early.
    fn is_if_open(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::If { arms, otherwise }
            if otherwise.is_empty() && arms.len() == 1 && arms[0].0 == self.is_open())
    }

    /// Returns the other variables that statements change and do not declare, or `None` if they
    /// have other effects, such as stores.
    fn effects(&self, body: &[Stmt]) -> Option<BTreeSet<String>> {
        let (mut names, mut is_pure) = (BTreeSet::new(), true);
        for stmt in body {
            stmt.for_each(&mut |stmt| match stmt {
                Stmt::Assign { name, .. } if name == self.name => {}
                Stmt::Assign { name, op: None, value: Expr::Bool(true) } => {
                    is_pure &= self.is_set_first(body, name);
                }
                Stmt::Assign { name, .. } => {
                    names.insert(name.clone());
                }
                Stmt::Comment(_)
                | Stmt::Let { .. }
                | Stmt::For { .. }
                | Stmt::ForOnes { .. }
                | Stmt::While { .. }
                | Stmt::If { .. } => {}
                Stmt::Store { .. }
                | Stmt::Scratch { .. }
                | Stmt::Tile { .. }
                | Stmt::Sort { .. }
                | Stmt::Workspace { .. }
                | Stmt::Harvest { .. }
                | Stmt::Places { .. }
                | Stmt::Rearrange(_)
                | Stmt::Clear { .. }
                | Stmt::Reserve { .. }
                | Stmt::Push { .. }
                | Stmt::Extend { .. }
                | Stmt::Resize { .. }
                | Stmt::Grow { .. }
                | Stmt::Refuse { .. }
                | Stmt::Break => is_pure = false,
            });
        }
        let own = declared(body);
        is_pure.then(|| names.into_iter().filter(|name| !own.contains(name)).collect())
    }

    /// Returns whether a flag is set before each assignment to the variable.
    fn is_set_first(&self, body: &[Stmt], flag: &str) -> bool {
        let sets = |stmt: &Stmt| matches!(stmt, Stmt::Assign { name, .. } if name == flag);
        let assigns = |stmt: &Stmt| matches!(stmt, Stmt::Assign { name, .. } if name == self.name);
        let first = body.iter().position(assigns);
        first.is_none_or(|first| body[..first].iter().any(sets))
            && body.iter().flat_map(Stmt::bodies).all(|inner| self.is_set_first(inner, flag))
    }

    fn assigns(&self, body: &[Stmt]) -> bool {
        Uses::of_name(body, self.name).writes(self.name) > 0
    }

    /// Returns a loop that ends when the variable is decided.
    fn loop_of(&self, stmt: &Stmt) -> Vec<Stmt> {
        let (condition, mut body) = match stmt {
            Stmt::For { name, start, end, body } => {
                let body = self.body_of(body);
                if body.last() != Some(&Stmt::Break) {
                    return Stmt::for_range(name, start.clone(), end.clone(), body);
                }
                let is_read = Uses::of_name(&body, name).reads(name) > 0;
                let first = is_read.then(|| Stmt::bind(name, start.clone()));
                (Expr::lt(start.clone(), end.clone()), first.into_iter().chain(body).collect())
            }
            Stmt::While { condition, body } => {
                let body = self.body_of(body);
                if body.last() != Some(&Stmt::Break) {
                    return Stmt::repeat_while(condition.clone(), body);
                }
                (condition.clone(), body)
            }
            other => return vec![other.clone()],
        };
        // The variable is decided in the first iteration.
        body.pop();
        Stmt::when(condition, without_breaks(&body))
    }

    /// Returns the body of a loop that ends when the variable is decided.
    fn body_of(&self, body: &[Stmt]) -> Vec<Stmt> {
        let mut left = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Assign { name, value, .. } if name == self.name => {
                    let decides =
                        if self.decided { value.clone() } else { Expr::not(value.clone()) };
                    let decide = Stmt::assign(name, Expr::Bool(self.decided));
                    left.extend(Stmt::when(decides, vec![decide, Stmt::Break]));
                }
                stmt if is_loop(stmt) && self.assigns(std::slice::from_ref(stmt)) => {
                    left.extend(self.loop_of(stmt));
                    left.extend(Stmt::when(self.is_decided(), vec![Stmt::Break]));
                }
                Stmt::If { arms, otherwise } => {
                    let arms = arms.iter().map(|(c, body)| (c.clone(), self.body_of(body)));
                    left.extend(Stmt::choose(arms.collect(), self.body_of(otherwise)));
                }
                stmt => left.push(stmt.clone()),
            }
            if left.last() == Some(&Stmt::Break) {
                break;
            }
        }
        left
    }

    fn is_decided(&self) -> Expr {
        let value = Expr::var(self.name);
        if self.decided { value } else { Expr::not(value) }
    }

    fn is_open(&self) -> Expr {
        Expr::not(self.is_decided())
    }
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::For { .. } | Stmt::While { .. })
}

/// Returns the variables that statements declare, at any depth.
fn declared(body: &[Stmt]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
                names.insert(name.clone());
            }
        });
    }
    names
}

/// Returns the body of a loop that became a branch.
fn without_breaks(body: &[Stmt]) -> Vec<Stmt> {
    let kept = |stmt: &Stmt| match stmt {
        Stmt::Break => Vec::new(),
        stmt if is_loop(stmt) => vec![stmt.clone()],
        stmt => stmt.map(&mut Expr::clone, &mut without_breaks),
    };
    body.iter().flat_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::BinaryOp;

    fn check(body: Vec<Stmt>, expected: &str) {
        check_before(Uses::default(), body, expected);
    }

    fn check_before(end: Uses, body: Vec<Stmt>, expected: &str) {
        let text: String = shorten_all(body, &end).iter().map(Stmt::to_string).collect();
        assert_eq!(text, expected);
    }

    fn start(name: &str, value: bool) -> Stmt {
        Stmt::bind_mut(name, Expr::Bool(value))
    }

    fn join(name: &str, op: BinaryOp, value: Expr) -> Stmt {
        Stmt::combine(name, op, value)
    }

    fn over(name: &str, body: Vec<Stmt>) -> Stmt {
        let (start, end) = (Expr::Index(0), Expr::var("n"));
        Stmt::For { name: name.into(), start, end, body }
    }

    fn holds() -> Expr {
        Expr::load("x", Expr::var("j"))
    }

    #[test]
    fn a_search_ends_where_it_finds_something() {
        check(
            vec![start("any", false), over("j", vec![join("any", BinaryOp::Or, holds())])],
            "let mut any = false;\nfor j in 0..n {\n    if x[j] {\n        any = true;\n        \
             break;\n    }\n}\n",
        );
        check(
            vec![start("all", true), over("j", vec![join("all", BinaryOp::And, holds())])],
            "let mut all = true;\nfor j in 0..n {\n    if !x[j] {\n        all = false;\n        \
             break;\n    }\n}\n",
        );
    }

    #[test]
    fn loops_around_and_behind_end_too() {
        let inner = over("j", vec![join("any", BinaryOp::Or, holds())]);
        check(
            vec![start("any", false), over("i", vec![inner.clone()]), inner],
            "let mut any = false;\nfor i in 0..n {\n    for j in 0..n {\n        if x[j] {\n            \
             any = true;\n            break;\n        }\n    }\n    if any {\n        break;\n    }\n}\n\
             if !any {\n    for j in 0..n {\n        if x[j] {\n            any = true;\n            \
             break;\n        }\n    }\n}\n",
        );
    }

    #[test]
    fn what_is_found_at_once_needs_no_loop() {
        check(
            vec![start("any", false), over("j", vec![join("any", BinaryOp::Or, Expr::Bool(true))])],
            "let mut any = false;\nif 0 < n {\n    any = true;\n}\n",
        );
    }

    #[test]
    fn a_loop_that_does_more_goes_on() {
        let store = Stmt::store("y", Expr::var("j"), Expr::Index(1));
        let body =
            vec![start("any", false), over("j", vec![join("any", BinaryOp::Or, holds()), store])];
        let text: String = body.iter().map(Stmt::to_string).collect();
        check(body, &text);
        let count = Stmt::accumulate("count", Expr::Index(1));
        let mut body = vec![
            start("any", false),
            Stmt::bind_mut("count", Expr::Index(0)),
            over("j", vec![join("any", BinaryOp::Or, holds()), count]),
            Stmt::store("y", Expr::var("count"), Expr::Index(1)),
        ];
        let shown = |body: &[Stmt]| body.iter().map(Stmt::to_string).collect::<String>();
        check(body.clone(), &shown(&body));
        // The function may return it.
        body.pop();
        let mut end = Uses::default();
        end.count_expr(&Expr::var("count"));
        check_before(end, body.clone(), &shown(&body));
    }
}
