//! The functions around a kernel: they convert arguments, check extents and hold the result.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::body::Body;
use super::checks::{by_name, check_call, check_item, checks, is_checked_operand};
use super::fill::{fill, run};
use super::kernel::{self, extent, into_view, operand_name};
use super::names::{beside, ident, plain, tokens};
use super::result::Parts;
use super::{compute, division, docs, parallel, parts};
use crate::ir::{
    Assembly, Callers, Conversion, Function, Operand, Result, Source, TensorOperand, TensorResult,
    Trait, UpdatedScalar,
};

/// The functions of a kernel, the public ones first.
pub(super) fn items(function: &Function) -> Vec<TokenStream> {
    let mut items = Vec::new();
    match &function.result {
        Result::Scalar { .. } => items.push(scalar(function)),
        Result::Tensor(result) => {
            items.extend(allocating(function, result));
            items.push(into(function, result));
            if is_zeroed_in_place(result) && !result.updates {
                items.extend(check_item(function, result));
            }
            items.extend(compute::items(function, result));
        }
    }
    items.push(kernel::item(function));
    let is_computed = match function.callers {
        Callers::Everyone => true,
        Callers::Kernel { computes, .. } => computes,
    };
    let compute = function.compute.iter().filter(|_| is_computed);
    items.extend(compute.map(|loops| kernel::item(loops)));
    items
}

/// Whether there is a function that makes a new result.
pub(super) fn allocates(function: &Function) -> bool {
    let is_called = match function.callers {
        Callers::Everyone => true,
        Callers::Kernel { allocates, .. } => allocates,
    };
    is_called && function.allocates()
}

/// `pub`, for functions that users call.
pub(super) fn public(function: &Function) -> Option<TokenStream> {
    match function.callers {
        Callers::Everyone => Some(quote!(pub)),
        Callers::Kernel { .. } => None,
    }
}

