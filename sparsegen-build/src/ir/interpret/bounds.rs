//! Checks of the stated bounds: each is within its array, and unchecked accesses are within it.

use std::collections::BTreeMap;

use super::{Machine, Value, Variable};
use crate::ir::{Expr, Function, Unchecked};

impl Machine {
    /// Evaluates the bounds that a function states, and checks the lengths of its arrays.
    pub(super) fn state_bounds(
        &mut self,
        function: &Function,
        extents: &BTreeMap<String, usize>,
    ) -> Result<(), String> {
        // A bound may use extents that the body does not.
        let sizes = extents.iter().map(|(name, size)| {
            (name.clone(), Variable { value: Value::Index(*size), mutable: false })
        });
        self.scopes.push(sizes.collect());
        let stated = self.evaluate_bounds(function);
        self.scopes.pop();
        self.bounds = stated?;
        Ok(())
    }

    fn evaluate_bounds(
        &self,
        function: &Function,
    ) -> Result<BTreeMap<(Unchecked, String), usize>, String> {
        let mut stated = BTreeMap::new();
        for bound in &function.unchecked {
            let array = &bound.array;
            // Its length is not yet known. Every access is checked against it.
            if bound.of == Unchecked::Filled {
                continue;
            }
            // An array that is not passed is not accessed.
            let Ok(cells) = self.array(array) else { continue };
            let len = cells.cells.len();
            // An array that is bounded by its own length may hold bits, whose number is not
            // available.
            let most = match &bound.most {
                Expr::Len(own) if own == array => Ok(len),
                most => self.eval(most).and_then(Value::index),
            };
            let most = most.map_err(|why| format!("the bound of `{array}`: {why}"))?;
            if bound.of == Unchecked::Index && most > len {
                return Err(format!("`{array}` has {len} elements, {most} are relied on"));
            }
            stated.insert((bound.of, array.clone()), most);
        }
        Ok(stated)
    }

    /// Checks an index against the stated bound.
    pub(super) fn check_index(&self, array: &str, index: usize) -> Result<(), String> {
        match self.bounds.get(&(Unchecked::Index, array.to_owned())) {
            Some(most) if index >= *most => {
                Err(format!("index {index} of `{array}`, which is relied on to be below {most}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that the capacity suffices for all unchecked appends.
    pub(super) fn check_room(&self, array: &str, additional: usize) -> Result<(), String> {
        match self.bounds.get(&(Unchecked::Append, array.to_owned())) {
            Some(most) if additional < *most => Err(format!(
                "capacity for {additional} more in `{array}`, but {most} are relied on"
            )),
            Some(_) | None => Ok(()),
        }
    }
}
