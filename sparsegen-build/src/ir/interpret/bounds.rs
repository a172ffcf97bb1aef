//! The bounds that generated code relies on: each must lie within its array, and accesses within it.

use std::collections::BTreeMap;

use super::{Inputs, Machine, Value, Variable};
use crate::ir::{Expr, Function, Unchecked};

impl Machine {
    /// Evaluates the bounds that a function states, and checks that its arrays are as long.
    pub(super) fn state_bounds(
        &mut self,
        function: &Function,
        inputs: &Inputs,
    ) -> Result<(), String> {
        // A bound may depend on extents that the body does not read.
        let sizes = inputs.sizes.iter().map(|(name, size)| {
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
            let len = self.array(array)?.cells.len();
            // An array that bounds its indices by its own length may hold bits, which kernels do not count.
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

    /// Checks an index against the bound that is relied on.
    pub(super) fn check_index(&self, array: &str, index: usize) -> Result<(), String> {
        match self.bounds.get(&(Unchecked::Index, array.to_owned())) {
            Some(most) if index >= *most => {
                Err(format!("index {index} of `{array}`, which is relied on to be below {most}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that room is reserved for all that is appended without a check.
    pub(super) fn check_room(&self, array: &str, additional: usize) -> Result<(), String> {
        match self.bounds.get(&(Unchecked::Append, array.to_owned())) {
            Some(most) if additional < *most => {
                Err(format!("room for {additional} more in `{array}`, {most} are relied on"))
            }
            Some(_) | None => Ok(()),
        }
    }
}
