//! Assembly and computation apart: the structure first, then values, as often as they change.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::checks::checks;
use super::kernel::{self, operand_name};
use super::names::{beside, ident, plain};
use super::result::Parts;
use super::shell::{
    allocates, arguments, call, conversions, convert_used, lifetimes, public, tensor,
};
use super::{division, docs};
use crate::ir::{Assembly, Callers, Function, Result, TensorResult};

/// `NAME_assemble` and `NAME_compute` of a sparse result.
pub(super) fn items(function: &Function, result: &TensorResult) -> Vec<TokenStream> {
    if result.updates || !function.has_structure() {
        return Vec::new();
    }
    let mut items: Vec<TokenStream> = Vec::new();
    match function.callers {
        Callers::Everyone => items.extend(assemble(function, result)),
        Callers::Kernel { computes: true, .. } => {}
        Callers::Kernel { computes: false, .. } => return Vec::new(),
    }
    match &function.compute {
        Some(loops) => items.push(compute(function, result, loops)),
        None => items.extend(recompute(function, result)),
    }
    items
}

/// `NAME_assemble`: the structure, with values that are zero.
fn assemble(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !allocates(function) {
        return None;
    }
    let public = public(function);
    let docs = docs::attributes(&docs::of_assemble(function));
    let (name, entry) = (beside(function, "assemble"), ident(&function.name));
    let (lifetimes, arguments) = (lifetimes(function), arguments(function));
    let (variable, ty) = (ident(&result.name), tensor(result));
    let operands = function.operands.iter().map(|operand| ident(operand_name(operand)));
    let zero = Body::default().expr(&result.fill);
    Some(quote! {
        #docs
        #public fn #name #lifetimes(#(#arguments),*) -> Result<#ty, Error> {
            let mut #variable = #entry(#(#operands),*)?;
            #variable.vals_mut().fill(#zero);
            Ok(#variable)
        }
    })
}

/// `NAME_compute`, by loops that walk along the structure.
fn compute(function: &Function, result: &TensorResult, loops: &Function) -> TokenStream {
    let public = public(function);
    let docs = docs::attributes(&docs::of_compute(function));
    let (lifetimes, arguments) = (lifetimes(function), arguments(function));
    let (name, variable, ty) = (beside(function, "compute"), ident(&result.name), tensor(result));
    let (convert, checks) = (convert_used(function), checks(function));
    let (sizes, conversions) =
        (kernel::passed_sizes(loops), conversions(loops, plain(&function.name)));
    let Parts { levels, vals, .. } = Parts::of(loops);
    let is_zeroed = match &loops.result {
        Result::Tensor(result) => {
            matches!(result.assembly, Assembly::Computed { zeroed: true, .. })
        }
        Result::Scalar { .. } => false,
    };
    let zero = Body::default().expr(&result.fill);
    let fill = is_zeroed.then(|| quote!(#vals.fill(#zero);));
    let (of, tensor) = (plain(&function.name), &result.tensor);
    let (declare, divided) = (division::declare(loops), division::check(function));
    let call = call(loops);
    let known = match divided {
        Some(_) => quote!(kernel::known(#call, #of, #tensor)?; #divided Ok(())),
        None => quote!(kernel::known(#call, #of, #tensor)),
    };
    quote! {
        #docs
        #public fn #name #lifetimes(#variable: &mut #ty, #(#arguments),*) -> Result<(), Error> {
            #convert
            #checks
            #sizes
            #conversions
            let (#levels, #vals) = #variable.structure_and_vals();
            #fill
            #declare
            #known
        }
    }
}

/// `NAME_compute`, by way of a new result.
fn recompute(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !allocates(function) {
        return None;
    }
    let public = public(function);
    let docs = docs::attributes(&docs::of_compute(function));
    let (lifetimes, arguments) = (lifetimes(function), arguments(function));
    let (name, variable, ty) = (beside(function, "compute"), ident(&result.name), tensor(result));
    let operands = function.operands.iter().map(|operand| ident(operand_name(operand)));
    let (entry, unpacked) = (ident(&function.name), Parts::of(function).unpacked);
    let (of, tensor) = (plain(&function.name), &result.tensor);
    Some(quote! {
        #docs
        #public fn #name #lifetimes(#variable: &mut #ty, #(#arguments),*) -> Result<(), Error> {
            let #unpacked = #entry(#(#operands),*)?;
            kernel::replace_values(#variable, &#unpacked, #of, #tensor)
        }
    })
}
