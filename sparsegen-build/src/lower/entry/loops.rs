//! Functions with loops: their parameters, the variables defined at their start, and the returned
//! values.

use super::checks::COORDINATE;
use super::docs::list;
use super::signature::{extent, is_passed, operand_type, viewed};
use super::{Builder, Way};
use crate::ir::{
    Array, Assembly, Binding, Conversion, Expr, Extent, Function, Given, List, Loops, Meaning,
    Operand, Parameter, Place, Reads, Size, Stmt, TensorResult, Type, Unchecked, Uses,
};
use crate::names::beside;

/// An argument of a function with loops.
pub(super) enum Slot<'f> {
    /// The values of a result.
    Values(&'f TensorResult, &'f Array),
    /// An array of the structure of a result that has been assembled.
    Structure(&'f TensorResult, &'f Array),
    /// A number of a level of such a result.
    Number(&'f TensorResult, &'f Extent),
    /// A vector to append to.
    Vector(&'f TensorResult, &'f Array),
    /// An extent that only the result defines.
    Size(&'f Size),
    /// The start of the part of the outermost loop to run.
    Begin(&'f str),
    /// The end of that part.
    End(&'f str),
    /// The first coordinate of the result that the part stores.
    First(&'f str),
    /// The coordinate after the last one.
    After(&'f str),
    /// An operand.
    Operand(&'f Operand),
    /// The helper for integer divisions.
    Division(&'f str),
    /// A scalar that a function before this one has computed.
    Given(&'f Given),
    /// A list that marks repeated coordinates.
    LastOf(&'f str),
    /// An operand in another format.
    Converted(&'f Conversion),
}

impl Builder<'_> {
    /// Returns the functions with loops of all statements.
    pub(super) fn loops(&self) -> Vec<Loops> {
        let loops = self.groups.iter().flat_map(|group| {
            let compute = group.function.compute.as_deref().filter(|_| self.computes);
            let compute = compute.map(|compute| self.loops_of(compute, Way::Compute));
            let known = self.known(group).map(|known| Loops {
                docs: vec![format!(
                    "The loops of [`{}`] for a structure that is known.",
                    self.entry_name(Way::Compute)
                )],
                ..self.loops_of(known, Way::Compute)
            });
            let phases = group.function.phases.iter();
            let phases = phases.map(|phase| Some(self.loops_of_phase(phase)));
            let own = [Some(self.loops_of(group.function, Way::Into)), compute, known];
            phases.chain(own).collect::<Vec<_>>()
        });
        loops.flatten().collect()
    }

    fn loops_of_phase(&self, phase: &Function) -> Loops {
        let scalars = phase.returned().iter().map(|of| format!("`{}`", of.name));
        let (name, scalars) =
            (self.entry_name(Way::Into), list(&scalars.collect::<Vec<_>>(), "and"));
        let docs = vec![format!("The loops of [`{name}`] that compute {scalars}.")];
        Loops { docs, ..self.loops_of(phase, Way::Into) }
    }

    pub(super) fn loops_of(&self, function: &Function, way: Way) -> Loops {
        let mut function = Function { compute: None, ..function.clone() };
        // A condition at the end becomes the returned value.
        let mut answer = Expr::Bool(true);
        if let Some(Stmt::Refuse { condition, error: None }) = function.body.last() {
            answer = Expr::not(condition.clone());
            function.body.pop();
        }
        let known = function.results().any(|result| !result.structure().is_empty());
        let known = known.then_some((Type::Bool, answer));
        let scalars: Vec<_> = match function.returned() {
            [] => function.scalars().map(|(dtype, value)| (dtype, value.clone())).collect(),
            parts => parts.iter().map(|of| (of.reduced.dtype, Expr::var(&of.name))).collect(),
        };
        let scalars = scalars.into_iter().map(|(dtype, value)| (Type::Scalar(dtype), value));
        let kept = function.results().flat_map(TensorResult::extents);
        let kept = kept.map(|extent| (Type::Index, Expr::var(&extent.name)));
        let returns: Vec<_> = known.into_iter().chain(scalars).chain(kept).collect();
        let (uses, kept) = (uses(&function, &returns), self.kept(&function));
        let keeper =
            kept.iter().map(|kept| Parameter { name: kept.by.clone(), ty: Type::Workspaces });
        let slots = slots(&function);
        let parameters = keeper.chain(slots.iter().map(|slot| declared(slot, &uses))).collect();
        Loops {
            name: beside(&function.name, "kernel"),
            docs: vec![format!("The loops of [`{}`].", self.entry_name(way))],
            parameters,
            head: head(&function, &uses),
            kept,
            extents: extents(&function),
            returns,
            function,
        }
    }
}

/// Returns all extents in terms of the caller's tensors.
fn extents(function: &Function) -> Vec<(String, Expr)> {
    let extent = |size: &Size| Some((size.name.clone(), extent(function, size, true)?));
    function.sizes.iter().filter_map(extent).collect()
}

/// Counts the uses in loops and in the values that they return.
fn uses(function: &Function, returns: &[(Type, Expr)]) -> Uses {
    let mut uses = function.uses();
    returns.iter().for_each(|(_, value)| uses.count_expr(value));
    uses
}

/// Returns the arguments: arrays of results, extents that only results define, and operands.
pub(super) fn slots(function: &Function) -> Vec<Slot<'_>> {
    let mut slots = Vec::new();
    for result in function.results() {
        match &result.assembly {
            Assembly::Computed { vals, structure, numbers, .. } => {
                slots.push(Slot::Values(result, vals));
                slots.extend(structure.iter().map(|array| Slot::Structure(result, array)));
                slots.extend(numbers.iter().map(|number| Slot::Number(result, number)));
            }
            Assembly::Assembled { arrays, .. } => {
                slots.extend(arrays.iter().map(|array| Slot::Vector(result, array)));
            }
        }
    }
    slots.extend(function.sizes.iter().filter(|size| is_passed(size)).map(Slot::Size));
    let uses = function.uses();
    if let Some(parallel) = &function.parallel {
        let own = parallel.intervals.iter().flat_map(|intervals| {
            let [first, after] = &intervals.own;
            let own = [(first, Slot::First(first)), (after, Slot::After(after))];
            own.into_iter().filter(|(name, _)| uses.reads(name) > 0).map(|(_, slot)| slot)
        });
        slots.extend(own);
        slots.extend([Slot::Begin(&parallel.begin), Slot::End(&parallel.end)]);
    }
    let head = head(function, &uses);
    let is_read = |operand: &&Operand| is_read(operand, &head, &uses);
    slots.extend(function.operands.iter().filter(is_read).map(Slot::Operand));
    let given = function.given.iter().filter(|given| uses.reads(&given.name) > 0);
    slots.extend(given.map(Slot::Given));
    slots.extend(function.division.as_deref().map(Slot::Division));
    slots.extend(function.parts.iter().filter_map(|part| match &part.reads {
        Reads::Listed(List::LastOf { name, .. }) => Some(Slot::LastOf(name)),
        Reads::Listed(List::Numbers { .. } | List::Argument(_))
        | Reads::Range { .. }
        | Reads::At(_) => None,
    }));
    slots.extend(function.conversions.iter().map(Slot::Converted));
    slots
}

/// Returns whether loops read the value, an array or an extent of an operand.
fn is_read(operand: &Operand, head: &[Binding], uses: &Uses) -> bool {
    let is_used = |name: &str| uses.reads(name) + uses.measures(name) > 0;
    let is_bound = |binding: &Binding| match &binding.value {
        Meaning::Number(value) => value.mentions(operand.name()),
        Meaning::Extent(of, _) | Meaning::Array(of, _) => of == operand.name(),
        Meaning::List(_) | Meaning::Argument { .. } => false,
    };
    let arrays = match operand {
        Operand::Tensor(tensor) => tensor.arrays.as_slice(),
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => &[],
    };
    is_used(operand.name())
        || arrays.iter().any(|array| is_used(&array.name))
        || head.iter().any(is_bound)
}

/// Returns a parameter, named `_` for arrays that the body does not use.
fn declared(slot: &Slot<'_>, uses: &Uses) -> Parameter {
    let touched =
        |array: &Array| if uses.touches(&array.name) { array.name.clone() } else { "_".into() };
    let (name, ty) = match slot {
        Slot::Values(_, array) => (touched(array), Type::SliceMut(array.element)),
        Slot::Structure(_, array) => (touched(array), Type::Slice(array.element)),
        Slot::Vector(_, array) => (array.name.clone(), Type::Vector(array.element)),
        Slot::Number(_, number) => match uses.reads(&number.name) {
            0 => ("_".to_owned(), Type::Index),
            _ => (number.name.clone(), Type::Index),
        },
        Slot::Size(size) => (size.name.clone(), Type::Index),
        Slot::Begin(name) | Slot::End(name) | Slot::First(name) | Slot::After(name) => {
            ((*name).to_owned(), Type::Index)
        }
        Slot::Operand(operand) => return viewed(operand),
        Slot::Given(Given { name, dtype }) => (name.clone(), Type::Scalar(*dtype)),
        Slot::Division(name) => ((*name).to_owned(), Type::Division),
        Slot::LastOf(name) => ((*name).to_owned(), Type::Slice(COORDINATE)),
        Slot::Converted(Conversion { into, .. }) => {
            (into.name.clone(), Type::View(operand_type(into)))
        }
    };
    Parameter { name, ty }
}

/// Returns the variables that a body uses in addition to parameters: extents, then arrays.
fn head(function: &Function, uses: &Uses) -> Vec<Binding> {
    let binding = |name: &str, value| Binding { name: name.to_owned(), value, is_unchecked: false };
    let mut head = Vec::new();
    for size in function.sizes.iter().filter(|size| size.used && !is_passed(size)) {
        let value = extent(function, size, true);
        head.extend(value.map(|value| binding(&size.name, Meaning::Number(value))));
    }
    for tensor in function.tensors() {
        head.extend(tensor.extents.iter().map(|extent| {
            let place = Place::Level { level: extent.level, field: extent.field.clone() };
            binding(&extent.name, Meaning::Extent(tensor.name.clone(), place))
        }));
    }
    let arrays = function.tensors().flat_map(|tensor| {
        let bound = |array: &Array| {
            binding(&array.name, Meaning::Array(tensor.name.clone(), array.clone()))
        };
        tensor.arrays.iter().map(bound).collect::<Vec<_>>()
    });
    let mut arrays: Vec<Binding> = arrays.collect();
    for part in &function.parts {
        let Reads::Listed(list) = &part.reads else { continue };
        if !arrays.iter().any(|known| known.name == list.name()) {
            arrays.push(binding(list.name(), Meaning::List(list.clone())));
        }
    }
    let is_unchecked = |name: &str| function.is_unchecked(Unchecked::Index, name);
    let (unchecked, checked): (Vec<_>, Vec<_>) =
        arrays.into_iter().partition(|array| is_unchecked(&array.name));
    let is_argument =
        |value: &Meaning| matches!(value, Meaning::List(List::Argument(_) | List::LastOf { .. }));
    let is_used = |array: &Binding| {
        uses.reads(&array.name) + uses.measures(&array.name) > 0 && !is_argument(&array.value)
    };
    head.extend(checked.into_iter().filter(is_used));
    let mut argument = |array: &Array, is_mutable| {
        if uses.touches(&array.name) && is_unchecked(&array.name) {
            let value = Meaning::Argument { is_mutable };
            head.push(Binding { is_unchecked: true, ..binding(&array.name, value) });
        }
    };
    for result in function.results() {
        let Assembly::Computed { vals, structure, .. } = &result.assembly else { continue };
        argument(vals, true);
        structure.iter().for_each(|array| argument(array, false));
    }
    let unchecked = unchecked.into_iter().filter(|array| uses.reads(&array.name) > 0);
    head.extend(unchecked.map(|array| Binding { is_unchecked: true, ..array }));
    head
}
