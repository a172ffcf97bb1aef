//! Workspaces for the precomputed parts of a value.

use super::Nest;
use crate::concrete::{Precomputed, Program, fixed};
use crate::notation::{Expr, VariableId};

/// Returns the precomputed parts that a value reads, also in other parts.
pub(super) fn parts_of(program: &Program, value: &Expr) -> Vec<Precomputed> {
    let mut read: Vec<Precomputed> = Vec::new();
    let mut values = vec![value];
    while let Some(value) = values.pop() {
        value.for_each_access(&mut |access| {
            let part = program.precomputed.iter().find(|part| part.workspace == *access);
            if let Some(part) = part.filter(|part| !read.contains(part)) {
                read.push(part.clone());
                values.push(&part.value);
            }
        });
    }
    read
}

impl Nest<'_> {
    /// Removes and returns the first pending workspace that a value reads and whose other variables
    /// all have enclosing loops. It is filled before the loop that reads it.
    pub(super) fn take_pending(
        &mut self,
        bound: &[VariableId],
        value: &Expr,
    ) -> Option<Precomputed> {
        let ready = |part: &Precomputed| {
            value.reads(&part.workspace)
                && self.outer_variables(part).iter().all(|v| bound.contains(v))
                && !self.loops(&part.workspace.indices).iter().any(|v| bound.contains(v))
        };
        let at = self.pending.iter().position(ready)?;
        Some(self.pending.remove(at))
    }

    /// Returns the enclosing loops that the value of a workspace needs in addition to its own.
    pub(super) fn outer_variables(&self, part: &Precomputed) -> Vec<VariableId> {
        let mut outer = Vec::new();
        let (value, fixed_loops) = fixed::split(self.program, part.value.clone());
        let mut own = [self.loops(&part.workspace.indices), fixed_loops].concat();
        self.collect_free(&value, &mut own, &mut outer);
        outer
    }
}
