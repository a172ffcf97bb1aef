//! Emits the module `distributed`: for each distributed kernel its plan, and the simulation of ranks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs;
use super::entry::{expr, tuple};
use super::layout::blank;
use super::names::{ident, number, tokens};
use super::packing;
use super::signature::arguments;
use crate::ir::{
    Combining, DistributedResult, Distribution, Entry, Expr, Indexed, Kernel, Module, Parameter,
    Type,
};
use crate::names::{beside, plain};

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
}

impl<'m> Distributed<'m> {
    fn of(kernel: &'m Kernel) -> Option<Self> {
        let distribution = kernel.distribution.as_ref()?;
        let named =
            |name: &str| kernel.entries.iter().find(|entry| entry.is_public && entry.name == name);
        let into = named(&beside(&kernel.name, "into")).filter(|entry| entry.returns.is_empty());
        Some(Distributed { kernel, distribution, whole: named(&kernel.name), into })
    }

    /// Returns the name of a function: `spmv_plan`.
    fn named(&self, suffix: &str) -> Ident {
        ident(&beside(&self.kernel.name, suffix))
    }

    /// Returns the name of the plan: `SpmvPlan`.
    fn ty(&self) -> Ident {
        let words = plain(&self.kernel.name).split('_');
        let capital = |word: &str| {
            let mut letters = word.chars();
            letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect::<String>()
        };
        format_ident!("{}Plan", words.map(capital).collect::<String>())
    }

    /// Returns the name of the scheme: `SPMV`.
    fn scheme(&self) -> Ident {
        format_ident!("{}", plain(&self.kernel.name).to_uppercase())
    }

    /// Returns a name that no argument has.
    fn free(&self, name: &str) -> Ident {
        let mut name = name.to_owned();
        let results = self.distribution.results.iter().map(|result| &result.indexed.argument);
        let taken: Vec<&String> =
            self.parameters().map(|parameter| &parameter.name).chain(results).collect();
        while taken.iter().any(|other| **other == name) {
            name.push('_');
        }
        ident(&name)
    }

