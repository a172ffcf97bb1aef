//! Results of which a nest visits each element once: `for i { for p { for k { y[i * n + k] += … } } }`
//! for all `i` and `k`. Their elements need not be initialized beforehand, as a tile begins with the
//! fill value instead of loading it: the result goes through memory once, not three times. A part of
//! the outermost loop visits the elements of its own rows.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use super::nest::{Nest, Target};
use crate::ir::{
    Assembly, BinaryOp, Counted, Divided, Divisible, Expr, Function, Result, TensorResult, Uses,
};
use crate::optimize::strips::expanded;

/// The results that are initialized before the loops.
pub(super) struct Initialized {
    results: BTreeMap<String, Of>,
    /// The part of the outermost loop, if that is divided at coordinates.
    part: Option<Part>,
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

/// The part of a loop over a whole extent.
struct Part {
    variable: String,
    bounds: [Expr; 2],
    extent: Expr,
}

impl Part {
    fn of(function: &Function) -> Option<Part> {
        let parallel = function.parallel.as_ref()?;
        let Divided { counted: Counted::Own, below: Expr::Index(0), range, .. } = &parallel.range
        else {
            return None;
        };
        let Divisible::Coordinates(extent) = range else { return None };
        let bounds = [&parallel.begin, &parallel.end].map(|bound| Expr::var(bound));
        Some(Part { variable: parallel.variable.clone(), bounds, extent: extent.clone() })
    }
}

impl Initialized {
    pub(super) fn of(function: &Function) -> Initialized {
        // Copies of a result have all elements, of which a part visits its own.
        let is_copied = |result: &TensorResult| {
            let mut copies = function.parallel.iter().flat_map(|of| &of.copies);
            copies.any(|copies| copies.result == result.name)
        };
        let name = |size: &usize| function.sizes[*size].name.clone();
        let of = |result: &TensorResult| match &result.assembly {
            Assembly::Computed { vals, zeroed: true, structure, .. }
                if structure.is_empty() && !is_copied(result) =>
            {
                let extents = result.shape.iter().map(name).collect();
                let uses = Uses::of_name(&function.body, &vals.name);
                let of = Of { fill: (*result.fill).clone(), extents, uses };
                Some((vals.name.clone(), of))
            }
            Assembly::Computed { .. } | Assembly::Assembled { .. } => None,
        };
        Initialized {
            results: function.results().filter_map(of).collect(),
            part: Part::of(function),
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
        let mut around = scope.around.clone()?;
        around.push((nest.variable.to_owned(), [nest.from.clone(), nest.to.clone()]));
        let loops = around.into_iter().map(|(variable, bounds)| self.counted(variable, bounds));
        let loops = loops.collect::<Option<Vec<_>>>()?;
        let mut ends: Vec<&str> = Vec::new();
        for (_, end) in &loops {
            let Expr::Var(end) = end else { return None };
            ends.push(end);
        }
        let mut extents: Vec<&str> = result.extents.iter().map(String::as_str).collect();
        ends.sort_unstable();
        extents.sort_unstable();
        let index = expanded(&expanded(&target.index, &nest.lets), &scope.lets);
        let is_once = ends == extents
            && is_linear(&index, &loops)
            && result.uses == Uses::of_name(nest.inner, &target.array);
        is_once.then(|| result.fill.clone())
    }

    /// Returns the number of a loop's coordinate among those of the loop, and the extent over which the
    /// loop ranges, or all its parts together.
    fn counted(&self, variable: String, bounds: [Expr; 2]) -> Option<(Expr, Expr)> {
        let counter = Expr::var(&variable);
        match (bounds, &self.part) {
            ([Expr::Index(0), end], _) => Some((counter, end)),
            (bounds, Some(part)) if part.variable == variable && part.bounds == bounds => {
                let [begin, _] = bounds;
                Some((Expr::binary(BinaryOp::Sub, counter, begin), part.extent.clone()))
            }
            _ => None,
        }
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
/// `(i * n + j) * m + k`. The loops have a counter and an extent.
fn is_linear(index: &Expr, loops: &[(Expr, Expr)]) -> bool {
    let Some(((counter, end), outer)) = loops.split_last() else { return false };
    match index {
        index if outer.is_empty() => index == counter,
        Expr::Binary(BinaryOp::Add, first, last) => match &**first {
            Expr::Binary(BinaryOp::Mul, outside, scale) => {
                **last == *counter && **scale == *end && is_linear(outside, outer)
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
    fn initializes(expr: &str, a: &str, keys: &str) -> bool {
        let tensors = format!("Y = 'dense', A = '{a}', X = 'dense'");
        let manifest = format!("[kernels.k]\nexpr = '{expr}'\ntensors = {{ {tensors} }}\n{keys}\n");
        compile_str("kernels.toml", &manifest).source.contains(".fill(0.0)")
    }

    #[test]
    fn rows_that_are_visited_once_are_initialized_by_the_loops() {
        let product = "Y[i,k] = A[i,j] * X[j,k]";
        assert!(!initializes(product, "csr", ""));
        // Rows without entries are not visited, and others several times.
        assert!(initializes(product, "dcsr", ""));
        assert!(initializes(product, "csc", ""));
    }

    #[test]
    fn parts_initialize_their_rows() {
        let product = "Y[i,k] = A[i,j] * X[j,k]";
        assert!(!initializes(product, "csr", "parallel = true"));
        assert!(initializes(product, "dcsr", "parallel = true"));
        // Each part has a copy of the result.
        assert!(initializes(product, "csc", "parallel = true"));
        let blocks = "schedule = ['split(i, io, ii, 4)', 'parallelize(io)']";
        assert!(initializes(product, "csr", blocks));
    }
}
