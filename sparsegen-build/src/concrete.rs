//! Concrete index notation: loops and workspaces explicit (Kjolstad et al. 2019).
//!
//! ```text
//! ∀i (y[i] = sum where ∀j sum += A[i,j] * x[j])
//! ```
//!
//! AFTER [`schedule`](crate::schedule::schedule): every variable has a loop, every reduction accumulates
//! into a result or a temporary, and the loops come in an order in which every level can be
//! iterated or located. Nothing can fail from here on.

mod annotations;
pub mod once;
mod settle;
pub mod space;
pub mod terms;
pub mod update;

use std::rc::Rc;

use crate::format::Format;
use crate::ir::Bounds;
use crate::names::beside;
use crate::notation::{
    Access, DeclaredFormat, Expr, Kernel, ReduceOp, Slice, Tensor, TensorId, VariableId, declare,
};
use crate::types::Literal;

pub use annotations::{Annotations, DemandedOrder, Strips};
use space::{Basis, Definition, Space};

/// A kernel with its loops.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel, with the temporaries behind its tensors, and behind its variables those that its
    /// formats define.
    pub kernel: Kernel,
    pub space: Space,
    /// What is looped over in the stead of each index variable.
    pub basis: Basis,
    /// The format that the result is packed into afterwards.
    pub packed: Option<Format>,
    /// The loops that the schedule demands outside of others.
    pub order: Vec<DemandedOrder>,
    /// The variable of the loop that runs in parts on several threads, or the reason why none does;
    /// `None` if the kernel is to run on one.
    pub threads: Option<Result<VariableId, String>>,
    /// The parts of the kernel's value that the user wants in workspaces.
    pub precomputed: Vec<Precomputed>,
    /// Whether the body stores other entries if the range of some reduction is empty.
    pub has_versions: bool,
    pub body: Stmt,
}

/// A part of a kernel's value, and the workspace that stands in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputed {
    pub workspace: Access,
    pub value: Expr,
}

/// A statement of concrete index notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `∀v body`
    Forall { variable: VariableId, annotations: Rc<Annotations>, body: Box<Stmt> },
    /// `consumer where producer`: the temporary starts at what makes no difference to its reduction,
    /// which is zero for a sum, the producer fills it, the consumer reads it. One that has indices is a workspace.
    Where { temporary: TensorId, op: ReduceOp, consumer: Box<Stmt>, producer: Box<Stmt> },
    /// `target = value`, or `target += value`, or what else a reduction does with its values.
    Assign { target: Access, accumulate: Option<ReduceOp>, value: Expr },
    /// `body if condition`
    If { condition: Expr, body: Box<Stmt> },
    /// One after the other; of none, nothing is done.
    Sequence(Vec<Stmt>),
}

