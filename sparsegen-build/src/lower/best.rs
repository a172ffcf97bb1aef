//! Reductions that tell where a value is: the best value so far goes along with its coordinate.

use crate::ir::{Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::notation::{self, ReduceOp, TensorId};
use crate::types::Dtype;

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

    /// `if value < least { least = value; argmin = j; }`. Among equals the first coordinate is the
    /// least, where the loop runs over them in order; at first it is 0, so that a range of nothing but
    /// the worst that there can be has the answer already.
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
        let is_first = match scope.in_order.contains(&counted) {
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
