//! The functions around a kernel: they convert arguments, check extents and hold the result.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::value;
use super::kernel::{self, Parts, extent, operand_name, view};
use super::layout::comment;
use super::names::{beside, element_type, ident, number, plain};
use super::{docs, lints};
use crate::ir::{
    Array, Assembly, Bounds, Fit, Function, Literal, Operand, Result, Size, TensorResult,
};

/// The functions of a kernel, the public ones first.
pub(super) fn items(function: &Function) -> Vec<TokenStream> {
    let mut items = Vec::new();
    match &function.result {
        Result::Scalar { .. } => items.push(scalar(function)),
        Result::Tensor(result) => {
            items.extend(allocating(function, result));
            items.push(into(function, result));
            if is_zeroed(result) {
                items.extend(check_item(function, result));
            }
        }
    }
    items.push(kernel::item(function));
    items
}

/// Whether a kernel whose result is a tensor can tell the result's extents from its operands.
pub(super) fn allocates(function: &Function, result: &TensorResult) -> bool {
    result.shape.iter().all(|size| {
        let size = &function.sizes[*size];
        size.constant.is_some() || !size.operands.is_empty()
    })
}

/// Whether several modes must agree in a size, or in a size and a constant.
pub(super) fn is_checked(size: &Size) -> bool {
    let modes = size.operands.len() + size.result.len();
    modes >= if size.constant.is_some() { 1 } else { 2 }
}

/// `NAME` of a scalar result.
fn scalar(function: &Function) -> TokenStream {
    let docs = docs::attributes(&docs::of_entry(function));
    let (name, lifetime) = (ident(&function.name), lifetime(function));
    let arguments = arguments(function);
    let allow = lints::arguments(arguments.len());
    let Result::Scalar { dtype, .. } = &function.result else { return TokenStream::new() };
    let dtype = ident(dtype.name());
    let convert = convert_used(function);
    let checks = checks(function);
    let call = call(function);
    quote! {
        #docs
        #allow
        pub fn #name #lifetime(#(#arguments),*) -> Result<#dtype, Error> {
            #convert
            #checks
            Ok(#call)
        }
    }
}

