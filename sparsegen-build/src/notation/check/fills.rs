//! Checks that element types can represent the fill values of formats.

use crate::error::{Code, Diagnostic};

use crate::types::{Dtype, Literal};

use super::constants;
use super::names::Names;

pub(super) fn check(names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for tensor in &names.tensors {
        let Some(format) = &tensor.format else { continue };
        let (name, dtype, fill) = (&tensor.first.name.text, tensor.dtype, format.fill);
        if !holds(dtype, fill) {
            let help = match fill {
                Literal::Bool(truth) => {
                    let number = i32::from(truth);
                    format!(
                        "write `fill = {number}`, or declare the tensor with `dtype = \"bool\"`"
                    )
                }
                Literal::Int(_)
                | Literal::Float(_)
                | Literal::Greatest
                | Literal::Least
                | Literal::Nan => "declare the tensor with another `dtype`, or its format with \
                                   another `fill`"
                    .to_owned(),
            };
            diagnostics.push(
                Diagnostic::new(
                    Code::ConstantDoesNotFit,
                    tensor.first.span,
                    format!("{dtype} cannot hold the fill {fill}"),
                )
                .label(format!("`{name}` is {dtype}"))
                .help(help),
            );
        }
    }
}

/// Returns whether a type can represent a fill value. Integers have a largest and a least value
/// instead of infinities.
fn holds(dtype: Dtype, fill: Literal) -> bool {
    match fill {
        Literal::Int(n) => constants::holds(dtype, n.into()),
        Literal::Float(x) => constants::holds_float(dtype, x),
        Literal::Greatest | Literal::Least => dtype != Dtype::Bool,
        Literal::Nan => !dtype.is_integer() && dtype != Dtype::Bool,
        Literal::Bool(_) => dtype == Dtype::Bool,
    }
}
