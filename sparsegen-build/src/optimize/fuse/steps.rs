//! Whether iterations of two loops touch the same elements of arrays in the same iteration only.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinaryOp, Expr, Size, Stmt, Uses};

/// What one of two bodies writes and the other one reads or writes.
pub(super) fn conflicts(a: &[Stmt], b: &[Stmt]) -> impl Iterator<Item = String> {
    let (of_a, of_b) = (Uses::of(a), Uses::of(b));
    let touches =
        |uses: &Uses, name: &str| uses.reads(name) + uses.writes(name) + uses.measures(name) > 0;
    let names: BTreeSet<String> = of_a.written.keys().chain(of_b.written.keys()).cloned().collect();
    names.into_iter().filter(move |name| touches(&of_a, name) && touches(&of_b, name))
}

/// Whether two bodies, one after the other in each iteration of a loop, do what two loops do: what one
/// writes and the other one touches is an array, and each iteration touches its own elements alone.
pub(super) fn in_step(counter: &str, bodies: [&[Stmt]; 2], extents: &[Size]) -> bool {
    let own = Own { counter, extents, bound: bodies.into_iter().flat_map(bound).collect() };
    conflicts(bodies[0], bodies[1]).all(|array| {
        let mut rows: BTreeSet<Option<String>> = BTreeSet::new();
        for body in bodies {
            let Some(indices) = indices(body, &array, counter) else { return false };
            let values = values(body);
            rows.extend(indices.into_iter().map(|index| own.row(&resolved(index, &values))));
        }
        rows.len() == 1 && !rows.contains(&None)
    })
}

/// The elements that belong to an iteration.
struct Own<'l> {
    counter: &'l str,
    extents: &'l [Size],
    /// The names that mean something else in each iteration.
    bound: BTreeSet<String>,
}

impl Own<'_> {
    /// Which elements are those of an iteration: the same text for the same elements, and nothing where
    /// others might touch them. Behind a product with an extent stands a coordinate within that extent:
    /// whatever `j` is, `(p + i) * j_size + j` is in row `i`.
    fn row(&self, index: &Expr) -> Option<String> {
        if *index == Expr::var(self.counter) {
            return Some(String::new());
        }
        if let Expr::Binary(BinaryOp::Mul, place, extent) = index {
            let is_extent = self.extents.iter().any(|size| **extent == Expr::var(&size.name));
            let row = is_extent.then(|| self.row(place)).flatten()?;
            return Some(format!("{row} {extent}"));
        }
        let Expr::Binary(BinaryOp::Add, place, last) = index else { return None };
        if **last == Expr::var(self.counter) && self.is_constant(place) {
            return Some(place.to_string());
        }
        let is_row = matches!(**place, Expr::Binary(BinaryOp::Mul, ..));
        is_row.then(|| self.row(place)).flatten()
    }

    /// Whether an expression is the same in all iterations.
    fn is_constant(&self, expr: &Expr) -> bool {
        !expr.mentions(self.counter) && self.bound.iter().all(|name| !expr.mentions(name))
    }
}

/// The names that a body binds or writes, at any depth.
fn bound(body: &[Stmt]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = Uses::of(body).written.into_keys().collect();
    body.iter().for_each(|stmt| {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
                names.insert(name.clone());
            }
        });
    });
    names
}

/// What names stand for that a body binds to nothing else.
fn values(body: &[Stmt]) -> BTreeMap<&str, &Expr> {
    let mut values: BTreeMap<&str, Option<&Expr>> = BTreeMap::new();
    body.iter().for_each(|stmt| {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Let { name, mutable: false, value } = stmt {
                let known = values.entry(name).or_insert(Some(value));
                *known = known.filter(|known| *known == value);
            } else if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
                values.insert(name, None);
            }
        });
    });
    values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// An index in terms of what the names in it stand for, as far as that is known.
fn resolved(index: &Expr, values: &BTreeMap<&str, &Expr>) -> Expr {
    values.iter().fold(index.clone(), |index, _| {
        match values.iter().find(|(name, _)| index.mentions(name)) {
            Some((name, value)) => index.substitute(name, value),
            None => index,
        }
    })
}

/// Where a body reads or writes elements of an array; nothing where it does anything else with it, or
/// calls something else like it or like the counter.
fn indices<'s>(body: &'s [Stmt], array: &str, counter: &str) -> Option<Vec<&'s Expr>> {
    let mut indices = Vec::new();
    let mut elements_only = true;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            elements_only &= match stmt {
                Stmt::Store { array: name, index, .. } => {
                    indices.extend((*name == array).then_some(index));
                    true
                }
                Stmt::Let { name, .. } | Stmt::For { name, .. } => {
                    *name != array && name != counter
                }
                Stmt::Assign { name, .. }
                | Stmt::Scratch { name, .. }
                | Stmt::Sort { array: name }
                | Stmt::Workspace { name, .. }
                | Stmt::Harvest { workspace: name, .. }
                | Stmt::Clear { array: name }
                | Stmt::Reserve { array: name, .. }
                | Stmt::Push { array: name, .. }
                | Stmt::Resize { array: name, .. } => *name != array,
                Stmt::Comment(_)
                | Stmt::Refuse { .. }
                | Stmt::Break
                | Stmt::While { .. }
                | Stmt::If { .. } => true,
            };
            for expr in stmt.expressions() {
                expr.for_each(&mut |part| {
                    elements_only &= match part {
                        Expr::Load { array: name, index } => {
                            indices.extend((*name == array).then_some(&**index));
                            true
                        }
                        Expr::Var(name) | Expr::Len(name) | Expr::Search { array: name, .. } => {
                            *name != array
                        }
                        Expr::Index(_)
                        | Expr::Value(..)
                        | Expr::Constant(..)
                        | Expr::Bool(_)
                        | Expr::Largest(_)
                        | Expr::Pair(..)
                        | Expr::Unary(..)
                        | Expr::Binary(..)
                        | Expr::Call(..)
                        | Expr::Cast { .. }
                        | Expr::Choose { .. } => true,
                    };
                });
            }
        });
    }
    elements_only.then_some(indices)
}
