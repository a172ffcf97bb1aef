//! The function that checks the arguments of all entry points, and calls of it.

use super::signature::{seen_type, viewed};
use super::{Builder, Way, checks, reads};
use crate::ir::{Argument, Check, Entry, Instruction, Parameter, Result, Step, Type};
use crate::names::{beside, plain};

impl Builder<'_> {
    /// Returns `NAME_check`.
    pub(super) fn checking(&self) -> Entry {
        let checks = self.all_checks();
        let is_read = |name: &str| reads(&checks, name);
        let result = |step: &Step| match &step.function.result {
            Result::Tensor(result) => Some(Parameter {
                name: result.name.clone(),
                ty: Type::TensorRef(seen_type(result)),
            }),
            Result::Scalar { .. } => None,
        };
        let results = self.passed().filter(|step| is_read(&step.result)).filter_map(result);
        let operands = self.operands.iter().filter(|operand| is_read(operand.name()));
        let parameters = results.chain(operands.map(|operand| viewed(operand))).collect();
        Entry {
            name: beside(&self.kernel.name, "check"),
            kernel: plain(&self.kernel.name).to_owned(),
            docs: vec!["Checks that the extents agree.".to_owned()],
            is_public: false,
            traits: self.kernel.traits(),
            parameters,
            returns: Vec::new(),
            body: [checks, vec![Instruction::Return(Vec::new())]].concat(),
        }
    }

    /// Returns the call of `NAME_check`.
    pub(super) fn check_call(&self, way: Way) -> Instruction {
        let check = self.checking();
        let argument = |Parameter { name, ty }: Parameter| match way == Way::New
            && matches!(ty, Type::TensorRef(_))
        {
            true => Argument::Ref(name),
            false => Argument::Name(name),
        };
        let arguments = check.parameters.into_iter().map(argument);
        let call = self.call(check.name, arguments);
        Instruction::Check(Check::Entry(call))
    }

    /// Returns the checks of all statements.
    pub(super) fn all_checks(&self) -> Vec<Instruction> {
        self.kernel.functions().flat_map(checks::all).collect()
    }
}
