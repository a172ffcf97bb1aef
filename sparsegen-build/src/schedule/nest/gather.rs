//! Workspaces for reductions whose loops are outside of a loop over the result.
//!
//! An entry of the workspace that the result does not need is not entered: `C[i,j] = w[j] if c[j]
//! where ∀k ∀j w[j] += …` is `C[i,j] = w[j] where ∀k ∀j (w[j] += … if c[j])`, so that fewer entries
//! are collected and sorted.

use super::Nest;
use crate::concrete::terms::{additive_terms, gathered};
use crate::concrete::{Stmt, Temporary};
use crate::notation::{Access, Expr, Function, Reduce, ReduceOp, VariableId};

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
        let mut value = rest(Expr::Access(workspace.clone()));
        let mut gathered = gathered;
        if op == ReduceOp::SUM {
            let inner: Vec<VariableId> = bound.iter().copied().chain([v]).collect();
            let (needs, left) = self.needs(&inner, &workspace, value);
            (gathered, value) = (masked(gathered, needs), left);
            if self.is_driven(v, &value) {
                self.look_up(workspace.tensor);
            }
        }
        let producer = match gathered {
            Expr::Reduce(reduce) => self.accumulate(bound, &[v], &workspace, reduce)?,
            sums => self.split_terms(bound, &[v], &workspace, Some(op), sums)?,
        };
        let consumer = self.assign(bound, free, target, None, value)?;
        let temporary = Temporary { tensor: workspace.tensor, op };
        Some(self.computed(temporary, consumer, producer))
    }

    /// Returns the conditions without which a value does not need an entry of a workspace, and the
    /// value, without the conditions that its entries imply then. Loops over the entries must not
    /// have to search or to merge for them.
    fn needs(&self, inner: &[VariableId], workspace: &Access, value: Expr) -> (Vec<Expr>, Expr) {
        let (conditions, value) = match value {
            Expr::Call(Function::Mask, masked) => {
                let conditions = masked[0].conjuncts().into_iter().cloned().collect();
                (conditions, masked[1].clone())
            }
            value => (Vec::new(), value),
        };
        let (mut needs, mut left): (Vec<Expr>, Vec<Expr>) = conditions
            .into_iter()
            .partition(|condition| self.is_located(inner, workspace, condition));
        if !self.program.kernel.vanishes_without(workspace, &value) {
            let is_left = |need: &&Expr| !left.iter().any(|other| self.implies(other, need));
            let needed: Vec<Expr> = needs.iter().filter(is_left).cloned().collect();
            left.extend(needed);
        }
        let factors = self.program.kernel.sparse_accesses(&value).into_iter().filter(|access| {
            *access != workspace && self.program.kernel.vanishes_without(access, &value)
        });
        let stored =
            factors.map(|access| Expr::call(Function::Stored, vec![Expr::Access(access.clone())]));
        needs.extend(stored.filter(|stored| self.is_located(inner, workspace, stored)));
        (needs, value.where_all(left))
    }

    /// Returns whether a workspace has an entry, as a condition says, wherever the operand has one that
    /// is stored in it.
    fn implies(&self, condition: &Expr, other: &Expr) -> bool {
        let (Expr::Call(Function::Stored, operand), Expr::Call(Function::Stored, workspace)) =
            (condition, other)
        else {
            return false;
        };
        self.program.precomputed.iter().any(|part| {
            part.value == operand[0] && workspace[0] == Expr::Access(part.workspace.clone())
        })
    }

    /// Returns whether a loop over a variable must visit the entries of an operand, as a value is
    /// nothing elsewhere; a workspace over the variable is then read at no others.
    fn is_driven(&self, v: VariableId, value: &Expr) -> bool {
        let Expr::Call(Function::Mask, masked) = value else { return false };
        masked[0].conjuncts().into_iter().any(|condition| {
            let Expr::Call(Function::Stored, of) = condition else { return false };
            let Expr::Access(access) = &of[0] else { return false };
            let format = &self.program.kernel.tensor(access.tensor).format;
            let mut levels = format.levels.iter().enumerate();
            levels.any(|(level, spec)| {
                let is_over = format.mode_of(level).is_some_and(|mode| access.indices[mode] == v);
                is_over && spec.level.locate().is_none()
            })
        })
    }

    /// Returns whether a condition is known in loops over `inner` variables at the cost of reading
    /// elements: whether entries are present, or how values and coordinates compare.
    fn is_located(&self, inner: &[VariableId], workspace: &Access, condition: &Expr) -> bool {
        let kernel = &self.program.kernel;
        let mut open = Vec::new();
        self.collect_free(condition, &mut inner.to_vec(), &mut open);
        let mut is_located = open.is_empty() && is_test(condition);
        condition.for_each_access(&mut |access| {
            let levels = &kernel.tensor(access.tensor).format.levels;
            is_located &= access != workspace
                && !self.pending.iter().any(|part| part.workspace == *access)
                && !kernel.is_made(access.tensor)
                && levels.iter().all(|spec| spec.level.locate().is_some());
        });
        is_located
    }

    /// Returns whether the values of a reduction can be combined in a workspace, which has entries
    /// only where operands do. Those of other reductions than sums must not depend on values that are
    /// not stored, nor on whether all coordinates have a value, as products and minima of NaN do.
    fn may_gather(&self, Reduce { op, variables, body, .. }: &Reduce) -> bool {
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

/// Returns whether a condition compares coordinates and elements.
fn is_test(condition: &Expr) -> bool {
    match condition {
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_) => true,
        Expr::Neg(of) => is_test(of),
        Expr::Binary(_, a, b) => is_test(a) && is_test(b),
        Expr::Call(function, arguments) => {
            (function.compares() || function.is_logic()) && arguments.iter().all(is_test)
        }
        Expr::Reduce(_) => false,
    }
}

