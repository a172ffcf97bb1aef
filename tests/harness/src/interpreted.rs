//! Runs a kernel's intermediate representation on the arrays of the operands.

use sparsegen_build::Dtype;
use sparsegen_build::ir::interpret::{self, ArrayValue, Inputs, Outputs};
use sparsegen_build::ir::{
    Array, Assembly, Function, Limit, List, Operand, Part, Place, Reads, Result as IrResult,
};

use crate::number::Number;
use crate::own::Own;
use crate::typed::{Run, Stored};

/// Checks that the interpreter makes of the operands what the generated code made of them.
///
/// # Errors
/// The interpreter's fault, or the first array that differs.
pub fn check(function: &Function, run: &Run) -> Result<(), String> {
    let Some((_, result)) = run.results.as_ref().ok().and_then(|results| results.first()) else {
        return Ok(());
    };
    if let Some(compute) = &function.compute {
        check(compute, run).map_err(|reason| format!("values alone: {reason}"))?;
    }
    let outputs = outputs(function, run, result)?;
    // What is packed afterwards is nowhere to be seen.
    if matches!(&function.result, IrResult::Tensor(tensor) if tensor.packed.is_some()) {
        return Ok(());
    }
    match (&function.result, outputs) {
        (IrResult::Scalar { .. }, Outputs::Scalar(number)) => {
            compare("the scalar", &ArrayValue::Values(vec![number]), &numbers(&result.vals))
        }
        (IrResult::Tensor(tensor), Outputs::Arrays(arrays)) => {
            let written = match &tensor.assembly {
                Assembly::Computed { vals, .. } => std::slice::from_ref(vals),
                Assembly::Assembled { arrays, .. } => arrays,
            };
            written.iter().try_for_each(|array| {
                let found = arrays.get(&array.name);
                let found = found.ok_or_else(|| format!("no array `{}`", array.name))?;
                compare(&array.name, found, &contents(array, result)?)
            })
        }
        (IrResult::Scalar { .. }, Outputs::Arrays(_))
        | (IrResult::Tensor(_), Outputs::Scalar(_)) => Err("a result of the wrong kind".into()),
    }
}

/// What the interpreter makes of the operands; `result` is a result of the right shape, whose values do
/// not count.
///
/// # Errors
/// The interpreter's fault.
pub fn outputs(function: &Function, run: &Run, result: &Stored) -> Result<Outputs, String> {
    let inputs = inputs(function, run, result)?;
    interpret::run_with(function, &inputs, library).map_err(|fault| fault.to_string())
}

/// The value of a function that is called by its path.
fn library(path: &str, dtype: Dtype, numbers: &[interpret::Number]) -> Option<interpret::Number> {
    let own = crate::dtype::Dtype::named(dtype.name())?;
    let numbers: Vec<Number> = numbers
        .iter()
        .map(|number| match *number {
            interpret::Number::Integer(n) if dtype == Dtype::Bool => Number::Bool(n != 0),
            interpret::Number::Integer(n) => Number::Whole(n),
            interpret::Number::Float(x) => Number::Real(x),
            interpret::Number::Complex(re, im) => Number::Complex(re, im),
        })
        .collect();
    Some(to_interpreter(Own::called(path, &numbers, own)?, dtype))
}

fn inputs(function: &Function, run: &Run, result: &Stored) -> Result<Inputs, String> {
    let mut inputs = Inputs::default();
    for operand in &function.operands {
        let stored = stored(run, operand)?;
        match operand {
            Operand::Scalar { name, dtype } => {
                inputs.scalars.insert(name.clone(), to_interpreter(stored.vals[0], *dtype));
            }
            Operand::Index { name } => {
                inputs.sizes.insert(name.clone(), stored.vals[0].whole() as usize);
            }
            Operand::Indices { name } => {
                let list = stored.vals.iter().map(|at| at.whole() as usize).collect();
                inputs.arrays.insert(name.clone(), ArrayValue::Index(list));
            }
            Operand::Tensor(tensor) => {
                add_arrays(&mut inputs, &tensor.arrays, stored, tensor.dtype)?;
            }
        }
    }
    for conversion in &function.conversions {
        let into = &conversion.into;
        let stored = run.operands.get(&into.name);
        let stored = stored.ok_or_else(|| format!("the driver converted no `{}`", into.name))?;
        add_arrays(&mut inputs, &into.arrays, stored, into.dtype)?;
    }
    inputs.sizes.extend(run.extents.clone());
    for size in &function.sizes {
        let part = size.parts.first().map(|part| &function.parts[*part]);
        let extent = match (size.constant, size.operands.first(), size.result.first()) {
            (Some(constant), ..) => constant as usize,
            (None, Some((operand, mode)), _) => {
                stored(run, &function.operands[*operand])?.shape[*mode]
            }
            (None, None, _) if let Some(part) = part => extent_of(part, &inputs)?,
            (None, None, Some(mode)) => result.shape[*mode],
            (None, None, None) => return Err(format!("nothing gives `{}`", size.name)),
        };
        inputs.sizes.insert(size.name.clone(), extent);
    }
    if let IrResult::Tensor(tensor) = &function.result {
        match &tensor.assembly {
            Assembly::Computed { vals, structure, zeroed } => {
                add_arrays(&mut inputs, structure, result, tensor.dtype)?;
                // The interpreter fills it, where it is filled.
                let zero = interpret::Number::zero(tensor.dtype);
                let held = run.operands.get(&tensor.tensor).filter(|_| tensor.updates && !zeroed);
                let before = match held {
                    Some(held) => {
                        held.vals.iter().map(|n| to_interpreter(*n, tensor.dtype)).collect()
                    }
                    None => vec![zero; result.vals.len()],
                };
                inputs.arrays.insert(vals.name.clone(), ArrayValue::Values(before));
            }
            // What the vectors held must not matter.
            Assembly::Assembled { arrays, .. } => {
                for array in arrays {
                    let garbage = match array.place {
                        Place::Values => {
                            let number = to_interpreter(Number::Whole(7), tensor.dtype);
                            ArrayValue::Values(vec![number; 3])
                        }
                        Place::Level { .. } => ArrayValue::Index(vec![7; 3]),
                    };
                    inputs.arrays.insert(array.name.clone(), garbage);
                }
            }
        }
    }
    Ok(inputs)
}

