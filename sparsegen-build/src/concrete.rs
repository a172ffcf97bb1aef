//! Concrete index notation: explicit loops and workspaces (Kjolstad et al. 2019).
//!
//! ```text
//! ∀i (y[i] = sum where ∀j sum += A[i,j] * x[j])
//! ```
//!
//! AFTER [`schedule`](crate::schedule::schedule): every variable has a loop, every reduction
//! accumulates into a result or a temporary, and the order of the loops permits every level to be
//! iterated or located. Later stages cannot fail.

mod annotations;
mod constant_propagation;
pub mod fixed;
pub mod fusion;
pub mod parted;
pub mod renumber;
pub mod space;
mod stmt;
pub mod terms;
pub mod update;

use std::sync::Arc;

use crate::format::Format;
use crate::ir::Bounds;
use crate::level::Holds;
use crate::names::beside;
use crate::notation::schedule::Accumulator;
use crate::notation::{
    Access, DeclaredFormat, Expr, Function, Kernel, ReduceOp, Tensor, TensorId, TensorRole,
    VariableId, declare,
};
use crate::types::Literal;

pub use annotations::{Annotations, DemandedOrder};
use parted::Parted;
use space::{Basis, Definition, Space};
pub use stmt::{Stmt, Temporary};

/// A kernel with its loops.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel, with temporaries added to its tensors, and the variables of its formats added to
    /// its variables.
    pub kernel: Kernel,
    pub space: Space,
    /// The loops that compute each index variable.
    pub basis: Basis,
    /// The results, in the order of the statements that compute them.
    pub targets: Vec<Target>,
    /// The loops that the schedule requires outside of others.
    pub order: Vec<DemandedOrder>,
    /// The loop that is divided into parts for threads, or the reason why there is none; `None` if
    /// the kernel is to run on one thread.
    pub threads: Option<Result<Parted, String>>,
    /// The parts of the kernel's value that the user precomputes into workspaces.
    pub precomputed: Vec<Precomputed>,
    /// `true` if sums of the statement's value were pushed inwards or moved to workspaces.
    pub is_rewritten: bool,
    /// `true` if the body has a separate version for an empty range of a reduction.
    pub has_versions: bool,
    pub body: Stmt,
}

/// A result of a program.
#[derive(Clone, Debug)]
pub struct Target {
    /// The access on the left-hand side.
    pub access: Access,
    /// The format of the caller's result, if the loops assemble another one that is packed
    /// afterwards.
    pub packed: Option<Arc<Format>>,
    /// The value of the result where the loops assign nothing.
    pub unassigned: Literal,
    /// `true` if values are added to the previous contents.
    pub in_place: bool,
    /// `true` if the loops read each previous value only before they overwrite it, so that the
    /// result's own array has the previous values.
    pub overwrites: bool,
    /// `true` if only a part of the result is assigned, and the rest is kept.
    pub is_partial: bool,
    /// `true` if the final contents depend on the previous ones.
    pub is_update: bool,
}

impl Target {
    /// Returns the result of a kernel; `packed` is the format into which it is packed.
    pub fn of(kernel: &Kernel, packed: Option<Arc<Format>>) -> Target {
        Target {
            access: kernel.assignment.result.clone(),
            packed,
            unassigned: kernel.unassigned,
            in_place: kernel.in_place,
            overwrites: false,
            is_partial: kernel.is_partial(),
            is_update: kernel.is_update(),
        }
    }
}

/// A part of a kernel's value, and the workspace that replaces it.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputed {
    pub workspace: Access,
    pub value: Expr,
    /// The reduction that combines values in an element of the workspace.
    pub op: ReduceOp,
    /// `true` if the value is an operand that is stored only to be looked up.
    pub is_copy: bool,
}

impl Precomputed {
    /// Returns whether a condition is that an operand which is stored to be looked up has an entry, or
    /// that the workspace has.
    fn is_driver(&self, condition: &Expr) -> bool {
        let Expr::Call(Function::Stored, of) = condition else { return false };
        let Expr::Access(access) = &of[0] else { return false };
        let mut is_own = self.workspace == *access;
        self.value.for_each_access(&mut |copied| is_own |= copied == access);
        self.is_copy && is_own
    }
}

/// Returns a value without the conditions by which operands that are looked up also drive a loop.
pub fn undriven<'v>(mut value: &'v Expr, precomputed: &[Precomputed]) -> &'v Expr {
    let is_driver = |condition: &Expr| precomputed.iter().any(|part| part.is_driver(condition));
    while let Expr::Call(Function::Mask, masked) = value
        && masked[0].conjuncts().into_iter().all(is_driver)
    {
        value = &masked[1];
    }
    value
}

