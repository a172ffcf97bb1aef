//! Emits the functions that run a plan.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Distributed, is_memory, tensor_of};
use crate::emit::entry::{expr, tuple};
use crate::emit::layout::blank;
use crate::emit::names::{ident, number, tokens};
use crate::emit::signature::{self, arguments};
use crate::emit::{docs, packing};
use crate::ir::{Combining, Contribution, Entry, Expr, Indexed, Parameter, TensorType, Type};

impl Distributed<'_> {
    /// Returns the declarations of all arguments but results, in the order of the kernel.
    fn declared(&self) -> Vec<TokenStream> {
        let operands: Vec<_> = self.operands().map(|(indexed, _)| &indexed.argument).collect();
        let tensors = self.declared_operands();
        self.parameters()
            .map(|parameter| {
                match operands.iter().position(|argument| **argument == parameter.name) {
                    Some(k) => tensors[k].clone(),
                    None => {
                        let (name, ty) = (ident(&parameter.name), signature::ty(&parameter.ty));
                        quote!(#name: #ty)
                    }
                }
            })
            .collect()
    }

    /// Emits the statements that exchange the operands.
    fn exchanged(&self) -> TokenStream {
        let (names, converted) = (self.names(), self.converted());
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
            #converted
            self.plan.agree(#checks)?;
            #(#receive)*
        }
    }

    /// Emits the operands of the kernel on one rank, by the names of those of all ranks.
    fn viewed(&self) -> TokenStream {
        let names = self.names();
        let views = names.iter().enumerate().map(|(k, name)| {
            let k = number(k);
            quote!(self.parts.#k.view(#name))
        });
        let (bound, views) = (tuple(names.iter()), tuple(views));
        quote!(let #bound = #views;)
    }

    /// Emits a call of the kernel on one rank.
    fn called(&self, entry: &Entry) -> TokenStream {
        let function = ident(&entry.name);
        let passed = entry.parameters.iter().map(|parameter| {
            let name = ident(&parameter.name);
            let is_result = |result: &&Indexed| result.argument == parameter.name;
            match self.results().iter().find(is_result) {
                _ if is_memory(parameter) => quote!(&mut self.workspaces),
                Some(_) => quote!(self.plan.local_of(#name)),
                None => quote!(#name),
            }
        });
        quote!(super::#function(#(#passed),*))
    }

    pub(super) fn runs(&self) -> TokenStream {
        let (ty, blank) = (self.ty_of_elements(), blank());
        let generics = self.element().map(|element| quote!(<#element>));
        let run = self.whole.map(|entry| {
            let run = self.run(entry);
            quote!(#blank #run)
        });
        let run_into = self.into.map(|entry| {
            let run = self.run_into(entry);
            quote!(#blank #run)
        });
        quote! {
            impl #generics #ty {
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
        let (viewed, called, computed) = (self.viewed(), self.called(entry), self.free("computed"));
        let names: Vec<_> = self.results().iter().map(|result| ident(&result.argument)).collect();
        let types = entry.returns.iter().map(|ty| match ty {
            Type::Tensor(tensor) => {
                let of = tokens(&arguments(tensor));
                quote!(ranks::Distributed<#of>)
            }
            other => signature::ty(other),
        });
        let types = tuple(types);
        let bound = tuple(names.iter());
        let contributions = self.results().iter().zip(&self.distribution.contributions);
        let finished = contributions.enumerate().map(|(k, (result, contribution))| {
            let Contribution { initial, combined } = contribution;
            let (name, combined) = (ident(&result.argument), combination(combined));
            match result.variables.is_empty() {
                true => quote!(self.plan.scalar(#name, #combined)),
                false => {
                    let initial = match &entry.returns[k] {
                        Type::Tensor(TensorType { pattern: true, .. }) => quote!(Pattern::ONE),
                        _ => expr(initial),
                    };
                    let k = number(k);
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
            format!("Runs [`{name}`] on the operands of all ranks. Collective."),
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
                #viewed
                let #computed = #called;
                let #bound = self.plan.agree(#computed)?;
                #finished
            }
        }
    }

    fn run_into(&self, entry: &Entry) -> TokenStream {
        let (lifetimes, declared, exchanged) =
            (self.lifetimes(), self.declared(), self.exchanged());
        let (viewed, stored_anew) = (self.viewed(), self.called(entry));
        // After the first run the results have the structure that the operands determine.
        let called = match self.compute {
            Some(entry) => {
                let computed = self.called(entry);
                quote! {
                    match #computed {
                        Err(Error::Structure { .. }) => #stored_anew,
                        computed => computed,
                    }
                }
            }
            None => stored_anew,
        };
        let computed = self.free("computed");
        let number_of = |parameter: &Parameter| {
            self.results().iter().position(|result| result.argument == parameter.name)
        };
        let stored = entry.parameters.iter();
        let stored = stored.filter_map(|parameter| Some((parameter, number_of(parameter)?)));
        let stored: Vec<(&Parameter, usize)> = stored.collect();
        let types = stored.iter().map(|(parameter, _)| {
            let (name, of) = (ident(&parameter.name), tokens(&tensor_of(parameter)));
            quote!(#name: &mut ranks::Distributed<#of>)
        });
        let names: Vec<_> = stored.iter().map(|(parameter, _)| ident(&parameter.name)).collect();
        let checks = stored.iter().map(|(parameter, k)| {
            let (name, k) = (ident(&parameter.name), number(*k));
            quote!(self.plan.check_result(#k, #name))
        });
        let checks = checks.reduce(|all, one| quote!(#all.and_then(|()| #one)));
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
            match self.compute {
                Some(_) => {
                    "Like `run`, but stores the results in existing tensors with the layouts of the plan. \
                     In those of an earlier run it only computes values."
                }
                None => "Like `run`, but stores the results in existing tensors with the layouts of the plan.",
            }
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
                #viewed
                let #computed = #called;
                self.plan.agree(#computed)?;
                Ok(())
            }
        }
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
