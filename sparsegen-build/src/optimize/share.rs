//! Computes once what several names stand for.
//!
//! For the reader: that two positions are the same is worth knowing, and told best by one name for
//! both. rustc would see it anyway. What is shared must not change between its names.

use std::collections::BTreeSet;

use crate::ir::{Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = share(&function.body);
    function
}

/// Statements in which what was computed already is called by the name that it has; `inline`
/// replaces the names.
fn share(body: &[Stmt]) -> Vec<Stmt> {
    let mut rest = body.to_vec();
    let mut done = Vec::new();
    while !rest.is_empty() {
        let stmt = rest.remove(0);
        if let Stmt::Let { name, mutable: false, value } = &stmt
            && is_computed(value)
        {
            rest = renamed(&rest, name, value);
        }
        done.extend(stmt.map(&mut Expr::clone, &mut |inner| share(inner)));
    }
    done
}

/// Whether a value is computed from variables alone.
fn is_computed(value: &Expr) -> bool {
    let mut loads = false;
    value.for_each(&mut |e| loads |= matches!(e, Expr::Load { .. } | Expr::Len(_)));
    matches!(value, Expr::Binary(..)) && !loads
}

/// Statements with a name for every name of the same value, as far as neither changes.
fn renamed(body: &[Stmt], name: &str, value: &Expr) -> Vec<Stmt> {
    let stays = |stmt: &Stmt| {
        let stmts = std::slice::from_ref(stmt);
        let changes = |other: &str| other == name || value.mentions(other);
        !Uses::of(stmts).written.keys().any(|written| changes(written))
            && !bound(stmt).into_iter().any(changes)
    };
    let until = body.iter().position(|stmt| !stays(stmt)).unwrap_or(body.len());
    let rename = |stmt: &Stmt| match stmt {
        Stmt::Let { name: other, mutable: false, value: same } if same == value => {
            vec![Stmt::bind(other, Expr::var(name))]
        }
        stmt => stmt.clone().map(&mut Expr::clone, &mut |inner| renamed(inner, name, value)),
    };
    let renamed = body[..until].iter().flat_map(rename);
    renamed.chain(body[until..].iter().cloned()).collect()
}

/// The names that a statement binds, at any depth.
fn bound(stmt: &Stmt) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    stmt.for_each(&mut |stmt| {
        if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
            names.insert(name.as_str());
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: Vec<Stmt>, expected: &str) {
        let text: String = share(&body).iter().map(Stmt::to_string).collect();
        assert_eq!(text, expected);
    }

    fn place() -> Expr {
        Expr::add(Expr::mul(Expr::var("i"), Expr::var("n")), Expr::var("j"))
    }

    #[test]
    fn the_same_place_has_one_name() {
        let store = Stmt::store("x", Expr::var("q"), Expr::Index(1));
        let body = vec![
            Stmt::bind("p", place()),
            Stmt::bind("q", place()),
            Stmt::For {
                name: "k".into(),
                start: Expr::Index(0),
                end: Expr::var("n"),
                body: vec![Stmt::bind("r", place()), store],
            },
        ];
        check(
            body,
            "let p = i * n + j;\nlet q = p;\nfor k in 0..n {\n    let r = p;\n    x[q] = 1;\n}\n",
        );
    }

    #[test]
    fn what_changes_is_computed_again() {
        let body = vec![
            Stmt::bind("p", place()),
            Stmt::accumulate("j", Expr::Index(1)),
            Stmt::bind("q", place()),
        ];
        check(body, "let p = i * n + j;\nj += 1;\nlet q = i * n + j;\n");
    }
}
