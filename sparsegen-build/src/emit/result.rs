//! What the parts of a result are called while it is taken apart.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::names::{ident, number};
use crate::ir::{Function, Operand, Place, Reads, TensorResult};
use crate::names::beside;

/// The names that a result's parts have while it is taken apart.
pub(super) struct Parts {
    pub(super) shape: Ident,
    pub(super) levels: Ident,
    pub(super) vals: Ident,
    /// The result before it is packed into the format that callers see.
    pub(super) unpacked: Ident,
    /// The parts in which the outermost loop is run, one of them, and what they fill.
    pub(super) parts: Ident,
    pub(super) part: Ident,
    pub(super) filled: Ident,
    /// A scalar result.
    pub(super) value: Ident,
}

impl Parts {
    /// `shape`, `levels` and so on, where nothing else is called that.
    pub(super) fn of(function: &Function) -> Parts {
        Parts::free(&mut around(function), None)
    }

    /// The parts of one of several results: `l_shape`, `l_levels`.
    pub(super) fn of_result(function: &Function, result: &TensorResult) -> Parts {
        let mut taken = around(function);
        let before = function.results().take_while(|other| other.name != result.name);
        let own = if function.others.is_empty() { None } else { Some(result.name.as_str()) };
        before.for_each(|before| drop(Parts::free(&mut taken, Some(&before.name))));
        Parts::free(&mut taken, own)
    }

    /// Names that are not taken, and are from here on.
    fn free(taken: &mut BTreeSet<String>, result: Option<&str>) -> Parts {
        let mut free = |name: &str| {
            let wished = result.map_or_else(|| name.to_owned(), |result| beside(result, name));
            let name = crate::names::free(&wished, |name| taken.contains(name));
            taken.insert(name.clone());
            ident(&name)
        };
        let names = ["shape", "levels", "vals", "unpacked", "parts", "part", "filled", "value"];
        let [shape, levels, vals, unpacked, parts, part, filled, value] = names.map(&mut free);
        Parts { shape, levels, vals, unpacked, parts, part, filled, value }
    }

    /// Where a vector is: `levels.1.crd`, `vals`.
    pub(super) fn vector(&self, place: &Place) -> TokenStream {
        match place {
            Place::Values => {
                let vals = &self.vals;
                quote!(#vals)
            }
            Place::Level { level, field } => {
                let (levels, level, field) = (&self.levels, number(*level), ident(field));
                quote!(#levels.#level.#field)
            }
        }
    }
}

/// The names that the functions around the loops use.
fn around(function: &Function) -> BTreeSet<String> {
    // Each part of the loops has arrays of its own there.
    if function.parallel.is_some() {
        return function.names();
    }
    let operands = function.operands.iter().map(Operand::name);
    let sizes = function.sizes.iter().map(|size| size.name.as_str());
    let converted = function.conversions.iter().map(|conversion| conversion.into.name.as_str());
    let lists = function.parts.iter().filter_map(|part| match &part.reads {
        Reads::Listed(list) => Some(list.name()),
        Reads::Range { .. } | Reads::At(_) => None,
    });
    let results = function.results().map(|result| result.name.as_str());
    let names = operands.chain(sizes).chain(converted).chain(lists).chain(results);
    names.chain(function.division.as_deref()).map(str::to_owned).collect()
}
