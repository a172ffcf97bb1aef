//! Between tensors whose formats are types, and what the harness can look at whatever the format.

use std::collections::BTreeMap;

use sparsegen::level::{LevelViews as _, Levels};
use sparsegen::{Error, Format, LevelExpr, Shape, Stored as Storable, Tensor};

use crate::number::{Element, Number};
use crate::worlds::Entries;

/// All that is stored of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The extent of each mode.
    pub shape: Vec<usize>,
    /// The mode of each level; none where levels store something else of the modes.
    pub modes: Vec<usize>,
    /// Whether entries come in the order of the levels.
    pub ordered: bool,
    /// Whether the format may store more than it is given.
    pub pads: bool,
    /// Whether the format stores everything.
    pub full: bool,
    /// Whether zeros may be left out.
    pub drops: bool,
    /// The arrays of each level, by level and field.
    pub arrays: BTreeMap<(usize, String), Vec<usize>>,
    /// The values.
    pub vals: Vec<Number>,
    /// Coordinates and values, in storage order.
    pub entries: Vec<(Vec<usize>, Number)>,
}

/// What a kernel did to its operands.
pub struct Run {
    /// The operands as they were passed, by name, and what they were converted into.
    pub operands: BTreeMap<String, Stored>,
    /// The extents that the kernel reads from levels, by the names it gives them.
    pub extents: BTreeMap<String, usize>,
    /// The results, by how they came to be, or the kernel's error.
    pub results: Result<Vec<(&'static str, Stored)>, Error>,
    /// Packs entries in the result's format.
    pub repack: Repack,
}

/// Packs entries in some format.
pub type Repack = Box<dyn Fn(&Entries) -> Result<Stored, Error>>;

/// Calls a kernel on operands of any shape.
pub type Driver = dyn Fn(&BTreeMap<String, Entries>) -> Result<Run, Error>;

/// The results of one call of a kernel, by how they came to be.
pub type Ways = Vec<(&'static str, Stored)>;

/// The numbers of parts in which a parallel kernel is run.
const PARTS: [(usize, &str); 4] =
    [(1, "in 1 part"), (2, "in 2 parts"), (3, "in 3 parts"), (7, "in 7 parts")];

/// What a kernel makes of its operands, apart from what packing makes of them. A parallel kernel is
/// run in parts, too.
///
/// # Errors
/// The kernel's.
pub fn attempt(parallel: bool, run: impl Fn() -> Result<Ways, Error>) -> Result<Ways, Error> {
    attempt_all(parallel, || run().map(|ways| [ways])).map(|[ways]| ways)
}

/// As [`attempt`], for a kernel of several results.
///
/// # Errors
/// The kernel's.
pub fn attempt_all<const N: usize>(
    parallel: bool,
    run: impl Fn() -> Result<[Ways; N], Error>,
) -> Result<[Ways; N], Error> {
    let mut all = run()?;
    for (count, name) in PARTS.into_iter().filter(|_| parallel) {
        let parted = sparsegen::kernel::in_parts(count, &run)?;
        for (all, parted) in all.iter_mut().zip(parted) {
            all.extend(parted.into_iter().map(|(_, stored)| (name, stored)));
        }
    }
    Ok(all)
}

/// Packs an operand.
pub fn pack<V: Element + Storable, F: Format>(operand: &Entries) -> Result<Tensor<V, F>, Error> {
    let entries = operand.entries.iter().map(|(at, value)| (array::<F>(at), V::of(*value)));
    Tensor::from_triplets(array::<F>(&operand.shape), entries)
}

/// Packs entries and looks at them.
pub fn repack<V: Element + Storable, F: Format>(entries: &Entries) -> Result<Stored, Error> {
    pack::<V, F>(entries).map(|tensor| look(&tensor))
}

/// The value of a scalar operand.
pub fn scalar<V: Element>(operand: &Entries) -> V {
    let sum = operand.entries.iter().fold(Number::ZERO, |sum, (_, value)| sum + *value);
    V::of(sum)
}

/// A scalar as something stored.
pub fn look_at_scalar<V: Element>(value: V) -> Stored {
    let number = value.number();
    Stored {
        shape: Vec::new(),
        modes: Vec::new(),
        ordered: true,
        pads: false,
        full: true,
        drops: false,
        arrays: BTreeMap::new(),
        vals: vec![number],
        entries: vec![(Vec::new(), number)],
    }
}

/// All that is stored of a tensor.
pub fn look<V: Element + Storable, F: Format>(tensor: &Tensor<V, F>) -> Stored {
    let mut arrays = BTreeMap::new();
    let views = tensor.levels().views();
    for level in 0..F::Levels::KINDS.len() {
        for (field, contents) in views.level(level).arrays() {
            arrays.insert((level, field.to_owned()), contents);
        }
    }
    let mode = |expr: LevelExpr| match expr {
        LevelExpr::Dimension(mode) => Some(mode),
        LevelExpr::Div(..)
        | LevelExpr::Mod(..)
        | LevelExpr::Sub(..)
        | LevelExpr::Add(..)
        | LevelExpr::Count(_) => None,
    };
    let levels = || F::Levels::KINDS.iter().zip(F::MAP.levels);
    let pads = levels().fold(false, |pads, (kind, map)| {
        kind.pads || kind.full || map.properties.full || kind.branchless && pads
    });
    Stored {
        shape: tensor.shape().as_ref().to_vec(),
        modes: levels().map(|(_, map)| mode(map.expr)).collect::<Option<_>>().unwrap_or_default(),
        ordered: levels().all(|(kind, map)| kind.ordered && map.properties.ordered),
        pads,
        drops: levels().any(|(_, map)| !map.properties.padded),
        full: levels().all(|(kind, map)| kind.full || map.properties.full),
        arrays,
        vals: tensor.vals().iter().map(|value| value.number()).collect(),
        entries: tensor.iter().map(|(at, value)| (at.as_ref().to_vec(), value.number())).collect(),
    }
}

/// A tensor that has the same shape, but stores as much as it can of something else: whoever
/// computes into it must not depend on what it holds.
pub fn scribbled<V: Element + Storable, F: Format>(like: &Tensor<V, F>) -> Tensor<V, F> {
    let shape = like.shape().as_ref().to_vec();
    let count: usize = shape.iter().product();
    let scribble = Number::Whole(77);
    let full = (0..count.min(5000)).map(|k| (crate::worlds::coordinate(&shape, k), scribble));
    pack(&Entries { shape: shape.clone(), entries: full.collect() })
        .unwrap_or_else(|_| like.clone())
}

/// A tensor of the same shape that stores other coordinates, where nothing does so.
pub fn restructured<V: Element + Storable, F: Format>(like: &Tensor<V, F>) -> Option<Tensor<V, F>> {
    let empty = Tensor::zeros(like.shape()).ok()?;
    (empty.levels() != like.levels()).then_some(empty)
}

/// That a kernel refused to compute into a result of another structure.
pub fn refused_structure(answer: Result<(), Error>) -> Result<(), Error> {
    match answer {
        Err(Error::Structure { .. }) => Ok(()),
        Err(other) => Err(other),
        Ok(()) => panic!("a result of another structure was accepted"),
    }
}

/// Coordinates as a format wants them.
fn array<F: Format>(numbers: &[usize]) -> F::Shape {
    let mut array = F::Shape::splat(0);
    array.as_mut().copy_from_slice(numbers);
    array
}
