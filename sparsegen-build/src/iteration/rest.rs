//! Coordinates at which no operand has an entry, in one step.
//!
//! The maximum of a sparse row is the maximum of its entries, and of one zero if some coordinate
//! has no entry; a sum adds the value of these coordinates times their number. A loop therefore
//! visits only the entries, if the statement of the region without entries is the same at every
//! coordinate and only reduces. The algebra is that of the operator: `n` times the value of a sum,
//! its `n`-th power for a product, the value itself for an idempotent operator.

use super::iterator::Frontier;
use super::lattice::Lattice;
use crate::concrete::space::Definition;
use crate::concrete::{Program, Stmt};
use crate::coordinate::Coordinate;
use crate::notation::{Expr, TensorId, VariableId};

/// Returns the lattice of a loop over `v` that visits no coordinate without entries, and the
/// statement of these coordinates, if that can be repeated in one step.
pub(super) fn set_aside(
    program: &Program,
    frontier: &Frontier,
    v: VariableId,
    lattice: &Lattice,
) -> Option<(Lattice, Stmt)> {
    let has_range = match program.space.definition(v) {
        None | Some(Definition::Fused(..) | Definition::Slice(_)) => true,
        Some(Definition::Computed(_) | Definition::Slot(_) | Definition::Fixed) => false,
    };
    let (visited, rest) = lattice.without_rest().filter(|_| has_range)?;
    can_repeat(program, frontier, &rest).then_some((visited, rest))
}

/// Returns whether a statement depends only on the coordinates of the loops of a frontier and of
/// its own, and only reduces.
fn can_repeat(program: &Program, frontier: &Frontier, stmt: &Stmt) -> bool {
    let mut bound = frontier.bound.clone();
    let mut own = Vec::new();
    bind(stmt, &mut bound, &mut own);
    let known = program.space.known(&program.kernel, &bound);
    let is_known = |v: &VariableId| known.contains(v);
    let mut follows =
        bound[frontier.bound.len()..].iter().all(|v| match program.space.definition(*v) {
            None | Some(Definition::Fused(..) | Definition::Slice(_)) => true,
            // The last block ends with its dimension.
            Some(Definition::Computed(Coordinate::Mod(of, size))) => {
                program.space.variable_of(Coordinate::Div(*of, *size)).is_none_or(|v| is_known(&v))
            }
            Some(Definition::Computed(_)) => true,
            Some(Definition::Slot(_) | Definition::Fixed) => false,
        });
    let mut look = |value: &Expr| {
        value.for_each_variable(&mut |v| follows &= is_known(&v));
        value.for_each_access(&mut |access| follows &= access.indices.iter().all(is_known));
    };
    stmt.for_each_value(&mut look);
    stmt.for_each_assign(&mut |target, accumulate, _| {
        let reduces = accumulate.is_some_and(|op| !op.tells_where);
        follows &= reduces || own.contains(&target.tensor);
        follows &= target.indices.iter().all(is_known);
    });
    follows
}

/// Appends the variables of the loops of a statement, and its temporaries.
fn bind(stmt: &Stmt, bound: &mut Vec<VariableId>, temporaries: &mut Vec<TensorId>) {
    match stmt {
        Stmt::Forall { variable, body, .. } => {
            bound.push(*variable);
            bind(body, bound, temporaries);
        }
        Stmt::Where { temporaries: own, consumer, producer } => {
            temporaries.extend(own.iter().map(|temporary| temporary.tensor));
            bind(consumer, bound, temporaries);
            bind(producer, bound, temporaries);
        }
        Stmt::Assign { .. } => {}
        Stmt::If { body, .. } => bind(body, bound, temporaries),
        Stmt::Sequence(statements) => {
            statements.iter().for_each(|stmt| bind(stmt, bound, temporaries));
        }
    }
}
