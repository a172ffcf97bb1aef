//! Construction of loops in a given order from index notation.
//!
//! A reduction becomes a scalar temporary in the loop that binds the last of its free variables:
//! `∀i (y[i] = sum where ∀j sum += …)`. If the order puts a reduced variable outside of a variable
//! of the result, the result itself accumulates: `∀j ∀i y[i] += …`, one statement for each reduced
//! additive term, after one for the other terms. If the result must be assembled in order, or the
//! value is not a sum of terms, a workspace is used: `∀i (∀j C[i,j] = w[j] where ∀k ∀j w[j] += …)`.

mod aligned;
mod beside;
mod blocks;
mod gather;
mod masks;
mod precomputed;
mod temporaries;
mod variables;

use std::cell::RefCell;
use std::sync::Arc;

use super::commands::annotations;
use crate::concrete::terms::{
    additive_terms, has_sum, needs_sum_twice, outermost_reductions, pull_reduction, replace,
    takes_duplicates,
};
use crate::concrete::{Program, Stmt, Temporary, fixed};
use crate::iteration::graph::last_appended;
use crate::iteration::placed::Placing;
use crate::limits::REWRITES;
use crate::notation::{Access, Expr, Reduce, ReduceOp, TensorId, VariableId};
use blocks::is_within_blocks;
use precomputed::{Pending, are_filled, parts_of};

/// The target of sums that may be accumulated in a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// A scalar temporary, which is stored once.
    Temporary,
    /// The result, which is required where loops over a sum and over the result are not separate,
    /// as in a fused loop over coordinates.
    Result,
}

/// Constructs the loops of a kernel in the order `order`, which contains every variable once.
/// Returns `None` if a sum that the order puts outside cannot be split, as in `b[i] /
/// sum[j](A[i,j])`.
pub(super) fn nest(mut program: Program, order: &[VariableId], sums: Sums) -> Option<Program> {
    let value = program.kernel.assignment.value.clone();
    let accumulate = program.kernel.in_place.then_some(ReduceOp::SUM);
    program.body = nest_into(&mut program, order, sums, accumulate, value)?;
    Some(program)
}

/// Constructs the loops of `result (+)= value`. Temporaries are added to the program's tensors.
pub(super) fn nest_into(
    program: &mut Program,
    order: &[VariableId],
    sums: Sums,
    accumulate: Option<ReduceOp>,
    value: Expr,
) -> Option<Stmt> {
    let target = program.kernel.assignment.result.clone();
    let mut free = program.space.access_sources(&program.basis, &target);
    let (value, fixed_loops) = fixed::split(program, value);
    free.extend(
        fixed_loops
            .into_iter()
            .filter(|v| !target.indices.iter().any(|mode| program.space.counted(*mode) == *v)),
    );
    let pending = parts_of(program, &value);
    let sources = RefCell::default();
    let mut nest = Nest { program, order, sums, pending, sources, rewrites: 0 };
    let mixes_terms = |part: &Pending| nest.mixes_terms(&part.workspace, &part.value);
    if nest.mixes_terms(&target, &value) || nest.pending.iter().any(mixes_terms) {
        return None;
    }
    let stmt = match sums {
        Sums::Temporary => nest.assign(&[], &free, &target, accumulate, value),
        Sums::Result => nest.split_terms(&[], &free, &target, accumulate, value),
    };
    let stmt = stmt.filter(|_| nest.pending.is_empty())?;
    let is_valid = are_filled(program, &stmt, &mut Vec::new())
        && is_within_blocks(program, &stmt, &mut Vec::new());
    is_valid.then_some(stmt)
}

struct Nest<'a> {
    program: &'a mut Program,
    order: &'a [VariableId],
    sums: Sums,
    /// The precomputed parts that have not been placed.
    pending: Vec<Pending>,
    /// The loops that determine an entry, by access.
    sources: RefCell<Vec<(Access, Arc<[VariableId]>)>>,
    /// The depth of nested rewrites.
    rewrites: usize,
}

