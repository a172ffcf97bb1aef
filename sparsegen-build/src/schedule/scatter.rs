//! Operands that are looked up: `y[i] = A[i,j] * x[j]` is `y[i] = A[i,j] * w[j] where w[j] = x[j]`.
//!
//! The entries of an operand with the coordinates of the enclosing loops are stored in a workspace,
//! as far outside as its other indices permit. Loops over other operands look them up there instead
//! of merging them again in each iteration (Gustavson 1978). Each operand for which there are such
//! loops is a candidate; its cost decides.

use std::sync::Arc;

use crate::concrete::Precomputed;
use crate::format::LevelExpr;
use crate::level;
use crate::notation::schedule::{Accumulator, Action};
use crate::notation::{
    Access, BinaryOp, Expr, Function, Kernel, ReduceOp, TensorId, TensorRole, VariableId,
    VariableRole,
};
use crate::types::Literal;

use super::precompute;

/// The number of operands of a form that are stored in workspaces.
const OPERANDS: usize = 2;
/// The number of forms with such operands that are compared.
const FORMS: usize = 8;

/// Adds the forms of a kernel in which operands are stored in workspaces to its other forms.
pub(super) fn add(kernel: &Kernel, forms: &mut Vec<(Kernel, Vec<Precomputed>)>) {
    if kernel.schedule.iter().any(|command| names_operands(&command.action)) {
        return;
    }
    let (mut of, most) = (0, forms.len() + FORMS);
    while of < forms.len() && forms.len() < most {
        let (kernel, taken) = &forms[of];
        let stored = taken.iter().filter(|part| part.is_copy).count();
        if stored < OPERANDS {
            let more = candidates(kernel, taken).into_iter();
            let more = more.flat_map(|(access, over)| {
                let form = form(kernel, taken, &access, over);
                let driven = driven(&form, kernel, &access);
                std::iter::once(form).chain(driven)
            });
            let more: Vec<_> = more.collect();
            forms.extend(more);
        }
        of += 1;
    }
    forms.truncate(most);
}

/// Returns whether a command names an operand that is iterated or located.
pub(super) fn names_operands<V, T, E>(action: &Action<V, T, E>) -> bool {
    matches!(action, Action::Merge { .. } | Action::Locate { .. } | Action::Pos { .. })
}

/// Returns the operands that another one is merged with in a loop that is repeated although the
/// operand stays the same, each with the variable of that loop.
fn candidates(kernel: &Kernel, taken: &[Precomputed]) -> Vec<(Access, VariableId)> {
    // A workspace that is stored after another one gives the same form.
    let last = taken.iter().rfind(|part| part.is_copy).map(|part| &part.value);
    let mut reads: Vec<Access> = Vec::new();
    for value in values(kernel, taken) {
        value.for_each_access(&mut |access| {
            if !reads.contains(access) {
                reads.push(access.clone());
            }
        });
    }
    let candidates = reads.iter().filter_map(|access| {
        let over = stored_last(kernel, access)?;
        let is_repeated = reads.iter().any(|other| {
            lists(kernel, other, over) && other.indices.iter().any(|v| !access.indices.contains(v))
        });
        is_repeated.then(|| (access.clone(), over))
    });
    let order = |access: &Access| (access.tensor, access.indices.clone());
    let is_after = |access: &Access| match last {
        Some(Expr::Access(last)) => order(access) > order(last),
        _ => true,
    };
    candidates.filter(|(access, _)| is_after(access)).collect()
}

/// Returns the values of the result and of the precomputed parts.
fn values<'k>(kernel: &'k Kernel, taken: &'k [Precomputed]) -> impl Iterator<Item = &'k Expr> {
    let parts = taken.iter().filter(|part| !part.is_copy).map(|part| &part.value);
    std::iter::once(&kernel.assignment.value).chain(parts)
}

/// Returns the variable of the last level of an operand if the level must be iterated, and the
/// entries below it are what the operand stores.
fn stored_last(kernel: &Kernel, access: &Access) -> Option<VariableId> {
    let tensor = kernel.tensor(access.tensor);
    let is_operand = matches!(tensor.role, TensorRole::Operand | TensorRole::Converted(_));
    let is_plain = |v: &VariableId| kernel.variable(*v).role == VariableRole::Index;
    let levels = &tensor.format.levels;
    let has_modes = levels.iter().all(|spec| matches!(spec.expr, LevelExpr::Dimension(_)));
    let last = levels.last()?;
    let is_iterated = last.level.locate().is_none();
    let is_candidate = is_operand
        && is_iterated
        && has_modes
        && access.indices.iter().all(is_plain)
        && kernel.vanishes(&Expr::Access(access.clone()));
    let over = access.indices[tensor.format.mode_of(levels.len() - 1)?];
    let is_once = access.indices.iter().filter(|v| **v == over).count() == 1;
    (is_candidate && is_once).then_some(over)
}

