//! What is known at a place within the loops.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Expr, Stmt};
use crate::level::Segment;
use crate::notation::{self, Access, ReduceOp, TensorId, VariableId};

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The coordinates of the loops around, outermost first.
    pub(super) coordinates: Vec<(VariableId, Expr)>,
    /// Where each access has got to.
    positions: BTreeMap<Access, Reached>,
    /// Accesses whose duplicates were added up into a variable.
    pub(super) summed: BTreeMap<Access, String>,
    /// Whether a temporary is filled here, and the result is not assembled.
    pub(super) produces: bool,
    /// Temporaries that note whether anything went into them, by the variable that does.
    pub(super) flags: BTreeMap<TensorId, String>,
    /// Temporaries that tell where a value is, and meet a value at every coordinate.
    pub(super) complete: BTreeSet<TensorId>,
    /// The variables of loops around that run over their coordinates in order.
    pub(super) in_order: BTreeSet<VariableId>,
    /// The position of each of the result's levels that is known, outermost first.
    pub(super) result: Vec<Expr>,
}

/// The positions of the last resolved level of an access.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reached {
    /// Those of a segment.
    Segment(Segment),
    /// Those that the elements of a segment of a sorted scratch copy name.
    Listed { copy: String, segment: Segment },
}

impl Reached {
    /// The position that an index into the segment stands for.
    pub(super) fn at(&self, index: Expr) -> Expr {
        match self {
            Reached::Segment(_) => index,
            Reached::Listed { copy, .. } => Expr::second(Expr::load(copy, index)),
        }
    }

    pub(super) fn segment(&self) -> &Segment {
        match self {
            Reached::Segment(segment) | Reached::Listed { segment, .. } => segment,
        }
    }

    /// The only position, if there is just one.
    pub(super) fn only(&self) -> Option<Expr> {
        let Segment { start, .. } = self.segment();
        (*self.segment() == Segment::of(start.clone())).then(|| self.at(start.clone()))
    }
}

impl Scope {
    /// Where an access has got to; at the root's single position at first.
    pub(super) fn reached(&self, access: &Access) -> Reached {
        let root = || Reached::Segment(Segment::of(Expr::Index(0)));
        self.positions.get(access).cloned().unwrap_or_else(root)
    }

    /// The first of the positions that an access has got to: the only one where a level is located.
    pub(super) fn position(&self, access: &Access) -> Expr {
        let reached = self.reached(access);
        reached.at(reached.segment().start.clone())
    }

    pub(super) fn resolve(&mut self, access: &Access, reached: Reached) {
        let reached = reached.only().map(Segment::of).map_or(reached, Reached::Segment);
        self.positions.insert(access.clone(), reached);
    }

    pub(super) fn bind(&mut self, v: VariableId, coordinate: Expr) {
        self.coordinates.push((v, coordinate));
    }

    /// Notes that something was found for a temporary, where that is asked for. What a reduction comes
    /// to of constants alone is known.
    pub(super) fn found(
        &self,
        temporary: TensorId,
        op: Option<ReduceOp>,
        value: &notation::Expr,
    ) -> Option<Stmt> {
        let constant = op.and_then(|op| op.of_constant(value));
        let flag = self.flags.get(&temporary).filter(|_| constant.is_none())?;
        // What is missing is noted instead.
        let is_product = op == Some(ReduceOp::Prod);
        (!is_product).then(|| Stmt::assign(flag, Expr::Bool(true)))
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
