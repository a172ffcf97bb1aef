//! Numbers of iterations, as products.

use std::collections::BTreeMap;

use crate::notation::{Access, VariableId};

/// A number of iterations, as a product.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::lower) struct Trips {
    /// The variables whose coordinates are all visited.
    pub(in crate::lower) dimensions: Vec<VariableId>,
    /// The variables with a constant number of coordinates, all of which are visited. They do not
    /// belong to the time complexity.
    pub(in crate::lower) constant: Vec<VariableId>,
    /// The accesses whose entries are traversed, with the innermost level.
    pub(in crate::lower) walked: BTreeMap<Access, usize>,
    /// The variables by which the entries are divided: on average, only those below one of their
    /// coordinates are traversed.
    pub(in crate::lower) shared: Vec<VariableId>,
    /// The variables of the enclosing loops that visit each coordinate at most once, or `None` if a
    /// loop visits duplicates.
    pub(super) visited: Option<Vec<VariableId>>,
}

/// Returns whether one product is at most another: it divides the other, or replaces dimensions of
/// the other by the entries of an operand over these dimensions.
pub(super) fn is_within(part: &Trips, whole: &Trips) -> bool {
    let is_bounded = |(access, level): (&Access, &usize)| match whole.walked.get(access) {
        Some(deepest) => deepest >= level,
        None => {
            let is_spread =
                |v: &VariableId| whole.dimensions.contains(v) && !part.dimensions.contains(v);
            !part.dimensions.is_empty() && access.indices.iter().all(is_spread)
        }
    };
    part.shared == whole.shared
        && part.dimensions.iter().all(|v| whole.dimensions.contains(v))
        && part.walked.iter().all(is_bounded)
}
