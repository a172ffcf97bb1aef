//! Nests of loops that accumulate to the dense elements of results.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use crate::ir::{BinaryOp, Dtype, Expr, Stmt};
use crate::optimize::strips::{cut, expanded, is_contiguous};

/// A loop around one that visits the same elements of results in each iteration:
/// `for p in start..end { before; for j in from..to { inner } }`.
pub(super) struct Nest<'s> {
    pub(super) outer: &'s str,
    pub(super) start: &'s Expr,
    pub(super) end: &'s Expr,
    pub(super) before: &'s [Stmt],
    pub(super) variable: &'s str,
    pub(super) from: &'s Expr,
    pub(super) to: &'s Expr,
    pub(super) inner: &'s [Stmt],
    /// The elements that are accumulated.
    pub(super) targets: Vec<Target>,
    /// The constants of the inner loop.
    pub(super) lets: Vec<(String, Expr)>,
    /// The variables of the outer loop, which change in each iteration.
    changing: BTreeSet<String>,
}

/// An element that the inner loop accumulates.
pub(super) struct Target {
    pub(super) array: String,
    pub(super) index: Expr,
    pub(super) dtype: Dtype,
    op: Option<BinaryOp>,
    value: Expr,
    /// The value before the nest, if the nest visits each element once.
    pub(super) fill: Option<Expr>,
}

impl<'s> Nest<'s> {
    /// Returns a statement as a nest, if its loops may be exchanged: the outer loop only accumulates,
    /// and each iteration of the inner loop has its own elements.
    pub(super) fn of(stmt: &'s Stmt, arrays: &BTreeMap<String, Dtype>) -> Option<Nest<'s>> {
        let Stmt::For { name: outer, start, end, body } = stmt else { return None };
        let (last, before) = body.split_last()?;
        let Stmt::For { name: variable, start: from, end: to, body: inner } = last else {
            return None;
        };
        let is_constant = |stmt: &Stmt| match stmt {
            Stmt::Let { mutable, .. } => !mutable,
            Stmt::Comment(_) => true,
            _ => false,
        };
        if !before.iter().all(is_constant) || !is_local(inner, &mut BTreeSet::new(), true) {
            return None;
        }
        let mut changing: BTreeSet<String> =
            before.iter().flat_map(Stmt::binds).map(str::to_owned).collect();
        changing.insert(outer.clone());
        let mut lets = Vec::new();
        let mut targets: Vec<Target> = Vec::new();
        for stmt in inner {
            match stmt {
                Stmt::Let { name, mutable: false, value } => {
                    lets.push((name.clone(), value.clone()));
                }
                Stmt::Store { array, index, op, value } => {
                    let known = targets.iter().any(|target| target.array == *array);
                    let dtype = *arrays.get(array).filter(|_| !known)?;
                    let (array, index, value) = (array.clone(), index.clone(), value.clone());
                    targets.push(Target { array, index, dtype, op: *op, value, fill: None });
                }
                _ => {}
            }
        }
        let nest =
            Nest { outer, start, end, before, variable, from, to, inner, targets, lets, changing };
        let limits = [from, to].into_iter().all(|limit| !nest.changes(limit));
        (limits && nest.accumulates()).then_some(nest)
    }

    /// Returns whether an expression may change between the iterations of the outer loop.
    fn changes(&self, expr: &Expr) -> bool {
        let expr = expanded(expr, &self.lets);
        self.changing.iter().any(|name| expr.mentions(name))
    }

    /// Returns whether all targets are accumulated, and not used otherwise.
    fn accumulates(&self) -> bool {
        let mutable = self.inner.iter().filter_map(|stmt| match stmt {
            Stmt::Let { name, mutable: true, .. } => Some(name),
            _ => None,
        });
        let mutable: Vec<&String> = mutable.collect();
        let is_own = |target: &Target| {
            let index = expanded(&target.index, &self.lets);
            let mut is_used = false;
            let mut uses = 0;
            let mut look = |expr: &Expr| {
                expr.for_each(&mut |part| match part {
                    Expr::Load { array, index } if *array == target.array => {
                        uses += 1;
                        is_used |= **index != target.index;
                    }
                    Expr::Len(array) | Expr::Search { array, .. } => {
                        is_used |= *array == target.array;
                    }
                    _ => {}
                });
            };
            self.inner.iter().for_each(|stmt| {
                stmt.for_each(&mut |stmt| stmt.expressions().into_iter().for_each(&mut look));
            });
            let is_updated = target.op.is_some() || uses > 0;
            let before = self.before.iter().flat_map(Stmt::expressions);
            let mut around = before.chain([self.start, self.end, self.from, self.to]);
            is_contiguous(&index, self.variable)
                && !self.changes(&target.index)
                && !mutable.iter().any(|name| index.mentions(name))
                && !is_used
                && is_updated
                && !around.any(|expr| expr.mentions(&target.array))
        };
        !self.targets.is_empty() && self.targets.iter().all(is_own)
    }

    /// Returns the factors of an accumulated product that do not change in the outer loop, the sign
    /// of the sum, and the product of the other factors. `None` if there are no such factors.
    pub(super) fn factored(&self, target: &Target) -> Option<(Expr, BinaryOp, Expr)> {
        let sign = target.op.filter(|op| matches!(op, BinaryOp::Add | BinaryOp::Sub))?;
        if target.dtype == Dtype::Bool || target.dtype.is_opaque() {
            return None;
        }
        let mut factors = Vec::new();
        target.value.factors(&mut factors);
        let is_fixed = |factor: &&Expr| {
            let mut is_local = false;
            factor.names(&mut |name| is_local |= self.is_mutable(name));
            !is_local && !self.changes(factor)
        };
        let (fixed, others): (Vec<&Expr>, Vec<&Expr>) = factors.into_iter().partition(is_fixed);
        let product = |factors: Vec<&Expr>| factors.into_iter().cloned().reduce(Expr::mul);
        Some((product(fixed)?, sign, product(others)?))
    }

    /// Returns whether the inner loop changes a variable.
    fn is_mutable(&self, variable: &str) -> bool {
        self.inner
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Let { name, mutable: true, .. } if name == variable))
    }

    /// Returns whether the outer loop visits entries, rather than a whole range.
    pub(super) fn visits_entries(&self) -> bool {
        [self.start, self.end].into_iter().any(|limit| {
            let mut loads = false;
            limit.for_each(&mut |e| loads |= matches!(e, Expr::Load { .. }));
            loads
        })
    }

    /// Returns whether the outer loop may have no iteration more often than there are elements of the
    /// results: it is within a loop that visits the same elements again.
    pub(super) fn is_often_empty(&self, scope: &Scope) -> bool {
        let visits_again = |target: &Target| {
            let index = expanded(&expanded(&target.index, &self.lets), &scope.lets);
            let is_new = |v: &Option<String>| v.as_ref().is_some_and(|v| index.mentions(v));
            !scope.loops.iter().all(is_new)
        };
        self.visits_entries() && self.targets.iter().any(visits_again)
    }

    /// Returns the names of the arrays, for a comment.
    pub(super) fn arrays(&self) -> String {
        let names = self.targets.iter().map(|target| format!("`{}`", target.array));
        names.collect::<Vec<_>>().join(" and ")
    }

    /// Returns the nest with another range of the inner loop, after the values before it.
    pub(super) fn with_range(&self, from: Expr, to: Expr) -> Vec<Stmt> {
        let initial = self.targets.iter().filter_map(|target| {
            let fill = target.fill.clone()?;
            Some(Stmt::store(&target.array, target.index.clone(), fill))
        });
        let initial: Vec<Stmt> = initial.collect();
        let mut stmts = Vec::new();
        if !initial.is_empty() {
            let body = self.with_lets(&initial);
            stmts.extend(Stmt::for_range(self.variable, from.clone(), to.clone(), body));
        }
        let inner = Stmt::for_range(self.variable, from, to, self.inner.to_vec());
        let body = [self.before.to_vec(), inner].concat();
        stmts.extend(Stmt::for_range(self.outer, self.start.clone(), self.end.clone(), body));
        stmts
    }

    /// Returns statements with the constants of the inner loop that they use.
    pub(super) fn with_lets(&self, body: &[Stmt]) -> Vec<Stmt> {
        let mut stmts = body.to_vec();
        for (name, value) in self.lets.iter().rev() {
            let is_used = |stmt: &Stmt| stmt.expressions().iter().any(|expr| expr.mentions(name));
            if stmts.iter().any(is_used) {
                stmts.insert(0, Stmt::bind(name, value.clone()));
            }
        }
        stmts
    }
}

