//! Results that keep what they hold: `y[i] += …` need not read `y` where it can be added to.

use crate::format::unordered;
use crate::level::Levels;
use crate::limits::REFILLED;
use crate::notation::{Access, Assignment, BinaryOp, Expr, Function, Kernel, UnaryOp};
use crate::types::{Dtype, Literal};

/// The kernel that adds to its result in place, if the statement only adds to what the result holds
/// and the result has a place for every coordinate; otherwise the kernel as it is, which reads what
/// the result held as an operand.
pub fn in_place(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    let Some(old) = kernel.previous().filter(|_| takes_additions(kernel)) else { return changed };
    let Assignment { result, value } = &kernel.assignment;
    let before = Access { tensor: old, ..result.clone() };
    let Some(added) = without(value, &before) else { return changed };
    let mut reads = kernel.places.iter().any(|place| place.reads(old));
    added.for_each_access(&mut |access| reads |= access.tensor == old);
    if reads {
        return changed;
    }
    changed.assignment.value = added;
    changed.accesses.retain(|access| access.tensor != old);
    changed.in_place = true;
    changed
}

/// The kernel that lists what it computes, where that is a part of a result that has no place for every
/// coordinate: what is listed is packed together with the rest of what the result holds. So is what is
/// not zero where nothing is stored, as sums begin at zero: the list is of zeros where it lists nothing.
/// In a semiring nothing is the semiring's zero for all tensors.
pub fn listed(kernel: &Kernel, levels: &Levels) -> Kernel {
    let mut listed = kernel.clone();
    let is_usual = kernel.semiring.is_usual();
    let refills =
        is_usual && !kernel.in_place && !kernel.tensor(kernel.result()).format.fill.is_zero();
    if !refills && (!kernel.is_partial() || has_places(kernel)) {
        return listed;
    }
    let differing = differing(kernel).filter(|_| refills && !kernel.is_partial());
    let format = &mut listed.tensors[kernel.result().0].format;
    let listed_format = match is_usual && differing.is_none() {
        true => format.clone().filled(Literal::Int(0)),
        false => format.clone(),
    };
    if let Some(value) = differing {
        listed.assignment.value = value;
    }
    if let Some(list) = unordered(&listed_format, levels) {
        listed.packed = Some(std::mem::replace(format, list));
    }
    listed
}

/// Returns whether values can be added to the result without reading it: it has a place for every
/// coordinate, or is a scalar of a type whose `+` is that of Rust.
fn takes_additions(kernel: &Kernel) -> bool {
    let result = kernel.tensor(kernel.result());
    let adds = kernel.semiring.is_usual() && !matches!(result.dtype, Dtype::Bool | Dtype::Generic);
    // The sum of what is subtracted has no negative in an unsigned type.
    let is_negative = result.dtype.is_unsigned() && subtracts(&kernel.assignment.value);
    if result.by_value { adds && !is_negative } else { has_places(kernel) }
}

/// Returns whether some term of a sum is subtracted.
fn subtracts(value: &Expr) -> bool {
    match value {
        Expr::Binary(BinaryOp::Sub, ..) | Expr::Unary(UnaryOp::Neg, _) => true,
        Expr::Binary(BinaryOp::Add, a, b) => subtracts(a) || subtracts(b),
        Expr::Binary(BinaryOp::Mul | BinaryOp::Div, ..)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => false,
    }
}

/// Returns the kernel's value under the condition that it differs from the result's fill value, if it is
/// known to be the fill value where no operand has an entry. Then nothing needs to be listed there, however
/// large the result is.
///
/// `None` as well if the value may be known to be zero where some operands have entries: the loops skip such
/// a value, and it would count as the fill value.
fn differing(kernel: &Kernel) -> Option<Expr> {
    let value = &kernel.assignment.value;
    let sparse = kernel.sparse_accesses(value);
    if !has_values_alone(value) || sparse.len() > REFILLED {
        return None;
    }
    let with_entries = |entries: usize| {
        value.substitute(&|access| {
            let operand = sparse.iter().position(|known| *known == access)?;
            (entries & (1 << operand) == 0).then(|| kernel.fill(access.tensor))
        })
    };
    let may_be_skipped = (0..1 << sparse.len()).any(|entries| with_entries(entries).is_zero());
    let fill = kernel.fill(kernel.result());
    let differs = |value: Expr| Expr::call(Function::Present, vec![value, fill.clone()]);
    let is_fill = differs(with_entries(0)) == Expr::Literal(Literal::Bool(false));
    (is_fill && !may_be_skipped)
        .then(|| Expr::call(Function::Mask, vec![differs(value.clone()), value.clone()]))
}

/// Returns whether an expression is made of values, and not of coordinates, conditions or reductions.
fn has_values_alone(value: &Expr) -> bool {
    match value {
        Expr::Access(_) | Expr::Literal(_) | Expr::Constant(_) => true,
        Expr::Unary(_, a) => has_values_alone(a),
        Expr::Binary(_, a, b) => has_values_alone(a) && has_values_alone(b),
        Expr::Call(Function::Math(_) | Function::Complex(..), arguments) => {
            arguments.iter().all(has_values_alone)
        }
        Expr::Call(..) | Expr::Index(_) | Expr::Parameter(_) | Expr::Reduce(_) => false,
    }
}

/// Whether the result has a place for every coordinate.
fn has_places(kernel: &Kernel) -> bool {
    let levels = &kernel.tensor(kernel.result()).format.levels;
    levels.iter().all(|spec| spec.level.insert().is_some() && spec.properties.full)
}

/// What is added to `before` in a sum that has it once, as a term of its own.
fn without(value: &Expr, before: &Access) -> Option<Expr> {
    match value {
        Expr::Access(access) => (access == before).then_some(Expr::ZERO),
        Expr::Binary(BinaryOp::Add, a, b) => match without(a, before) {
            Some(rest) => Some(Expr::add(rest, (**b).clone())),
            None => Some(Expr::add((**a).clone(), without(b, before)?)),
        },
        Expr::Binary(BinaryOp::Sub, a, b) => Some(Expr::sub(without(a, before)?, (**b).clone())),
        Expr::Binary(BinaryOp::Mul | BinaryOp::Div, ..)
        | Expr::Unary(UnaryOp::Neg, _)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => None,
    }
}