/// `NAME` of a tensor result, which allocates it.
fn allocating(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !allocates(function, result) {
        return None;
    }
    let docs = docs::attributes(&docs::of_entry(function));
    let (name, lifetime) = (ident(&function.name), lifetime(function));
    let arguments = arguments(function);
    let allow = lints::arguments(arguments.len());
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
            (None, None) => TokenStream::new(),
        }
    });
    let zeros = quote!(let mut #variable = Tensor::zeros([#(#shape),*])?;);
    // A new tensor is zero already.
    let body = if is_zeroed(result) {
        let (convert, call) = (convert_used(function), call(function));
        let check = check_call(function, quote!(&#variable));
        quote!(#convert #zeros #check #call;)
    } else {
        let convert = convert(function, |k| {
            let gives = |size: &usize| {
                let size = &function.sizes[*size];
                size.constant.is_none() && size.operands.first().is_some_and(|mode| mode.0 == k)
            };
            result.shape.iter().any(gives)
        });
        let into = beside(function, "into");
        let operands = function.operands.iter().map(|operand| ident(operand_name(operand)));
        quote!(#convert #zeros #into(&mut #variable, #(#operands),*)?;)
    };
    Some(quote! {
        #docs
        #allow
        pub fn #name #lifetime(#(#arguments),*) -> Result<#ty, Error> {
            #body
            Ok(#variable)
        }
    })
}

/// `NAME_into`, which reuses a result.
fn into(function: &Function, result: &TensorResult) -> TokenStream {
    let docs = docs::attributes(&docs::of_into(function, result));
    let (name, lifetime) = (beside(function, "into"), lifetime(function));
    let arguments = arguments(function);
    let allow = lints::arguments(arguments.len() + 1);
    let (variable, ty) = (ident(&result.name), tensor(result));
    let convert = convert_used(function);
    let (checks, call) = (checks(function), call(function));
    let sizes = kernel::passed_sizes(function);
    let body = match &result.assembly {
        Assembly::Computed { zeroed: false, .. } => quote!(#checks #sizes #call;),
        Assembly::Computed { zeroed: true, .. } => {
            let check = check_call(function, quote!(#variable));
            let zero = value(Literal::Int(0), result.dtype);
            quote!(#check #sizes #variable.vals_mut().fill(#zero); #call;)
        }
        Assembly::Assembled { arrays, fits, .. } => {
            let parts = Parts::of(function);
            let fits = fits.iter().filter_map(|fit| fits_call(function, result, arrays, fit));
            let assemble = assemble(function.bounds, &parts, &variable);
            let Parts { shape, levels, vals } = &parts;
            let fills_levels = arrays.len() > 1;
            let mutable = fills_levels.then(|| quote!(mut));
            quote! {
                #checks
                #sizes
                let #shape = #variable.shape();
                let (#mutable #levels, mut #vals) = #variable.take_parts();
                #call;
                #(#fits)*
                #assemble
            }
        }
    };
    quote! {
        #docs
        #allow
        pub fn #name #lifetime(#variable: &mut #ty, #(#arguments),*) -> Result<(), Error> {
            #convert
            #body
            Ok(())
        }
    }
}

/// The vectors as a tensor, validated only where nothing proves it.
fn assemble(bounds: Bounds, parts: &Parts, result: &Ident) -> TokenStream {
    let Parts { shape, levels, vals } = parts;
    match bounds {
        Bounds::Checked => quote!(*#result = Tensor::from_parts(#shape, #levels, #vals)?;),
        Bounds::Proven => {
            let safety = comment(
                "SAFETY: The kernel appends coordinates in order and within the extents, which \
                 were checked, and closes every segment; the positions fit their width.",
            );
            quote! {
                #safety
                *#result = unsafe { Tensor::from_parts_unchecked(#shape, #levels, #vals) };
            }
        }
    }
}

/// Checks that positions fit their width, if it can be too narrow.
fn fits_call(
    function: &Function,
    result: &TensorResult,
    arrays: &[Array],
    fit: &Fit,
) -> Option<TokenStream> {
    let find = |name: &str| arrays.iter().find(|array| array.name == name);
    let (array, longest) = (find(&fit.array)?, find(&fit.length_of)?);
    let (kernel, tensor, what) = (plain(&function.name), &result.tensor, &fit.what);
    let (width, longest) =
        (element_type(array.element), Parts::of(function).vector(&longest.place));
    let may_be_too_narrow = width.to_string() != "usize";
    may_be_too_narrow
        .then(|| quote!(kernel::fits::<#width>(#kernel, #tensor, #what, #longest.len())?;))
}

/// Whether the kernel wants its values zero.
fn is_zeroed(result: &TensorResult) -> bool {
    matches!(result.assembly, Assembly::Computed { zeroed: true, .. })
}

/// `NAME_check`, where two functions need the checks.
fn check_item(function: &Function, result: &TensorResult) -> Option<TokenStream> {
    if !function.sizes.iter().any(is_checked) {
        return None;
    }
    let docs = docs::attributes(&["Whether the extents agree.".to_string()]);
    let name = beside(function, "check");
    let (variable, ty) = (ident(&result.name), tensor(result));
    let in_result = is_checked_in_result(function).then(|| quote!(#variable: &#ty));
    let views = function.operands.iter().enumerate().filter_map(|(k, operand)| match operand {
        Operand::Tensor(tensor) if is_checked_operand(function, k) => {
            let (name, ty) = (ident(&tensor.name), view(tensor, "'_"));
            Some(quote!(#name: #ty))
        }
        Operand::Tensor(_) | Operand::Scalar { .. } => None,
    });
    let params: Vec<_> = in_result.into_iter().chain(views).collect();
    let allow = lints::arguments(params.len());
    let checks = checks(function);
    Some(quote! {
        #docs
        #allow
        fn #name(#(#params),*) -> Result<(), Error> {
            #checks
            Ok(())
        }
    })
}

/// A call of `NAME_check`.
fn check_call(function: &Function, reference: TokenStream) -> Option<TokenStream> {
    if !function.sizes.iter().any(is_checked) {
        return None;
    }
    let name = beside(function, "check");
    let in_result = is_checked_in_result(function).then_some(reference);
    let operands = function.operands.iter().enumerate();
    let checked = operands.filter(|(k, _)| is_checked_operand(function, *k));
    let views = checked.map(|(_, operand)| {
        let name = ident(operand_name(operand));
        quote!(#name)
    });
    let arguments = in_result.into_iter().chain(views);
    Some(quote!(#name(#(#arguments),*)?;))
}

fn is_checked_in_result(function: &Function) -> bool {
    function.sizes.iter().any(|size| is_checked(size) && !size.result.is_empty())
}

fn is_checked_operand(function: &Function, operand: usize) -> bool {
    let has = |size: &Size| is_checked(size) && size.operands.iter().any(|mode| mode.0 == operand);
    function.sizes.iter().any(has)
}

/// The checks of all sizes that more than one mode has.
fn checks(function: &Function) -> TokenStream {
    let kernel = plain(&function.name);
    let check = |size: &Size| {
        let variable = &size.variable;
        let of_operands = size.operands.iter().map(|(operand, mode)| {
            let Operand::Tensor(tensor) = &function.operands[*operand] else {
                return TokenStream::new();
            };
            let (name, extent) = (&tensor.tensor, extent(function, (*operand, *mode)));
            let mode = number(*mode);
            quote!(Mode { tensor: #name, mode: #mode, size: #extent })
        });
        let of_result = size.result.iter().map(|mode| {
            let Result::Tensor(result) = &function.result else { return TokenStream::new() };
            let (name, variable, mode) = (&result.tensor, ident(&result.name), number(*mode));
            quote!(Mode { tensor: #name, mode: #mode, size: #variable.shape()[#mode] })
        });
        let modes = of_operands.chain(of_result);
        match size.constant {
            Some(constant) => {
                let constant = proc_macro2::Literal::u64_unsuffixed(constant);
                quote!(kernel::demand(#kernel, #variable, #constant, &[#(#modes),*])?;)
            }
            None => quote!(kernel::agree(#kernel, #variable, &[#(#modes),*])?;),
        }
    };
    function.sizes.iter().filter(|size| is_checked(size)).map(check).collect()
}

/// The call of the kernel.
fn call(function: &Function) -> TokenStream {
    let name = beside(function, "kernel");
    let parameters = kernel::parameters(function);
    let arguments = parameters.iter().map(|parameter| &parameter.argument);
    quote!(#name(#(#arguments),*))
}

/// `<'t>`, if anything is borrowed.
fn lifetime(function: &Function) -> Option<TokenStream> {
    let borrows = function.operands.iter().any(|o| matches!(o, Operand::Tensor(_)));
    borrows.then(|| quote!(<'t>))
}

/// The operands as the public functions take them.
fn arguments(function: &Function) -> Vec<TokenStream> {
    let argument = |operand: &Operand| match operand {
        Operand::Tensor(tensor) => {
            let (name, ty) = (ident(&tensor.name), view(tensor, "'t"));
            quote!(#name: impl Into<#ty>)
        }
        Operand::Scalar { name, dtype } => {
            let (name, dtype) = (ident(name), ident(dtype.name()));
            quote!(#name: #dtype)
        }
    };
    function.operands.iter().map(argument).collect()
}

/// `Tensor<f64, Csr>`
fn tensor(result: &TensorResult) -> TokenStream {
    super::names::tokens(&format!("Tensor<{}, {}>", result.dtype, result.format))
}

/// Turns the operands into views, and lets go of those that folding has made superfluous.
fn convert_used(function: &Function) -> TokenStream {
    let is_used = |k| kernel::is_read(function, k) || is_checked_operand(function, k);
    let unused = (0..function.operands.len()).filter(|k| !is_used(*k)).map(|k| {
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
        Operand::Scalar { .. } => None,
    });
    let names: Vec<_> = tensors.collect();
    match names.as_slice() {
        [] => TokenStream::new(),
        [name] => quote!(let #name = #name.into();),
        names => quote!(let (#(#names),*) = (#(#names.into()),*);),
    }
}
