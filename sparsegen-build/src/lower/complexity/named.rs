//! Numbers of iterations in terms of the names of variables and tensors.

use super::{Time, Trips};
use crate::concrete::Program;
use crate::concrete::space::Definition;
use crate::ir;
use crate::notation::{TensorId, VariableId};

impl Time<'_> {
    /// Returns the product in terms of the names of variables and tensors.
    pub(super) fn named(&self, trips: &Trips) -> ir::Term {
        let extent = |v: &VariableId| self.extent(*v);
        let kernel = &self.program.kernel;
        let walked = trips.walked.keys().map(|access| match kernel.inverse(access.tensor) {
            // The inverse of a list has an entry for each of its elements.
            Some(inverse) => extent(&inverse.at),
            None => ir::Factor::Entries(kernel.tensor(self.declared(access.tensor)).name.clone()),
        });
        let mut factors: Vec<_> = trips.dimensions.iter().map(extent).chain(walked).collect();
        // A list has an element for each coordinate of which a tensor has a share.
        let mut divisors: Vec<_> = trips.shared.iter().map(extent).collect();
        divisors.retain(|divisor| {
            let cancelled = factors.iter().position(|factor| factor == divisor);
            cancelled.map(|k| factors.remove(k)).is_none()
        });
        ir::Term { factors, divisors }
    }

    /// Returns the extent of a variable, or of the mode of an operand that is read at the single
    /// coordinate of the variable, or at the coordinates of a list or of another expression.
    fn extent(&self, v: VariableId) -> ir::Factor {
        let Program { kernel, space, .. } = self.program;
        let mut inverses = kernel.inverses();
        let is_listed = inverses.any(|(_, inverse)| inverse.coordinate == v && inverse.mode != v);
        let is_fixed = space.definition(v) == Some(&Definition::Fixed);
        let reads = |index: &VariableId| match is_listed || kernel.variable(v).expression.is_some()
        {
            true => *index == v,
            false => is_fixed && space.slice(*index).is_some_and(|slice| slice.of == v),
        };
        let mut modes = kernel.accesses.iter().filter_map(|access| {
            let tensor = kernel.tensor(self.declared(access.tensor));
            let mode = access.indices.iter().position(reads)?;
            Some(ir::Factor::Mode(tensor.name.clone(), mode))
        });
        modes.next().unwrap_or_else(|| ir::Factor::Extent(kernel.variable(v).name.clone()))
    }

    pub(super) fn declared(&self, id: TensorId) -> TensorId {
        self.program.kernel.passed_as(id)
    }
}
