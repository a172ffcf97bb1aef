//! Variable elimination: a sum of products is computed variable by variable.
//!
//! `y[i] = sum[k,l,j](A[i,k] * B[k,l] * C[l,j] * x[j])` is three products with a vector: `v[l]`, the sum
//! over `j` of the factors that use it, then the sum over `l` of `B[k,l] * v[l]`, and so on. The sums go
//! through workspaces over their free variables, of which the next variable to eliminate leaves fewest
//! (Abo Khamis, Ngo and Rudra 2016).

use crate::concrete::Precomputed;
use crate::notation::{Expr, Kernel, Reduce, ReduceOp, VariableId};

use super::distribute::{
    all_stored, bounded, distributes, has_plain_indices, keep, only_adds, stored_in_order, uses,
};
use super::precompute::factors;

/// Returns the form of a kernel in which the variables of its sums are eliminated one by one, if that takes
/// workspaces.
pub(super) fn eliminated(kernel: &Kernel) -> Option<(Kernel, Vec<Precomputed>)> {
    let (mut own, mut taken) = (kernel.clone(), Vec::new());
    let value = in_sums(&kernel.assignment.value, &mut |sum| eliminate(&mut own, &mut taken, sum));
    own.assignment.value = value;
    // A product of dense matrices is computed as well row by row, with a workspace for one row.
    let is_by_rows = match &taken[..] {
        [part] if part.workspace.indices.len() > 1 => {
            kernel.sparse_accesses(&kernel.assignment.value).is_empty()
        }
        _ => false,
    };
    (!taken.is_empty() && !is_by_rows).then_some((own, taken))
}

/// Replaces the outermost sums of a value.
fn in_sums(value: &Expr, replace: &mut dyn FnMut(&Reduce) -> Expr) -> Expr {
    match value {
        Expr::Reduce(reduce) if reduce.op == ReduceOp::SUM => replace(reduce),
        Expr::Reduce(_) => value.clone(),
        value => value.map_children(&mut |child| in_sums(child, replace)),
    }
}

/// Returns a sum whose variables are eliminated as far as the results fit into workspaces.
fn eliminate(kernel: &mut Kernel, taken: &mut Vec<Precomputed>, sum: &Reduce) -> Expr {
    if !has_plain_indices(kernel, &sum.body) || !distributes(&sum.body) || !only_adds(&sum.body) {
        return Expr::Reduce(sum.clone());
    }
    let mut rest = Product::of(sum);
    let mut outside =
        Product { variables: Vec::new(), factors: Vec::new(), conditions: Vec::new() };
    while let Some((v, inner, over)) = next(kernel, &rest) {
        rest = rest.without(v);
        let is_row = inner.goes_by_rows(kernel);
        let around = [&over[..], &[v]].concat();
        let factor = Factor::Sum { sum: inner.value(kernel, taken, &around), over, is_row };
        let result = &kernel.assignment.result.indices;
        match factor.free_variables().iter().all(|v| result.contains(v)) {
            true => outside.factors.push(factor),
            false => rest.factors.push(factor),
        }
    }
    let result = kernel.assignment.result.indices.clone();
    let around = [&result[..], &rest.variables].concat();
    let rest = Factor::Value(rest.value(kernel, taken, &around));
    outside.factors.push(rest);
    outside.value(kernel, taken, &result)
}

/// Returns the variable to eliminate next, with the factors that use it and the modes of their sum.
fn next(kernel: &Kernel, rest: &Product) -> Option<(VariableId, Product, Vec<VariableId>)> {
    // The last operand of a chain is often the smallest one.
    let candidates = rest.variables.iter().rev().filter_map(|v| {
        let inner = rest.of_variable(*v);
        let splits = !inner.factors.is_empty() && inner.factors.len() < rest.factors.len();
        let over = inner.modes(kernel).filter(|_| splits)?;
        Some((*v, inner, over))
    });
    candidates.min_by_key(|(_, inner, over)| (over.len(), !inner.goes_by_rows(kernel)))
}

/// A factor of a product.
#[derive(Clone)]
enum Factor {
    Value(Expr),
    /// A sum over an eliminated variable.
    Sum {
        sum: Expr,
        /// Its free variables, in the order of the modes of a workspace.
        over: Vec<VariableId>,
        /// `true` if it is computed row by row.
        is_row: bool,
    },
}

impl Factor {
    fn free_variables(&self) -> Vec<VariableId> {
        match self {
            Factor::Value(value) | Factor::Sum { sum: value, .. } => value.free_variables(),
        }
    }
}

/// A product of factors where conditions hold, and the variables that it is summed over.
#[derive(Clone)]
struct Product {
    variables: Vec<VariableId>,
    factors: Vec<Factor>,
    conditions: Vec<Expr>,
}

impl Product {
    fn of(Reduce { variables, body, .. }: &Reduce) -> Product {
        let (conditions, value) = body.split_mask();
        let conditions = conditions.into_iter().cloned().collect();
        let factors = factors(value).into_iter().map(Factor::Value).collect();
        Product { variables: variables.clone(), factors, conditions }
    }

