//! Emits the `use` items of a file: exactly the names that it uses.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::names::{ident, tokens};
use super::scope::Names;
use crate::ir::{FormatKind, Instruction, Kernel, Module, TensorType, Type};
use crate::names::imported::{IMPORTED, Imported, KERNEL, Kind, RUNTIME, path_of_own};

/// Emits the imports of a module whose items use these names.
pub(super) fn items(module: &Module, used: &Names) -> Vec<TokenStream> {
    let own = declared(module);
    let is_imported = |other: &Imported| {
        let is_used = match other.kind {
            Kind::Item => used.values.contains(other.name) || used.begins.contains(other.name),
            Kind::Module => used.begins.contains(other.name),
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

    let calls_kernel = used.begins.contains("kernel");
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
