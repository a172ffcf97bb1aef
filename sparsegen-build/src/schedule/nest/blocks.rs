//! Loops over blocks of positions, which must contain the loops over the parents of these positions.

use crate::concrete::{Program, Stmt};
use crate::notation::VariableId;

/// Returns whether all loops over the parents of blocks of positions are within the loops over these
/// blocks. They are not if a sum that needs the blocks is within another one.
pub(super) fn is_within_blocks(
    program: &Program,
    stmt: &Stmt,
    around: &mut Vec<VariableId>,
) -> bool {
    match stmt {
        Stmt::Forall { variable, body, .. } => {
            let is_around = |block: &VariableId| {
                let Program { kernel, space, .. } = program;
                let counted = space.positions_of(*block);
                let counted = counted.and_then(|v| space.counted_positions(kernel, v));
                let reads = counted.is_some_and(|(access, _)| body.reads().contains(&access));
                let over = space.index_variables(*block);
                !(reads && over.contains(variable)) || around.contains(block)
            };
            if !program.basis.all_blocks().all(is_around) {
                return false;
            }
            around.push(*variable);
            let holds = is_within_blocks(program, body, around);
            around.pop();
            holds
        }
        Stmt::Where { consumer, producer, .. } => {
            is_within_blocks(program, producer, around)
                && is_within_blocks(program, consumer, around)
        }
        Stmt::Assign { .. } => true,
        Stmt::If { body, .. } => is_within_blocks(program, body, around),
        Stmt::Sequence(statements) => {
            statements.iter().all(|stmt| is_within_blocks(program, stmt, around))
        }
    }
}
