//! Fills of formats: whether the element type can hold them.

use crate::error::Diagnostic;

use crate::types::{Dtype, Literal};

use super::names::Names;

pub(super) fn check(names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for tensor in &names.tensors {
        let Some(format) = &tensor.format else { continue };
        let (name, dtype, fill) = (&tensor.first.name.text, tensor.dtype, format.fill);
        if !holds(dtype, fill) {
            diagnostics.push(
                Diagnostic::new(tensor.first.span, format!("{dtype} cannot hold the fill {fill}"))
                    .label(format!("`{name}` is {dtype}"))
                    .help("declare the tensor with another `dtype`, or its format with another `fill`"),
            );
        }
    }
}

/// Whether a type can hold a fill. Integers have a largest and a least number in the stead of
/// infinities.
fn holds(dtype: Dtype, fill: Literal) -> bool {
    match fill {
        Literal::Int(0 | 1) | Literal::Greatest | Literal::Least => true,
        Literal::Int(_) => dtype != Dtype::Bool,
        Literal::Float(_) | Literal::Nan => !dtype.is_integer() && dtype != Dtype::Bool,
        Literal::Bool(truth) => dtype == Dtype::Bool || !truth,
    }
}
