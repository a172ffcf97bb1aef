//! Emits statements that move entries.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::names::{ident, number};
use crate::ir::{Expr, Rearrange};

impl Body {
    /// Emits calls of the runtime that move coordinates, with what belongs to them.
    pub(super) fn rearrange(&self, rearrange: &Rearrange) -> TokenStream {
        match rearrange {
            Rearrange::Sort { places, crd, vals, start, each } => {
                let [crd, vals] = [crd, vals].map(|name| ident(name));
                let (crd, vals) = if *start == Expr::Index(0) {
                    (quote!(#crd), quote!(#vals))
                } else {
                    let vals = match each {
                        Expr::Index(0) => quote!(#vals),
                        each => {
                            let first = self.within(&Expr::mul(start.clone(), each.clone()), 1);
                            quote!(&mut #vals[#first..])
                        }
                    };
                    let start = self.within(start, 1);
                    (quote!(&mut #crd[#start..]), vals)
                };
                match places {
                    Some((places, first)) => {
                        let (places, first) = (ident(places), self.expr(first));
                        quote!(#places.sort(#crd, #vals, #first);)
                    }
                    None => quote!(kernel::sort_values(#crd, #vals);),
                }
            }
            Rearrange::Entries { array, coordinates } => {
                let (array, entry) = (ident(array), ident("entry"));
                let fields = (0..*coordinates).map(number);
                quote!(kernel::sort_by(&mut #array, |#entry| [#(#entry.#fields),*]);)
            }
            Rearrange::Widen { width, crd, below } => {
                let [width, crd] = [width, crd].map(|name| ident(name));
                let moving = below.iter().map(|(array, initial)| {
                    let initial = self.element(array, initial);
                    let local = self.local.contains(array).then(|| quote!(&mut));
                    let array = ident(array);
                    quote!(.moving(#local #array, #initial)?)
                });
                let what = self.arrays();
                quote!(#width = kernel::widen(#crd, #width, #what)?#(#moving)*.width();)
            }
        }
    }
}
