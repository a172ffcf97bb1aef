//! The operands of a function, and their conversions.

use super::Lowering;
use super::storages::{arrays, numbers};
use crate::concrete::Program;
use crate::ir::{self, Array, Operand};
use crate::notation::{self, Parameter, Tensor, TensorId, TensorRole};

impl Lowering<'_> {
    /// Returns the arrays of all operands.
    pub(super) fn read_arrays(&self) -> Vec<Array> {
        self.read_tensors().flat_map(|id| arrays(self.program, &self.names, id)).collect()
    }

    /// Returns the tensors that may be read: operands, converted operands, and the previous values
    /// of the result.
    pub(super) fn read_tensors(&self) -> impl Iterator<Item = TensorId> {
        let kernel = &self.program.kernel;
        let converted = kernel.converted().map(|(into, _)| into);
        let inverses = kernel.inverses().map(|(id, _)| id);
        self.operands().into_iter().chain(converted).chain(inverses).chain(self.old())
    }

    pub(super) fn operands(&self) -> Vec<TensorId> {
        let kernel = &self.program.kernel;
        let is_passed = |id: &TensorId| {
            let Tensor { role, by_value, .. } = *kernel.tensor(*id);
            // A scalar that is updated is a separate argument.
            let target = self.program.target(*id);
            role.is_argument() && target.is_none_or(|target| by_value && target.is_update)
        };
        kernel.tensor_ids().filter(is_passed).collect()
    }

    pub(super) fn operand(&self, id: TensorId) -> Operand {
        let tensor = self.program.tensor(id);
        let name = self.names.argument(id).to_owned();
        if let TensorRole::Parameter(parameter) = tensor.role {
            return match parameter {
                Parameter::Index => Operand::Index { name },
                Parameter::Indices => Operand::Indices { name },
            };
        }
        if tensor.by_value {
            return Operand::Scalar { name, dtype: tensor.dtype };
        }
        Operand::Tensor(self.tensor_operand(id))
    }

    pub(super) fn tensor_operand(&self, id: TensorId) -> ir::TensorOperand {
        let tensor = self.program.tensor(id);
        ir::TensorOperand {
            name: self.names.argument(id).to_owned(),
            tensor: tensor.name.clone(),
            dtype: tensor.dtype,
            format: tensor.format.marker(),
            pattern: tensor.pattern,
            arrays: arrays(self.program, &self.names, id),
            extents: numbers(self.program, &self.names, id),
        }
    }

    pub(super) fn conversions(&self, operands: &[TensorId]) -> Vec<ir::Conversion> {
        let source = |of: TensorId| match operands.iter().position(|id| *id == of) {
            Some(operand) => ir::Source::Operand(operand),
            None => ir::Source::Result,
        };
        let convert = |(into, converted): (TensorId, notation::Converted)| ir::Conversion {
            of: source(converted.of),
            kind: ir::ConversionKind::Format,
            into: self.tensor_operand(into),
        };
        let invert = |(into, inverse): (TensorId, notation::Inverse)| ir::Conversion {
            of: source(inverse.of),
            kind: ir::ConversionKind::Inverse(self.names.size(inverse.coordinate).to_owned()),
            into: self.tensor_operand(into),
        };
        let taken = self.old().map(|old| ir::Conversion {
            of: ir::Source::Result,
            kind: ir::ConversionKind::Format,
            into: self.tensor_operand(old),
        });
        let kernel = &self.program.kernel;
        let converted = kernel.converted().map(convert);
        converted.chain(kernel.inverses().map(invert)).chain(taken).collect()
    }

    /// Returns the tensor with the previous values of the result, if the loops read it and do not
    /// overwrite its values.
    pub(super) fn old(&self) -> Option<TensorId> {
        let Program { kernel, targets, .. } = self.program;
        if targets.iter().any(|target| target.overwrites) {
            return None;
        }
        let reads = |old: &TensorId| {
            let is_tensor = !kernel.tensor(*old).by_value;
            is_tensor && kernel.accesses.iter().any(|access| access.tensor == *old)
        };
        kernel.previous().filter(reads)
    }
}
