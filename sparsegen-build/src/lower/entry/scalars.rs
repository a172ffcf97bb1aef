//! Results that are scalars: returned, or updated in place.

use super::run::Run;
use crate::ir::{Expr, Instruction, Operand, Result, Step, Target, UpdatedScalar, Value};
use crate::names::beside;

impl Run<'_> {
    /// Declares scalar results, or updates scalars of the caller.
    pub(super) fn scalars(&self, body: &mut Vec<Instruction>, value: Value) -> Vec<Instruction> {
        let is_scalar = |step: &&Step| matches!(step.function.result, Result::Scalar { .. });
        let Some(UpdatedScalar { name, adds }) = self.loops.updated_scalar() else {
            let into = self.steps.iter().filter(is_scalar).map(|step| self.builder.local(step));
            body.push(Instruction::Run { into: into.collect(), value });
            return Vec::new();
        };
        let is_reference = self.is_reference(name);
        let change =
            |value| Instruction::Change { name: name.clone(), is_reference, adds: *adds, value };
        if self.loops.division.is_none() {
            return vec![change(value)];
        }
        let own = self.names().value;
        let into = vec![Target::Let { name: own.clone(), is_mutable: false }];
        body.push(Instruction::Run { into, value });
        vec![change(Value::Name(own))]
    }

    /// Returns whether a name denotes a scalar that the caller passes by reference.
    pub(super) fn is_reference(&self, name: &str) -> bool {
        let mut passed = self.builder.passed();
        passed.any(|step| step.result == name && step.function.updated_scalar().is_some())
    }

    /// Declares a scalar result, or updates a scalar of the caller, given the reductions of all
    /// parts.
    pub(super) fn scalar_of_parts(
        &self,
        body: &mut Vec<Instruction>,
        total: Value,
    ) -> Vec<Instruction> {
        let Some((dtype, value)) = self.loops.scalars().next() else {
            return self.scalars(body, total);
        };
        let names: Vec<&String> = self.loops.returned().iter().map(|of| &of.name).collect();
        if let ([own], Expr::Var(name)) = (&names[..], value)
            && *own == name
        {
            return self.scalars(body, total);
        }
        let mut define = |names: Vec<String>, value| {
            let into = names.into_iter().map(|name| Target::Let { name, is_mutable: false });
            body.push(Instruction::Run { into: into.collect(), value });
        };
        define(names.into_iter().cloned().collect(), total);
        let mut value = value.clone();
        for operand in self.loops.operands.iter().map(Operand::name) {
            if self.is_reference(operand) && value.mentions(operand) {
                let previous = beside(operand, &self.names().previous);
                value = value.substitute(operand, &Expr::var(&previous));
                define(vec![previous], Value::Deref(operand.to_owned()));
            }
        }
        self.scalars(body, Value::Computed(value, dtype))
    }
}
