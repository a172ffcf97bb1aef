//! What the parts of a result are called while it is taken apart.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::kernel::operand_name;
use super::names::{ident, number, plain};
use crate::ir::{Function, Place, TensorResult};

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
    /// `shape`, `levels` and so on, where no operand and no extent is called that.
    pub(super) fn of(function: &Function) -> Parts {
        Parts::with(function, "")
    }

    /// The parts of one of several results: `l_shape`, `l_levels`.
    pub(super) fn of_result(function: &Function, result: &TensorResult) -> Parts {
        match function.others.as_slice() {
            [] => Parts::of(function),
            [..] => Parts::with(function, &format!("{}_", plain(&result.name))),
        }
    }

    fn with(function: &Function, prefix: &str) -> Parts {
        let operands = function.operands.iter().map(operand_name);
        let sizes = function.sizes.iter().map(|size| size.name.as_str());
        let converted = function.conversions.iter().map(|into| into.into.name.as_str());
        let taken: Vec<&str> = operands.chain(sizes).chain(converted).collect();
        let free = |name: &str| {
            let mut name = format!("{prefix}{name}");
            while taken.contains(&name.as_str()) {
                name.push_str("_part");
            }
            ident(&name)
        };
        let names = ["shape", "levels", "vals", "unpacked", "parts", "part", "filled", "value"];
        let [shape, levels, vals, unpacked, parts, part, filled, value] = names.map(free);
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
