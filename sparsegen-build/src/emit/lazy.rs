//! Emits the module `lazy`: for each kernel a function that declares its result without computing it.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs;
use super::layout::blank;
use super::names::{ident, tokens};
use super::signature::arguments;
use crate::ir::{Entry, Kernel, Module, Parameter, Type};

/// The largest number of operands of a lazy result.
const MOST_OPERANDS: usize = 12;

/// Emits the module, if a kernel has a lazy result.
pub(super) fn item(module: &Module) -> Option<TokenStream> {
    let functions: Vec<_> = module.kernels.iter().filter_map(Declared::of).collect();
    if !module.is_lazy || functions.is_empty() {
        return None;
    }
    let functions = functions.iter().map(Declared::function);
    let (docs, blank) = (docs::attributes(&[HEAD.to_owned()]), blank());
    Some(quote! {
        #docs
        pub mod lazy {
            use sparsegen::lazy;
            use super::*;
            #(#blank #functions)*
        }
    })
}

const HEAD: &str = "The kernels with lazy results, which are computed when they are read; see \
                    [`sparsegen::lazy`].";

/// A kernel whose result can be declared without computing it.
struct Declared<'m> {
    /// The function that returns the result.
    whole: &'m Entry,
    /// The function that stores it in an existing tensor with its structure.
    values: Option<&'m Entry>,
    result: Type,
}

impl<'m> Declared<'m> {
    /// Returns `None` if the kernel has several results, none without an existing tensor, a
    /// generic element type, a list of coordinates, or no or too many operands.
    fn of(kernel: &'m Kernel) -> Option<Self> {
        let named =
            |name: &str| kernel.entries.iter().find(|entry| entry.is_public && entry.name == name);
        let whole = named(&kernel.name).filter(|entry| entry.traits.is_empty())?;
        let [result @ (Type::Tensor(_) | Type::Scalar(_))] = whole.returns.as_slice() else {
            return None;
        };
        let operands = whole.parameters.iter().filter(|parameter| is_operand(parameter)).count();
        let is_suitable =
            |parameter: &Parameter| is_operand(parameter) || parameter.ty == Type::Index;
        if !(1..=MOST_OPERANDS).contains(&operands) || !whole.parameters.iter().all(is_suitable) {
            return None;
        }
        let stores = |entry: &&Entry| match entry.parameters.as_slice() {
            [result, rest @ ..] => {
                matches!(result.ty, Type::TensorMut(_)) && rest == whole.parameters.as_slice()
            }
            [] => false,
        };
        let named = |suffix: &str| named(&format!("{}_{suffix}", kernel.name)).filter(stores);
        let values = named("compute").or_else(|| named("into"));
        Some(Declared { whole, values, result: result.clone() })
    }

    fn function(&self) -> TokenStream {
        let Entry { name, parameters, .. } = self.whole;
        let docs = docs::attributes(&self.docs());
        let declared = parameters.iter().map(|parameter| {
            let name = tokens(&parameter.name);
            match &parameter.ty {
                Type::IntoView(tensor) => {
                    let ty = tokens(&format!("lazy::Lazy<{}>", arguments(tensor)));
                    quote!(#name: &#ty)
                }
                Type::Scalar(dtype) => {
                    let dtype = tokens(dtype.rust_name());
                    quote!(#name: &lazy::Lazy<#dtype, sparsegen::Scalar>)
                }
                _ => quote!(#name: usize),
            }
        });
        let operands = || parameters.iter().filter(|parameter| is_operand(parameter));
        let names = operands().map(|parameter| tokens(&parameter.name));
        let bound: Vec<_> = names.collect();
        let clones = bound.iter().map(|name| quote!(#name.clone()));
        let (clones, bound) = (quote!((#(#clones,)*)), quote!((#(#bound,)*)));
        let passed: Vec<_> = parameters.iter().map(passed).collect();
        let has_index = parameters.iter().any(|parameter| parameter.ty == Type::Index);
        let captures = has_index.then(|| quote!(move));
        let function = ident(name);
        let call = quote!(super::#function(#(#passed),*));
        let (ty, whole) = match &self.result {
            Type::Tensor(tensor) => (tokens(&arguments(tensor)), call),
            other => {
                let dtype = super::signature::ty(other);
                let whole = quote!(sparsegen::Tensor::from_triplets([], [([], #call?)]));
                (quote!(#dtype, sparsegen::Scalar), whole)
            }
        };
        let body = match self.values {
            None => quote!(lazy::Lazy::of(#clones, #captures |#bound| #whole)),
            Some(values) => {
                let (result, function) = (tokens(&values.parameters[0].name), ident(&values.name));
                quote! {
                    lazy::Lazy::of_kernel(
                        #clones,
                        #captures |#bound| #whole,
                        #captures |#result, #bound| super::#function(#result, #(#passed),*),
                    )
                }
            }
        };
        quote! {
            #docs
            pub fn #function(#(#declared),*) -> lazy::Lazy<#ty> {
                #body
            }
        }
    }

    fn docs(&self) -> Vec<String> {
        let name = &self.whole.name;
        let mut docs = vec![format!(
            "Like [`{name}`](super::{name}), but computes the result when it is read, and again \
             after an operand has been written."
        )];
        if let Some(values) = self.values {
            let name = &values.name;
            docs.extend([
                String::new(),
                format!(
                    "Calls [`{name}`](super::{name}) while the structure of the operands stays the \
                     same."
                ),
            ]);
        }
        docs
    }
}

/// Returns whether an argument is a tensor or a scalar.
fn is_operand(parameter: &Parameter) -> bool {
    matches!(parameter.ty, Type::IntoView(_) | Type::Scalar(_))
}

/// Emits an argument of the kernel, given its tensor.
fn passed(parameter: &Parameter) -> TokenStream {
    let name = tokens(&parameter.name);
    match parameter.ty {
        Type::Scalar(_) => quote!(#name.vals()[0]),
        _ => name,
    }
}
