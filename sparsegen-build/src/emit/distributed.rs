//! Emits the module `distributed`: for each distributed kernel its plan, and the simulation of ranks.

mod run;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs;
use super::entry::tuple;
use super::layout::blank;
use super::names::{ident, number, tokens};
use super::signature::{arguments, element};
use crate::ir::{Distribution, Entry, Indexed, Kernel, Module, Parameter, Scheme, Type};
use crate::names::{self, beside, camel_case, plain};

/// Emits the module, if a kernel is distributed, and the names of its items.
pub(super) fn items(module: &Module) -> Vec<TokenStream> {
    let kernels: Vec<_> = module.kernels.iter().filter_map(Distributed::of).collect();
    if kernels.is_empty() {
        return Vec::new();
    }
    let names = kernels
        .iter()
        .flat_map(|kernel| [kernel.ty(), kernel.named("plan"), kernel.named("simulate")]);
    let items = kernels.iter().map(Distributed::items);
    let (docs, blank) = (docs::attributes(&[HEAD.to_owned()]), blank());
    let module = quote! {
        #docs
        pub mod distributed {
            use sparsegen::distributed as ranks;
            use super::*;
            #(#blank #items)*
        }
    };
    let exported = quote! {
        #[allow(unused_imports, reason = "a caller may not need all of them")]
        pub use distributed::{#(#names),*};
    };
    vec![module, exported]
}

const HEAD: &str = "The kernels on the ranks of an MPI program; see [`sparsegen::distributed`].";

/// A distributed kernel.
struct Distributed<'m> {
    kernel: &'m Kernel,
    distribution: &'m Distribution,
    /// The function that returns the results, unless it updates existing ones.
    whole: Option<&'m Entry>,
    /// The function that stores the results in existing tensors, if they are all tensors.
    into: Option<&'m Entry>,
    /// The function that computes the values of results whose structure is known.
    compute: Option<&'m Entry>,
}

impl<'m> Distributed<'m> {
    fn of(kernel: &'m Kernel) -> Option<Self> {
        let distribution = kernel.distribution.as_ref()?;
        let entry = |name: &str| kernel.entries.iter().find(|entry| entry.name == name);
        let named = |name: &str| entry(name).filter(|entry| entry.is_public);
        // Those that keep their working memory come first.
        let kept = |kept: &str, other: &str| {
            named(&beside(&kernel.name, kept)).or_else(|| named(&beside(&kernel.name, other)))
        };
        let whole = named(&kernel.name);
        let into = kept("with", "into").filter(|entry| entry.returns.is_empty());
        // An update also reads the values that it stores.
        let compute = whole.and(into).and_then(|_| kept("compute_with", "compute"));
        Some(Distributed { kernel, distribution, whole, into, compute })
    }

    /// Returns the name of the function that documentation refers to.
    fn shown(&self) -> String {
        match self.whole {
            Some(entry) => entry.name.clone(),
            None => beside(&self.kernel.name, "into"),
        }
    }

    /// Returns the name of a function: `spmv_plan`.
    fn named(&self, suffix: &str) -> Ident {
        ident(&beside(&self.kernel.name, suffix))
    }

    /// Returns the name of the plan: `SpmvPlan`.
    fn ty(&self) -> Ident {
        format_ident!("{}Plan", camel_case(plain(&self.kernel.name)))
    }

