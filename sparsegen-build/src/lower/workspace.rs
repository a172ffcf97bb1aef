//! Temporaries: the scalar of a sum, and workspaces, which are filled before they are read.
//!
//! A workspace that is read in order keeps a list of what it holds, and hands it out when it is full. One
//! that is looked into has a place for each coordinate, which is cleared before it is filled.

use crate::concrete::Program;
use crate::ir::{Element, Expr, Stmt};
use crate::iteration::found::{annihilates, for_each_constant};
use crate::iteration::plan::Plan;
use crate::iteration::visits::covered;
use crate::level::Holds;
use crate::notation::{
    Access, Expr as Value, Function, Reads, ReduceOp, Tensor, TensorId, VariableId,
};
use crate::types::{Dtype, Literal, Width};

use super::combine::Combine;
use super::scope::Scope;
use super::value::literal;
use super::{Lowering, initial};

impl Lowering<'_> {
    /// The workspaces, which all loops share.
    pub(super) fn workspaces(&self) -> Vec<Stmt> {
        let workspaces = self.program.workspaces().into_iter();
        workspaces.flat_map(|access| self.declare(access)).collect()
    }

    fn declare(&self, access: &Access) -> Vec<Stmt> {
        let Tensor { dtype, .. } = self.program.tensor(access.tensor);
        if self.program.is_listed(access.tensor) {
            let v = access.indices[0];
            let (name, width) = (self.names.argument(access.tensor), self.width(v));
            return vec![Stmt::workspace(name, *dtype, width, self.extent(v), self.zero(*dtype))];
        }
        let mut stmts: Vec<Stmt> =
            self.marks(access.tensor).map(|bits| Stmt::scratch(bits, Element::Bits)).collect();
        stmts.push(Stmt::scratch(&self.names.values(access.tensor), Element::Value(*dtype)));
        stmts
    }

    /// Returns the narrowest width that is known to hold every coordinate of a variable: that of a tensor
    /// that stores coordinates of the same mode, which it could not if its width did not hold all of
    /// them.
    fn width(&self, v: VariableId) -> Width {
        let Program { kernel, space, .. } = self.program;
        let accesses = std::iter::once(&kernel.assignment.result).chain(&kernel.accesses);
        let levels = accesses.flat_map(|access| {
            let format = &self.program.tensor(access.tensor).format;
            format.levels.iter().enumerate().map(move |(level, spec)| (access, level, spec))
        });
        let holds = levels.filter_map(|(access, level, spec)| {
            let format = &self.program.tensor(access.tensor).format;
            let stored = self.program.level_variable(access, level)?;
            let counted = match space.slice(stored).map(|slice| slice.reads) {
                None => stored,
                Some(Reads::Range(_)) => space.counted(stored),
                Some(Reads::At(_) | Reads::Window(_)) => return None,
            };
            let is_measured = !self.program.kernel.is_temporary(access.tensor)
                && !spec.expr.may_be_negative()
                && !spec.expr.modes().is_empty();
            let mut arrays = spec.level.arrays().iter();
            let is_stored = arrays.any(|array| array.holds == Holds::Coordinates);
            (is_measured && is_stored && counted == v).then_some(format.crd)
        });
        let holds: Vec<Width> = holds.collect();
        Width::ALL.into_iter().find(|width| holds.contains(width)).unwrap_or(Width::Usize)
    }

    /// The arrays of a workspace that tell which coordinates it has.
    fn marks(&self, workspace: TensorId) -> impl Iterator<Item = &str> {
        let storage = &self.storages[workspace.0][0];
        let arrays = self.program.tensor(workspace).format.levels[0].level.arrays().iter();
        let bits = arrays.filter(|array| array.holds == Holds::Bits);
        bits.map(|array| storage.array(array.field))
    }

    pub(super) fn with_temporary(
        &mut self,
        (temporary, op): (TensorId, ReduceOp),
        consumer: &Plan,
        producer: &Plan,
        only_if_found: &[TensorId],
        scope: &Scope,
    ) -> Vec<Stmt> {
        let name = self.names.argument(temporary).to_owned();
        let mut producing = scope.clone();
        producing.produces = true;
        if self.program.is_listed(temporary) {
            let [crd] = &self.storages[temporary.0][0].arrays[..] else {
                unreachable!("the level of a workspace has one array")
            };
            let harvest = Stmt::harvest(&name, &crd.1, &self.names.values(temporary));
            let mut stmts = self.plan(producer, &producing);
            stmts.push(harvest);
            stmts.extend(self.plan(consumer, scope));
            return stmts;
        }
        if !self.program.tensor(temporary).format.levels.is_empty() {
            let mut stmts = self.clear(temporary);
            stmts.extend(self.plan(producer, &producing));
            stmts.extend(self.plan(consumer, scope));
            return stmts;
        }
        let (flag, annihilates) = (self.names.found(temporary), annihilates(producer, temporary));
        let covered = covered(producer, temporary);
        if covered.is_some() {
            producing.complete.insert(temporary);
        }
        let nowhere = self.nowhere(temporary, &producing);
        let initial = nowhere.unwrap_or_else(|| self.initial(temporary, op, covered));
        let mut stmts = vec![Stmt::bind_mut(&name, initial)];
        stmts.extend(self.declare_best(temporary, op));
        if annihilates || only_if_found.contains(&temporary) || consumer.asks_for(temporary) {
            let is_empty = self.is_over_nothing(temporary, op, producer);
            let initial = if annihilates { Expr::Bool(true) } else { is_empty };
            // Loops may be left where they find a zero, so what they compute stands behind the flag.
            let at = if annihilates { 0 } else { stmts.len() };
            stmts.insert(at, Stmt::bind_mut(&flag, initial));
            producing.flags.insert(temporary, flag.clone());
        }
        stmts.extend(self.plan(producer, &producing));
        stmts.extend(self.finish_best(temporary, &producing));
        if annihilates && !only_if_found.contains(&temporary) {
            let zero = literal(Literal::Int(0), self.program.tensor(temporary).dtype);
            stmts.extend(Stmt::when(Expr::not(Expr::var(&flag)), vec![Stmt::assign(&name, zero)]));
        }
        let consumed = self.plan(consumer, scope);
        let found = only_if_found.iter().map(|id| Expr::var(&self.names.found(*id)));
        match found.reduce(Expr::or) {
            Some(found) => stmts.extend(Stmt::when(found, consumed)),
            None => stmts.extend(consumed),
        }
        stmts
    }

    /// Returns what a reduction starts from. A minimum of numbers none of which is left out is no number if
    /// all of them are none, and so is a maximum; of no coordinates at all it is the identity.
    fn initial(&self, temporary: TensorId, op: ReduceOp, covered: Option<Vec<VariableId>>) -> Expr {
        let dtype = self.program.tensor(temporary).dtype;
        let identity = initial(&self.program.kernel, op, dtype);
        match (op, covered) {
            (ReduceOp::Min | ReduceOp::Max, Some(over)) if dtype.is_float() => {
                let is_empty = over.into_iter().map(|v| Expr::eq(self.extent(v), Expr::Index(0)));
                let is_empty = is_empty.reduce(Expr::or).unwrap_or(Expr::Bool(false));
                Expr::choose(is_empty, identity, literal(Literal::Nan, dtype))
            }
            (_, _) => identity,
        }
    }

    /// Notes that an unstored zero annihilates a product; under a mask, where that excludes a value.
    pub(super) fn annihilate(
        &mut self,
        temporary: TensorId,
        value: &Value,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let missing = vec![Stmt::assign(&scope.flags[&temporary], Expr::Bool(false))];
        let Value::Call(Function::Mask, masked) = value else { return missing };
        let access = Access { tensor: temporary, indices: Vec::new() };
        let condition = self.number(&masked[0], Dtype::Bool, scope);
        let inside = self.assign(&access, Some(ReduceOp::Prod), &masked[1], scope);
        Stmt::choose(vec![(condition, inside)], missing)
    }

    /// Whether a reduction that constants go into is over no coordinates at all, and so is not what it
    /// comes to of these.
    fn is_over_nothing(&self, temporary: TensorId, op: ReduceOp, producer: &Plan) -> Expr {
        let mut over: Vec<VariableId> = Vec::new();
        for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, around| {
            let known = op.of_constant(constant);
            if known.is_some_and(|known| known != Value::Literal(op.of_nothing())) {
                over.extend(around.iter().filter(|v| !over.contains(v)).collect::<Vec<_>>());
            }
        });
        let is_empty = over.into_iter().map(|v| Expr::eq(self.extent(v), Expr::Index(0)));
        is_empty.reduce(Expr::or).unwrap_or(Expr::Bool(false))
    }

    /// Empties a workspace that has a place for each coordinate.
    fn clear(&self, workspace: TensorId) -> Vec<Stmt> {
        let size = &self.storages[workspace.0][0].size;
        let vals = self.names.values(workspace);
        let mut stmts = Vec::new();
        for bits in self.marks(workspace) {
            stmts.push(Stmt::clear(bits));
            stmts.push(Stmt::resize(bits, size.clone(), Expr::Bool(false)));
        }
        stmts.push(Stmt::clear(&vals));
        stmts.push(Stmt::resize(
            &vals,
            size.clone(),
            self.zero(self.program.tensor(workspace).dtype),
        ));
        stmts
    }

    /// Stores into a workspace.
    pub(super) fn enter(
        &self,
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let coordinate = scope.coordinate(target.indices[0]);
        let dtype = self.program.tensor(target.tensor).dtype;
        let add = Combine::reducing(&self.program.kernel, ReduceOp::Sum, dtype);
        let Some(locate) = self.program.tensor(target.tensor).format.levels[0].level.locate()
        else {
            let name = self.names.argument(target.tensor);
            return vec![add.store(name, coordinate, value)];
        };
        let storage = &self.storages[target.tensor.0][0];
        let name = self.names.position(target, 0);
        let found = locate.locate(storage, Expr::Index(0), coordinate, &name);
        let mut stmts = found.prelude;
        let position = found.value;
        for bits in self.marks(target.tensor) {
            stmts.push(Stmt::store(bits, position.clone(), Expr::Bool(true)));
        }
        let vals = self.names.values(target.tensor);
        stmts.push(if accumulate.is_some() {
            add.store(&vals, position, value)
        } else {
            Stmt::store(&vals, position, value)
        });
        stmts
    }
}
