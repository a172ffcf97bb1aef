//! Arg-reductions: accumulate a key, such as the least value, together with its coordinate.

use crate::ir::{Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::notation::{self, ReduceOp, TensorId};
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::scope::Scope;
use super::value::literal;

impl Lowering<'_> {
    /// Returns `let mut least = f64::INFINITY;`, the declaration of the key of an arg-reduction.
    pub(super) fn declare_key(&self, temporary: TensorId, op: ReduceOp) -> Option<Stmt> {
        let key = self.program.kernel.choice(temporary)?.key;
        let initial = literal(op.identity(), self.program.tensor(key).dtype);
        Some(Stmt::bind_mut(self.names.argument(key), initial))
    }

    /// Returns the initial coordinate of an arg-reduction that visits every coordinate, which is
    /// not a valid one: even the worst value is preferred to NaN, which is skipped.
    pub(super) fn invalid_coordinate(&self, temporary: TensorId, scope: &Scope) -> Option<Expr> {
        let chosen = self.program.kernel.choice(temporary)?;
        let is_float = self.program.tensor(chosen.key).dtype.is_float();
        (is_float && scope.complete.contains(&temporary))
            .then(|| Expr::cast(self.extent(chosen.variable), None, Dtype::Usize))
    }

    /// Returns `if argmin == j_size { argmin = 0; }`: if all values are NaN, the result is the
    /// first coordinate.
    pub(super) fn replace_invalid(&self, temporary: TensorId, scope: &Scope) -> Vec<Stmt> {
        let Some(invalid_coordinate) = self.invalid_coordinate(temporary, scope) else {
            return Vec::new();
        };
        let place = self.names.argument(temporary);
        let first = literal(Literal::Int(0), Dtype::Usize);
        Stmt::when(Expr::eq(Expr::var(place), invalid_coordinate), vec![Stmt::assign(place, first)])
    }

    /// Returns `if value < least { least = value; argmin = j; }`. If the loop visits coordinates in
    /// order, the first of equal values is chosen. The initial coordinate is 0, so that a range of
    /// identity elements has the right result.
    pub(super) fn choose(
        &self,
        temporary: TensorId,
        op: ReduceOp,
        value: &notation::Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let Some(chosen) = self.program.kernel.choice(temporary) else { return Vec::new() };
        let (place, key) = (self.names.argument(temporary), self.names.argument(chosen.key));
        let mut stmts: Vec<Stmt> = scope.found(temporary, Some(op), value).into_iter().collect();
        let value = self.number(value, self.program.tensor(chosen.key).dtype, scope);
        let value = match value {
            Expr::Var(_) | Expr::Value(..) => value,
            value => {
                stmts.push(Stmt::bind(self.names.candidate(), value));
                Expr::var(self.names.candidate())
            }
        };
        let (is, so_far) = (value.clone(), Expr::var(key));
        let is_better = match op == ReduceOp::ARG_MAX {
            true => Expr::lt(so_far.clone(), is.clone()),
            false => Expr::lt(is.clone(), so_far.clone()),
        };
        let coordinate = Expr::cast(scope.coordinate(chosen.variable), None, Dtype::Usize);
        let counted = self.program.space.counted(chosen.variable);
        let is_known = self.invalid_coordinate(temporary, scope).is_none();
        let is_first = match is_known && scope.in_order.contains(&counted) {
            true => Expr::Bool(false),
            false => {
                Expr::and(Expr::eq(is, so_far), Expr::lt(coordinate.clone(), Expr::var(place)))
            }
        };
        // Nothing is compared with the last value.
        let mut take = vec![Stmt::assign(place, coordinate)];
        if !scope.ends.contains(&chosen.variable) {
            take.insert(0, Stmt::assign(key, value));
        }
        stmts.extend(Stmt::when(Expr::or(is_better, is_first), take));
        stmts
    }

    /// Returns whether a loop visits its coordinates in order. Merged iterators do.
    pub(super) fn runs_in_order(&self, inner: &Loop) -> bool {
        let [MergePoint { drivers, by_dimension: false, .. }] = &inner.points[..] else {
            return true;
        };
        let mut drivers = drivers.members().map(|member| &inner.iterators[member]);
        match (drivers.next(), drivers.next()) {
            (Some(only), None) => only.reorders() || only.is_in_order(self.program),
            (_, _) => true,
        }
    }
}
