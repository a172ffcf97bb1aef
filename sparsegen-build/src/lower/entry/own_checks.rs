//! Calls of the checks of arguments.

use super::{Builder, Way, checks};
use crate::ir::{Argument, Check, Function, Instruction, Parameter, Type};

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

    /// Returns the checks that must precede the computation of extents of results.
    pub(super) fn checks_before_shapes(&self) -> Vec<Instruction> {
        let depends = |function: &&Function| {
            let mut shapes = function.results().flat_map(|result| &result.shape);
            shapes.any(|size| {
                let part = checks::part(function, &function.sizes[*size]);
                part.is_some_and(|part| part.arguments().next().is_some())
            })
        };
        self.kernel.functions().filter(depends).flat_map(checks::of_parts).collect()
    }
}
