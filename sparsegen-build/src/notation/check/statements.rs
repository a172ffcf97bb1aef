//! Checks between the statements of one kernel.

use crate::error::{Code, Diagnostic};
use crate::manifest::SeveralEntry;
use crate::notation::{Kernel, Several, Tensor};

/// Returns the kernel with several statements, the last of which is the last one of `kernels`, or
/// `None` if a statement has errors.
pub(super) fn of(
    entry: &SeveralEntry,
    kernels: &[Kernel],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Several> {
    let first = kernels.len().checked_sub(entry.steps.len())?;
    let steps = first..kernels.len();
    let statements = &kernels[steps.clone()];
    if statements.iter().any(|kernel| kernel.span.start < entry.name.span.start) {
        // Some statements have errors.
        return None;
    }
    let mut before: Vec<&Tensor> = Vec::new();
    for (k, kernel) in statements.iter().enumerate() {
        for tensor in kernel.tensors.iter().filter(|tensor| tensor.role.is_argument()) {
            diagnostics.extend(before.iter().find_map(|other| conflict(other, tensor)));
        }
        check_order(statements, k, diagnostics);
        before.extend(kernel.tensors.iter().filter(|tensor| tensor.role.is_argument()));
    }
    Some(Several { name: entry.name.text.clone(), doc: entry.doc.clone(), steps })
}

/// Returns the diagnostic for tensors of two statements that cannot be arguments of one kernel.
fn conflict(before: &Tensor, tensor: &Tensor) -> Option<Diagnostic> {
    let (name, order) = (&tensor.name, tensor.format.order());
    (before.name == *name && before.format.order() != order).then(|| {
        let message = format!(
            "`{name}` is of order {order} here and of order {} in an earlier statement",
            before.format.order()
        );
        Diagnostic::new(Code::OrderMismatch, tensor.span, message)
            .help("a tensor has the same number of indices in every access")
    })
}

/// Checks that a result is computed once, before it is read.
fn check_order(statements: &[Kernel], k: usize, diagnostics: &mut Vec<Diagnostic>) {
    let kernel = &statements[k];
    let result = kernel.tensor(kernel.result());
    let is_it = |tensor: &Tensor| tensor.name == result.name;
    let (earlier, before) =
        (&statements[..k], statements[..k].iter().any(|other| is_it(other.tensor(other.result()))));
    if before && !kernel.is_update() {
        diagnostics.push(
            Diagnostic::new(
                Code::ResultOrder,
                result.span,
                format!("`{}` is computed twice", result.name),
            )
            .help("give one of the results another name, or add to it: `+=`"),
        );
    }
    if before || kernel.is_update() {
        return;
    }
    let read = earlier.iter().flat_map(|other| other.tensors.iter().find(|tensor| is_it(tensor)));
    if let Some(read) = read.into_iter().next() {
        diagnostics.push(
            Diagnostic::new(
                Code::ResultOrder,
                read.span,
                format!("`{}` is read before it is computed", result.name),
            )
            .note("a statement may read the results of earlier ones")
            .help("order the statements so that each result is computed before it is read"),
        );
    }
}
