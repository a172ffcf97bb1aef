//! Joining statements of one kernel into one program, so that they share loops, merges and
//! workspaces.
//!
//! Each statement is first scheduled alone. Adjacent statements are joined if they have common
//! loops and the fused loops cost less; tensors and variables with the same name are identified.

use std::fmt;
use std::ops::Range;

use crate::concrete::fusion::Fusion;
use crate::concrete::renumber::Renumbering;
use crate::concrete::{Program, Stmt, Target};
use crate::format::Places;
use crate::iteration::placed::visits_in_order;
use crate::iteration::plan::{Plan, plan};
use crate::limits::Budget;
use crate::names::{beside, plain};
use crate::notation::{
    Access, List, Reads, ReduceOp, Subscript, SubscriptId, Tensor, TensorId, TensorRole, Variable,
    VariableId, VariableRole,
};

use super::cost::cost;
use super::parallel;

/// Adjacent statements that share loops.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The range of statements of the kernel, at least two.
    pub statements: Range<usize>,
    pub program: Program,
    pub plan: Plan,
}

/// The reason why two statements have separate loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// A tensor is stored in another format for the loops of the later statement.
    Format(String),
    /// A scalar that one of them computes is read or updated by the other.
    Scalar(String),
    /// A tensor that one of them assembles is read or updated by the other.
    Assembled(String),
    /// The positions of the entries of a result are found in a way of their own.
    Placed(String),
    /// The extent of a variable follows only from a result.
    Extent(String),
    /// Both access coordinates that may lie outside of modes whose extents may differ.
    Part,
    /// One of them assigns a slice of a result, whose own extent is known to that statement alone.
    Partial(String),
    /// One of them reads the previous contents of a result.
    Previous(String),
    /// One result stores every coordinate, and the entries of the other depend on a reduction.
    Stored,
    /// No loop can be shared.
    Loops,
    /// The shared loops cost more than separate ones.
    Cost,
    /// Each runs on several threads, and the shared loops could not.
    Threads(String),
}

/// Joins adjacent statements if loops can be shared and `may_join` allows it.
pub fn join(
    statements: &[(Program, Plan)],
    may_join: &dyn Fn(Range<usize>) -> bool,
) -> (Vec<Joined>, Vec<(usize, Apart)>) {
    let (mut all, mut apart) = (Vec::new(), Vec::new());
    let mut start = 0;
    while start < statements.len() {
        let (mut program, mut plan) = statements[start].clone();
        let mut end = start + 1;
        while end < statements.len() && may_join(start..end + 1) {
            match pair((&program, &plan), (&statements[end].0, &statements[end].1)) {
                Ok(joined) => (program, plan) = joined,
                Err(reason) => {
                    apart.push((end, reason));
                    break;
                }
            }
            end += 1;
        }
        if end > start + 1 {
            all.push(Joined { statements: start..end, program, plan });
        }
        start = end;
    }
    (all, apart)
}

/// The numbers of nested loops that fusion tries to share.
const DEPTHS: std::ops::RangeInclusive<usize> = 1..=6;

/// Joins two programs, if that costs less than both.
fn pair(
    (first, before): (&Program, &Plan),
    (second, behind): (&Program, &Plan),
) -> Result<(Program, Plan), Apart> {
    let (program, later) = united(first, second)?;
    check_extents(&program)?;
    let apart = cost(first, before) + cost(second, behind);
    let mut best: Option<(f64, Program, Plan)> = None;
    let mut known: Vec<Stmt> = Vec::new();
    let mut shares = false;
    for depth in DEPTHS {
        let Some(body) = (Fusion { program: &program, depth }).fuse(&first.body, &later) else {
            break;
        };
        if known.contains(&body) {
            break;
        }
        shares = true;
        known.push(body.clone());
        let candidate = Program { body, ..program.clone() };
        if !visits_in_order(&candidate) {
            continue;
        }
        let Ok(plan) = plan(&candidate, &Budget::default()) else { continue };
        let cost = cost(&candidate, &plan);
        if cost < best.as_ref().map_or(apart, |(least, ..)| *least) {
            best = Some((cost, candidate, plan));
        }
    }
    let (_, mut program, plan) = best.ok_or(if shares { Apart::Cost } else { Apart::Loops })?;
    if program.threads.is_some() {
        let is_parted = |program: &Program| matches!(program.threads, Some(Ok(_)));
        // A part has its own elements of a result only, counted from where it begins.
        let is_result = |access: &Access| program.target(access.tensor).is_some();
        let parted = match program.kernel.accesses.iter().any(is_result) {
            true => Err("a statement reads a result of another one".to_owned()),
            false => parallel::parted(&program, &plan),
        };
        if let Err(reason) = &parted
            && (is_parted(first) || is_parted(second))
        {
            return Err(Apart::Threads(reason.clone()));
        }
        program.threads = Some(parted);
    }
    Ok((program, plan))
}

