//! Variables that a level carries between positions.

use crate::ir::{Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::level::{Blocks, Segment};
use crate::lower::Lowering;
use crate::lower::scope::Scope;

impl Lowering<'_> {
    /// Returns `let mut p_a_run = …;`, the definitions of the carried variables.
    pub(super) fn begin_carried(&self, iterator: &LevelIterator, parent: Expr) -> Vec<Stmt> {
        let storage = self.storage(iterator);
        let values = self.position_iteration(iterator).all_begin(&storage, parent);
        let names = storage.carried.iter().map(|(_, name)| name);
        names.zip(values).map(|(name, value)| Stmt::bind_mut(name, value)).collect()
    }

    /// Returns whether the positions of an iterator over blocks are searched.
    pub(super) fn begins_at_block(&self, iterator: &LevelIterator, scope: &Scope) -> bool {
        let v = self.program.level_variable(&iterator.access, iterator.level);
        iterator.has_blocks(self.program)
            && v.is_some_and(|v| self.interval(v, scope).is_some())
            && !iterator.filters(self.program)
    }

    /// Returns the positions of an iterator over blocks with coordinates in an interval, and the statements
    /// that find them and the block of the first one.
    pub(super) fn within_blocks_of(
        &self,
        iterator: &LevelIterator,
        parent: Expr,
        Segment { start: first, end: last }: Segment,
    ) -> Option<(Vec<Stmt>, Segment)> {
        let groups = self.position_iteration(iterator).groups()?;
        let Blocks { size, numbers, within } = groups.blocks()?;
        let storage = self.storage(iterator);
        let all = groups.group_bounds(&storage, parent);
        let name = self.names.position(&iterator.access, iterator.level);
        let [begin, end] = ["begin", "end"].map(|suffix| format!("{name}_{suffix}"));
        let block = storage.carried(groups.name()).to_owned();
        let after = format!("{block}_end");
        let positions = |block: &str| groups.group_positions(&storage, Expr::var(block));
        let find = |from: Expr, coordinate: &Expr| {
            let number = Expr::div(coordinate.clone(), Expr::Index(size));
            Expr::search(storage.array(numbers), from, all.end.clone(), number)
        };
        // The coordinate is in the block or before it.
        let place = |block: &str, coordinate: Expr| {
            let begin = Expr::mul(storage.load(numbers, Expr::var(block)), Expr::Index(size));
            let Segment { start, end } = positions(block);
            let ahead = Expr::saturating_sub(coordinate, begin);
            Expr::search(storage.array(within), start, end, ahead)
        };
        let is_there = |block: &str| Expr::lt(Expr::var(block), all.end.clone());
        let is_behind = Expr::eq(Expr::var(&begin), positions(&block).end);
        let mut stmts = vec![
            Stmt::bind_mut(&block, find(all.start.clone(), &first)),
            Stmt::bind_mut(&begin, positions(&block).start),
        ];
        let narrow = vec![
            Stmt::assign(&begin, place(&block, first)),
            Stmt::accumulate(&block, Expr::from_bool(is_behind)),
        ];
        stmts.extend(Stmt::when(is_there(&block), narrow));
        stmts.push(Stmt::bind(&after, find(Expr::var(&block), &last)));
        stmts.push(Stmt::bind_mut(&end, positions(&after).start));
        let narrow = vec![Stmt::assign(&end, place(&after, last))];
        stmts.extend(Stmt::when(is_there(&after), narrow));
        Some((stmts, Segment { start: Expr::var(&begin), end: Expr::var(&end) }))
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
