//! What a function finds when it begins: operands, sizes and its result.

use std::collections::BTreeMap;

use super::arrays::Storage;
use super::number::Number;
use super::{ArrayValue, Inputs, Machine, Value};
use crate::ir::{
    Array, Assembly, Element, Function, List, Operand, Reads, Result as FunctionResult, Width,
};

impl Machine {
    /// Declares operands, sizes and result.
    pub(super) fn declare(&mut self, function: &Function, inputs: &Inputs) -> Result<(), String> {
        self.scopes.push(BTreeMap::new());
        for operand in &function.operands {
            match operand {
                Operand::Scalar { name, dtype } => {
                    let number =
                        inputs.scalars.get(name).ok_or_else(|| format!("no input `{name}`"))?;
                    self.bind(name, Value::element(*number, *dtype), false);
                }
                Operand::Index { name } => {
                    let index = inputs.sizes.get(name);
                    let index = *index.ok_or_else(|| format!("no input `{name}`"))?;
                    self.bind(name, Value::Index(index), false);
                }
                Operand::Indices { name } => {
                    let given = inputs.arrays.get(name);
                    let given = given.ok_or_else(|| format!("no input `{name}`"))?;
                    self.insert_list(name, given)?;
                }
                Operand::Tensor(_) => {}
            }
        }
        for part in &function.parts {
            match &part.reads {
                Reads::Listed(List::Numbers { name, numbers }) => {
                    let numbers = numbers.iter().map(|n| n.map_or(usize::MAX, |n| n as usize));
                    let numbers = numbers.collect();
                    self.insert_list(name, &ArrayValue::Index(numbers))?;
                }
                Reads::Listed(List::LastOf { of, name }) => {
                    let Some(ArrayValue::Index(list)) = inputs.arrays.get(of) else {
                        return Err(format!("no list `{of}`"));
                    };
                    let is_last = |k: usize| !list[k + 1..].contains(&list[k]);
                    let last =
                        (0..list.len()).map(|k| if is_last(k) { list[k] } else { usize::MAX });
                    self.insert_list(name, &ArrayValue::Index(last.collect()))?;
                }
                Reads::Listed(List::Argument(_)) | Reads::Range { .. } | Reads::At(_) => {}
            }
        }
        for tensor in function.tensors() {
            for array in &tensor.arrays {
                let given = inputs.arrays.get(&array.name);
                let given = given.ok_or_else(|| format!("no input `{}`", array.name))?;
                self.insert(array, Storage::of(given, array.element, false)?);
            }
            for extent in &tensor.extents {
                let size = inputs.sizes.get(&extent.name);
                let size = *size.ok_or_else(|| format!("no size `{}`", extent.name))?;
                self.bind(&extent.name, Value::Index(size), false);
            }
        }
        for size in function.sizes.iter().filter(|size| size.used) {
            let extent =
                inputs.sizes.get(&size.name).ok_or_else(|| format!("no size `{}`", size.name))?;
            self.bind(&size.name, Value::Index(*extent), false);
        }
        if let Some(parallel) = &function.parallel {
            let size = &function.sizes[parallel.size].name;
            let size = *inputs.sizes.get(size).ok_or_else(|| format!("no size `{size}`"))?;
            self.bind(&parallel.begin, Value::Index(0), false);
            self.bind(&parallel.end, Value::Index(size), false);
        }
        match &function.result {
            FunctionResult::Scalar { .. } => {}
            FunctionResult::Tensor(result) => match &result.assembly {
                Assembly::Computed { vals, zeroed, structure } => {
                    for array in structure {
                        let given = inputs.arrays.get(&array.name);
                        let given = given.ok_or_else(|| format!("no input `{}`", array.name))?;
                        self.insert(array, Storage::of(given, array.element, false)?);
                    }
                    let given = inputs.arrays.get(&vals.name);
                    let Some(ArrayValue::Values(given)) = given else {
                        return Err(format!("no values `{}` to compute into", vals.name));
                    };
                    let zero = self.eval(&result.fill)?;
                    let held = |number: &Number| Some(Value::element(*number, result.dtype));
                    let cells = match result.updates && !zeroed {
                        true => given.iter().map(held).collect(),
                        false => vec![zeroed.then_some(zero); given.len()],
                    };
                    self.insert(vals, Storage::values(vals.element, cells));
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
            },
        }
        Ok(())
    }

    /// Declares a list of coordinates.
    fn insert_list(&mut self, name: &str, given: &ArrayValue) -> Result<(), String> {
        let storage = Storage::of(given, Element::Index(Width::Usize), false)?;
        self.arrays.insert(name.to_owned(), storage);
        Ok(())
    }

    fn insert(&mut self, array: &Array, storage: Storage) {
        self.arrays.insert(array.name.clone(), storage);
    }
}