/// Checks that the extents follow from operands.
fn check_extents(program: &Program) -> Result<(), Apart> {
    let kernel = &program.kernel;
    let operand = |id: TensorId| program.target(id).is_none().then_some(id);
    let identity = Renumbering::identity(kernel);
    let is_given = |v: &VariableId| {
        let Variable { size, role, .. } = kernel.variable(*v);
        size.is_some()
            || *role == VariableRole::Fixed
            || !extents(program, *v, &operand, &identity).is_empty()
    };
    match kernel.looped_variables().find(|v| !is_given(v)) {
        Some(v) => Err(Apart::Extent(kernel.variable(v).name.clone())),
        None => Ok(()),
    }
}

/// Returns a program with the tensors and variables of both, and the second statement in terms of
/// these.
fn united(first: &Program, second: &Program) -> Result<(Program, Stmt), Apart> {
    check(first, second)?;
    // Variables with different loops are distinct.
    let mut distinct: Vec<VariableId> = Vec::new();
    loop {
        let (program, map) = tables(first, second, &distinct)?;
        let differs = |v: &VariableId| {
            let (Some(own), Some(other)) =
                (second.basis.stead(*v), first.basis.stead(map.variable(*v)))
            else {
                return false;
            };
            let own: Vec<VariableId> = own.iter().map(|v| map.variable(*v)).collect();
            own != *other && !distinct.contains(v)
        };
        let variables = (0..second.kernel.variables.len()).map(VariableId);
        match variables.into_iter().find(differs) {
            Some(v) => distinct.push(v),
            None => return Ok((program, map.stmt(&second.body))),
        }
    }
}

/// Checks conditions that no loops can change.
fn check(first: &Program, second: &Program) -> Result<(), Apart> {
    let mut targets = first.targets.iter().map(|target| (first, target));
    let mut others = second.targets.iter().map(|target| (second, target));
    let is_partial = |(_, target): &(&Program, &Target)| target.is_partial;
    if let Some((program, target)) = targets.find(is_partial).or_else(|| others.find(is_partial)) {
        return Err(Apart::Partial(program.tensor(target.access.tensor).name.clone()));
    }
    // The first pass of one statement has nothing to count for another one.
    let places = |program: &Program| {
        let formats = program.targets.iter().map(|of| &program.tensor(of.access.tensor).format);
        let mut places = formats.map(|format| format.placed().map(|(_, places)| places));
        let first = places.next().flatten();
        places.all(|other| other == first).then_some(first)
    };
    let slots = Some(Some(Places::Slots));
    let [before, behind] = [places(first), places(second)];
    let is_mixed = before != behind && [before, behind].contains(&Some(Some(Places::Counted)));
    if is_mixed || before == slots || behind == slots {
        let result = second.kernel.tensor(second.kernel.result());
        return Err(Apart::Placed(result.name.clone()));
    }
    for kernel in [&first.kernel, &second.kernel] {
        let old = kernel.previous();
        let reads = |id: &TensorId| kernel.accesses.iter().any(|access| access.tensor == *id);
        if let Some(old) = old.filter(reads) {
            return Err(Apart::Previous(kernel.tensor(old).name.clone()));
        }
    }
    // The entries of a sparse result may depend on the value of a reduction at unstored operands.
    let chooses = |program: &Program| {
        let mut chooses = false;
        program.body.for_each_assign(&mut |_, accumulate, _| {
            chooses |= accumulate.is_some_and(|op| op != ReduceOp::SUM);
        });
        chooses && program.some_may_lack_entries()
    };
    let stores_all = |program: &Program| {
        let mut targets = program.targets.iter();
        targets.any(|target| !program.may_lack_entries(target.access.tensor))
    };
    let mixes = |a: &Program, b: &Program| chooses(a) && stores_all(b);
    if mixes(first, second) || mixes(second, first) {
        return Err(Apart::Stored);
    }
    Ok(())
}

