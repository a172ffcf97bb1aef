//! Calls of the append functions of the result's levels.

use crate::ir::{Expr, Stmt};
use crate::lower::capacity::bind_indices;
use crate::lower::scope::Scope;

use super::{Assembler, Purpose};

impl Assembler<'_> {
    /// Appends a value, which is bound to a name first if it spans several lines.
    pub(super) fn push_value(&self, value: Expr) -> Vec<Stmt> {
        let value = self.stored(value);
        let mut chooses = false;
        value.for_each(&mut |part| chooses |= matches!(part, Expr::Choose { .. }));
        if !chooses {
            return vec![Stmt::push(&self.vals, value)];
        }
        let name = format!("{}_value", self.argument);
        vec![Stmt::bind(&name, value), Stmt::push(&self.vals, Expr::var(&name))]
    }

    /// Appends the coordinates of a branching level and of the branchless ones below it, down to
    /// `level`.
    pub(super) fn append_coordinates(&self, level: usize, scope: &Scope) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for k in self.chain(level) {
            let append = self.levels()[k].level.append().expect("chains are of levels that append");
            let coordinate = scope.coordinate(self.variable(k));
            stmts.extend(bind_indices(append.append_coord(&self.storages[k], coordinate)));
        }
        stmts
    }

    /// Extends the levels below `level` to a number of positions of it, if they insert. If positions
    /// are counted first, they are extended afterwards.
    pub(super) fn extend_below(&self, level: usize, mut parents: Expr) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        if self.purpose == Purpose::Count {
            return stmts;
        }
        for (spec, storage) in self.levels().iter().zip(&self.storages).skip(level + 1) {
            let Some(insert) = spec.level.insert() else { return Vec::new() };
            stmts.extend(insert.insert_parents(storage, parents.clone()));
            parents = insert.size(storage, parents);
        }
        stmts.push(Stmt::resize(&self.vals, parents, self.initial()));
        stmts
    }

    pub(super) fn edges(&self, level: usize, skipped_to: Option<Expr>) -> Vec<Stmt> {
        let append =
            self.levels()[level].level.append().expect("only levels that append have edges");
        let storage = &self.storages[level];
        let begin = match level {
            0 => Expr::Index(0),
            _ => Expr::var(&self.begin_name(level)),
        };
        let mut below = self.below(level);
        if self.purpose == Purpose::Count {
            below.each = Expr::Index(0);
        }
        let mut edges = match append.scatter() {
            Some(scatter) if self.distinct == Some(level) => {
                scatter.distinct_edges(storage, begin, &below)
            }
            Some(scatter) => scatter.scatter_edges(storage, begin, &below),
            None => Vec::new(),
        };
        edges.extend(append.append_edges(storage, skipped_to));
        bind_indices(edges)
    }

    pub(super) fn count(&self, level: usize) -> Expr {
        let append =
            self.levels()[level].level.append().expect("only levels that append are counted");
        append.count(&self.storages[level])
    }
}
