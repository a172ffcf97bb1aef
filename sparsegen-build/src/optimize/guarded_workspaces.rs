//! Guarded workspaces: a workspace that is read only if a range has entries is cleared only then.
//!
//! `w.clear(); w.resize(n, 0.0); let found = a < b; for p in a..b { … } if found { … }` takes a step for
//! each element of the workspace, also where the range is empty, as in most rows of a gradient.

use crate::ir::{Expr, Function, Stmt, Uses, leaves};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let uses = Uses::of_function(&function);
    function.body = guard_all(&function.body, &uses);
    function
}

/// Guards the workspaces of a body and of nested ones; `all` are the uses in the function.
fn guard_all(body: &[Stmt], all: &Uses) -> Vec<Stmt> {
    let within = |stmt: &Stmt| stmt.map(&mut Expr::clone, &mut |body| guard_all(body, all));
    let mut body: Vec<Stmt> = body.iter().flat_map(within).collect();
    while let Some(guarded) = (0..body.len()).find_map(|at| guarded(&body, at, all)) {
        body = guarded;
    }
    body
}

/// Returns a body in which the flag that is declared at `at` guards the workspaces that are initialized
/// before, if nothing else depends on these.
fn guarded(body: &[Stmt], at: usize, all: &Uses) -> Option<Vec<Stmt>> {
    let Stmt::Let { name: flag, mutable: false, value: condition } = &body[at] else {
        return None;
    };
    let before = body[..at].iter().rev().take_while(|stmt| initialized(stmt).is_some()).count();
    let first = at - before;
    let arrays: Vec<&str> = body[first..at].iter().filter_map(initialized).collect();
    (!arrays.is_empty()).then_some(())?;
    let guards = |stmt: &Stmt| stmt.guarded_by(flag).is_some();
    let last = at + 1 + body[at + 1..].iter().position(guards)?;
    let (fill, read, after) =
        (&body[at + 1..last], body[last].guarded_by(flag)?, &body[last + 1..]);
    let of_fill = Uses::of(fill);
    let binds = |name: &str| fill.iter().any(|stmt| stmt.binds_within(&|bound| bound == name));
    let writes_only_arrays =
        of_fill.written.keys().all(|name| arrays.contains(&name.as_str()) || binds(name));
    let own = Uses::of(&body[first..=last]);
    let is_own = |array: &&str| {
        own.reads(array) == all.reads(array) && own.measures(array) == all.measures(array)
    };
    let of_after = Uses::of(after);
    let mut bound = fill.iter().flat_map(|stmt| stmt.binds());
    let is_local = bound.all(|name| of_after.reads(name) + of_after.writes(name) == 0);
    let suits = !arrays.iter().any(|array| condition.mentions(array))
        && writes_only_arrays
        && !leaves(fill)
        && arrays.iter().all(is_own)
        && is_local
        && of_fill.reads(flag) + of_after.reads(flag) == 0
        && Uses::of(read).reads(flag) == 0;
    suits.then(|| {
        let within = [&body[first..at], fill, read].concat();
        let guarded = Stmt::when(condition.clone(), within);
        [&body[..first], &guarded, after].concat()
    })
}

/// Returns the array that a statement initializes.
fn initialized(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Clear { array } => Some(array),
        Stmt::Resize { array, len, value } if !len.mentions(array) && !value.mentions(array) => {
            Some(array)
        }
        _ => None,
    }
}

impl Stmt {
    /// Returns the statements that are executed only if a flag is set, if this is a test of it.
    fn guarded_by(&self, flag: &str) -> Option<&[Stmt]> {
        match self {
            Stmt::If { arms, otherwise } if otherwise.is_empty() => match &arms[..] {
                [(condition, body)] if *condition == Expr::var(flag) => Some(body),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(outside: Vec<Stmt>) -> Vec<Stmt> {
        let index = || Expr::load("crd", Expr::var("p"));
        let add = Stmt::accumulate_at("w", index(), Expr::load("x", Expr::var("p")));
        let fill = Stmt::for_range("p", Expr::var("a"), Expr::var("b"), vec![add]);
        let read = vec![Stmt::push("y", Expr::load("w", Expr::Index(0)))];
        [
            vec![
                Stmt::Clear { array: "w".to_owned() },
                Stmt::Resize { array: "w".to_owned(), len: Expr::var("n"), value: Expr::Index(0) },
                Stmt::bind("found", Expr::lt(Expr::var("a"), Expr::var("b"))),
            ],
            fill,
            outside,
            Stmt::when(Expr::var("found"), read),
        ]
        .concat()
    }

    fn shown(body: &[Stmt]) -> String {
        guard_all(body, &Uses::of(body)).iter().map(Stmt::to_string).collect()
    }

    #[test]
    fn an_empty_range_needs_no_workspace() {
        assert_eq!(
            shown(&row(vec![])),
            "if a < b {\n    w.clear();\n    w.resize(n, 0);\n    for p in a..b {\n        w[crd[p]] \
             += x[p];\n    }\n    y.push(w[0]);\n}\n"
        );
    }

    #[test]
    fn what_others_need_stays() {
        let others = [
            Stmt::accumulate("count", Expr::Index(1)),
            Stmt::push("y", Expr::load("w", Expr::Index(1))),
            Stmt::assign("sum", Expr::var("found")),
        ];
        for other in others {
            let body = row(vec![other]);
            let text: String = body.iter().map(Stmt::to_string).collect();
            assert_eq!(shown(&body), text);
        }
        // Another row reads the workspace.
        let read = Stmt::push("z", Expr::load("w", Expr::Index(0)));
        let body = [row(vec![]), vec![read]].concat();
        let text: String = body.iter().map(Stmt::to_string).collect();
        assert_eq!(shown(&body), text);
    }
}
