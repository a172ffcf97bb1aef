//! The names of variables around loops.

use super::Builder;
use super::signature::taken;
use crate::ir::{Function, Parts, Storage};
use crate::names::beside;

/// The names of variables around loops.
pub(super) struct Names {
    pub(super) storage: Storage,
    /// The result before it replaces the tensor of the caller.
    pub(super) unpacked: String,
    pub(super) parts: Parts,
    /// The vectors that parts of the loops append to.
    pub(super) filled: String,
    /// The copies of its values that parts of the loops add to.
    pub(super) copies: String,
    /// The coordinates of which a part of the loops has the values.
    pub(super) own: String,
    /// The order in which entries are joined parent by parent.
    pub(super) order: String,
    /// Whether the structures of results are known.
    pub(super) is_known: String,
    /// `true` if all parts of the loops found the structures of the results.
    pub(super) agrees: String,
    /// The value of a scalar before its update.
    pub(super) previous: String,
    /// A scalar.
    pub(super) value: String,
}

impl Builder<'_> {
    /// Returns names that are not in use. With several results, they start with the name of the
    /// result.
    pub(super) fn names(&self, loops: &Function, result: Option<&str>) -> Names {
        let mut names_taken = taken(loops);
        if self.groups.len() > 1 {
            self.groups.iter().for_each(|group| names_taken.extend(taken(group.function)));
        }
        let mut free = |name: &str| {
            let wished = result.map_or_else(|| name.to_owned(), |result| beside(result, name));
            let name = crate::names::free(&wished, |name| names_taken.contains(name));
            names_taken.insert(name.clone());
            name
        };
        let names = [
            "shape", "levels", "vals", "unpacked", "parts", "part", "filled", "copies", "value",
            "own", "order", "previous", "is_known", "agrees",
        ];
        let [
            shape,
            levels,
            vals,
            unpacked,
            all,
            one,
            filled,
            copies,
            value,
            own,
            order,
            previous,
            is_known,
            agrees,
        ] = names.map(&mut free);
        let storage = Storage { shape, levels, vals, fills_levels: false };
        let parts = Parts { all, one };
        Names {
            storage,
            unpacked,
            parts,
            filled,
            copies,
            own,
            order,
            is_known,
            agrees,
            previous,
            value,
        }
    }
}
