//! Gathers as products with the inverse of a list: with `inverse[c,j] = (c == cols[j])`,
//! `B[i,j] = A[i, cols[j]]` is `B[i,j] = sum[c](A[i,c] * inverse[c,j])`.
//!
//! The statement as written looks up each listed coordinate, which suits levels with lookup and
//! short lists. The product visits the entries of the operand, each with the places of its
//! coordinate in the list. The inverse is a pattern, built by a counting sort before the loops. Each
//! choice of lists is a candidate; its cost decides.
//!
//! A comparison `cols[j] == c` is a tensor with one coordinate `c` under each `j`. The inverse of the
//! list is the same tensor for loops over `c` around those over `j`.

use std::sync::Arc;

use crate::concrete::fixed::released;
use crate::format::{Format, inverse_of_list};
use crate::level::Levels;
use crate::notation::{
    Access, BinaryOp, Expr, Extent, Function, Inverse, Kernel, List, Listed, Predicate, Reduce,
    ReduceOp, Subscript, Tensor, TensorId, TensorRole, Variable, VariableId, VariableRole,
};
use crate::types::Dtype;

use super::scatter::names_operands;

/// The number of lists of a kernel whose inverses are compared.
const LISTS: usize = 3;

/// Returns the kernels in which some gathers are products, for each choice of gathers, and those in
/// which comparisons with a list look up the places of a coordinate in its inverse.
pub(super) fn forms(kernel: &Kernel) -> Vec<Kernel> {
    let Some(format) = inverse_of_list(&Levels::default()) else { return Vec::new() };
    if kernel.schedule.iter().any(|command| names_operands(&command.action)) {
        return Vec::new();
    }
    let mut lists: Vec<Listing> = gathers(kernel).into_iter().map(Listing::Gather).collect();
    lists.extend(compared(kernel));
    lists.truncate(LISTS);
    let choices = 1..1_usize << lists.len();
    let form = |choice: usize| {
        let mut form = kernel.clone();
        let chosen = |k: &usize| choice & 1 << k != 0;
        let gathers = (0..lists.len()).filter(chosen).filter_map(|k| match lists[k] {
            Listing::Gather(gather) => Some(gather),
            Listing::Compared { predicate, inverse } => {
                look_up(&mut form, predicate, inverse, &format);
                None
            }
        });
        let gathers = gathers.collect();
        with_products(&form, gathers, &format)
    };
    choices.map(form).collect()
}

/// A use of a list that its inverse may replace.
enum Listing {
    /// A mode that is read at its coordinates.
    Gather(Gather),
    /// A comparison with its elements.
    Compared { predicate: TensorId, inverse: Inverse },
}

/// Returns the comparisons of a variable with the elements of a list.
fn compared(kernel: &Kernel) -> impl Iterator<Item = Listing> {
    kernel.predicates().filter_map(|(predicate, of)| {
        let Predicate::Listed(Listed { list, coordinate, ahead: 0 }) = of else { return None };
        let access = kernel.accesses.iter().find(|access| access.tensor == predicate)?;
        let [at, _] = access.indices[..] else { return None };
        let inverse = Inverse { of: list, mode: coordinate, coordinate, at };
        is_list(kernel.tensor(list)).then_some(Listing::Compared { predicate, inverse })
    })
}

/// Replaces a comparison with the elements of a list by the inverse of the list.
fn look_up(kernel: &mut Kernel, predicate: TensorId, inverse: Inverse, format: &Arc<Format>) {
    let dtype = kernel.tensor(predicate).dtype;
    kernel.tensors[predicate.0] = inverse_tensor(kernel, inverse, format, dtype);
    let access = inverse.access(predicate);
    let of_access =
        |other: &Access| (other.tensor == predicate).then(|| Expr::Access(access.clone()));
    kernel.assignment.value = kernel.assignment.value.substitute(&of_access);
    for other in kernel.accesses.iter_mut().filter(|other| other.tensor == predicate) {
        other.clone_from(&access);
    }
}

/// A mode of sparse operands that is read at the coordinates of a list.
#[derive(Clone, Copy)]
struct Gather {
    /// The variable of the mode.
    mode: VariableId,
    /// The variable that counts the single coordinate of each access.
    point: VariableId,
    /// The list.
    list: TensorId,
    /// The variable that counts the list.
    at: VariableId,
}

