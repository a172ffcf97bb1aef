//! Arrays of results that have their final length before entries are stored in them, so that the loops
//! need not compare each index with it.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::entry::tuple;
use super::layout::comment;
use super::loops::safety;
use super::names::ident;
use crate::ir::{Function, Stmt, Unchecked, Uses};

/// Emits outermost statements of a function. Those after the last array has its final length access
/// these arrays without checks.
pub(super) fn stmts(function: &Function, body: &Body, stmts: &[Stmt]) -> TokenStream {
    let filled = |stmt: &Stmt| match stmt {
        Stmt::Resize { array, .. } | Stmt::Grow { array, .. } => {
            function.is_unchecked(Unchecked::Filled, array).then(|| array.clone())
        }
        _ => None,
    };
    let arrays: Vec<String> = stmts.iter().filter_map(filled).collect();
    let Some(last) = stmts.iter().rposition(|stmt| filled(stmt).is_some()) else {
        return body.outermost(stmts);
    };
    let (before, after) = stmts.split_at(last + 1);
    let arrays: Vec<_> = arrays.iter().filter(|array| is_only_indexed(array, after)).collect();
    let (before, after) = (body.outermost(before), body.outermost(after));
    if arrays.is_empty() {
        return quote!(#before #after);
    }
    let names = tuple(arrays.iter().map(|array| {
        let name = ident(array);
        quote!(mut #name)
    }));
    let slices = tuple(arrays.iter().map(|array| {
        let name = ident(array);
        quote!(ProvenMut::new(#name))
    }));
    let safety = comment(&safety(function, Unchecked::Filled));
    quote!(#before #safety let #names = unsafe { #slices }; #after)
}

/// Returns whether statements only load and store elements of an array.
fn is_only_indexed(array: &str, body: &[Stmt]) -> bool {
    let uses = Uses::of_name(body, array);
    let stores = |stmt: &Stmt| matches!(stmt, Stmt::Store { array: to, .. } if to == array);
    uses.only_writes_by(array, body, stores) && uses.measures(array) == 0
}
