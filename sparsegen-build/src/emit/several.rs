//! The functions of a kernel of several statements, which call those of each.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::body::Body;
use super::names::{ident, plain};
use super::shell::{arguments_of, lifetimes_of, tensor, views};
use super::{checks, division, docs, kernel, lints, shell};
use crate::ir::{Assembly, Function, Operand, Result, Several, Step};

/// The functions of a kernel, the public ones first.
pub(super) fn items(several: &Several) -> Vec<TokenStream> {
    let mut items = Vec::new();
    if let Some(shared) = &several.shared {
        items.push(allocating_shared(several, shared));
        items.push(into_shared(several, shared));
        items.extend(several.steps.iter().filter_map(|step| match &step.function.result {
            Result::Tensor(result) => checks::check_item(&step.function, result),
            Result::Scalar { .. } => None,
        }));
        items.push(kernel::item(shared));
        return items;
    }
    if several.allocates() {
        items.push(allocating(several));
    }
    if several.results().any(|step| is_passed(&step.function)) {
        items.push(into(several, "into"));
    }
    if several.computes() {
        items.extend(several.allocates().then(|| assemble(several)));
        items.push(into(several, "compute"));
    }
    items.extend(several.steps.iter().flat_map(|step| shell::items(&step.function)));
    items
}

/// Whether a result is passed in, to be computed into; scalars are returned.
fn is_passed(function: &Function) -> bool {
    matches!(function.result, Result::Tensor(_))
}