/// Returns the gathers of sparse levels that may be products.
fn gathers(kernel: &Kernel) -> Vec<Gather> {
    let mut found: Vec<Gather> = Vec::new();
    let mut refused: Vec<VariableId> = kernel.assignment.result.indices.clone();
    for access in kernel.slices().filter_map(|(_, slice)| slice.at.element()) {
        refused.extend(&access.indices);
    }
    kernel.assignment.value.for_each_access(&mut |access| {
        for (mode, v) in access.indices.iter().enumerate() {
            let Some(gather) = gather(kernel, *v) else { continue };
            let levels = &kernel.tensor(access.tensor).format.levels;
            let mut own = levels.iter().filter(|spec| spec.expr.modes().contains(&mode));
            let is_searched = own.any(|spec| !spec.properties.full);
            let suits = is_searched && kernel.vanishes(&Expr::Access(access.clone()));
            let dtype = kernel.tensor(access.tensor).dtype;
            let multiplies = dtype != Dtype::Bool || !kernel.semiring.is_usual();
            if !suits || !multiplies {
                refused.push(*v);
            } else if !found.iter().any(|known| known.mode == *v) {
                found.push(gather);
            }
        }
    });
    found.retain(|gather| !refused.contains(&gather.mode));
    found
}

/// Returns the list at whose coordinates a mode is read, if it is one that the kernel can invert.
fn gather(kernel: &Kernel, mode: VariableId) -> Option<Gather> {
    let slice = kernel.variable(mode).role.slice()?;
    let (list, at) = match &slice.at {
        Subscript::Listed(List::Parameter(list), at) => (*list, *at),
        Subscript::Element(Access { tensor, indices }) => match indices[..] {
            [at] if is_list(kernel.tensor(*tensor)) => (*tensor, at),
            _ => return None,
        },
        Subscript::Listed(List::Numbers(_) | List::LastOfParameter(_), _)
        | Subscript::Affine(_) => return None,
    };
    let is_plain = kernel.variable(at).role == VariableRole::Index;
    is_plain.then_some(Gather { mode, point: slice.of, list, at })
}

/// Returns whether the values of an operand are a list with an element for each coordinate.
fn is_list(tensor: &Tensor) -> bool {
    let is_array = |format: &Format| match &format.levels[..] {
        [only] => only.properties.full && only.level.arrays().is_empty(),
        _ => false,
    };
    tensor.role == TensorRole::Operand && !tensor.pattern && is_array(&tensor.format)
}

/// Returns a kernel in which gathers are products with the inverse of their lists.
fn with_products(kernel: &Kernel, gathers: Vec<Gather>, format: &Arc<Format>) -> Kernel {
    let mut changed = kernel.clone();
    let mut over: Vec<VariableId> = Vec::new();
    for Gather { mode, point, list, at } in gathers {
        let readers = accesses_at(&changed.assignment.value, mode);
        let Some(first) = readers.first() else { continue };
        let coordinate = add_coordinate(&mut changed, first, at);
        let inverse = Inverse { of: list, mode, coordinate, at };
        let dtype = changed.tensor(first.tensor).dtype;
        let tensor = inverse_tensor(&changed, inverse, format, dtype);
        changed.tensors.push(tensor);
        let inverse = inverse.access(TensorId(changed.tensors.len() - 1));
        let instead = |access: &Access| {
            let at_coordinate = |v: &VariableId| if *v == mode { coordinate } else { *v };
            let indices = access.indices.iter().map(at_coordinate).collect();
            Access { tensor: access.tensor, indices }
        };
        let product = |access: &Access| {
            let product = Expr::mul(Expr::Access(instead(access)), Expr::Access(inverse.clone()));
            readers.contains(access).then(|| Expr::sum(vec![coordinate], product))
        };
        changed.assignment.value = released(&changed.assignment.value.substitute(&product), point);
        // The extents and the checks of the list follow from the accesses as written.
        changed.accesses.extend(readers.iter().map(instead));
        changed.accesses.push(inverse);
        over.push(coordinate);
    }
    changed.assignment.value = pulled(&changed.assignment.value, &over);
    changed
}

/// Returns the distinct accesses in a value with an index.
fn accesses_at(value: &Expr, index: VariableId) -> Vec<Access> {
    let mut found: Vec<Access> = Vec::new();
    value.for_each_access(&mut |access| {
        if access.indices.contains(&index) && !found.contains(access) {
            found.push(access.clone());
        }
    });
    found
}

