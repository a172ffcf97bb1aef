//! Runs entry points on whole tensors.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::derived::Derived;
use super::frame::{Frame, Object};
use super::parts::length;
use super::{Fault, Machine, Number, Value, expr};
use crate::ir::{
    Assembled, BinaryOp, Call, Combining, Derivation, Instruction, Join, Kernel, Own, Replacement,
    Shape, Share, Storage, Taken, Target, TensorType,
};

/// A tensor as entry points know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its type.
    pub ty: TensorType,
    /// The extent of each mode.
    pub shape: Vec<usize>,
    /// The arrays of each level, by level and field; an extent that a level keeps is an array of one.
    pub arrays: BTreeMap<(usize, String), Vec<usize>>,
    /// The values.
    pub vals: Vec<Number>,
    /// What has determined its structure, if that is known.
    pub derivation: Option<Derived>,
}

/// Returns whether a coordinate lies within the part of a tensor that is computed.
pub type Covers<'c> = &'c dyn Fn(&[usize]) -> Result<bool, String>;

/// Combines the values of two entries of one coordinate.
pub type Combines<'c> = &'c dyn Fn(Number, Number) -> Result<Number, String>;

/// The operations on tensors that the runtime crate provides.
pub trait Runtime {
    /// Returns a tensor without entries; `None` if the format does not store one of this shape.
    fn zeros(&self, ty: &TensorType, shape: &[usize]) -> Result<Option<Tensor>, String>;

    /// Returns a tensor in another format, or `None` if that does not store it. Where it covers a part of
    /// another tensor, the entries of that outside of the part are kept. Entries of one coordinate are
    /// combined, or added up.
    fn pack(
        &self,
        of: &Tensor,
        kept: Option<(&Tensor, Covers<'_>)>,
        ty: &TensorType,
        combines: Option<Combines<'_>>,
    ) -> Result<Option<Tensor>, String>;

    /// Returns the inverse of a list: a pattern with an entry at `[c, j]` where the list has the
    /// coordinate `c`, which is below the extent, at `j`.
    fn inverse(&self, list: &[usize], extent: usize, ty: &TensorType) -> Result<Tensor, String>;

    /// Checks that a tensor is valid, which its maker relies on.
    fn validate(&self, tensor: &Tensor) -> Result<(), String>;

    /// The value of a function that is called by its path.
    fn library(&self) -> super::Library;
}

/// The end of a run without results.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The entry point returns an error: its kind, as `Error` names it.
    Error(&'static str),
    /// The kernel is wrong.
    Fault(Fault),
}

/// A run of the functions of a kernel.
pub struct Session<'s> {
    /// The kernel.
    pub kernel: &'s Kernel,
    /// The operations on tensors.
    pub runtime: &'s dyn Runtime,
    /// The number of parts in which parallel loops run.
    pub parts: usize,
    /// The number of steps of the entry points that have run: statements, iterations and comparisons
    /// of searches, elements that are initialised, copied, converted or checked, and `n log n` for
    /// sorting `n` elements.
    pub steps: Cell<u64>,
}

/// A result that a check or an operation may end early.
pub(super) type Done<T> = Result<T, Stop>;

fn fault(place: &str, reason: String) -> Stop {
    Stop::Fault(Fault { statement: place.to_owned(), reason })
}

