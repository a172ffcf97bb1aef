//! Operands of growing sizes.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::Choice;
use crate::kinds::Kinds;
use crate::layout::layout;
use crate::number::Number;
use crate::random::Random;
use crate::statement::Statement;
use crate::worlds::{Entries, World, assign, classes, coordinate, point};

/// The way in which operands grow with their extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Each row of a sparse operand has the same number of entries.
    Rows,
    /// A sparse operand has the same number of entries.
    Extents,
}

/// The number of entries of a row.
const PER_ROW: usize = 4;

/// The number of entries of operands that do not grow.
const CONSTANT: usize = 64;

/// The number of points of the iteration space that a kernel with dense operands may have.
const POINTS: usize = 600_000;

/// Returns the extents of the variables, which are smaller if there are large dense tensors.
pub(super) fn sizes(statement: &Statement, choice: Choice<'_>) -> [usize; 3] {
    let accesses = statement.accesses();
    let is_dense = |tensor: &str| is_dense(choice, tensor);
    let order = match statement.operands().into_iter().all(is_dense) {
        true => statement.variables().len(),
        false => accesses.iter().map(|access| statement.modes(access).len()).max().unwrap_or(0),
    };
    let fits = |size: &usize| size.pow(order as u32) <= POINTS;
    let largest = [128_usize, 64, 32].into_iter().find(fits).unwrap_or(24);
    [largest / 4, largest / 2, largest]
}

/// Returns whether an operand has an entry at every coordinate.
fn is_dense(choice: Choice<'_>, tensor: &str) -> bool {
    let format = choice.storage(tensor).map_or("dense", |storage| storage.format);
    matches!(format, "dense" | "dense_col")
}

/// Returns operands for a statement, whose variables have an extent, or `None` if they cannot have
/// it.
pub(super) fn world(
    statement: &Statement,
    kinds: &Kinds,
    choice: Choice<'_>,
    growth: Growth,
    size: usize,
) -> Option<World> {
    let classes = classes(statement);
    let extents = assign(statement, &classes, &[size]);
    let mut random = Random::seeded("growing");
    let layout = layout(statement, &classes, extents, Some(size), &mut random)?;
    let mut operands = BTreeMap::new();
    for (name, value) in &layout.parameters {
        let entries = vec![(Vec::new(), Number::Whole(*value as i128))];
        operands.insert(name.clone(), Entries { shape: Vec::new(), entries });
    }
    for (name, list) in &layout.lists {
        let entries = list.iter().enumerate();
        let entries = entries.map(|(k, at)| (vec![k], Number::Whole(*at as i128)));
        operands
            .insert(name.clone(), Entries { shape: vec![list.len()], entries: entries.collect() });
    }
    for operand in statement.operands() {
        let shape = layout.shapes[operand].clone();
        let format = choice.storage(operand).map_or("dense", |storage| storage.format);
        let coordinates = match format {
            _ if shape.is_empty() => vec![Vec::new()],
            _ if is_dense(choice, operand) => all(&shape),
            "dia" => banded(&shape, growth),
            _ => scattered(&shape, growth, &mut random),
        };
        let kind = kinds.kind(operand);
        let entries = coordinates.into_iter().map(|at| (at, kind.value(&mut random)));
        let mut entries = entries.collect();
        point(statement, &layout, &mut random, &mut entries, operand);
        operands.insert(operand.to_owned(), Entries { shape, entries });
    }
    let world = World { name: format!("extents of {size}"), layout, operands };
    Some(world.with_result(statement))
}

fn all(shape: &[usize]) -> Vec<Vec<usize>> {
    (0..shape.iter().product()).map(|position| coordinate(shape, position)).collect()
}

/// Returns the coordinates of some diagonals, or of the first rows of them.
fn banded(shape: &[usize], growth: Growth) -> Vec<Vec<usize>> {
    let rows = shape.first().copied().unwrap_or(0);
    let rows = if growth == Growth::Rows { rows } else { rows.min(CONSTANT / PER_ROW) };
    let entry = |i: usize, d: usize| {
        let at = shape.iter().map(|extent| (i + d) % extent);
        let mut at: Vec<usize> = at.collect();
        at[0] = i;
        (i + d < shape[shape.len() - 1]).then_some(at)
    };
    (0..rows).flat_map(|i| (0..PER_ROW).filter_map(move |d| entry(i, d))).collect()
}

/// Returns random coordinates: the same number in each row of a matrix, and in all of a vector.
fn scattered(shape: &[usize], growth: Growth, random: &mut Random) -> Vec<Vec<usize>> {
    let rows = shape[0];
    let count = match growth {
        Growth::Rows if shape.len() == 1 => rows / PER_ROW,
        Growth::Rows => PER_ROW * rows,
        Growth::Extents => CONSTANT / if shape.len() == 1 { PER_ROW } else { 1 },
    };
    let count = count.min(shape.iter().product::<usize>() / 2);
    let mut chosen: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut k = 0;
    while chosen.len() < count {
        let mut at: Vec<usize> = shape.iter().map(|extent| random.below(*extent)).collect();
        if growth == Growth::Rows && shape.len() > 1 {
            at[0] = k % rows;
        }
        k += usize::from(chosen.insert(at));
    }
    chosen.into_iter().collect()
}
