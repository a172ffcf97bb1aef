//! Runs kernels that no Rust compiler has seen, by the interpreter, on operands in any format.

use std::collections::BTreeMap;

use sparsegen::Error;
use sparsegen_build::Output;
use sparsegen_build::ir::interpret::{ArrayValue, Outputs};
use sparsegen_build::ir::{
    Assembly, Function, Operand, Place, Result as IrResult, Source, TensorOperand, TensorResult,
};

use crate::dtype::Dtype;
use crate::interpreted::{of_interpreter, outputs};
use crate::number::Number;
use crate::oracle::Semiring;
use crate::oracle::arithmetic::convert;
use crate::random::Random;
use crate::statement::Statement;
use crate::storage::{Format, Formats};
use crate::typed::{Repack, Run, Stored};
use crate::worlds::{Entries, World, coordinate};

/// What a kernel runs in.
pub struct Setting<'s> {
    /// The formats that the generated module knows.
    pub formats: Formats,
    /// The statement that is run.
    pub statement: &'s Statement,
    /// Whether an operand may be stored in any way that its format allows, and not only as packing
    /// stores it.
    pub is_free: bool,
    /// What adds up entries at one coordinate of a result; operands store an entry as two only where it
    /// is the plain sum.
    pub semiring: Semiring,
}

