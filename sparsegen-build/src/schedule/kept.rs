//! Parts of a value that go through a workspace, as loops would repeat them: inner reductions, factors
//! that are reductions, and operands at fixed coordinates.

use crate::concrete::Precomputed;
use crate::concrete::fixed::released;
use crate::concrete::terms::outermost_reductions;
use crate::notation::{
    Access, BinaryOp, Expr, Function, Kernel, Reduce, ReduceOp, VariableId, VariableRole,
};

use super::distribute::{for_each_part, keep, replaced, stored_in_order};
use super::running::runs_against;

/// Returns the forms of a kernel in which one more part goes through a workspace: a reduction or an
/// operand at a fixed coordinate that is the same for several coordinates of the loops around it, a
/// reduction that is multiplied by another, or a reduction within another whose operands have their values
/// among those of other coordinates.
pub(super) fn kept(kernel: &Kernel, taken: &[Precomputed]) -> Vec<(Kernel, Vec<Precomputed>)> {
    let mut found: Vec<(&Expr, Vec<VariableId>)> = Vec::new();
    let mut around = kernel.assignment.result.indices.clone();
    for_each_part(&kernel.assignment.value, &mut around, &mut |part, around| {
        let is_new = !found.iter().any(|(known, _)| *known == part);
        let over = match part {
            Expr::Reduce(reduce) if is_new => of_reduction(kernel, reduce, around),
            Expr::Access(access) if is_new => of_fixed(kernel, access, around),
            _ => return,
        };
        if !over.is_empty() {
            found.push((part, over));
        }
    });
    let mut forms = Vec::new();
    for (part, over) in found {
        for over in over {
            let (mut kernel, mut taken) = (kernel.clone(), taken.to_vec());
            let workspace =
                keep(&mut kernel, &mut taken, (ReduceOp::SUM, part.clone()), vec![over]);
            let value = replaced(&kernel.assignment.value, part, &workspace);
            kernel.assignment.value = without_fixed(&kernel, part, value);
            forms.push((kernel, taken));
        }
    }
    forms
}

/// Returns the variables over which a reduction within loops over `around` may be kept.
fn of_reduction(kernel: &Kernel, reduce: &Reduce, around: &[VariableId]) -> Vec<VariableId> {
    let Some(free) = index_variables(kernel, reduce) else { return Vec::new() };
    let is_within = around.len() > kernel.assignment.result.indices.len();
    let is_repeated = around.iter().any(|v| !free.contains(v))
        || is_within && free.iter().any(|v| comes_again(kernel, reduce, *v))
        || !is_within && is_multiplied(&kernel.assignment.value, reduce)
        || free.iter().any(|v| runs_against(&kernel.assignment.value, reduce, *v));
    match is_repeated && !reduce.op.tells_where {
        true => free,
        false => Vec::new(),
    }
}

/// Returns the variables of the statement that determine a reduction, unless it reads operands at
/// fixed coordinates, or at computed ones where that is no gain.
fn index_variables(kernel: &Kernel, reduce: &Reduce) -> Option<Vec<VariableId>> {
    let mut free: Vec<VariableId> = Vec::new();
    // A workspace does not tell which of its coordinates are outside of a mode.
    let stores_some = kernel.tensor(kernel.result()).format.is_sparse();
    let mut is_computed = computes_coordinates(&reduce.body);
    let mut open = reduce.free_variables();
    while !open.is_empty() {
        let v = open.remove(0);
        match &kernel.variable(v).role {
            VariableRole::Mode(slice) if kernel.may_leave(slice) && stores_some => return None,
            VariableRole::Mode(slice) => {
                is_computed |= slice.range().is_none();
                open.push(slice.of);
                open.extend(kernel.variables_of(&slice.at).into_iter().filter(|v| *v != slice.of));
            }
            VariableRole::Index => {
                let is_bound = reduce.variables.contains(&v) || reduce.body.binds(v);
                if !is_bound && !free.contains(&v) {
                    free.push(v);
                }
            }
            VariableRole::Scheduled | VariableRole::Stored | VariableRole::Fixed => return None,
        }
    }
    (!is_computed || searches(kernel, reduce, &free)).then_some(free)
}

