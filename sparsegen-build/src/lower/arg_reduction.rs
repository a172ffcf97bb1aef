//! Arg-reductions: accumulate a key, such as the least value, together with its coordinate.

use crate::ir::{Combining, Expr, Reduced, Returned, Stmt, key_of};
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
            .then(|| literal(ReduceOp::MIN.identity(), Dtype::Usize))
    }

    /// Returns `if argmin == usize::MAX { argmin = 0; }`: if all values are NaN, the result is the
    /// first coordinate.
    pub(super) fn replace_invalid(&self, temporary: TensorId, scope: &Scope) -> Vec<Stmt> {
        let Some(invalid) = self.invalid_coordinate(temporary, scope) else { return Vec::new() };
        let place = self.names.argument(temporary);
        let first = literal(Literal::Int(0), Dtype::Usize);
        match self.is_of_parts(temporary) {
            true => Vec::new(),
            false => {
                Stmt::when(Expr::eq(Expr::var(place), invalid), vec![Stmt::assign(place, first)])
            }
        }
    }

    /// Returns the coordinate that an arg-reduction of all parts chooses, if not each of them has a
    /// valid one.
    pub(super) fn chosen_of_parts(&self, temporary: TensorId, scope: &Scope) -> Option<Expr> {
        let invalid = self.invalid_coordinate(temporary, scope)?;
        let place = Expr::var(self.names.argument(temporary));
        let first = literal(Literal::Int(0), Dtype::Usize);
        let is_invalid = Expr::eq(place.clone(), invalid);
        self.is_of_parts(temporary).then(|| Expr::choose(is_invalid, first, place))
    }

    /// Returns whether each part computes a value of a temporary, which are combined after the loops.
    pub(super) fn is_of_parts(&self, temporary: TensorId) -> bool {
        self.reductions.iter().any(|reduction| reduction.tensor == temporary)
    }

    /// Returns the key and the coordinate that each part returns. Of two parts, the one with the better
    /// key has the coordinate; of equal keys, the first coordinate is chosen.
    pub(super) fn chosen_by_parts(
        &self,
        temporary: TensorId,
        op: ReduceOp,
    ) -> Option<[Returned; 2]> {
        let key = self.program.kernel.choice(temporary)?.key;
        let dtype = self.program.tensor(key).dtype;
        let values = ["earlier", "later"].map(str::to_owned);
        let [earlier, later] = values.each_ref().map(|name| Expr::var(name));
        let [earlier_key, later_key] = values.each_ref().map(|name| Expr::var(&key_of(name)));
        let is_better = is_better(op, later_key.clone(), earlier_key.clone());
        let is_first =
            Expr::and(Expr::eq(later_key, earlier_key), Expr::lt(later.clone(), earlier.clone()));
        let combined = Expr::choose(Expr::or(is_better, is_first), later, earlier);
        let name = |id: TensorId| self.names.argument(id).to_owned();
        let of_key = self.combining(ReduceOp { tells_where: false, ..op }, dtype);
        Some([
            Returned { name: name(key), key: None, reduced: Reduced { dtype, combining: of_key } },
            Returned {
                name: name(temporary),
                key: Some(name(key)),
                reduced: Reduced { dtype: Dtype::Usize, combining: Combining { values, combined } },
            },
        ])
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
        let is_better = is_better(op, is.clone(), so_far.clone());
        let coordinate = Expr::cast(scope.coordinate(chosen.variable), None, Dtype::Usize);
        let counted = self.program.space.counted(chosen.variable);
        let is_known = self.invalid_coordinate(temporary, scope).is_none();
        let is_first = match is_known && scope.in_order.contains(&counted) {
            true => Expr::Bool(false),
            false => {
                Expr::and(Expr::eq(is, so_far), Expr::lt(coordinate.clone(), Expr::var(place)))
            }
        };
        // Nothing is compared with the last value, except by other parts.
        let mut take = vec![Stmt::assign(place, coordinate)];
        if !scope.ends.contains(&chosen.variable) || self.is_of_parts(temporary) {
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

/// Returns whether a value is better than another one.
fn is_better(op: ReduceOp, value: Expr, so_far: Expr) -> Expr {
    if op == ReduceOp::ARG_MAX { Expr::lt(so_far, value) } else { Expr::lt(value, so_far) }
}
