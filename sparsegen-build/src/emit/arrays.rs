//! The arrays and extents that a kernel reads, and the names that it gives them.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::layout::comment;
use super::names::{ident, number, place_in_view};
use crate::ir::{
    Array, Assembly, Element, Extent, Function, Ground, List, Place, Reads, Unchecked, Uses, Width,
};

/// What makes unchecked accesses sound: why their bounds hold.
pub(super) fn safety(function: &Function, of: Unchecked) -> String {
    let bounds = function.unchecked.iter().filter(|bound| bound.of == of);
    let grounds: BTreeSet<Ground> = bounds.map(|bound| bound.ground).collect();
    let words: Vec<&str> = grounds.into_iter().map(Ground::words).collect();
    format!("SAFETY: {}", words.join(" "))
}

/// The arrays that are read, each with where it is found.
pub(super) fn operand_arrays(function: &Function) -> impl Iterator<Item = (&Array, TokenStream)> {
    function.tensors().flat_map(|tensor| {
        let view = ident(&tensor.name);
        tensor.arrays.iter().map(move |array| (array, place_in_view(&view, &array.place)))
    })
}

/// The lists of coordinates that are read, as arrays.
pub(super) fn lists(function: &Function) -> Vec<(Array, TokenStream)> {
    let mut lists: Vec<(Array, TokenStream)> = Vec::new();
    for part in &function.parts {
        let Reads::Listed(list) = &part.reads else { continue };
        let name = list.name().to_owned();
        if lists.iter().any(|(known, _)| known.name == name) {
            continue;
        }
        let path = match list {
            List::Argument(name) => {
                let name = ident(name);
                quote!(#name)
            }
            List::LastOf { name, .. } => {
                let name = ident(name);
                quote!(#name)
            }
            List::Numbers { numbers, .. } => {
                // The first tells the type of all.
                let numbers = numbers.iter().enumerate().map(|(k, n)| match (k, n) {
                    (_, None) => quote!(usize::MAX),
                    (0, Some(n)) => Literal::usize_suffixed(*n as usize).into_token_stream(),
                    (_, Some(n)) => number(*n as usize).into_token_stream(),
                });
                quote!(&[#(#numbers),*])
            }
        };
        let element = Element::Index(Width::Usize);
        lists.push((Array { name, element, place: Place::Values }, path));
    }
    lists
}

/// `let a2_width = a.levels().1.width;`
pub(super) fn read_extents(function: &Function) -> TokenStream {
    let mut lets = TokenStream::new();
    for tensor in function.tensors() {
        for Extent { name, level, field } in &tensor.extents {
            let place = Place::Level { level: *level, field: field.clone() };
            let (name, place) = (ident(name), place_in_view(&ident(&tensor.name), &place));
            lets.extend(quote!(let #name = #place;));
        }
    }
    lets
}

/// Gives each array its name, wrapped if its indices have a bound that need not be checked.
pub(super) fn read_arrays(function: &Function, uses: &Uses) -> TokenStream {
    let is_unchecked = |array: &Array| function.is_unchecked(Unchecked::Index, &array.name);
    let is_used = |array: &Array| match is_unchecked(array) {
        true => uses.reads(&array.name) > 0,
        false => uses.reads(&array.name) + uses.measures(&array.name) > 0,
    };
    let lists = lists(function);
    let lists = lists.iter().map(|(array, path)| (array, path.clone()));
    let used = operand_arrays(function).chain(lists).filter(|(array, _)| is_used(array));
    let (unchecked, checked): (Vec<_>, Vec<_>) = used.partition(|(array, _)| is_unchecked(array));
    let lets = checked.into_iter().map(|(array, path)| {
        let name = ident(&array.name);
        // An argument has its name already.
        (path.to_string() != array.name).then(|| quote!(let #name = #path;))
    });
    let lets: TokenStream = lets.flatten().collect();
    let mut names = Vec::new();
    let mut values = Vec::new();
    for result in function.results() {
        let Assembly::Computed { vals, .. } = &result.assembly else { continue };
        if is_touched(uses, vals) && is_unchecked(vals) {
            let name = ident(&vals.name);
            names.push(quote!(mut #name));
            values.push(quote!(ProvenMut::new(#name)));
        }
        let structure = result.structure().iter();
        for array in structure.filter(|array| is_touched(uses, array) && is_unchecked(array)) {
            let name = ident(&array.name);
            names.push(quote!(#name));
            values.push(quote!(Proven::new(#name)));
        }
    }
    for (array, path) in unchecked {
        let name = ident(&array.name);
        names.push(quote!(#name));
        values.push(quote!(Proven::new(#path)));
    }
    let safety = comment(&safety(function, Unchecked::Index));
    match (names.as_slice(), values.as_slice()) {
        ([], _) | (_, []) => lets,
        ([name], [value]) => quote!(#lets #safety let #name = unsafe { #value };),
        (names, values) => quote!(#lets #safety let (#(#names),*) = unsafe { (#(#values),*) };),
    }
}

/// Whether the body reads or writes an array.
pub(super) fn is_touched(uses: &Uses, array: &Array) -> bool {
    uses.reads(&array.name) + uses.writes(&array.name) + uses.measures(&array.name) > 0
}
