//! Coordinates at which no operand has an entry, in one step: `if j_rest > 0 { … }` after a loop
//! over entries that counts its coordinates.

use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::plan::Loop;
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
        let size = Expr::sub(end, start);
        let visits = !inner.points.is_empty();
        let (mut stmts, count) = match visits {
            true => (vec![Stmt::bind_mut(&name, size)], Expr::var(&name)),
            false => (Vec::new(), size),
        };
        if visits {
            let entries = Loop { rest: None, ..inner.clone() };
            stmts.extend(self.run(&entries, scope));
        }
        self.repetitions.push(Repetition { count: count.clone(), own: Vec::new() });
        let body = self.region(inner, rest, scope);
        self.repetitions.pop();
        stmts.extend(Stmt::when(Expr::ne(count, Expr::Index(0)), body));
        stmts
    }

    /// Counts a coordinate as visited.
    pub(super) fn visit(&self, v: VariableId) -> Vec<Stmt> {
        vec![Stmt::combine(&self.names.rest(v), BinaryOp::Sub, Expr::Index(1))]
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
