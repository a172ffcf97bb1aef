//! From index notation to loops in a given order.
//!
//! A reduction becomes a scalar temporary at the loop that binds the last of its free variables:
//! `∀i (y[i] = sum where ∀j sum += …)`. Where the order puts a reduced variable outside of one of
//! the result's, the result itself accumulates: `∀j ∀i y[i] += …`, one statement for each additive
//! term, after one for the terms that are not reduced. A result that takes its entries in order
//! cannot, nor can one of something else than sums of terms: there a workspace does, `∀i (∀j C[i,j] = w[j] where ∀k ∀j w[j] += …)`.

mod temporaries;
mod variables;

use std::rc::Rc;

use super::commands::annotations;
use crate::concrete::space::Definition;
use crate::concrete::terms::{
    additive_terms, gathered, outermost_reductions, pull_reduction, replace, takes_duplicates,
};
use crate::concrete::{Precomputed, Program, Stmt, once};
use crate::iteration::graph::last_appended;
use crate::limits::REWRITES;
use crate::notation::{Access, Expr, Function, Reduce, ReduceOp, TensorId, VariableId};

/// Where sums go that could as well go into a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// Into a scalar temporary, stored once.
    Temporary,
    /// Into the result, which is right where a loop over a sum cannot be told from one over the
    /// result, as in a fused loop over coordinates.
    Result,
}

/// The loops of a kernel in the order of `order`, which names every variable once; `None` where a
/// sum that the order puts outside cannot be taken apart, as in `b[i] / sum[j](A[i,j])`.
pub(super) fn nest(mut program: Program, order: &[VariableId], sums: Sums) -> Option<Program> {
    let value = program.kernel.assignment.value.clone();
    let accumulate = program.kernel.in_place.then_some(ReduceOp::Sum);
    program.body = nest_into(&mut program, order, sums, accumulate, value)?;
    Some(program)
}

/// The loops of `result (+)= value`. Temporaries are added to the program's tensors.
pub(super) fn nest_into(
    program: &mut Program,
    order: &[VariableId],
    sums: Sums,
    accumulate: Option<ReduceOp>,
    value: Expr,
) -> Option<Stmt> {
    let target = program.kernel.assignment.result.clone();
    let mut free = program.space.access_sources(&program.basis, &target);
    let (value, once) = once::split(program, value);
    free.extend(
        once.into_iter()
            .filter(|v| !target.indices.iter().any(|mode| program.space.counted(*mode) == *v)),
    );
    let pending = program.precomputed.clone();
    let mut nest = Nest { program, order, sums, pending, rewrites: 0 };
    let stmt = match sums {
        Sums::Temporary => nest.assign(&[], &free, &target, accumulate, value),
        Sums::Result => nest.split_terms(&[], &free, &target, accumulate, value),
    };
    stmt.filter(|_| nest.pending.is_empty())
}

struct Nest<'a> {
    program: &'a mut Program,
    order: &'a [VariableId],
    sums: Sums,
    /// What is to be precomputed and is not yet.
    pending: Vec<Precomputed>,
    /// How many rewrites are nested in one another.
    rewrites: usize,
}

