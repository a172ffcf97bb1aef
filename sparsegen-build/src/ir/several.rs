//! Kernels of several statements.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Bounds, Function, Operand, Result, Trait};

/// What is generated for a kernel of the manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum Kernel {
    /// One statement.
    One(Box<Function>),
    /// Several statements.
    Several(Several),
}

impl Kernel {
    /// A function for each statement.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        let (one, several) = match self {
            Kernel::One(function) => (Some(&**function), &[][..]),
            Kernel::Several(several) => (None, several.steps.as_slice()),
        };
        one.into_iter().chain(several.iter().map(|step| &step.function))
    }
}

/// A kernel that calls those of its statements, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Several {
    /// The kernel's name, a Rust identifier in snake case.
    pub name: String,
    /// Documentation that stands before that of the statements, one line an element.
    pub docs: Vec<String>,
    /// The statements, in order.
    pub steps: Vec<Step>,
    /// Those that share loops, in order.
    pub shared: Vec<Shared>,
}

/// Statements, one after the other, that share loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Which of the statements, at least two.
    pub steps: Range<usize>,
    /// The loops of all of them.
    pub function: Function,
}

/// What is computed by loops of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Group<'s> {
    /// One statement.
    Alone(&'s Step),
    /// Several, which share loops.
    Shared(&'s Shared),
}

/// A statement of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The result's identifier, by which later statements read it.
    pub result: String,
    /// What computes it.
    pub function: Function,
}

/// Who calls the functions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Callers {
    /// Whoever uses the generated module.
    #[default]
    Everyone,
    /// The kernel of several statements of which it is one.
    Kernel {
        /// Whether that makes new results.
        allocates: bool,
        /// Whether that computes values apart from structure.
        computes: bool,
    },
}

impl Several {
    /// The kernel of these statements.
    pub fn of(name: String, docs: Vec<String>, steps: Vec<Step>) -> Several {
        let mut several = Several { name, docs, steps, shared: Vec::new() };
        let is_new = |k: usize| {
            let Step { result, function } = &several.steps[k];
            function.allocates() || several.steps[..k].iter().any(|step| step.result == *result)
        };
        let allocates = (0..several.steps.len()).all(is_new);
        let functions = || several.steps.iter().map(|step| &step.function);
        let changes = |function: &Function| match &function.result {
            Result::Tensor(result) => result.updates,
            Result::Scalar { updates, .. } => updates.is_some(),
        };
        let computes = functions().any(Function::has_structure) && !functions().any(changes);
        // Statements that share loops index alike.
        let is_checked = functions().any(|function| function.bounds == Bounds::Checked);
        for step in &mut several.steps {
            if is_checked {
                step.function.check_all();
            }
            step.function.callers = Callers::Kernel { allocates, computes };
        }
        several
    }

    /// Whether it can make new results.
    pub fn allocates(&self) -> bool {
        let allocates = |step: &Step| match step.function.callers {
            Callers::Kernel { allocates, .. } => allocates,
            Callers::Everyone => false,
        };
        self.steps.iter().all(allocates)
    }

    /// Whether structure and values of its results can be computed apart.
    pub fn computes(&self) -> bool {
        let computes = |step: &Step| match step.function.callers {
            Callers::Kernel { computes, .. } => computes,
            Callers::Everyone => false,
        };
        self.steps.iter().all(computes)
    }

    /// The statements that compute something of their own, not more of what an earlier one did.
    pub fn results(&self) -> impl Iterator<Item = &Step> {
        let is_first = |(k, step): &(usize, &Step)| {
            self.steps[..*k].iter().all(|before| before.result != step.result)
        };
        self.steps.iter().enumerate().filter(is_first).map(|(_, step)| step)
    }

    /// What elements must be able to do whose type the caller chooses.
    pub fn traits(&self) -> Vec<Trait> {
        needed(self.steps.iter().map(|step| &step.function))
    }

    /// Returns whether a name stands for a result that the caller passes: a tensor that is not made,
    /// or a scalar that is changed before it is computed.
    pub fn is_passed(&self, name: &str) -> bool {
        let mut results = self.results().filter(|step| step.result == name);
        results.any(|step| match &step.function.result {
            Result::Tensor(_) => !self.allocates(),
            Result::Scalar { updates, .. } => updates.is_some(),
        })
    }

    /// Whether a name stands for a result.
    pub fn is_result(&self, name: &str) -> bool {
        self.steps.iter().any(|step| step.result == name)
    }

    /// The statements, those together that share loops.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let group = |(k, step)| match self.shared.iter().find(|shared| shared.steps.contains(&k)) {
            None => Some(Group::Alone(step)),
            Some(shared) => (shared.steps.start == k).then_some(Group::Shared(shared)),
        };
        self.steps.iter().enumerate().filter_map(group).collect()
    }

    /// What the statements read of their caller: tensors and scalars, then parameters, each in order of
    /// first appearance.
    pub fn operands(&self) -> Vec<&Operand> {
        read(self.steps.iter().map(|step| &step.function), |name| self.is_result(name))
    }
}

/// What functions read but for results of theirs: tensors and scalars, then parameters, each in order of
/// first appearance.
pub fn read<'f>(
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

/// What elements must be able to do for all of some functions.
pub fn needed<'f>(functions: impl Iterator<Item = &'f Function>) -> Vec<Trait> {
    let all: BTreeSet<Trait> = functions.flat_map(|function| &function.traits).copied().collect();
    let is_implied = |one: Trait| all.iter().any(|other| other.implies(one));
    all.iter().copied().filter(|one| !is_implied(*one)).collect()
}
