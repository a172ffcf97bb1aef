//! Kernels whose operands determine the structure of the results by their own structure alone.

use crate::format::{Format, Places};
use crate::notation::{Expr, Function, Kernel, Tensor, TensorRole};

/// Returns whether the structure of the operands alone determines the structure of all results, so that
/// neither values nor other arguments do.
pub fn is_structural(statements: &[Kernel]) -> bool {
    statements.iter().all(|kernel| {
        kernel.tensors.iter().all(determines_structure) && !chooses(&kernel.assignment.value)
    })
}

/// Returns whether no value of a tensor decides which entries an operand or a result has, and no argument
/// does.
fn determines_structure(tensor: &Tensor) -> bool {
    match &tensor.role {
        TensorRole::Operand => !tensor.format.pads(),
        TensorRole::Result => stores_all(&tensor.format),
        TensorRole::Parameter(_) => false,
        _ => true,
    }
}

/// Returns whether a result stores entries with the fill value.
fn stores_all(format: &Format) -> bool {
    let is_padded = format.levels.iter().all(|spec| spec.properties.padded);
    is_padded && !matches!(format.placed(), Some((_, Places::Fixed)))
}

/// Returns whether a mask depends on values, as `present(A[i,j])` does, or on an argument, as `(j < n)`.
fn chooses(value: &Expr) -> bool {
    let own = matches!(value, Expr::Call(Function::Present, _) | Expr::Parameter(_));
    own || value.children().any(chooses)
}
