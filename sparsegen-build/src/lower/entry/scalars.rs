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

    /// Declares scalar results, or updates a scalar of the caller, given the values that all parts return.
    pub(super) fn total_of_parts(
        &self,
        body: &mut Vec<Instruction>,
        total: Value,
    ) -> Vec<Instruction> {
        let mut results = self.loops.scalars();
        if let ([own], Some((_, Expr::Var(name))), None) =
            (self.loops.returned(), results.next(), results.next())
            && own.name == *name
        {
            return self.scalars(body, total);
        }
        body.push(Instruction::Run { into: self.scalars_read(), value: total });
        self.scalars_of_parts(body)
    }

    /// Returns the declarations of the variables that all parts return, for scalar results.
    pub(super) fn scalars_read(&self) -> Vec<Target> {
        self.declared(&|name| self.loops.scalars().any(|(_, value)| value.mentions(name)))
    }

    /// Returns the declarations of the variables that all parts return.
    pub(super) fn declared(&self, is_read: &dyn Fn(&str) -> bool) -> Vec<Target> {
        let name = |name: &str| if is_read(name) { name.to_owned() } else { "_".to_owned() };
        let returned = self.loops.returned().iter();
        returned.map(|of| Target::Let { name: name(&of.name), is_mutable: false }).collect()
    }

    /// Declares scalar results, or updates a scalar of the caller, given variables with the combined
    /// values of all parts.
    pub(super) fn scalars_of_parts(&self, body: &mut Vec<Instruction>) -> Vec<Instruction> {
        let mut results = self.loops.scalars();
        if self.loops.updated_scalar().is_none() {
            let is_scalar = |step: &&Step| matches!(step.function.result, Result::Scalar { .. });
            let steps = self.steps.iter().filter(is_scalar);
            for (step, (dtype, value)) in steps.zip(results) {
                let value = Value::Computed(self.dereferenced(value, body), dtype);
                body.push(Instruction::Run { into: vec![self.builder.local(step)], value });
            }
            return Vec::new();
        }
        let Some((dtype, value)) = results.next() else { return Vec::new() };
        let value = Value::Computed(self.dereferenced(value, body), dtype);
        self.scalars(body, value)
    }

    /// Returns a value in terms of copies of the scalars that the caller passes by reference.
    fn dereferenced(&self, value: &Expr, body: &mut Vec<Instruction>) -> Expr {
        let mut value = value.clone();
        for operand in self.loops.operands.iter().map(Operand::name) {
            if self.is_reference(operand) && value.mentions(operand) {
                let previous = beside(operand, &self.names().previous);
                value = value.substitute(operand, &Expr::var(&previous));
                let into = vec![Target::Let { name: previous, is_mutable: false }];
                body.push(Instruction::Run { into, value: Value::Deref(operand.to_owned()) });
            }
        }
        value
    }
}
