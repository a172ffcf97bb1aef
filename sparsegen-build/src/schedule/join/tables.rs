//! The tensors and variables of two statements in one program.

use super::Apart;
use crate::concrete::Program;
use crate::concrete::renumber::Renumbering;
use crate::names::{beside, plain};
use crate::notation::{Access, List, Range, Tensor, TensorId, TensorRole, Variable, VariableId};

/// Returns the tables of both programs as one, without the later statement.
pub(super) fn tables(
    first: &Program,
    second: &Program,
    distinct: &[VariableId],
) -> Result<(Program, Renumbering), Apart> {
    let mut program = first.clone();
    program.has_versions |= second.has_versions;
    let mut map = Renumbering::default();
    add_arguments(&mut program, second, &mut map)?;
    add_variables(&mut program, second, distinct, &mut map)?;
    add_temporaries(&mut program, second, &mut map);
    for target in &second.targets {
        let target = map.target(target);
        if program.target(target.access.tensor).is_none() {
            program.targets.push(target);
        }
    }
    for access in &second.kernel.accesses {
        let access = map.access(access);
        if !program.kernel.accesses.contains(&access) {
            program.kernel.accesses.push(access);
        }
    }
    let chosen = second.kernel.chosen_from.iter();
    program.kernel.chosen_from.extend(chosen.map(|(v, op)| (map.variable(*v), *op)));
    if program.kernel.paths.len() < second.kernel.paths.len() {
        program.kernel.paths.clone_from(&second.kernel.paths);
    }
    Ok((program, map))
}

/// Identifies the arguments of two statements by their names.
fn add_arguments(
    program: &mut Program,
    second: &Program,
    map: &mut Renumbering,
) -> Result<(), Apart> {
    for id in second.kernel.tensor_ids() {
        let tensor = second.kernel.tensor(id);
        if !tensor.role.is_argument() {
            continue;
        }
        let same = |known: &TensorId| {
            let other = program.kernel.tensor(*known);
            other.role.is_argument() && other.name == tensor.name
        };
        let Some(known) = program.kernel.tensor_ids().find(same) else {
            program.kernel.tensors.push(tensor.clone());
            map.tensors.insert(id, TensorId(program.kernel.tensors.len() - 1));
            continue;
        };
        let own = &mut program.kernel.tensors[known.0];
        let is_computed = [own.role, tensor.role].contains(&TensorRole::Result);
        if is_computed && tensor.by_value {
            return Err(Apart::Scalar(tensor.name.clone()));
        }
        if is_computed && !own.format.has_every_position() {
            return Err(Apart::Assembled(tensor.name.clone()));
        }
        if !own.format.is_same(&tensor.format) || own.dtype != tensor.dtype {
            return Err(Apart::Format(tensor.name.clone()));
        }
        if tensor.role == TensorRole::Result {
            own.role = TensorRole::Result;
        }
        map.tensors.insert(id, known);
    }
    Ok(())
}

/// Identifies the variables of two statements with equal names, extents and
/// definitions. Adds the others, and `distinct` ones.
fn add_variables(
    program: &mut Program,
    second: &Program,
    distinct: &[VariableId],
    map: &mut Renumbering,
) -> Result<(), Apart> {
    let mut left: Vec<VariableId> = (0..second.kernel.variables.len()).map(VariableId).collect();
    // Variables are added after those of their definitions.
    while !left.is_empty() {
        let is_ready = |v: &VariableId| match second.space.definition(*v) {
            None => true,
            Some(definition) => map.definition(definition).is_some(),
        };
        let next = left.iter().position(is_ready).expect("definitions are not circular");
        add_variable(program, second, left.remove(next), distinct, map)?;
    }
    program.space.add_replaced(&second.space, map);
    program.basis.join(&second.basis.renumbered(map));
    Ok(())
}