/// Returns the tables of both programs as one, without the later statement.
fn tables(
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

/// Identifies the variables and subscripts of two statements with equal names, extents and
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
        add_subscripts(program, second, map);
        let is_ready = |v: &VariableId| match second.space.definition(*v) {
            None => true,
            Some(definition) => map.definition(definition).is_some(),
        };
        let next = left.iter().position(is_ready).expect("definitions are not circular");
        add_variable(program, second, left.remove(next), distinct, map)?;
    }
    add_subscripts(program, second, map);
    program.space.add_replaced(&second.space, map);
    program.basis.add(&second.basis, map);
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
        program.kernel.variable(known).size.is_some() || own.iter().any(|one| others.contains(one))
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
                    && other.size == variable.size
                    && is_one(*known)
            })
        }
    };
    // Equal slices of modes with different extents are distinct.
    let slice = variable.role.slice();
    let (same, known) = (known, known.filter(|known| slice.is_none() || is_one(*known)));
    if same != known && slice.is_some_and(|slice| second.kernel.may_leave(&slice)) {
        return Err(Apart::Part);
    }
    let into = known.unwrap_or_else(|| {
        let role = map.variable_role(variable.role).expect("what a role refers to came first");
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

/// Adds the subscripts whose variables and tensors have been added.
fn add_subscripts(program: &mut Program, second: &Program, map: &mut Renumbering) {
    for (k, subscript) in second.kernel.subscripts.iter().enumerate() {
        if map.subscripts.contains_key(&SubscriptId(k)) {
            continue;
        }
        let Some(subscript) = map.subscript(subscript) else { continue };
        let subscripts = &mut program.kernel.subscripts;
        let known = subscripts.iter().position(|known| *known == subscript).unwrap_or_else(|| {
            subscripts.push(subscript);
            subscripts.len() - 1
        });
        map.subscripts.insert(SubscriptId(k), SubscriptId(known));
    }
}

/// A mode, slice or list with the extent of a variable.
#[derive(Clone, Debug, PartialEq)]
enum Extent {
    Mode(TensorId, usize),
    Part(TensorId, usize, Reads),
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
            if let Some(reads @ Reads::Range(_)) = slice.and_then(|slice| map.reads(slice.reads)) {
                extents.push(Extent::Part(id, mode, reads));
            }
        }
    }
    for subscript in &program.kernel.subscripts {
        if let Subscript::Listed(list, of) = subscript
            && *of == v
        {
            extents.extend(map.list(list).map(Extent::List));
        }
    }
    extents
}

/// Adds the tensors that are not arguments. Conversions of one operand to one format are
/// identified.
fn add_temporaries(program: &mut Program, second: &Program, map: &mut Renumbering) {
    let result = second.kernel.tensor(second.kernel.result()).argument.clone();
    let result = plain(&result);
    for id in second.kernel.tensor_ids() {
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
            TensorRole::Converted(_) | TensorRole::Predicate(_) | TensorRole::Previous => {
                program.kernel.tensor_ids().find(same)
            }
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Temporary
            | TensorRole::Choice(_)
            | TensorRole::Workspace => None,
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

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Apart::Format(tensor) => {
                write!(f, "the loops of the two statements store `{tensor}` in different formats")
            }
            Apart::Scalar(scalar) => write!(f, "`{scalar}` is known only after all loops"),
            Apart::Assembled(tensor) => {
                write!(f, "`{tensor}` is known only after its assembly")
            }
            Apart::Placed(tensor) => {
                write!(f, "`{tensor}` finds the positions of its entries in another way")
            }
            Apart::Extent(variable) => {
                write!(f, "only a result has the extent of `{variable}`")
            }
            Apart::Partial(tensor) => write!(f, "one of them assigns a slice of `{tensor}`"),
            Apart::Part => {
                f.write_str("their subscripts may be outside of modes with different extents")
            }
            Apart::Previous(tensor) => {
                write!(f, "one of them reads the previous contents of `{tensor}`")
            }
            Apart::Stored => f.write_str(
                "one result stores every coordinate, and the other one those at which a reduction is \
                 not the fill value",
            ),
            Apart::Loops => f.write_str("they have no common loop that can be fused"),
            Apart::Threads(reason) => {
                write!(f, "shared loops could not run on several threads: {reason}")
            }
            Apart::Cost => f.write_str("a shared loop would merge more than two loops do"),
        }
    }
}

#[cfg(test)]
mod tests;
