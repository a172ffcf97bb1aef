//! The instructions around the loops of a group: convert operands, take the storage of results,
//! call the loops, and store the results.

use super::checks::{of_gathers, tensor};
use super::kept::loops_of;
use super::loops::{Slot, slots};
use super::names::Names;
use super::signature::{computed_type, extent, held, is_apart, is_passed, operand_type};
use super::{Builder, Way};
use crate::ir::{
    Argument, Array, Assembled, Assembly, Bounds, Call, Check, Conversion, ConversionKind, Element,
    Extent, Field, Fit, Function, Group, Instruction, Kept, List, Listing, Operand, Place, Reads,
    Replacement, Returned, Shape, Source, Step, Storage, Taken, Target, TensorResult, Value,
    Vector, Width,
};
use crate::names::beside;

/// The instructions around the loops of a group.
pub(super) struct Run<'b> {
    pub(super) builder: &'b Builder<'b>,
    pub(super) steps: &'b [Step],
    pub(super) loops: &'b Function,
    way: Way,
}

impl Builder<'_> {
    /// Returns the instructions of a group. `is_fresh` returns whether a result has just been
    /// created.
    pub(super) fn run(
        &self,
        group: &Group<'_>,
        way: Way,
        is_fresh: &dyn Fn(&str) -> bool,
    ) -> Vec<Instruction> {
        let steps = group.steps;
        let loops = loops_of(group, way);
        let run = Run { builder: self, steps, loops, way };
        let mut body = run.conversions();
        let known = self.known(group).filter(|_| way == Way::Compute);
        if known.is_some() {
            let (name, all) = (run.names().is_known, self.derivations(group));
            body.push(Instruction::Derived { name, all });
        }
        body.extend(loops.division.iter().map(|name| Instruction::Divide(name.clone())));
        let phases = if loops.given.is_empty() { &[] } else { &group.function.phases[..] };
        for (k, phase) in phases.iter().enumerate() {
            let after = || phases[k + 1..].iter().chain([loops]);
            let is_read = |name: &str| after().any(|function| function.reads_given(name));
            body.extend(Run { loops: phase, ..run }.scalars_of_phase(&is_read));
        }
        // The extents of a result cannot be read while its structure is borrowed.
        let borrows = loops.results().any(|result| !result.structure().is_empty());
        let mut parts = run.parts();
        body.extend(parts.take_if(|_| borrows));
        for result in loops.results() {
            body.extend(run.before(result, is_fresh(&result.name)));
        }
        body.extend(parts);
        let scalars = run.call_loops(known, &mut body);
        // Storage taken from tensors of the caller is returned even after an error.
        let (apart, taken): (Vec<_>, Vec<_>) =
            loops.results().partition(|result| is_apart(loops, result));
        for result in taken {
            body.extend(run.assemble(result));
            if way == Way::Into {
                let mut derivations = self.derivations(group).into_iter();
                let own = derivations.find(|derivation| derivation.result == result.name);
                body.extend(own.map(Instruction::Derive));
            }
        }
        if let Some(name) = &loops.division {
            body.push(Instruction::Check(Check::Division(name.clone())));
        }
        for result in apart {
            body.extend(run.assemble(result));
            body.extend(run.put(result));
        }
        body.extend(scalars);
        body
    }
}

/// Returns the instruction that inverts a list.
fn inversion(loops: &Function, Conversion { of, kind, into }: &Conversion) -> Option<Instruction> {
    let (ConversionKind::Inverse(size), Source::Operand(operand)) = (kind, of) else { return None };
    let of = match &loops.operands[*operand] {
        Operand::Indices { name } => Listing::Indices(name.clone()),
        Operand::Tensor(tensor) => Listing::Values(tensor.name.clone()),
        Operand::Scalar { .. } | Operand::Index { .. } => return None,
    };
    let size = loops.sizes.iter().find(|known| known.name == *size)?;
    let (name, extent) = (into.name.clone(), extent(loops, size, false)?);
    Some(Instruction::Invert { name, of, extent, ty: operand_type(into) })
}

