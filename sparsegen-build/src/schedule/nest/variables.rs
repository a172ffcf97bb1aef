//! The loops that a value requires.

use super::Nest;
use crate::notation::{Access, Expr, Reduce, VariableId};

impl Nest<'_> {
    /// Returns the loops that compute variables; loops over the variables themselves are kept.
    pub(super) fn loops(&self, variables: &[VariableId]) -> Vec<VariableId> {
        variables.iter().flat_map(|v| self.program.basis.loops(*v)).collect()
    }

    /// Returns those of the loops that compute variables that are not among the enclosing ones.
    pub(super) fn open_loops(
        &self,
        bound: &[VariableId],
        variables: &[VariableId],
    ) -> Vec<VariableId> {
        let mut loops = self.loops(variables);
        loops.retain(|v| !bound.contains(v));
        loops
    }

    /// Returns the loops that determine an entry of a tensor.
    pub(super) fn sources(&self, access: &Access) -> Vec<VariableId> {
        self.program.space.access_sources(&self.program.basis, access)
    }

    /// Returns the enclosing loops that a reduction's body needs in addition to its own.
    pub(super) fn free_variables(&self, reduce: &Reduce) -> Vec<VariableId> {
        let mut free = Vec::new();
        self.collect_free(&Expr::Reduce(reduce.clone()), &mut Vec::new(), &mut free);
        free
    }

    pub(super) fn collect_free(
        &self,
        expr: &Expr,
        bound: &mut Vec<VariableId>,
        free: &mut Vec<VariableId>,
    ) {
        match expr {
            Expr::Literal(_) | Expr::Constant(_) | Expr::Parameter(_) => {}
            Expr::Index(v) => {
                let sources = self.program.space.sources(&self.program.basis, *v);
                free.extend(sources.into_iter().filter(|v| !bound.contains(v)));
            }
            Expr::Access(access) => {
                let mut sources = self.sources(access);
                // A workspace that is filled within loops is available only there.
                if let Some(part) = self.pending.iter().find(|part| part.workspace == *access) {
                    sources.extend(self.outer_variables(part));
                }
                free.extend(sources.into_iter().filter(|v| !bound.contains(v)));
            }
            Expr::Neg(_) | Expr::Binary(..) | Expr::Call(..) => {
                for child in expr.children() {
                    self.collect_free(child, bound, free);
                }
            }
            Expr::Reduce(reduce) => {
                let depth = bound.len();
                bound.extend(self.loops(&reduce.variables));
                self.collect_free(&reduce.body, bound, free);
                bound.truncate(depth);
            }
        }
    }
}
