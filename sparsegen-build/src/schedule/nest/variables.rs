//! The loops that a value requires.

use std::sync::Arc;

use super::Nest;
use crate::concrete::Program;
use crate::concrete::terms::outermost_reductions;
use crate::notation::{Access, Expr, Reduce, VariableId};

impl Nest<'_> {
    /// Returns the loops that compute variables; loops over the variables themselves are kept.
    pub(super) fn loops(&self, variables: &[VariableId]) -> Vec<VariableId> {
        self.program.basis.loops_of(variables)
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

    /// Returns the loops that determine an entry of a tensor. They are determined once.
    pub(super) fn sources(&self, access: &Access) -> Arc<[VariableId]> {
        let mut all = self.sources.borrow_mut();
        if let Some((_, known)) = all.iter().find(|(known, _)| known == access) {
            return Arc::clone(known);
        }
        let Program { space, basis, .. } = &*self.program;
        let sources: Arc<[VariableId]> = space.access_sources(basis, access).into();
        all.push((access.clone(), Arc::clone(&sources)));
        sources
    }

    /// Returns the enclosing loops that a reduction's body needs in addition to its own.
    pub(super) fn free_variables(&self, reduce: &Reduce) -> Vec<VariableId> {
        let mut free = Vec::new();
        self.collect_free_of(reduce, &mut Vec::new(), &mut free);
        free
    }

    /// Returns whether a reduction of a value has loops that change a variable that is the same for
    /// all of its terms, as the loop over `j` within one over the diagonals `i + j` changes `i` in
    /// `max[i](sum[j](A[i,j]))`. Its terms are then not those of one coordinate, unless each is added
    /// to its own element of the target.
    pub(super) fn mixes_terms(&self, target: &Access, value: &Expr) -> bool {
        let mut mixes = false;
        outermost_reductions(value, &mut |reduce| {
            let scalar = Access { indices: Vec::new(), ..target.clone() };
            mixes |= self.changes_others(target, reduce) || self.mixes_terms(&scalar, &reduce.body);
        });
        mixes
    }

    fn changes_others(&self, target: &Access, reduce: &Reduce) -> bool {
        let Program { space, basis, .. } = &*self.program;
        let own = self.loops(&reduce.variables);
        let places = |v| target.indices.iter().any(|mode| space.counted(*mode) == v);
        let binds = |v| reduce.variables.contains(&v) || reduce.body.binds(v) || places(v);
        let changes = |v| space.sources(basis, v).iter().any(|of| own.contains(of));
        let mut open = reduce.free_variables();
        while let Some(v) = open.pop() {
            match space.slice(v) {
                Some(slice) => open.extend(space.needs(v).iter().chain([&slice.of])),
                None if !binds(v) && changes(v) => return true,
                None => {}
            }
        }
        false
    }

    fn collect_free_of(
        &self,
        reduce: &Reduce,
        bound: &mut Vec<VariableId>,
        free: &mut Vec<VariableId>,
    ) {
        let depth = bound.len();
        bound.extend(self.loops(&reduce.variables));
        self.collect_free(&reduce.body, bound, free);
        bound.truncate(depth);
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
                free.extend(self.sources(access).iter().filter(|v| !bound.contains(v)));
                // A workspace that is filled within loops is available only there.
                if let Some(part) = self.pending.iter().find(|part| part.workspace == *access) {
                    let outer = self.outer_variables(part).into_iter();
                    free.extend(outer.filter(|v| !bound.contains(v)));
                }
            }
            Expr::Neg(_) | Expr::Binary(..) | Expr::Call(..) => {
                for child in expr.children() {
                    self.collect_free(child, bound, free);
                }
            }
            Expr::Reduce(reduce) => self.collect_free_of(reduce, bound, free),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn loops_over_diagonals_do_not_mix_sums_of_rows() {
        let dia = "A = 'dia'";
        assert_eq!(
            loops("s = sum[i](sum[j](A[i,j]))", dia, &[]),
            "s = sum where ∀d ∀i sum += A[i,j]"
        );
        assert_eq!(
            loops("y[i] = sum[j](A[i,j])", "A = 'dia', y = 'dense'", &[]),
            "∀d ∀i y[i] += A[i,j]"
        );
        assert_eq!(
            loops("s = max[i](sum[j](A[i,j]))", dia, &[]),
            "s = max where ∀i (max max= sum_j where ∀j sum_j += A[i,j])"
        );
    }
}
