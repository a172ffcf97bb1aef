//! Workspaces for reductions whose loops are outside of a loop over the result.

use super::Nest;
use crate::concrete::terms::gathered;
use crate::concrete::{Stmt, Temporary};
use crate::notation::{Access, Expr, Reduce, ReduceOp, VariableId};

impl Nest<'_> {
    /// Constructs `target = value`, where reductions in the value go through a workspace over the only
    /// free variable.
    pub(super) fn gather(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        value: Expr,
    ) -> Option<Stmt> {
        let (gathered, rest) = gathered(&self.program.kernel, value);
        let mut over = Vec::new();
        self.collect_free(&gathered, &mut bound.to_vec(), &mut over);
        let v = *over.first()?;
        if over.iter().any(|other| *other != v) || !free.contains(&v) {
            return None;
        }
        let op = match &gathered {
            Expr::Reduce(reduce) if self.may_gather(reduce) => reduce.op,
            Expr::Reduce(_) => return None,
            _ => ReduceOp::SUM,
        };
        let workspace = Access { tensor: self.add_workspace(&gathered, v, op), indices: vec![v] };
        let value = rest(Expr::Access(workspace.clone()));
        let producer = match gathered {
            Expr::Reduce(reduce) => self.accumulate(bound, &[v], &workspace, reduce)?,
            sums => self.split_terms(bound, &[v], &workspace, Some(op), sums)?,
        };
        let consumer = self.assign(bound, free, target, None, value)?;
        let temporaries = vec![Temporary { tensor: workspace.tensor, op }];
        Some(Stmt::where_(temporaries, consumer, producer))
    }

    /// Returns whether the values of a reduction can be combined in a workspace, which has entries
    /// only where operands do. Those of other reductions than sums must not depend on values that are
    /// not stored, nor on whether all coordinates have a value, as products and minima of NaN do.
    fn may_gather(&self, Reduce { op, variables, body }: &Reduce) -> bool {
        let kernel = &self.program.kernel;
        let over = self.loops(variables);
        let sparse = kernel.sparse_accesses(body);
        let is_over = |access: &&Access| self.sources(access).iter().any(|v| over.contains(v));
        let fill = |access: &Access| sparse.contains(&access).then(|| kernel.fill(access.tensor));
        let is_chosen = kernel.semiring.is_usual() && op.monoid.is_idempotent() && !op.tells_where;
        let is_ignored = || op.ignores(&body.substitute(&fill));
        *op == ReduceOp::SUM || is_chosen && sparse.iter().any(is_over) && is_ignored()
    }
}
