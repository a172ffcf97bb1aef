//! Results of which a nest visits each element once: `for i { for p { for k { y[i * n + k] += … } } }`
//! for all `i` and `k`. Their elements need not be initialized beforehand, as a tile begins with the
//! fill value instead of loading it: the result goes through memory once, not three times.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use super::nest::{Nest, Target};
use crate::ir::{Assembly, BinaryOp, Expr, Function, Result, TensorResult, Uses};
use crate::optimize::strips::expanded;

/// The results that are initialized before the loops.
pub(super) struct Initialized {
    results: BTreeMap<String, Of>,
    /// The arrays of the results that the loops initialize themselves.
    by_loops: BTreeSet<String>,
}

/// An initialized result.
struct Of {
    fill: Expr,
    /// The names of the extents.
    extents: Vec<String>,
    /// The uses of the elements in all loops.
    uses: Uses,
}

impl Initialized {
    pub(super) fn of(function: &Function) -> Initialized {
        let name = |size: &usize| function.sizes[*size].name.clone();
        let of = |result: &TensorResult| match &result.assembly {
            Assembly::Computed { vals, zeroed: true, structure, .. } if structure.is_empty() => {
                let extents = result.shape.iter().map(name).collect();
                let uses = Uses::of_name(&function.body, &vals.name);
                let of = Of { fill: (*result.fill).clone(), extents, uses };
                Some((vals.name.clone(), of))
            }
            Assembly::Computed { .. } | Assembly::Assembled { .. } => None,
        };
        Initialized {
            results: function.results().filter_map(of).collect(),
            by_loops: BTreeSet::new(),
        }
    }

    /// Leaves the initialization of the targets of which a nest visits each element once to the nest.
    pub(super) fn leave_to(&mut self, nest: &mut Nest<'_>, scope: &Scope) {
        let fills: Vec<Option<Expr>> =
            nest.targets.iter().map(|target| self.fill_of(nest, target, scope)).collect();
        for (target, fill) in nest.targets.iter_mut().zip(fills) {
            if fill.is_some() {
                self.by_loops.insert(target.array.clone());
            }
            target.fill = fill;
        }
    }

    fn fill_of(&self, nest: &Nest<'_>, target: &Target, scope: &Scope) -> Option<Expr> {
        let result = self.results.get(&target.array)?;
        let mut loops = scope.around.clone()?;
        loops.push((nest.variable.to_owned(), nest.to.clone()));
        let mut ends: Vec<&str> = Vec::new();
        for (_, end) in &loops {
            let Expr::Var(end) = end else { return None };
            ends.push(end);
        }
        let mut extents: Vec<&str> = result.extents.iter().map(String::as_str).collect();
        ends.sort_unstable();
        extents.sort_unstable();
        let index = expanded(&expanded(&target.index, &nest.lets), &scope.lets);
        let is_once = *nest.from == Expr::Index(0)
            && ends == extents
            && is_linear(&index, &loops)
            && result.uses == Uses::of_name(nest.inner, &target.array);
        is_once.then(|| result.fill.clone())
    }

    /// Notes in the results what their loops initialize.
    pub(super) fn finish(self, function: &mut Function) {
        for result in std::iter::once(&mut function.result).chain(&mut function.others) {
            if let Result::Tensor(TensorResult {
                assembly: Assembly::Computed { vals, zeroed, .. },
                ..
            }) = result
            {
                *zeroed &= !self.by_loops.contains(&vals.name);
            }
        }
    }
}

/// Returns whether an index numbers the coordinates of loops without gaps, outer loops first:
/// `(i * n + j) * m + k`.
fn is_linear(index: &Expr, loops: &[(String, Expr)]) -> bool {
    let Some(((variable, end), outer)) = loops.split_last() else { return false };
    match index {
        Expr::Var(index) => outer.is_empty() && index == variable,
        Expr::Binary(BinaryOp::Add, first, last) => match (&**first, &**last) {
            (Expr::Binary(BinaryOp::Mul, outside, scale), Expr::Var(last)) => {
                last == variable && **scale == *end && is_linear(outside, outer)
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    /// Returns whether the result of a product with a dense matrix is initialized before the loops.
    fn initializes(expr: &str, a: &str) -> bool {
        let tensors = format!("Y = 'dense', A = '{a}', X = 'dense'");
        let manifest = format!("[kernels.k]\nexpr = '{expr}'\ntensors = {{ {tensors} }}\n");
        compile_str("kernels.toml", &manifest).source.contains(".fill(0.0)")
    }

    #[test]
    fn rows_that_are_visited_once_are_initialized_by_the_loops() {
        assert!(!initializes("Y[i,k] = A[i,j] * X[j,k]", "csr"));
        // Rows without entries are not visited, and others several times.
        assert!(initializes("Y[i,k] = A[i,j] * X[j,k]", "dcsr"));
        assert!(initializes("Y[i,k] = A[i,j] * X[j,k]", "csc"));
    }
}
