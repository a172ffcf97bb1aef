//! Workspaces for the precomputed parts of a value.

use super::Nest;
use crate::concrete::terms::reduced;
use crate::concrete::{Precomputed, Program, Stmt, fixed};
use crate::notation::{Access, Expr, ReduceOp, TensorId, VariableId};

/// A precomputed part that has not been placed.
#[derive(Clone)]
pub(super) struct Pending {
    pub workspace: Access,
    /// The value, with sums for the fixed coordinates without loops.
    pub value: Expr,
    /// The reduction that combines values in an element of the workspace.
    pub op: ReduceOp,
    /// The loops that fill the workspace.
    pub loops: Vec<VariableId>,
}

impl Pending {
    fn of(program: &Program, part: &Precomputed) -> Pending {
        let (value, fixed_loops) = fixed::split(program, part.value.clone());
        let mut loops = program.basis.loops_of(&part.workspace.indices);
        loops.extend(fixed_loops);
        Pending { workspace: part.workspace.clone(), value, op: part.op, loops }
    }
}

/// Returns the precomputed parts that a value reads, also in other parts.
pub(super) fn parts_of(program: &Program, value: &Expr) -> Vec<Pending> {
    let mut read: Vec<&Precomputed> = Vec::new();
    let mut values = vec![value];
    while let Some(value) = values.pop() {
        value.for_each_access(&mut |access| {
            let part = program.precomputed.iter().find(|part| part.workspace == *access);
            if let Some(part) = part.filter(|part| !read.contains(part)) {
                read.push(part);
                values.push(&part.value);
            }
        });
    }
    read.into_iter().map(|part| Pending::of(program, part)).collect()
}

/// Returns whether workspaces are read only where they have been filled, beside those of `filled`:
/// one that two parts read may be filled for the first of them only.
pub(super) fn are_filled(program: &Program, stmt: &Stmt, filled: &mut Vec<TensorId>) -> bool {
    match stmt {
        Stmt::Forall { body, .. } => are_filled(program, body, filled),
        Stmt::Where { temporaries, consumer, producer } => {
            let before = filled.len();
            let is_produced = are_filled(program, producer, filled);
            filled.extend(temporaries.iter().map(|temporary| temporary.tensor));
            let is_consumed = is_produced && are_filled(program, consumer, filled);
            filled.truncate(before);
            is_consumed
        }
        Stmt::Assign { value, .. } => reads_filled(program, value, filled),
        Stmt::If { condition, body } => {
            reads_filled(program, condition, filled) && are_filled(program, body, filled)
        }
        Stmt::Sequence(stmts) => stmts.iter().all(|stmt| are_filled(program, stmt, filled)),
    }
}

fn reads_filled(program: &Program, value: &Expr, filled: &[TensorId]) -> bool {
    let mut is_filled = true;
    value.for_each_access(&mut |access| {
        let is_kept = program.precomputed.iter().any(|part| part.workspace == *access);
        is_filled &= !is_kept || filled.contains(&access.tensor);
    });
    is_filled
}

impl Nest<'_> {
    /// Removes and returns the first pending workspace that a value reads and whose other variables
    /// all have enclosing loops. It is filled before the loop that reads it, and before loops over
    /// variables that it reduces over itself.
    pub(super) fn take_pending(&mut self, bound: &[VariableId], value: &Expr) -> Option<Pending> {
        // The loop for a fixed coordinate may be an enclosing one.
        let is_other = |v: &VariableId| bound.contains(v) && !self.program.is_loop_of_fixed(*v);
        let ready = |part: &Pending| {
            value.reads(&part.workspace)
                && !self.loops(&part.workspace.indices).iter().any(|v| bound.contains(v))
                && self.outer_variables(part).iter().all(|v| bound.contains(v))
                && !self.loops(&reduced(&part.value)).iter().any(is_other)
        };
        let at = self.pending.iter().position(ready)?;
        Some(self.pending.remove(at))
    }

    /// Constructs the loops that fill a workspace.
    pub(super) fn fill(&mut self, bound: &[VariableId], part: Pending) -> Option<Stmt> {
        let Pending { workspace, value, op, loops } = part;
        match value {
            Expr::Reduce(reduce) if reduce.op == op && op != ReduceOp::SUM => {
                self.accumulate(bound, &loops, &workspace, reduce)
            }
            value => self.assign(bound, &loops, &workspace, None, value),
        }
    }

    /// Returns the enclosing loops that the value of a workspace needs in addition to its own.
    pub(super) fn outer_variables(&self, part: &Pending) -> Vec<VariableId> {
        let mut outer = Vec::new();
        self.collect_free(&part.value, &mut part.loops.clone(), &mut outer);
        outer
    }
}
