//! Calls of kernels that are run in parts.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::kernel::extent_value;
use super::names::{ident, place_in_view};
use super::result::Parts;
use super::shell::call;
use crate::ir::{Array, Assembly, Element, Function, Parallel, Place, Result, Width};

/// `let parts = kernel::parts(a.shape()[0], |i| i + a.levels().1.pos[i] as usize);`
fn parts(function: &Function, parallel: &Parallel, parts: &Ident) -> Option<TokenStream> {
    let size = &function.sizes[parallel.size];
    let extent = extent_value(function, size)?;
    let variable = ident(&parallel.variable);
    let work = parallel.work.iter().filter_map(|name| {
        let of = |array: &&Array| array.name == *name;
        let (view, array) = function.tensors().find_map(|tensor| {
            tensor.arrays.iter().find(of).map(|array| (ident(&tensor.name), array))
        })?;
        let path = place_in_view(&view, &array.place);
        let narrow = !matches!(array.element, Element::Index(Width::Usize));
        let widen = narrow.then(|| quote!(as usize));
        Some(quote!(+ #path[#variable] #widen))
    });
    Some(quote!(let #parts = kernel::parts(#extent, |#variable| #variable #(#work)*);))
}

/// The statements that run a kernel in parts, and what they amount to for a scalar.
pub(super) fn run(function: &Function, parallel: &Parallel) -> (TokenStream, TokenStream) {
    let Parts { parts: name, part, filled, .. } = Parts::of(function);
    let divide = self::parts(function, parallel, &name);
    let call = call(function);
    let result = match &function.result {
        Result::Scalar { .. } => {
            return (quote!(#divide), quote!(kernel::total(&#name, |#part| #call)));
        }
        Result::Tensor(result) => result,
    };
    let stmts = match &result.assembly {
        Assembly::Computed { vals, .. } => {
            let parts = Parts::of(function);
            let tensor = match result.packed {
                Some(_) => parts.unpacked,
                None => ident(&result.name),
            };
            let vals = ident(&vals.name);
            quote!(kernel::split(#tensor.vals_mut(), &#name, |#part, #vals| #call);)
        }
        Assembly::Assembled { arrays, fits, .. } => {
            let vectors: Vec<Ident> = arrays.iter().map(|array| ident(&array.name)).collect();
            let new = vectors.iter().map(|_| quote!(Vec::new()));
            let into = Parts::of(function);
            let clear = arrays.iter().map(|array| {
                let vector = into.vector(&array.place);
                quote!(#vector.clear();)
            });
            let join = arrays.iter().map(|array| {
                let (vector, part) = (into.vector(&array.place), ident(&array.name));
                let holds_positions = fits.iter().any(|fit| fit.array == array.name);
                match array.place {
                    Place::Level { level: 0, .. } if holds_positions => {
                        quote!(kernel::join_ends(&mut #vector, &#part);)
                    }
                    _ if holds_positions => {
                        quote!(kernel::join_positions(&mut #vector, &#part);)
                    }
                    Place::Level { .. } | Place::Values => quote!(#vector.extend(#part);),
                }
            });
            quote! {
                let #filled = kernel::each(&#name, |#part| {
                    let (#(mut #vectors),*) = (#(#new),*);
                    #call;
                    (#(#vectors),*)
                });
                #(#clear)*
                for (#(#vectors),*) in #filled {
                    #(#join)*
                }
            }
        }
    };
    (quote!(#divide #stmts), TokenStream::new())
}
