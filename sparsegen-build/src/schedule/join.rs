//! Joining statements of one kernel into one program, so that they share loops, merges and
//! workspaces.
//!
//! Each statement is first scheduled alone. Adjacent statements are joined if they have common
//! loops and the fused loops cost less; tensors and variables with the same name are identified.

mod tables;

use std::fmt;
use std::ops::Range;

use crate::concrete::fusion::Fusion;
use crate::concrete::parted::{Parted, Stores};
use crate::concrete::{Program, Stmt, Target};
use crate::iteration::placed::visits_in_order;
use crate::iteration::plan::{Plan, plan};
use crate::limits::Budget;
use crate::notation::{Listed, Predicate, ReduceOp, TensorId, VariableId};

use super::cost::cost;
use super::parallel;
use tables::tables;

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
        let parted = parallel::parted(&program, &plan);
        let parted = parted.and_then(|parted| match reads_own(&program, &parted) {
            true => Ok(parted),
            false => Err("a statement reads other elements of a result of another one".to_owned()),
        });
        if let Err(reason) = &parted
            && (is_parted(first) || is_parted(second))
        {
            return Err(Apart::Threads(reason.clone()));
        }
        program.threads = Some(parted);
    }
    Ok((program, plan))
}

/// Returns whether parts read only their own elements of results.
fn reads_own(program: &Program, parted: &Parted) -> bool {
    let results = || program.targets.iter().zip(&parted.stores);
    // A predicate has the positions of a list in the whole result.
    let is_compared = program.kernel.predicates().any(|(_, predicate)| match predicate {
        Predicate::Listed(Listed { list, .. }) => program.target(list).is_some(),
        Predicate::Diagonal(_) => false,
    });
    !is_compared
        && program.kernel.accesses.iter().all(|read| {
            let mut results = results().filter(|(target, _)| target.access.tensor == read.tensor);
            results.all(|(target, stores)| {
                let rows = program.level_variable(&target.access, 0);
                *stores == Stores::Apart && program.level_variable(read, 0) == rows
            })
        })
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
    let counts = |program: &Program| {
        let mut formats = program.targets.iter().map(|of| &program.tensor(of.access.tensor).format);
        formats.any(|format| format.takes_two_passes())
    };
    if counts(first) != counts(second) {
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
