//! Variables that iteration by position carries: groups, or variables of the level's choice.

use super::code::{Expr, Stmt};
use super::{PositionIteration, Storage};

impl dyn PositionIteration + '_ {
    /// Returns the names of the carried variables.
    pub(crate) fn all_carried(&self) -> Vec<&'static str> {
        self.groups().map_or_else(|| self.carried().to_vec(), |groups| vec![groups.name()])
    }

    /// Returns their values at the first position of a parent.
    pub(crate) fn all_begin(&self, storage: &Storage, parent: Expr) -> Vec<Expr> {
        match self.groups() {
            Some(groups) => vec![groups.group_bounds(storage, parent).start],
            None => self.pos_begin(storage, parent),
        }
    }

    /// Returns statements that advance them to the next position.
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
