//! The bound of the number of entries that the loops of a plan append to the result.
//!
//! An entry is appended by each execution of an assignment to the result. An operand bounds their
//! number if its positions distinguish them: each execution at which the operand has an entry then
//! has a different position of the operand, and there are as many positions as values. This follows
//! from two properties of the enclosing loops. First, the coordinates of the operand determine
//! those of every loop. Second, no loop visits a coordinate twice, unless it visits two positions
//! of the operand itself: a loop over the duplicates of *another* operand would visit the same
//! entry of this one repeatedly.
//!
//! Two operands without a common variable bound the executions together: their positions distinguish
//! the executions, of which there is one for each combination of entries.
//!
//! The operands of an assigned value bound its executions if the value is zero where they have no
//! entry. A value that is computed before, such as an inner sum, says nothing of the operands; then
//! an operand bounds the executions if the loops run the assignment only at its entries.

use crate::concrete::parted::Parted;
use crate::concrete::{Program, Stmt};
use crate::format::LevelSpec;
use crate::ir::{Expr, Ground};
use crate::iteration::plan::Plan;
use crate::level::{Blocks, Holds, Segment, Storage, is_list};
use crate::notation::{self, Access, BinaryOp, VariableId};

use super::extents::below_zero;
use super::names::Names;
use super::parallel::part_of_loop;

/// Returns an upper bound of the number of entries that a plan appends to the result, and its reason,
/// or `None` if the operands do not bound it. `entries` returns the number of entries of an operand
/// that the loops may visit, if it is known before the loops.
pub(super) fn most_entries(
    program: &Program,
    result: &Access,
    plan: &Plan,
    entries: &dyn Fn(&Access) -> Option<Expr>,
) -> Option<(Expr, Ground)> {
    let bounds = Bounds { program, result, plan, entries };
    bounds.of_stmt(&program.body)
}

/// Returns the number of entries of an operand at the coordinates of a part of the outermost loop,
/// if its levels have adjacent positions for them.
pub(super) fn entries_of_part(
    program: &Program,
    names: &Names,
    storages: &[Storage],
    parted: &Parted,
    access: &Access,
) -> Option<Expr> {
    let first = program.level_variable(access, 0)?;
    let is_signed = below_zero(program, names, first) != Expr::Index(0);
    if !parted.is_by_coordinate() || first != parted.variable || is_signed {
        return None;
    }
    let mut positions = part_of_loop(program, names, parted);
    let levels = &program.tensor(access.tensor).format.levels;
    for (level, (spec, storage)) in levels.iter().zip(storages).enumerate() {
        let is_gapless = spec.properties.compact || spec.properties.branchless;
        positions = match spec.level.position_iteration() {
            Some(iteration) if level > 0 && is_gapless => iteration.pos_bounds(storage, positions),
            Some(_) if level == 0 => searched(spec, storage, positions)?,
            Some(_) => return None,
            None if !spec.properties.full || !spec.level.arrays().is_empty() => return None,
            None if level == 0 => positions,
            None => Segment {
                start: Expr::mul(positions.start, storage.size.clone()),
                end: Expr::mul(positions.end, storage.size.clone()),
            },
        };
    }
    Some(Expr::sub(positions.end, positions.start))
}

/// Returns positions of an outermost level that include those of some coordinates, if these are found by
/// search.
fn searched(spec: &LevelSpec, storage: &Storage, coordinates: Segment) -> Option<Segment> {
    let iteration = spec.level.position_iteration()?;
    let Segment { start: first, end: after } = coordinates;
    let parent = Expr::Index(0);
    if let Some(groups) = iteration.groups() {
        let Blocks { size, numbers, .. } = groups.blocks()?;
        let Segment { start, end } = groups.group_bounds(storage, parent);
        let begin = |block: Expr| {
            let found = Expr::search(storage.array(numbers), start.clone(), end.clone(), block);
            groups.group_positions(storage, found).start
        };
        let size = Expr::Index(size);
        let blocks = [Expr::div(first, size.clone()), Expr::div_ceil(after, size)];
        let [start, end] = blocks.map(begin);
        return Some(Segment { start, end });
    }
    let Segment { start, end } = iteration.pos_bounds(storage, Segment::of(parent));
    let mut arrays = spec.level.arrays().iter();
    let list = arrays.find(|array| array.holds == Holds::Coordinates)?;
    let is_searched = is_list(spec.level.as_ref()) && spec.properties.ordered;
    is_searched.then(|| {
        let array = storage.array(list.field);
        let find = |coordinate| Expr::search(array, start.clone(), end.clone(), coordinate);
        Segment { start: find(first), end: find(after) }
    })
}