/// Returns whether an operand stores some coordinates of a variable.
fn lists(kernel: &Kernel, access: &Access, v: VariableId) -> bool {
    let format = &kernel.tensor(access.tensor).format;
    let mut levels = 0..format.levels.len();
    levels.any(|level| {
        let stores = format.mode_of(level).is_some_and(|mode| access.indices[mode] == v);
        stores && !format.levels[level].properties.full
    })
}

/// Returns whether a value depends only on which entries of an operand differ from zero.
fn is_only_tested(value: &Expr, operand: &Access) -> bool {
    match value {
        Expr::Access(access) => access != operand,
        Expr::Call(Function::Present, of) if of[1].is_zero() => {
            matches!(&of[0], Expr::Access(_)) || is_only_tested(&of[0], operand)
        }
        value => value.children().all(|child| is_only_tested(child, operand)),
    }
}

/// Returns the form in which the entries of an operand that is stored in a workspace also drive the
/// loop that stores the result, so that the entries of another workspace are looked up in their order
/// and need not be sorted. `before` is the kernel without the workspace.
fn driven(
    (form, taken): &(Kernel, Vec<Precomputed>),
    before: &Kernel,
    operand: &Access,
) -> Option<(Kernel, Vec<Precomputed>)> {
    let (result, value) = (&before.assignment.result, &before.assignment.value);
    let is_needed = before.vanishes_without(operand, value);
    let is_of_result = operand.indices.iter().all(|v| result.indices.contains(v));
    (is_needed && is_of_result).then_some(())?;
    let is_stored =
        |access: &Access| Expr::call(Function::Stored, vec![Expr::Access(access.clone())]);
    let mut form = form.clone();
    let own = taken.last()?;
    form.assignment.value = match form.tensor(own.workspace.tensor).pattern {
        true => Expr::call(Function::Mask, vec![is_stored(operand), form.assignment.value]),
        // Its values are read where it drives.
        false => {
            let both = Expr::binary(BinaryOp::And, is_stored(operand), is_stored(&own.workspace));
            Expr::call(Function::Mask, vec![both, value.clone()])
        }
    };
    Some((form, taken.clone()))
}

/// Returns the form of a kernel in which an operand is stored in a workspace over a variable.
fn form(
    kernel: &Kernel,
    taken: &[Precomputed],
    operand: &Access,
    over: VariableId,
) -> (Kernel, Vec<Precomputed>) {
    let mut kernel = kernel.clone();
    let workspace = Access { tensor: TensorId(kernel.tensors.len()), indices: vec![over] };
    let of = kernel.tensor(operand.tensor).clone();
    let is_mask = values(&kernel, taken).all(|value| is_only_tested(value, operand));
    let own = Expr::Access(operand.clone());
    let part = match is_mask && !of.pattern {
        true => {
            let is_present = Expr::call(Function::Present, vec![own, Expr::ZERO]);
            Expr::call(Function::Mask, vec![is_present, Expr::Literal(Literal::Int(1))])
        }
        false => own,
    };
    let name = format!("{}_lookup", crate::names::plain(&of.argument));
    let span = kernel.span;
    let value = (&part, Literal::Int(0));
    precompute::add_workspace(&mut kernel, &name, value, &[over], Accumulator::default(), span);
    let tensor = &mut kernel.tensors[workspace.tensor.0];
    let format = Arc::make_mut(&mut tensor.format);
    let [spec] = &mut format.levels[..] else { unreachable!("a workspace has one level") };
    spec.level = level::lookup_workspace();
    spec.properties = spec.level.properties();
    if let Some(last) = of.format.levels.last() {
        spec.properties.padded = last.properties.padded;
    }
    (tensor.pattern, tensor.dtype, spec.crd) = (of.pattern || is_mask, of.dtype, of.format.crd());
    let read = Expr::Access(workspace.clone());
    let replaced =
        |value: &Expr| value.substitute(&|access| (access == operand).then(|| read.clone()));
    kernel.assignment.value = replaced(&kernel.assignment.value);
    let change = |other: &Precomputed| match other.is_copy {
        true => other.clone(),
        false => Precomputed { value: replaced(&other.value), ..other.clone() },
    };
    let own = Precomputed { workspace, value: part, op: ReduceOp::SUM, is_copy: true };
    let parts = taken.iter().map(change).chain([own]).collect();
    (kernel, parts)
}
