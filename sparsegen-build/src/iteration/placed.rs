//! Results whose entries are stored at the next position of their parent: see
//! [`Format::placed`](crate::format::Format::placed).
//!
//! The loops may visit the parents in any order, and the coordinates of each parent in order. All
//! loops that do not determine the parent are within those of the coordinate, so that a coordinate
//! is only repeated immediately.

use super::iterator::Conversion;
use super::plan::{Plan, either};
use crate::concrete::space::{Basis, Definition, Space};
use crate::concrete::{Program, Stmt, Target};
use crate::coordinate::Coordinate;
use crate::notation::{Access, Kernel, VariableId, VariableRole};

/// The loops of a result whose entries are stored at the next position of their parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// The loops over the coordinate, which contain all others except those of `parents`.
    pub coordinate: Vec<VariableId>,
    /// The loops over coordinates of the parents, which may be anywhere.
    pub parents: Vec<VariableId>,
}

impl Placing {
    /// Returns the loops for a result that is placed, or `None` if those of the basis do not visit
    /// the coordinates of each parent in order.
    pub fn of(kernel: &Kernel, space: &Space, basis: &Basis, result: &Access) -> Option<Placing> {
        let (leaf, _) = kernel.tensor(result.tensor).format.placed()?;
        let is_index = |v: &VariableId| kernel.variable(*v).role == VariableRole::Index;
        let is_distinct = |k: usize| !result.indices[..k].contains(&result.indices[k]);
        if !result.indices.iter().all(is_index) || !(0..result.indices.len()).all(is_distinct) {
            return None;
        }
        let variable = |level| space.level_variable(kernel, result, level);
        let v = variable(leaf)?;
        let coordinate = space.sources(basis, v);
        let above: Vec<VariableId> = (0..leaf).filter_map(variable).collect();
        let known = space.known(kernel, &above);
        let is_ascending = match coordinate[..] {
            [only] => ascends(space, v, only, &known),
            // A block and the offset within it.
            [outer, inner] => space.blocks().contains(&[outer, inner]),
            _ => false,
        };
        let mut parents: Vec<_> = above.iter().flat_map(|v| space.sources(basis, *v)).collect();
        parents.retain(|part| above.iter().any(|v| is_part_of(space, *part, *v)));
        parents.retain(|v| basis.loops_over(*v) && !coordinate.contains(v));
        is_ascending.then_some(Placing { coordinate, parents })
    }
}

/// Returns whether `v` increases with the iterations of a loop, while `known` variables stay the same.
fn ascends(space: &Space, v: VariableId, of_loop: VariableId, known: &[VariableId]) -> bool {
    if let Some(Definition::Fused(outer, inner)) = space.definition(of_loop) {
        // Along a diagonal, the inner variable may increase with the outer one.
        let is_along = |diagonal: &VariableId| match space.computed(*diagonal) {
            Some(Coordinate::Affine(sum)) => {
                sum.stride(outer).signum() * sum.stride(&v).signum() < 0
            }
            Some(Coordinate::Div(..) | Coordinate::Mod(..)) | None => false,
        };
        return ascends(space, v, *outer, known)
            || known.contains(outer) && ascends(space, v, *inner, known)
            || v == *inner && known.iter().any(is_along);
    }
    match space.computed(v) {
        Some(Coordinate::Div(of, _)) if *of == of_loop => true,
        // The offset increases within a block.
        Some(Coordinate::Mod(of, by)) if *of == of_loop => {
            let block = space.variable_of(Coordinate::Div(*of, *by));
            block.is_some_and(|block| known.contains(&block))
        }
        Some(Coordinate::Div(..) | Coordinate::Mod(..) | Coordinate::Affine(_)) | None => {
            v == of_loop
        }
    }
}

/// Returns whether the entries of a result are appended in the order of a variable.
pub(super) fn is_ordered(program: &Program, target: &Target, variable: VariableId) -> bool {
    let result = &target.access;
    let Program { kernel, space, basis, .. } = program;
    if let Some(placing) = Placing::of(kernel, space, basis, result) {
        return placing.coordinate.contains(&variable);
    }
    let levels = &program.tensor(result.tensor).format.levels;
    let appended = program.last_appended(target).map_or(0..0, |last| 0..last + 1);
    appended.into_iter().any(|level| {
        levels[level].properties.ordered && program.level_variable(result, level) == Some(variable)
    })
}

/// Returns whether a variable is another one, or its block or the offset within that, so that one
/// coordinate of the other one belongs to one of it.
fn is_part_of(space: &Space, part: VariableId, v: VariableId) -> bool {
    part == v
        || match space.computed(part) {
            Some(Coordinate::Div(of, _) | Coordinate::Mod(of, _)) => is_part_of(space, *of, v),
            Some(Coordinate::Affine(_)) | None => false,
        }
}

/// Returns whether the loops of a program visit the coordinates of a placed result in order:
/// reductions, and statements for separate terms, are within the loops over the coordinate, unless
/// they fill a workspace.
pub fn visits_in_order(program: &Program) -> bool {
    let Program { kernel, space, basis, .. } = program;
    program.targets.iter().all(|Target { access: result, .. }| {
        if kernel.tensor(result.tensor).format.placed().is_none() {
            return true;
        }
        Placing::of(kernel, space, basis, result).is_some_and(|placing| {
            is_in_order(&program.body, result, &placing.coordinate, &placing.parents)
        })
    })
}

/// Returns whether only loops over parents are outside of the loops in `left`, and one statement at
/// most assigns the result there.
fn is_in_order(stmt: &Stmt, result: &Access, left: &[VariableId], parents: &[VariableId]) -> bool {
    if left.is_empty() || !stmt.assigns(result.tensor) {
        return true;
    }
    match stmt {
        Stmt::Forall { variable, body, .. } => {
            let rest: Vec<_> = left.iter().filter(|v| *v != variable).copied().collect();
            (rest.len() < left.len() || parents.contains(variable))
                && is_in_order(body, result, &rest, parents)
        }
        Stmt::Where { consumer, producer, .. } => {
            !producer.assigns(result.tensor) && is_in_order(consumer, result, left, parents)
        }
        Stmt::Assign { .. } => false,
        Stmt::If { body, .. } => is_in_order(body, result, left, parents),
        Stmt::Sequence(statements) => {
            let mut assigning = statements.iter().filter(|stmt| stmt.assigns(result.tensor));
            let first = assigning.next();
            assigning.next().is_none()
                && first.is_none_or(|stmt| is_in_order(stmt, result, left, parents))
        }
    }
}

/// Returns whether the loops may store a coordinate of a result several times in succession.
pub(crate) fn repeats(target: &Target, plan: &Plan) -> bool {
    let result = target.access.tensor;
    match plan {
        Plan::Loop(inner) => {
            let is_fused = |k: usize| inner.iterators[k].conversions.contains(&Conversion::Fused);
            let mut drivers = inner.points.iter().flat_map(|point| point.drivers.members());
            drivers.any(is_fused) || inner.bodies.iter().any(|body| repeats(target, body))
        }
        Plan::Where { consumer, .. } => repeats(target, consumer),
        Plan::Assign { target, accumulate, .. } => target.tensor == result && accumulate.is_some(),
        Plan::Visit(_) => false,
        Plan::If { body, .. } => repeats(target, body),
        Plan::Sequence(plans) => {
            let assigning = plans.iter().filter(|plan| plan.assigns(result)).count();
            assigning > 1 && either(plans).is_none()
                || plans.iter().any(|plan| repeats(target, plan))
        }
    }
}
