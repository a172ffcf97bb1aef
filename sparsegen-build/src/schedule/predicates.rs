//! Comparisons in terms of a sum, `L[i,j] = (i == j) * d[i] - A[i,j]`, and with the elements of a
//! list, `h[b] = sum[i]((key[i] == b) * w[i])`.
//!
//! A mask of the whole value that compares variables bounds the loop. A mask of a part of it does
//! not, and neither does a list: the loop would iterate over the whole dimension to find one
//! coordinate. Therefore such a comparison becomes a tensor with an entry where it holds, which is
//! merged like any operand, although no caller passes it.

use std::sync::Arc;

use crate::coordinate::Term;
use crate::format::{Format, LevelExpr, LevelSpec};
use crate::level::{self, Level};
use crate::names::plain;
use crate::notation::schedule::Action;
use crate::notation::{
    Access, BinaryOp, Diagonal, Expr, Extent, Function, Kernel, Listed, Predicate, Tensor,
    TensorId, TensorRole, VariableId, VariableRole,
};

/// Replaces comparisons by tensors.
pub(super) fn predicates(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    let whole = &kernel.assignment.value;
    changed.assignment.value = merged(&mut changed, whole, true);
    // A precomputed part is identified by its expression.
    for k in 0..kernel.schedule.len() {
        if let Action::Precompute { value, .. } = &kernel.schedule[k].action {
            let part = merged(&mut changed, value, value == whole);
            if let Action::Precompute { value, .. } = &mut changed.schedule[k].action {
                *value = part;
            }
        }
    }
    changed
}

/// Replaces comparisons in a value by tensors, except those of variables in a mask of the `whole`
/// value.
fn merged(kernel: &mut Kernel, value: &Expr, whole: bool) -> Expr {
    match value {
        Expr::Call(Function::Mask, masked) if whole => {
            let condition = bounding(kernel, &masked[0]);
            Expr::call(Function::Mask, vec![condition, merged(kernel, &masked[1], true)])
        }
        Expr::Reduce(reduce) => reduce.of(merged(kernel, &reduce.body, true)),
        _ => compared(kernel, value, true)
            .unwrap_or_else(|| value.map_children(&mut |child| merged(kernel, child, false))),
    }
}

/// Replaces comparisons in the mask of the whole value by tensors if they do not bound a loop: those
/// with the elements of a list, and those with several coordinates, one of which suffices.
fn bounding(kernel: &mut Kernel, mask: &Expr) -> Expr {
    let is_equal = |of: &&Expr| matches!(of, Expr::Call(Function::Operator(BinaryOp::Eq), _));
    match mask {
        Expr::Call(Function::Operator(BinaryOp::And), _) => {
            mask.map_children(&mut |child| bounding(kernel, child))
        }
        Expr::Call(Function::Operator(BinaryOp::Or), _)
            if mask.disjuncts().iter().all(is_equal) =>
        {
            merged(kernel, mask, false)
        }
        mask => with_lists(kernel, mask),
    }
}

/// Replaces comparisons with the elements of lists by tensors.
fn with_lists(kernel: &mut Kernel, condition: &Expr) -> Expr {
    compared(kernel, condition, false)
        .unwrap_or_else(|| condition.map_children(&mut |child| with_lists(kernel, child)))
}

/// Returns a comparison in terms of a tensor, if it is one with the elements of a list, or one of
/// `variables` where these are replaced.
fn compared(kernel: &mut Kernel, value: &Expr, variables: bool) -> Option<Expr> {
    let Expr::Call(Function::Operator(op @ (BinaryOp::Eq | BinaryOp::Ne)), sides) = value else {
        return None;
    };
    let equal = holds(predicate(kernel, sides, variables)?);
    Some(if *op == BinaryOp::Eq { equal } else { Expr::call(Function::Not, vec![equal]) })
}

/// Returns the condition that an element of a list is the coordinate of a variable, in terms of a tensor.
pub(super) fn is_element(kernel: &mut Kernel, element: &Access, v: VariableId) -> Option<Expr> {
    let sides = [Expr::Access(element.clone()), Expr::Index(v)];
    predicate(kernel, &sides, false).map(holds)
}

/// Returns the condition that a tensor represents.
fn holds(predicate: Access) -> Expr {
    Expr::call(Function::Present, vec![Expr::Access(predicate), Expr::ZERO])
}

/// Returns the tensor that represents a comparison, if there is one.
fn predicate(kernel: &mut Kernel, sides: &[Expr], variables: bool) -> Option<Access> {
    let [left, right] = sides else { return None };
    if variables && let Some((from, to, ahead)) = diagonal(kernel, left, right) {
        let predicate = Predicate::Diagonal(Diagonal { from, to, ahead });
        let level = level::diagonal(ahead);
        let name = format!("diagonal{}", distance(ahead));
        let levels = vec![LevelSpec::new(LevelExpr::Dimension(0), level::full_workspace())];
        return Some(pattern(kernel, predicate, &name, levels, vec![from], (to, level)));
    }
    let (list, coordinate, ahead) =
        listed(kernel, left, right).or_else(|| listed(kernel, right, left))?;
    let of = kernel.tensor(list.tensor);
    let predicate = Predicate::Listed(Listed { list: list.tensor, coordinate, ahead });
    let is_bounded = kernel.variable(coordinate).extent != Extent::Unbounded;
    let level = level::listed(of.dtype, ahead, is_bounded);
    let name = format!("{}_is{}", plain(&of.argument), distance(ahead as i64));
    let levels = of.format.levels.clone();
    Some(pattern(kernel, predicate, &name, levels, list.indices, (coordinate, level)))
}

