//! Runs kernels that no Rust compiler has seen, by the interpreter, on formats known by name.

use std::collections::BTreeMap;

use sparsegen::{Coo, CooUnordered, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Error};
use sparsegen::{Scalar, SparseVector};
use sparsegen_build::ir::interpret::{ArrayValue, Outputs};
use sparsegen_build::ir::{Function, Operand, Place, Result as IrResult, Source, TensorResult};

use crate::dtype::Dtype;
use crate::interpreted::{of_interpreter, outputs};
use crate::number::Number;
use crate::oracle::Semiring;
use crate::typed::{Run, Stored, repack};
use crate::worlds::{Entries, World};

/// Packs entries in a format that a generated module would name.
type Pack = fn(&Entries) -> Result<Stored, Error>;

macro_rules! packs {
    ($dtype:ident, $name:ident; $($known:literal $format:ty,)*) => {
        match ($dtype, $name) {
            $(
                ("f64", $known) => Some(repack::<f64, $format> as Pack),
                ("f32", $known) => Some(repack::<f32, $format> as Pack),
                ("i32", $known) => Some(repack::<i32, $format> as Pack),
                ("usize", $known) => Some(repack::<usize, $format> as Pack),
            )*
            _ => None,
        }
    };
}

/// How to pack elements of a type in a format.
fn packing(dtype: &str, format: &str) -> Option<Pack> {
    packs!(dtype, format;
        "Scalar" Scalar,
        "Dense<1>" Dense<1>,
        "Dense<2>" Dense<2>,
        "Dense<3>" Dense<3>,
        "DenseCol<2>" DenseCol<2>,
        "SparseVector" SparseVector,
        "Csr" Csr,
        "Csc" Csc,
        "Dcsr" Dcsr,
        "Dcsc" Dcsc,
        "Coo<2>" Coo<2>,
        "Coo<3>" Coo<3>,
        "CooUnordered<1>" CooUnordered<1>,
        "CooUnordered<2>" CooUnordered<2>,
        "CooUnordered<3>" CooUnordered<3>,
        "Csf<2>" Csf<2>,
        "Csf<3>" Csf<3>,
    )
}

/// The formats of each order from which a random one is drawn, by their names in manifests.
pub const FORMATS: [&[&str]; 4] = [
    &["scalar"],
    &["dense", "sparse_vector"],
    &["dense", "csr", "csr", "csc", "dcsr", "coo", "coo_unordered", "dense_col"],
    &["dense", "csf", "coo"],
];

/// What the interpreter makes of a kernel's operands; nothing where a format is not known here.
///
/// # Errors
/// The interpreter's fault.
pub fn run(function: &Function, world: &World, semiring: Semiring) -> Result<Option<Run>, String> {
    let mut run = Run {
        operands: BTreeMap::new(),
        extents: BTreeMap::new(),
        results: Ok(Vec::new()),
        repack: repack::<f64, Scalar>,
    };
    for operand in &function.operands {
        let (name, packed) = match operand {
            Operand::Tensor(tensor) => {
                let pack = packing(tensor.dtype.name(), &tensor.format);
                (&tensor.tensor, pack.map(|pack| pack(&world.operands[&tensor.tensor])))
            }
            Operand::Scalar { name, dtype } => {
                let pack = packing(dtype.name(), "Scalar");
                (name, pack.map(|pack| pack(&world.operands[name])))
            }
            Operand::Index { name } => {
                (name, packing("usize", "Scalar").map(|pack| pack(&world.operands[name])))
            }
            Operand::Indices { name } => {
                (name, packing("usize", "Dense<1>").map(|pack| pack(&world.operands[name])))
            }
        };
        let Some(Ok(stored)) = packed else { return Ok(None) };
        run.operands.insert(name.clone(), stored);
    }
    for conversion in &function.conversions {
        let into = &conversion.into;
        let Source::Operand(of) = conversion.of else { return Ok(None) };
        let Operand::Tensor(of) = &function.operands[of] else { return Ok(None) };
        let of = &run.operands[&of.tensor];
        let entries = Entries { shape: of.shape.clone(), entries: of.entries.clone() };
        let packed = packing(into.dtype.name(), &into.format).map(|pack| pack(&entries));
        let Some(Ok(stored)) = packed else { return Ok(None) };
        run.operands.insert(into.name.clone(), stored);
    }
    match &function.result {
        IrResult::Scalar { dtype, .. } => {
            let Some(pack) = packing(dtype.name(), "Scalar") else { return Ok(None) };
            let entries = Entries { shape: Vec::new(), entries: Vec::new() };
            let Ok(like) = pack(&entries) else { return Ok(None) };
            let Outputs::Scalar(number) = outputs(function, &run, &like)? else {
                return Err("a tensor came where a scalar was to".into());
            };
            let value = of_interpreter(number);
            let stored = Stored { vals: vec![value], entries: vec![(Vec::new(), value)], ..like };
            run.repack = pack;
            run.results = Ok(vec![("interpreter", stored)]);
        }
        IrResult::Tensor(tensor) => {
            let Some(pack) = packing(tensor.dtype.name(), &tensor.format) else { return Ok(None) };
            let shape = shape(function, tensor, &run, world);
            let Ok(like) = pack(&Entries { shape, entries: Vec::new() }) else { return Ok(None) };
            let Outputs::Arrays(arrays) = outputs(function, &run, &like)? else {
                return Err("a scalar came where a tensor was to".into());
            };
            run.repack = pack;
            let mut stored = unpack(tensor, like, &arrays)?;
            if tensor.packed.is_some() && tensor.combining.is_some() {
                let dtype = Dtype::named(tensor.dtype.name());
                stored.entries = semiring.united(&stored.entries, dtype);
            }
            run.results = Ok(vec![("interpreter", stored)]);
        }
    }
    Ok(Some(run))
}

