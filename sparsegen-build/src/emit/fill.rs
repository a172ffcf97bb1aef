//! How a result is filled: the kernel runs on its storage, which becomes a tensor again.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::layout::comment;
use super::names::{element_type, ident, plain, tokens};
use super::result::Parts;
use super::shell::{call, is_filled_apart};
use super::{division, kernel, packing, parallel, parts};
use crate::ir::{Assembly, Bounds, Expr, Fit, Function, TensorResult};

/// Runs the kernel on the result's storage.
pub(super) fn fill(function: &Function, result: &TensorResult) -> TokenStream {
    let variable = ident(&result.name);
    let run = run(function);
    let divided = division::check(function);
    let parts = Parts::of(function);
    let Parts { shape, vals, unpacked, .. } = &parts;
    let computed = computed_format(result);
    let apart = is_filled_apart(function, result);
    let packed = packed(result, &quote!(#unpacked));
    match (&result.assembly, apart) {
        (Assembly::Computed { zeroed, .. }, false) => {
            let zero = Body::default().expr(&result.fill);
            let fill = zeroed.then(|| quote!(#variable.vals_mut().fill(#zero);));
            quote!(#fill #run #divided)
        }
        (Assembly::Computed { zeroed, .. }, true) => {
            let is_filled = *zeroed && !result.is_filled_with_zeros();
            let zero = Body::default().expr(&result.fill);
            let fill = is_filled.then(|| quote!(#unpacked.vals_mut().fill(#zero);));
            let before = match result.cover.is_some() && result.packed.is_none() {
                true => quote!(#variable.clone()),
                false => quote!(#computed::zeros(#variable.shape())?),
            };
            quote! {
                let mut #unpacked = #before;
                #fill
                #run
                #divided
                *#variable = #packed;
            }
        }
        (Assembly::Assembled { .. }, true) => {
            let (levels, put) = (mutable_levels(result, &parts), put(function, result));
            quote! {
                let (#shape, #levels, mut #vals) =
                    #computed::zeros(#variable.shape())?.into_parts();
                #run
                #divided
                #put
            }
        }
        // What was taken from the caller's tensor goes back in any case.
        (Assembly::Assembled { .. }, false) => {
            let (take, put) = (take(function, result), put(function, result));
            quote!(#take #run #put #divided)
        }
    }
}

/// Takes the vectors that the kernel fills from the caller's tensor.
pub(super) fn take(function: &Function, result: &TensorResult) -> TokenStream {
    let parts = Parts::of_result(function, result);
    let (Parts { shape, vals, .. }, variable) = (&parts, ident(&result.name));
    let levels = mutable_levels(result, &parts);
    quote! {
        let #shape = #variable.shape();
        let (#levels, mut #vals) = #variable.take_parts();
    }
}

/// `mut levels`, if the kernel fills any.
fn mutable_levels(result: &TensorResult, Parts { levels, .. }: &Parts) -> TokenStream {
    let fills_levels = result.arrays().len() > 1 || !result.extents().is_empty();
    let mutable = fills_levels.then(|| quote!(mut));
    quote!(#mutable #levels)
}

/// Makes the vectors that the kernel has filled the caller's tensor.
pub(super) fn put(function: &Function, result: &TensorResult) -> TokenStream {
    let fits = match &result.assembly {
        Assembly::Computed { .. } => &[],
        Assembly::Assembled { fits, .. } => fits.as_slice(),
    };
    let fits = fits.iter().filter_map(|fit| fits_call(function, result, fit));
    let assemble = assemble(function.bounds, &Parts::of_result(function, result), result);
    quote!(#(#fits)* #assemble)
}

/// The call of the kernel, or of its parts.
pub(super) fn run(function: &Function) -> TokenStream {
    let declare = division::declare(function);
    if let Some(parallel) = &function.parallel {
        let run = parallel::run(function, parallel).0;
        return quote!(#declare #run);
    }
    let call = call(function);
    match kernel::returned_extents(function) {
        Some(extents) => quote!(#declare #extents = #call;),
        None => quote!(#declare #call;),
    }
}

/// The vectors as a tensor, validated only where nothing proves it.
fn assemble(bounds: Bounds, parts: &Parts, result: &TensorResult) -> TokenStream {
    let Parts { shape, levels, vals, unpacked, .. } = parts;
    let (variable, computed) = (ident(&result.name), computed_format(result));
    let (safety, make) = match bounds {
        Bounds::Checked => (None, quote!(from_parts(#shape, #levels, #vals)?)),
        Bounds::Proven => (
            Some(comment(
                "SAFETY: The kernel fills every level as the format demands, with coordinates \
                 within the extents, which were checked; the positions fit their width.",
            )),
            quote!(from_parts_unchecked(#shape, #levels, #vals)),
        ),
    };
    let within = |made: TokenStream| match bounds {
        Bounds::Checked => made,
        Bounds::Proven => quote!(unsafe { #made }),
    };
    match result.packed {
        None => {
            let made = within(quote!(Tensor::#make));
            quote!(#safety *#variable = #made;)
        }
        Some(_) => {
            let made = within(quote!(#computed::#make));
            let packed = packed(result, &quote!(#unpacked));
            quote!(#safety let #unpacked = #made; *#variable = #packed;)
        }
    }
}

/// What the kernel filled as the caller's tensor: packed, together with what it covers nothing of.
fn packed(result: &TensorResult, filled: &TokenStream) -> TokenStream {
    match (&result.packed, &result.cover) {
        // The kernel started from what the tensor held.
        (None, _) => filled.clone(),
        (Some(_), None) => packing::to(filled, result.combining.as_deref()),
        (Some(_), Some(cover)) => {
            let variable = ident(&result.name);
            let coordinate = cover.coordinate.iter().map(|name| {
                let mut tells = false;
                cover.inside.for_each(&mut |part| tells |= *part == Expr::var(name));
                tells |= cover.listed.iter().any(|(mode, _)| cover.coordinate[*mode] == *name);
                if tells { tokens(name) } else { quote!(_) }
            });
            let listed = cover.listed.iter().map(|(mode, list)| {
                let (coordinate, list) = (ident(&cover.coordinate[*mode]), parts::list(list));
                quote!(#list.contains(&#coordinate))
            });
            let inside = Some(&cover.inside).filter(|inside| **inside != Expr::Bool(true));
            let inside = inside.map(|inside| Body::default().expr(inside));
            let inside = listed.chain(inside);
            let inside = quote!(|&[#(#coordinate),*]| #(#inside)&&*);
            packing::cover(&variable, filled, inside, result.combining.as_deref())
        }
    }
}

/// `Tensor::<f64, Csr>`, the type that the kernel fills.
fn computed_format(result: &TensorResult) -> TokenStream {
    tokens(&format!("Tensor::<{}, {}>", result.dtype.rust_name(), result.format))
}

/// Checks that positions fit their width, if it can be too narrow.
fn fits_call(function: &Function, result: &TensorResult, fit: &Fit) -> Option<TokenStream> {
    let find = |name: &str| result.arrays().iter().find(|array| array.name == name);
    let (array, longest) = (find(&fit.array)?, find(&fit.length_of)?);
    let (kernel, tensor, what) = (plain(&function.name), &result.tensor, &fit.what);
    let (width, longest) =
        (element_type(array.element), Parts::of_result(function, result).vector(&longest.place));
    let may_be_too_narrow = width.to_string() != "usize";
    may_be_too_narrow
        .then(|| quote!(kernel::fits::<#width>(#kernel, #tensor, #what, #longest.len())?;))
}