/// Returns the two compared variables, if both have loops, and the difference between the second
/// and the first. The order of the result's levels is preferred.
fn diagonal(kernel: &Kernel, left: &Expr, right: &Expr) -> Option<(VariableId, VariableId, i64)> {
    let difference = Expr::difference(left, right)?;
    let (from, to) = match difference.terms() {
        [Term { times: 1, of: from }, Term { times: -1, of: to }]
        | [Term { times: -1, of: to }, Term { times: 1, of: from }] => (from, to),
        _ => return None,
    };
    let (&Expr::Index(from), &Expr::Index(to)) = (from, to) else { return None };
    let ahead = difference.offset();
    if !has_loop(kernel, from) || !has_loop(kernel, to) || ahead == i64::MIN {
        return None;
    }
    let format = &kernel.tensor(kernel.result()).format;
    let level_of = |v: VariableId| {
        let mut modes = (0..format.levels.len()).map(|level| format.mode_of(level));
        let indices = &kernel.assignment.result.indices;
        modes.position(|mode| mode.is_some_and(|mode| indices[mode] == v)).unwrap_or(usize::MAX)
    };
    Some(if level_of(to) < level_of(from) { (to, from, -ahead) } else { (from, to, ahead) })
}

/// Returns the element of a list and the variable that are compared, and the difference between
/// them. The list is an operand whose values are an array of integers.
fn listed(kernel: &Kernel, element: &Expr, other: &Expr) -> Option<(Access, VariableId, usize)> {
    let Expr::Access(access) = element else { return None };
    let difference = other.as_affine()?;
    let [Term { times: 1, of: Expr::Index(coordinate) }] = difference.terms() else { return None };
    let ahead = usize::try_from(difference.offset()).ok()?;
    let suits = is_list(kernel, access)
        && has_loop(kernel, *coordinate)
        && !access.indices.contains(coordinate);
    suits.then(|| (access.clone(), *coordinate, ahead))
}

/// Returns whether the values of an operand are an array of integers with an element for each coordinate.
pub(super) fn is_list(kernel: &Kernel, access: &Access) -> bool {
    let of = kernel.tensor(access.tensor);
    let is_array = |spec: &LevelSpec| spec.properties.full && spec.level.arrays().is_empty();
    of.role == TensorRole::Operand
        && of.dtype.is_integer()
        && !of.pattern
        && !of.format.levels.is_empty()
        && of.format.levels.iter().all(is_array)
        && access.indices.iter().all(|v| has_loop(kernel, *v))
}

/// Returns whether a variable is one of the statement, which ranges over whole modes.
fn has_loop(kernel: &Kernel, v: VariableId) -> bool {
    kernel.variable(v).role == VariableRole::Index
}

/// Returns the end of the name of a predicate in terms of the distance of what is compared.
fn distance(ahead: i64) -> String {
    match ahead {
        0 => String::new(),
        1.. => format!("_ahead_{ahead}"),
        _ => format!("_behind_{}", ahead.unsigned_abs()),
    }
}

/// Returns the access of the pattern with an entry where a predicate holds: a level below others
/// has the one coordinate.
fn pattern(
    kernel: &mut Kernel,
    predicate: Predicate,
    name: &str,
    mut levels: Vec<LevelSpec>,
    mut indices: Vec<VariableId>,
    (last, level): (VariableId, Arc<dyn Level>),
) -> Access {
    levels.push(LevelSpec::new(LevelExpr::Dimension(indices.len()), level));
    indices.push(last);
    let same = |access: &&Access| {
        access.indices == indices && kernel.predicate(access.tensor) == Some(predicate)
    };
    if let Some(known) = kernel.accesses.iter().find(same) {
        return known.clone();
    }
    let argument = kernel.unused_argument(name);
    let dimensions = indices.iter().map(|v| kernel.variable(*v).name.clone()).collect();
    let tensor = Tensor {
        name: argument.clone(),
        argument,
        format: Arc::new(Format::of(dimensions, levels)),
        dtype: kernel.tensor(kernel.result()).dtype,
        by_value: false,
        pattern: true,
        may_be_infinite: false,
        role: TensorRole::Predicate(predicate),
        span: kernel.span,
    };
    kernel.tensors.push(tensor);
    let access = Access { tensor: TensorId(kernel.tensors.len() - 1), indices };
    kernel.accesses.push(access.clone());
    access
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn comparisons_are_merged_whatever_the_schedule_and_in_updates() {
        let tensors = |result: &str| format!("L = '{result}', d = 'dense', A = 'csr'");
        let value = "(i == j) * d[i] - A[i,j]";
        let merged = "∀i ∀j L[i,j] = diagonal[i,j] * d[i] - A[i,j]";
        let plain = loops(&format!("L[i,j] = {value}"), &tensors("csr"), &[]);
        assert_eq!(plain.replace("present(diagonal[i,j])", "diagonal[i,j]"), merged);
        for schedule in ["reorder(i, j)", "parallelize(i)", "merge(j, walk)"] {
            let scheduled = loops(&format!("L[i,j] = {value}"), &tensors("csr"), &[schedule]);
            assert_eq!(scheduled, plain, "{schedule}");
        }
        for result in ["csr", "dense"] {
            let updated = loops(&format!("L[i,j] += {value}"), &tensors(result), &[]);
            assert!(updated.contains("diagonal[i,j]"), "{result}: {updated}");
        }
    }
}
