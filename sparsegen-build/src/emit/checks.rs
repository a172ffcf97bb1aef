//! The checks that extents agree, and that their products are not too large.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::body::Body;
use super::kernel::{extent, view};
use super::names::{beside, ident, number, plain, tokens};
use super::shell::{generics, tensor};
use super::{docs, parts};
use crate::ir::{Demand, Expr, Function, Operand, Part, Result, Size, TensorResult};

/// Whether several modes must agree in a size, or in a size and a constant, or there must be anything.
pub(super) fn is_checked(size: &Size, function: &Function) -> bool {
    size.chosen_from.is_some() || must_agree(size, function)
}

/// Whether several modes must agree in a size, or in a size and a constant.
fn must_agree(size: &Size, function: &Function) -> bool {
    let is_fixed = |part: &&Part| parts::is_constant(part);
    let (fixed, free): (Vec<_>, Vec<_>) =
        size.parts.iter().map(|part| &function.parts[*part]).partition(is_fixed);
    // Parts whose extents are known were compared with each other, and with the constant.
    let known = usize::from(!fixed.is_empty() && size.constant.is_none());
    let modes = size.operands.len() + size.result.len() + free.len() + known;
    modes >= if size.constant.is_some() { 1 } else { 2 }
}

/// Whether there is anything to check.
fn has_checks(function: &Function) -> bool {
    !function.parts.is_empty()
        || function.sizes.iter().any(|size| is_checked(size, function))
        || !function.demands().is_empty()
}

