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
pub mod terms;
pub mod update;

use std::rc::Rc;

use crate::format::Format;
use crate::ir::Bounds;
use crate::level::Holds;
use crate::names::beside;
use crate::notation::{
    Access, DeclaredFormat, Expr, Kernel, ReduceOp, Slice, Tensor, TensorId, VariableId, declare,
};
use crate::types::Literal;

pub use annotations::{Annotations, DemandedOrder};
use parted::Parted;
use space::{Basis, Definition, Space};

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
    pub packed: Option<Format>,
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
    pub fn of(kernel: &Kernel, packed: Option<Format>) -> Target {
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
    /// `true` if the value is an operand that is stored only to be looked up.
    pub is_copy: bool,
}

/// A statement of concrete index notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `∀v body`
    Forall { variable: VariableId, annotations: Rc<Annotations>, body: Box<Stmt> },
    /// `consumer where producer`: each temporary starts at the identity element of its reduction, the
    /// producer accumulates into it, and the consumer reads it. A temporary with indices is a workspace.
    Where { temporaries: Vec<Temporary>, consumer: Box<Stmt>, producer: Box<Stmt> },
    /// `target = value`, `target += value`, or the accumulation of another reduction.
    Assign { target: Access, accumulate: Option<ReduceOp>, value: Expr },
    /// `body if condition`
    If { condition: Expr, body: Box<Stmt> },
    /// Statements in sequence; an empty sequence is a no-op.
    Sequence(Vec<Stmt>),
}

/// A temporary of a `where` statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The scalar or workspace.
    pub tensor: TensorId,
    /// The reduction that combines the values of the producer.
    pub op: ReduceOp,
}

impl Stmt {
    /// The no-op.
    pub const SKIP: Stmt = Stmt::Sequence(Vec::new());

    pub fn is_skip(&self) -> bool {
        matches!(self, Stmt::Sequence(statements) if statements.is_empty())
    }

    pub fn forall(variable: VariableId, annotations: Rc<Annotations>, body: Stmt) -> Stmt {
        if body.is_skip() {
            return body;
        }
        Stmt::Forall { variable, annotations, body: Box::new(body) }
    }

    pub fn assign(target: Access, accumulate: Option<ReduceOp>, value: Expr) -> Stmt {
        // A result initially holds the fill value, and a temporary the identity element, so that
        // assigning it is a no-op.
        let is_there = accumulate.unwrap_or(ReduceOp::SUM).ignores(&value);
        if is_there { Stmt::SKIP } else { Stmt::Assign { target, accumulate, value } }
    }

    /// Returns a statement that runs only if a condition holds.
    pub fn when(condition: Expr, body: Stmt) -> Stmt {
        match condition.as_literal().and_then(Literal::as_bool) {
            Some(true) => body,
            Some(false) => Stmt::SKIP,
            None if body.is_skip() => body,
            None => Stmt::If { condition, body: Box::new(body) },
        }
    }

    /// Returns `consumer where producer`. A temporary that the producer does not assign keeps its
    /// initial identity element; a no-op consumer needs no temporary.
    pub fn where_(temporaries: Vec<Temporary>, consumer: Stmt, producer: Stmt) -> Stmt {
        let (assigned, untouched): (Vec<_>, Vec<_>) =
            temporaries.into_iter().partition(|temporary| producer.assigns(temporary.tensor));
        let initial = |access: &Access| {
            let known = untouched.iter().find(|temporary| temporary.tensor == access.tensor)?;
            Some(Expr::Literal(known.op.of_nothing()))
        };
        let consumer = if untouched.is_empty() { consumer } else { consumer.with(&initial) };
        if consumer.is_skip() {
            return producer.without(&|target| assigned.iter().any(|t| t.tensor == target.tensor));
        }
        if assigned.is_empty() {
            return Stmt::sequence(vec![producer, consumer]);
        }
        let [consumer, producer] = [consumer, producer].map(Box::new);
        Stmt::Where { temporaries: assigned, consumer, producer }
    }