/// Returns a sum with conditions on each of its terms.
fn masked(sum: Expr, conditions: Vec<Expr>) -> Expr {
    if conditions.is_empty() {
        return sum;
    }
    let mask = |value: Expr| value.where_all(conditions.clone());
    let terms = additive_terms(sum).into_iter().map(|term| match term {
        Expr::Reduce(reduce) => reduce.of(mask((*reduce.body).clone())),
        term => mask(term),
    });
    terms.reduce(Expr::add).unwrap_or(Expr::ZERO)
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn what_the_result_does_not_need_is_not_entered() {
        let cases = [
            (
                "C[i,j] = (i < j) * sum[k](A[i,k] * B[k,j])",
                "C = 'csr', A = 'csr', B = 'csr'",
                "∀i (∀j C[i,j] = w[j] where ∀k ∀j (w[j] += A[i,k] * B[k,j] if i < j))",
            ),
            // The other term needs the mask as well.
            (
                "C[i,j] = present(M[i,j]) * (sum[k](A[i,k] * B[k,j]) + D[i,j])",
                "C = 'csr', A = 'csr', B = 'csr', D = 'csr', M = 'hash_rows'",
                "∀i (∀j (C[i,j] = w[j] + D[i,j] if present(M[i,j])) \
                 where ∀k ∀j (w[j] += A[i,k] * B[k,j] if present(M[i,j])))",
            ),
            // An entry of a factor may be zero.
            (
                "C[i,j] = M[i,j] * sum[k](A[i,k] * B[k,j])",
                "C = 'csr', A = 'csr', B = 'csr', M = 'hash_rows'",
                "∀i (∀j C[i,j] = M[i,j] * w[j] \
                 where ∀k ∀j (w[j] += A[i,k] * B[k,j] if stored(M[i,j])))",
            ),
            // A comparison of values as a factor is zero in entries that are stored.
            (
                "C[i,j] = (D[i,j] > 0.5) * sum[k](A[i,k] * B[k,j])",
                "C = 'csr', A = 'csr', B = 'csr', D = 'dense'",
                "∀i (∀j C[i,j] = f64(0.5 < D[i,j]) * w[j] where ∀k ∀j w[j] += A[i,k] * B[k,j])",
            ),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(loops(expr, tensors, &[]), expected, "{expr}");
        }
    }
}
