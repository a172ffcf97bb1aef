//! The operations on tensors that entry points need, in formats that are data.

use std::collections::BTreeMap;

use sparsegen_build::Dtype as IrDtype;
use sparsegen_build::ir::TensorType;
use sparsegen_build::ir::interpret::{self, Combines, Covers, Library, Runtime, Tensor};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::own::Own;
use crate::storage::{Format, Formats};
use crate::typed::Stored;
use crate::worlds::{Entries, coordinate};

/// Tensors in any format.
pub(super) struct Tensors<'t> {
    pub(super) formats: &'t Formats,
}

impl Tensors<'_> {
    fn format(&self, ty: &TensorType) -> Result<(Format, Dtype), String> {
        let format = self.formats.find(&ty.format);
        let format = format.ok_or_else(|| format!("the harness does not know `{}`", ty.format))?;
        Ok((format, own(ty.dtype)?))
    }

    /// All that a tensor stores.
    pub(super) fn look(&self, tensor: &Tensor) -> Result<Stored, String> {
        let (format, dtype) = self.format(&tensor.ty)?;
        let vals = tensor.vals.iter().map(|number| of_interpreter(*number, tensor.ty.dtype));
        format.look(&tensor.shape, tensor.arrays.clone(), vals.collect(), dtype)
    }
}

impl Runtime for Tensors<'_> {
    fn zeros(&self, ty: &TensorType, shape: &[usize]) -> Result<Option<Tensor>, String> {
        let (format, dtype) = self.format(ty)?;
        let empty = Entries { shape: shape.to_vec(), entries: Vec::new() };
        Ok(format.pack(&empty, dtype).map(|stored| tensor(&stored, ty)))
    }

    fn pack(
        &self,
        of: &Tensor,
        kept: Option<(&Tensor, Covers<'_>)>,
        ty: &TensorType,
        combines: Option<Combines<'_>>,
    ) -> Result<Option<Tensor>, String> {
        let (from, own) = self.format(&of.ty)?;
        let (into, _) = self.format(ty)?;
        let stored = self.look(of)?;
        let mut entries = stored.entries;
        if let Some(combines) = combines {
            let mut united: BTreeMap<Vec<usize>, interpret::Number> = BTreeMap::new();
            for (at, value) in entries {
                let value = to_interpreter(value, ty.dtype);
                let value = match united.get(&at) {
                    Some(before) => combines(*before, value)?,
                    None => value,
                };
                united.insert(at, value);
            }
            let number = |(at, value)| (at, of_interpreter(value, ty.dtype));
            entries = united.into_iter().map(number).collect();
        }
        let mut new = Entries { shape: stored.shape, entries };
        let (before, fill) = (from.fill(own), into.fill(own));
        if !before.is_like(fill, 0.0) {
            new = refilled(&new, before);
        }
        if let Some((old, covers)) = kept {
            let mut inside = Vec::new();
            for (at, value) in new.entries {
                if covers(&at)? {
                    inside.push((at, value));
                }
            }
            for (at, value) in self.look(old)?.entries {
                if !covers(&at)? {
                    inside.push((at, value));
                }
            }
            new.entries = inside;
        }
        Ok(into.pack(&new, own).map(|stored| tensor(&stored, ty)))
    }

    fn inverse(&self, list: &[usize], extent: usize, ty: &TensorType) -> Result<Tensor, String> {
        let (format, dtype) = self.format(ty)?;
        let inside = list.iter().enumerate().filter(|(_, coordinate)| **coordinate < extent);
        let entries = inside.map(|(at, coordinate)| {
            (vec![*coordinate, at], of_interpreter(interpret::Number::Integer(1), ty.dtype))
        });
        let entries = Entries { shape: vec![extent, list.len()], entries: entries.collect() };
        let stored = format.pack(&entries, dtype).ok_or("a list has no inverse")?;
        Ok(tensor(&stored, ty))
    }

    fn validate(&self, tensor: &Tensor) -> Result<(), String> {
        self.look(tensor).map(drop)
    }

    fn library(&self) -> Library {
        library
    }
}

/// Returns every element of a tensor, for conversion to a format with another fill value.
fn refilled(given: &Entries, before: Number) -> Entries {
    let mut sums: BTreeMap<Vec<usize>, Number> = BTreeMap::new();
    for (at, value) in &given.entries {
        let sum = sums.get(at).map_or(*value, |sum| *sum + *value);
        sums.insert(at.clone(), sum);
    }
    let all = (0..given.shape.iter().product()).map(|k| coordinate(&given.shape, k));
    let entries = all.map(|at| {
        let value = sums.get(&at).copied().unwrap_or(before);
        (at, value)
    });
    Entries { shape: given.shape.clone(), entries: entries.collect() }
}

/// A tensor as entry points know it.
pub(super) fn tensor(stored: &Stored, ty: &TensorType) -> Tensor {
    let vals = stored.vals.iter().map(|number| to_interpreter(*number, ty.dtype));
    Tensor {
        ty: ty.clone(),
        shape: stored.shape.clone(),
        arrays: stored.arrays.clone(),
        vals: vals.collect(),
        derivation: None,
    }
}

/// Evaluates a function that is called by its path.
fn library(path: &str, dtype: IrDtype, numbers: &[interpret::Number]) -> Option<interpret::Number> {
    let own = Dtype::named(dtype.name())?;
    let numbers: Vec<Number> = numbers.iter().map(|n| of_interpreter(*n, dtype)).collect();
    Some(to_interpreter(Own::called(path, &numbers, own)?, dtype))
}

pub(super) fn own(dtype: IrDtype) -> Result<Dtype, String> {
    Dtype::named(dtype.name()).ok_or_else(|| format!("the harness does not know `{dtype}`"))
}

pub(super) fn to_interpreter(number: Number, dtype: IrDtype) -> interpret::Number {
    if dtype.is_complex() {
        interpret::Number::Complex(number.re(), number.im())
    } else if dtype.is_float() || dtype.is_opaque() {
        interpret::Number::Float(number.re())
    } else {
        interpret::Number::Integer(number.whole())
    }
}

/// Converts a number of the interpreter.
pub(super) fn of_interpreter(number: interpret::Number, dtype: IrDtype) -> Number {
    match number {
        interpret::Number::Float(x) => Number::Real(x),
        interpret::Number::Integer(n) if dtype == IrDtype::Bool => Number::Bool(n != 0),
        interpret::Number::Integer(n) => Number::Whole(n),
        interpret::Number::Complex(re, im) => Number::Complex(re, im),
    }
}
