//! Calls of the checks of arguments.

use super::{Builder, Way, checks};
use crate::ir::{Argument, Check, Instruction, Parameter, Type};

impl Builder<'_> {
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
        Instruction::Check { kernel: self.kernel.name.clone(), check: Check::Entry(call) }
    }

    /// Returns the checks of all statements.
    pub(super) fn all_checks(&self) -> Vec<Instruction> {
        self.kernel.functions().flat_map(checks::all).collect()
    }
}
