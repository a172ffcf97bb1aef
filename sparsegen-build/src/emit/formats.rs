//! Emits the types of formats that a manifest declares.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::attributes;
use super::names::{number, tokens};
use crate::ir::{FormatDeclaration, FormatKind, LevelDeclaration, Literal};
use crate::names::imported::path_of_own;

/// Emits the type of a format and, unless it is an alias, its implementation.
pub(super) fn items(format: &FormatDeclaration) -> Vec<TokenStream> {
    let docs = attributes(&format.docs);
    let name = tokens(&format.name);
    match &format.kind {
        FormatKind::Alias(of) => {
            let of = tokens(of);
            vec![quote!(#docs pub type #name = #of;)]
        }
        FormatKind::Marker { key, order, levels, fill } => vec![
            quote! {
                #docs
                #[derive(Clone, Copy, Debug)]
                pub struct #name;
            },
            implementation(&format.name, key, *order, levels, *fill),
        ],
    }
}

fn implementation(
    name: &str,
    key: &str,
    order: usize,
    levels: &[LevelDeclaration],
    fill: Option<Literal>,
) -> TokenStream {
    let name = tokens(&path_of_own(name));
    let order = number(order);
    let maps = levels.iter().map(|level| tokens(&level.map));
    let fill = fill.map(|fill| {
        let fill = self::fill(fill);
        quote!(const FILL: Fill = #fill;)
    });
    let storage = levels.iter().map(|level| tokens(&level.storage));
    quote! {
        impl Format for #name {
            const NAME: &'static str = #key;
            const MAP: Map = Map::new(&[#(#maps),*]);
            type Shape = [usize; #order];
            type Levels = (#(#storage,)*);
            #fill
        }
    }
}

/// Emits `Fill::Int(2)`.
fn fill(fill: Literal) -> TokenStream {
    match fill {
        Literal::Int(n) => {
            let n = proc_macro2::Literal::i64_unsuffixed(n);
            quote!(Fill::Int(#n))
        }
        Literal::Float(x) => {
            let x = proc_macro2::Literal::f64_unsuffixed(x);
            quote!(Fill::Float(#x))
        }
        Literal::Greatest => quote!(Fill::Greatest),
        Literal::Least => quote!(Fill::Least),
        Literal::Nan => quote!(Fill::Float(f64::NAN)),
        Literal::Bool(truth) => {
            let n = number(usize::from(truth));
            quote!(Fill::Int(#n))
        }
    }
}
