//! How results are packed: listed entries that share their coordinate are added up, or combined by the
//! sum of the kernel's semiring.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::body::Body;
use super::names::{ident, tokens};
use crate::ir::{Callee, Combining, Expr};

/// Returns `listed.to()?`, or `listed.to_by(…)?`.
pub(super) fn to(listed: &TokenStream, combining: Option<&Combining>) -> TokenStream {
    match combining.map(function) {
        None => quote!(#listed.to()?),
        Some(function) => quote!(#listed.to_by(#function)?),
    }
}

/// Returns what a tensor holds outside of a part, together with what was listed for that part.
pub(super) fn cover(
    tensor: &Ident,
    listed: &TokenStream,
    inside: TokenStream,
    combining: Option<&Combining>,
) -> TokenStream {
    match combining.map(function) {
        None => quote!(kernel::cover(#tensor, &#listed, #inside)?),
        Some(function) => quote!(kernel::cover_by(#tensor, &#listed, #inside, #function)?),
    }
}

/// Returns a function of the earlier and the later value.
fn function(Combining { values, combined }: &Combining) -> TokenStream {
    if let Expr::Call(Callee::Path(path), _, arguments) = combined
        && arguments.iter().zip(values).all(|(argument, name)| *argument == Expr::var(name))
    {
        return tokens(path);
    }
    let values = values.iter().map(|name| ident(name));
    let combined = Body::default().expr(combined);
    quote!(|#(#values),*| #combined)
}
