//! What is known at a place within the loops.

use std::collections::BTreeMap;

use crate::ir::Expr;
use crate::level::Segment;
use crate::notation::{Access, TensorId, VariableId};

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The coordinates of the loops around, outermost first.
    pub(super) coordinates: Vec<(VariableId, Expr)>,
    /// Where each access has got to.
    positions: BTreeMap<Access, Segment>,
    /// Accesses whose duplicates were added up into a variable.
    pub(super) summed: BTreeMap<Access, String>,
    /// Whether a temporary is filled here, and the result is not assembled.
    pub(super) produces: bool,
    /// Temporaries that note whether anything went into them, by the variable that does.
    pub(super) flags: BTreeMap<TensorId, String>,
    /// The position of each of the result's levels that is known, outermost first.
    pub(super) result: Vec<Expr>,
}

impl Scope {
    /// The positions of the last resolved level of an access; the root's single one at first.
    pub(super) fn parents(&self, access: &Access) -> Segment {
        self.positions.get(access).cloned().unwrap_or_else(|| Segment::of(Expr::Index(0)))
    }

    pub(super) fn resolve(&mut self, access: &Access, positions: Segment) {
        self.positions.insert(access.clone(), positions);
    }

    pub(super) fn bind(&mut self, v: VariableId, coordinate: Expr) {
        self.coordinates.push((v, coordinate));
    }

    /// Whether a variable's coordinate is known.
    pub(super) fn knows(&self, v: VariableId) -> bool {
        self.coordinates.iter().any(|(bound, _)| *bound == v)
    }

    /// The coordinate of a variable whose loop stands around.
    pub(super) fn coordinate(&self, v: VariableId) -> Expr {
        let found = self.coordinates.iter().find(|(bound, _)| *bound == v);
        found.expect("a plan reads a coordinate only within the loop over it").1.clone()
    }
}
