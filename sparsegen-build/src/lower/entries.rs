//! The bound on the number of entries that the loops of a plan append to the result.
//!
//! An entry is appended each time that an assignment to the result runs. An operand bounds how often
//! that is if its positions tell the runs apart: each run in which the operand has an entry then has a
//! position of the operand of its own, and there are as many positions as values. Two properties of the
//! loops around the assignment make this so. The coordinates of the operand determine those of every loop.
//! And no loop runs twice at the same coordinate, unless it visits two positions of the operand itself: a
//! loop over the duplicates of *another* operand finds the same entry of this one again and again.

use crate::concrete::{Program, Stmt};
use crate::ir::Expr;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::{self, Access, BinaryOp, VariableId};

use super::names::Names;

/// The most entries that a plan appends to the result, in terms of what its operands store; `None` if
/// they do not bound it.
pub(super) fn most_entries(program: &Program, plan: &Plan, names: &Names) -> Option<Expr> {
    let bounds = Bounds { program, plan, names };
    bounds.of_stmt(&program.body)
}

struct Bounds<'p> {
    program: &'p Program,
    plan: &'p Plan,
    names: &'p Names,
}

impl Bounds<'_> {
    /// The most runs of all assignments to the result in a statement. The regions of its loops exclude
    /// each other, and in each of them less of the statement is left.
    fn of_stmt(&self, stmt: &Stmt) -> Option<Expr> {
        let mut most = Some(Expr::Index(0));
        stmt.for_each_assign(&mut |target, _, value| {
            if *target == self.program.kernel.assignment.result {
                let more = self.of_value(value);
                most = most.take().zip(more).map(|(most, more)| Expr::add(most, more));
            }
        });
        most
    }

    /// The most runs in which a value is not known to be zero.
    fn of_value(&self, value: &notation::Expr) -> Option<Expr> {
        match value {
            notation::Expr::Call(notation::Function::Mask, masked) => self.of_value(&masked[1]),
            notation::Expr::Literal(_)
            | notation::Expr::Constant(_)
            | notation::Expr::Index(_)
            | notation::Expr::Parameter(_)
            | notation::Expr::Call(..)
            | notation::Expr::Reduce(_) => None,
            notation::Expr::Access(access) => {
                self.tells_apart(access).then(|| Expr::len(&self.names.values(access.tensor)))
            }
            notation::Expr::Unary(_, a) => self.of_value(a),
            notation::Expr::Binary(op, a, b) => {
                let (a, b) = (self.of_value(a), self.of_value(b));
                match op {
                    BinaryOp::Add | BinaryOp::Sub => Some(Expr::add(a?, b?)),
                    BinaryOp::Div => a,
                    BinaryOp::Mul => match (a, b) {
                        (Some(a), Some(b)) => Some(Expr::min(a, b)),
                        (a, b) => a.or(b),
                    },
                }
            }
        }
    }

    /// Returns whether the positions of an access tell apart the runs in which it has an entry, and are
    /// fewer than the coordinates.
    fn tells_apart(&self, access: &Access) -> bool {
        let Program { kernel, space, .. } = self.program;
        let format = &self.program.tensor(access.tensor).format;
        let is_sparse = format.is_sparse();
        // An operand with another fill value has a value where it has no entry, too.
        let vanishes = kernel.fill(access.tensor).is_zero();
        // Of an operand of which a part is read, there may be many more entries than in that part.
        let is_whole = access.indices.iter().all(|v| space.slice(*v).is_none());
        if self.program.kernel.is_temporary(access.tensor) || !(is_sparse && vanishes && is_whole) {
            return false;
        }
        let levels = 0..format.levels.len();
        let stored = levels.filter_map(|level| self.program.level_variable(access, level));
        let stored: Vec<VariableId> = stored.chain(access.indices.iter().copied()).collect();
        self.is_told_apart(self.plan, access, &space.known(kernel, &stored))
    }

    /// Returns whether the runs of all assignments to the result that read an access have positions of
    /// it of their own; `determined` are the variables that follow from a position.
    fn is_told_apart(&self, plan: &Plan, access: &Access, determined: &[VariableId]) -> bool {
        if !self.assigns(plan, access) {
            return true;
        }
        let within = |plan: &Plan| self.is_told_apart(plan, access, determined);
        match plan {
            Plan::Loop(inner) => {
                determined.contains(&inner.variable)
                    && !self.repeats(inner, access)
                    && inner.bodies.iter().all(|body| within(body))
            }
            Plan::Where { consumer, producer, .. } => within(consumer) && within(producer),
            Plan::Assign { .. } => true,
            Plan::If { body, .. } => within(body),
            Plan::Sequence(plans) => plans.iter().all(|plan| within(plan)),
        }
    }

    /// Returns whether a plan assigns to the result a value that reads an access.
    fn assigns(&self, plan: &Plan, access: &Access) -> bool {
        match plan {
            Plan::Loop(inner) => inner.bodies.iter().any(|body| self.assigns(body, access)),
            Plan::Where { consumer, producer, .. } => {
                self.assigns(consumer, access) || self.assigns(producer, access)
            }
            Plan::Assign { target, value, .. } => {
                let mut reads = false;
                value.for_each_access(&mut |read| reads |= read == access);
                reads && *target == self.program.kernel.assignment.result
            }
            Plan::If { body, .. } => self.assigns(body, access),
            Plan::Sequence(plans) => plans.iter().any(|plan| self.assigns(plan, access)),
        }
    }

    /// Returns whether a loop may run twice at the same coordinate because of another access.
    fn repeats(&self, inner: &Loop, access: &Access) -> bool {
        let mut drivers = inner.points.iter().flat_map(|point| point.drivers.members());
        drivers.any(|driver| {
            let iterator = &inner.iterators[driver];
            iterator.access != *access && !iterator.dedups() && iterator.may_repeat(self.program)
        })
    }
}
