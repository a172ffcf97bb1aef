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

    /// Returns a bound of a loop over a variable, its `begin` or `end`, as an expression that may be
    /// repeated; one that is computed is bound to a name, by the last of `stmts`.
    pub(super) fn bound(
        &mut self,
        variable: &str,
        which: &str,
        bound: &Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        match bound {
            Expr::Var(_) | Expr::Index(_) => bound.clone(),
            bound => {
                let name = self.beside(variable, which);
                stmts.push(Stmt::bind(&name, bound.clone()));
                Expr::var(&name)
            }
        }
    }
}
