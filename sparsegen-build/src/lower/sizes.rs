//! The extents that a function reads or checks, and the slices that it checks.

use std::collections::BTreeMap;

use crate::concrete::space::Definition;
use crate::ir::{self, Gather, Limit, Part, Size, Source};
use crate::notation::{
    self, Bound, Extent, List, Range, Slice, TensorId, TensorRole, VariableId, VariableRole,
};

use crate::concrete::Program;

use super::Lowering;

impl Lowering<'_> {
    /// Returns the extents, by variable, each with the modes that must have it.
    pub(super) fn sizes(&self, operands: &[TensorId]) -> Vec<Size> {
        let (kernel, space) = (&self.program.kernel, &self.program.space);
        let mut modes: BTreeMap<VariableId, Vec<(usize, usize)>> = BTreeMap::new();
        // The modes of the result by which its previous contents are read.
        let mut held: BTreeMap<VariableId, Vec<usize>> = BTreeMap::new();
        kernel.accesses.iter().for_each(|access| {
            let tensor = kernel.passed_as(access.tensor);
            if kernel.tensor(tensor).role == TensorRole::Previous {
                for (mode, v) in access.indices.iter().enumerate() {
                    held.entry(space.measure(*v)).or_default().push(mode);
                }
                return;
            }
            // A result of an earlier statement has extents that other operands determine.
            let Some(operand) = operands.iter().position(|id| *id == tensor) else { return };
            for (mode, v) in access.indices.iter().enumerate() {
                let of = modes.entry(space.measure(*v)).or_default();
                if !of.contains(&(operand, mode)) {
                    of.push((operand, mode));
                }
            }
        });
        // The extents of several results are checked for each statement.
        let result = match &self.program.targets[..] {
            [only] => &only.access.indices[..],
            _ => &[],
        };
        // A later statement may read a result by variables of its own.
        let of_results = |v: VariableId| {
            self.program.targets.iter().enumerate().find_map(|(k, target)| {
                let read =
                    kernel.accesses.iter().filter(|read| read.tensor == target.access.tensor);
                let mut accesses = std::iter::once(&target.access).chain(read);
                let mode = accesses.find_map(|access| {
                    access.indices.iter().position(|index| space.measure(*index) == v)
                });
                Some((k, mode?))
            })
        };
        let parts = self.parted_modes(operands);
        let size = |(id, variable): (usize, &notation::Variable)| {
            let v = VariableId(id);
            let held = held.remove(&v).unwrap_or_default();
            let own = (0..result.len())
                .filter(|mode| space.measure(result[*mode]) == v || held.contains(mode));
            let own: Vec<usize> = own.collect();
            Size {
                name: self.names.size(v).to_owned(),
                variable: variable.name.clone(),
                constant: variable.declared_size(),
                operands: modes.remove(&v).unwrap_or_default(),
                parts: (0..parts.len())
                    .filter(|k| space.measure(parts[*k]) == parts[*k])
                    .filter(|k| self.counter(parts[*k]) == v)
                    .collect(),
                result: own.clone(),
                of_result: own.first().map(|mode| (0, *mode)).or_else(|| of_results(v)),
                chosen_from: kernel
                    .chosen_from
                    .iter()
                    .find(|(of, _)| space.measure(*of) == v)
                    .map(|(_, op)| op.name().to_owned()),
                used: true,
            }
        };
        let index_variables = kernel.variables.iter().enumerate();
        let index_variables =
            index_variables.filter(|(id, _)| is_sized(self.program, VariableId(*id)));
        index_variables.map(size).collect()
    }

    /// Returns the modes with subranges that are read or assigned, in the order of
    /// [`Lowering::parts`].
    fn parted_modes(&self, operands: &[TensorId]) -> Vec<VariableId> {
        let Program { kernel, space, .. } = self.program;
        let is_part = |v: &VariableId| {
            space.slice(*v).is_some_and(|slice| {
                slice.range().is_some() || slice.fixed().is_some() || slice.list().is_some()
            })
        };
        let parts = (0..kernel.variables.len()).map(VariableId).filter(is_part);
        parts.filter(|v| self.access_by(*v, operands).is_some()).collect()
    }

    /// Returns the variable that counts the coordinates of a subrange.
    fn counter(&self, part: VariableId) -> VariableId {
        let list = self.program.space.slice(part).and_then(Slice::list);
        list.map_or_else(|| self.program.space.counted(part), |(_, v)| v)
    }

    /// Returns the subranges of modes that are read or assigned.
    pub(super) fn parts(&self, operands: &[TensorId]) -> Vec<Part> {
        let kernel = &self.program.kernel;
        let limit = |bound: Bound| match bound {
            Bound::Number(number) => Limit::Number(number),
            Bound::Parameter(id) => Limit::Argument(self.names.argument(id).to_owned()),
        };
        let space = &self.program.space;
        let part = |v: VariableId| {
            let (access, of, mode) = self.access_by(v, operands)?;
            let slice = space.slice(v)?;
            let reads = match (slice.range(), slice.fixed()) {
                (Some(Range { start, end, step, .. }), _) => {
                    ir::Reads::Range { start: limit(*start), end: limit(*end), step: *step }
                }
                (None, Some(at)) => ir::Reads::At(limit(at)),
                (None, None) => ir::Reads::Listed(self.list_of(v)?),
            };
            Some(Part { access: kernel.show_access(access), of, mode, reads })
        };
        self.parted_modes(operands).into_iter().filter_map(part).collect()
    }

    /// Returns the tensor, as the caller passes it, and the mode of the first access with this
    /// index variable.
    fn access_by(
        &self,
        v: VariableId,
        operands: &[TensorId],
    ) -> Option<(&notation::Access, Source, usize)> {
        let Program { kernel, space, .. } = self.program;
        // A range that is read at a subscript of another mode has no mode of its own.
        let is_it = |index: &VariableId| {
            let places = std::iter::successors(Some(*index), |v| space.place(*v));
            places.chain([space.measure(*index)]).any(|place| place == v)
        };
        let results = self.program.targets.iter().map(|target| &target.access);
        let mut accesses = results.chain(&kernel.accesses);
        let access = accesses.find(|access| access.indices.iter().any(is_it))?;
        let tensor = self.program.kernel.passed_as(access.tensor);
        let of = match operands.iter().position(|id| *id == tensor) {
            Some(operand) => Source::Operand(operand),
            None => Source::Result,
        };
        Some((access, of, access.indices.iter().position(is_it)?))
    }

    /// Returns the list of a mode that is read at an index set.
    pub(super) fn list_of(&self, mode: VariableId) -> Option<ir::List> {
        let (list, _) = self.program.space.slice(mode)?.list()?;
        let name = self.names.list(mode).to_owned();
        let argument = |id: &TensorId| self.names.argument(*id).to_owned();
        Some(match list {
            List::Parameter(id) => ir::List::Argument(argument(id)),
            List::LastOfParameter(id) => ir::List::LastOf { of: argument(id), name },
            List::Numbers(numbers) => ir::List::Numbers { name, numbers: numbers.clone() },
        })
    }

    /// Returns the tensors whose elements are coordinates.
    pub(super) fn gathers(&self, operands: &[TensorId]) -> Vec<Gather> {
        let Program { kernel, space, .. } = self.program;
        let gather = |v: VariableId| {
            let by = space.slice(v)?.at.element()?;
            let (_, of, mode) = self.access_by(v, operands)?;
            let tensor = self.program.kernel.passed_as(by.tensor);
            let by = operands.iter().position(|id| *id == tensor);
            let by = by.map_or(Source::Result, Source::Operand);
            Some(Gather { by, dtype: kernel.tensor(tensor).dtype, of, mode })
        };
        let mut gathers: Vec<Gather> = Vec::new();
        for gather in (0..kernel.variables.len()).map(VariableId).filter_map(gather) {
            if !gathers.contains(&gather) {
                gathers.push(gather);
            }
        }
        gathers
    }
}

/// Returns whether a variable has its own extent, of modes or of a subrange.
fn is_sized(program: &Program, v: VariableId) -> bool {
    if program.kernel.variable(v).extent == Extent::Unbounded {
        return false;
    }
    let follows = match program.space.definition(v) {
        None => false,
        Some(Definition::Slice(_)) => program.space.measure(v) != v,
        Some(
            Definition::Computed(_)
            | Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Fixed,
        ) => true,
    };
    let is_of_statement = match program.kernel.variable(v).role {
        VariableRole::Index | VariableRole::Fixed | VariableRole::Mode(_) => true,
        VariableRole::Scheduled | VariableRole::Stored => false,
    };
    !follows && is_of_statement
}

/// Returns the index of the extent of a variable's mode among all extents.
pub(super) fn place(program: &Program, v: VariableId) -> usize {
    let before = 0..program.space.measure(v).0;
    before.filter(|id| is_sized(program, VariableId(*id))).count()
}
