//! Identifiers, types and paths as tokens.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::{Element, Function, Place};

/// An identifier; a name may begin with `r#`.
pub(super) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// The name of a function beside a kernel's own: `spmv_into`.
pub(super) fn beside(function: &Function, suffix: &str) -> Ident {
    ident(&crate::names::beside(&function.name, suffix))
}

/// A name without what makes a keyword an identifier.
pub(super) fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Source of our own making as tokens.
pub(super) fn tokens(source: &str) -> TokenStream {
    source.parse().expect("names and types come from earlier stages as Rust source")
}

/// The type of an array's elements.
pub(super) fn element_type(element: Element) -> TokenStream {
    tokens(element.rust_type())
}

/// A number without a suffix.
pub(super) fn number(n: usize) -> proc_macro2::Literal {
    proc_macro2::Literal::usize_unsuffixed(n)
}

/// Where a view has something: `a.levels().1.crd`, `a.vals()`.
pub(super) fn place_in_view(view: &Ident, place: &Place) -> TokenStream {
    match place {
        Place::Values => quote!(#view.vals()),
        Place::Level { level, field } => {
            let (level, field) = (number(*level), ident(field));
            quote!(#view.levels().#level.#field)
        }
    }
}