    /// Returns the arguments that are no results.
    fn parameters(&self) -> impl Iterator<Item = &'m Parameter> {
        let results = &self.distribution.results;
        let entry = self.whole.or(self.into);
        let parameters = entry.into_iter().flat_map(|entry| &entry.parameters);
        parameters.filter(|parameter| {
            results.iter().all(|result| result.indexed.argument != parameter.name)
        })
    }

    /// Returns the operands with modes, in the order of the scheme.
    fn operands(&self) -> impl Iterator<Item = (&'m Indexed, &'m Parameter)> {
        self.distribution.operands.iter().filter_map(|indexed| {
            let parameter = self.parameters().find(|parameter| parameter.name == indexed.argument);
            Some((indexed, parameter?))
        })
    }

    fn items(&self) -> TokenStream {
        let (plan, runs, simulate) = (self.plan(), self.runs(), self.simulate());
        let (ty, scheme, blank) = (self.ty(), self.static_scheme(), blank());
        let parts = self.operands().map(|(_, parameter)| {
            let of = tokens(&tensor_of(parameter));
            quote!(ranks::Part<#of>)
        });
        let name = &self.kernel.name;
        let docs = docs::attributes(&[format!(
            "The exchange of the ranks in each run of [`{name}`](super::{name})."
        )]);
        quote! {
            #scheme
            #blank
            #docs
            pub struct #ty {
                plan: ranks::Plan,
                parts: (#(#parts,)*),
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
        let Distribution { variables, by, operands, results, needed } = self.distribution;
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
        let results = results.iter().map(|result| indexed(&result.indexed));
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
        let (world, plan, parts) = (self.free("world"), self.free("plan"), self.free("parts"));
        let (lifetimes, operands) = (self.lifetimes(), self.declared_operands());
        let names: Vec<_> = self.operands().map(|(_, parameter)| ident(&parameter.name)).collect();
        let (bound, into) =
            (tuple(names.iter()), tuple(names.iter().map(|name| quote!(#name.into()))));
        let made = names.iter().enumerate().map(|(k, name)| {
            let k = number(k);
            quote!(ranks::Part::of(&mut #plan, #k, #name)?)
        });
        let field = |name: &str, value: &Ident| {
            let name = ident(name);
            if name == *value { quote!(#name) } else { quote!(#name: #value) }
        };
        let (plan_field, parts_field) = (field("plan", &plan), field("parts", &parts));
        let name = &self.kernel.name;
        let docs = docs::attributes(&[
            format!(
                "Determines what the ranks exchange when they run [`{name}`](super::{name}) on operands \
                 with this structure and these layouts. Collective."
            ),
            String::new(),
            "# Errors".to_owned(),
            "[`Error::Rank`] if extents or layouts of operands do not match.".to_owned(),
        ]);
        quote! {
            #docs
            pub fn #function<#(#lifetimes),*>(
                #world: &ranks::World,
                #(#operands),*
            ) -> Result<#ty, Error> {
                let #bound = #into;
                let mut #plan = ranks::Plan::new(#world, &#scheme, &[#(&#names),*])?;
                let #parts = (|| Ok((#(#made,)*)))();
                let #parts = #plan.agree(#parts)?;
                Ok(#ty { #plan_field, #parts_field })
            }
        }
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

    /// Returns the declarations of all arguments but results, in the order of the kernel.
    fn declared(&self) -> Vec<TokenStream> {
        let operands: Vec<_> = self.operands().map(|(indexed, _)| &indexed.argument).collect();
        let tensors = self.declared_operands();
        self.parameters()
            .map(|parameter| {
                match operands.iter().position(|argument| **argument == parameter.name) {
                    Some(k) => tensors[k].clone(),
                    None => {
                        let (name, ty) =
                            (ident(&parameter.name), super::signature::ty(&parameter.ty));
                        quote!(#name: #ty)
                    }
                }
            })
            .collect()
    }

    /// Emits the statements that exchange the operands.
    fn exchanged(&self) -> TokenStream {
        let names: Vec<_> = self.operands().map(|(_, parameter)| ident(&parameter.name)).collect();
        let (bound, into) =
            (tuple(names.iter()), tuple(names.iter().map(|name| quote!(#name.into()))));
        let number = |k: usize| number(k);
        let checks = names.iter().enumerate().map(|(k, name)| {
            let k = number(k);
            quote!(self.parts.#k.check(#name))
        });
        let checks = checks.reduce(|all, one| quote!(#all.and_then(|()| #one)));
        let receive = names.iter().enumerate().map(|(k, name)| {
            let k = number(k);
            quote!(self.parts.#k.receive(&self.plan, #name);)
        });
        quote! {
            let #bound = #into;
            self.plan.agree(#checks)?;
            #(#receive)*
        }
    }

    /// Returns the arguments of the kernel on one rank.
    fn passed(&self) -> Vec<TokenStream> {
        let operands: Vec<_> = self.operands().map(|(indexed, _)| &indexed.argument).collect();
        self.parameters()
            .map(|parameter| {
                let name = ident(&parameter.name);
                match operands.iter().position(|argument| **argument == parameter.name) {
                    Some(k) => {
                        let k = number(k);
                        quote!(self.parts.#k.view(#name)?)
                    }
                    None => quote!(#name),
                }
            })
            .collect()
    }

    fn runs(&self) -> TokenStream {
        let (ty, blank) = (self.ty(), blank());
        let run = self.whole.map(|entry| {
            let run = self.run(entry);
            quote!(#blank #run)
        });
        let run_into = self.into.map(|entry| {
            let run = self.run_into(entry);
            quote!(#blank #run)
        });
        quote! {
            impl #ty {
                /// Returns what the ranks exchange in each run.
                pub fn report(&self) -> &ranks::Report {
                    self.plan.report()
                }
                #run
                #run_into
            }
        }
    }

    fn run(&self, entry: &Entry) -> TokenStream {
        let (lifetimes, declared, exchanged) =
            (self.lifetimes(), self.declared(), self.exchanged());
        let (computed, passed, function) =
            (self.free("computed"), self.passed(), ident(&entry.name));
        let results = &self.distribution.results;
        let names: Vec<_> = results.iter().map(|result| ident(&result.indexed.argument)).collect();
        let types = entry.returns.iter().map(|ty| match ty {
            Type::Tensor(tensor) => {
                let of = tokens(&arguments(tensor));
                quote!(ranks::Distributed<#of>)
            }
            other => super::signature::ty(other),
        });
        let types = tuple(types);
        let bound = tuple(names.iter());
        let finished = results.iter().enumerate().map(|(k, result)| {
            let DistributedResult { indexed, initial, combined } = result;
            let name = ident(&indexed.argument);
            let combined = combination(combined);
            match indexed.variables.is_empty() {
                true => quote!(self.plan.scalar(#name, #combined)),
                false => {
                    let (k, initial) = (number(k), expr(initial));
                    quote!(self.plan.result(#k, #name, #initial, #combined))
                }
            }
        });
        let finished: Vec<_> = finished.collect();
        let finished = match finished.as_slice() {
            [one] => quote!(#one),
            all => quote!(Ok((#(#all?),*))),
        };
        let name = &self.kernel.name;
        let docs = docs::attributes(&[
            format!("Runs [`{name}`](super::{name}) on the operands of all ranks. Collective."),
            String::new(),
            "# Errors".to_owned(),
            "[`Error::Rank`] if an operand has another structure or layout than the plan was made for, \
             or if the kernel fails on a rank."
                .to_owned(),
        ]);
        quote! {
            #docs
            pub fn run<#(#lifetimes),*>(&mut self, #(#declared),*) -> Result<#types, Error> {
                #exchanged
                let #computed = (|| super::#function(#(#passed),*))();
                let #bound = self.plan.agree(#computed)?;
                #finished
            }
        }
    }

    fn run_into(&self, entry: &Entry) -> TokenStream {
        let (lifetimes, declared, exchanged) =
            (self.lifetimes(), self.declared(), self.exchanged());
        let (passed, function) = (self.passed(), ident(&entry.name));
        let results = &self.distribution.results;
        let is_result = |parameter: &&Parameter| {
            results.iter().any(|result| result.indexed.argument == parameter.name)
        };
        let stored: Vec<_> = entry.parameters.iter().filter(is_result).collect();
        let types = stored.iter().map(|parameter| {
            let (name, of) = (ident(&parameter.name), tokens(&tensor_of(parameter)));
            quote!(#name: &mut ranks::Distributed<#of>)
        });
        let names: Vec<_> = stored.iter().map(|parameter| ident(&parameter.name)).collect();
        let numbers = stored.iter().map(|parameter| {
            let k = results.iter().position(|result| result.indexed.argument == parameter.name);
            number(k.unwrap_or_default())
        });
        let checks =
            names.iter().zip(numbers).map(|(name, k)| quote!(self.plan.check_result(#k, #name)));
        let checks = checks.reduce(|all, one| quote!(#all.and_then(|()| #one)));
        let locals = names.iter().map(|name| quote!(self.plan.local_of(#name)));
        let arguments: Vec<_> = self.parameters().map(|parameter| ident(&parameter.name)).collect();
        // Results that other ranks own are replaced.
        let otherwise = self.whole.map(|_| {
            let bound = tuple(names.iter().map(|name| quote!(*#name)));
            quote! {
                if !self.plan.stores_results() {
                    #bound = self.run(#(#arguments),*)?;
                    return Ok(());
                }
            }
        });
        let docs = docs::attributes(&[
            "Like `run`, but stores the results in existing tensors with the layouts of the plan."
                .to_owned(),
            String::new(),
            "# Errors".to_owned(),
            "[`Error::Rank`] as for `run`, and if a result has another layout than the plan."
                .to_owned(),
        ]);
        quote! {
            #docs
            pub fn run_into<#(#lifetimes),*>(&mut self, #(#types,)* #(#declared),*) -> Result<(), Error> {
                #otherwise
                self.plan.agree(#checks)?;
                #exchanged
                let computed = (|| super::#function(#(#locals,)* #(#passed),*))();
                self.plan.agree(computed)
            }
        }
    }

    fn simulate(&self) -> TokenStream {
        let (function, scheme, count) = (self.named("simulate"), self.scheme(), self.free("count"));
        let names: Vec<_> = self.operands().map(|(_, parameter)| ident(&parameter.name)).collect();
        let name = &self.kernel.name;
        let docs = docs::attributes(&[
            format!(
                "Returns what `count` ranks would exchange in each run of [`{name}`](super::{name}), \
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

/// Emits the function that combines contributions.
fn combination(combined: &Expr) -> TokenStream {
    let values = ["earlier", "later"].map(|name| match combined.mentions(name) {
        true => name.to_owned(),
        false => "_".to_owned(),
    });
    packing::function(&Combining { values, combined: combined.clone() })
}
