//! Conversions for an order of the loops.

use super::{Conversion, Output, convert, is_at_random, leading_first, orders, outputs};
use crate::format::{LevelExpr, LevelSpec, plain, unordered};
use crate::level::Levels;
use crate::notation::{Access, Kernel, VariableId, VariableRole};

/// The largest number of loop orders for which [`by_order`] converts tensors.
const ORDERS: usize = 60;

/// Returns conversions for several loop orders: for each order, first of the operands that it
/// cannot traverse, then of all. The result keeps its format or becomes a list of entries. One of
/// these conversions suits all tensors if the reductions permit it.
pub fn by_order(kernel: &Kernel, levels: &Levels) -> Vec<Conversion> {
    let result = &kernel.assignment.result;
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        if !kernel.is_made(access.tensor) && !reads.contains(access) {
            reads.push(access.clone());
        }
    });
    reads.retain(|access| !is_at_random(kernel, access));
    // The variables of the result are outermost, in the order in which it stores them.
    let mut variables: Vec<VariableId> = Vec::new();
    let stored = kernel.tensor(result.tensor).format.levels.iter();
    let modes = stored.flat_map(|spec| spec.expr.modes());
    let preferred = modes.map(|mode| kernel.counted(result.indices[mode]));
    let all = (0..kernel.variables.len()).map(VariableId);
    for v in preferred.chain(all.filter(|v| kernel.variable(*v).role == VariableRole::Index)) {
        if !variables.contains(&v) {
            variables.push(v);
        }
    }
    let list = unordered(&kernel.tensor(result.tensor).format, levels);
    let lists = kernel.packed.is_none() && !is_at_random(kernel, result);
    let list = list.filter(|_| lists);
    let mut found = Vec::new();
    for order in orders(&variables).into_iter().take(ORDERS) {
        let rank = |v: VariableId| {
            rank(kernel, v, &|v| {
                order.iter().position(|place| variables[*place] == v).unwrap_or_default()
            })
        };
        let suits = |access: &&Access| {
            let spec = |spec: &LevelSpec| match spec.expr {
                LevelExpr::Dimension(mode) => Some(rank(access.indices[mode])),
                LevelExpr::Count(_) | LevelExpr::Computed(_) => None,
            };
            let ranks: Option<Vec<_>> =
                kernel.tensor(access.tensor).format.levels.iter().map(spec).collect();
            ranks.is_some_and(|ranks| ranks.is_sorted())
        };
        let unsuited: Vec<&Access> = reads.iter().filter(|access| !suits(access)).collect();
        for chosen in [unsuited, reads.iter().collect()] {
            let format = |access: &&Access| {
                let mut modes = leading_first(kernel, access);
                modes.sort_by_key(|mode| rank(access.indices[*mode]));
                plain(&kernel.tensor(access.tensor).format, &modes, levels).into_iter().next()
            };
            let Some(formats) = chosen.iter().map(format).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let listed = list.iter().cloned().map(Output::Packed);
            for result in outputs(kernel).into_iter().chain(listed) {
                if !matches!(result, Output::Own)
                    || list.is_none()
                    || suits(&&kernel.assignment.result)
                {
                    let pairs = chosen.iter().copied().zip(formats.iter());
                    found.push(convert(kernel, pairs, &result));
                }
            }
        }
    }
    found
}

/// Returns the index of the loop of a mode's variable; a coordinate that is computed from several
/// ones is known after all of their loops.
fn rank(kernel: &Kernel, v: VariableId, of_loop: &dyn Fn(VariableId) -> usize) -> usize {
    match &kernel.variable(v).role {
        VariableRole::Mode(slice) if slice.is_computed() => usize::MAX,
        VariableRole::Mode(slice) => rank(kernel, slice.follows().unwrap_or(slice.of), of_loop),
        VariableRole::Fixed => 0,
        VariableRole::Index | VariableRole::Scheduled | VariableRole::Stored => of_loop(v),
    }
}
