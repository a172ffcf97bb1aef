//! Names that passes add to a function.

use std::collections::BTreeSet;

use crate::ir::{Expr, Function, Stmt};

/// The names of a function, and the names that a pass has added.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn of(function: &Function) -> Names {
        Names(function.names())
    }

    /// Returns a name that the function does not have yet.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let name = crate::names::free(name, |name| self.0.contains(name));
        self.0.insert(name.clone());
        name
    }

    /// Returns a name like another one, with a suffix, that the function does not have yet.
    pub(super) fn beside(&mut self, name: &str, suffix: &str) -> String {
        self.fresh(&crate::names::beside(name, suffix))
    }

    /// Returns the end of a loop over a variable as an expression that may be repeated; one that is
    /// computed is bound to a name, by the last of `stmts`.
    pub(super) fn end(&mut self, variable: &str, end: &Expr, stmts: &mut Vec<Stmt>) -> Expr {
        match end {
            Expr::Var(_) | Expr::Index(_) => end.clone(),
            end => {
                let name = self.beside(variable, "end");
                stmts.push(Stmt::bind(&name, end.clone()));
                Expr::var(&name)
            }
        }
    }
}
