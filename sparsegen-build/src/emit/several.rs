//! The functions of a kernel of several statements, which call those of each, or of those that share
//! loops.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::body::Body;
use super::names::ident;
use super::shared::{self, Way};
use super::shell::{arguments_of, lifetimes_of, tensor, views};
use super::{docs, shell};
use crate::ir::{Function, Group, Operand, Result, Several, Step};

/// The functions of a kernel, the public ones first.
pub(super) fn items(several: &Several) -> Vec<TokenStream> {
    let mut items = Vec::new();
    if several.allocates() {
        items.push(allocating(several));
    }
    if several.results().any(|step| is_passed(&step.function)) {
        items.push(into(several, Way::Into));
    }
    if several.computes() {
        items.extend(several.allocates().then(|| assemble(several)));
        items.push(into(several, Way::Compute));
    }
    items.extend(several.groups().into_iter().flat_map(|group| match group {
        Group::Alone(step) => shell::items(&step.function),
        Group::Shared(shared) => shared::items(several, shared),
    }));
    items
}

/// Whether a result is passed in, to be computed into; scalars are returned unless they are changed.
fn is_passed(function: &Function) -> bool {
    matches!(function.result, Result::Tensor(_)) || function.updated_scalar().is_some()
}

/// `mut`, for a result that a later statement changes.
fn mutable(several: &Several, step: &Step) -> Option<TokenStream> {
    let computed = several.steps.iter().filter(|other| other.result == step.result);
    (computed.count() > 1).then(|| quote!(mut))
}

