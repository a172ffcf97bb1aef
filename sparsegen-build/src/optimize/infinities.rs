//! The variables and arrays of a function that may be infinite although all operands are finite.
//!
//! The minimum of an empty range is infinite, and so may be a quotient and the value of a function.

use std::collections::BTreeSet;

use crate::ir::{BinaryOp, Expr, Function, Literal, Stmt};

/// The names of variables and arrays that may hold an infinity.
pub(super) struct Infinities(BTreeSet<String>);

impl Infinities {
    pub(super) fn of(function: &Function) -> Infinities {
        let mut found = Infinities(BTreeSet::new());
        // A loop may assign a variable from one that it assigns later.
        while found.add_from(&function.body) {}
        found
    }

    /// Adds the names that statements assign such a value to; returns whether there are new ones.
    fn add_from(&mut self, body: &[Stmt]) -> bool {
        let before = self.0.len();
        for stmt in body {
            stmt.for_each(&mut |stmt| {
                if let Some(name) = self.assigned_by(stmt).filter(|name| !self.0.contains(*name)) {
                    self.0.insert(name.to_owned());
                }
            });
        }
        self.0.len() > before
    }

    /// Returns the variable or array that a statement may assign an infinity to.
    fn assigned_by<'s>(&self, stmt: &'s Stmt) -> Option<&'s str> {
        let (name, may_be) = match stmt {
            Stmt::Let { name, value, .. }
            | Stmt::Push { array: name, value }
            | Stmt::Resize { array: name, value, .. }
            | Stmt::Grow { array: name, value, .. }
            | Stmt::Tile { name, initial: value, .. }
            | Stmt::Workspace { name, initial: value, .. } => (name, self.may_include(value)),
            Stmt::Assign { name, op, value } | Stmt::Store { array: name, op, value, .. } => {
                (name, *op == Some(BinaryOp::Div) || self.may_include(value))
            }
            Stmt::Extend { array, of, .. } => (array, self.0.contains(of)),
            Stmt::Harvest { workspace, vals: Some(vals), .. } => (vals, self.0.contains(workspace)),
            _ => return None,
        };
        may_be.then_some(name)
    }

    /// Returns whether a value may be infinite although all operands are finite.
    pub(super) fn may_include(&self, value: &Expr) -> bool {
        match value {
            Expr::Call(..) | Expr::Binary(BinaryOp::Div, ..) => true,
            Expr::Value(Literal::Greatest | Literal::Least, dtype) => !dtype.is_integer(),
            Expr::Var(name) | Expr::Load { array: name, .. } => self.0.contains(name),
            Expr::Unary(_, value) | Expr::Cast { value, .. } => self.may_include(value),
            Expr::Binary(_, a, b) => self.may_include(a) || self.may_include(b),
            Expr::Choose { holds, otherwise, .. } => {
                self.may_include(holds) || self.may_include(otherwise)
            }
            _ => false,
        }
    }
}
