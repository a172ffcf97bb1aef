//! Emits identifiers, types and paths.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::{Element, Place};

/// Emits an identifier, which may start with `r#`.
pub(super) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// Parses generated source.
pub(super) fn tokens(source: &str) -> TokenStream {
    source.parse().expect("names and types come from earlier stages as Rust source")
}

/// Emits the type of the elements of an array.
pub(super) fn element_type(element: Element) -> TokenStream {
    tokens(&element.rust_type())
}

/// Emits a number without a suffix.
pub(super) fn number(n: usize) -> proc_macro2::Literal {
    proc_macro2::Literal::usize_unsuffixed(n)
}

/// Emits the location of an array in a view: `a.levels().1.crd`, `a.vals()`.
pub(super) fn place_in_view(view: &Ident, place: &Place) -> TokenStream {
    match place {
        Place::Values => quote!(#view.vals()),
        Place::Level { level, field } => {
            let (level, field) = (number(*level), ident(field));
            quote!(#view.levels().#level.#field)
        }
    }
}
