//! Intersection of two sorted lists by exponential search.

use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::iterator::LevelIterator;

use super::Lowering;
use super::scope::Scope;

impl Lowering<'_> {
    /// Advances an iterator to its first entry at or after a coordinate, by exponential search: in
    /// steps that double, followed by bisection.
    pub(super) fn leap(
        &self,
        iterator: &LevelIterator,
        end: &Expr,
        coordinate: &Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let name = self.names.position(&iterator.access, iterator.level);
        let leap = format!("{name}_leap");
        let ahead = Expr::add(Expr::var(&name), Expr::var(&leap));
        let there = self.access(iterator, &ahead, scope).value;
        let is_below = Expr::and(Expr::lt(ahead, end.clone()), Expr::lt(there, coordinate.clone()));
        let scale = |op| Stmt::Assign { name: leap.clone(), op: Some(op), value: Expr::Index(2) };
        let go = Stmt::accumulate(&name, Expr::var(&leap));
        let mut stmts = vec![Stmt::bind_mut(&leap, Expr::Index(1))];
        stmts.extend(Stmt::repeat_while(is_below.clone(), vec![go.clone(), scale(BinaryOp::Mul)]));
        let mut halves = vec![scale(BinaryOp::Div)];
        halves.extend(Stmt::when(is_below, vec![go]));
        stmts.extend(Stmt::repeat_while(Expr::lt(Expr::Index(1), Expr::var(&leap)), halves));
        stmts.push(Stmt::accumulate(&name, Expr::Index(1)));
        stmts
    }
}