impl Nest<'_> {
    /// Constructs `target (+)= value`, where `bound` variables have enclosing loops and `free` ones
    /// need loops; free variables that `target` does not use are summed over.
    fn assign(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Option<Stmt> {
        if self.rewrites == REWRITES {
            return None;
        }
        self.rewrites += 1;
        let stmt = self.assign_next(bound, free, target, accumulate, value);
        self.rewrites -= 1;
        stmt
    }

    /// Constructs the outermost loop, temporary or statement of `target (+)= value`.
    fn assign_next(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Option<Stmt> {
        if let Some((ready, value)) = self.take_ready(bound, target, accumulate, &value) {
            let body = self.assign(bound, free, target, accumulate, value)?;
            return Some(Stmt::when(ready, body));
        }
        if self.places(target, &value) {
            // Terms without sums would be stored once for each summed term.
            let mut terms = additive_terms(value.clone()).into_iter();
            let all_summed = terms.all(|term| pull_reduction(&self.program.kernel, term).is_ok());
            let once = bound.is_empty() && all_summed && !self.takes_in_order(bound, target);
            once.then_some(())?;
            return self.split_terms(bound, free, target, accumulate, value);
        }
        if let Some(part) = self.take_pending(bound, &value) {
            let temporary = Temporary { tensor: part.workspace.tensor, op: part.op };
            let producer = self.fill(bound, part)?;
            let consumer = self.assign(bound, free, target, accumulate, value)?;
            return Some(self.computed(temporary, consumer, producer));
        }
        let into_scalar =
            self.program.kernel.is_temporary(target.tensor) && target.indices.is_empty();
        // Only loops that combine values remain: the combined value is a scalar.
        if !free.is_empty()
            && self.sums == Sums::Temporary
            && !into_scalar
            && !free.iter().any(|v| self.sources(target).contains(v))
        {
            let value = self.combined(free, accumulate, value);
            return self.assign(bound, &[], target, accumulate, value);
        }
        if let (true, Some(op), true) = (free.is_empty(), accumulate, into_scalar) {
            return self.accumulate_terms(bound, target, op, value);
        }
        if let Some((reduce, temporary, value)) = self.take_reduction(bound, &value) {
            let scalar = Access { tensor: temporary, indices: Vec::new() };
            let producer = self.reduce(bound, &reduce, &scalar)?;
            let consumer = self.assign(bound, free, target, accumulate, value)?;
            let temporary = Temporary { tensor: temporary, op: reduce.op };
            return Some(self.computed(temporary, consumer, producer));
        }
        // Variables without enclosing loops that the value uses, except those of its own sums, must
        // be among the free ones.
        let mut open = Vec::new();
        self.collect_free(&value, &mut bound.to_vec(), &mut open);
        if open.iter().any(|v| !free.contains(v)) {
            return None;
        }
        let mut reduced = Vec::new();
        outermost_reductions(&value, &mut |reduce| {
            reduced.extend(self.open_loops(bound, &reduce.variables));
        });
        let is_next = |v: &VariableId| {
            free.contains(v) || reduced.contains(v) || self.is_fixed_within(bound, &value, *v)
        };
        let next = self.order.iter().find(|v| is_next(v));
        match next {
            None => Some(Stmt::assign(target.clone(), accumulate, value)),
            Some(v) if free.contains(v) => {
                let (bound, free) = step(bound, free, *v);
                let body = self.assign(&bound, &free, target, accumulate, value)?;
                let annotations = annotations(self.program, *v);
                Some(Stmt::forall(*v, Arc::new(annotations), body))
            }
            // A loop over a single coordinate may enclose the statement instead of a reduction.
            Some(v) if fixed::is_fixed(self.program, *v) => {
                let free = [free, &[*v]].concat();
                self.assign(bound, &free, target, accumulate, fixed::released(&value, *v))
            }
            Some(_) => {
                if self.takes_in_order(bound, target) {
                    let pending = self.pending.clone();
                    let gathered = self.gather(bound, free, target, value.clone());
                    if gathered.is_some() || !takes_duplicates(&self.program.kernel) {
                        return gathered.filter(|_| accumulate.is_none());
                    }
                    self.pending = pending;
                }
                let is_result = target.tensor == self.program.kernel.result();
                let can_gather = is_result && accumulate.is_none();
                let kernel = &self.program.kernel;
                if has_sum(kernel, &value) && !(can_gather && needs_sum_twice(kernel, &value)) {
                    return self.split_terms(bound, free, target, accumulate, value);
                }
                // No term has a sum that can be split off, as in `abs(sum[k](A[i,k] * B[k,j]))`, or
                // one from which it can be has that of another.
                can_gather.then_some(())?;
                self.gather(bound, free, target, value)
            }
        }
    }

    /// Returns whether a nested reduction binds a variable with a single coordinate, and the loops
    /// that precede its own in the order already enclose the statement.
    fn is_fixed_within(&self, bound: &[VariableId], value: &Expr, v: VariableId) -> bool {
        let mut outside = self.order.iter().take_while(|other| **other != v);
        let mut binds = false;
        outermost_reductions(value, &mut |reduce| binds |= reduce.body.binds(v));
        binds && fixed::is_fixed(self.program, v) && outside.all(|other| bound.contains(other))
    }

    /// Returns a value combined over loops. Loops over a single coordinate enclose only the terms
    /// that use it, so that the other terms have the same form.
    fn combined(&self, free: &[VariableId], accumulate: Option<ReduceOp>, value: Expr) -> Expr {
        match free.iter().all(|v| fixed::is_fixed(self.program, *v)) {
            true => fixed::sum(self.program, value, free),
            false => Expr::reduce(accumulate.unwrap_or(ReduceOp::SUM), free.to_vec(), value),
        }
    }

    /// Returns whether the loops of a sum determine the coordinate of the target, as those along
    /// diagonals do.
    fn places(&self, target: &Access, value: &Expr) -> bool {
        let places = self.sources(target);
        let mut found = false;
        outermost_reductions(value, &mut |reduce| {
            found |= self.loops(&reduce.variables).iter().any(|v| places.contains(v));
        });
        found
    }

    /// Constructs one statement for the terms without sums, and one for each term with a sum.
    fn split_terms(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Option<Stmt> {
        if accumulate.is_some_and(|op| op != ReduceOp::SUM) {
            return None;
        }
        let mut plain = Expr::ZERO;
        let mut sums = Vec::new();
        for term in additive_terms(value) {
            match pull_reduction(&self.program.kernel, term) {
                Ok(reduce) => sums.push(reduce),
                Err(term) => plain = Expr::add(plain, term),
            }
        }
        let mut statements = Vec::new();
        if !plain.is_zero() {
            statements.push(self.assign(bound, free, target, accumulate, plain)?);
        }
        for sum in sums {
            statements.push(self.accumulate(bound, free, target, sum)?);
        }
        Some(Stmt::sequence(statements))
    }

    /// Returns whether a target is a result that must be assembled in order, and the enclosing
    /// loops do not determine its next entry.
    fn takes_in_order(&self, bound: &[VariableId], target: &Access) -> bool {
        let Program { kernel, space, basis, .. } = &*self.program;
        if let Some(placing) = Placing::of(kernel, space, basis, &kernel.assignment.result) {
            let is_known = |v: &VariableId| bound.contains(v);
            return target.tensor == kernel.result() && !placing.coordinate.iter().all(is_known);
        }
        let Some(last) = last_appended(kernel) else { return false };
        let variable = |level| self.program.level_variable(target, level);
        let known = self.program.space.known(kernel, bound);
        target.tensor == kernel.result()
            && (0..=last).filter_map(variable).any(|v| !known.contains(&v))
    }

    /// Constructs the loops that accumulate a reduction in a target.
    fn accumulate(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        Reduce { op, variables, body, .. }: Reduce,
    ) -> Option<Stmt> {
        let mut free = free.to_vec();
        let loops = self.open_loops(bound, &variables).into_iter();
        let loops: Vec<_> = loops.filter(|v| !free.contains(v)).collect();
        free.extend(loops);
        self.assign(bound, &free, target, Some(op), *body)
    }

    /// Constructs `scalar += value`, where sums in the value accumulate in the scalar directly.
    fn accumulate_terms(
        &mut self,
        bound: &[VariableId],
        target: &Access,
        op: ReduceOp,
        value: Expr,
    ) -> Option<Stmt> {
        let is_sum = |term: &Expr| matches!(term, Expr::Reduce(Reduce { op: ReduceOp::SUM, .. }));
        if op == ReduceOp::SUM && additive_terms(value.clone()).iter().any(is_sum) {
            return self.split_terms(bound, &[], target, Some(op), value);
        }
        if let Some((reduce, temporary, value)) = self.take_reduction(bound, &value) {
            let scalar = Access { tensor: temporary, indices: Vec::new() };
            let producer = self.reduce(bound, &reduce, &scalar)?;
            let consumer = self.assign(bound, &[], target, Some(op), value)?;
            let temporary = Temporary { tensor: temporary, op: reduce.op };
            return Some(self.computed(temporary, consumer, producer));
        }
        Some(Stmt::assign(target.clone(), Some(op), value))
    }

    /// Replaces the first reduction whose free variables are all bound by a temporary. It may be
    /// within another one, of whose variables it is independent, and is then computed once for all
    /// their coordinates.
    fn take_reduction(
        &mut self,
        bound: &[VariableId],
        value: &Expr,
    ) -> Option<(Reduce, TensorId, Expr)> {
        let (reduce, within) = self.ready_reduction(bound, value, value)?;
        let reduce = reduce.clone();
        let temporary = self.add_temporary(&reduce, within);
        let scalar = Expr::Access(Access { tensor: temporary, indices: Vec::new() });
        let value = replace(value, &Expr::Reduce(reduce.clone()), &scalar);
        Some((reduce, temporary, value))
    }

    /// Returns the first of the innermost reductions of a part of a value whose free variables are
    /// all bound, and the value or the body of the reduction within which it is.
    fn ready_reduction<'e>(
        &self,
        bound: &[VariableId],
        part: &'e Expr,
        within: &'e Expr,
    ) -> Option<(&'e Reduce, &'e Expr)> {
        let Expr::Reduce(reduce) = part else {
            let mut parts = part.children();
            return parts.find_map(|part| self.ready_reduction(bound, part, within));
        };
        let is_ready = || self.free_variables(reduce).iter().all(|v| bound.contains(v));
        let inner = self.ready_reduction(bound, &reduce.body, &reduce.body);
        inner.or_else(|| is_ready().then_some((reduce, within)))
    }

    /// Constructs `scalar += …` over the variables of a sum, and the corresponding statement of
    /// another reduction.
    fn reduce(&mut self, bound: &[VariableId], reduce: &Reduce, scalar: &Access) -> Option<Stmt> {
        let free = self.open_loops(bound, &reduce.variables);
        self.assign(bound, &free, scalar, Some(reduce.op), (*reduce.body).clone())
    }
}

fn step(
    bound: &[VariableId],
    free: &[VariableId],
    v: VariableId,
) -> (Vec<VariableId>, Vec<VariableId>) {
    let bound = bound.iter().copied().chain([v]).collect();
    (bound, free.iter().copied().filter(|other| *other != v).collect())
}