/// Returns whether a reduction over operands that are searched has one free variable, over which another
/// operand is iterated.
fn searches(kernel: &Kernel, reduce: &Reduce, free: &[VariableId]) -> bool {
    let [v] = free else { return false };
    let own = kernel.sparse_accesses(&reduce.body);
    let mut others = kernel.sparse_accesses(&kernel.assignment.value).into_iter();
    !own.is_empty() && others.any(|other| !own.contains(&other) && other.indices.contains(v))
}

/// Returns whether an expression has quotients or remainders of integers, such as coordinates of
/// blocks.
fn computes_coordinates(expr: &Expr) -> bool {
    match expr {
        Expr::Call(Function::Quotient | Function::Ratio | Function::Remainder, _) => true,
        expr => expr.children().any(computes_coordinates),
    }
}

/// Returns whether a reduction of a value is a factor of a product with another one. Where the loops of
/// one are outermost, they would repeat those of the other.
fn is_multiplied(value: &Expr, reduce: &Reduce) -> bool {
    let has = |part: &Expr, is_own: bool| {
        let mut has = false;
        outermost_reductions(part, &mut |other| has |= (other == reduce) == is_own);
        has
    };
    match value {
        Expr::Reduce(_) => false,
        Expr::Binary(BinaryOp::Mul, a, b)
            if has(a, true) && has(b, false) || has(b, true) && has(a, false) =>
        {
            true
        }
        value => value.children().any(|child| is_multiplied(child, reduce)),
    }
}

/// Returns the variables over which an operand at a fixed coordinate may be kept, as `A[j,j]` over `j`,
/// which would be searched for in the innermost of several loops.
fn of_fixed(kernel: &Kernel, access: &Access, around: &[VariableId]) -> Vec<VariableId> {
    let is_plain = |v: &VariableId| kernel.variable(*v).role == VariableRole::Index;
    let (mut free, others): (Vec<VariableId>, Vec<VariableId>) =
        access.indices.iter().partition(|v| is_plain(v));
    let is_fixed = |v: &VariableId| {
        kernel.variable(*v).role.slice().is_some_and(|slice| {
            slice.fixed().is_some() || slice.follows().is_some_and(|v| free.contains(&v))
        })
    };
    let is_candidate = !others.is_empty()
        && others.iter().all(is_fixed)
        && kernel.tensor(access.tensor).format.is_sparse()
        && kernel.vanishes(&Expr::Access(access.clone()))
        && around.iter().any(|v| !free.contains(v));
    if !is_candidate {
        return Vec::new();
    }
    // The outermost loop reads the operand once for each coordinate.
    let result = &kernel.assignment.result;
    let format = &kernel.tensor(result.tensor).format;
    let mode = (!format.levels.is_empty()).then(|| format.mode_of(0)).flatten();
    let first = mode.map(|mode| result.indices[mode]);
    free.retain(|v| Some(*v) != first);
    free
}

/// Returns a value, in which a workspace has replaced `part`, without reductions over the fixed
/// coordinates that only the part was read at.
fn without_fixed(kernel: &Kernel, part: &Expr, value: Expr) -> Expr {
    let Expr::Access(access) = part else { return value };
    let is_read = |v: VariableId| {
        let mut is_read = false;
        value.for_each_access(&mut |other| {
            is_read |= other.indices.iter().any(|index| kernel.counted(*index) == v);
        });
        is_read
    };
    let counted = access.indices.iter().map(|v| kernel.counted(*v));
    let fixed = counted.filter(|v| kernel.variable(*v).role == VariableRole::Fixed);
    let unread: Vec<VariableId> = fixed.filter(|v| !is_read(*v)).collect();
    unread.into_iter().fold(value, |value, v| released(&value, v))
}

/// Returns whether the coordinates of a free variable of a reduction come again for each coordinate of
/// the reduction, in the order of the levels of some operand.
pub(super) fn comes_again(kernel: &Kernel, reduce: &Reduce, v: VariableId) -> bool {
    kernel.sparse_accesses(&reduce.body).into_iter().any(|operand| {
        let stored = stored_in_order(kernel, &Expr::Access(operand.clone())).unwrap_or_default();
        let mut stored = stored.into_iter().map(|mode| kernel.counted(mode));
        let is_reduced = |outer| reduce.variables.contains(&outer);
        stored.by_ref().any(is_reduced) && stored.any(|inner| inner == v)
    })
}
