//! The number of steps of statements and instructions that are more than one step.

use super::Machine;
use super::entry::Tensor;
use super::frame::{Frame, Object};
use crate::ir::{Assembled, Check, Instruction, Replacement, Taken};

/// Returns the number of steps for sorting.
pub(super) fn sorting(len: usize) -> u64 {
    len as u64 * u64::from(len.max(2).ilog2())
}

impl Machine {
    /// Creates a machine that runs functions by their paths.
    pub(super) fn with_library(library: super::Library) -> Machine {
        Machine { library, steps: super::STEPS.into(), ..Machine::default() }
    }

    /// Counts steps.
    ///
    /// # Errors
    /// The limit of steps is reached.
    pub(super) fn spend(&self, steps: u64) -> Result<(), String> {
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or("the limit of steps is reached: a loop may be endless".to_owned())
    }

    /// Returns the number of steps since the creation by [`Machine::with_library`].
    pub(super) fn spent(&self) -> u64 {
        super::STEPS - self.steps.get()
    }
}

impl Frame {
    /// Returns the number of elements that an instruction reads.
    pub(super) fn elements_before(&self, instruction: &Instruction) -> u64 {
        match instruction {
            Instruction::Convert { of, .. } | Instruction::LastOfEach { of, .. } => self.size(of),
            Instruction::Invert { of, .. } => self.size(of.name()),
            Instruction::Put { into, value } => match value {
                Replacement::Moved(_) => 0,
                Replacement::Packed(of, _) => self.size(of),
                Replacement::Covered(of, ..) => self.size(of) + self.size(into),
            },
            Instruction::Replace { into, .. } => self.size(into),
            Instruction::Check(Check::Indices { list, .. }) => {
                self.coordinates(list).map_or(0, |list| list.len() as u64)
            }
            Instruction::Check(Check::Gather { tensor, .. }) => self.size(tensor),
            _ => 0,
        }
    }

    /// Returns the number of elements that an instruction has written or validated.
    pub(super) fn elements_after(&mut self, instruction: &Instruction) -> u64 {
        match instruction {
            Instruction::Convert { name, .. }
            | Instruction::Invert { name, .. }
            | Instruction::Copy { name, .. }
            | Instruction::New { name, .. } => self.size(name),
            Instruction::Put { into, value } => match value {
                Replacement::Moved(_) => 0,
                Replacement::Packed(..) | Replacement::Covered(..) => self.size(into),
            },
            Instruction::Assemble { into, is_checked: true, .. } => match into {
                Assembled::Caller(name) | Assembled::New { name, .. } => self.size(name),
            },
            Instruction::Fill { values, .. } => {
                self.values(values).map_or(0, |values| values.len() as u64)
            }
            Instruction::Take { of: Taken::New { .. }, storage } => {
                self.size(&storage.levels) + self.size(&storage.vals)
            }
            _ => 0,
        }
    }

    /// Returns the number of elements of an object.
    fn size(&self, name: &str) -> u64 {
        let arrays = |arrays: &std::collections::BTreeMap<_, Vec<usize>>| {
            arrays.values().map(Vec::len).sum::<usize>()
        };
        let size = match self.get(name) {
            Ok(Object::Tensor(Tensor { arrays: levels, vals, .. })) => arrays(levels) + vals.len(),
            Ok(Object::Levels(levels)) => arrays(levels),
            Ok(Object::Values(values)) => values.len(),
            Ok(Object::List(list)) => list.len(),
            _ => 0,
        };
        size as u64
    }
}
