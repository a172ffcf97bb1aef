//! Emits functions with loops that are compiled twice: for the target, and for processors with wider
//! vectors. Which one runs is decided in each call.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs;
use super::layout::comment;
use super::names::ident;
use super::signature::{generics, parameters};
use crate::ir::{Loops, Parameter};
use crate::names::beside;

/// Emits the function that decides, and the one with the loops, which has this body.
pub(super) fn items(
    loops: &Loops,
    returns: Option<&TokenStream>,
    body: &TokenStream,
) -> Vec<TokenStream> {
    let function = &loops.function;
    let mut docs = loops.docs.clone();
    if let Some(first) = docs.first_mut() {
        *first = format!("{}, with AVX2 if the processor has it.", first.trim_end_matches('.'));
    }
    let (docs, own_docs) = (docs::attributes(&docs), docs::attributes(&loops.docs));
    let (name, own) = (ident(&loops.name), ident(&beside(&loops.name, "loops")));
    let all = parameters(&loops.parameters);
    let is_used = |parameter: &&Parameter| parameter.name != "_";
    let used: Vec<Parameter> = loops.parameters.iter().filter(is_used).cloned().collect();
    let arguments: Vec<_> = used.iter().map(|parameter| ident(&parameter.name)).collect();
    let used = parameters(&used);
    let generics = generics(&loops.parameters, &function.traits);
    let safety = comment("SAFETY: The processor has the instructions.");
    let dispatch = quote! {
        #docs
        fn #name #generics(#(#all),*) #returns {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn with_avx2 #generics(#(#used),*) #returns {
                    #own(#(#arguments),*)
                }
                if kernel::has_avx2() {
                    #safety
                    return unsafe { with_avx2(#(#arguments),*) };
                }
            }
            #own(#(#arguments),*)
        }
    };
    let own = quote! {
        #own_docs
        #[inline(always)]
        fn #own #generics(#(#used),*) #returns { #body }
    };
    vec![dispatch, own]
}
