//! Numbers of iterations, as products.

use std::collections::BTreeMap;

use crate::concrete::Program;
use crate::format::{LevelExpr, LevelSpec};
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
/// the other by the entries of an operand over these dimensions, or by the positions of a level of it.
pub(super) fn is_within(program: &Program, part: &Trips, whole: &Trips) -> bool {
    let is_bounded = |(access, level): (&Access, &usize)| match whole.walked.get(access) {
        Some(deepest) => deepest >= level,
        None => {
            let is_spread =
                |v: &VariableId| whole.dimensions.contains(v) && !part.dimensions.contains(v);
            !part.dimensions.is_empty()
                && positions_over(program, access, *level).iter().all(is_spread)
        }
    };
    part.shared == whole.shared
        && part.dimensions.iter().all(|v| whole.dimensions.contains(v))
        && part.walked.iter().all(is_bounded)
}

/// Returns the variables for which a level has at most one position each.
fn positions_over(program: &Program, access: &Access, level: usize) -> Vec<VariableId> {
    let levels = &program.tensor(access.tensor).format.levels[..=level];
    let is_plain =
        |spec: &LevelSpec| matches!(spec.expr, LevelExpr::Dimension(_)) && spec.properties.unique;
    match levels.iter().all(is_plain) {
        true => (0..=level).filter_map(|level| program.level_variable(access, level)).collect(),
        false => access.indices.clone(),
    }
}
