//! Reductions that tell where a value is: the best value so far goes along with its coordinate.

use crate::ir::{Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::notation::{self, ReduceOp, TensorId};
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::scope::Scope;
use super::value::literal;

impl Lowering<'_> {
    /// `let mut least = f64::INFINITY;`, where a temporary needs it beside itself.
    pub(super) fn declare_best(&self, temporary: TensorId, op: ReduceOp) -> Option<Stmt> {
        let best = self.program.kernel.choice(temporary)?.key;
        let initial = literal(op.identity(), self.program.tensor(best).dtype);
        Some(Stmt::bind_mut(self.names.argument(best), initial))
    }

    /// Returns the place that is none of a variable's, from which a temporary starts that meets a value at
    /// every coordinate: the worst that there can be is better than no number, which is skipped.
    pub(super) fn nowhere(&self, temporary: TensorId, scope: &Scope) -> Option<Expr> {
        let chosen = self.program.kernel.choice(temporary)?;
        let is_float = self.program.tensor(chosen.key).dtype.is_float();
        (is_float && scope.complete.contains(&temporary))
            .then(|| Expr::cast(self.extent(chosen.variable), None, Dtype::Usize))
    }

    /// `if argmin == j_size { argmin = 0; }`: of what is no number throughout, the first coordinate.
    pub(super) fn finish_best(&self, temporary: TensorId, scope: &Scope) -> Vec<Stmt> {
        let Some(nowhere) = self.nowhere(temporary, scope) else { return Vec::new() };
        let place = self.names.argument(temporary);
        let first = literal(Literal::Int(0), Dtype::Usize);
        Stmt::when(Expr::eq(Expr::var(place), nowhere), vec![Stmt::assign(place, first)])
    }

    /// `if value < least { least = value; argmin = j; }`. Among equals the first coordinate is the
    /// least, where the loop runs over them in order; at first it is 0, so that a range of nothing but
    /// the worst that there can be has the answer already, or none at all.
    pub(super) fn choose(
        &self,
        temporary: TensorId,
        op: ReduceOp,
        value: &notation::Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let Some(chosen) = self.program.kernel.choice(temporary) else { return Vec::new() };
        let (place, best) = (self.names.argument(temporary), self.names.argument(chosen.key));
        let mut stmts: Vec<Stmt> = scope.found(temporary, Some(op), value).into_iter().collect();
        let value = self.number(value, self.program.tensor(chosen.key).dtype, scope);
        let value = match value {
            Expr::Var(_) | Expr::Value(..) => value,
            value => {
                stmts.push(Stmt::bind(self.names.candidate(), value));
                Expr::var(self.names.candidate())
            }
        };
        let (is, so_far) = (value.clone(), Expr::var(best));
        let is_better = match op == ReduceOp::ArgMax {
            true => Expr::lt(so_far.clone(), is.clone()),
            false => Expr::lt(is.clone(), so_far.clone()),
        };
        let coordinate = Expr::cast(scope.coordinate(chosen.variable), None, Dtype::Usize);
        let counted = self.program.space.counted(chosen.variable);
        let is_known = self.nowhere(temporary, scope).is_none();
        let is_first = match is_known && scope.in_order.contains(&counted) {
            true => Expr::Bool(false),
            false => {
                Expr::and(Expr::eq(is, so_far), Expr::lt(coordinate.clone(), Expr::var(place)))
            }
        };
        let take = vec![Stmt::assign(best, value), Stmt::assign(place, coordinate)];
        stmts.extend(Stmt::when(Expr::or(is_better, is_first), take));
        stmts
    }

    /// Whether a loop meets its coordinates in order. Several iterators are merged in order.
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