impl Program {
    /// Returns a value with the precomputed parts in place of their workspaces.
    pub fn without_workspaces(&self, value: &Expr) -> Expr {
        value.substitute(&|access| {
            let part = self.precomputed.iter().find(|part| part.workspace == *access)?;
            Some(self.without_workspaces(&part.value))
        })
    }

    /// Prints a statement in concrete index notation.
    pub fn show(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Forall { variable, annotations, body } => {
                let name = &self.kernel.variable(*variable).name;
                match **body {
                    Stmt::Sequence(_) | Stmt::Where { .. } => {
                        format!("∀{name}{annotations} ({})", self.show(body))
                    }
                    Stmt::Forall { .. } | Stmt::Assign { .. } | Stmt::If { .. } => {
                        format!("∀{name}{annotations} {}", self.show(body))
                    }
                }
            }
            Stmt::Where { consumer, producer, .. } => {
                format!("{} where {}", self.show(consumer), self.show_nested(producer))
            }
            Stmt::Assign { target, accumulate, value } => {
                let op = match accumulate {
                    None => "",
                    Some(op) if op.tells_where => op.name(),
                    Some(op) => op.monoid.op().name(),
                };
                format!("{} {op}= {}", self.kernel.show_access(target), self.kernel.show(value))
            }
            Stmt::If { condition, body } => {
                format!("({} if {})", self.show(body), self.kernel.show(condition))
            }
            Stmt::Sequence(statements) => {
                statements.iter().map(|s| self.show(s)).collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn show_nested(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Where { .. } | Stmt::Sequence(_) => format!("({})", self.show(stmt)),
            Stmt::Forall { .. } | Stmt::Assign { .. } | Stmt::If { .. } => self.show(stmt),
        }
    }

    /// Returns the variable that a level of an access stores, if the tensor has that level.
    pub fn level_variable(&self, access: &Access, level: usize) -> Option<VariableId> {
        self.space.level_variable(&self.kernel, access, level)
    }

    /// Returns whether a level of some tensor has the coordinates of a variable.
    pub fn stores(&self, v: VariableId) -> bool {
        let accesses = self.kernel.accesses.iter().chain(self.targets.iter().map(|of| &of.access));
        let mut stored = accesses.flat_map(|access| {
            let levels = 0..self.tensor(access.tensor).format.levels.len();
            levels.filter_map(|level| self.level_variable(access, level))
        });
        stored.any(|stored| stored == v)
    }

    /// Returns the variables of the modes of a level in which the loops may have coordinates that
    /// nothing reads.
    pub fn may_leave(&self, access: &Access, level: usize) -> Vec<VariableId> {
        let levels = &self.tensor(access.tensor).format.levels;
        let mut modes = levels[level].expr.modes();
        // A mode that is stored in a sum or a difference only is known at the level of the other one.
        for outer in levels[..level].iter().map(|spec| spec.expr.modes()) {
            let is_alone = |mode: &usize| levels.iter().all(|spec| spec.expr.modes() != [*mode]);
            if outer.len() > 1 && outer.iter().any(|mode| modes.contains(mode)) {
                let known = outer.into_iter().filter(is_alone);
                modes.extend(known.filter(|mode| !modes.contains(mode)).collect::<Vec<_>>());
            }
        }
        let modes = modes.into_iter().map(|mode| access.indices[mode]);
        let modes = modes.map(|v| self.space.place(v).unwrap_or(v));
        let leaves =
            |v: &VariableId| self.space.slice(*v).is_some_and(|slice| self.kernel.may_leave(slice));
        modes.filter(leaves).collect()
    }

    /// Declares the formats of converted tensors for which the runtime crate has no type.
    pub fn declare_formats(&mut self, declared: &mut Vec<DeclaredFormat>) {
        let converted = self.kernel.converted().map(|(into, _)| into);
        let packed = self.targets.iter().filter(|target| target.packed.is_some());
        let packed = packed.map(|target| target.access.tensor);
        for id in converted.chain(packed).collect::<Vec<_>>() {
            let tensor = &mut self.kernel.tensors[id.0];
            let wished = match &tensor.format.name {
                Some(format) if tensor.role.is_argument() => beside(&tensor.argument, format),
                // The name of a conversion already includes the name of its format.
                Some(_) | None => tensor.argument.clone(),
            };
            if tensor.format.builtin.is_none() {
                declare(declared, Arc::make_mut(&mut tensor.format), &wished);
            }
        }
    }

    /// Returns whether a loop exists only for a fixed coordinate.
    pub fn is_loop_of_fixed(&self, v: VariableId) -> bool {
        let variables = (0..self.kernel.variables.len()).map(VariableId);
        let mut fixed = variables.filter(|v| self.space.definition(*v) == Some(&Definition::Fixed));
        fixed.any(|fixed| self.basis.loops(fixed).contains(&v))
    }

    /// Returns the result of a tensor, if it is one.
    pub fn target(&self, tensor: TensorId) -> Option<&Target> {
        self.targets.iter().find(|target| target.access.tensor == tensor)
    }

    /// Returns the last level of a result that is assembled in order, if any.
    pub fn last_appended(&self, target: &Target) -> Option<usize> {
        self.tensor(target.access.tensor).format.last_in_order()
    }

    /// Returns whether a tensor is a result that may have no entry at some coordinate.
    pub fn may_lack_entries(&self, tensor: TensorId) -> bool {
        let levels = &self.tensor(tensor).format.levels;
        let may_lack =
            levels.iter().any(|spec| spec.level.insert().is_none() || !spec.properties.full);
        may_lack && self.target(tensor).is_some()
    }

    /// Returns whether some result may have no entry at some coordinate.
    pub fn some_may_lack_entries(&self) -> bool {
        self.targets.iter().any(|target| self.may_lack_entries(target.access.tensor))
    }

    /// Returns a part of the body with constant reductions folded for its results: see
    /// [`Stmt::with_constants`].
    pub fn with_constants(&self, stmt: &Stmt) -> Stmt {
        let is_full = |access: &Access| {
            self.target(access.tensor).is_some() && !self.may_lack_entries(access.tensor)
        };
        match self.some_may_lack_entries() {
            true => stmt.with_constants(&is_full, &|v| fixed::is_fixed(self, v)),
            false => stmt.clone(),
        }
    }

    pub fn tensor(&self, id: TensorId) -> &Tensor {
        self.kernel.tensor(id)
    }

    /// Returns the name of a level without a promise, if the kernel uses one.
    pub fn level_without_promise(&self) -> Option<&str> {
        let mut specs = self.kernel.tensors.iter().flat_map(|tensor| &tensor.format.levels);
        specs.find(|spec| spec.level.promise().is_none()).map(|spec| spec.level.name())
    }

    /// Returns whether indices are checked: unchecked indices require the promise of every level.
    pub fn bounds(&self) -> Bounds {
        match self.level_without_promise() {
            Some(_) => Bounds::Checked,
            None => self.kernel.bounds,
        }
    }

    /// Returns whether temporaries are workspaces, which loops of their own fill.
    pub fn are_workspaces(&self, temporaries: &[Temporary]) -> bool {
        let mut tensors = temporaries.iter().map(|temporary| self.tensor(temporary.tensor));
        tensors.all(|tensor| !tensor.format.levels.is_empty())
    }

    /// Returns whether a tensor is a workspace with a list of its entries, which is read in order;
    /// other workspaces support lookup.
    pub fn is_listed(&self, tensor: TensorId) -> bool {
        let mut levels = self.tensor(tensor).format.levels.iter();
        self.kernel.is_temporary(tensor) && levels.any(|spec| spec.level.locate().is_none())
    }

    /// Returns whether a tensor is a workspace that is a hash table.
    pub fn is_hashed(&self, tensor: TensorId) -> bool {
        self.tensor(tensor).role == TensorRole::Workspace(Accumulator::Hashed)
    }

    /// Returns whether a tensor is a workspace that is looked up at each coordinate, and has entries
    /// at some of them.
    pub fn is_looked_up(&self, tensor: TensorId) -> bool {
        let levels = self.tensor(tensor).format.levels.iter();
        let mut arrays = levels.flat_map(|spec| spec.level.arrays());
        self.kernel.is_temporary(tensor) && arrays.any(|array| array.holds == Holds::Entries)
    }

    /// Returns whether positions of the levels down to this one may belong to no parent, although the
    /// arrays have elements for them.
    pub fn has_gaps(&self, access: &Access, level: usize) -> bool {
        self.tensor(access.tensor).format.levels[..=level].iter().any(|spec| {
            let iteration = spec.level.position_iteration();
            iteration.is_some_and(|of| !spec.properties.compact && !of.has_no_gaps())
        })
    }

    /// Returns every workspace with its access.
    pub fn workspaces(&self) -> Vec<&Access> {
        let mut workspaces: Vec<&Access> = Vec::new();
        self.body.for_each_assign(&mut |target, _, _| {
            let is_one = self.kernel.is_temporary(target.tensor) && !target.indices.is_empty();
            if is_one && !workspaces.contains(&target) {
                workspaces.push(target);
            }
        });
        workspaces
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.show(&self.body))
    }
}