/// `NAME`, which makes all results.
fn allocating(several: &Several) -> TokenStream {
    let docs = docs::attributes(&docs::of_several(several));
    let names: Vec<_> = several.results().map(|step| ident(&step.result)).collect();
    let value = tuple(&names);
    let body = match several.groups().as_slice() {
        [Group::Shared(shared)] if shared.function.results().next().is_none() => {
            shared::body(several, shared, Way::Into)
        }
        groups => {
            let groups = groups.iter().map(|group| match group {
                Group::Alone(step) => make(several, step),
                Group::Shared(shared) => {
                    let make = shared::make(shared);
                    let call = shared::call(several, shared, Way::Into, |name| quote!(&mut #name));
                    quote!(#make #call)
                }
            });
            quote!(#(#groups)* Ok(#value))
        }
    };
    let types: Vec<_> = several.results().map(|step| result_type(&step.function)).collect();
    function(several, docs, &ident(&several.name), None, tuple(&types), body)
}

/// Makes the result of a statement, or computes more of it.
fn make(several: &Several, step: &Step) -> TokenStream {
    let (name, result) = (ident(&step.function.name), ident(&step.result));
    let arguments = arguments_of_step(several, step, |name| quote!(&#name));
    if several.results().all(|first| first != step) {
        let name = beside(&step.function.name, "into");
        return quote!(#name(&mut #result, #(#arguments),*)?;);
    }
    let mutable = mutable(several, step);
    quote!(let #mutable #result = #name(#(#arguments),*)?;)
}

/// `NAME_into` and `NAME_compute`, which reuse results.
fn into(several: &Several, way: Way) -> TokenStream {
    let docs = match way {
        Way::Compute => docs::of_several_compute(several),
        Way::Into => docs::of_several_into(several),
    };
    let docs = docs::attributes(&docs);
    let returned = || several.results().filter(|step| !is_passed(&step.function));
    let names: Vec<_> = returned().map(|step| ident(&step.result)).collect();
    let body = match several.groups().as_slice() {
        [Group::Shared(shared)] => shared::body(several, shared, way),
        groups => {
            let groups = groups.iter().map(|group| match group {
                Group::Alone(step) => reuse(several, step, way),
                Group::Shared(shared) => shared::call(several, shared, way, |name| quote!(#name)),
            });
            let value = tuple(&names);
            quote!(#(#groups)* Ok(#value))
        }
    };
    let passed = several.results().filter_map(|step| match &step.function.result {
        Result::Tensor(result) => {
            let (name, ty) = (ident(&result.name), tensor(result));
            Some(quote!(#name: &mut #ty))
        }
        Result::Scalar { dtype, updates: Some(scalar), .. } => {
            let (name, ty) = (ident(&scalar.name), ident(dtype.rust_name()));
            Some(quote!(#name: &mut #ty))
        }
        Result::Scalar { updates: None, .. } => None,
    });
    let types: Vec<_> = returned().map(|step| result_type(&step.function)).collect();
    let name = beside(&several.name, way.suffix());
    function(several, docs, &name, Some(passed.collect()), tuple(&types), body)
}

/// Computes a statement into a result that is passed in; one that is a scalar gets a name.
fn reuse(several: &Several, step: &Step, way: Way) -> TokenStream {
    let arguments = arguments_of_step(several, step, |name| quote!(&*#name));
    let (own, result) = (&step.function, ident(&step.result));
    if !is_passed(own) {
        let (name, mutable) = (ident(&own.name), mutable(several, step));
        return quote!(let #mutable #result = #name(#(#arguments),*)?;);
    }
    if own.updated_scalar().is_some() && !several.is_passed(&step.result) {
        let name = beside(&own.name, "into");
        return quote!(#name(&mut #result, #(#arguments),*)?;);
    }
    let way = if own.has_structure() { way } else { Way::Into };
    let name = beside(&own.name, way.suffix());
    quote!(#name(#result, #(#arguments),*)?;)
}

/// `NAME_assemble`, the structures with values that are zero.
fn assemble(several: &Several) -> TokenStream {
    let docs = docs::attributes(&docs::of_several_assemble(several));
    let results = several.results().map(|step| {
        let result = ident(&step.result);
        let mutable = step.function.has_structure().then(|| quote!(mut));
        quote!(#mutable #result)
    });
    let zeros = several.results().filter(|step| step.function.has_structure());
    let zeros = zeros.filter_map(|step| {
        let Result::Tensor(result) = &step.function.result else { return None };
        let (name, zero) = (ident(&result.name), Body::default().expr(&result.fill));
        Some(quote!(#name.vals_mut().fill(#zero);))
    });
    let (entry, name) = (ident(&several.name), beside(&several.name, "assemble"));
    let operands = several.operands().into_iter().map(|operand| ident(operand.name()));
    let names: Vec<_> = several.results().map(|step| ident(&step.result)).collect();
    let types: Vec<_> = several.results().map(|step| result_type(&step.function)).collect();
    let (results, names, types) =
        (tuple(&results.collect::<Vec<_>>()), tuple(&names), tuple(&types));
    let lifetimes = lifetimes_of(&several.operands(), &several.traits());
    let arguments = arguments_of(&several.operands());
    quote! {
        #docs
        pub fn #name #lifetimes(#(#arguments),*) -> Result<#types, Error> {
            let #results = #entry(#(#operands),*)?;
            #(#zeros)*
            Ok(#names)
        }
    }
}

/// A public function of these results.
fn function(
    several: &Several,
    docs: TokenStream,
    name: &Ident,
    passed: Option<Vec<TokenStream>>,
    returns: TokenStream,
    body: TokenStream,
) -> TokenStream {
    let operands = several.operands();
    let lifetimes = lifetimes_of(&operands, &several.traits());
    // Those that are passed are not returned.
    let mut arguments = passed.unwrap_or_default();
    arguments.extend(arguments_of(&operands));
    let viewed = operands.iter().filter(|operand| match operand {
        Operand::Tensor(tensor) => is_viewed(several, &tensor.name),
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => false,
    });
    let views = views(&viewed.map(|operand| ident(operand.name())).collect::<Vec<_>>());
    let unused = operands.iter().filter(|operand| readers(several, operand.name()).is_empty());
    let unused = unused.map(|operand| ident(operand.name()));
    quote! {
        #docs
        pub fn #name #lifetimes(#(#arguments),*) -> Result<#returns, Error> {
            #(let _ = #unused;)*
            #views
            #body
        }
    }
}

/// Whether an operand is needed as a view: it is passed on more than once, or to what takes views.
fn is_viewed(several: &Several, name: &str) -> bool {
    let readers = readers(several, name);
    readers.len() > 1 || readers.iter().any(|group| matches!(group, Group::Shared(_)))
}

/// What reads an operand.
fn readers<'s>(several: &'s Several, name: &str) -> Vec<Group<'s>> {
    let reads = |group: &Group<'_>| match group {
        Group::Alone(step) => step.function.operands.iter().any(|operand| operand.name() == name),
        Group::Shared(shared) => {
            shared::operands(several, shared).iter().any(|operand| operand.name() == name)
        }
    };
    several.groups().into_iter().filter(reads).collect()
}

/// What a statement's functions are passed; `borrowed` makes a view of an earlier result.
fn arguments_of_step(
    several: &Several,
    step: &Step,
    borrowed: impl Fn(TokenStream) -> TokenStream,
) -> Vec<TokenStream> {
    let argument = |operand: &Operand| {
        let name = ident(operand.name());
        match operand {
            Operand::Tensor(tensor) if several.is_result(&tensor.name) => borrowed(quote!(#name)),
            Operand::Scalar { .. } => scalar(several, operand),
            Operand::Tensor(_) | Operand::Index { .. } | Operand::Indices { .. } => quote!(#name),
        }
    };
    // What is changed is passed first.
    let changed = step.function.updated_scalar().map(|scalar| scalar.name.as_str());
    let operands = step.function.operands.iter();
    operands.filter(|operand| changed != Some(operand.name())).map(argument).collect()
}

/// The value of a scalar operand, which may be a result that the caller passes.
pub(super) fn scalar(several: &Several, operand: &Operand) -> TokenStream {
    let name = ident(operand.name());
    let by_reference = several.is_passed(operand.name()).then(|| quote!(*));
    quote!(#by_reference #name)
}

/// The type of a result as callers see it.
fn result_type(function: &Function) -> TokenStream {
    match &function.result {
        Result::Scalar { dtype, .. } => ident(dtype.name()).into_token_stream(),
        Result::Tensor(result) => tensor(result),
    }
}

/// `()`, `a`, `(a, b)`
pub(super) fn tuple(items: &[impl ToTokens]) -> TokenStream {
    match items {
        [item] => quote!(#item),
        items => quote!((#(#items),*)),
    }
}

pub(super) fn beside(name: &str, suffix: &str) -> Ident {
    ident(&crate::names::beside(name, suffix))
}