/// The extents of the result's modes.
fn shape(function: &Function, tensor: &TensorResult, run: &Run, world: &World) -> Vec<usize> {
    let extent = |size: &usize| {
        let size = &function.sizes[*size];
        match size.operands.first().map(|(operand, mode)| (&function.operands[*operand], mode)) {
            Some((Operand::Tensor(operand), mode)) => run.operands[&operand.tensor].shape[*mode],
            Some((Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. }, _))
            | None => world.layout.extents.get(&size.variable).copied().unwrap_or(1),
        }
    };
    tensor.shape.iter().map(extent).collect()
}

/// The entries of a result of which the interpreter wrote the arrays.
fn unpack(
    tensor: &TensorResult,
    mut like: Stored,
    outputs: &BTreeMap<String, ArrayValue>,
) -> Result<Stored, String> {
    for array in tensor.arrays() {
        match (&array.place, outputs.get(&array.name)) {
            (Place::Values, Some(ArrayValue::Values(values))) => {
                like.vals = values.iter().map(|value| of_interpreter(*value)).collect();
            }
            (Place::Level { level, field }, Some(ArrayValue::Index(indices))) => {
                like.arrays.insert((*level, field.clone()), indices.clone());
            }
            (Place::Values | Place::Level { .. }, _) => {
                return Err(format!("no array `{}` came", array.name));
            }
        }
    }
    let modes =
        if like.modes.is_empty() { (0..like.shape.len()).collect() } else { like.modes.clone() };
    let mut nodes: Vec<Vec<usize>> = vec![Vec::new()];
    for (level, mode) in modes.iter().enumerate() {
        let field = |name: &str| like.arrays.get(&(level, name.to_owned()));
        let below = |parent: usize, at: &Vec<usize>| -> Vec<Vec<usize>> {
            let range = match (field("pos"), field("crd")) {
                (Some(pos), Some(_)) => pos[parent]..pos[parent + 1],
                (None, Some(_)) => parent..parent + 1,
                (_, None) => 0..like.shape[*mode],
            };
            let coordinate = |k: usize| field("crd").map_or(k, |crd| crd[k]);
            range.map(|k| at.iter().copied().chain([coordinate(k)]).collect()).collect()
        };
        nodes = nodes.iter().enumerate().flat_map(|(parent, at)| below(parent, at)).collect();
    }
    let place = |at: &Vec<usize>| -> Vec<usize> {
        let mut placed = vec![0; at.len()];
        for (mode, coordinate) in modes.iter().zip(at) {
            placed[*mode] = *coordinate;
        }
        placed
    };
    let values: Vec<Number> = like.vals.clone();
    if values.len() != nodes.len() {
        return Err(format!("{} values came for {} positions", values.len(), nodes.len()));
    }
    like.entries = nodes.iter().map(place).zip(values).collect();
    Ok(like)
}
