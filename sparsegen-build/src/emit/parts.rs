//! Parts of modes: their extents, and the checks that they lie within their modes.

use proc_macro2::TokenStream;
use quote::quote;

use super::kernel::extent as extent_of_mode;
use super::names::{ident, number, plain};
use crate::ir::{Function, Limit, Operand, Part, Result, Size, Source, TensorResult};

/// How many coordinates a part has: `n - 2`, `(hi - lo).div_ceil(3)`.
pub(super) fn extent(part: &Part) -> TokenStream {
    let Some(end) = &part.end else { return quote!(1) };
    let ahead = match (&part.start, end) {
        (Limit::Number(start), Limit::Number(end)) => {
            let extent = end.saturating_sub(*start).div_ceil(part.step);
            let extent = number(extent as usize);
            return quote!(#extent);
        }
        (Limit::Number(0), Limit::Argument(_)) if part.step == 1 => return limit(end),
        (Limit::Number(0), Limit::Argument(_)) => limit(end),
        (Limit::Number(_) | Limit::Argument(_), _) => {
            let (start, end) = (limit(&part.start), limit(end));
            let ahead = quote!(#end - #start);
            if part.step == 1 {
                return ahead;
            }
            quote!((#ahead))
        }
    };
    let step = number(part.step as usize);
    quote!(#ahead.div_ceil(#step))
}

/// Whether a part has as many coordinates in every call.
pub(super) fn is_constant(part: &Part) -> bool {
    part.arguments().next().is_none()
}

fn limit(limit: &Limit) -> TokenStream {
    match limit {
        Limit::Number(number) => {
            let number = self::number(*number as usize);
            quote!(#number)
        }
        Limit::Argument(name) => {
            let name = ident(name);
            quote!(#name)
        }
    }
}

/// The name of the tensor that a part is of.
fn tensor<'f>(function: &'f Function, part: &Part) -> Option<&'f str> {
    match (part.of, &function.result) {
        (Source::Operand(operand), _) => match &function.operands[operand] {
            Operand::Tensor(tensor) => Some(&tensor.tensor),
            Operand::Scalar { .. } | Operand::Index { .. } => None,
        },
        (Source::Result, Result::Tensor(result)) => Some(&result.tensor),
        (Source::Result, Result::Scalar { .. }) => None,
    }
}

/// The checks that every part lies within its mode.
pub(super) fn checks(function: &Function) -> TokenStream {
    let kernel = plain(&function.name);
    let check = |part: &Part| {
        let Some(name) = tensor(function, part) else { return TokenStream::new() };
        let mode = number(part.mode);
        let extent = match (part.of, &function.result) {
            (Source::Operand(operand), _) => extent_of_mode(function, (operand, part.mode)),
            (Source::Result, Result::Tensor(result)) => {
                let result = ident(&result.name);
                quote!(#result.shape()[#mode])
            }
            (Source::Result, Result::Scalar { .. }) => TokenStream::new(),
        };
        let (mode, start) = (quote!((#name, #mode, #extent)), limit(&part.start));
        match &part.end {
            None => quote!(kernel::index(#kernel, #mode, #start)?;),
            Some(end) => {
                let end = limit(end);
                quote!(kernel::slice(#kernel, #mode, #start..#end)?;)
            }
        }
    };
    function.parts.iter().map(check).collect()
}

/// Whether the arguments must be checked before the result's extents can be told from them.
pub(super) fn come_first(function: &Function, result: &TensorResult) -> bool {
    result.shape.iter().any(|size| {
        let size = &function.sizes[*size];
        let part = first(function, size);
        part.is_some_and(|part| part.arguments().next().is_some())
    })
}

/// The part that gives a size, if one does.
pub(super) fn first<'f>(function: &'f Function, size: &Size) -> Option<&'f Part> {
    let part = size.parts.first().filter(|_| size.constant.is_none() && size.operands.is_empty());
    part.map(|part| &function.parts[*part])
}

/// Whether an operand is an argument of a part, or the tensor that it is of.
pub(super) fn concerns(function: &Function, operand: usize) -> bool {
    let of_part = |part: &Part| match &function.operands[operand] {
        Operand::Tensor(_) => part.of == Source::Operand(operand),
        Operand::Scalar { .. } => false,
        Operand::Index { name } => part.arguments().any(|argument| argument == name),
    };
    function.parts.iter().any(of_part)
}

/// What is wrong with the arguments, one sentence a part.
pub(super) fn errors(function: &Function) -> Vec<String> {
    let shown = |limit: &Limit| match limit {
        Limit::Number(number) => number.to_string(),
        Limit::Argument(name) => name.clone(),
    };
    let mut errors: Vec<String> = Vec::new();
    for part in &function.parts {
        let Some(name) = tensor(function, part) else { continue };
        let (mode, start) = (format!("mode {} of `{name}`", part.mode), shown(&part.start));
        let error = match &part.end {
            None => format!("[`Error::Index`] where `{start}` lies beyond {mode}."),
            Some(end) => {
                format!(
                    "[`Error::Slice`] where `{start}..{}` does not lie within {mode}.",
                    shown(end)
                )
            }
        };
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    errors
}
