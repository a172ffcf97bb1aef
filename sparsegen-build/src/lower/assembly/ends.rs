//! The statements before and after the loops of a result.

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
        for (spec, storage) in self.levels().iter().zip(&self.storages) {
            if let Some(insert) = spec.level.insert() {
                stmts.extend(insert.insert_init(storage));
                if let Some(known) = parents {
                    stmts.extend(insert.insert_parents(storage, known.clone()));
                    parents = Some(insert.size(storage, known));
                }
            } else if let Some(append) = spec.level.append() {
                stmts.extend(append.append_init(storage));
                let scatter = append.scatter().into_iter();
                stmts.extend(scatter.flat_map(|scatter| scatter.scatter_init(storage)));
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
        let mut stmts = Vec::new();
        if !self.has_structure {
            return stmts;
        }
        if let Some(placement) = &self.placement {
            return self.end_placed(placement);
        }
        if self.is_appended(0) {
            stmts.extend(self.edges(0, None));
        }
        let mut parents = Expr::Index(1);
        for (level, spec) in self.levels().iter().enumerate() {
            let storage = &self.storages[level];
            match (spec.level.insert(), spec.level.append()) {
                (Some(insert), _) => {
                    stmts.extend(insert.insert_finalize(storage, parents.clone()));
                    parents = insert.size(storage, parents);
                }
                (None, Some(append)) => {
                    let left_out = (!self.follows_on(level)).then_some(parents);
                    stmts.extend(bind_indices(append.append_finalize(storage, left_out)));
                    parents = append.count(storage);
                }
                (None, None) => {}
            }
        }
        stmts
    }
}
