//! Coordinates at which no operand has an entry, in one step: `if j_rest > 0 { … }` after a loop
//! over entries that counts its coordinates.

use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::plan::{Loop, Plan};
use crate::level::Segment;
use crate::notation::{ReduceOp, TensorId, VariableId};

use super::Lowering;
use super::combine::Combine;
use super::scope::Scope;

/// A statement that is lowered once for several coordinates.
pub(super) struct Repetition {
    /// The number of coordinates.
    pub(super) count: Expr,
    /// The temporaries of the statement itself, which are initialized at each coordinate.
    pub(super) own: Vec<TensorId>,
}

impl Lowering<'_> {
    /// Lowers a loop that visits only entries, and the body of its other coordinates.
    pub(super) fn run_with_rest(&mut self, inner: &Loop, rest: usize, scope: &Scope) -> Vec<Stmt> {
        let name = self.names.rest(inner.variable);
        let whole = Segment { start: Expr::Index(0), end: self.extent(inner.variable) };
        let Segment { start, end } = self.within_part(inner.variable, whole, true, scope);
        let size = Expr::sub(end.clone(), start.clone());
        let visits = !inner.points.is_empty();
        let (mut stmts, count) = match visits {
            true => (vec![Stmt::bind_mut(&name, size)], Expr::var(&name)),
            false => (Vec::new(), size),
        };
        // The first coordinate that has not been visited, if the body chooses one.
        let chooses = self.chooses(&inner.bodies[rest], inner.variable);
        let first = match chooses && visits {
            true => Expr::var(&self.names.gap(inner.variable)),
            false => start.clone(),
        };
        if visits {
            if chooses {
                stmts.push(Stmt::bind_mut(&self.names.gap(inner.variable), start));
                self.gaps.push(inner.variable);
            }
            let entries = Loop { rest: None, ..inner.clone() };
            stmts.extend(self.run(&entries, scope));
            if chooses {
                self.gaps.pop();
            }
        }
        let mut scope = scope.clone();
        if chooses {
            // It may precede the coordinates that have been visited.
            scope.bind(inner.variable, first.clone());
            scope.ends.insert(inner.variable);
            scope.in_order.remove(&self.program.space.counted(inner.variable));
        }
        let is_left = match chooses && visits {
            true => Expr::lt(first, end),
            false => Expr::ne(count.clone(), Expr::Index(0)),
        };
        self.repetitions.push(Repetition { count, own: Vec::new() });
        let body = self.region(inner, rest, &scope);
        self.repetitions.pop();
        stmts.extend(Stmt::when(is_left, body));
        stmts
    }

    /// Returns whether a body chooses a coordinate of `v`.
    fn chooses(&self, body: &Plan, v: VariableId) -> bool {
        let kernel = &self.program.kernel;
        let over = |id: TensorId| kernel.choice(id).is_some_and(|choice| choice.variable == v);
        kernel.tensor_ids().any(|id| over(id) && body.assigns(id))
    }

    /// Counts a coordinate as visited. Coordinates are visited in order if the first other one is
    /// chosen.
    pub(super) fn visit(&self, v: VariableId, scope: &Scope) -> Vec<Stmt> {
        let mut stmts = vec![Stmt::combine(&self.names.rest(v), BinaryOp::Sub, Expr::Index(1))];
        if self.gaps.contains(&v) {
            let gap = self.names.gap(v);
            let is_next = Expr::eq(scope.coordinate(v), Expr::var(&gap));
            stmts.extend(Stmt::when(is_next, vec![Stmt::accumulate(&gap, Expr::Index(1))]));
        }
        stmts
    }

    /// Returns a value that is accumulated once for all repetitions of the current statement.
    pub(super) fn repeated(
        &self,
        target: TensorId,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Expr {
        let Some(op) = accumulate else { return value };
        let dtype = self.program.tensor(target).dtype;
        let combine = Combine::reducing(&self.program.kernel, op, dtype);
        let repetitions = self.repetitions.iter().filter(|r| !r.own.contains(&target));
        repetitions.fold(value, |value, r| combine.repeated(value, r.count.clone(), dtype))
    }
}