impl Nest<'_> {
    /// `target (+)= value`, with `bound` variables in loops around and `free` ones yet to be looped
    /// over; those that `target` does not use are summed over.
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

    /// The outermost loop, temporary or statement of `target (+)= value`, around all others.
    fn assign_next(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Option<Stmt> {
        if self.may_skip(target, accumulate)
            && let Some((ready, value)) = self.take_mask(bound, &value)
        {
            let body = self.assign(bound, free, target, accumulate, value)?;
            return Some(Stmt::when(ready, body));
        }
        if self.places(target, &value) {
            // Terms that are not summed would be stored once for each that is.
            let all_summed =
                additive_terms(value.clone()).into_iter().all(|term| pull_reduction(term).is_ok());
            let once = bound.is_empty() && all_summed && !self.takes_in_order(bound, target);
            once.then_some(())?;
            return self.split_terms(bound, free, target, accumulate, value);
        }
        if let Some(Precomputed { workspace, value: part }) = self.take_pending(bound, &value) {
            let (part, once) = once::split(self.program, part);
            let over = [self.loops(&workspace.indices), once].concat();
            let producer = self.assign(bound, &over, &workspace, None, part)?;
            let consumer = self.assign(bound, free, target, accumulate, value)?;
            return Some(Stmt::where_(workspace.tensor, ReduceOp::Sum, consumer, producer));
        }
        let into_scalar =
            self.program.kernel.is_temporary(target.tensor) && target.indices.is_empty();
        // Loops that only sum are left: their sum is a scalar.
        if !free.is_empty()
            && self.sums == Sums::Temporary
            && !into_scalar
            && !free.iter().any(|v| self.sources(target).contains(v))
        {
            let value = self.summed(free, value);
            return self.assign(bound, &[], target, accumulate, value);
        }
        if let (true, Some(op), true) = (free.is_empty(), accumulate, into_scalar) {
            return self.accumulate_terms(bound, target, op, value);
        }
        if let Some((reduce, temporary, value)) = self.take_reduction(bound, &value) {
            let scalar = Access { tensor: temporary, indices: Vec::new() };
            let producer = self.reduce(bound, &reduce, &scalar)?;
            let consumer = self.assign(bound, free, target, accumulate, value)?;
            return Some(Stmt::where_(temporary, reduce.op, consumer, producer));
        }
        // What the value reads in no loop around, and what its own sums have no loops for, must have loops
        // among those that are yet to come.
        let mut open = Vec::new();
        self.collect_free(&value, &mut bound.to_vec(), &mut open);
        if open.iter().any(|v| !free.contains(v)) {
            return None;
        }
        let mut reduced = Vec::new();
        outermost_reductions(&value, &mut |reduce| reduced.extend(self.loops(&reduce.variables)));
        let next = self.order.iter().find(|v| free.contains(v) || reduced.contains(v));
        match next {
            None => Some(Stmt::assign(target.clone(), accumulate, value)),
            Some(v) if free.contains(v) => {
                let (bound, free) = step(bound, free, *v);
                let body = self.assign(&bound, &free, target, accumulate, value)?;
                let annotations = annotations(&self.program.kernel.schedule, *v);
                Some(Stmt::forall(*v, Rc::new(annotations), body))
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
                let mut terms = additive_terms(value.clone()).into_iter();
                if terms.any(|term| pull_reduction(term).is_ok()) {
                    return self.split_terms(bound, free, target, accumulate, value);
                }
                // No term gives up its sum, as in `abs(sum[k](A[i,k] * B[k,j]))`.
                let is_result = target.tensor == self.program.kernel.result();
                (is_result && accumulate.is_none()).then_some(())?;
                self.gather(bound, free, target, value)
            }
        }
    }

    /// Whether nothing need be done for a target where a value is masked: it is not a result with a
    /// place for every coordinate that must be stored to one by one, nor one that is returned.
    fn may_skip(&self, target: &Access, accumulate: Option<ReduceOp>) -> bool {
        let levels = &self.program.tensor(target.tensor).format.levels;
        let is_result = target.tensor == self.program.kernel.result();
        let fills = levels.iter().any(|s| s.properties.full && s.level.insert().is_none());
        let is_sum = accumulate.is_none_or(|op| op == ReduceOp::Sum);
        is_sum && !(is_result && (fills || levels.is_empty()))
    }

    /// The conditions of a mask that can be decided within the loops around, and what they mask.
    fn take_mask(&self, bound: &[VariableId], value: &Expr) -> Option<(Expr, Expr)> {
        let Expr::Call(Function::Mask, masked) = value else { return None };
        let is_ready = |condition: &Expr| {
            let (mut open, mut reduces) = (Vec::new(), false);
            self.collect_free(condition, &mut bound.to_vec(), &mut open);
            outermost_reductions(condition, &mut |_| reduces = true);
            open.is_empty() && !reduces
        };
        let (ready, open): (Vec<Expr>, Vec<Expr>) =
            masked[0].conjuncts().into_iter().cloned().partition(is_ready);
        let both = |a, b| Expr::call(Function::And, vec![a, b]);
        let ready = ready.into_iter().reduce(both)?;
        let rest = match open.into_iter().reduce(both) {
            Some(open) => Expr::call(Function::Mask, vec![open, masked[1].clone()]),
            None => masked[1].clone(),
        };
        Some((ready, rest))
    }

    /// A value summed over loops. Those over one coordinate only are around the terms that read it there,
    /// so that the others need not be computed in two ways.
    fn summed(&self, free: &[VariableId], value: Expr) -> Expr {
        let is_once = |v: &VariableId| self.program.space.definition(*v) == Some(Definition::Once);
        match free.iter().all(is_once) {
            true => once::sum(self.program, value, free),
            false => Expr::sum(free.to_vec(), value),
        }
    }

    /// Whether the loops of a sum tell where in the target it goes, as those along diagonals do.
    fn places(&self, target: &Access, value: &Expr) -> bool {
        let places = self.sources(target);
        let mut found = false;
        outermost_reductions(value, &mut |reduce| {
            found |= self.loops(&reduce.variables).iter().any(|v| places.contains(v));
        });
        found
    }

    /// One statement for the terms that are not reduced, and one for each that is.
    fn split_terms(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    ) -> Option<Stmt> {
        if accumulate.is_some_and(|op| op != ReduceOp::Sum) {
            return None;
        }
        let mut plain = Expr::ZERO;
        let mut sums = Vec::new();
        for term in additive_terms(value) {
            match pull_reduction(term) {
                Ok(reduce) => sums.push(reduce),
                Err(term) => plain = Expr::add(plain, term),
            }
        }
        let mut statements = Vec::new();
        if !plain.is_zero() {
            statements.push(self.assign(bound, free, target, accumulate, plain)?);
        }
        for Reduce { variables, body, .. } in sums {
            let mut free = free.to_vec();
            let loops = self.loops(&variables).into_iter();
            let loops: Vec<_> = loops.filter(|v| !free.contains(v)).collect();
            free.extend(loops);
            statements.push(self.assign(bound, &free, target, Some(ReduceOp::Sum), *body)?);
        }
        Some(Stmt::sequence(statements))
    }

    /// Whether a target is a result of which the loops around do not yet tell which entry comes next
    /// in order.
    fn takes_in_order(&self, bound: &[VariableId], target: &Access) -> bool {
        let kernel = &self.program.kernel;
        let Some(last) = last_appended(kernel) else { return false };
        let variable = |level| self.program.level_variable(target, level);
        let known = self.program.space.known(kernel, bound);
        target.tensor == kernel.result()
            && (0..=last).filter_map(variable).any(|v| !known.contains(&v))
    }

    /// `target = value`, where the sums within the value go through a workspace over the one variable
    /// that is yet to be looped over.
    fn gather(
        &mut self,
        bound: &[VariableId],
        free: &[VariableId],
        target: &Access,
        value: Expr,
    ) -> Option<Stmt> {
        let (gathered, rest) = gathered(value);
        let mut over = Vec::new();
        self.collect_free(&gathered, &mut bound.to_vec(), &mut over);
        let v = *over.first()?;
        if over.iter().any(|other| *other != v) || !free.contains(&v) {
            return None;
        }
        let workspace = Access { tensor: self.add_workspace(&gathered), indices: vec![v] };
        let value = rest(Expr::Access(workspace.clone()));
        let producer = self.split_terms(bound, &[v], &workspace, Some(ReduceOp::Sum), gathered)?;
        let consumer = self.assign(bound, free, target, None, value)?;
        Some(Stmt::where_(workspace.tensor, ReduceOp::Sum, consumer, producer))
    }

    /// `scalar += value`, where sums within the value go straight into the scalar.
    fn accumulate_terms(
        &mut self,
        bound: &[VariableId],
        target: &Access,
        op: ReduceOp,
        value: Expr,
    ) -> Option<Stmt> {
        let is_sum = |term: &Expr| matches!(term, Expr::Reduce(Reduce { op: ReduceOp::Sum, .. }));
        if op == ReduceOp::Sum && additive_terms(value.clone()).iter().any(is_sum) {
            return self.split_terms(bound, &[], target, Some(op), value);
        }
        if let Some((reduce, temporary, value)) = self.take_reduction(bound, &value) {
            let scalar = Access { tensor: temporary, indices: Vec::new() };
            let producer = self.reduce(bound, &reduce, &scalar)?;
            let consumer = self.assign(bound, &[], target, Some(op), value)?;
            return Some(Stmt::where_(temporary, reduce.op, consumer, producer));
        }
        Some(Stmt::assign(target.clone(), Some(op), value))
    }

    /// The first workspace that a value reads and whose other variables all have loops around.
    fn take_pending(&mut self, bound: &[VariableId], value: &Expr) -> Option<Precomputed> {
        let ready = |part: &Precomputed| {
            let mut reads = false;
            value.for_each_access(&mut |access| reads |= *access == part.workspace);
            reads && self.outer_variables(part).iter().all(|v| bound.contains(v))
        };
        let at = self.pending.iter().position(ready)?;
        Some(self.pending.remove(at))
    }

    /// The loops around that what goes into a workspace needs beside its own.
    fn outer_variables(&self, part: &Precomputed) -> Vec<VariableId> {
        let mut outer = Vec::new();
        let (value, once) = once::split(self.program, part.value.clone());
        let mut own = [self.loops(&part.workspace.indices), once].concat();
        self.collect_free(&value, &mut own, &mut outer);
        outer
    }

    /// Replaces the first outermost reduction whose free variables are all bound by a temporary.
    fn take_reduction(
        &mut self,
        bound: &[VariableId],
        value: &Expr,
    ) -> Option<(Reduce, TensorId, Expr)> {
        let mut found = None;
        outermost_reductions(value, &mut |reduce| {
            if found.is_none() && self.free_variables(reduce).iter().all(|v| bound.contains(v)) {
                found = Some(reduce.clone());
            }
        });
        let reduce = found?;
        let temporary = self.add_temporary(&reduce);
        let scalar = Expr::Access(Access { tensor: temporary, indices: Vec::new() });
        let value = replace(value, &Expr::Reduce(reduce.clone()), &scalar);
        Some((reduce, temporary, value))
    }

    /// `scalar += …` over the variables of a sum, and likewise of other reductions.
    fn reduce(&mut self, bound: &[VariableId], reduce: &Reduce, scalar: &Access) -> Option<Stmt> {
        let free = self.loops(&reduce.variables);
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
