//! Runs kernels in the interpreter, without rustc, on operands in any format.

use std::collections::BTreeMap;

use sparsegen::Error;
use sparsegen_build::Output;
use sparsegen_build::ir::{self, Operand, Result as IrResult};

use crate::dtype::Dtype;
use crate::interpreted::Results;
use crate::number::Number;
use crate::oracle::Semiring;
use crate::oracle::arithmetic::convert;
use crate::random::Random;
use crate::storage::{Format, Formats};
use crate::typed::{Repack, Run, Stored};
use crate::worlds::{Entries, World};

/// The setting in which a kernel runs.
pub struct Setting {
    /// The formats that the generated module declares.
    pub formats: Formats,
    /// `true` if an operand may have any valid storage of its format, and not only the one from
    /// packing.
    pub is_free: bool,
    /// The semiring whose addition combines duplicate entries of a result; duplicates occur in
    /// operands only if it is ordinary addition.
    pub semiring: Semiring,
}

impl Setting {
    /// Returns the formats of a compiler's output.
    ///
    /// # Errors
    /// A description of the unknown format.
    pub fn formats(output: &Output) -> Result<Formats, String> {
        Formats::of(&output.formats)
    }

    fn format(&self, marker: &str) -> Result<Format, String> {
        self.formats.find(marker).ok_or_else(|| format!("the harness does not know `{marker}`"))
    }

    /// Returns the operands of a kernel and the results that are passed to it, by the names of their tensors,
    /// or `None` if a format cannot store one.
    ///
    /// # Errors
    /// An unknown format.
    pub fn operands(&self, kernel: &ir::Kernel, world: &World) -> Result<Option<Results>, String> {
        let mut operands = Results::new();
        for operand in kernel.operands() {
            let name = match operand {
                Operand::Tensor(tensor) => &tensor.tensor,
                Operand::Scalar { name, .. }
                | Operand::Index { name }
                | Operand::Indices { name } => name,
            };
            let given = world.operands.get(name);
            let given = given.ok_or_else(|| format!("nothing is given for `{name}`"))?;
            let stored = match operand {
                Operand::Tensor(tensor) => {
                    let dtype = own(tensor.dtype)?;
                    self.packed(&tensor.format, dtype, given, world, name, tensor.pattern)?
                }
                Operand::Scalar { dtype, .. } => scalar(given, own(*dtype)?),
                Operand::Index { .. } => scalar(given, Dtype::Usize),
                Operand::Indices { .. } => self.format("Dense<1>")?.pack(given, Dtype::Usize),
            };
            let Some(stored) = stored else { return Ok(None) };
            operands.insert(name.clone(), stored);
        }
        for ir::Step { tensor: name, function, .. } in kernel.results() {
            let Some(given) = world.operands.get(name) else { continue };
            let stored = match &function.result {
                IrResult::Tensor(tensor) => {
                    let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                    self.packed(format, own(tensor.dtype)?, given, world, name, false)?
                }
                IrResult::Scalar { dtype, .. } => scalar(given, own(*dtype)?),
            };
            let Some(stored) = stored else { return Ok(None) };
            operands.insert(name.clone(), stored);
        }
        Ok(Some(operands))
    }

    /// Returns the run of a statement on operands, which has these results.
    ///
    /// # Errors
    /// An unknown format.
    pub fn run(
        &self,
        result: &IrResult,
        operands: Results,
        results: Vec<(&'static str, Stored)>,
    ) -> Result<Run, String> {
        let repack = match result {
            IrResult::Scalar { dtype, .. } => self.repack("Scalar", own(*dtype)?),
            IrResult::Tensor(tensor) => {
                let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                self.repack(format, own(tensor.dtype)?)
            }
        };
        Ok(Run { operands, results: Ok(results), repack: repack? })
    }

    /// Returns the storage of an operand in its format.
    fn packed(
        &self,
        marker: &str,
        dtype: Dtype,
        given: &Entries,
        world: &World,
        name: &str,
        is_pattern: bool,
    ) -> Result<Option<Stored>, String> {
        let format = self.format(marker)?;
        let mut random = Random::seeded(&format!("{} {name} {marker}", world.name));
        if !self.is_free || random.chance(0.3) {
            return Ok(format.pack(given, dtype));
        }
        let splits = self.semiring == Semiring::PlusTimes && !is_pattern && is_signed(dtype);
        Ok(format.pack_freely(given, dtype, splits, &mut random))
    }

    fn repack(&self, marker: &str, dtype: Dtype) -> Result<Repack, String> {
        let format = self.format(marker)?;
        Ok(Box::new(move |entries| format.pack(entries, dtype).ok_or_else(unfit)))
    }
}

/// Returns the error for a tensor that its format cannot store.
fn unfit() -> Error {
    Error::Parts { format: "of the harness", reason: "the format does not hold the entries".into() }
}

fn own(dtype: sparsegen_build::Dtype) -> Result<Dtype, String> {
    Dtype::named(dtype.name()).ok_or_else(|| format!("the harness does not know `{dtype}`"))
}

/// Returns whether the type can represent the two parts of a split entry.
fn is_signed(dtype: Dtype) -> bool {
    dtype != Dtype::Bool && dtype.range().is_none_or(|(least, _)| least < 0)
}

fn scalar(given: &Entries, dtype: Dtype) -> Option<Stored> {
    let sum = given.entries.iter().fold(Number::ZERO, |sum, (_, value)| sum + *value);
    let value = convert(sum, dtype).ok()?;
    let scalar = Format { order: 0, levels: Vec::new(), fill: sparsegen_build::Literal::Int(0) };
    scalar.look(&[], BTreeMap::new(), vec![value], dtype).ok()
}