impl Stmt {
    /// The statement that does nothing.
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
        // What is not stored is zero already: results start from it, and temporaries from what makes no
        // difference.
        let is_there = accumulate.unwrap_or(ReduceOp::Sum).ignores(&value);
        if is_there { Stmt::SKIP } else { Stmt::Assign { target, accumulate, value } }
    }

    /// What is done only where a condition holds.
    pub fn when(condition: Expr, body: Stmt) -> Stmt {
        match condition.as_literal().and_then(Literal::as_bool) {
            Some(true) => body,
            Some(false) => Stmt::SKIP,
            None if body.is_skip() => body,
            None => Stmt::If { condition, body: Box::new(body) },
        }
    }

    /// A producer that does nothing leaves its temporary at zero.
    pub fn where_(temporary: TensorId, op: ReduceOp, consumer: Stmt, producer: Stmt) -> Stmt {
        if consumer.is_skip() {
            return consumer;
        }
        if producer.is_skip() {
            let initial = Expr::Literal(op.of_nothing());
            return consumer.with(&|access| (access.tensor == temporary).then(|| initial.clone()));
        }
        let [consumer, producer] = [consumer, producer].map(Box::new);
        Stmt::Where { temporary, op, consumer, producer }
    }

    pub fn sequence(statements: Vec<Stmt>) -> Stmt {
        let mut statements: Vec<_> = statements.into_iter().filter(|s| !s.is_skip()).collect();
        match statements.len() {
            1 => statements.remove(0),
            _ => Stmt::Sequence(statements),
        }
    }

    /// What is left of this statement where some accesses hold what is not stored, which is the fill of
    /// their formats and mostly zero, and others have an entry.
    ///
    /// This is how a merge point's statement follows from the whole, and how it is decided that a
    /// region needs no code: constants fold through all operators, and nothing may be left.
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
            // An entry of a comparison says that it holds.
            let holds = present(access) && kernel.predicate(access.tensor).is_some();
            holds.then_some(Expr::Literal(Literal::Int(1)))
        })
    }

    /// What is left of this statement where the accesses that have an answer hold that.
    pub fn with(&self, replace: &dyn Fn(&Access) -> Option<Expr>) -> Stmt {
        self.map_values(&|value| value.substitute(&replace))
    }

    /// What is left of this statement with every value and condition changed.
    pub fn map_values(&self, change: &dyn Fn(&Expr) -> Expr) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Rc::clone(annotations), body.map_values(change))
            }
            Stmt::Where { temporary, op, consumer, producer } => {
                let [consumer, producer] = [consumer, producer].map(|s| s.map_values(change));
                Stmt::where_(*temporary, *op, consumer, producer)
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

    /// Calls `visit` on every assignment: its target, whether it accumulates, and its value.
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

    /// Returns how many parts the statement has, those of its values included.
    pub fn size(&self) -> usize {
        match self {
            Stmt::Forall { body, .. } => 1 + body.size(),
            Stmt::Where { consumer, producer, .. } => 1 + consumer.size() + producer.size(),
            Stmt::Assign { value, .. } => 1 + value.size(),
            Stmt::If { condition, body } => condition.size() + body.size(),
            Stmt::Sequence(statements) => statements.iter().map(Stmt::size).sum(),
        }
    }

    /// Every access that is read, each once, in order of appearance.
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

    /// Calls `visit` on every value that is assigned and on every condition.
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
    /// A statement in concrete index notation.
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
                    None => "=",
                    Some(ReduceOp::Sum) => "+=",
                    Some(ReduceOp::Prod) => "*=",
                    Some(ReduceOp::Min) => "min=",
                    Some(ReduceOp::Max) => "max=",
                    Some(ReduceOp::Any) => "|=",
                    Some(ReduceOp::All) => "&=",
                    Some(ReduceOp::ArgMin) => "argmin=",
                    Some(ReduceOp::ArgMax) => "argmax=",
                };
                format!("{} {op} {}", self.kernel.show_access(target), self.kernel.show(value))
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

    /// The variable that a level of an access stores, if the tensor has that level.
    pub fn level_variable(&self, access: &Access, level: usize) -> Option<VariableId> {
        self.space.level_variable(&self.kernel, access, level)
    }

    /// The parts of modes among those that a level of an access tells of in which the loops may have
    /// coordinates that nothing is read at.
    pub fn may_leave(&self, access: &Access, level: usize) -> Vec<Slice> {
        let spec = &self.tensor(access.tensor).format.levels[level];
        let modes = spec.expr.modes().into_iter().map(|mode| access.indices[mode]);
        let slices = modes.map(|v| self.space.slice(self.space.place(v).unwrap_or(v)));
        slices.flatten().filter(|slice| self.kernel.may_leave(slice)).collect()
    }

    /// Declares the formats of converted tensors for which the runtime crate has no type.
    pub fn declare_formats(&mut self, declared: &mut Vec<DeclaredFormat>) {
        let converted = self.kernel.converted().map(|(into, _)| into);
        let packed = self.packed.iter().map(|_| self.kernel.result());
        for id in converted.chain(packed).collect::<Vec<_>>() {
            let tensor = &mut self.kernel.tensors[id.0];
            let wished = match &tensor.format.name {
                Some(format) if tensor.role.is_argument() => beside(&tensor.argument, format),
                // What is converted has its format's name in its own already.
                Some(_) | None => tensor.argument.clone(),
            };
            if tensor.format.builtin.is_none() {
                declare(declared, &mut tensor.format, &wished);
            }
        }
    }

    /// Whether a loop is there for the sake of a fixed coordinate.
    pub fn loops_once(&self, v: VariableId) -> bool {
        let variables = (0..self.kernel.variables.len()).map(VariableId);
        let mut once = variables.filter(|v| self.space.definition(*v) == Some(Definition::Once));
        once.any(|once| self.basis.loops(once).contains(&v))
    }

    /// Whether the result need not have an entry at every coordinate.
    pub fn may_lack_entries(&self) -> bool {
        let levels = &self.tensor(self.kernel.result()).format.levels;
        levels.iter().any(|spec| spec.level.insert().is_none() || !spec.properties.full)
    }

    pub fn tensor(&self, id: TensorId) -> &Tensor {
        self.kernel.tensor(id)
    }

    /// Returns the name of a level whose functions may lead out of bounds, if the kernel uses one.
    pub fn level_without_promise(&self) -> Option<&str> {
        let mut specs = self.kernel.tensors.iter().flat_map(|tensor| &tensor.format.levels);
        specs.find(|spec| spec.level.promise().is_none()).map(|spec| spec.level.name())
    }

    /// Returns whether indices are checked: a proof of bounds needs the promise of every level.
    pub fn bounds(&self) -> Bounds {
        match self.level_without_promise() {
            Some(_) => Bounds::Checked,
            None => self.kernel.bounds,
        }
    }

    /// Whether a tensor is a workspace that lists what it holds, to be read in order; others can be
    /// looked into.
    pub fn is_listed(&self, tensor: TensorId) -> bool {
        let mut levels = self.tensor(tensor).format.levels.iter();
        self.kernel.is_temporary(tensor) && levels.any(|spec| spec.level.locate().is_none())
    }

    /// Every workspace, as it is accessed.
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