impl Setting<'_> {
    /// The formats of a compiler's output.
    ///
    /// # Errors
    /// What could not be understood of them.
    pub fn formats(output: &Output) -> Result<Formats, String> {
        Formats::of(&output.formats)
    }

    fn format(&self, marker: &str) -> Result<Format, String> {
        self.formats.find(marker).ok_or_else(|| format!("the harness does not know `{marker}`"))
    }

    /// What the interpreter makes of a kernel's operands; `before` are the results of the statements
    /// before it, by name. `None` where a format does not hold an operand.
    ///
    /// # Errors
    /// The interpreter's fault, or a format that the harness does not know.
    pub fn run(
        &self,
        function: &Function,
        world: &World,
        before: &BTreeMap<String, Stored>,
    ) -> Result<Option<Run>, String> {
        let mut run = Run {
            operands: BTreeMap::new(),
            extents: BTreeMap::new(),
            results: Ok(Vec::new()),
            repack: Box::new(|_| Err(unfit())),
        };
        for operand in &function.operands {
            let name = match operand {
                Operand::Tensor(tensor) => &tensor.tensor,
                Operand::Scalar { name, .. }
                | Operand::Index { name }
                | Operand::Indices { name } => name,
            };
            if let Some(stored) = before.get(name) {
                run.operands.insert(name.clone(), stored.clone());
                continue;
            }
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
            run.operands.insert(name.clone(), stored);
        }
        if let IrResult::Tensor(tensor) = &function.result
            && (tensor.updates || !function.allocates())
        {
            let name = &tensor.tensor;
            let stored = match (before.get(name), world.operands.get(name)) {
                (Some(stored), _) => Some(stored.clone()),
                (None, Some(given)) => {
                    let (format, dtype) = (caller_format(tensor), own(tensor.dtype)?);
                    self.packed(format, dtype, given, world, name, false)?
                }
                (None, None) => return Err(format!("nothing is given for `{name}`")),
            };
            let Some(stored) = stored else { return Ok(None) };
            if tensor.updates {
                run.operands.insert(name.clone(), stored);
            }
        }
        for conversion in &function.conversions {
            let into = &conversion.into;
            let (of, marker, dtype) = match (conversion.of, &function.result) {
                (Source::Operand(of), _) => match &function.operands[of] {
                    Operand::Tensor(of) => (&of.tensor, &of.format, of.dtype),
                    Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                        return Err("a scalar is converted".into());
                    }
                },
                (Source::Result, IrResult::Tensor(result)) => {
                    (&result.tensor, caller_format(result), result.dtype)
                }
                (Source::Result, IrResult::Scalar { .. }) => {
                    return Err("a scalar result is converted".into());
                }
            };
            let of =
                run.operands.get(of).ok_or_else(|| format!("there is no `{of}` to convert"))?;
            let converted = if marker == &into.format {
                Some(of.clone())
            } else {
                let (from, dtype) = (self.format(marker)?, own(dtype)?);
                self.converted(&from, &into.format, of, dtype)?
            };
            let Some(stored) = converted else { return Ok(None) };
            run.operands.insert(into.name.clone(), stored);
        }
        for operand in &function.operands {
            if let Operand::Tensor(tensor) = operand {
                extents(tensor, &tensor.tensor, &mut run)?;
            }
        }
        for conversion in &function.conversions {
            extents(&conversion.into, &conversion.into.name, &mut run)?;
        }
        match &function.result {
            IrResult::Scalar { dtype, .. } => {
                let dtype = own(*dtype)?;
                let like = scalar(&Entries { shape: Vec::new(), entries: Vec::new() }, dtype);
                let like = like.ok_or("zero is no number")?;
                let Outputs::Scalar(number) = outputs(function, &run, &like)? else {
                    return Err("a tensor came where a scalar was to".into());
                };
                let value = of_interpreter(number);
                let stored =
                    Stored { vals: vec![value], entries: vec![(Vec::new(), value)], ..like };
                run.repack = self.repack("Scalar", dtype)?;
                run.results = Ok(vec![("interpreter", stored)]);
            }
            IrResult::Tensor(tensor) => {
                let dtype = own(tensor.dtype)?;
                let shape = shape(function, tensor, &run, world);
                let format = self.format(&tensor.format)?;
                let empty = Entries { shape: shape.clone(), entries: Vec::new() };
                let Some(mut like) = format.pack(&empty, dtype) else { return Ok(None) };
                if tensor.updates && tensor.packed.is_none() && starts_from_held(tensor) {
                    like = run.operands[&tensor.tensor].clone();
                }
                let Outputs::Arrays(arrays) = outputs(function, &run, &like)? else {
                    return Err("a scalar came where a tensor was to".into());
                };
                let stored = unpack(tensor, &format, like, &arrays)?;
                let Some(stored) = self.finished(tensor, &format, stored, &run, world)? else {
                    return Ok(None);
                };
                run.repack = self.repack(caller_format(tensor), dtype)?;
                run.results = Ok(vec![("interpreter", stored)]);
            }
        }
        Ok(Some(run))
    }

    /// An operand as its format stores it.
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

    /// A tensor in another format.
    fn converted(
        &self,
        from: &Format,
        marker: &str,
        of: &Stored,
        dtype: Dtype,
    ) -> Result<Option<Stored>, String> {
        let into = self.format(marker)?;
        let mut given = given(of);
        let (before, fill) = (from.fill(dtype), into.fill(dtype));
        if !before.is_like(fill, 0.0) {
            given = refilled(&given, before);
        }
        Ok(into.pack(&given, dtype))
    }

    /// The result as callers see it: packed, together with what the caller's tensor stores outside of
    /// the part that is computed.
    fn finished(
        &self,
        tensor: &TensorResult,
        format: &Format,
        mut stored: Stored,
        run: &Run,
        world: &World,
    ) -> Result<Option<Stored>, String> {
        let Some(packed) = &tensor.packed else { return Ok(Some(stored)) };
        let dtype = own(tensor.dtype)?;
        if tensor.combining.is_some() {
            stored.entries = self.semiring.united(&stored.entries, Some(dtype));
        }
        if tensor.cover.is_none() {
            return self.converted(format, packed, &stored, dtype);
        }
        let old = run.operands.get(&tensor.tensor).ok_or("nothing is covered")?;
        let into = self.format(packed)?;
        let inside = covered(self.statement, world);
        let (before, fill) = (format.fill(dtype), into.fill(dtype));
        let mut new = given(&stored);
        if !before.is_like(fill, 0.0) {
            new = refilled(&new, before);
            new.entries.retain(|(at, _)| inside.contains(at));
        }
        let kept = given(old).entries.into_iter();
        new.entries.extend(kept.filter(|(at, _)| !inside.contains(at)));
        Ok(into.pack(&new, dtype))
    }
}

/// The format in which callers see a result.
fn caller_format(tensor: &TensorResult) -> &String {
    tensor.packed.as_ref().unwrap_or(&tensor.format)
}

/// Whether a kernel computes into the arrays that the result held before.
fn starts_from_held(tensor: &TensorResult) -> bool {
    matches!(&tensor.assembly, Assembly::Computed { zeroed: false, .. })
}