/// Returns whether statements change only variables that they declare, and, outermost, elements of
/// arrays. Their loops must be short.
fn is_local(body: &[Stmt], own: &mut BTreeSet<String>, outermost: bool) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Comment(_) => true,
        Stmt::Let { name, .. } => {
            own.insert(name.clone());
            true
        }
        Stmt::Assign { name, .. } => own.contains(name),
        Stmt::Store { .. } => outermost,
        Stmt::For { end, body, .. } => {
            (cut(end).is_some() || matches!(end, Expr::Index(_)))
                && is_local(body, &mut own.clone(), false)
        }
        _ => false,
    })
}

/// Returns statements in which another statement replaces the one that stores to an array.
pub(super) fn replaced(body: &[Stmt], array: &str, by: &Stmt) -> Vec<Stmt> {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::Store { array: of, .. } if of == array => by.clone(),
        stmt => stmt.clone(),
    };
    body.iter().map(stmt).collect()
}

/// Returns statements that use an element of another array instead.
pub(super) fn moved(body: &[Stmt], array: &str, to: &str, at: &Expr) -> Vec<Stmt> {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::Store { array: of, op, value, .. } if of == array => {
            let (index, value) = (at.clone(), value.with_element(array, to, at));
            vec![Stmt::Store { array: to.to_owned(), index, op: *op, value }]
        }
        stmt => stmt.map(&mut |expr| expr.with_element(array, to, at), &mut |inner| {
            moved(inner, array, to, at)
        }),
    };
    body.iter().flat_map(stmt).collect()
}