impl Run<'_> {
    /// Returns the names of variables around the loops.
    pub(super) fn names(&self) -> Names {
        self.builder.names(self.loops, None)
    }

    /// Returns the names of the storage of a result.
    pub(super) fn names_of(&self, result: &TensorResult) -> Names {
        let own = (!self.loops.others.is_empty()).then_some(result.name.as_str());
        let mut names = self.builder.names(self.loops, own);
        names.storage.fills_levels = result.arrays().len() > 1 || !result.extents().is_empty();
        names
    }

    /// Defines extents that only the result has, operands in other formats, and lists.
    fn conversions(&self) -> Vec<Instruction> {
        let loops = self.loops;
        let passed = loops.sizes.iter().filter(|size| is_passed(size)).filter_map(|size| {
            Some(Instruction::Let { name: size.name.clone(), value: extent(loops, size, false)? })
        });
        let mut body: Vec<Instruction> = passed.collect();
        let changed = loops.conversions.iter().filter(|it| held(loops, it).is_none());
        let (changed, inverses): (Vec<_>, Vec<_>) =
            changed.partition(|conversion| conversion.kind == ConversionKind::Format);
        body.extend(changed.into_iter().filter_map(|Conversion { of, into, .. }| {
            let of = tensor(loops, *of)?.1.to_owned();
            Some(Instruction::Convert { name: into.name.clone(), of, ty: operand_type(into) })
        }));
        let read = |of: Source| {
            let is_it = |it: &&Conversion| it.of == of && it.kind == ConversionKind::Format;
            let converted = loops.conversions.iter().find(is_it);
            let converted = converted.filter(|it| held(loops, it).is_none());
            let name = converted.map(|it| it.into.name.as_str());
            name.or_else(|| Some(tensor(loops, of)?.1)).map(str::to_owned)
        };
        body.extend(of_gathers(loops, read));
        body.extend(inverses.into_iter().filter_map(|conversion| inversion(loops, conversion)));
        body.extend(loops.parts.iter().filter_map(|part| match &part.reads {
            Reads::Listed(List::LastOf { of, name }) => {
                Some(Instruction::LastOfEach { name: name.clone(), of: of.clone() })
            }
            Reads::Listed(List::Numbers { .. } | List::Argument(_))
            | Reads::Range { .. }
            | Reads::At(_) => None,
        }));
        body
    }

    /// Returns the instructions for a result before the loops.
    fn before(&self, result: &TensorResult, is_fresh: bool) -> Vec<Instruction> {
        let Names { storage, unpacked, .. } = self.names_of(result);
        let name = || result.name.clone();
        let fill = |values| Instruction::Fill { values, value: (*result.fill).clone() };
        let like = |ty| (name(), ty);
        match (&result.assembly, is_apart(self.loops, result)) {
            (Assembly::Computed { structure, zeroed, .. }, false) if structure.is_empty() => {
                let is_filled = *zeroed && !(is_fresh && result.is_new_filled);
                is_filled.then(|| fill(Argument::Values(name()))).into_iter().collect()
            }
            (Assembly::Computed { zeroed, .. }, false) => {
                let fill = zeroed.then(|| fill(Argument::Name(storage.vals.clone())));
                std::iter::once(Instruction::Borrow { of: name(), storage }).chain(fill).collect()
            }
            (Assembly::Computed { zeroed, .. }, true) => {
                let is_filled = *zeroed && !result.is_new_filled;
                let fill = is_filled.then(|| fill(Argument::Values(unpacked.clone())));
                let new = match result.cover.is_some() && result.packed.is_none() {
                    true => Instruction::Copy { name: unpacked, of: name() },
                    false => {
                        let (of, ty) = like(computed_type(result));
                        Instruction::New { name: unpacked, ty, shape: Shape::Of(of) }
                    }
                };
                std::iter::once(new).chain(fill).collect()
            }
            (Assembly::Assembled { .. }, true) => {
                let (like, ty) = like(computed_type(result));
                vec![Instruction::Take { of: Taken::New { like, ty }, storage }]
            }
            (Assembly::Assembled { .. }, false) => {
                vec![Instruction::Take { of: Taken::Caller(name()), storage }]
            }
        }
    }

    /// Computes the scalars that the loops read, on threads.
    fn scalars_of_phase(&self, is_read: &dyn Fn(&str) -> bool) -> Vec<Instruction> {
        let by = Returned::combining(self.loops.returned());
        let value = Value::Total(self.names().parts, self.call(self.loops), by);
        let total = Instruction::Run { into: self.declared(is_read), value };
        self.parts().into_iter().chain([total]).collect()
    }

    /// Calls the loops, or those for known structures where these are known; returns the instructions
    /// that update scalars afterwards.
    fn call_loops(
        &self,
        known: Option<&Function>,
        body: &mut Vec<Instruction>,
    ) -> Vec<Instruction> {
        let loops = self.loops;
        let call = self.call(loops);
        let structured = loops.results().filter(|result| !result.structure().is_empty());
        let structured: Vec<String> = structured.map(|result| result.tensor.clone()).collect();
        let tensors = super::docs::list(&structured, "or");
        if let Some(parallel) = &loops.parallel {
            let names = self.names();
            return match loops.results().next() {
                None => {
                    let total =
                        Value::Total(names.parts, call, Returned::combining(&parallel.returned));
                    self.total_of_parts(body, total)
                }
                Some(_) => {
                    let known = known.map(|known| (self.names().is_known, self.call(known)));
                    body.push(self.run_parts(parallel, names, call, known));
                    if !structured.is_empty() {
                        let answer = Value::Name(self.names().agrees);
                        body.push(Instruction::Check(Check::Known { answer, tensors }));
                    }
                    self.scalars_of_parts(body)
                }
            };
        }
        let has_others = loops.scalars().next().is_some();
        if !structured.is_empty() && !has_others {
            let answer = match known {
                None => Value::Call(call),
                Some(known) => Value::Either {
                    condition: self.names().is_known,
                    holds: self.call(known),
                    otherwise: call,
                },
            };
            body.push(Instruction::Check(Check::Known { answer, tensors }));
            return Vec::new();
        }
        if has_others {
            return self.scalars(body, Value::Call(call));
        }
        let extents = loops.results().flat_map(|result| {
            let storage = self.names_of(result).storage;
            let field = move |extent: &Extent| number(&storage, extent);
            result.extents().iter().map(field).map(Target::Field).collect::<Vec<_>>()
        });
        body.push(Instruction::Run { into: extents.collect(), value: Value::Call(call) });
        Vec::new()
    }

    /// Returns the tensor that holds the values of a result during the loops.
    pub(super) fn holder(&self, result: &TensorResult) -> String {
        match is_apart(self.loops, result) {
            true => self.names_of(result).unpacked,
            false => result.name.clone(),
        }
    }

    /// Returns the call of loops.
    fn call(&self, loops: &Function) -> Call {
        let slots = slots(loops);
        let arguments = slots.iter().map(|slot| self.argument(slot));
        let arguments = self.keeper(loops).into_iter().chain(arguments).collect();
        Call { function: beside(&loops.name, "kernel"), arguments, is_fallible: loops.fails() }
    }

    /// Returns the argument that keeps the working memory of loops.
    fn keeper(&self, loops: &Function) -> Option<Argument> {
        let Kept { by, .. } = self.builder.kept(loops)?;
        Some(if self.way == Way::New { Argument::Ref(by) } else { Argument::Name(by) })
    }

    fn argument(&self, slot: &Slot<'_>) -> Argument {
        let is_parallel = self.loops.parallel.is_some();
        match slot {
            Slot::Values(_, array) if is_parallel => Argument::Name(array.name.clone()),
            Slot::Vector(_, array) if is_parallel => Argument::Mut(array.name.clone()),
            Slot::Values(result, _) => {
                let names = self.names_of(result);
                match (result.structure(), is_apart(self.loops, result)) {
                    ([], true) => Argument::Values(names.unpacked),
                    ([], false) => Argument::Values(result.name.clone()),
                    (_, _) => Argument::Name(names.storage.vals),
                }
            }
            Slot::Structure(result, array) => match vector(&self.names_of(result).storage, array) {
                Vector::Field(field) => Argument::Field(field),
                Vector::Values(name) => Argument::Name(name),
            },
            Slot::Vector(result, array) => {
                Argument::Vector(vector(&self.names_of(result).storage, array))
            }
            Slot::Number(result, number) => Argument::Field(Field {
                levels: self.names_of(result).storage.levels,
                level: number.level,
                field: number.field.clone(),
            }),
            Slot::Size(size) => Argument::Name(size.name.clone()),
            Slot::Begin(_) => Argument::Start(self.names().parts.one),
            Slot::End(_) => Argument::End(self.names().parts.one),
            Slot::First(_) => Argument::Start(self.names().own),
            Slot::After(_) => Argument::End(self.names().own),
            Slot::Operand(operand) => {
                let name = operand.name().to_owned();
                match operand {
                    Operand::Tensor(_) if self.builder.kernel.is_result(&name) => {
                        Argument::View(name)
                    }
                    Operand::Scalar { .. } if self.is_reference(&name) => Argument::Deref(name),
                    Operand::Tensor(_)
                    | Operand::Scalar { .. }
                    | Operand::Index { .. }
                    | Operand::Indices { .. } => Argument::Name(name),
                }
            }
            Slot::Given(given) => Argument::Name(given.name.clone()),
            Slot::Division(name) | Slot::LastOf(name) => Argument::Ref((*name).to_owned()),
            Slot::Converted(conversion) => {
                let held = held(self.loops, conversion).map(|result| result.name.clone());
                Argument::View(held.unwrap_or_else(|| conversion.into.name.clone()))
            }
        }
    }

    /// Assembles a tensor from the storage that the loops have filled.
    fn assemble(&self, result: &TensorResult) -> Vec<Instruction> {
        let Assembly::Assembled { fits, .. } = &result.assembly else { return Vec::new() };
        let Names { storage, unpacked, .. } = self.names_of(result);
        let fit = |fit: &Fit| {
            let find = |name: &str| result.arrays().iter().find(|array| array.name == name);
            let (array, longest) = (find(&fit.array)?, find(&fit.length_of)?);
            let may_be_too_narrow = array.element != Element::Index(Width::Usize);
            let check = Check::Fits {
                width: array.element,
                tensor: result.tensor.clone(),
                what: fit.what.clone(),
                vector: vector(&storage, longest),
            };
            may_be_too_narrow.then_some(Instruction::Check(check))
        };
        let mut body: Vec<Instruction> = fits.iter().filter_map(fit).collect();
        let into = match result.packed {
            None => Assembled::Caller(result.name.clone()),
            Some(_) => Assembled::New { name: unpacked, ty: computed_type(result) },
        };
        let is_checked = self.loops.bounds == Bounds::Checked;
        body.push(Instruction::Assemble { into, storage, is_checked });
        body
    }

    /// Replaces the tensor of the caller by a separate result.
    fn put(&self, result: &TensorResult) -> Option<Instruction> {
        let unpacked = self.names_of(result).unpacked;
        let combining = || result.combining.clone();
        let value = match (&result.packed, &result.cover, &result.assembly) {
            (None, _, Assembly::Assembled { .. }) => return None,
            // The loops start from a copy of the tensor.
            (None, _, Assembly::Computed { .. }) => Replacement::Moved(unpacked),
            (Some(_), None, _) => Replacement::Packed(unpacked, combining()),
            (Some(_), Some(cover), _) => Replacement::Covered(unpacked, combining(), cover.clone()),
        };
        Some(Instruction::Put { into: result.name.clone(), value })
    }
}

/// Returns the location of a number within storage.
pub(super) fn number(storage: &Storage, Extent { level, field, .. }: &Extent) -> Field {
    Field { levels: storage.levels.clone(), level: *level, field: field.clone() }
}

/// Returns the location of an array within storage.
pub(super) fn vector(storage: &Storage, array: &Array) -> Vector {
    match &array.place {
        Place::Values => Vector::Values(storage.vals.clone()),
        Place::Level { level, field } => {
            let (level, field) = (*level, field.clone());
            Vector::Field(Field { levels: storage.levels.clone(), level, field })
        }
    }
}