    /// Emits the bounds of the element type that the caller chooses, if it does.
    fn element(&self) -> Option<TokenStream> {
        let element = element(&self.whole.or(self.into)?.traits)?;
        Some(quote!(#element + ranks::Exchanged))
    }

    /// Emits the type of the plan, with the element type that the caller chooses: `SpmvPlan<T>`.
    fn ty_of_elements(&self) -> TokenStream {
        let ty = self.ty();
        match self.element() {
            Some(_) => quote!(#ty<T>),
            None => quote!(#ty),
        }
    }

    /// Returns the name of the scheme: `SPMV`.
    fn scheme(&self) -> Ident {
        format_ident!("{}", plain(&self.kernel.name).to_uppercase())
    }

    /// Returns a name that no argument has.
    fn free(&self, name: &str) -> Ident {
        let is_taken = |name: &str| {
            let is_result = self.results().iter().any(|result| result.argument == name);
            is_result || self.parameters().any(|parameter| parameter.name == name)
        };
        ident(&names::free(name, is_taken))
    }

    /// Returns the arguments that are no results.
    fn parameters(&self) -> impl Iterator<Item = &'m Parameter> {
        let entry = self.whole.or(self.into);
        let parameters = entry.into_iter().flat_map(|entry| &entry.parameters);
        parameters.filter(|parameter| {
            let is_result = self.results().iter().any(|result| result.argument == parameter.name);
            !is_result && !is_memory(parameter)
        })
    }

    /// Returns whether a function of the plan keeps its working memory.
    fn keeps_memory(&self) -> bool {
        let functions = self.into.into_iter().chain(self.compute);
        functions.flat_map(|entry| &entry.parameters).any(is_memory)
    }

    fn results(&self) -> &'m [Indexed] {
        &self.distribution.scheme.results
    }

    /// Returns the operands with modes, in the order of the scheme.
    fn operands(&self) -> impl Iterator<Item = (&'m Indexed, &'m Parameter)> {
        self.distribution.scheme.operands.iter().filter_map(|indexed| {
            let parameter = self.parameters().find(|parameter| parameter.name == indexed.argument);
            Some((indexed, parameter?))
        })
    }

    fn items(&self) -> TokenStream {
        let (plan, runs, simulate) = (self.plan(), self.runs(), self.simulate());
        let (ty, scheme, blank) = (self.ty_of_elements(), self.static_scheme(), blank());
        let parts = self.operands().map(|(_, parameter)| {
            let of = tokens(&tensor_of(parameter));
            quote!(ranks::Part<#of>)
        });
        let memory = self.keeps_memory().then(|| quote!(workspaces: Workspaces,));
        let name = self.shown();
        let docs =
            docs::attributes(&[format!("The exchange of the ranks in each run of [`{name}`].")]);
        quote! {
            #scheme
            #blank
            #docs
            pub struct #ty {
                plan: ranks::Plan,
                parts: (#(#parts,)*),
                #memory
            }
            #blank
            #plan
            #blank
            #runs
            #blank
            #simulate
        }
    }

    fn static_scheme(&self) -> TokenStream {
        let Scheme { variables, by, operands, results, needed } = &self.distribution.scheme;
        let (scheme, kernel, by) = (self.scheme(), plain(&self.kernel.name), number(*by));
        let indexed = |of: &Indexed| {
            let Indexed { name, variables, outermost, read, .. } = of;
            let variables = variables.iter().map(|v| number(*v));
            let (outermost, read) = (number(*outermost), sets(read));
            quote! {
                ranks::scheme::Indexed {
                    name: #name,
                    variables: &[#(#variables),*],
                    outermost: #outermost,
                    read: #read,
                }
            }
        };
        let operands = operands.iter().map(indexed);
        let results = results.iter().map(indexed);
        let needed = needed.iter().map(|of| sets(of));
        quote! {
            static #scheme: ranks::scheme::Scheme = ranks::scheme::Scheme {
                kernel: #kernel,
                variables: &[#(#variables),*],
                by: #by,
                operands: &[#(#operands),*],
                results: &[#(#results),*],
                needed: &[#(#needed),*],
            };
        }
    }

    fn plan(&self) -> TokenStream {
        let (function, ty, scheme) = (self.named("plan"), self.ty(), self.scheme());
        let of_elements = self.ty_of_elements();
        let (world, plan, parts) = (self.free("world"), self.free("plan"), self.free("parts"));
        let operands = self.declared_operands();
        let generics = self.lifetimes().into_iter().chain(self.element());
        let (names, converted) = (self.names(), self.converted());
        let made = names.iter().enumerate().map(|(k, name)| {
            let k = number(k);
            quote!(ranks::Part::of(&mut #plan, #k, #name)?)
        });
        let field = |name: &str, value: &Ident| {
            let name = ident(name);
            if name == *value { quote!(#name) } else { quote!(#name: #value) }
        };
        let memory = self.keeps_memory().then(|| quote!(, workspaces: Workspaces::new()));
        let (plan_field, parts_field) = (field("plan", &plan), field("parts", &parts));
        let name = self.shown();
        let docs = docs::attributes(&[
            format!(
                "Determines what the ranks exchange when they run [`{name}`] on operands \
                 with this structure and these layouts. Collective."
            ),
            String::new(),
            "# Errors".to_owned(),
            "[`Error::Rank`] if extents or layouts of operands do not match.".to_owned(),
        ]);
        quote! {
            #docs
            pub fn #function<#(#generics),*>(
                #world: &ranks::World,
                #(#operands),*
            ) -> Result<#of_elements, Error> {
                #converted
                let mut #plan = ranks::Plan::new(#world, &#scheme, &[#(&#names),*])?;
                let #parts = (|| Ok((#(#made,)*)))();
                let #parts = #plan.agree(#parts)?;
                Ok(#ty { #plan_field, #parts_field #memory })
            }
        }
    }

    /// Returns the names of the operands with modes.
    fn names(&self) -> Vec<Ident> {
        self.operands().map(|(_, parameter)| ident(&parameter.name)).collect()
    }

    /// Emits the conversion of all operands.
    fn converted(&self) -> TokenStream {
        let names = self.names();
        let (bound, into) =
            (tuple(names.iter()), tuple(names.iter().map(|name| quote!(#name.into()))));
        quote!(let #bound = #into;)
    }

    fn lifetimes(&self) -> Vec<TokenStream> {
        self.operands().enumerate().map(|(k, _)| lifetime(k)).collect()
    }

    /// Returns the declarations of the operands with modes.
    fn declared_operands(&self) -> Vec<TokenStream> {
        let declared = |(k, (_, parameter)): (usize, (&Indexed, &Parameter))| {
            let (name, lifetime) = (ident(&parameter.name), lifetime(k));
            let of = tokens(&tensor_of(parameter));
            quote!(#name: impl Into<ranks::Operand<#lifetime, #of>>)
        };
        self.operands().enumerate().map(declared).collect()
    }

    fn simulate(&self) -> TokenStream {
        let (function, scheme, count) = (self.named("simulate"), self.scheme(), self.free("count"));
        let names = self.names();
        let name = self.shown();
        let docs = docs::attributes(&[
            format!(
                "Returns what `count` ranks would exchange in each run of [`{name}`], \
                 without MPI. Operands are divided into equal parts, or as their layouts say."
            ),
            String::new(),
            "# Errors".to_owned(),
            "[`Error::Argument`] if extents or layouts of operands do not match.".to_owned(),
        ]);
        quote! {
            #docs
            pub fn #function(
                #count: usize,
                #(#names: impl Into<ranks::Pretended>),*
            ) -> Result<ranks::Report, Error> {
                ranks::simulate(&#scheme, #count, vec![#(#names.into()),*])
            }
        }
    }
}

/// Returns whether an argument is the working memory of a kernel.
fn is_memory(parameter: &Parameter) -> bool {
    matches!(parameter.ty, Type::WorkspacesMut)
}

/// Emits sets of operands.
fn sets(sets: &[Vec<usize>]) -> TokenStream {
    let sets = sets.iter().map(|set| {
        let set = set.iter().map(|operand| number(*operand));
        quote!(&[#(#set),*])
    });
    quote!(&[#(#sets),*])
}

/// Emits the lifetime of an operand.
fn lifetime(k: usize) -> TokenStream {
    tokens(&format!("'t{k}"))
}

/// Returns `f64, Csr` for an argument that is a tensor.
fn tensor_of(parameter: &Parameter) -> String {
    match &parameter.ty {
        Type::IntoView(tensor) | Type::TensorMut(tensor) => arguments(tensor),
        _ => unreachable!("tensors with modes are passed as views, or to be written"),
    }
}
