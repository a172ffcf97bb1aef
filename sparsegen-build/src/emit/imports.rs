//! The `use` items of a file: exactly the names that it uses.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use super::names::{ident, tokens};
use crate::ir::{FormatKind, Function, Module, Result};

/// What generated code may use of the runtime crate, beside the formats.
const RUNTIME: [&str; 16] = [
    "Error",
    "Fill",
    "Format",
    "IntoView",
    "LevelExpr",
    "LevelMap",
    "Map",
    "Pattern",
    "Tensor",
    "Value",
    "View",
    "bf16",
    "c32",
    "c64",
    "f16",
    "num_traits",
];

/// What generated code may use of the runtime crate's module for kernels.
const KERNEL: [&str; 4] = ["Proven", "ProvenMut", "Reserved", "Workspace"];

/// The imports of items.
pub(super) fn items(module: &Module, items: &[TokenStream]) -> Vec<TokenStream> {
    let mut used = BTreeSet::new();
    let mut calls_kernel = false;
    for item in items {
        collect(item.clone(), &mut used, &mut calls_kernel);
    }
    let mut runtime: BTreeSet<String> = module.functions().flat_map(formats).collect();
    for format in &module.formats {
        runtime.remove(&without_parameters(&format.name));
    }
    for format in &module.formats {
        match &format.kind {
            FormatKind::Alias(of) => {
                runtime.insert(without_parameters(of));
            }
            FormatKind::Marker { .. } => {}
        }
    }
    runtime.extend(RUNTIME.map(String::from).into_iter().filter(|name| used.contains(name)));

    let mut kernel: Vec<TokenStream> = Vec::new();
    if calls_kernel {
        kernel.push(quote!(self));
    }
    kernel.extend(KERNEL.iter().filter(|name| used.contains(**name)).map(|name| tokens(name)));

    let mut items = Vec::new();
    match kernel.as_slice() {
        [] => {}
        [_] if calls_kernel => items.push(quote!(
            use sparsegen::kernel;
        )),
        [name] => items.push(quote!(use sparsegen::kernel::#name;)),
        names => items.push(quote!(use sparsegen::kernel::{#(#names),*};)),
    }
    let names: Vec<_> = runtime.iter().map(|name| ident(name)).collect();
    match names.as_slice() {
        [] => {}
        [name] => items.push(quote!(use sparsegen::#name;)),
        names => items.push(quote!(use sparsegen::{#(#names),*};)),
    }
    items
}

/// Collects the identifiers of an item, and whether it names the module `kernel`.
fn collect(item: TokenStream, used: &mut BTreeSet<String>, calls_kernel: &mut bool) {
    let mut tokens = item.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) => {
                let follows = tokens.peek();
                let is_path = matches!(follows, Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == proc_macro2::Spacing::Joint);
                *calls_kernel |= is_path && ident == "kernel";
                used.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), used, calls_kernel),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// `Csr` of `Csr<u64, u32>`.
fn without_parameters(ty: &str) -> String {
    ty.split('<').next().unwrap_or(ty).trim().to_string()
}

/// The format markers of a function's tensors, without their parameters.
fn formats(function: &Function) -> Vec<String> {
    let mut markers = Vec::new();
    markers.extend(function.tensors().map(|tensor| without_parameters(&tensor.format)));
    match &function.result {
        Result::Tensor(result) => {
            let formats = [Some(&result.format), result.packed.as_ref()];
            markers.extend(formats.into_iter().flatten().map(|format| without_parameters(format)));
        }
        Result::Scalar { .. } => {}
    }
    markers
}
