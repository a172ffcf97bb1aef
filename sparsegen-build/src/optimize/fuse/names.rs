//! Bodies that are put together keep their names apart.

use std::collections::BTreeSet;

use crate::ir::{Expr, Function, Result, Stmt, Uses, substitute};
use crate::names::{beside, free};

/// A function whose names do not collide with those of an earlier one, but for those of the same value;
/// nothing where those would that are not variables of either. What is renamed gets a suffix.
pub(super) fn distinct(function: &Function, before: &Function, suffix: &str) -> Option<Function> {
    let taken = bindings(&before.body, &function.body);
    if outer(before).iter().any(|name| binds(&function.body, name))
        || outer(function).iter().any(|name| binds(&before.body, name))
    {
        return None;
    }
    let mut renamed = function.clone();
    while let Some(stmt) = collision(&renamed.body, &before.body, &taken) {
        matches!(stmt, Stmt::Let { .. }).then_some(())?;
        let name = bound(stmt)?.to_owned();
        let (mut known, before) = (renamed.names(), before.names());
        known.extend(before);
        let own = free(&beside(&name, suffix), |name| known.contains(name));
        renamed.body = rename(&renamed.body, &name, &own);
        if let Result::Scalar { value, .. } = &mut renamed.result {
            *value = value.substitute(&name, &Expr::var(&own));
        }
    }
    Some(renamed)
}

/// The first statement that binds a name which another one has taken for something else.
fn collision<'s>(body: &'s [Stmt], before: &[Stmt], taken: &[&Stmt]) -> Option<&'s Stmt> {
    bindings(body, before).into_iter().find(|stmt| {
        let mut same = taken.iter().filter(|other| bound(other) == bound(stmt));
        let may_share = matches!(stmt, Stmt::Let { mutable: false, .. });
        same.any(|other| !may_share || other != stmt)
    })
}

/// The names that a function uses and does not bind: those of its operands, results and extents.
fn outer(function: &Function) -> BTreeSet<String> {
    let Uses { read, measured, written } = Uses::of_function(function);
    let names = read.into_keys().chain(measured.into_keys()).chain(written.into_keys());
    names.filter(|name| !binds(&function.body, name)).collect()
}

/// Whether a body binds a name anywhere.
fn binds(body: &[Stmt], name: &str) -> bool {
    let mut binds = false;
    body.iter().for_each(|stmt| {
        stmt.for_each(&mut |stmt| {
            let counts = matches!(stmt, Stmt::For { name: counter, .. } if counter == name);
            binds |= counts || bound(stmt) == Some(name);
        });
    });
    binds
}

/// The statements of a body that bind names where statements of another body may come to stand: beside
/// each other, and in loops that both have.
fn bindings<'s>(body: &'s [Stmt], other: &[Stmt]) -> Vec<&'s Stmt> {
    let mut found: Vec<&Stmt> = Vec::new();
    for stmt in body {
        if bound(stmt).is_some() {
            found.push(stmt);
        }
        if let Stmt::For { body: inner, .. } = stmt {
            for both in other.iter().filter(|other| have_same_range(stmt, other)) {
                both.bodies().into_iter().for_each(|other| found.extend(bindings(inner, other)));
            }
        }
    }
    found
}

/// Whether two statements are loops that run alike.
fn have_same_range(a: &Stmt, b: &Stmt) -> bool {
    let Stmt::For { name, start, end, .. } = a else { return false };
    matches!(b, Stmt::For { name: n, start: s, end: e, .. } if (name, start, end) == (n, s, e))
}

/// Statements in which a variable is called otherwise.
fn rename(body: &[Stmt], from: &str, by: &str) -> Vec<Stmt> {
    let one = |stmt: &Stmt| match stmt {
        Stmt::Let { name, mutable, value } if name == from => {
            vec![Stmt::Let { name: by.to_owned(), mutable: *mutable, value: value.clone() }]
        }
        Stmt::Assign { name, op, value } if name == from => {
            vec![Stmt::Assign { name: by.to_owned(), op: *op, value: value.clone() }]
        }
        stmt => stmt.map(&mut Expr::clone, &mut |inner| rename(inner, from, by)),
    };
    substitute(body, from, &Expr::var(by)).iter().flat_map(one).collect()
}

/// The name that a statement binds for those behind it.
fn bound(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Let { name, .. } | Stmt::Scratch { name, .. } | Stmt::Workspace { name, .. } => {
            Some(name)
        }
        Stmt::Harvest { crd, .. } => Some(crd),
        Stmt::Comment(_)
        | Stmt::Assign { .. }
        | Stmt::Store { .. }
        | Stmt::Sort { .. }
        | Stmt::Clear { .. }
        | Stmt::Reserve { .. }
        | Stmt::Push { .. }
        | Stmt::Resize { .. }
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => None,
    }
}
