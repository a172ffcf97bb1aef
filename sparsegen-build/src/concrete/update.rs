//! Updates of existing results: `y[i] += …` need not read `y` if it can be accumulated in place.

use crate::format::unordered;
use crate::level::Levels;
use crate::notation::{Access, Assignment, BinaryOp, Expr, Function, Kernel};
use crate::types::Dtype;

/// Returns the kernel that adds to its result in place, if the statement only adds to the previous
/// contents and the result has a position for every coordinate; otherwise returns the kernel
/// unchanged, which reads the previous contents as an operand.
pub fn in_place(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    let Some(old) = kernel.previous().filter(|_| takes_additions(kernel)) else { return changed };
    let Assignment { result, value } = &kernel.assignment;
    let before = Access { tensor: old, ..result.clone() };
    let Some(added) = without(value, &before) else { return changed };
    let mut reads = kernel.is_subscript(old);
    added.for_each_access(&mut |access| reads |= access.tensor == old);
    if reads {
        return changed;
    }
    changed.assignment.value = added;
    changed.accesses.retain(|access| access.tensor != old);
    changed.in_place = true;
    changed
}

/// Returns the kernel whose value is an entry of the result: absent if it is known to be the
/// result's fill value. A result with a position for every coordinate starts at zero instead,
/// whatever its fill value is.
pub fn of_entries(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    let fill = kernel.fill_value(kernel.result());
    if fill.is_zero() || kernel.in_place || has_places(kernel) {
        return changed;
    }
    let value = kernel.assignment.value.clone();
    let entry = Expr::call(Function::Entry, vec![value, Expr::Literal(fill)]);
    changed.assignment.value = entry.under_masks();
    changed.unassigned = fill;
    changed
}

/// Returns the kernel that computes a list of entries, if it assigns a part of a result without a
/// position for every coordinate: the list is packed together with the rest of the previous
/// contents.
pub fn listed(kernel: &Kernel, levels: &Levels) -> Kernel {
    let mut listed = kernel.clone();
    if !kernel.is_partial() || has_places(kernel) {
        return listed;
    }
    let format = &mut listed.tensors[kernel.result().0].format;
    if let Some(list) = unordered(format, levels) {
        listed.packed = Some(std::mem::replace(format, list));
    }
    listed
}

/// Returns whether values can be added to the result without reading it: it has a position for
/// every coordinate, or is a scalar of a type whose `+` is that of Rust.
fn takes_additions(kernel: &Kernel) -> bool {
    let result = kernel.tensor(kernel.result());
    let has_plus = result.dtype != Dtype::Bool && !result.dtype.is_opaque();
    let adds = kernel.semiring.is_usual() && has_plus;
    // A subtraction has no counterpart in an unsigned type.
    let is_negative = result.dtype.is_unsigned() && subtracts(&kernel.assignment.value);
    if result.by_value { adds && !is_negative } else { has_places(kernel) }
}

/// Returns whether some term of a sum is subtracted.
fn subtracts(value: &Expr) -> bool {
    match value {
        Expr::Binary(BinaryOp::Sub, ..) | Expr::Neg(_) => true,
        Expr::Binary(BinaryOp::Add, a, b) => subtracts(a) || subtracts(b),
        Expr::Binary(..)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => false,
    }
}

/// Returns whether the result has a position for every coordinate.
fn has_places(kernel: &Kernel) -> bool {
    kernel.tensor(kernel.result()).format.has_every_position()
}

/// Returns the terms that are added to `before`, in a sum with exactly one term `before`.
fn without(value: &Expr, before: &Access) -> Option<Expr> {
    match value {
        Expr::Access(access) => (access == before).then_some(Expr::ZERO),
        Expr::Binary(BinaryOp::Add, a, b) => match without(a, before) {
            Some(rest) => Some(Expr::add(rest, (**b).clone())),
            None => Some(Expr::add((**a).clone(), without(b, before)?)),
        },
        Expr::Binary(BinaryOp::Sub, a, b) => Some(Expr::sub(without(a, before)?, (**b).clone())),
        Expr::Binary(..)
        | Expr::Neg(_)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::in_place;
    use crate::testing::{kernel_with, loops};

    #[test]
    fn unsigned_scalars_take_additions_but_no_subtractions() {
        let is_added = |expr: &str, dtype: &str| {
            let tensors = "s = 'scalar', x = 'dense'";
            in_place(&kernel_with(expr, tensors, &format!("dtype = '{dtype}'"))).in_place
        };
        assert!(is_added("s += x[i]", "u32"));
        assert!(is_added("s -= x[i]", "i32"));
        assert!(!is_added("s -= x[i]", "u32"));
    }

    #[test]
    fn results_with_a_fill_value_store_entries() {
        let ones = "{ map = 'csr', fill = 1 }";
        let check = |expr: &str, result: &str, expected: &str| {
            let tensors = format!("C = {result}, A = {ones}");
            assert_eq!(loops(expr, &tensors, &[]), expected);
        };
        check("C[i,j] = A[i,j]", ones, "∀i ∀j C[i,j] = entry(A[i,j], 1)");
        check(
            "C[i,j] = A[i,j] * (i <= j) + 1",
            ones,
            "∀i ∀j (C[i,j] = entry(A[i,j] + 1, 1) if i <= j)",
        );
        // A result that has a place for every coordinate starts at zero.
        check("C[i,j] = A[i,j]", "{ map = 'dense', fill = 1 }", "∀i ∀j C[i,j] = A[i,j]");
    }
}
