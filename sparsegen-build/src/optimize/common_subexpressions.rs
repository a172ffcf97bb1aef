//! Common-subexpression elimination: uses one name for equal values.
//!
//! For readability: one name shows that two positions are equal. rustc does it too. The value must
//! not change between the names.

use crate::ir::{Expr, Function, Stmt, Use, for_each_use};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = eliminate(function.body);
    function
}

/// Returns statements in which a value that has been computed is replaced by its name; copy
/// propagation then removes the copies.
fn eliminate(mut rest: Vec<Stmt>) -> Vec<Stmt> {
    let mut done = Vec::new();
    while !rest.is_empty() {
        let stmt = rest.remove(0);
        if let Stmt::Let { name, mutable: false, value } = &stmt
            && is_computed(value)
            && rest.iter().any(|stmt| repeats(stmt, value))
        {
            rest = renamed(&rest, name, value);
        }
        done.extend(stmt.with_bodies(&mut eliminate));
    }
    done
}

/// Returns whether a value is computed from variables only.
fn is_computed(value: &Expr) -> bool {
    let mut loads = false;
    value.for_each(&mut |e| {
        loads |= matches!(e, Expr::Load { .. } | Expr::Contains { .. } | Expr::Len(_));
    });
    matches!(value, Expr::Binary(..)) && !loads
}

/// Returns whether a statement binds another name to a value.
fn repeats(stmt: &Stmt, value: &Expr) -> bool {
    let mut repeats = false;
    stmt.for_each(&mut |stmt| {
        repeats |= matches!(stmt, Stmt::Let { mutable: false, value: same, .. } if same == value);
    });
    repeats
}

/// Returns statements with every computation of a value replaced by its name, until either changes.
fn renamed(body: &[Stmt], name: &str, value: &Expr) -> Vec<Stmt> {
    let changes = |other: &str| other == name || value.mentions(other);
    let stays = |stmt: &Stmt| {
        let mut changed = stmt.binds_within(&changes);
        for_each_use(std::slice::from_ref(stmt), &mut |kind, used| {
            changed |= kind == Use::Written && changes(used);
        });
        !changed
    };
    let until = body.iter().position(|stmt| !stays(stmt)).unwrap_or(body.len());
    let renamed = body[..until].iter().flat_map(|stmt| rename(stmt, name, value));
    renamed.chain(body[until..].iter().cloned()).collect()
}

/// Replaces every computation of a value in a statement that changes neither it nor its name.
fn rename(stmt: &Stmt, name: &str, value: &Expr) -> Vec<Stmt> {
    match stmt {
        Stmt::Let { name: other, mutable: false, value: same } if same == value => {
            vec![Stmt::bind(other, Expr::var(name))]
        }
        stmt => stmt.map(&mut Expr::clone, &mut |inner| {
            inner.iter().flat_map(|stmt| rename(stmt, name, value)).collect()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: Vec<Stmt>, expected: &str) {
        let text: String = eliminate(body).iter().map(Stmt::to_string).collect();
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
