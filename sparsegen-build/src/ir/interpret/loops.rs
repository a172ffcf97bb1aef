//! Runs loops.

use std::collections::BTreeMap;

use super::{Fault, Machine, Value, fault};
use crate::ir::{Expr, Stmt};

impl Machine {
    /// Runs a loop; other statements have no effect.
    pub(super) fn run_loop(&mut self, stmt: &Stmt) -> Result<(), Fault> {
        let here = |reason| fault(&stmt.to_string(), reason);
        match stmt {
            Stmt::For { name, start, end, body } => {
                let start = self.eval(start).and_then(Value::index).map_err(here)?;
                let end = self.eval(end).and_then(Value::index).map_err(here)?;
                for k in start..end {
                    self.spend(1).map_err(here)?;
                    if self.visit(name, k, &Expr::Bool(true), body, &here)? {
                        break;
                    }
                }
                Ok(())
            }
            Stmt::ForOnes { name, start, end, bits, body } => {
                let start = self.eval(start).and_then(Value::index).map_err(here)?;
                let end = self.eval(end).and_then(Value::index).map_err(here)?;
                // The bits are read a word at a time.
                self.spend(end.saturating_sub(start).div_ceil(64) as u64).map_err(here)?;
                for k in start..end {
                    if self.visit(name, k, bits, body, &here)? {
                        break;
                    }
                }
                Ok(())
            }
            Stmt::While { condition, body } => {
                while self.eval(condition).and_then(Value::bool).map_err(here)? {
                    self.run(body)?;
                    if std::mem::take(&mut self.leaves) {
                        break;
                    }
                    self.spend(1).map_err(here)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Runs the body of a loop at an index if a condition on it holds; returns whether that leaves
    /// the loop.
    fn visit(
        &mut self,
        name: &str,
        at: usize,
        condition: &Expr,
        body: &[Stmt],
        here: &dyn Fn(String) -> Fault,
    ) -> Result<bool, Fault> {
        self.scopes.push(BTreeMap::new());
        self.bind(name, Value::Index(at), false);
        let done = match self.eval(condition).and_then(Value::bool) {
            Ok(true) => self.run(body),
            Ok(false) => Ok(()),
            Err(reason) => Err(here(reason)),
        };
        self.scopes.pop();
        done.map(|()| std::mem::take(&mut self.leaves))
    }
}
