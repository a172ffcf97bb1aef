//! The state of lowering at a point within the loops.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::comment::Origin;
use crate::ir::{Expr, Stmt};
use crate::level::Segment;
use crate::notation::{self, Access, ReduceOp, TensorId, VariableId};

use super::sorted_copy::SortedCopy;

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The coordinates of the enclosing loops, outermost first.
    pub(super) coordinates: Vec<(VariableId, Expr)>,
    /// The positions that each access has reached.
    positions: BTreeMap<Access, Reached>,
    /// The accesses whose values are in variables: those with duplicates, and those that may have no
    /// entry.
    pub(super) values: BTreeMap<Access, String>,
    /// `true` if a temporary is computed here, and not the result.
    pub(super) produces: bool,
    /// The temporaries with a flag that records whether a value was stored.
    pub(super) flags: BTreeMap<TensorId, Flag>,
    /// The products with a flag that an unstored zero resets, with the name of the flag.
    pub(super) products: BTreeMap<TensorId, String>,
    /// The arg-reductions that visit a value at every coordinate.
    pub(super) complete: BTreeSet<TensorId>,
    /// The variables of enclosing loops that visit their coordinates in order.
    pub(super) in_order: BTreeSet<VariableId>,
    /// The variables whose coordinates without entries follow all others, in one step.
    pub(super) ends: BTreeSet<VariableId>,
    /// By variable that counts the positions of an operand: the positions of the enclosing block.
    pub(super) blocks: BTreeMap<VariableId, Segment>,
    /// By access and level: the positions that have children in the enclosing block.
    pub(super) windows: BTreeMap<(Access, usize), Segment>,
    /// The coordinates of variables within the enclosing blocks.
    pub(super) intervals: BTreeMap<VariableId, Segment>,
    /// By result: the known positions of its levels, outermost first.
    pub(super) results: BTreeMap<TensorId, Vec<Expr>>,
    /// Accesses of which at least one has an entry in the enclosing loops; none if it is not known.
    pub(super) entered: Vec<Access>,
    /// The body that is lowered, if its loop has a number.
    pub(super) origin: Option<Origin>,
}

/// The flag of a temporary.
#[derive(Clone, Debug)]
pub(super) struct Flag {
    pub(super) name: String,
    /// `true` if the temporary is a reduction of one value.
    pub(super) is_of_one: bool,
}

/// The positions of the innermost resolved level of an access.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reached {
    /// The positions of a segment.
    Segment(Segment),
    /// The positions in a segment of a sorted copy, or the values.
    Listed { copy: SortedCopy, segment: Segment },
}

impl Reached {
    /// Returns the position for an index into the segment.
    pub(super) fn at(&self, index: Expr) -> Expr {
        match self {
            Reached::Segment(_) => index,
            Reached::Listed { copy, .. } if copy.has_values() => {
                unreachable!("loops over the levels of such a copy need no positions")
            }
            Reached::Listed { copy, .. } => copy.last_field(index),
        }
    }

    /// Returns the value for an index into the segment; `value_at` returns the one at a position.
    pub(super) fn value(&self, index: Expr, value_at: impl FnOnce(Expr) -> Expr) -> Expr {
        match self {
            Reached::Listed { copy, .. } if copy.has_values() => copy.last_field(index),
            Reached::Segment(_) | Reached::Listed { .. } => value_at(self.at(index)),
        }
    }

    pub(super) fn segment(&self) -> &Segment {
        match self {
            Reached::Segment(segment) | Reached::Listed { segment, .. } => segment,
        }
    }

    /// Returns whether there is just one position.
    pub(super) fn is_single(&self) -> bool {
        let Segment { start, .. } = self.segment();
        *self.segment() == Segment::of(start.clone())
    }
}

impl Scope {
    /// Returns the positions that an access has reached, initially the root's single position.
    pub(super) fn reached(&self, access: &Access) -> Reached {
        let root = || Reached::Segment(Segment::of(Expr::Index(0)));
        self.positions.get(access).cloned().unwrap_or_else(root)
    }

    /// Returns the first position that an access has reached, which is the only one if a level is
    /// located.
    pub(super) fn position(&self, access: &Access) -> Expr {
        let reached = self.reached(access);
        reached.at(reached.segment().start.clone())
    }

    pub(super) fn resolve(&mut self, access: &Access, reached: Reached) {
        let position = match &reached {
            Reached::Listed { copy, segment } if reached.is_single() && !copy.has_values() => {
                Some(reached.at(segment.start.clone()))
            }
            _ => None,
        };
        let reached = position.map_or(reached, |only| Reached::Segment(Segment::of(only)));
        self.positions.insert(access.clone(), reached);
    }

    pub(super) fn bind(&mut self, v: VariableId, coordinate: Expr) {
        self.coordinates.push((v, coordinate));
    }

    /// Returns the statement that records a value of a temporary, if it has a flag. The reduction
    /// of constants alone is known.
    pub(super) fn found(
        &self,
        temporary: TensorId,
        op: Option<ReduceOp>,
        value: &notation::Expr,
    ) -> Option<Stmt> {
        let flag = self.flags.get(&temporary)?;
        let constant = op.and_then(|op| op.of_constant(value, flag.is_of_one));
        constant.is_none().then(|| Stmt::assign(&flag.name, Expr::Bool(true)))
    }

    /// Returns whether a variable has a coordinate.
    pub(super) fn knows(&self, v: VariableId) -> bool {
        self.coordinates.iter().any(|(bound, _)| *bound == v)
    }

    /// Returns the coordinate of a variable of an enclosing loop.
    pub(super) fn coordinate(&self, v: VariableId) -> Expr {
        let found = self.coordinates.iter().find(|(bound, _)| *bound == v);
        found.expect("a plan reads a coordinate only within the loop over it").1.clone()
    }
}