/// `NAME`, which makes all results.
fn allocating(several: &Several) -> TokenStream {
    let docs = docs::attributes(&docs::of_several(several));
    let steps = several.steps.iter().enumerate().map(|(k, step)| {
        let (name, result) = (ident(&step.function.name), ident(&step.result));
        let arguments = arguments_of_step(several, step, |name| quote!(&#name));
        if several.steps[..k].iter().any(|before| before.result == step.result) {
            let name = beside(&step.function.name, "into");
            return quote!(#name(&mut #result, #(#arguments),*)?;);
        }
        let changes = several.steps[k + 1..].iter().any(|later| later.result == step.result);
        let mutable = changes.then(|| quote!(mut));
        quote!(let #mutable #result = #name(#(#arguments),*)?;)
    });
    let names = several.results().map(|step| ident(&step.result));
    let body = quote!(#(#steps)* Ok((#(#names),*)));
    let types = several.results().map(|step| result_type(&step.function));
    let name = ident(&several.name);
    function(several, docs, &name, None, quote!((#(#types),*)), body)
}

/// `NAME`, which makes all results for loops that they share.
fn allocating_shared(several: &Several, shared: &Function) -> TokenStream {
    let docs = docs::attributes(&docs::of_several(several));
    let make = shared.results().map(|result| {
        let name = ident(&result.name);
        let shape = result.shape.iter();
        let shape = shape.map(|size| kernel::extent_value(shared, &shared.sizes[*size]));
        quote!(let mut #name = Tensor::zeros([#(#shape),*])?;)
    });
    let (into, names) = (beside(&several.name, "into"), names(shared));
    let operands = several.operands().into_iter().map(|operand| ident(operand.name()));
    let body = quote! {
        #(#make)*
        #into(#(&mut #names,)* #(#operands),*)?;
        Ok((#(#names),*))
    };
    let types = shared.results().map(tensor);
    function(several, docs, &ident(&several.name), None, quote!((#(#types),*)), body)
}

/// `NAME_into` where the results share loops.
fn into_shared(several: &Several, shared: &Function) -> TokenStream {
    let docs = docs::attributes(&docs::of_several_into(several));
    let checks = several.steps.iter().filter_map(|step| {
        let result = ident(&step.result);
        checks::check_call(&step.function, quote!(#result), |operand| {
            let name = ident(operand.name());
            if several.is_result(operand.name()) { quote!(#name.view()) } else { quote!(#name) }
        })
    });
    let zeros = shared.results().filter(|result| match result.assembly {
        Assembly::Computed { zeroed, .. } => zeroed,
        Assembly::Assembled { .. } => false,
    });
    let zeros = zeros.map(|result| {
        let (name, zero) = (ident(&result.name), Body::default().expr(&result.fill));
        quote!(#name.vals_mut().fill(#zero);)
    });
    let call = shell::call(shared);
    let (declare, divided) = (division::declare(shared), division::check(shared));
    let body = quote!(#(#checks)* #(#zeros)* #declare #call; #divided Ok(()));
    let passed = shared.results().map(|result| {
        let (name, ty) = (ident(&result.name), tensor(result));
        quote!(#name: &mut #ty)
    });
    let name = beside(&several.name, "into");
    function(several, docs, &name, Some(passed.collect()), quote!(()), body)
}

/// The names of all results.
fn names(shared: &Function) -> Vec<Ident> {
    shared.results().map(|result| ident(&result.name)).collect()
}

/// `NAME_into` and `NAME_compute`, which reuse results.
fn into(several: &Several, suffix: &str) -> TokenStream {
    let docs = match suffix {
        "compute" => docs::of_several_compute(several),
        _ => docs::of_several_into(several),
    };
    let docs = docs::attributes(&docs);
    let steps = several.steps.iter().map(|step| {
        let arguments = arguments_of_step(several, step, |name| quote!(&*#name));
        let (own, result) = (&step.function, ident(&step.result));
        if !is_passed(own) {
            let name = ident(&own.name);
            return quote!(let #result = #name(#(#arguments),*)?;);
        }
        let suffix = if own.has_structure() { suffix } else { "into" };
        let name = beside(&own.name, suffix);
        quote!(#name(#result, #(#arguments),*)?;)
    });
    let passed = several.results().filter_map(|step| match &step.function.result {
        Result::Tensor(result) => {
            let (name, ty) = (ident(&result.name), tensor(result));
            Some(quote!(#name: &mut #ty))
        }
        Result::Scalar { .. } => None,
    });
    let passed: Vec<_> = passed.collect();
    let returned = || several.results().filter(|step| !is_passed(&step.function));
    let names: Vec<_> = returned().map(|step| ident(&step.result)).collect();
    let types: Vec<_> = returned().map(|step| result_type(&step.function)).collect();
    let value = tuple(&names);
    let body = quote!(#(#steps)* Ok(#value));
    let name = beside(&several.name, suffix);
    function(several, docs, &name, Some(passed), tuple(&types), body)
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
    let names = several.results().map(|step| ident(&step.result));
    let types = several.results().map(|step| result_type(&step.function));
    let lifetimes = lifetimes_of(&several.operands(), &several.traits());
    let arguments = arguments_of(&several.operands());
    let allow = lints::arguments(arguments.len());
    let allow_type = allow_type(several);
    quote! {
        #docs
        #allow
        #allow_type
        pub fn #name #lifetimes(#(#arguments),*) -> Result<(#(#types),*), Error> {
            let (#(#results),*) = #entry(#(#operands),*)?;
            #(#zeros)*
            Ok((#(#names),*))
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
    let allow_type = passed.is_none().then(|| allow_type(several)).flatten();
    let mut arguments = passed.unwrap_or_default();
    arguments.extend(arguments_of(&operands));
    let allow = lints::arguments(arguments.len());
    let shared = operands.iter().filter(|operand| match operand {
        Operand::Tensor(tensor) => {
            is_used(several, &tensor.name)
                && (several.shared.is_some() || readers(several, &tensor.name) > 1)
        }
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => false,
    });
    let views = views(&shared.map(|operand| ident(operand.name())).collect::<Vec<_>>());
    let unused = operands.iter().filter(|operand| !is_used(several, operand.name()));
    let unused = unused.map(|operand| ident(operand.name()));
    quote! {
        #docs
        #allow
        #allow_type
        pub fn #name #lifetimes(#(#arguments),*) -> Result<#returns, Error> {
            #(let _ = #unused;)*
            #views
            #body
        }
    }
}

/// Whether an operand is passed on to any function.
fn is_used(several: &Several, name: &str) -> bool {
    let Some(shared) = &several.shared else { return true };
    let place = |function: &Function| function.operands.iter().position(|of| of.name() == name);
    let is_checked = |step: &Step| {
        place(&step.function).is_some_and(|k| checks::is_checked_operand(&step.function, k))
    };
    place(shared).is_some_and(|k| kernel::is_read(shared, k))
        || several.steps.iter().any(is_checked)
}

/// The `allow` of a function that returns all results, if it needs one.
fn allow_type(several: &Several) -> Option<TokenStream> {
    let (tensors, scalars): (Vec<&Step>, Vec<&Step>) =
        several.results().partition(|step| is_passed(&step.function));
    lints::returned(tensors.len(), scalars.len())
}

/// How many statements read an operand.
fn readers(several: &Several, name: &str) -> usize {
    let reads = |step: &&Step| step.function.operands.iter().any(|operand| operand.name() == name);
    several.steps.iter().filter(reads).count()
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
            Operand::Tensor(_)
            | Operand::Scalar { .. }
            | Operand::Index { .. }
            | Operand::Indices { .. } => quote!(#name),
        }
    };
    step.function.operands.iter().map(argument).collect()
}

/// The type of a result as callers see it.
fn result_type(function: &Function) -> TokenStream {
    match &function.result {
        Result::Scalar { dtype, .. } => ident(dtype.name()).into_token_stream(),
        Result::Tensor(result) => tensor(result),
    }
}

/// `()`, `a`, `(a, b)`
fn tuple(items: &[impl ToTokens]) -> TokenStream {
    match items {
        [item] => quote!(#item),
        items => quote!((#(#items),*)),
    }
}

fn beside(name: &str, suffix: &str) -> Ident {
    ident(&format!("{}_{suffix}", plain(name)))
}