/// Adds a variable for the coordinates of the mode that a list reads.
fn add_coordinate(kernel: &mut Kernel, read: &Access, at: VariableId) -> VariableId {
    let operand = kernel.tensor(kernel.passed_as(read.tensor));
    let operand = crate::names::plain(&operand.argument);
    let mut name = format!("{}_of_{operand}", kernel.variable(at).name);
    while kernel.variables.iter().any(|known| known.name == name) {
        name.push('_');
    }
    let role = VariableRole::Index;
    kernel.variables.push(Variable { name, extent: Extent::OfModes, role, expression: None });
    VariableId(kernel.variables.len() - 1)
}

/// Returns the tensor that is the inverse of a list.
fn inverse_tensor(kernel: &Kernel, inverse: Inverse, format: &Arc<Format>, dtype: Dtype) -> Tensor {
    let list = kernel.tensor(inverse.of);
    let argument =
        kernel.unused_argument(&format!("{}_inverse", crate::names::plain(&list.argument)));
    Tensor {
        name: argument.clone(),
        argument,
        format: Arc::clone(format),
        dtype,
        by_value: false,
        pattern: true,
        may_be_infinite: false,
        role: TensorRole::Inverse(inverse),
        span: kernel.span,
    }
}

/// Returns a value with the sums over some variables around the products in which they are factors.
/// Factors may share a sum, as the list has a single coordinate at each place.
fn pulled(value: &Expr, over: &[VariableId]) -> Expr {
    let value = value.map_children(&mut |child| pulled(child, over));
    match value {
        Expr::Neg(a) => around(over, *a, Expr::neg),
        Expr::Binary(BinaryOp::Mul, a, b) => {
            around(over, *a, |a| around(over, *b, |b| Expr::mul(a, b)))
        }
        Expr::Call(Function::Mask, masked) => match &masked[..] {
            [mask, value] => around(over, value.clone(), |value| {
                Expr::call(Function::Mask, vec![mask.clone(), value])
            }),
            _ => Expr::Call(Function::Mask, masked),
        },
        value => value,
    }
}

/// Applies a function to a value within its sum over some of the variables, if it is such a sum.
fn around(over: &[VariableId], value: Expr, apply: impl FnOnce(Expr) -> Expr) -> Expr {
    match value {
        Expr::Reduce(Reduce { op: ReduceOp::SUM, variables, body, .. })
            if variables.iter().all(|v| over.contains(v)) =>
        {
            match apply(*body) {
                Expr::Reduce(Reduce { op: ReduceOp::SUM, variables: others, body, .. }) => {
                    let others = others.into_iter().filter(|v| !variables.contains(v));
                    Expr::sum(variables.iter().copied().chain(others).collect(), *body)
                }
                body => Expr::sum(variables, body),
            }
        }
        value => apply(value),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn the_cheaper_of_search_and_inverse_is_chosen() {
        let product = |of: &str| format!("{of} * f_inverse[j_of_a,j]");
        let cases = [
            ("B = 'csr', A = 'csr'", product("A[i,j_of_a]")),
            ("B = 'dense', A = 'hash_rows'", product("A[i,j_of_a]")),
            // Lookup is free.
            ("B = 'dense', A = 'dense'", "A[i,f[j]]".to_owned()),
            ("B = 'csc', A = 'csc'", "A[i,f[j]]".to_owned()),
        ];
        for (formats, expected) in cases {
            let tensors = format!("{formats}, f = {{ format = 'dense', dtype = 'u32' }}");
            let found = loops("B[i,j] = A[i, f[j]]", &tensors, &[]);
            assert!(found.contains(&expected), "{formats}: {found}");
        }
    }

    #[test]
    fn few_coordinates_are_searched() {
        let found = |sizes: &str| {
            let manifest = format!(
                "[kernels.k]\nexpr = 'B[i,j] = A[i, j in cols]'\n{sizes}\n\
                 tensors = {{ B = 'csr', A = 'csr' }}\nparams = {{ cols = 'indices' }}"
            );
            crate::compile_str("kernels.toml", &manifest).source.contains("kernel::inverse")
        };
        assert!(found(""));
        assert!(!found("sizes = { j = 1 }"));
    }

    #[test]
    fn sums_of_products_are_pushed_inwards() {
        let found = loops(
            "y[i] = A[i, f[j]] * x[j]",
            "y = 'dense', A = 'csr', x = 'dense', f = { format = 'dense', dtype = 'u32' }",
            &[],
        );
        assert!(found.contains("sum += f_inverse[j_of_a,j] * x[j]"), "{found}");
    }
}
