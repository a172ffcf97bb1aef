//! The initial state of a run: operands, extents and the result.

use std::collections::BTreeMap;

use super::arrays::Storage;
use super::number::Number;
use super::{ArrayValue, Inputs, Machine, Value};
use crate::ir::{Array, Assembly, Element, Function, Given, List, Operand, Reads, Width};

impl Machine {
    /// Declares the operands, extents and results that are given. The use of what is not given is a fault.
    pub(super) fn declare(&mut self, function: &Function, inputs: &Inputs) -> Result<(), String> {
        self.scopes.push(BTreeMap::new());
        for (name, size) in &inputs.sizes {
            self.bind(name, Value::Index(*size), false);
        }
        for operand in &function.operands {
            match operand {
                Operand::Scalar { name, dtype } => {
                    if let Some(number) = inputs.scalars.get(name) {
                        self.bind(name, Value::element(*number, *dtype), false);
                    }
                }
                Operand::Tensor(_) | Operand::Index { .. } | Operand::Indices { .. } => {}
            }
        }
        for Given { name, dtype } in &function.given {
            if let Some(number) = inputs.scalars.get(name) {
                self.bind(name, Value::element(*number, *dtype), false);
            }
        }
        for part in &function.parts {
            let Reads::Listed(list) = &part.reads else { continue };
            if let List::Numbers { name, numbers } = list {
                let numbers = numbers.iter().map(|n| n.map_or(usize::MAX, |n| n as usize));
                self.insert_list(name, &ArrayValue::Index(numbers.collect()))?;
            } else if let Some(given) = inputs.arrays.get(list.name()) {
                self.insert_list(list.name(), given)?;
            }
        }
        let arrays = function.tensors().flat_map(|tensor| &tensor.arrays);
        let structure = function.results().flat_map(|result| result.structure());
        for array in arrays.chain(structure) {
            if let Some(given) = inputs.arrays.get(&array.name) {
                self.insert(array, Storage::of(given, array.element, false)?);
            }
        }
        for result in function.results() {
            match &result.assembly {
                Assembly::Computed { vals, zeroed, .. } => {
                    let Some(ArrayValue::Values(given)) = inputs.arrays.get(&vals.name) else {
                        continue;
                    };
                    // Values that the loops do not rely on must be written before they are read.
                    let held = |number: &Number| Some(Value::element(*number, result.dtype));
                    let is_held = result.updates || *zeroed;
                    let cells = given.iter().map(|number| held(number).filter(|_| is_held));
                    self.insert(vals, Storage::values(vals.element, cells.collect()));
                }
                Assembly::Assembled { arrays, .. } => {
                    for array in arrays {
                        let storage = match inputs.arrays.get(&array.name) {
                            Some(given) => Storage::of(given, array.element, true)?,
                            None => Storage::empty(array.element),
                        };
                        self.insert(array, storage);
                    }
                }
            }
        }
        Ok(())
    }

    /// Fills results as entry points do.
    pub(super) fn fill_results(&mut self, function: &Function) -> Result<(), String> {
        for result in function.results() {
            let Assembly::Computed { vals, zeroed: true, .. } = &result.assembly else { continue };
            let fill = self.eval(&result.fill)?;
            self.vector(&vals.name)?.cells.fill(Some(fill));
        }
        Ok(())
    }

    /// Declares a list of coordinates.
    pub(super) fn insert_list(&mut self, name: &str, given: &ArrayValue) -> Result<(), String> {
        let storage = Storage::of(given, Element::Index(Width::Usize), false)?;
        self.arrays.insert(name.to_owned(), storage);
        Ok(())
    }

    fn insert(&mut self, array: &Array, storage: Storage) {
        self.arrays.insert(array.name.clone(), storage);
    }
}
