//! Divisions of integers: the kernel notes whether any is by zero, and who calls it says so.

use proc_macro2::TokenStream;
use quote::quote;

use super::kernel::Parameter;
use super::names::{ident, plain};
use crate::ir::Function;

/// What the kernel divides by: `division: &kernel::Division`.
pub(super) fn parameter(function: &Function) -> Option<Parameter> {
    let name = ident(function.division.as_ref()?);
    Some(Parameter { declaration: quote!(#name: &kernel::Division), argument: quote!(&#name) })
}

/// `let division = kernel::Division::default();`
pub(super) fn declare(function: &Function) -> Option<TokenStream> {
    let name = ident(function.division.as_ref()?);
    Some(quote!(let #name = kernel::Division::default();))
}

/// `division.check("halve")?;`
pub(super) fn check(function: &Function) -> Option<TokenStream> {
    let (name, kernel) = (ident(function.division.as_ref()?), plain(&function.name));
    Some(quote!(#name.check(#kernel)?;))
}
