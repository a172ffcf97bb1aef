//! The arguments of a kernel's main function.

use super::{Kernel, Tensor};
use crate::ir;

/// An argument of a kernel's main function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// One of [`Kernel::tensors`], by its name in the manifest.
    Tensor(String),
    /// A coordinate, by its name in Rust.
    Index(String),
    /// A list of coordinates, by its name in Rust.
    Indices(String),
}

impl Kernel {
    /// Adds the arguments of the main function, and the types of their formats.
    pub(super) fn add_arguments(&mut self, compiled: &ir::Kernel) {
        let Some(entry) = compiled.entries.first() else { return };
        self.function = entry.name.clone();
        let returned = entry.returns.iter();
        let types = entry.parameters.iter().map(|parameter| (Some(&parameter.name), &parameter.ty));
        for (name, ty) in types.chain(returned.map(|ty| (None, ty))) {
            let is_it = |tensor: &&mut Tensor| match name {
                Some(name) => tensor.argument == *name,
                None => tensor.is_result && tensor.marker.is_empty(),
            };
            let tensor = self.tensors.iter_mut().find(is_it);
            self.arguments.extend(match (name, &tensor, ty) {
                (Some(name), _, ir::Type::Index) => Some(Argument::Index(name.clone())),
                (Some(name), _, ir::Type::Slice(_)) => Some(Argument::Indices(name.clone())),
                (Some(_), Some(tensor), _) => Some(Argument::Tensor(tensor.name.clone())),
                _ => None,
            });
            if let Some(tensor) = tensor {
                tensor.marker = marker(ty);
            }
        }
    }
}

/// Returns the type of the format of a tensor; empty for other types.
fn marker(ty: &ir::Type) -> String {
    match ty {
        ir::Type::Tensor(of)
        | ir::Type::TensorRef(of)
        | ir::Type::TensorMut(of)
        | ir::Type::View(of)
        | ir::Type::IntoView(of) => of.format.clone(),
        _ => String::new(),
    }
}
