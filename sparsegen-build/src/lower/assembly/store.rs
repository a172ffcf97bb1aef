//! The statements that store a value of a result.

use super::{Assembler, Purpose, next};
use crate::ir::{Expr, Stmt};
use crate::lower::combine::Combine;
use crate::lower::scope::Scope;
use crate::lower::value::literal;
use crate::notation::ReduceOp;
use crate::types::Literal;

impl Assembler<'_> {
    /// Stores an entry at the coordinates of `scope`; if the result filters fill values, only if it
    /// differs from the fill value.
    pub(in crate::lower) fn store(
        &self,
        accumulate: Option<ReduceOp>,
        value: Expr,
        filter: bool,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let last = self.levels().len() - 1;
        // All values of a structure that exists are fill values before.
        let has_fill = self.purpose == Purpose::Compute && accumulate.is_none();
        if filter && (self.placement.is_some() || self.scattered.is_some() && has_fill) {
            let name = format!("{}_value", self.argument);
            let dtype = self.program.tensor(self.target.tensor).dtype;
            let stored = self.store(accumulate, Expr::var(&name), false, scope);
            let is_entry = self.differs_from_fill(&name, dtype);
            let mut stmts = vec![Stmt::bind(&name, value)];
            stmts.extend(Stmt::when(is_entry, stored));
            return stmts;
        }
        if let Some(placement) = &self.placement {
            let (mut stmts, position) = self.place(placement, scope);
            if self.purpose != Purpose::Count {
                let first = placement.leaf + 1;
                stmts.extend(self.store_below(first, position, accumulate, value, scope));
            }
            return stmts;
        }
        if self.is_assembled_by_append(last) && self.scattered.is_none() {
            let of_value = |value: Expr| match self.purpose {
                Purpose::Assemble | Purpose::Count | Purpose::Fill => {
                    let mut stmts = self.append_coordinates(last, scope);
                    stmts.extend(self.push_value(value));
                    stmts
                }
                Purpose::Compute => self.store_known(last, value, scope),
            };
            if !filter {
                return of_value(value);
            }
            let name = format!("{}_value", self.argument);
            let dtype = self.program.tensor(self.target.tensor).dtype;
            let stmts = of_value(Expr::var(&name));
            let mut filtered = vec![Stmt::bind(&name, value)];
            filtered.extend(Stmt::when(self.differs_from_fill(&name, dtype), stmts));
            return filtered;
        }
        let mut stmts = Vec::new();
        let first = (0..=last).rev().find(|level| self.is_assembled_by_append(*level));
        let position = match first {
            Some(level) if self.scattered == Some(level) => {
                let found = self.scatter(level, scope);
                stmts.extend(found.prelude);
                found.value
            }
            Some(level) => {
                let position = scope.results[&self.target.tensor][level].clone();
                if self.waits(level) {
                    stmts.extend(self.found(level, next(position.clone())));
                }
                position
            }
            None => Expr::Index(0),
        };
        if self.purpose == Purpose::Count {
            return stmts;
        }
        let first = first.map_or(0, |level| level + 1);
        stmts.extend(self.store_below(first, position, accumulate, value, scope));
        stmts
    }

    /// Returns whether the result stores no values.
    fn is_pattern(&self) -> bool {
        self.program.tensor(self.target.tensor).pattern
    }

    /// Returns the stored form of a value: the entries of a pattern are 1.
    pub(super) fn stored(&self, value: Expr) -> Expr {
        let tensor = self.program.tensor(self.target.tensor);
        if tensor.pattern { literal(Literal::Int(1), tensor.dtype) } else { value }
    }

    /// Stores a value below a position of the level above `first`; all levels from there insert.
    fn store_below(
        &self,
        first: usize,
        mut position: Expr,
        accumulate: Option<ReduceOp>,
        value: Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let last = self.levels().len() - 1;
        let mut stmts = Vec::new();
        for level in first..=last {
            let name = format!("p_{}{}", self.argument, level + 1);
            let name = if level == last { &self.position } else { &name };
            let found = self.insert(level, position, name, scope);
            stmts.extend(found.prelude);
            position = found.value;
        }
        if !matches!(position, Expr::Var(_) | Expr::Index(_)) {
            stmts.push(Stmt::bind(&self.position, position));
            position = Expr::var(&self.position);
        }
        let position = self.value_at(position);
        stmts.push(if accumulate.is_some() && !self.is_pattern() {
            let dtype = self.program.tensor(self.target.tensor).dtype;
            let add = Combine::reducing(&self.program.kernel, ReduceOp::SUM, dtype);
            add.store(&self.vals, position, value)
        } else {
            Stmt::store(&self.vals, position, self.stored(value))
        });
        stmts
    }
}