struct Bounds<'p> {
    program: &'p Program,
    result: &'p Access,
    plan: &'p Plan,
    entries: &'p dyn Fn(&Access) -> Option<Expr>,
}

impl Bounds<'_> {
    /// Returns a bound of the executions of all assignments to the result in a statement. The
    /// regions of its loops are disjoint, and each executes a part of the statement.
    fn of_stmt(&self, stmt: &Stmt) -> Option<(Expr, Ground)> {
        let mut most = Some(Expr::Index(0));
        let (mut ground, mut add): (Ground, fn(Expr, Expr) -> Expr) = (Ground::Counted, Expr::add);
        stmt.for_each_assign(&mut |target, _, value| {
            if target == self.result {
                let more = self.of_value(value).or_else(|| self.of_loops()).or_else(|| {
                    (ground, add) = (Ground::Combined, Expr::saturating_add);
                    self.of_combinations(value)
                });
                most = most.take().zip(more).map(|(most, more)| add(most, more));
            }
        });
        most.map(|most| (most, ground))
    }

    /// Returns a bound of the executions in which a value is not known to be zero.
    fn of_value(&self, value: &notation::Expr) -> Option<Expr> {
        match value {
            notation::Expr::Call(notation::Function::Mask, masked) => self.of_value(&masked[1]),
            notation::Expr::Call(notation::Function::Entry, _) => self.of_union(value),
            notation::Expr::Literal(_)
            | notation::Expr::Constant(_)
            | notation::Expr::Index(_)
            | notation::Expr::Parameter(_)
            | notation::Expr::Call(..)
            | notation::Expr::Reduce(_) => None,
            notation::Expr::Access(access) => {
                // An operand with a nonzero fill value has a value where it has no entry.
                let vanishes = self.program.kernel.fill(access.tensor).is_zero();
                let bounds = vanishes && self.distinguishes_executions(access);
                bounds.then(|| (self.entries)(access)).flatten()
            }
            notation::Expr::Neg(a) => self.of_value(a),
            notation::Expr::Binary(op, a, b) => {
                let (a, b) = (self.of_value(a), self.of_value(b));
                match (op, a, b) {
                    (BinaryOp::Add | BinaryOp::Sub, a, b) => Some(Expr::add(a?, b?)),
                    (BinaryOp::Mul, Some(a), Some(b)) => Some(Expr::min(a, b)),
                    (BinaryOp::Mul, a, b) => a.or(b),
                    // A quotient has the entries of the dividend.
                    (_, a, _) => a,
                }
            }
        }
    }

    /// Returns a bound of the executions in which some sparse operand has an entry, if the value is
    /// known to be zero where none has.
    fn of_union(&self, value: &notation::Expr) -> Option<Expr> {
        let kernel = &self.program.kernel;
        kernel.vanishes(value).then_some(())?;
        let bounds = kernel.sparse_accesses(value).into_iter().map(|access| {
            self.distinguishes_executions(access).then(|| (self.entries)(access)).flatten()
        });
        bounds.reduce(|a, b| Some(Expr::add(a?, b?))).flatten()
    }

    /// Returns the number of combinations of entries of the operands of a product, if these have no
    /// common variable: all combinations are executed, so that the bound is not too large.
    fn of_combinations(&self, value: &notation::Expr) -> Option<Expr> {
        let kernel = &self.program.kernel;
        let operands = kernel.sparse_accesses(value);
        let vanishes = |access: &&Access| kernel.fill(access.tensor).is_zero();
        (is_product(value) && operands.iter().all(vanishes)).then_some(())?;
        let mut all: Vec<VariableId> = Vec::new();
        for access in &operands {
            let determined = self.determined(access)?;
            all.iter().all(|v| !determined.contains(v)).then_some(())?;
            all.extend(determined);
        }
        self.is_distinguished(self.plan, &operands, &all).then_some(())?;
        let entries = operands.into_iter().map(|access| (self.entries)(access));
        entries.reduce(|a, b| Some(Expr::saturating_mul(a?, b?))).flatten()
    }

    /// Returns the number of entries of an operand at which the loops run all assignments to the
    /// result.
    fn of_loops(&self) -> Option<Expr> {
        let operands = self.program.body.reads();
        let mut bounds = operands.into_iter().filter_map(|access| {
            let determined = self.determined(access)?;
            self.runs_at_entries(self.plan, access, &determined, &[]).then_some(access)
        });
        bounds.find_map(|access| (self.entries)(access))
    }

    /// Returns whether a plan assigns to the result only where all levels of an access have an entry,
    /// at a different position each time. The enclosing loops have found entries of `levels`.
    fn runs_at_entries(
        &self,
        plan: &Plan,
        access: &Access,
        determined: &[VariableId],
        levels: &[usize],
    ) -> bool {
        let within =
            |plan: &Plan, levels: &[usize]| self.runs_at_entries(plan, access, determined, levels);
        match plan {
            _ if !plan.assigns(self.result.tensor) => true,
            Plan::Loop(inner) => {
                determined.contains(&inner.variable)
                    && !inner.may_repeat(self.program, &[access])
                    && inner.bodies.iter().enumerate().all(|(outcome, body)| {
                        let found = inner.levels_present(self.program, outcome, access);
                        within(body, &[levels, &found].concat())
                    })
            }
            Plan::Where { consumer, producer, .. } => {
                within(consumer, levels) && within(producer, levels)
            }
            Plan::Assign { .. } => {
                let mut all = 0..self.program.tensor(access.tensor).format.levels.len();
                all.all(|level| levels.contains(&level))
            }
            Plan::Visit(_) => true,
            Plan::If { body, .. } => within(body, levels),
            Plan::Sequence(plans) => plans.iter().all(|plan| within(plan, levels)),
        }
    }

    /// Returns whether the positions of an access distinguish the executions in which it has an
    /// entry, and there may be fewer positions than coordinates.
    fn distinguishes_executions(&self, access: &Access) -> bool {
        let determined = self.determined(access);
        determined.is_some_and(|known| self.is_distinguished(self.plan, &[access], &known))
    }

    /// Returns the variables whose coordinates follow from the position of an access, or `None` if
    /// the access has no number of entries that may be less than that of its coordinates.
    fn determined(&self, access: &Access) -> Option<Vec<VariableId>> {
        let Program { kernel, space, .. } = self.program;
        let format = &self.program.tensor(access.tensor).format;
        let is_sparse = format.is_sparse();
        // An operand that is read in part may have many more entries than this part.
        let is_whole = access.indices.iter().all(|v| space.slice(*v).is_none());
        let is_stored = !kernel.is_temporary(access.tensor) && !kernel.is_made(access.tensor);
        (is_stored && is_sparse && is_whole).then_some(())?;
        let levels = 0..format.levels.len();
        let stored = levels.filter_map(|level| self.program.level_variable(access, level));
        let stored: Vec<VariableId> = stored.chain(access.indices.iter().copied()).collect();
        Some(space.known(kernel, &stored))
    }

    /// Returns whether the executions of all assignments to the result that read accesses have
    /// different positions of them; `determined` are the variables that the positions determine.
    /// Conditions might exclude most of the combinations of several positions.
    fn is_distinguished(
        &self,
        plan: &Plan,
        accesses: &[&Access],
        determined: &[VariableId],
    ) -> bool {
        if !accesses.iter().any(|access| self.assigns(plan, access)) {
            return true;
        }
        let within = |plan: &Plan| self.is_distinguished(plan, accesses, determined);
        match plan {
            Plan::Loop(inner) => {
                determined.contains(&inner.variable)
                    && !inner.may_repeat(self.program, accesses)
                    && inner.bodies.iter().all(|body| within(body))
            }
            Plan::Where { consumer, producer, .. } => within(consumer) && within(producer),
            Plan::Assign { .. } | Plan::Visit(_) => true,
            Plan::If { body, .. } => accesses.len() == 1 && within(body),
            Plan::Sequence(plans) => plans.iter().all(|plan| within(plan)),
        }
    }

    /// Returns whether a plan assigns a value that reads an access to the result.
    fn assigns(&self, plan: &Plan, access: &Access) -> bool {
        match plan {
            Plan::Loop(inner) => inner.bodies.iter().any(|body| self.assigns(body, access)),
            Plan::Where { consumer, producer, .. } => {
                self.assigns(consumer, access) || self.assigns(producer, access)
            }
            Plan::Assign { target, value, .. } => value.reads(access) && target == self.result,
            Plan::Visit(_) => false,
            Plan::If { body, .. } => self.assigns(body, access),
            Plan::Sequence(plans) => plans.iter().any(|plan| self.assigns(plan, access)),
        }
    }
}

/// Returns whether a value is a product of elements and numbers.
fn is_product(value: &notation::Expr) -> bool {
    match value {
        notation::Expr::Access(_)
        | notation::Expr::Literal(_)
        | notation::Expr::Constant(_)
        | notation::Expr::Index(_)
        | notation::Expr::Parameter(_) => true,
        notation::Expr::Neg(a) => is_product(a),
        notation::Expr::Binary(BinaryOp::Mul, a, b) => is_product(a) && is_product(b),
        notation::Expr::Binary(..) | notation::Expr::Call(..) | notation::Expr::Reduce(_) => false,
    }
}
