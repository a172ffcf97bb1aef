//! Emits parameters, type parameters and types of functions.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::{element_type, tokens};
use crate::ir::{Parameter, TensorType, Trait, Type};
use crate::names::plain;

/// Emits the parameters of a function.
pub(super) fn parameters(parameters: &[Parameter]) -> Vec<TokenStream> {
    let declared = |parameter: &Parameter| {
        let name = tokens(&parameter.name);
        let ty = match &parameter.ty {
            Type::IntoView(tensor) => {
                let arguments = view_arguments(tensor, &lifetime(parameters, &parameter.name));
                tokens(&format!("impl IntoView<{arguments}>"))
            }
            other => self::ty(other),
        };
        quote!(#name: #ty)
    };
    parameters.iter().map(declared).collect()
}

/// Emits the generics `<'a, 'x, T: Value>`: a lifetime for each view, because a view is not a
/// subtype of one with a longer lifetime, and the element type that the caller chooses.
pub(super) fn generics(parameters: &[Parameter], traits: &[Trait]) -> Option<TokenStream> {
    let borrowed = parameters.iter().filter(|parameter| matches!(parameter.ty, Type::IntoView(_)));
    let mut names: Vec<TokenStream> =
        borrowed.map(|parameter| tokens(&lifetime(parameters, &parameter.name))).collect();
    names.extend(element(traits));
    (!names.is_empty()).then(|| quote!(<#(#names),*>))
}

/// Emits the bounds of the element type that the caller chooses, if it does: `T: Value`.
pub(super) fn element(traits: &[Trait]) -> Option<TokenStream> {
    let bounds = traits.iter().map(|needed| tokens(needed.bound()));
    (!traits.is_empty()).then(|| quote!(T: #(#bounds)+*))
}

/// Returns the lifetime of an argument, which has its name; `'fn_` for `r#fn`.
fn lifetime(parameters: &[Parameter], argument: &str) -> String {
    let mut name = plain(argument).to_string();
    let is_keyword = name != argument;
    let is_taken = |name: &str| parameters.iter().any(|of| of.name == name);
    while is_keyword && (name == plain(argument) || is_taken(&name)) {
        name.push('_');
    }
    format!("'{name}")
}

/// Emits a type.
pub(super) fn ty(ty: &Type) -> TokenStream {
    match ty {
        Type::Tensor(tensor) => tokens(&format!("Tensor<{}>", arguments(tensor))),
        Type::TensorRef(tensor) => tokens(&format!("&Tensor<{}>", arguments(tensor))),
        Type::TensorMut(tensor) => tokens(&format!("&mut Tensor<{}>", arguments(tensor))),
        Type::IntoView(tensor) => {
            tokens(&format!("impl IntoView<{}>", view_arguments(tensor, "'_")))
        }
        Type::View(tensor) => tokens(&format!("View<{}>", view_arguments(tensor, "'_"))),
        Type::Scalar(dtype) => tokens(dtype.rust_name()),
        Type::ScalarMut(dtype) => tokens(&format!("&mut {}", dtype.rust_name())),
        Type::Bool => quote!(bool),
        Type::Index => quote!(usize),
        Type::Slice(element) => {
            let element = element_type(*element);
            quote!(&[#element])
        }
        Type::SliceMut(element) => {
            let element = element_type(*element);
            quote!(&mut [#element])
        }
        Type::Vector(element) => {
            let element = element_type(*element);
            quote!(&mut Vec<#element>)
        }
        Type::Division => quote!(&kernel::Division),
        Type::Workspaces => quote!(&Workspaces),
        Type::WorkspacesMut => quote!(&mut Workspaces),
    }
}

/// Emits `f64, Csr`.
pub(super) fn arguments(TensorType { dtype, pattern, format }: &TensorType) -> String {
    let dtype = dtype.rust_name();
    let value = if *pattern { format!("Pattern<{dtype}>") } else { dtype.to_owned() };
    format!("{value}, {format}")
}

fn view_arguments(tensor: &TensorType, lifetime: &str) -> String {
    format!("{lifetime}, {}", arguments(tensor))
}
