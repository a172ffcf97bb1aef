//! Operands from files of real data, for statements of matching orders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sparsegen::{Coo, Tensor, io};

use crate::kinds::Kinds;
use crate::layout::Layout;
use crate::number::Number;
use crate::oracle::Extents;
use crate::random::Random;
use crate::statement::{Access, Statement};
use crate::worlds::{self, Entries, World};

/// A matrix or tensor from a file.
struct File {
    name: &'static str,
    shape: Vec<usize>,
    entries: Vec<(Vec<usize>, f64)>,
}

/// The largest number of elements of a dense tensor.
const LARGEST: usize = 40_000;

/// The largest number of entries that are generated where a tensor has no other structure.
const FULL: usize = 4_000;

/// The number of files that a case is run on.
const OF_EACH: usize = 2;

/// Returns operands from some of the files that fit the statement; the name of the case selects
/// them. The file is the first operand of its order, and the others are generated to fit. `dense`
/// names the dense tensors, which must not become too large.
pub fn worlds(name: &str, statement: &Statement, kinds: &Kinds, dense: &[&str]) -> Vec<World> {
    let files = files();
    let first = Random::seeded(name).below(files.len());
    let rotated = files[first..].iter().chain(&files[..first]);
    rotated.filter_map(|file| world(statement, kinds, file, dense)).take(OF_EACH).collect()
}

fn world(statement: &Statement, kinds: &Kinds, file: &File, dense: &[&str]) -> Option<World> {
    // Constant slice bounds may exceed their extents.
    if !statement.views.is_empty() || !statement.sizes.is_empty() {
        return None;
    }
    let classes = worlds::classes(statement);
    let variables = statement.variables();
    let accesses = statement.accesses();
    let taken = accesses[1..].iter().find(|a| a.variables.len() == file.shape.len())?;
    let mut of_class: BTreeMap<usize, usize> = BTreeMap::new();
    for (variable, extent) in taken.variables.iter().zip(&file.shape) {
        let class = classes[variables.iter().position(|known| known == variable)?];
        if *of_class.entry(class).or_insert(*extent) != *extent {
            return None;
        }
    }
    let extents: Extents = variables
        .iter()
        .zip(&classes)
        .map(|(name, class)| ((*name).to_owned(), *of_class.get(class).unwrap_or(&4)))
        .collect();
    let is_large = |access: &&Access| {
        let cells = access.variables.iter().map(|variable| extents[variable]);
        let is_dense = dense.contains(&access.tensor.as_str());
        is_dense && cells.fold(1, usize::saturating_mul) > LARGEST
    };
    if accesses.iter().any(is_large) {
        return None;
    }
    let mut random = Random::seeded(file.name);
    let mut operands = BTreeMap::new();
    for name in statement.operands() {
        let shape = worlds::shape(statement, name, &extents);
        let count = shape.iter().try_fold(1_usize, |all, n| all.checked_mul(*n))?;
        let entries = if name == taken.tensor {
            let entries = file.entries.iter();
            entries.map(|(at, value)| (at.clone(), Number::Real(*value))).collect()
        } else if shape.len() <= 1 || count <= FULL {
            let all = 0..count;
            all.map(|k| (worlds::coordinate(&shape, k), value(&mut random))).collect()
        } else if shape == file.shape {
            // Half of the entries are moved, so that the patterns overlap.
            let moved = file.entries.iter().map(|(at, _)| {
                let mut at = at.clone();
                if random.chance(0.5) {
                    let mode = random.below(at.len());
                    at[mode] = (at[mode] + 1) % shape[mode];
                }
                (at, value(&mut random))
            });
            moved.collect()
        } else {
            (0..2000)
                .map(|_| {
                    let at = shape.iter().map(|extent| random.below(*extent)).collect();
                    (at, value(&mut random))
                })
                .collect()
        };
        let entries = if kinds.has_zeros(name) { entries } else { structure(entries) };
        operands.insert(name.to_owned(), Entries { shape, entries });
    }
    let mut layout = Layout { extents, ..Layout::default() };
    for name in statement.parameters() {
        let value = 1 + random.below(40);
        let entries = vec![(Vec::new(), Number::Whole(value as i128))];
        operands.insert(name.to_owned(), Entries { shape: Vec::new(), entries });
        layout.parameters.insert(name.to_owned(), value);
    }
    Some(World { name: file.name.to_owned(), layout, operands }.with_result(statement))
}

/// Returns the distinct coordinates of entries.
fn structure(entries: Vec<(Vec<usize>, Number)>) -> Vec<(Vec<usize>, Number)> {
    let places: BTreeSet<Vec<usize>> = entries.into_iter().map(|(at, _)| at).collect();
    places.into_iter().map(|at| (at, Number::Whole(1))).collect()
}

fn value(random: &mut Random) -> Number {
    Number::Real((1 + random.below(4)) as f64)
}

fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        vec![
            matrix("1138_bus.mtx"),
            matrix("west0479.mtx"),
            matrix("lp_e226.mtx"),
            matrix("west0067_jumbled.mtx"),
            matrix("LFAT5_hypersparse.mtx"),
            tensor::<3>("nations.tns"),
            tensor::<3>("parti_12031.tns"),
            tensor::<4>("small4.tns"),
            tensor::<5>("nycflights5.tns"),
        ]
    })
}

/// Returns the folder of the test data.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("data")
}

fn matrix(name: &'static str) -> File {
    let read: Tensor<f64, Coo<2>> = io::read_mtx(folder().join(name)).expect("test data is valid");
    file(name, &read)
}

fn tensor<const N: usize>(name: &'static str) -> File
where
    Coo<N>: sparsegen::Format<Shape = [usize; N]>,
{
    let read: Tensor<f64, Coo<N>> = io::read_tns(folder().join(name)).expect("test data is valid");
    file(name, &read)
}

fn file<F: sparsegen::Format>(name: &'static str, read: &Tensor<f64, F>) -> File {
    let entries = read.iter().map(|(at, value)| (at.as_ref().to_vec(), value)).collect();
    File { name, shape: read.shape().as_ref().to_vec(), entries }
}
