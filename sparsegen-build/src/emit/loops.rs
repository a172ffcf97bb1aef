//! Emits functions with loops: the variables at their start, and the body.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::ambiguous::need_types;
use super::body::Body;
use super::entry::tuple;
use super::layout::{blank, comment};
use super::names::{ident, number, place_in_view};
use super::reserve::Reserved;
use super::signature::{generics, parameters, ty};
use super::{dispatch, docs, filled};
use crate::ir::{
    Binding, Element, Expr, Function, Ground, List, Loops, Meaning, Stmt, Unchecked, Width,
};

/// Emits a function with loops, preceded by one that chooses its instructions if it gains by them.
pub(super) fn items(loops: &Loops) -> Vec<TokenStream> {
    let function = &loops.function;
    let head = head(loops);
    let body = body(loops);
    let stmts = match Reserved::of(function) {
        Some(reserved) => reserved.stmts(&body),
        None => filled::stmts(function, &body, &function.body),
    };
    let (end, fails) = (body.end(), function.fails());
    let returns = tuple(loops.returns.iter().map(|(of, _)| ty(of)));
    let value = tuple(loops.returns.iter().map(|(_, value)| body.expr(value)));
    let (returns, value) = match (fails, loops.returns.is_empty()) {
        (true, _) => (Some(quote!(-> Result<#returns, Error>)), Some(quote!(Ok(#value)))),
        (false, true) => (None, None),
        (false, false) => (Some(quote!(-> #returns)), Some(value)),
    };
    let body = quote!(#head #stmts #end #value);
    match function.dispatches() {
        true => dispatch::items(loops, returns.as_ref(), &body),
        false => {
            let docs = docs::attributes(&loops.docs);
            let (name, parameters) = (ident(&loops.name), parameters(&loops.parameters));
            let generics = generics(&loops.parameters, &function.traits);
            vec![quote!(#docs fn #name #generics(#(#parameters),*) #returns { #body })]
        }
    }
}

/// Returns the comment that explains why unchecked accesses are sound.
pub(super) fn safety(function: &Function, of: Unchecked) -> String {
    let bounds = function.unchecked.iter().filter(|bound| bound.of == of);
    let grounds: BTreeSet<Ground> = bounds.map(|bound| bound.ground).collect();
    let words: Vec<&str> = grounds.into_iter().map(Ground::words).collect();
    format!("SAFETY: {}", words.join(" "))
}

/// Emits the variables at the start of a function. Arrays whose indices have a proven bound are
/// wrapped for unchecked access.
fn head(loops: &Loops) -> TokenStream {
    let (unchecked, checked): (Vec<_>, Vec<_>) =
        loops.head.iter().partition(|binding| binding.is_unchecked);
    let mut head: TokenStream = checked
        .into_iter()
        .map(|binding| {
            let (name, value) = (ident(&binding.name), meaning(binding));
            // Methods cannot be called on a literal without a type.
            let is_number = matches!(binding.value, Meaning::Number(Expr::Index(_)));
            let ty = is_number.then(|| quote!(: usize));
            quote!(let #name #ty = #value;)
        })
        .collect();
    let names = unchecked.iter().map(|binding| {
        let is_mutable = matches!(binding.value, Meaning::Argument { is_mutable: true });
        let (name, mutable) = (ident(&binding.name), is_mutable.then(|| quote!(mut)));
        quote!(#mutable #name)
    });
    let values = unchecked.iter().map(|binding| {
        let value = meaning(binding);
        match matches!(binding.value, Meaning::Argument { is_mutable: true }) {
            true => quote!(ProvenMut::new(#value)),
            false => quote!(Proven::new(#value)),
        }
    });
    if !unchecked.is_empty() {
        let safety = comment(&safety(&loops.function, Unchecked::Index));
        let (names, values) = (tuple(names), tuple(values));
        head.extend(quote!(#safety let #names = unsafe { #values };));
    }
    if !head.is_empty() {
        head.extend(blank());
    }
    head
}

/// Emits the value of a variable.
fn meaning(Binding { name, value, .. }: &Binding) -> TokenStream {
    match value {
        Meaning::Number(value) => Body::default().expr(value),
        Meaning::Extent(tensor, place) => place_in_view(&ident(tensor), place),
        Meaning::Array(tensor, array) => place_in_view(&ident(tensor), &array.place),
        Meaning::List(List::Numbers { numbers, .. }) => {
            // The suffix of the first number determines the type of all.
            let numbers = numbers.iter().enumerate().map(|(k, n)| match (k, n) {
                (_, None) => quote!(usize::MAX),
                (0, Some(n)) => Literal::usize_suffixed(*n as usize).into_token_stream(),
                (_, Some(n)) => number(*n as usize).into_token_stream(),
            });
            quote!(&[#(#numbers),*])
        }
        Meaning::List(List::Argument(_) | List::LastOf { .. }) | Meaning::Argument { .. } => {
            ident(name).into_token_stream()
        }
    }
}

/// Returns the meaning of the names in the body.
fn body(Loops { function, kept, returns, .. }: &Loops) -> Body {
    let mut elements = BTreeMap::new();
    let (mut lengths, mut wrapped) = (BTreeMap::new(), BTreeSet::new());
    for tensor in function.tensors() {
        for array in &tensor.arrays {
            elements.insert(array.name.clone(), array.element);
            // The wrapper of a slice has no length.
            if function.is_unchecked(Unchecked::Index, &array.name) {
                let path = place_in_view(&ident(&tensor.name), &array.place);
                lengths.insert(array.name.clone(), quote!(#path.len()));
                wrapped.insert(array.name.clone());
            }
        }
    }
    let lists = function.parts.iter().filter_map(|part| part.list());
    elements.extend(lists.map(|list| (list.to_owned(), Element::Index(Width::Usize))));
    for result in function.results() {
        let arrays = result.arrays().iter().chain(result.structure());
        elements.extend(arrays.map(|array| (array.name.clone(), array.element)));
        let structure = result.structure().iter().map(|array| &array.name);
        let is_wrapped = |name: &&String| function.is_unchecked(Unchecked::Index, name);
        wrapped.extend(structure.filter(is_wrapped).cloned());
    }
    let returned: Vec<&Expr> = returns.iter().map(|(_, value)| value).collect();
    let typed = need_types(&function.body, &returned);
    let mut workspaces = BTreeMap::new();
    let (mut local, mut places) = (BTreeSet::new(), BTreeSet::new());
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Scratch { name, element } = stmt {
                local.insert(name.clone());
                elements.insert(name.clone(), *element);
            }
            if let Stmt::Tile { name, dtype, .. } = stmt {
                elements.insert(name.clone(), Element::Value(*dtype));
            }
            if let Stmt::Places { name, .. } = stmt {
                places.insert(name.clone());
                elements.insert(name.clone(), Element::Index(Width::Usize));
            }
            if let Stmt::Workspace { name, dtype, crd, .. } = stmt {
                elements.insert(name.clone(), Element::Value(*dtype));
                workspaces.insert(name, *crd);
            }
            if let Stmt::Harvest { workspace, crd, vals } = stmt {
                let (width, element) = (workspaces[workspace], elements[workspace]);
                elements.insert(crd.clone(), Element::Index(width));
                elements.extend(vals.iter().map(|vals| (vals.clone(), element)));
            }
        });
    }
    let (division, kernel) =
        (function.division.clone(), crate::names::plain(&function.name).to_owned());
    let kept = kept.clone();
    let workspaces = workspaces.into_keys().cloned().collect();
    Body { elements, workspaces, places, local, wrapped, lengths, typed, kept, division, kernel }
}
