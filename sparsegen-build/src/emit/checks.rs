//! Emits checks as calls of the runtime crate.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::entry::{call, element, expr, value, vector};
use super::names::{ident, number};
use crate::ir::{Check, List, Mode};

/// Emits a check, without the final `?`.
pub(super) fn check(kernel: &str, check: &Check) -> TokenStream {
    match check {
        Check::Agree { variable, modes } => {
            let modes = modes.iter().map(mode);
            quote!(kernel::agree(#kernel, #variable, &[#(#modes),*]))
        }
        Check::Demand { variable, extent, modes } => {
            let (extent, modes) = (Literal::u64_unsuffixed(*extent), modes.iter().map(mode));
            quote!(kernel::demand(#kernel, #variable, #extent, &[#(#modes),*]))
        }
        Check::Choice { reduction, variable, extent } => {
            let extent = expr(extent);
            quote!(kernel::choice(#kernel, #reduction, #variable, #extent))
        }
        Check::Room { factors, element: of } => {
            let what = if of.is_some() { "arrays" } else { "loops" };
            let what = format!("{what} of {kernel}");
            let (element, factors) = (element(*of), factors.iter().map(expr));
            quote!(kernel::room::<#element>(#what, &[#(#factors),*]))
        }
        Check::Index { mode: of, at } => {
            let (mode, at) = (mode(of), expr(at));
            quote!(kernel::index(#kernel, #mode, #at))
        }
        Check::Slice { mode: of, start, end } => {
            let (mode, start, end) = (mode(of), expr(start), expr(end));
            quote!(kernel::slice(#kernel, #mode, #start..#end))
        }
        Check::Indices { mode: of, list } => {
            let reference = list.argument().is_none().then(|| quote!(&));
            let (mode, list) = (mode(of), self::list(list));
            quote!(kernel::indices(#kernel, #mode, #reference #list))
        }
        Check::Gather { mode: of, by, tensor } => {
            let (mode, tensor) = (mode(of), ident(tensor));
            quote!(kernel::gather(#kernel, #mode, #by, #tensor.vals()))
        }
        Check::Fits { width, tensor, what, vector: of } => {
            let (width, vector) = (element(Some(*width)), vector(of));
            quote!(kernel::fits::<#width>(#kernel, #tensor, #what, #vector.len()))
        }
        Check::Division(name) => {
            let name = ident(name);
            quote!(#name.check(#kernel))
        }
        Check::Known { answer, tensors } => {
            let answer = value(answer);
            quote!(kernel::known(#answer, #kernel, #tensors))
        }
        Check::Entry(of) => call(&crate::ir::Call { is_fallible: false, ..of.clone() }),
    }
}

/// Emits a mode of a tensor: `("A", 1, a.shape()[1])`.
fn mode(Mode { tensor, mode, extent }: &Mode) -> TokenStream {
    let (mode, extent) = (number(*mode), expr(extent));
    quote!((#tensor, #mode, #extent))
}

/// Emits the coordinates of a list.
pub(super) fn list(list: &List) -> TokenStream {
    match list {
        List::Argument(name) | List::LastOf { of: name, .. } => ident(name).into_token_stream(),
        List::Numbers { numbers, .. } => {
            let numbers = numbers.iter().flatten().map(|n| number(*n as usize));
            quote!([#(#numbers),*])
        }
    }
}