/// `NAME` of a scalar result.
fn scalar(function: &Function) -> TokenStream {
    let docs = docs::attributes(&docs::of_entry(function));
    let public = public(function);
    let lifetimes = lifetimes(function);
    let arguments = arguments(function);
    let Result::Scalar { dtype, updates, .. } = &function.result else { return TokenStream::new() };
    let name = match updates {
        Some(_) => beside(function, "into"),
        None => ident(&function.name),
    };
    let dtype = ident(dtype.rust_name());
    let convert = convert_used(function);
    let (checks, conversions) = (checks(function), conversions(function, plain(&function.name)));
    let (run, value) = match &function.parallel {
        Some(parallel) => parallel::run(function, parallel),
        None => (TokenStream::new(), call(function)),
    };
    let value = match division::check(function) {
        Some(check) => {
            let (declare, result) = (division::declare(function), Parts::of(function).value);
            let returned = changed(updates.as_ref(), quote!(#result));
            quote!(#declare #run let #result = #value; #check #returned)
        }
        None => {
            let returned = changed(updates.as_ref(), value);
            quote!(#run #returned)
        }
    };
    let dtype = match updates {
        Some(_) => quote!(()),
        None => quote!(#dtype),
    };
    quote! {
        #docs
        #public fn #name #lifetimes(#(#arguments),*) -> Result<#dtype, Error> {
            #convert
            #checks
            #conversions
            #value
        }
    }
}

/// Returns a value, or changes the caller's scalar by it.
fn changed(updates: Option<&UpdatedScalar>, value: TokenStream) -> TokenStream {
    let Some(UpdatedScalar { name, adds }) = updates else { return quote!(Ok(#value)) };
    let name = ident(name);
    let change = if *adds { quote!(*#name += #value;) } else { quote!(*#name = #value;) };
    quote!(#change Ok(()))
}

/// `NAME` of a tensor result, which allocates it.
fn allocating(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !allocates(function) {
        return None;
    }
    let docs = docs::attributes(&docs::of_entry(function));
    let public = public(function);
    let (name, lifetimes) = (ident(&function.name), lifetimes(function));
    let arguments = arguments(function);
    let ty = tensor(result);
    let variable = ident(&result.name);
    let shape = result.shape.iter().map(|size| {
        let size = &function.sizes[*size];
        match (size.constant, size.operands.first()) {
            (Some(constant), _) => {
                let constant = proc_macro2::Literal::u64_unsuffixed(constant);
                quote!(#constant)
            }
            (None, Some(mode)) => extent(function, *mode),
            (None, None) => parts::first(function, size).map(parts::extent).unwrap_or_default(),
        }
    });
    let parts_first = parts::come_first(function, result);
    let part_checks = if parts_first { parts::checks(function) } else { TokenStream::new() };
    let zeros = quote!(let mut #variable = Tensor::zeros([#(#shape),*])?;);
    let fill = (is_zeroed_in_place(result) && !result.is_filled_with_zeros()).then(|| {
        let fill = Body::default().expr(&result.fill);
        quote!(#variable.vals_mut().fill(#fill);)
    });
    // A new tensor is zero already.
    let body = if is_zeroed_in_place(result) {
        let (convert, run) = (convert_used(function), run(function));
        let check = check_call(function, quote!(&#variable), by_name);
        let conversions = conversions(function, plain(&function.name));
        let divided = division::check(function);
        quote!(#convert #part_checks #zeros #fill #check #conversions #run #divided)
    } else {
        let convert = convert(function, |k| {
            let gives = |size: &usize| {
                let size = &function.sizes[*size];
                size.constant.is_none() && size.operands.first().is_some_and(|mode| mode.0 == k)
            };
            let is_checked = parts_first && parts::concerns(function, k);
            is_checked || result.shape.iter().any(gives)
        });
        let into = beside(function, "into");
        let operands = function.operands.iter().map(|operand| ident(operand_name(operand)));
        quote!(#convert #part_checks #zeros #into(&mut #variable, #(#operands),*)?;)
    };
    Some(quote! {
        #docs
        #public fn #name #lifetimes(#(#arguments),*) -> Result<#ty, Error> {
            #body
            Ok(#variable)
        }
    })
}

/// `NAME_into`, which reuses a result.
fn into(function: &Function, result: &TensorResult) -> TokenStream {
    let docs = docs::attributes(&docs::of_into(function, result));
    let public = public(function);
    let (name, lifetimes) = (beside(function, "into"), lifetimes(function));
    let arguments = arguments(function);
    let (variable, ty) = (ident(&result.name), tensor(result));
    let convert = convert_used(function);
    let sizes = kernel::passed_sizes(function);
    let checks = match is_zeroed_in_place(result) && !result.updates {
        true => check_call(function, quote!(#variable), by_name).unwrap_or_default(),
        false => checks(function),
    };
    let conversions = conversions(function, plain(&function.name));
    let fill = fill(function, result);
    quote! {
        #docs
        #public fn #name #lifetimes(#variable: &mut #ty, #(#arguments),*) -> Result<(), Error> {
            #convert
            #checks
            #sizes
            #conversions
            #fill
            Ok(())
        }
    }
}

/// Whether the kernel wants the values of the caller's tensor zero.
fn is_zeroed_in_place(result: &TensorResult) -> bool {
    result.packed.is_none() && matches!(result.assembly, Assembly::Computed { zeroed: true, .. })
}

/// The format that callers see.
fn seen_format(result: &TensorResult) -> &str {
    result.packed.as_ref().unwrap_or(&result.format)
}

/// Whether the kernel fills a tensor that only then becomes the caller's: to be packed, or because
/// the loops read what that held before.
pub(super) fn is_filled_apart(function: &Function, result: &TensorResult) -> bool {
    let mut conversions = function.conversions.iter();
    result.packed.is_some() || conversions.any(|conversion| is_result(function, conversion))
}

/// Whether what is converted is the result, and it already has the format that the loops read.
pub(super) fn is_result(function: &Function, conversion: &Conversion) -> bool {
    match (conversion.of, &function.result) {
        (Source::Result, Result::Tensor(result)) => seen_format(result) == conversion.into.format,
        (Source::Result, Result::Scalar { .. }) | (Source::Operand(_), _) => false,
    }
}

/// The call of the kernel.
pub(super) fn call(function: &Function) -> TokenStream {
    let name = beside(function, "kernel");
    let parameters = kernel::parameters(function);
    let arguments = parameters.iter().map(|parameter| &parameter.argument);
    quote!(#name(#(#arguments),*))
}

/// `<'a, 'x>`: each borrowed argument has a lifetime of its own, because a view cannot be passed
/// for one with a shorter lifetime; then the type of elements that the caller chooses.
pub(super) fn lifetimes(function: &Function) -> Option<TokenStream> {
    lifetimes_of(&function.operands.iter().collect::<Vec<_>>(), &function.traits)
}

/// The lifetimes of some operands, and the type of elements that can do this.
pub(super) fn lifetimes_of(operands: &[&Operand], traits: &[Trait]) -> Option<TokenStream> {
    let borrowed = operands.iter().filter_map(|operand| match operand {
        Operand::Tensor(tensor) => Some(tokens(&lifetime(operands, tensor))),
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
    });
    let names: Vec<_> = borrowed.collect();
    generics(traits, names)
}

/// `<'a, T: Value>`: lifetimes, and the type of elements that the caller chooses, if there is one.
pub(super) fn generics(traits: &[Trait], mut names: Vec<TokenStream>) -> Option<TokenStream> {
    let bounds = traits.iter().map(|needed| tokens(needed.bound()));
    if !traits.is_empty() {
        names.push(quote!(T: #(#bounds)+*));
    }
    (!names.is_empty()).then(|| quote!(<#(#names),*>))
}

/// The lifetime of a borrowed argument, which has the argument's name; of `r#fn` that is `'fn_`.
fn lifetime(operands: &[&Operand], tensor: &TensorOperand) -> String {
    let mut name = plain(&tensor.name).to_string();
    let is_keyword = name != tensor.name;
    let is_taken = |name: &str| operands.iter().any(|of| of.name() == name);
    while is_keyword && (name == plain(&tensor.name) || is_taken(&name)) {
        name.push('_');
    }
    format!("'{name}")
}

/// The operands as the public functions take them.
pub(super) fn arguments(function: &Function) -> Vec<TokenStream> {
    let mut arguments = arguments_of(&function.operands.iter().collect::<Vec<_>>());
    for (argument, operand) in arguments.iter_mut().zip(&function.operands) {
        if let Operand::Scalar { name, dtype } = operand
            && function.updated_scalar().is_some_and(|scalar| scalar.name == *name)
        {
            let (name, dtype) = (ident(name), ident(dtype.rust_name()));
            *argument = quote!(#name: &mut #dtype);
        }
    }
    arguments
}

/// Some operands as public functions take them.
pub(super) fn arguments_of(operands: &[&Operand]) -> Vec<TokenStream> {
    let argument = |operand: &&Operand| match operand {
        Operand::Tensor(tensor) => {
            let lifetime = lifetime(operands, tensor);
            let (name, ty) = (ident(&tensor.name), into_view(tensor, &lifetime));
            quote!(#name: impl #ty)
        }
        Operand::Scalar { name, dtype } => {
            let (name, dtype) = (ident(name), ident(dtype.rust_name()));
            quote!(#name: #dtype)
        }
        Operand::Index { name } => {
            let name = ident(name);
            quote!(#name: usize)
        }
        Operand::Indices { name } => {
            let name = ident(name);
            quote!(#name: &[usize])
        }
    };
    operands.iter().map(argument).collect()
}

/// `Tensor<f64, Csr>`, the type that callers see.
pub(super) fn tensor(result: &TensorResult) -> TokenStream {
    let format = seen_format(result);
    tokens(&format!("Tensor<{}, {format}>", result.dtype.rust_name()))
}

/// Turns the operands into views, and lets go of those that folding has made superfluous.
pub(super) fn convert_used(function: &Function) -> TokenStream {
    let is_used = |k| {
        let is_converted = kernel::conversion(function, k).is_some();
        kernel::is_read(function, k)
            || is_checked_operand(function, k)
            || parts::is_gathered(function, k)
            || is_converted
    };
    let changed = function.updated_scalar().map(|scalar| scalar.name.as_str());
    let unused = (0..function.operands.len()).filter(|k| !is_used(*k));
    let unused =
        unused.filter(|k| changed != Some(operand_name(&function.operands[*k]))).map(|k| {
            let name = ident(operand_name(&function.operands[k]));
            quote!(let _ = #name;)
        });
    let convert = convert(function, is_used);
    quote!(#(#unused)* #convert)
}

/// Turns the chosen operands into views.
fn convert(function: &Function, chosen: impl Fn(usize) -> bool) -> TokenStream {
    let tensors = function.operands.iter().enumerate().filter_map(|(k, operand)| match operand {
        Operand::Tensor(tensor) => chosen(k).then(|| ident(&tensor.name)),
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
    });
    views(&tensors.collect::<Vec<_>>())
}

/// Turns arguments into views.
pub(super) fn views(names: &[Ident]) -> TokenStream {
    match names {
        [] => TokenStream::new(),
        [name] => quote!(let #name = #name.into_view();),
        names => quote!(let (#(#names),*) = (#(#names.into_view()),*);),
    }
}

/// Converts operands that the kernel reads in another format, looks at those whose elements are
/// coordinates, and at lists in which coordinates may stand again.
pub(super) fn conversions(function: &Function, kernel: &str) -> TokenStream {
    let convert = |Conversion { of, into }: &Conversion| {
        let (name, format) = (ident(&into.name), tokens(&into.format));
        match (of, &function.result) {
            (Source::Operand(operand), _) => {
                let of = ident(operand_name(&function.operands[*operand]));
                quote!(let #name = #of.to::<#format>()?;)
            }
            (Source::Result, Result::Tensor(result)) if seen_format(result) != into.format => {
                let of = ident(&result.name);
                quote!(let #name = #of.to::<#format>()?;)
            }
            (Source::Result, Result::Tensor(_)) => TokenStream::new(),
            (Source::Result, Result::Scalar { .. }) => TokenStream::new(),
        }
    };
    let mut converted: TokenStream = function.conversions.iter().map(convert).collect();
    converted.extend(parts::gathers(function, kernel));
    converted.extend(parts::last_of_each(function).into_iter().map(|(name, of)| {
        let (name, of) = (ident(name), ident(of));
        quote!(let #name = kernel::last_of_each(#of);)
    }));
    converted
}