    /// Returns the parts that use a variable, which are summed over it.
    fn of_variable(&self, v: VariableId) -> Product {
        let using = |factor: &&Factor| factor.free_variables().contains(&v);
        Product {
            variables: vec![v],
            factors: self.factors.iter().filter(using).cloned().collect(),
            conditions: self.conditions.iter().filter(|part| uses(part, v)).cloned().collect(),
        }
    }

    /// Returns the parts that do not use a variable.
    fn without(mut self, v: VariableId) -> Product {
        self.variables.retain(|own| *own != v);
        self.factors.retain(|factor| !factor.free_variables().contains(&v));
        self.conditions.retain(|condition| !uses(condition, v));
        self
    }

    /// Returns the modes of a workspace for the sum, if it takes about as much memory as the operands: all
    /// its variables, or all but one, index one tensor that stores every coordinate.
    fn modes(&self, kernel: &Kernel) -> Option<Vec<VariableId>> {
        let mut over: Vec<VariableId> = Vec::new();
        let parts = self.factors.iter().map(Factor::free_variables);
        for v in parts.chain(self.conditions.iter().map(Expr::free_variables)).flatten() {
            if !over.contains(&v) && !self.variables.contains(&v) {
                over.push(v);
            }
        }
        if over.len() < 2 {
            return Some(over);
        }
        let by_factor = self.factors.iter().find_map(|factor| {
            let stored = match factor {
                Factor::Value(Expr::Access(access)) => all_stored(kernel, access)?,
                Factor::Value(_) => return None,
                Factor::Sum { over, .. } => over.clone(),
            };
            let (stored, mut others): (Vec<VariableId>, Vec<VariableId>) =
                over.iter().partition(|v| stored.contains(v));
            (others.len() < 2).then(|| {
                others.extend(stored);
                others
            })
        });
        by_factor.or_else(|| bounded(kernel, over))
    }

    /// Returns whether the sparse factors store the variable of the sum innermost, so that it is computed
    /// row by row.
    fn goes_by_rows(&self, kernel: &Kernel) -> bool {
        self.factors.iter().all(|factor| match factor {
            Factor::Value(value) => {
                let stored = stored_in_order(kernel, value).unwrap_or_default();
                stored.last().is_none_or(|last| self.variables.contains(last))
            }
            Factor::Sum { .. } => true,
        })
    }

    /// Returns the sum, within loops over some variables. Factors that these loops repeat, or that are
    /// not computed row by row, go through workspaces.
    fn value(
        self,
        kernel: &mut Kernel,
        taken: &mut Vec<Precomputed>,
        around: &[VariableId],
    ) -> Expr {
        let factors = self.factors.into_iter().map(|factor| match factor {
            Factor::Sum { sum, over, is_row } if !over.is_empty() => {
                let is_repeated = around.iter().any(|v| !over.contains(v));
                match is_row && !is_repeated {
                    true => sum,
                    false => keep(kernel, taken, (ReduceOp::SUM, sum), over),
                }
            }
            Factor::Sum { sum: value, .. } | Factor::Value(value) => value,
        });
        let product = factors.reduce(Expr::mul).expect("a product has factors");
        Expr::sum(self.variables, product.where_all(self.conditions))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn variables_are_eliminated_one_by_one() {
        let cases = [
            (
                "y[i] = A[i,k] * B[k,l] * C[l,j] * x[j]",
                "y = 'dense', A = 'csr', B = 'csr', C = 'csr', x = 'dense'",
                "∀i (y[i] = sum_k where ∀k sum_k += A[i,k] * u[k]) where (∀k (u[k] = sum_l where ∀l \
                 sum_l += B[k,l] * v[l]) where ∀l (v[l] = sum where ∀j sum += C[l,j] * x[j]))",
            ),
            (
                "H[i,f] = A[i,k] * B[k,j] * X[j,f]",
                "H = 'dense', A = 'csr', B = 'csr', X = 'dense'",
                "∀i ∀k ∀f H[i,f] += A[i,k] * v[k,f] where ∀k ∀j ∀f v[k,f] += B[k,j] * X[j,f]",
            ),
            // Rows of one variable need no workspaces.
            (
                "c = sum[a,b,d](R[a,b] * S[a,d])",
                "R = 'csr', S = 'csr'",
                "c = sum where ∀a (∀d sum += S[a,d] * sum_b where ∀b sum_b += R[a,b])",
            ),
            // A workspace would have more elements than the operands and the result have entries.
            (
                "D[i,j] = R[i,k] * A[k,l] * P[l,j]",
                "D = 'csr', R = 'csr', A = 'csr', P = 'csr'",
                "∀i (∀j D[i,j] = w[j] where ∀l ∀j w[j] += P[l,j] * v[l] where ∀k ∀l v[l] += R[i,k] \
                 * A[k,l])",
            ),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(loops(expr, tensors, &[]), expected, "{expr}");
        }
    }
}