/// How many coordinates a part of a mode has.
fn extent_of(part: &Part, inputs: &Inputs) -> Result<usize, String> {
    let value = |limit: &Limit| match limit {
        Limit::Number(number) => Ok(*number as usize),
        Limit::Argument(name) => {
            inputs.sizes.get(name).copied().ok_or_else(|| format!("no parameter `{name}`"))
        }
    };
    Ok(match &part.reads {
        Reads::At(_) => 1,
        Reads::Range { start, end, step } => (value(end)? - value(start)?).div_ceil(*step as usize),
        Reads::Listed(List::Numbers { numbers, .. }) => numbers.len(),
        Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
            match inputs.arrays.get(name) {
                Some(ArrayValue::Index(list)) => list.len(),
                Some(ArrayValue::Values(_)) | None => return Err(format!("no list `{name}`")),
            }
        }
    })
}

fn add_arrays(
    inputs: &mut Inputs,
    arrays: &[Array],
    stored: &Stored,
    dtype: Dtype,
) -> Result<(), String> {
    for array in arrays {
        let contents = match contents(array, stored)? {
            Contents::Index(indices) => ArrayValue::Index(indices),
            Contents::Values(numbers) => {
                ArrayValue::Values(numbers.iter().map(|n| to_interpreter(*n, dtype)).collect())
            }
        };
        inputs.arrays.insert(array.name.clone(), contents);
    }
    Ok(())
}

fn stored<'r>(run: &'r Run, operand: &Operand) -> Result<&'r Stored, String> {
    let name = match operand {
        Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => name,
        Operand::Tensor(tensor) => &tensor.tensor,
    };
    run.operands.get(name).ok_or_else(|| format!("the driver passed no `{name}`"))
}

enum Contents {
    Index(Vec<usize>),
    Values(Vec<Number>),
}

fn numbers(vals: &[Number]) -> Contents {
    Contents::Values(vals.to_vec())
}

fn contents(array: &Array, stored: &Stored) -> Result<Contents, String> {
    match &array.place {
        Place::Values => Ok(numbers(&stored.vals)),
        Place::Level { level, field } => {
            let contents = stored.arrays.get(&(*level, field.clone()));
            let contents = contents.ok_or_else(|| format!("level {level} has no `{field}`"))?;
            Ok(Contents::Index(contents.clone()))
        }
    }
}

fn compare(name: &str, found: &ArrayValue, expected: &Contents) -> Result<(), String> {
    let agree = match (found, expected) {
        (ArrayValue::Index(found), Contents::Index(expected)) => found == expected,
        (ArrayValue::Values(found), Contents::Values(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(a, b)| of_interpreter(*a).is_like(*b, 0.0))
        }
        (ArrayValue::Index(_), Contents::Values(_))
        | (ArrayValue::Values(_), Contents::Index(_)) => false,
    };
    let shown = || match expected {
        Contents::Index(indices) => format!("{indices:?}"),
        Contents::Values(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(Number::to_string).collect();
            format!("[{}]", numbers.join(", "))
        }
    };
    if agree {
        return Ok(());
    }
    Err(format!("`{name}` is {found:?} in the interpreter, {} in the generated code", shown()))
}

fn to_interpreter(number: Number, dtype: Dtype) -> interpret::Number {
    if dtype.is_complex() {
        interpret::Number::Complex(number.re(), number.im())
    } else if dtype.is_float() || dtype == Dtype::Generic {
        interpret::Number::Float(number.re())
    } else {
        interpret::Number::Integer(number.whole())
    }
}

/// A number of the interpreter.
pub fn of_interpreter(number: interpret::Number) -> Number {
    match number {
        interpret::Number::Float(x) => Number::Real(x),
        interpret::Number::Integer(n) => Number::Whole(n),
        interpret::Number::Complex(re, im) => Number::Complex(re, im),
    }
}
