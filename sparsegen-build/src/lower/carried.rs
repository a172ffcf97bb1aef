//! Variables that a level carries between positions.

use crate::ir::{Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::lower::Lowering;

impl Lowering<'_> {
    /// Returns `let mut p_a_run = …;`, the definitions of the carried variables.
    pub(super) fn begin_carried(&self, iterator: &LevelIterator, parent: Expr) -> Vec<Stmt> {
        let storage = self.storage(iterator);
        let values = self.position_iteration(iterator).all_begin(&storage, parent);
        let names = storage.carried.iter().map(|(_, name)| name);
        names.zip(values).map(|(name, value)| Stmt::bind_mut(name, value)).collect()
    }

    /// Advances the carried variables from a position to the next.
    pub(super) fn next_carried(
        &self,
        iterator: &LevelIterator,
        position: Expr,
        coordinate: Expr,
    ) -> Vec<Stmt> {
        if iterator.reorders() {
            return Vec::new();
        }
        self.carry(iterator, position, coordinate)
    }

    pub(super) fn carry(
        &self,
        iterator: &LevelIterator,
        position: Expr,
        coordinate: Expr,
    ) -> Vec<Stmt> {
        let storage = self.storage(iterator);
        self.position_iteration(iterator).all_next(&storage, position, coordinate)
    }

    /// Returns whether an iterator carries variables; a sorted copy does not.
    pub(super) fn carries(&self, iterator: &LevelIterator) -> bool {
        !iterator.reorders() && !self.position_iteration(iterator).all_carried().is_empty()
    }
}
