//! Assignments to variables, arrays and workspaces.

use super::arrays::Storage;
use super::workspace::Workspace;
use super::{Machine, Value, arrays, expr};
use crate::ir::{BinaryOp, Expr};

impl Machine {
    pub(super) fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        let mut scopes = self.scopes.iter_mut().rev();
        let variable = scopes.find_map(|scope| scope.get_mut(name));
        let variable = variable.ok_or_else(|| format!("`{name}` is not declared"))?;
        if !variable.mutable {
            return Err(format!("`{name}` is not mutable"));
        }
        if !variable.value.is_like(value) {
            return Err(format!("{value} does not replace {}", variable.value));
        }
        variable.value = value;
        Ok(())
    }

    pub(super) fn assign(
        &mut self,
        name: &str,
        op: Option<BinaryOp>,
        value: &Expr,
    ) -> Result<(), String> {
        let value = self.eval(value)?;
        match op {
            None => self.set(name, value),
            Some(op) => {
                let value = expr::binary(op, self.eval(&Expr::var(name))?, value)?;
                self.set(name, value)
            }
        }
    }

    pub(super) fn store(
        &mut self,
        name: &str,
        index: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
    ) -> Result<(), String> {
        let index = self.eval(index)?.index()?;
        let mut value = self.eval(value)?;
        if let Some(op) = op {
            value = expr::binary(op, self.load(name, index)?, value)?;
        }
        if let Ok(workspace) = self.workspace(name) {
            return workspace.store(index, value);
        }
        self.check_index(name, index)?;
        let array = self.vector(name)?;
        let (len, value) = (array.cells.len(), arrays::narrowed(value, array.element)?);
        let cell = array.cells.get_mut(index);
        *cell.ok_or_else(|| format!("index {index} of `{name}`, which has {len} elements"))? =
            Some(value);
        Ok(())
    }

    pub(super) fn workspace(&mut self, name: &str) -> Result<&mut Workspace, String> {
        self.workspaces.get_mut(name).ok_or_else(|| format!("there is no workspace `{name}`"))
    }

    /// Returns a mutable array.
    pub(super) fn vector(&mut self, name: &str) -> Result<&mut Storage, String> {
        let array =
            self.arrays.get_mut(name).ok_or_else(|| format!("there is no array `{name}`"))?;
        if array.mutable { Ok(array) } else { Err(format!("`{name}` is not mutable")) }
    }
}
