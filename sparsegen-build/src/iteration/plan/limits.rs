//! Limits of plans: the number of operands that a loop merges, and the amount of generated code.

use super::{Plan, Planner, Unplannable};
use crate::concrete::Stmt;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Lattice;
use crate::limits::{CODE, Limit, Merge};
use crate::notation::{TensorId, VariableId};

/// The number of planning steps per loop, in addition to those for its regions.
const LOOP: usize = 16;

impl Planner<'_> {
    /// Checks that the operands of a loop can be merged within the budget.
    pub(super) fn check_merge(
        self,
        variable: VariableId,
        iterators: &[LevelIterator],
    ) -> Result<(), Unplannable> {
        let sparse = iterators.iter().filter(|iterator| !iterator.has_all(self.program));
        let sparse: Vec<TensorId> = sparse.map(|iterator| iterator.access.tensor).collect();
        let count = sparse.len();
        self.budget.merges(count, || {
            let tensors = sparse.iter().map(|id| self.program.tensor(*id));
            let operands = tensors.map(|tensor| (tensor.name.clone(), tensor.span)).collect();
            let variable = self.program.kernel.variable(variable).name.clone();
            Merge { variable, operands }
        });
        if self.budget.spend(LOOP) { Ok(()) } else { Err(Unplannable::TooLarge) }
    }

    /// Checks that code can be generated for the regions of a lattice, which is `None` if it has
    /// too many.
    pub(super) fn check_regions(
        self,
        lattice: Option<Lattice>,
        body: &Stmt,
    ) -> Result<Lattice, Unplannable> {
        let Some(lattice) = lattice else {
            self.budget.exceed(Limit::Operands);
            return Err(Unplannable::TooLarge);
        };
        let regions = lattice.regions();
        let is_left = self.budget.spend(regions.saturating_mul(body.size() + regions));
        is_left.then_some(lattice).ok_or(Unplannable::TooLarge)
    }

    /// Checks that the amount of generated code is within the limit.
    pub(super) fn check_code(self, code: usize) -> Result<(), Unplannable> {
        if code > CODE {
            self.budget.exceed(Limit::Code);
            return Err(Unplannable::TooLarge);
        }
        Ok(())
    }
}

impl Plan {
    /// Returns the amount of generated code: the number of arms of all merge points.
    pub fn code(&self) -> usize {
        match self {
            Plan::Loop(inner) => {
                let arms = inner.points.iter().flat_map(|point| point.arms());
                let bodies: Vec<usize> = inner.bodies.iter().map(|body| body.code()).collect();
                let rest = inner.rest.map_or(0, |rest| bodies[rest]);
                arms.fold(1 + rest, |all, (_, outcome)| all.saturating_add(1 + bodies[outcome]))
            }
            Plan::Where { consumer, producer, .. } => {
                consumer.code().saturating_add(producer.code())
            }
            Plan::Assign { value, .. } => 1 + value.size(),
            Plan::Visit(_) => 0,
            Plan::If { condition, body } => body.code().saturating_add(condition.size()),
            Plan::Sequence(plans) => {
                plans.iter().fold(0, |all, plan| all.saturating_add(plan.code()))
            }
        }
    }
}
