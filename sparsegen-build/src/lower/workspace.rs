//! Temporaries: the scalar of a sum, and workspaces, which are filled before they are read.
//!
//! A workspace that is read in order keeps a list of what it holds, and hands it out when it is full. One
//! that is looked into has a place for each coordinate, which is cleared before it is filled.

use crate::ir::{Element, Expr, Stmt};
use crate::iteration::found::for_each_constant;
use crate::iteration::plan::Plan;
use crate::level::Holds;
use crate::notation::{Access, ReduceOp, Tensor, TensorId, VariableId};

use super::combine::Combine;
use super::scope::Scope;
use super::{Lowering, initial};

impl Lowering<'_> {
    /// The workspaces, which all loops share.
    pub(super) fn workspaces(&self) -> Vec<Stmt> {
        let workspaces = self.program.workspaces().into_iter();
        workspaces.flat_map(|access| self.declare(access)).collect()
    }

    fn declare(&self, access: &Access) -> Vec<Stmt> {
        let Tensor { dtype, format, .. } = self.program.tensor(access.tensor);
        if self.program.is_listed(access.tensor) {
            let size = self.extent(access.indices[0]);
            let name = self.names.argument(access.tensor);
            return vec![Stmt::workspace(name, *dtype, format.crd, size, self.zero(*dtype))];
        }
        let mut stmts: Vec<Stmt> =
            self.marks(access.tensor).map(|bits| Stmt::scratch(bits, Element::Bits)).collect();
        stmts.push(Stmt::scratch(&self.names.values(access.tensor), Element::Value(*dtype)));
        stmts
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
        let dtype = self.program.tensor(temporary).dtype;
        let initial = initial(&self.program.kernel, op, dtype);
        let mut stmts = vec![Stmt::bind_mut(&name, initial)];
        stmts.extend(self.declare_best(temporary, op));
        if only_if_found.contains(&temporary) || consumer.asks_for(temporary) {
            let flag = self.names.found(temporary);
            let is_empty = self.is_over_nothing(temporary, op, producer);
            stmts.push(Stmt::bind_mut(&flag, is_empty));
            producing.flags.insert(temporary, flag);
        }
        stmts.extend(self.plan(producer, &producing));
        let consumed = self.plan(consumer, scope);
        let found = only_if_found.iter().map(|id| Expr::var(&self.names.found(*id)));
        match found.reduce(Expr::or) {
            Some(found) => stmts.extend(Stmt::when(found, consumed)),
            None => stmts.extend(consumed),
        }
        stmts
    }

    /// Whether a reduction that constants go into is over no coordinates at all, and so is not what it
    /// comes to of these.
    fn is_over_nothing(&self, temporary: TensorId, op: ReduceOp, producer: &Plan) -> Expr {
        let mut over: Vec<VariableId> = Vec::new();
        for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, around| {
            let known = op.of_constant(constant);
            if known.is_some_and(|known| known != crate::notation::Expr::Literal(op.of_nothing())) {
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
