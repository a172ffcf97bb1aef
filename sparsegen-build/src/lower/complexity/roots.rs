//! The variables whose extents are those of others.

use crate::concrete::Program;
use crate::concrete::space::Definition;
use crate::coordinate::Coordinate;
use crate::notation::VariableId;

/// Returns the variables whose extents are factors of a variable's extent.
pub(in crate::lower) fn extents(program: &Program, v: VariableId) -> Vec<VariableId> {
    let root = root(program, v);
    match program.space.definition(root) {
        Some(Definition::Fused(a, b)) => [extents(program, *a), extents(program, *b)].concat(),
        _ => vec![root],
    }
}

/// Returns the variable that is divided into blocks.
pub(super) fn root(program: &Program, v: VariableId) -> VariableId {
    let v = program.space.whole(v);
    match program.space.definition(v) {
        Some(Definition::Computed(Coordinate::Div(of, _) | Coordinate::Mod(of, _))) => {
            root(program, *of)
        }
        Some(Definition::Slice(slice)) => root(program, slice.of),
        Some(
            Definition::Computed(Coordinate::Affine(_))
            | Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Fixed,
        )
        | None => v,
    }
}
