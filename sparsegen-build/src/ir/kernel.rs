//! Kernels of the manifest: their statements and generated functions.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Bounds, Distribution, Entry, Function, Loops, Operand, Trait};
use crate::names::{beside, plain};

/// A kernel of the manifest, with its generated functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// The kernel's name, a Rust identifier in snake case.
    pub name: String,
    /// Documentation before the documentation of the statements, by lines.
    pub docs: Vec<String>,
    /// The statements, in order.
    pub steps: Vec<Step>,
    /// The groups of statements with common loops, in order.
    pub shared: Vec<Shared>,
    /// The entry points, and private functions that these have in common.
    pub entries: Vec<Entry>,
    /// The functions with loops.
    pub loops: Vec<Loops>,
    /// `true` if the structure of the operands alone determines the structure of the results.
    pub is_structural: bool,
    /// The distribution among ranks, if there is one.
    pub distribution: Option<Distribution>,
}

/// Consecutive statements with common loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The range of statements, at least two.
    pub steps: Range<usize>,
    /// The loops.
    pub function: Function,
}

/// A statement of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The identifier of the result, by which later statements read it.
    pub result: String,
    /// The result's name in the statement.
    pub tensor: String,
    /// The function that computes the result.
    pub function: Function,
}

/// A group of statements with its own loops.
#[derive(Clone, Copy, Debug)]
pub struct Group<'k> {
    /// The statements.
    pub steps: &'k [Step],
    /// The loops.
    pub function: &'k Function,
}

impl Kernel {
    /// Creates a kernel of the given statements.
    pub fn of(name: String, docs: Vec<String>, mut steps: Vec<Step>) -> Kernel {
        // Statements with common loops have the same bounds checks.
        if steps.iter().any(|step| step.function.bounds == Bounds::Checked) {
            steps.iter_mut().for_each(|step| step.function.check_all());
        }
        Kernel { name, docs, steps, ..Kernel::default() }
    }

    /// Adds common loops of some statements. If these are all statements, the function has the name
    /// of the kernel, otherwise a name made from their results. `is_taken` returns whether a
    /// function of another kernel may have names that start with this one.
    pub fn share(
        &mut self,
        steps: Range<usize>,
        mut function: Function,
        is_taken: &dyn Fn(&str) -> bool,
    ) {
        function.name = if steps.len() == self.steps.len() {
            self.name.clone()
        } else {
            let mut results: Vec<&str> = Vec::new();
            for step in &self.steps[steps.clone()] {
                let result = plain(&step.result);
                if !results.contains(&result) {
                    results.push(result);
                }
            }
            let joined = beside(&self.name, &results.join("_"));
            // The name of the first statement is free.
            if is_taken(&joined) { self.steps[steps.start].function.name.clone() } else { joined }
        };
        if let Some(compute) = &mut function.compute {
            compute.name = beside(&function.name, "compute");
        }
        function.name_phases(is_taken);
        self.shared.push(Shared { steps, function });
    }

    /// Returns the functions of the statements.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.steps.iter().map(|step| &step.function)
    }

    /// Returns the first statement of each result.
    pub fn results(&self) -> impl Iterator<Item = &Step> {
        let is_first = |(k, step): &(usize, &Step)| {
            self.steps[..*k].iter().all(|before| before.result != step.result)
        };
        self.steps.iter().enumerate().filter(is_first).map(|(_, step)| step)
    }

    /// Returns whether a name denotes a result.
    pub fn is_result(&self, name: &str) -> bool {
        self.steps.iter().any(|step| step.result == name)
    }

    /// Returns the trait bounds of the type parameter of elements.
    pub fn traits(&self) -> Vec<Trait> {
        needed(self.functions())
    }

    /// Returns the groups of statements.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let group = |k: usize| {
            let shared = self.shared.iter().find(|shared| shared.steps.contains(&k));
            let (steps, function) = match shared {
                None => (k..k + 1, &self.steps[k].function),
                Some(Shared { steps, function }) => (steps.clone(), function),
            };
            (steps.start == k).then(|| Group { steps: &self.steps[steps], function })
        };
        (0..self.steps.len()).filter_map(group).collect()
    }

    /// Returns the operands of all statements: tensors and scalars, then parameters, each in order
    /// of first appearance.
    pub fn operands(&self) -> Vec<&Operand> {
        read(self.functions(), |name| self.is_result(name))
    }
}

/// Returns whether some statements may have common loops.
pub fn may_share(steps: &[Step]) -> bool {
    let functions = || steps.iter().map(|step| &step.function);
    // Values are computed separately for all results or for none.
    let mut structured = functions().filter(|function| function.has_structure());
    let first = structured.next().is_some_and(|function| function.compute.is_some());
    let agree = structured.all(|function| function.compute.is_some() == first);
    // Loops that compute only values return whether the structure is the same.
    let answers = functions().any(Function::has_structure);
    let is_scalar = |function: &Function| function.scalars().next().is_some();
    agree && functions().all(Function::may_share) && !(answers && functions().any(is_scalar))
}

/// Returns the operands of functions, without results of other functions: tensors and scalars, then
/// parameters, each in order of first appearance.
fn read<'f>(
    functions: impl Iterator<Item = &'f Function>,
    is_result: impl Fn(&str) -> bool,
) -> Vec<&'f Operand> {
    let mut operands: Vec<&Operand> = Vec::new();
    for operand in functions.flat_map(|function| &function.operands) {
        let is_known = operands.iter().any(|known| known.name() == operand.name());
        if !is_known && !is_result(operand.name()) {
            operands.push(operand);
        }
    }
    operands.sort_by_key(|operand| match operand {
        Operand::Tensor(_) | Operand::Scalar { .. } => false,
        Operand::Index { .. } | Operand::Indices { .. } => true,
    });
    operands
}

/// Returns the trait bounds that functions need together.
fn needed<'f>(functions: impl Iterator<Item = &'f Function>) -> Vec<Trait> {
    let all: BTreeSet<Trait> = functions.flat_map(|function| &function.traits).copied().collect();
    let is_implied = |one: Trait| all.iter().any(|other| other.implies(one));
    all.iter().copied().filter(|one| !is_implied(*one)).collect()
}