impl Session<'_> {
    /// Runs an entry point. `arguments` are changed as it changes them; returns the values that it returns.
    ///
    /// # Errors
    /// Its error, or a fault of the kernel.
    pub fn run(&self, entry: &str, arguments: &mut BTreeMap<String, Object>) -> Done<Vec<Object>> {
        let known = self.kernel.entries.iter().find(|known| known.name == entry);
        let entry = known.ok_or_else(|| fault(entry, "there is no such function".into()))?;
        let mut frame = Frame::new(self.runtime.library());
        for parameter in &entry.parameters {
            let argument = arguments.get(&parameter.name);
            let argument =
                argument.ok_or_else(|| fault(&parameter.name, "is not passed".into()))?;
            frame.insert(&parameter.name, argument.clone());
        }
        let mut returned = Vec::new();
        for instruction in &entry.body {
            let here = |stop: Stop| match stop {
                Stop::Fault(Fault { statement, reason }) if statement.is_empty() => {
                    let shown = format!("{instruction:?}");
                    let kind = shown.split([' ', '(']).next().unwrap_or_default();
                    fault(&format!("{kind} in {}", entry.name), reason)
                }
                stop => stop,
            };
            let before = frame.elements_before(instruction);
            returned = self.step(instruction, &mut frame).map_err(here)?;
            frame.steps += 1 + before + frame.elements_after(instruction);
        }
        self.steps.set(self.steps.get() + frame.steps);
        for parameter in &entry.parameters {
            if let Ok(object) = frame.get(&parameter.name) {
                arguments.insert(parameter.name.clone(), object.clone());
            }
        }
        Ok(returned)
    }

    fn step(&self, instruction: &Instruction, frame: &mut Frame) -> Done<Vec<Object>> {
        match instruction {
            // What is ignored must not be read later.
            Instruction::Ignore(name) => frame.remove(name),
            Instruction::View(names) => {
                names.iter().try_for_each(|name| frame.tensor(name).map(drop))?;
            }
            Instruction::Check(check) => self.check(check, frame)?,
            Instruction::Let { name, value } => {
                let value = frame.index(value)?;
                frame.insert(name, Object::Index(value));
            }
            Instruction::Convert { name, of, ty } => {
                let converted = self.runtime.pack(frame.tensor(of)?, None, ty, None);
                frame.insert(name, Object::Tensor(stored(converted)?));
            }
            Instruction::Invert { name, of, extent, ty } => {
                let (list, extent) = (frame.listed(of)?, frame.index(extent)?);
                let inverse = self.runtime.inverse(&list, extent, ty).map_err(plain)?;
                frame.insert(name, Object::Tensor(inverse));
            }
            Instruction::LastOfEach { name, of } => {
                let list = frame.list(of)?;
                let is_last = |k: usize| !list[k + 1..].contains(&list[k]);
                let last = (0..list.len()).map(|k| if is_last(k) { list[k] } else { usize::MAX });
                let last = Object::List(last.collect());
                frame.insert(name, last);
            }
            Instruction::Divide(name) => frame.insert(name, Object::Division),
            Instruction::Workspaces { name, .. } => {
                frame.insert(name, Object::Workspaces(BTreeMap::new()));
            }
            Instruction::New { name, ty, shape } => {
                let shape = match shape {
                    Shape::Of(like) => frame.tensor(like)?.shape.clone(),
                    Shape::Extents(extents) => extents
                        .iter()
                        .map(|extent| frame.index(extent))
                        .collect::<Result<_, _>>()?,
                };
                frame.insert(name, Object::Tensor(stored(self.runtime.zeros(ty, &shape))?));
            }
            Instruction::Copy { name, of } => {
                let copy = frame.tensor(of)?.clone();
                frame.insert(name, Object::Tensor(copy));
            }
            Instruction::Fill { values, value } => {
                let value =
                    frame.machine().eval(value).and_then(Value::as_element).map_err(plain)?;
                frame.values(values)?.fill(value);
            }
            Instruction::Take { of, storage } => {
                let taken = match of {
                    Taken::Caller(name) => frame.take(name)?,
                    Taken::New { like, ty } => {
                        let shape = frame.tensor(like)?.shape.clone();
                        stored(self.runtime.zeros(ty, &shape))?
                    }
                };
                frame.insert(&storage.shape, Object::Shape(taken.shape));
                frame.insert(&storage.levels, Object::Levels(taken.arrays));
                frame.insert(&storage.vals, Object::Values(taken.vals));
            }
            Instruction::Borrow { of, storage } => {
                frame.tensor(of)?;
                frame.insert(&storage.levels, Object::LevelsOf(of.clone()));
                frame.insert(&storage.vals, Object::ValuesOf(of.clone()));
            }
            Instruction::Assemble { into, storage, .. } => self.assemble(into, storage, frame)?,
            Instruction::Derive(by) => {
                let derived = frame.derived(by)?;
                frame.tensor_mut(&by.result)?.derivation = Some(derived);
            }
            Instruction::Derived { name, all } => {
                let is_derived = |by: &Derivation| {
                    Ok(frame.tensor(&by.result)?.derivation == Some(frame.derived(by)?))
                };
                let are: Vec<bool> = all.iter().map(is_derived).collect::<Done<_>>()?;
                frame.insert(name, Object::Bool(!are.contains(&false)));
            }
            Instruction::Put { into, value } => {
                let tensor = self.packed(into, value, frame)?;
                frame.insert(into, Object::Tensor(tensor));
            }
            Instruction::Parts { name, range, block, lengths, .. } => {
                lengths.iter().try_for_each(|length| frame.index(length).map(drop))?;
                let (size, count) = (length(range, frame)?, self.parts.max(1));
                let block = frame.index(block)?;
                let bound = |k: usize| match k == count {
                    true => size,
                    false => size * k / count / block * block,
                };
                let parts = (0..count).map(|k| bound(k)..bound(k + 1));
                // No part is empty unless the range is.
                let mut parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
                if parts.is_empty() {
                    parts.push(0..size);
                }
                frame.insert(name, Object::Parts(parts));
            }
            Instruction::Split { parts, tensor, vals, call } => {
                let own = Own { tensor: tensor.clone(), vals: vals.clone(), share: Share::Chunk };
                self.run_parts(
                    &Join {
                        parts: parts.clone(),
                        filled: String::new(),
                        own: vec![own],
                        orders: Vec::new(),
                        returned: Vec::new(),
                        combined: Vec::new(),
                        numbers: Vec::new(),
                        tables: Vec::new(),
                        vectors: Vec::new(),
                        call: call.clone(),
                        known: None,
                    },
                    frame,
                )?;
            }
            Instruction::SplitIntervals { parts, tensor, vals, own, intervals, call, .. } => {
                self.run_intervals(parts, [tensor, vals, own], intervals, call, frame)?;
            }
            Instruction::Join(join) => self.run_parts(join, frame)?,
            Instruction::Run { into, value } => {
                let values = self.value(value, frame)?;
                for (target, value) in into.iter().zip(values) {
                    match (target, value) {
                        (Target::Let { name, .. }, value) => frame.insert(name, value),
                        (Target::Field(field), Object::Index(n)) => frame.set_field(field, vec![n]),
                        (Target::Field(_), value) => {
                            return Err(plain(format!("{value:?} is no extent")));
                        }
                    }
                }
            }
            Instruction::Change { name, is_reference: _, adds, value } => {
                let values = self.value(value, frame)?;
                let [Object::Scalar(new, dtype)] = values.as_slice() else {
                    return Err(plain("a scalar is changed by something else".into()));
                };
                let Object::Scalar(old, _) = frame.get(name)? else {
                    return Err(plain(format!("`{name}` is no scalar")));
                };
                let changed = if *adds { sum(*old, *new, *dtype)? } else { *new };
                frame.insert(name, Object::Scalar(changed, *dtype));
            }
            Instruction::Replace { into, by, .. } => {
                let by = frame.tensor(by)?.clone();
                let into = frame.tensor_mut(into)?;
                if (&into.shape, &into.arrays) != (&by.shape, &by.arrays) {
                    return Err(Stop::Error("Structure"));
                }
                into.vals = by.vals;
            }
            Instruction::Return(values) => {
                let values = values.iter().map(|value| self.value(value, frame));
                return Ok(values.collect::<Done<Vec<_>>>()?.concat());
            }
        }
        Ok(Vec::new())
    }

    fn assemble(&self, into: &Assembled, storage: &Storage, frame: &mut Frame) -> Done<()> {
        let (name, ty) = match into {
            Assembled::Caller(name) => (name, frame.tensor(name)?.ty.clone()),
            Assembled::New { name, ty } => (name, ty.clone()),
        };
        let tensor = frame.assembled(storage, ty)?;
        self.runtime.validate(&tensor).map_err(|reason| plain(format!("{reason}: {tensor:?}")))?;
        frame.insert(name, Object::Tensor(tensor));
        Ok(())
    }

    /// The tensor that replaces another one.
    fn packed(&self, into: &str, value: &Replacement, frame: &Frame) -> Done<Tensor> {
        let old = frame.tensor(into)?;
        let (of, combining, cover) = match value {
            Replacement::Moved(of) => return Ok(frame.tensor(of)?.clone()),
            Replacement::Packed(of, combining) => (of, combining, None),
            Replacement::Covered(of, combining, cover) => (of, combining, Some(cover)),
        };
        let combines = combining.as_ref().map(|combining| {
            let dtype = old.ty.dtype;
            move |a: Number, b: Number| {
                let mut machine = frame.machine();
                combining_in(&mut machine, combining, [a, b], dtype)
            }
        });
        let combines = combines.as_ref().map(|f| f as Combines<'_>);
        let covers = cover.map(|cover| {
            move |at: &[usize]| {
                let mut machine = frame.machine();
                for (name, at) in cover.coordinate.iter().zip(at) {
                    machine.bind(name, Value::Index(*at), false);
                }
                let inside = machine.eval(&cover.inside)?.bool()?;
                let is_listed = |(mode, list): &(usize, crate::ir::List)| {
                    frame.coordinates(list).is_ok_and(|list| list.contains(&at[*mode]))
                };
                Ok(inside && cover.listed.iter().all(is_listed))
            }
        });
        let kept = covers.as_ref().map(|f| (old, f as Covers<'_>));
        stored(self.runtime.pack(frame.tensor(of)?, kept, &old.ty, combines))
    }

    /// Calls loops or an entry point, whose changes of arguments are those of the frame.
    pub(super) fn call(&self, call: &Call, frame: &mut Frame) -> Done<Vec<Object>> {
        if let Some(loops) = self.kernel.loops.iter().find(|loops| loops.name == call.function) {
            return frame.run_loops(loops, &call.arguments);
        }
        let entry = self.kernel.entries.iter().find(|entry| entry.name == call.function);
        let entry = entry.ok_or_else(|| plain(format!("there is no `{}`", call.function)))?;
        let mut arguments = BTreeMap::new();
        for (parameter, argument) in entry.parameters.iter().zip(&call.arguments) {
            arguments.insert(parameter.name.clone(), frame.get(argument.name())?.clone());
        }
        let returned = self.run(&call.function, &mut arguments)?;
        for (parameter, argument) in entry.parameters.iter().zip(&call.arguments) {
            if let Some(changed) = arguments.remove(&parameter.name) {
                frame.insert(argument.name(), changed);
            }
        }
        Ok(returned)
    }
}

/// The combination of two values.
fn combining_in(
    machine: &mut Machine,
    by: &Combining,
    values: [Number; 2],
    dtype: crate::ir::Dtype,
) -> Result<Number, String> {
    for (name, value) in by.values.iter().zip(values) {
        machine.bind(name, Value::element(value, dtype), false);
    }
    machine.eval(&by.combined)?.as_element()
}

/// The combination of two values of parts.
pub(super) fn combined(
    by: &Combining,
    values: [Number; 2],
    dtype: crate::ir::Dtype,
    frame: &Frame,
) -> Done<Number> {
    combining_in(&mut frame.machine(), by, values, dtype).map_err(plain)
}

/// A fault whose statement is known further up.
pub(super) fn plain(reason: String) -> Stop {
    fault("", reason)
}

/// A tensor, or the error that no tensor of its format stores it.
fn stored(tensor: Result<Option<Tensor>, String>) -> Done<Tensor> {
    tensor.map_err(plain)?.ok_or(Stop::Error("Width"))
}

/// The sum of two values.
fn sum(a: Number, b: Number, dtype: crate::ir::Dtype) -> Done<Number> {
    let [a, b] = [a, b].map(|number| Value::element(number, dtype));
    expr::binary(BinaryOp::Add, a, b).and_then(Value::as_element).map_err(plain)
}
