//! The extents that a function reads or checks, and the parts of modes.

use std::collections::BTreeMap;

use crate::concrete::space::Definition;
use crate::ir::{Limit, Part, Size};
use crate::notation::{self, Bound, TensorId, VariableId};

use super::Lowering;

impl Lowering<'_> {
    /// The extents, by variable, each with the modes that must have it.
    pub(super) fn sizes(&self, operands: &[TensorId]) -> Vec<Size> {
        let kernel = &self.program.kernel;
        let mut modes: BTreeMap<VariableId, Vec<(usize, usize)>> = BTreeMap::new();
        // The modes of the result that what it held before is read by.
        let mut held: BTreeMap<VariableId, Vec<usize>> = BTreeMap::new();
        kernel.accesses.iter().for_each(|access| {
            let converted = self.program.converted.iter();
            let of = converted.clone().find(|converted| converted.into == access.tensor);
            let tensor = of.map_or(access.tensor, |converted| converted.of);
            if kernel.old == Some(tensor) {
                for (mode, v) in access.indices.iter().enumerate() {
                    held.entry(*v).or_default().push(mode);
                }
                return;
            }
            let operand = operands.iter().position(|id| *id == tensor);
            let operand = operand.expect("every tensor that is read is an operand");
            for (mode, v) in access.indices.iter().enumerate() {
                let of = modes.entry(*v).or_default();
                if !of.contains(&(operand, mode)) {
                    of.push((operand, mode));
                }
            }
        });
        let result = &kernel.assignment.result.indices;
        let parts = self.parted_modes();
        let size = |(id, variable): (usize, &notation::Variable)| {
            let v = VariableId(id);
            let held = held.remove(&v).unwrap_or_default();
            Size {
                name: self.names.size(v).to_owned(),
                variable: variable.name.clone(),
                constant: variable.size,
                operands: modes.remove(&v).unwrap_or_default(),
                parts: (0..parts.len())
                    .filter(|k| self.program.space.counted(parts[*k]) == v)
                    .collect(),
                result: (0..result.len())
                    .filter(|mode| result[*mode] == v || held.contains(mode))
                    .collect(),
                used: true,
            }
        };
        let defined = kernel.schedule.iter().flat_map(|command| command.action.defines());
        let is_indexed = |v: VariableId| {
            let follows = match self.program.space.definition(v) {
                None | Some(Definition::Slice(_)) => false,
                Some(_) => true,
            };
            !follows && !defined.clone().any(|of| *of == v)
        };
        let index_variables = kernel.variables.iter().enumerate();
        let index_variables = index_variables.filter(|(id, _)| is_indexed(VariableId(*id)));
        index_variables.map(size).collect()
    }

    /// The modes of which parts are read.
    fn parted_modes(&self) -> Vec<VariableId> {
        let variables = (0..self.program.kernel.variables.len()).map(VariableId);
        variables.filter(|v| self.program.space.slice(*v).is_some()).collect()
    }

    /// The parts of modes that are read.
    pub(super) fn parts(&self, operands: &[TensorId]) -> Vec<Part> {
        let kernel = &self.program.kernel;
        let limit = |bound: Bound| match bound {
            Bound::Number(number) => Limit::Number(number),
            Bound::Parameter(id) => Limit::Argument(self.names.argument(id).to_owned()),
        };
        let part = |v: VariableId| {
            let slice = self.program.space.slice(v)?;
            let reads = |access: &&notation::Access| access.indices.contains(&v);
            let access = kernel.accesses.iter().find(reads)?;
            let tensor = self.program.declared_as(access.tensor);
            Some(Part {
                access: kernel.show_access(access),
                operand: operands.iter().position(|id| *id == tensor)?,
                mode: access.indices.iter().position(|index| *index == v)?,
                start: limit(slice.start),
                end: slice.end.map(limit),
                step: slice.step,
            })
        };
        self.parted_modes().into_iter().filter_map(part).collect()
    }
}