/// An error for a tensor that its format does not hold.
fn unfit() -> Error {
    Error::Parts { format: "of the harness", reason: "the format does not hold the entries".into() }
}

fn own(dtype: sparsegen_build::Dtype) -> Result<Dtype, String> {
    Dtype::named(dtype.name()).ok_or_else(|| format!("the harness does not know `{dtype}`"))
}

/// Whether the two parts of a split entry fit the type.
fn is_signed(dtype: Dtype) -> bool {
    dtype != Dtype::Bool && dtype.range().is_none_or(|(least, _)| least < 0)
}

fn scalar(given: &Entries, dtype: Dtype) -> Option<Stored> {
    let sum = given.entries.iter().fold(Number::ZERO, |sum, (_, value)| sum + *value);
    let value = convert(sum, dtype).ok()?;
    let scalar = Format { order: 0, levels: Vec::new(), fill: sparsegen_build::Literal::Int(0) };
    scalar.look(&[], BTreeMap::new(), vec![value], dtype).ok()
}

/// The entries of a tensor.
fn given(stored: &Stored) -> Entries {
    Entries { shape: stored.shape.clone(), entries: stored.entries.clone() }
}

/// Every element of a tensor: what it does not store is its fill, which another format stores.
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

/// The coordinates of a result of which a statement computes a part.
fn covered(statement: &Statement, world: &World) -> Vec<Vec<usize>> {
    let Some(view) = statement.view(&statement.result) else { return Vec::new() };
    let variables = &statement.result.variables;
    let shape: Vec<usize> = variables.iter().map(|v| world.layout.extents[v]).collect();
    let count: usize = shape.iter().product();
    let place = |k| world.layout.place(&view.modes, &coordinate(&shape, k), variables);
    (0..count).map(place).collect()
}

/// Notes the extents that a kernel reads from the levels of a tensor of this name.
fn extents(tensor: &TensorOperand, name: &str, run: &mut Run) -> Result<(), String> {
    for extent in &tensor.extents {
        let field = (extent.level, extent.field.clone());
        let array = run.operands.get(name).and_then(|stored| stored.arrays.get(&field));
        let Some([size]) = array.map(Vec::as_slice) else {
            return Err(format!("`{name}` has no `{}`", extent.field));
        };
        run.extents.insert(extent.name.clone(), *size);
    }
    Ok(())
}

/// The extents of the result's modes.
fn shape(function: &Function, tensor: &TensorResult, run: &Run, world: &World) -> Vec<usize> {
    if let Some(held) = run.operands.get(&tensor.tensor).filter(|_| tensor.updates) {
        return held.shape.clone();
    }
    let extent = |size: &usize| {
        let size = &function.sizes[*size];
        if let Some(constant) = size.constant {
            return constant as usize;
        }
        match size.operands.first().map(|(operand, mode)| (&function.operands[*operand], mode)) {
            Some((Operand::Tensor(operand), mode)) => run.operands[&operand.tensor].shape[*mode],
            Some((Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. }, _))
            | None => world.layout.extents.get(&size.variable).copied().unwrap_or(1),
        }
    };
    tensor.shape.iter().map(extent).collect()
}

/// The result of which the interpreter wrote the arrays.
fn unpack(
    tensor: &TensorResult,
    format: &Format,
    like: Stored,
    outputs: &BTreeMap<String, ArrayValue>,
) -> Result<Stored, String> {
    let (mut arrays, mut vals) = (like.arrays, like.vals);
    for array in tensor.arrays() {
        match (&array.place, outputs.get(&array.name)) {
            (Place::Values, Some(ArrayValue::Values(values))) => {
                vals = values.iter().map(|value| of_interpreter(*value)).collect();
            }
            (Place::Level { level, field }, Some(ArrayValue::Index(indices))) => {
                arrays.insert((*level, field.clone()), indices.clone());
            }
            (Place::Values | Place::Level { .. }, _) => {
                return Err(format!("no array `{}` came", array.name));
            }
        }
    }
    for extent in tensor.extents() {
        let Some(ArrayValue::Index(size)) = outputs.get(&extent.name) else {
            return Err(format!("no extent `{}` came", extent.name));
        };
        arrays.insert((extent.level, extent.field.clone()), size.clone());
    }
    format.look(&like.shape, arrays, vals, own(tensor.dtype)?)
}
