//! Emits the packing of results that are computed in a separate tensor.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::checks;
use super::entry::expr;
use super::names::{ident, tokens};
use crate::ir::{Callee, Combining, Cover, Expr, Replacement};

/// Emits the result that replaces the tensor of the caller: packed, and merged with the previous
/// entries outside of the slice that is computed.
pub(super) fn packed(into: &Ident, value: &Replacement) -> TokenStream {
    match value {
        Replacement::Moved(of) => ident(of).into_token_stream(),
        Replacement::Packed(of, combining) => {
            let of = ident(of);
            match combining.as_deref().map(function) {
                None => quote!(#of.to()?),
                Some(function) => quote!(#of.to_by(#function)?),
            }
        }
        Replacement::Covered(of, combining, cover) => {
            let (of, inside) = (ident(of), inside(cover));
            match combining.as_deref().map(function) {
                None => quote!(kernel::cover(#into, &#of, #inside)?),
                Some(function) => quote!(kernel::cover_by(#into, &#of, #inside, #function)?),
            }
        }
    }
}

/// Emits the function that combines the previous and the new value.
pub(super) fn function(Combining { values, combined }: &Combining) -> TokenStream {
    if let Expr::Call(Callee::Path(path), _, arguments) = combined
        && arguments.iter().zip(values).all(|(argument, name)| *argument == Expr::var(name))
    {
        return tokens(path);
    }
    let values = values.iter().map(|name| ident(name));
    let combined = expr(combined);
    quote!(|#(#values),*| #combined)
}

/// Emits the predicate that a coordinate is within a slice.
fn inside(Cover { coordinate, inside, listed }: &Cover) -> TokenStream {
    let names = coordinate.iter().map(|name| {
        let is_listed = listed.iter().any(|(mode, _)| coordinate[*mode] == *name);
        if is_listed || inside.mentions(name) { tokens(name) } else { quote!(_) }
    });
    let listed = listed.iter().map(|(mode, list)| {
        let (coordinate, list) = (ident(&coordinate[*mode]), checks::list(list));
        quote!(#list.contains(&#coordinate))
    });
    let inside = Some(inside).filter(|inside| **inside != Expr::Bool(true)).map(expr);
    let inside = listed.chain(inside);
    quote!(|&[#(#names),*]| #(#inside)&&*)
}
