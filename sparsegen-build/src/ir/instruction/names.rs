//! The names that instructions read, and the types of the tensors that they create.

use super::{
    Argument, Assembled, Call, Check, Derivation, Instruction, Join, Replacement, Shape, Taken,
    Value, Vector,
};
use crate::ir::TensorType;

impl Call {
    /// Calls `visit` with the names in the arguments.
    fn names<'c>(&'c self, visit: &mut dyn FnMut(&'c str)) {
        self.arguments.iter().for_each(|argument| visit(argument.name()));
    }
}

impl Argument {
    /// Returns the name in the argument.
    pub fn name(&self) -> &str {
        match self {
            Argument::Name(name)
            | Argument::Deref(name)
            | Argument::Ref(name)
            | Argument::Mut(name)
            | Argument::View(name)
            | Argument::Values(name)
            | Argument::Start(name)
            | Argument::End(name)
            | Argument::Vector(Vector::Values(name)) => name,
            Argument::Vector(Vector::Field(field)) | Argument::Field(field) => &field.levels,
        }
    }
}

impl Value {
    fn names<'v>(&'v self, visit: &mut dyn FnMut(&'v str)) {
        match self {
            Value::Name(name) | Value::Deref(name) => visit(name),
            Value::Computed(value, _) => value.names(visit),
            Value::Call(call) | Value::Total(_, call, _) => call.names(visit),
            Value::Either { condition, holds, otherwise } => {
                visit(condition);
                [holds, otherwise].into_iter().for_each(|call| call.names(visit));
            }
        }
    }
}

impl Derivation {
    fn names<'d>(&'d self, visit: &mut dyn FnMut(&'d str)) {
        visit(&self.result);
        self.operands.iter().for_each(|operand| visit(operand.name()));
    }
}

impl Check {
    fn names<'c>(&'c self, visit: &mut dyn FnMut(&'c str)) {
        let modes = match self {
            Check::Agree { modes, .. } | Check::Demand { modes, .. } => modes.as_slice(),
            Check::Index { mode, .. }
            | Check::Slice { mode, .. }
            | Check::Indices { mode, .. }
            | Check::Gather { mode, .. } => std::slice::from_ref(mode),
            Check::Choice { .. }
            | Check::Room { .. }
            | Check::Fits { .. }
            | Check::Division(_)
            | Check::Known { .. }
            | Check::Entry(_) => &[],
        };
        modes.iter().for_each(|mode| mode.extent.names(visit));
        match self {
            Check::Choice { extent, .. } => extent.names(visit),
            Check::Room { factors, .. } => factors.iter().for_each(|factor| factor.names(visit)),
            Check::Index { at, .. } => at.names(visit),
            Check::Slice { start, end, .. } => [start, end].iter().for_each(|e| e.names(visit)),
            Check::Indices { list, .. } => list.argument().into_iter().for_each(visit),
            Check::Gather { tensor, .. } => visit(tensor),
            Check::Known { answer, .. } => answer.names(visit),
            Check::Entry(call) => call.names(visit),
            Check::Agree { .. }
            | Check::Demand { .. }
            | Check::Fits { .. }
            | Check::Division(_) => {}
        }
    }
}

impl Instruction {
    /// Returns the type of the tensor that it creates, if the instruction names that type.
    pub fn made(&self) -> Option<&TensorType> {
        match self {
            Instruction::Convert { ty, .. }
            | Instruction::Invert { ty, .. }
            | Instruction::New { ty, .. }
            | Instruction::Take { of: Taken::New { ty, .. }, .. }
            | Instruction::Assemble { into: Assembled::New { ty, .. }, .. } => Some(ty),
            Instruction::Take { of: Taken::Caller(_), .. }
            | Instruction::Assemble { into: Assembled::Caller(_), .. }
            | Instruction::Ignore(_)
            | Instruction::View(_)
            | Instruction::Check(_)
            | Instruction::Let { .. }
            | Instruction::LastOfEach { .. }
            | Instruction::Divide(_)
            | Instruction::Workspaces { .. }
            | Instruction::Copy { .. }
            | Instruction::Fill { .. }
            | Instruction::Borrow { .. }
            | Instruction::Derive(_)
            | Instruction::Derived { .. }
            | Instruction::Put { .. }
            | Instruction::Parts { .. }
            | Instruction::Split { .. }
            | Instruction::SplitIntervals { .. }
            | Instruction::Join(_)
            | Instruction::Run { .. }
            | Instruction::Change { .. }
            | Instruction::Replace { .. }
            | Instruction::Return(_) => None,
        }
    }

    /// Calls `visit` with the names of the arguments and variables that it reads.
    pub fn names<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Instruction::View(names) => names.iter().for_each(|name| visit(name)),
            Instruction::Check(check) => check.names(visit),
            Instruction::Let { value, .. } => value.names(visit),
            Instruction::Invert { of, extent, .. } => {
                visit(of.name());
                extent.names(visit);
            }
            Instruction::Ignore(name)
            | Instruction::Convert { of: name, .. }
            | Instruction::LastOfEach { of: name, .. }
            | Instruction::Copy { of: name, .. }
            | Instruction::Take {
                of: Taken::Caller(name) | Taken::New { like: name, .. }, ..
            }
            | Instruction::Borrow { of: name, .. }
            | Instruction::New { shape: Shape::Of(name), .. } => visit(name),
            Instruction::New { shape: Shape::Extents(extents), .. } => {
                extents.iter().for_each(|extent| extent.names(visit));
            }
            Instruction::Divide(_)
            | Instruction::Workspaces { .. }
            | Instruction::Assemble { .. } => {}
            Instruction::Derive(derivation) => derivation.names(visit),
            Instruction::Derived { all, .. } => all.iter().for_each(|one| one.names(visit)),
            Instruction::Fill { values, .. } => visit(values.name()),
            Instruction::Put { into, value } => {
                visit(into);
                if let Replacement::Covered(_, _, cover) = value {
                    cover.inside.names(visit);
                    let lists = cover.listed.iter().filter_map(|(_, list)| list.argument());
                    lists.for_each(visit);
                }
            }
            Instruction::Parts { range, lengths, block, .. } => {
                block.names(visit);
                lengths.iter().for_each(|length| length.names(visit));
                range.extents(&mut |extent| extent.names(visit));
                range.arrays(&mut |(tensor, _)| visit(tensor));
            }
            Instruction::SplitIntervals { call, intervals, .. } => {
                call.names(visit);
                intervals.coordinate.arrays().for_each(|(tensor, _)| visit(tensor));
            }
            Instruction::Split { call, .. } => call.names(visit),
            Instruction::Join(Join { call, known, tables, own, .. }) => {
                let known = known.iter().map(|(_, known)| known);
                std::iter::once(call).chain(known).for_each(|call| call.names(visit));
                own.iter().for_each(|own| own.share.names(visit));
                let parents = tables.iter().filter_map(|tables| tables.by.parents.as_ref());
                parents.for_each(|parents| parents.names(visit));
            }
            Instruction::Run { value, .. } | Instruction::Change { value, .. } => {
                value.names(visit)
            }
            Instruction::Replace { into, by, .. } => {
                [into, by].into_iter().for_each(|name| visit(name))
            }
            Instruction::Return(values) => values.iter().for_each(|value| value.names(visit)),
        }
    }
}
