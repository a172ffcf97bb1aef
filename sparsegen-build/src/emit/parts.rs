//! Parts of modes: their extents, and the checks that they lie within their modes.

use proc_macro2::TokenStream;
use quote::quote;

use super::kernel::{extent as extent_of_mode, operand_name};
use super::names::{ident, number, plain};
use super::shell::is_result;
use crate::ir::{
    Function, Gather, Limit, List, Operand, Part, Reads, Result, Size, Source, TensorResult,
};

/// How many coordinates a part has: `n - 2`, `(hi - lo).div_ceil(3)`, `rows.len()`.
pub(super) fn extent(part: &Part) -> TokenStream {
    let (start, end, step) = match &part.reads {
        Reads::At(_) => return quote!(1),
        Reads::Listed(List::Numbers { numbers, .. }) => {
            let extent = number(numbers.len());
            return quote!(#extent);
        }
        Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
            let name = ident(name);
            return quote!(#name.len());
        }
        Reads::Range { start, end, step } => (start, end, *step),
    };
    let ahead = match (start, end) {
        (Limit::Number(start), Limit::Number(end)) => {
            let extent = end.saturating_sub(*start).div_ceil(step);
            let extent = number(extent as usize);
            return quote!(#extent);
        }
        (Limit::Number(0), Limit::Argument(_)) if step == 1 => return limit(end),
        (Limit::Number(0), Limit::Argument(_)) => limit(end),
        (Limit::Number(_) | Limit::Argument(_), _) => {
            let (start, end) = (limit(start), limit(end));
            let ahead = quote!(#end - #start);
            if step == 1 {
                return ahead;
            }
            quote!((#ahead))
        }
    };
    let step = number(step as usize);
    quote!(#ahead.div_ceil(#step))
}

/// The coordinates of a list, as the caller passes them.
pub(super) fn list(list: &List) -> TokenStream {
    match list {
        List::Argument(name) | List::LastOf { of: name, .. } => {
            let name = ident(name);
            quote!(#name)
        }
        List::Numbers { numbers, .. } => {
            let numbers = numbers.iter().flatten().map(|n| number(*n as usize));
            quote!([#(#numbers),*])
        }
    }
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

/// The name of a tensor of which parts are read.
fn tensor(function: &Function, of: Source) -> Option<&str> {
    match (of, &function.result) {
        (Source::Operand(operand), _) => match &function.operands[operand] {
            Operand::Tensor(tensor) => Some(&tensor.tensor),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
        },
        (Source::Result, Result::Tensor(result)) => Some(&result.tensor),
        (Source::Result, Result::Scalar { .. }) => None,
    }
}

/// A mode of a tensor for the functions that check: `("A", 1, a.shape()[1])`.
fn mode(function: &Function, of: Source, mode: usize) -> Option<TokenStream> {
    let name = tensor(function, of)?;
    let extent = match (of, &function.result) {
        (Source::Operand(operand), _) => extent_of_mode(function, (operand, mode)),
        (Source::Result, Result::Tensor(result)) => {
            let (result, mode) = (ident(&result.name), number(mode));
            quote!(#result.shape()[#mode])
        }
        (Source::Result, Result::Scalar { .. }) => return None,
    };
    let mode = number(mode);
    Some(quote!((#name, #mode, #extent)))
}

/// The checks that every part lies within its mode.
pub(super) fn checks(function: &Function) -> TokenStream {
    let kernel = plain(&function.name);
    let check = |part: &Part| {
        let mode = mode(function, part.of, part.mode)?;
        Some(match &part.reads {
            Reads::At(at) => {
                let at = limit(at);
                quote!(kernel::index(#kernel, #mode, #at)?;)
            }
            Reads::Range { start, end, .. } => {
                let (start, end) = (limit(start), limit(end));
                quote!(kernel::slice(#kernel, #mode, #start..#end)?;)
            }
            Reads::Listed(list @ List::Numbers { .. }) => {
                let numbers = self::list(list);
                quote!(kernel::indices(#kernel, #mode, &#numbers)?;)
            }
            Reads::Listed(list @ (List::Argument(_) | List::LastOf { .. })) => {
                let name = self::list(list);
                quote!(kernel::indices(#kernel, #mode, #name)?;)
            }
        })
    };
    function.parts.iter().filter_map(check).collect()
}

/// The arrays of lists in which the last of equal coordinates wins, each with the argument that it is
/// of.
pub(super) fn last_of_each(function: &Function) -> Vec<(&str, &str)> {
    let last = function.parts.iter().filter_map(|part| match &part.reads {
        Reads::Listed(List::LastOf { of, name }) => Some((name.as_str(), of.as_str())),
        Reads::Listed(List::Numbers { .. } | List::Argument(_))
        | Reads::Range { .. }
        | Reads::At(_) => None,
    });
    last.collect()
}

/// The checks that every element that is a coordinate lies within the mode that is read there.
pub(super) fn gathers(function: &Function, kernel: &str) -> TokenStream {
    let check = |gather: &Gather| {
        let mode = mode(function, gather.of, gather.mode)?;
        let by = tensor(function, gather.by)?;
        let converted = function.conversions.iter().find(|of| of.of == gather.by);
        let read = match (converted, gather.by, &function.result) {
            (Some(converted), ..) if !is_result(function, converted) => &converted.into.name,
            (_, Source::Operand(operand), _) => operand_name(&function.operands[operand]),
            (_, Source::Result, Result::Tensor(result)) => &result.name,
            (_, Source::Result, Result::Scalar { .. }) => return None,
        };
        let read = ident(read);
        Some(quote!(kernel::gather(#kernel, #mode, #by, #read.vals())?;))
    };
    function.gathers.iter().filter_map(check).collect()
}

/// Whether an operand's elements are coordinates, or it is read there.
pub(super) fn is_gathered(function: &Function, operand: usize) -> bool {
    let mut gathers = function.gathers.iter();
    let operand = Source::Operand(operand);
    gathers.any(|gather| gather.by == operand || gather.of == operand)
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
        Operand::Index { name } | Operand::Indices { name } => {
            part.arguments().any(|argument| argument == name)
        }
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
    let beyond = |what: String, of: Source, mode: usize| {
        let name = tensor(function, of)?;
        Some(format!("[`Error::Index`] where {what} lies beyond mode {mode} of `{name}`."))
    };
    let of_part = |part: &Part| match &part.reads {
        Reads::At(at) => beyond(format!("`{}`", shown(at)), part.of, part.mode),
        Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
            beyond(format!("one of `{name}`"), part.of, part.mode)
        }
        Reads::Listed(List::Numbers { .. }) => {
            beyond(format!("what `{}` reads", part.access), part.of, part.mode)
        }
        Reads::Range { start, end, .. } => Some(format!(
            "[`Error::Slice`] where `{}..{}` does not lie within mode {} of `{}`.",
            shown(start),
            shown(end),
            part.mode,
            tensor(function, part.of)?
        )),
    };
    let of_gather = |gather: &Gather| {
        let by = tensor(function, gather.by)?;
        let (mode, of) = (gather.mode, tensor(function, gather.of)?);
        Some(format!(
            "[`Error::Gather`] where an element of `{by}` is no coordinate of mode {mode} of `{of}`."
        ))
    };
    let of_parts = function.parts.iter().filter_map(of_part);
    for error in of_parts.chain(function.gathers.iter().filter_map(of_gather)) {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    errors
}
