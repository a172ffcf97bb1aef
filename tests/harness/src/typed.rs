//! Conversion between tensors with formats as types, and format-independent data of the harness.

use std::cell::RefCell;
use std::collections::BTreeMap;

use sparsegen::level::{LevelViews as _, Levels};
use sparsegen::{Error, Format, LevelExpr, Shape, Stored as Storable, Tensor, Workspaces};

use crate::number::{Element, Number};
use crate::worlds::Entries;

/// The stored data of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The extent of each mode.
    pub shape: Vec<usize>,
    /// The mode of each level; empty if levels store other expressions than modes.
    pub modes: Vec<usize>,
    /// `true` if entries are in the order of the levels.
    pub ordered: bool,
    /// `true` if a coordinate may be stored several times.
    pub repeats: bool,
    /// `true` if the format may store entries that it is not given.
    pub pads: bool,
    /// `true` if the format stores every coordinate.
    pub full: bool,
    /// `true` if zeros may be dropped.
    pub drops: bool,
    /// The arrays of each level, by level and field.
    pub arrays: BTreeMap<(usize, String), Vec<usize>>,
    /// The values.
    pub vals: Vec<Number>,
    /// Coordinates and values, in storage order.
    pub entries: Vec<(Vec<usize>, Number)>,
}

/// The result of running a kernel.
pub struct Run {
    /// The operands as they were passed, by name, and their conversions.
    pub operands: BTreeMap<String, Stored>,
    /// The results, by the function that computed them, or the kernel's error.
    pub results: Result<Vec<(&'static str, Stored)>, Error>,
    /// Packs entries in the result's format.
    pub repack: Repack,
}

/// A function that packs entries in some format.
pub type Repack = Box<dyn Fn(&Entries) -> Result<Stored, Error>>;

/// A function that calls a kernel on operands of any shape.
pub type Driver = dyn Fn(&BTreeMap<String, Entries>) -> Result<Run, Error>;

/// The results of one call of a kernel, by the function that computed them.
pub type Ways = Vec<(&'static str, Stored)>;

/// The numbers of parts in which a parallel kernel runs.
const PARTS: [(usize, &str); 4] =
    [(1, "in 1 part"), (2, "in 2 parts"), (3, "in 3 parts"), (7, "in 7 parts")];

/// Runs a kernel, separately from packing its operands. A parallel kernel also runs in parts.
///
/// # Errors
/// The error of the kernel.
pub fn attempt(parallel: bool, run: impl Fn() -> Result<Ways, Error>) -> Result<Ways, Error> {
    attempt_all(parallel, || run().map(|ways| [ways])).map(|[ways]| ways)
}

thread_local! {
    static MEMORY: RefCell<Workspaces> = RefCell::default();
}

/// Runs a kernel with working memory that all kernels of a thread share.
pub fn keeping<T>(run: impl FnOnce(&mut Workspaces) -> T) -> T {
    MEMORY.with_borrow_mut(run)
}

/// Runs a kernel with several results like [`attempt`].
///
/// # Errors
/// The error of the kernel.
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

/// Packs entries and returns the stored data.
pub fn repack<V: Element + Storable, F: Format>(entries: &Entries) -> Result<Stored, Error> {
    pack::<V, F>(entries).map(|tensor| look(&tensor))
}

/// Returns the value of a scalar operand.
pub fn scalar<V: Element>(operand: &Entries) -> V {
    let sum = operand.entries.iter().fold(Number::ZERO, |sum, (_, value)| sum + *value);
    V::of(sum)
}

/// Returns the stored data of a scalar.
pub fn look_at_scalar<V: Element>(value: V) -> Stored {
    look_at_number(value.number())
}

/// Returns the storage of a scalar number.
pub fn look_at_number(number: Number) -> Stored {
    Stored {
        shape: Vec::new(),
        modes: Vec::new(),
        ordered: true,
        repeats: false,
        pads: false,
        full: true,
        drops: false,
        arrays: BTreeMap::new(),
        vals: vec![number],
        entries: vec![(Vec::new(), number)],
    }
}

/// Returns the stored data of a tensor.
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
        repeats: levels().next_back().is_some_and(|(_, map)| !map.properties.unique),
        pads,
        drops: levels().any(|(_, map)| !map.properties.padded),
        full: levels().all(|(kind, map)| kind.full || map.properties.full),
        arrays,
        vals: tensor.vals().iter().map(|value| value.number()).collect(),
        entries: tensor.iter().map(|(at, value)| (at.as_ref().to_vec(), value.number())).collect(),
    }
}

/// Returns a tensor of the same shape with as many other entries as possible: a kernel that
/// computes into it must not depend on its contents.
pub fn scribbled<V: Element + Storable, F: Format>(like: &Tensor<V, F>) -> Tensor<V, F> {
    let shape = like.shape().as_ref().to_vec();
    let count: usize = shape.iter().product();
    let scribble = Number::Whole(77);
    let full = (0..count.min(5000)).map(|k| (crate::worlds::coordinate(&shape, k), scribble));
    pack(&Entries { shape: shape.clone(), entries: full.collect() })
        .unwrap_or_else(|_| like.clone())
}

/// Returns a tensor of the same shape with other coordinates, or `None` if the format has no
/// others.
pub fn restructured<V: Element + Storable, F: Format>(like: &Tensor<V, F>) -> Option<Tensor<V, F>> {
    let empty = Tensor::zeros(like.shape()).ok()?;
    (empty.levels() != like.levels()).then_some(empty)
}

/// Checks that a kernel refused to compute into a result of another structure.
pub fn refused_structure(answer: Result<(), Error>) -> Result<(), Error> {
    match answer {
        Err(Error::Structure { .. }) => Ok(()),
        Err(other) => Err(other),
        Ok(()) => panic!("a result of another structure was accepted"),
    }
}

/// Returns coordinates as the shape of a format.
fn array<F: Format>(numbers: &[usize]) -> F::Shape {
    let mut array = F::Shape::splat(0);
    array.as_mut().copy_from_slice(numbers);
    array
}
