//! The statements before and after the loops of a result.

use std::ops::Range;

use super::{Assembler, Purpose};
use crate::ir::{Bound, Expr, Stmt};
use crate::lower::capacity::bind_indices;

impl Assembler<'_> {
    /// Returns the statements before the loops.
    pub(in crate::lower) fn begin(&self) -> Vec<Stmt> {
        if self.purpose == Purpose::Compute {
            return self.begin_known();
        }
        if !self.has_structure {
            return Vec::new();
        }
        if let Some(placement) = &self.placement {
            return self.begin_placed(placement);
        }
        let mut stmts = Vec::new();
        let mut parents = Some(Expr::Index(1));
        for (level, (spec, storage)) in self.levels().iter().zip(&self.storages).enumerate() {
            if let Some(insert) = spec.level.insert() {
                stmts.extend(insert.insert_init(storage));
                if let Some(known) = parents {
                    stmts.extend(insert.insert_parents(storage, known.clone()));
                    parents = Some(insert.size(storage, known));
                }
            } else if let Some(append) = spec.level.append() {
                stmts.extend(append.append_init(storage));
                if self.scattered == Some(level) {
                    stmts.extend(self.scatters(level).scatter_init(storage));
                }
                parents = None;
            }
        }
        stmts.push(Stmt::Clear { array: self.vals.clone() });
        if let Some(positions) = parents {
            stmts.push(Stmt::resize(&self.vals, positions, self.initial()));
        }
        stmts.extend(
            self.reserved()
                .into_iter()
                .map(|Bound { array, most, .. }| Stmt::Reserve { array, additional: most }),
        );
        stmts
    }

    /// Returns the statements after the loops.
    pub(in crate::lower) fn end(&self) -> Vec<Stmt> {
        if self.purpose == Purpose::Compute {
            return self.end_known();
        }
        if !self.has_structure {
            return Vec::new();
        }
        if let Some(placement) = &self.placement {
            return self.end_placed(placement);
        }
        if !self.has_structure_first {
            return self.complete(0..self.levels().len());
        }
        let first = self.last_appended().map_or(0, |level| level + 1);
        let mut stmts = self.leave_first();
        stmts.extend(self.complete(first..self.levels().len()));
        stmts
    }

    /// Returns statements that complete some of the levels.
    pub(super) fn complete(&self, levels: Range<usize>) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        if levels.contains(&0) && self.is_appended(0) {
            stmts.extend(self.edges(0, None));
        }
        let mut parents = Expr::Index(1);
        for (level, spec) in self.levels().iter().enumerate() {
            let storage = &self.storages[level];
            let (completed, positions) = match (spec.level.insert(), spec.level.append()) {
                (Some(insert), _) => (
                    insert.insert_finalize(storage, parents.clone()),
                    insert.size(storage, parents),
                ),
                (None, Some(append)) => {
                    let left_out = (!self.follows_on(level)).then_some(parents);
                    let completed = bind_indices(append.append_finalize(storage, left_out));
                    (completed, append.count(storage))
                }
                (None, None) => continue,
            };
            parents = positions;
            if levels.contains(&level) {
                stmts.extend(completed);
            }
        }
        stmts
    }
}