/// `NAME_check`, where two functions need the checks.
pub(super) fn check_item(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !has_checks(function) {
        return None;
    }
    let docs = docs::attributes(&["Whether the extents agree.".to_string()]);
    let name = beside(function, "check");
    let (variable, ty) = (ident(&result.name), tensor(result));
    let in_result = is_checked_in_result(function).then(|| quote!(#variable: &#ty));
    let views = function.operands.iter().enumerate().filter_map(|(k, operand)| match operand {
        Operand::Tensor(tensor) if is_checked_operand(function, k) => {
            let (name, ty) = (ident(&tensor.name), view(tensor, "'_"));
            Some(quote!(#name: #ty))
        }
        Operand::Index { name } if is_checked_operand(function, k) => {
            let name = ident(name);
            Some(quote!(#name: usize))
        }
        Operand::Indices { name } if is_checked_operand(function, k) => {
            let name = ident(name);
            Some(quote!(#name: &[usize]))
        }
        Operand::Tensor(_)
        | Operand::Scalar { .. }
        | Operand::Index { .. }
        | Operand::Indices { .. } => None,
    });
    let params: Vec<_> = in_result.into_iter().chain(views).collect();
    let (checks, generics) = (checks(function), generics(&function.traits, Vec::new()));
    Some(quote! {
        #docs
        fn #name #generics(#(#params),*) -> Result<(), Error> {
            #checks
            Ok(())
        }
    })
}

/// A call of `NAME_check` with a reference to the result, and with operands as they are called.
pub(super) fn check_call(
    function: &Function,
    reference: TokenStream,
    called: impl Fn(&Operand) -> TokenStream,
) -> Option<TokenStream> {
    if !has_checks(function) {
        return None;
    }
    let name = beside(function, "check");
    let in_result = is_checked_in_result(function).then_some(reference);
    let operands = function.operands.iter().enumerate();
    let checked = operands.filter(|(k, _)| is_checked_operand(function, *k));
    let views = checked.map(|(_, operand)| called(operand));
    let arguments = in_result.into_iter().chain(views);
    Some(quote!(#name(#(#arguments),*)?;))
}

fn is_checked_in_result(function: &Function) -> bool {
    let is_compared = |size: &Size| is_checked(size, function) && !size.result.is_empty();
    let is_demanded = |size: &Size| {
        let is_elsewhere = size.constant.is_some() || !size.operands.is_empty();
        !is_elsewhere && size.parts.is_empty() && is_demanded(size, function)
    };
    function.sizes.iter().any(|size| is_compared(size) || is_demanded(size))
}

/// Returns whether a product of extents that is checked depends on one.
fn is_demanded(size: &Size, function: &Function) -> bool {
    function.demands().iter().any(|demand| demand.mentions(&size.name))
}

pub(super) fn is_checked_operand(function: &Function, operand: usize) -> bool {
    let has = |size: &Size| {
        is_checked(size, function) && size.operands.iter().any(|mode| mode.0 == operand)
    };
    let gives = |size: &Size| {
        let first = size.operands.first();
        size.constant.is_none()
            && first.is_some_and(|mode| mode.0 == operand)
            && is_demanded(size, function)
    };
    parts::concerns(function, operand) || function.sizes.iter().any(|size| has(size) || gives(size))
}

/// An operand as it is called where it is a view.
pub(super) fn by_name(operand: &Operand) -> TokenStream {
    ident(operand.name()).into_token_stream()
}

/// The checks of all parts of modes, and of all sizes that more than one mode has.
pub(super) fn checks(function: &Function) -> TokenStream {
    let kernel = plain(&function.name);
    let check = |size: &Size| {
        let variable = &size.variable;
        let of_operands = size.operands.iter().map(|(operand, mode)| {
            let Operand::Tensor(tensor) = &function.operands[*operand] else {
                return TokenStream::new();
            };
            let (name, extent) = (&tensor.tensor, extent(function, (*operand, *mode)));
            let mode = number(*mode);
            quote!((#name, #mode, #extent))
        });
        let of_result = size.result.iter().map(|mode| {
            let Result::Tensor(result) = &function.result else { return TokenStream::new() };
            let (name, variable, mode) = (&result.tensor, ident(&result.name), number(*mode));
            quote!((#name, #mode, #variable.shape()[#mode]))
        });
        let of_parts = size.parts.iter().map(|part| {
            let part = &function.parts[*part];
            let (name, mode, extent) = (&part.access, number(part.mode), parts::extent(part));
            quote!((#name, #mode, #extent))
        });
        let modes = of_operands.chain(of_parts).chain(of_result);
        match size.constant {
            Some(constant) => {
                let constant = proc_macro2::Literal::u64_unsuffixed(constant);
                quote!(kernel::demand(#kernel, #variable, #constant, &[#(#modes),*])?;)
            }
            None => quote!(kernel::agree(#kernel, #variable, &[#(#modes),*])?;),
        }
    };
    let sizes = function.sizes.iter().filter(|size| must_agree(size, function));
    let mut checks = parts::checks(function);
    checks.extend(sizes.map(check));
    checks.extend(function.sizes.iter().filter_map(|size| choice(function, size)));
    checks.extend(function.demands().iter().map(|demand| room(function, demand)));
    checks
}

/// `kernel::room::<f64>("workspaces of k", &[a.shape()[0], a.shape()[1]])?;`
fn room(function: &Function, demand: &Demand) -> TokenStream {
    let kernel = plain(&function.name);
    let factors = demand.factors.iter().map(|factor| {
        let mentioned = |size: &&Size| factor.mentions(&size.name);
        let sizes: Vec<&Size> = function.sizes.iter().filter(mentioned).collect();
        if let (Expr::Var(_), [size]) = (factor, sizes.as_slice()) {
            return of_size(function, size).unwrap_or_default();
        }
        let lets = sizes.iter().map(|size| {
            let (name, extent) = (ident(&size.name), of_size(function, size));
            quote!(let #name: usize = #extent;)
        });
        let factor = Body::default().expr(factor);
        if sizes.is_empty() { factor } else { quote!({ #(#lets)* #factor }) }
    });
    let (what, element) = match demand.element {
        Some(element) => (format!("arrays of {kernel}"), tokens(element.rust_type())),
        None => (format!("loops of {kernel}"), quote!(())),
    };
    quote!(kernel::room::<#element>(#what, &[#(#factors),*])?;)
}

/// `kernel::choice("k", "argmin", "j", a.shape()[1])?;`
fn choice(function: &Function, size: &Size) -> Option<TokenStream> {
    let (reduction, variable) = (size.chosen_from.as_ref()?, &size.variable);
    let extent = of_size(function, size)?;
    let kernel = plain(&function.name);
    Some(quote!(kernel::choice(#kernel, #reduction, #variable, #extent)?;))
}

/// An extent as the first argument that has it gives it.
fn of_size(function: &Function, size: &Size) -> Option<TokenStream> {
    Some(match (size.operands.first(), size.parts.first(), size.result.first()) {
        (Some(mode), _, _) => extent(function, *mode),
        (None, Some(part), _) => parts::extent(&function.parts[*part]),
        (None, None, mode) => {
            let Result::Tensor(result) = &function.result else { return None };
            let (name, mode) = (ident(&result.name), number(*mode?));
            quote!(#name.shape()[#mode])
        }
    })
}
