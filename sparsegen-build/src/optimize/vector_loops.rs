//! Vector loops: finds loops that rustc compiles to vector instructions, and that gain from wider ones.
//!
//! `for k { y[j * n + k] += a * x[i * n + k] }` within a loop over the entries of a row takes 0.6 of the
//! time with AVX2, if the rows of `y` are in cache. Loops that read and store each element once wait for
//! memory instead.

use std::collections::BTreeMap;

use super::strips::{Extents, Trip, declared, expanded, is_contiguous, lanes, resolved};
use super::tiles::elements;
use crate::ir::{Dtype, Expr, Function, Stmt};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let known = Known { arrays: elements(&function), extents: declared(&function) };
    function.is_vectorized |= has_any(&function.body, None, &[], &known);
    function
}

/// What is known of a function.
struct Known {
    /// The arrays with values in which elements are stored by index.
    arrays: BTreeMap<String, Dtype>,
    /// The extents that the kernel declares.
    extents: Extents,
}

/// Returns whether statements have such a loop. `around` is the variable of the loop around them, and
/// `lets` are the constants of its iteration.
fn has_any(body: &[Stmt], around: Option<&str>, lets: &[(String, Expr)], known: &Known) -> bool {
    let mut lets = lets.to_vec();
    body.iter().any(|stmt| match stmt {
        Stmt::Let { name, mutable: false, value } => {
            lets.push((name.clone(), value.clone()));
            false
        }
        Stmt::For { name, start, end, body } => {
            let own = VectorLoop { variable: name, range: [start, end], body, known };
            around.is_some_and(|around| own.gains(around, &lets))
                || has_any(body, Some(name), &[], known)
        }
        Stmt::While { body, .. } => has_any(body, None, &[], known),
        stmt => stmt.bodies().into_iter().any(|body| has_any(body, around, &lets, known)),
    })
}

/// A loop that counts.
struct VectorLoop<'s> {
    variable: &'s str,
    range: [&'s Expr; 2],
    body: &'s [Stmt],
    known: &'s Known,
}

impl VectorLoop<'_> {
    /// Returns whether the loop computes consecutive elements from consecutive ones, some of which
    /// the loop around it, over `around`, visits again.
    fn gains(&self, around: &str, outer: &[(String, Expr)]) -> bool {
        let mut lets = outer.to_vec();
        let mut indices = Vec::new();
        for stmt in self.body {
            match stmt {
                Stmt::Comment(_) => {}
                Stmt::Let { name, mutable: false, value } => {
                    lets.push((name.clone(), value.clone()));
                }
                Stmt::Store { array, index, op, value } => {
                    let value = expanded(value, &lets);
                    let computes = op.is_some() || matches!(value, Expr::Binary(..));
                    if !computes || !self.is_long(array) || !self.reads(&value, &mut indices) {
                        return false;
                    }
                    indices.push(expanded(index, &lets));
                }
                _ => return false,
            }
        }
        !indices.is_empty()
            && indices.iter().all(|index| is_contiguous(index, self.variable))
            && indices.iter().any(|index| !follows(index, around))
    }

    /// Returns whether the loop may have enough iterations for vectors of the elements of an array.
    fn is_long(&self, array: &str) -> bool {
        let has_vectors =
            |dtype: &&Dtype| !dtype.is_half() && !matches!(dtype, Dtype::User(_) | Dtype::Bool);
        let Some(dtype) = self.known.arrays.get(array).filter(has_vectors) else { return false };
        match Trip::of(self.range[0], &resolved(self.range[1], &self.known.extents)) {
            Trip::Constant(len) => len >= lanes(*dtype),
            Trip::Cut { .. } => false,
            Trip::Unknown => true,
        }
    }

    /// Returns whether a value is computed by arithmetic of elements, and collects the indices of those
    /// that differ between the iterations.
    fn reads(&self, value: &Expr, indices: &mut Vec<Expr>) -> bool {
        match value {
            value if !value.mentions(self.variable) => true,
            Expr::Load { index, .. } => {
                indices.push((**index).clone());
                true
            }
            Expr::Unary(_, a) => self.reads(a, indices),
            Expr::Binary(_, a, b) => self.reads(a, indices) && self.reads(b, indices),
            _ => false,
        }
    }
}

/// Returns whether an index is another one in each iteration of a loop over a variable. One that
/// depends on a coordinate of an entry may be the same again.
fn follows(index: &Expr, variable: &str) -> bool {
    match index {
        Expr::Var(name) => name == variable,
        Expr::Load { .. } => false,
        Expr::Binary(_, a, b) => follows(a, variable) || follows(b, variable),
        Expr::ToIndex(_, of) | Expr::Unary(_, of) => follows(of, variable),
        _ => index.mentions(variable),
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    #[test]
    fn loops_that_visit_elements_again_gain() {
        let dispatches = |expr: &str, tensors: &str| {
            let manifest = format!("[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}");
            let output = compile_str("kernels.toml", &manifest);
            assert!(output.kernels.len() == 1, "{expr} compiles");
            output.source.contains("has_avx2")
        };
        let transposed = "Y[j,k] = A[i,j] * X[i,k]";
        assert!(dispatches(transposed, "Y = 'dense', A = 'csr', X = 'dense'"));
        assert!(dispatches("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'dia', x = 'dense'"));
        let gathered = "Y[i,r] = X[i,j,k] * B[j,r] * C[k,r]";
        assert!(dispatches(gathered, "Y = 'dense', X = 'coo_unordered', B = 'dense', C = 'dense'"));
        // Each element is visited once.
        let sum = "C[i,j] = A[i,j] + B[i,j]";
        assert!(!dispatches(sum, "C = 'dense', A = 'dense', B = 'dense'"));
        // Elements are not consecutive.
        assert!(!dispatches("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'csr', x = 'dense'"));
        // No vector instructions.
        let half = "Y = { format = 'dense', dtype = 'f16' }, A = { format = 'csr', dtype = 'f16' }, \
                    X = { format = 'dense', dtype = 'f16' }";
        assert!(!dispatches(transposed, half));
    }
}
