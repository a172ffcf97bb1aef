//! Coordinates at which no operand has an entry, in one step.
//!
//! The maximum of a sparse row is the maximum of its entries, and of one zero if some coordinate
//! has no entry. A loop therefore visits only the entries, if the statement of the region without
//! entries is the same at every coordinate and only reduces. A sum adds the value of the other
//! coordinates times their number, a product multiplies by a power of it, and an idempotent operator
//! takes it once. In regions with the same statement, as of a product without one of its factors, no
//! coordinate needs a visit either. An arg-reduction takes it at the first of these coordinates, which
//! is known if the loop visits the others in order.

use super::iterator::{Frontier, LevelIterator};
use super::lattice::{Lattice, Set};
use crate::concrete::space::Definition;
use crate::concrete::{Program, Stmt};
use crate::coordinate::Coordinate;
use crate::notation::{Expr, TensorId, VariableId};

/// Returns the lattice of a loop over `v` that visits no coordinate without entries, and the
/// statement of these coordinates, if that can be repeated in one step.
pub(super) fn set_aside(
    program: &Program,
    frontier: &Frontier,
    v: VariableId,
    lattice: &Lattice,
) -> Option<(Lattice, Stmt)> {
    // A loop over the part of its coordinates in a block does not know how many others there are.
    let has_range = is_whole(program, v) && !program.basis.is_limited(v);
    let rest = lattice.rest().filter(|rest| has_range && can_repeat(program, frontier, v, rest))?;
    Some((lattice.without_rest(), rest.clone()))
}

/// Returns whether something runs at coordinates of `v` that an operand does not have: it is read at one
/// coordinate only, as in `A[v,v]`, which loops along a diagonal or over blocks have determined.
pub(super) fn runs_elsewhere(
    program: &Program,
    frontier: &Frontier,
    v: VariableId,
    iterators: &[LevelIterator],
    lattice: &Lattice,
) -> bool {
    let Program { kernel, space, .. } = program;
    let mut modes = space.placed_at(v).peekable();
    if modes.peek().is_none() {
        return false;
    }
    let known = space.known(kernel, &frontier.bound);
    modes.filter(|mode| known.contains(mode)).any(|mode| {
        let reads = |k: &usize| iterators[*k].access.indices.contains(&mode);
        lattice.runs_without(Set::of((0..iterators.len()).filter(reads)))
    })
}

/// Returns whether a loop over `v` has as many coordinates as its extent says: those within blocks,
/// and pairs of them, may lie beyond the last one.
fn is_whole(program: &Program, v: VariableId) -> bool {
    match program.space.definition(program.space.whole(v)) {
        None | Some(Definition::Slice(_)) => true,
        Some(Definition::Fused(outer, inner)) => {
            is_whole(program, *outer) && is_whole(program, *inner)
        }
        Some(
            Definition::Computed(_)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Fixed,
        ) => false,
    }
}

/// Returns whether a statement depends only on the coordinates of the loops of a frontier and of
/// its own, and only reduces.
fn can_repeat(program: &Program, frontier: &Frontier, v: VariableId, stmt: &Stmt) -> bool {
    Repeatable { program, v, own: Vec::new() }.holds_for(stmt, &mut frontier.bound.clone())
}

struct Repeatable<'p> {
    program: &'p Program,
    /// The variable of the loop.
    v: VariableId,
    /// The temporaries of the statement.
    own: Vec<TensorId>,
}

impl Repeatable<'_> {
    fn holds_for(&mut self, stmt: &Stmt, bound: &mut Vec<VariableId>) -> bool {
        match stmt {
            Stmt::Forall { variable, body, .. } => {
                if !self.has_known_range(*variable, bound) {
                    return false;
                }
                bound.push(*variable);
                let holds = self.holds_for(body, bound);
                bound.pop();
                holds
            }
            Stmt::Where { temporaries, consumer, producer } => {
                self.own.extend(temporaries.iter().map(|temporary| temporary.tensor));
                self.holds_for(producer, bound) && self.holds_for(consumer, bound)
            }
            Stmt::Assign { target, accumulate, value } => {
                let reduces = accumulate.is_some_and(|op| {
                    !op.tells_where || chooses(self.program, self.v, target.tensor)
                });
                let known = self.program.space.known(&self.program.kernel, bound);
                (reduces || self.own.contains(&target.tensor))
                    && target.indices.iter().all(|v| known.contains(v))
                    && reads_only(value, &known)
            }
            Stmt::If { condition, body } => {
                let known = self.program.space.known(&self.program.kernel, bound);
                reads_only(condition, &known) && self.holds_for(body, bound)
            }
            Stmt::Sequence(statements) => statements.iter().all(|stmt| self.holds_for(stmt, bound)),
        }
    }

    /// Returns whether the range of a variable follows from the bound ones.
    fn has_known_range(&self, v: VariableId, bound: &[VariableId]) -> bool {
        let Program { space, basis, .. } = self.program;
        // Only one iteration of the loops for a fixed coordinate runs, which may be that of `self.v`.
        if basis.is_limited(v) || self.program.is_loop_of_fixed(v) {
            return false;
        }
        match space.definition(v) {
            None | Some(Definition::Fused(..) | Definition::Slice(_)) => true,
            // The last block ends with its dimension.
            Some(Definition::Computed(Coordinate::Mod(of, size))) => {
                let block = space.variable_of(Coordinate::Div(*of, *size));
                block.is_none_or(|block| bound.contains(&block))
            }
            Some(Definition::Computed(_)) => true,
            Some(Definition::Positions(_) | Definition::Slot(_) | Definition::Fixed) => false,
        }
    }
}

/// Returns whether a tensor is the coordinate that an arg-reduction over `v` chooses.
fn chooses(program: &Program, v: VariableId, target: TensorId) -> bool {
    let over = program.kernel.choice(target).map(|choice| choice.variable);
    over == Some(v) && program.space.definition(v).is_none()
}

/// Returns whether a statement chooses a coordinate of `v`: the coordinates of the loop over `v` are
/// then visited in order.
pub(super) fn wants_first(program: &Program, v: VariableId, stmt: &Stmt) -> bool {
    let mut wants = false;
    stmt.for_each_assign(&mut |target, _, _| wants |= chooses(program, v, target.tensor));
    wants
}

/// Returns whether an expression depends only on known variables.
fn reads_only(value: &Expr, known: &[VariableId]) -> bool {
    value.variables().iter().all(|v| known.contains(v))
}
