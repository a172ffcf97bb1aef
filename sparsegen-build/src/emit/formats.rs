//! The marker types of the formats that a manifest declares.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::attributes;
use super::layout::comment;
use super::names::{ident, number, tokens};
use crate::ir::FormatDeclaration;

/// A format's marker type and what it stands for.
pub(super) fn items(format: &FormatDeclaration) -> [TokenStream; 3] {
    let docs = attributes(&format.docs);
    let (name, key, order) = (ident(&format.name), &format.key, number(format.order));
    let maps = format.levels.iter().map(|level| {
        let (dimension, kind) = (number(level.dimension), &level.level);
        let properties = level.properties.iter().map(|property| ident(property));
        quote!(LevelMap::dimension(#dimension, #kind)#(.#properties())*)
    });
    let storage = format.levels.iter().map(|level| tokens(&level.storage));
    [
        quote! {
            #docs
            #[derive(Clone, Copy, Debug)]
            pub struct #name;
        },
        comment("SAFETY: `MAP` and `Levels` list the same levels, those of the manifest's map."),
        quote! {
            unsafe impl Format for #name {
                const NAME: &'static str = #key;
                const MAP: Map = Map::new(&[#(#maps),*]);
                type Shape = [usize; #order];
                type Levels = (#(#storage,)*);
            }
        },
    ]
}