fn add_variable(
    program: &mut Program,
    second: &Program,
    v: VariableId,
    distinct: &[VariableId],
    map: &mut Renumbering,
) -> Result<(), Apart> {
    let variable = second.kernel.variable(v);
    let definition = second.space.definition(v).and_then(|own| map.definition(own));
    let is_one = |known: VariableId| {
        let own = extents(second, v, &|id| map.tensors.get(&id).copied(), map);
        let identity = Renumbering::identity(&program.kernel);
        let others = extents(program, known, &Some, &identity);
        program.kernel.is_declared(known) || own.iter().any(|one| others.contains(one))
    };
    let known = match &definition {
        Some(definition) => program.space.variable(definition),
        None if distinct.contains(&v) => None,
        None => {
            let mut same = (0..program.kernel.variables.len()).map(VariableId);
            same.find(|known| {
                let other = program.kernel.variable(*known);
                other.name == variable.name
                    && other.role == variable.role
                    && other.extent == variable.extent
                    && is_one(*known)
            })
        }
    };
    // Equal slices of modes with different extents are distinct.
    let slice = variable.role.slice();
    let (same, known) = (known, known.filter(|known| slice.is_none() || is_one(*known)));
    if same != known && slice.is_some_and(|slice| second.kernel.may_leave(slice)) {
        return Err(Apart::Part);
    }
    let into = known.unwrap_or_else(|| {
        let role = map.variable_role(&variable.role).expect("what a role refers to came first");
        program.kernel.variables.push(Variable { role, ..variable.clone() });
        VariableId(program.kernel.variables.len() - 1)
    });
    map.variables.insert(v, into);
    if known.is_none() {
        let needs = second.space.needs(v).iter();
        let needs = needs.filter_map(|v| map.variables.get(v).copied()).collect();
        if definition.is_some() {
            program.space.need(into, needs);
        }
        program.space.define_as(into, definition);
    }
    Ok(())
}

/// A mode, slice or list with the extent of a variable.
#[derive(Clone, Debug, PartialEq)]
enum Extent {
    Mode(TensorId, usize),
    Part(TensorId, usize, Range),
    List(List),
}

/// Returns all modes, slices and lists with the extent of a variable.
fn extents(
    program: &Program,
    v: VariableId,
    tensor: &dyn Fn(TensorId) -> Option<TensorId>,
    map: &Renumbering,
) -> Vec<Extent> {
    let results = program.targets.iter().map(|target| &target.access);
    let mut extents = Vec::new();
    for Access { tensor: id, indices } in results.chain(&program.kernel.accesses) {
        let Some(id) = tensor(program.kernel.passed_as(*id)) else { continue };
        for (mode, index) in indices.iter().enumerate() {
            if *index == v {
                extents.push(Extent::Mode(id, mode));
            }
            let slice = program.space.slice(*index).filter(|slice| slice.of == v);
            let range = slice.and_then(|slice| map.range(slice.range()?));
            extents.extend(range.map(|range| Extent::Part(id, mode, range)));
        }
    }
    let lists = program.kernel.slices().filter_map(|(_, slice)| slice.list());
    let lists = lists.filter(|(_, of)| *of == v);
    extents.extend(lists.filter_map(|(list, _)| map.list(list)).map(Extent::List));
    extents
}

/// Adds the tensors that are not arguments. Conversions of one operand to one format are
/// identified.
fn add_temporaries(program: &mut Program, second: &Program, map: &mut Renumbering) {
    let result = second.kernel.tensor(second.kernel.result()).argument.clone();
    let result = plain(&result);
    // Keys precede the choices that they decide.
    let is_choice = |id: &TensorId| second.kernel.choice(*id).is_some();
    let (choices, others): (Vec<_>, Vec<_>) = second.kernel.tensor_ids().partition(is_choice);
    for id in others.into_iter().chain(choices) {
        let tensor = second.kernel.tensor(id);
        if tensor.role.is_argument() {
            continue;
        }
        let role = map.role(tensor.role);
        let same = |known: &TensorId| {
            let other = program.kernel.tensor(*known);
            other.role == role && other.format.is_same(&tensor.format)
        };
        let known = match role {
            TensorRole::Converted(_)
            | TensorRole::Predicate(_)
            | TensorRole::Inverse(_)
            | TensorRole::Previous => program.kernel.tensor_ids().find(same),
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Temporary
            | TensorRole::Choice(_)
            | TensorRole::Workspace(_) => None,
        };
        let into = known.unwrap_or_else(|| {
            let is_taken = program.kernel.tensors.iter().any(|t| t.argument == tensor.argument);
            let argument = match is_taken {
                true => beside(&tensor.argument, result),
                false => tensor.argument.clone(),
            };
            let name = if is_taken { argument.clone() } else { tensor.name.clone() };
            program.kernel.tensors.push(Tensor { role, argument, name, ..tensor.clone() });
            TensorId(program.kernel.tensors.len() - 1)
        });
        map.tensors.insert(id, into);
    }
}
