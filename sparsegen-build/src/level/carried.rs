//! What iterating by position carries along, be it a group or variables of the level's own choice.

use super::{PositionIteration, Storage};
use crate::ir::{Expr, Stmt};

impl dyn PositionIteration + '_ {
    /// What is carried along.
    pub(crate) fn all_carried(&self) -> Vec<&'static str> {
        self.groups().map_or_else(|| self.carried().to_vec(), |groups| vec![groups.name()])
    }

    /// The values at the first position of a parent.
    pub(crate) fn all_begin(&self, storage: &Storage, parent: Expr) -> Vec<Expr> {
        match self.groups() {
            Some(groups) => vec![groups.group_bounds(storage, parent).start],
            None => self.pos_begin(storage, parent),
        }
    }

    /// Brings what is carried to the next position.
    pub(crate) fn all_next(
        &self,
        storage: &Storage,
        position: Expr,
        coordinate: Expr,
    ) -> Vec<Stmt> {
        let Some(groups) = self.groups() else {
            return self.pos_next(storage, position, coordinate);
        };
        let group = storage.carried(groups.name());
        let end = groups.group_positions(storage, Expr::var(group)).end;
        let is_last = Expr::eq(Expr::add(position, Expr::Index(1)), end);
        vec![Stmt::accumulate(group, Expr::from_bool(is_last))]
    }
}