    /// Returns the statement without the assignments to some targets.
    fn without(&self, drops: &dyn Fn(&Access) -> bool) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Rc::clone(annotations), body.without(drops))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let [consumer, producer] = [consumer, producer].map(|stmt| stmt.without(drops));
                Stmt::where_(temporaries.clone(), consumer, producer)
            }
            Stmt::Assign { target, .. } if drops(target) => Stmt::SKIP,
            Stmt::Assign { .. } => self.clone(),
            Stmt::If { condition, body } => Stmt::when(condition.clone(), body.without(drops)),
            Stmt::Sequence(statements) => {
                Stmt::sequence(statements.iter().map(|stmt| stmt.without(drops)).collect())
            }
        }
    }

    /// Returns whether some assignment is to a tensor.
    pub fn assigns(&self, tensor: TensorId) -> bool {
        let mut assigns = false;
        self.for_each_assign(&mut |target, _, _| assigns |= target.tensor == tensor);
        assigns
    }

    pub fn sequence(statements: Vec<Stmt>) -> Stmt {
        let mut statements: Vec<_> = statements.into_iter().filter(|s| !s.is_skip()).collect();
        match statements.len() {
            1 => statements.remove(0),
            _ => Stmt::Sequence(statements),
        }
    }

    /// Returns this statement in a region: absent accesses have the fill values of their formats,
    /// which are zero by default, and present accesses have an entry.
    ///
    /// This is how the statement of a merge point is derived, and how a region is found to need no
    /// code: constants are folded through all operators, and the statement may become a no-op.
    pub fn in_region(
        &self,
        kernel: &Kernel,
        absent: &dyn Fn(&Access) -> bool,
        present: &dyn Fn(&Access) -> bool,
    ) -> Stmt {
        self.with(&|access| {
            if absent(access) {
                return Some(kernel.fill(access.tensor));
            }
            // An entry of a predicate means that the comparison holds.
            let holds = present(access) && kernel.predicate(access.tensor).is_some();
            holds.then_some(Expr::Literal(Literal::Int(1)))
        })
    }

    /// Returns this statement with some accesses replaced, folded.
    pub fn with(&self, replace: &dyn Fn(&Access) -> Option<Expr>) -> Stmt {
        self.map_values(&|value| value.substitute(&replace))
    }

    /// Returns this statement with every value and condition replaced, folded.
    pub fn map_values(&self, change: &dyn Fn(&Expr) -> Expr) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Rc::clone(annotations), body.map_values(change))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let [consumer, producer] = [consumer, producer].map(|s| s.map_values(change));
                Stmt::where_(temporaries.clone(), consumer, producer)
            }
            Stmt::Assign { target, accumulate, value } => {
                Stmt::assign(target.clone(), *accumulate, change(value))
            }
            Stmt::If { condition, body } => Stmt::when(change(condition), body.map_values(change)),
            Stmt::Sequence(statements) => {
                Stmt::sequence(statements.iter().map(|s| s.map_values(change)).collect())
            }
        }
    }

    /// Calls `visit` with every assignment: its target, its reduction if it accumulates, and its
    /// value.
    pub fn for_each_assign<'s>(
        &'s self,
        visit: &mut impl FnMut(&'s Access, Option<ReduceOp>, &'s Expr),
    ) {
        match self {
            Stmt::Forall { body, .. } | Stmt::If { body, .. } => body.for_each_assign(visit),
            Stmt::Where { consumer, producer, .. } => {
                producer.for_each_assign(visit);
                consumer.for_each_assign(visit);
            }
            Stmt::Assign { target, accumulate, value } => visit(target, *accumulate, value),
            Stmt::Sequence(statements) => {
                for statement in statements {
                    statement.for_each_assign(visit);
                }
            }
        }
    }

    /// Returns the number of parts of the statement, including those of its values.
    pub fn size(&self) -> usize {
        match self {
            Stmt::Forall { body, .. } => 1 + body.size(),
            Stmt::Where { consumer, producer, .. } => 1 + consumer.size() + producer.size(),
            Stmt::Assign { value, .. } => 1 + value.size(),
            Stmt::If { condition, body } => condition.size() + body.size(),
            Stmt::Sequence(statements) => statements.iter().map(Stmt::size).sum(),
        }
    }

    /// Returns every access that is read, without duplicates, in the order of first use.
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads: Vec<&Access> = Vec::new();
        self.for_each_value(&mut |value| {
            value.for_each_access(&mut |access| {
                if !reads.contains(&access) {
                    reads.push(access);
                }
            });
        });
        reads
    }

    /// Calls `visit` with every assigned value and every condition.
    fn for_each_value<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        match self {
            Stmt::Forall { body, .. } => body.for_each_value(visit),
            Stmt::Where { consumer, producer, .. } => {
                producer.for_each_value(visit);
                consumer.for_each_value(visit);
            }
            Stmt::Assign { value, .. } => visit(value),
            Stmt::If { condition, body } => {
                visit(condition);
                body.for_each_value(visit);
            }
            Stmt::Sequence(statements) => {
                statements.iter().for_each(|statement| statement.for_each_value(visit));
            }
        }
    }
}

impl Program {
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

    /// Returns the slices of the modes of a level in which the loops may have coordinates that
    /// nothing reads.
    pub fn may_leave(&self, access: &Access, level: usize) -> Vec<Slice> {
        let spec = &self.tensor(access.tensor).format.levels[level];
        let modes = spec.expr.modes().into_iter().map(|mode| access.indices[mode]);
        let slices = modes.map(|v| self.space.slice(self.space.place(v).unwrap_or(v)));
        slices.flatten().filter(|slice| self.kernel.may_leave(slice)).collect()
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
                declare(declared, &mut tensor.format, &wished);
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
            true => stmt.with_constants(&is_full),
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

    /// Returns whether a tensor is a workspace that is looked up at each coordinate, and has entries
    /// at some of them.
    pub fn is_looked_up(&self, tensor: TensorId) -> bool {
        let levels = self.tensor(tensor).format.levels.iter();
        let mut arrays = levels.flat_map(|spec| spec.level.arrays());
        self.kernel.is_temporary(tensor) && arrays.any(|array| array.holds == Holds::Entries)
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
