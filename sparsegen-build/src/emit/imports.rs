//! Emits the `use` items of a file: exactly the names that it uses.

use std::collections::BTreeSet;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::quote;

use super::names::{ident, tokens};
use super::scope::{UsedAs, bare_names};
use crate::ir::{FormatKind, Instruction, Kernel, Module, TensorType, Type};
use crate::names::imported::{IMPORTED, Imported, KERNEL, Kind, RUNTIME, path_of_own};

/// Emits the imports of items.
pub(super) fn items(module: &Module, items: &[TokenStream]) -> Vec<TokenStream> {
    let mut used = BTreeSet::new();
    for item in items {
        bare_names(item.clone(), &mut |name, used_as| {
            if used_as != UsedAs::Function {
                used.insert(name.to_owned());
            }
        });
    }
    let paths = paths(items);
    let own = declared(module);
    let is_imported = |other: &Imported| {
        let is_used = match other.kind {
            Kind::Item => used.contains(other.name),
            Kind::Module => paths.contains(other.name),
            Kind::Prelude => false,
        };
        is_used && !own.contains(other.name)
    };
    let imported = |of: &str| {
        let of_module = IMPORTED.iter().filter(|other| other.module == of && is_imported(other));
        of_module.map(|other| other.name.to_owned()).collect::<Vec<_>>()
    };
    let mut runtime: BTreeSet<String> = module.kernels.iter().flat_map(formats).collect();
    for format in &module.formats {
        runtime.remove(&path_of_own(&without_parameters(&format.name)));
    }
    for format in &module.formats {
        match &format.kind {
            FormatKind::Alias(of) => {
                runtime.insert(without_parameters(of));
            }
            FormatKind::Marker { .. } => {}
        }
    }
    runtime.extend(imported(RUNTIME));

    let calls_kernel = paths.contains("kernel");
    let mut kernel: Vec<TokenStream> = Vec::new();
    if calls_kernel {
        kernel.push(quote!(self));
    }
    kernel.extend(imported(KERNEL).iter().map(|name| tokens(name)));

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

/// Returns the types that a module declares.
pub(super) fn declared(module: &Module) -> BTreeSet<String> {
    module.formats.iter().map(|format| without_parameters(&format.name)).collect()
}

/// Returns the first identifiers of paths with several segments.
fn paths(items: &[TokenStream]) -> BTreeSet<String> {
    fn collect(stream: TokenStream, begins: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let is_colon = |k: usize| matches!(trees.get(k), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint);
        for (k, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(ident) if is_colon(k + 1) && !(k >= 2 && is_colon(k - 2)) => {
                    begins.insert(ident.to_string());
                }
                TokenTree::Group(group) => collect(group.stream(), begins),
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut begins = BTreeSet::new();
    items.iter().for_each(|item| collect(item.clone(), &mut begins));
    begins
}

/// Returns `Csr` for `Csr<u64, u32>`.
fn without_parameters(ty: &str) -> String {
    ty.split('<').next().unwrap_or(ty).trim().to_string()
}

/// Returns the formats of the functions of a kernel, without parameters.
fn formats(kernel: &Kernel) -> Vec<String> {
    let entries = kernel.entries.iter().flat_map(|entry| {
        let parameters = entry.parameters.iter().map(|parameter| &parameter.ty);
        parameters
            .chain(&entry.returns)
            .filter_map(tensor)
            .chain(entry.body.iter().filter_map(Instruction::made))
    });
    let loops = kernel.loops.iter().flat_map(|loops| &loops.parameters);
    let loops = loops.filter_map(|parameter| tensor(&parameter.ty));
    entries.chain(loops).map(|tensor| without_parameters(&tensor.format)).collect()
}

/// Returns the tensor type within a type.
fn tensor(ty: &Type) -> Option<&TensorType> {
    match ty {
        Type::Tensor(tensor)
        | Type::TensorRef(tensor)
        | Type::TensorMut(tensor)
        | Type::IntoView(tensor)
        | Type::View(tensor) => Some(tensor),
        Type::Scalar(_)
        | Type::ScalarMut(_)
        | Type::Bool
        | Type::Index
        | Type::Slice(_)
        | Type::SliceMut(_)
        | Type::Vector(_)
        | Type::Division
        | Type::Workspaces
        | Type::WorkspacesMut => None,
    }
}
