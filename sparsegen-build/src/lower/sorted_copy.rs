//! What the entries of a sorted copy consist of.
//!
//! They have a coordinate of the level that is sorted, and of each level below it that is sorted too,
//! as long as every position has one child: the entries of `coo_unordered` are sorted once, by row
//! and column. Below the last level, they have the value instead of the position, so that values are
//! not looked up in the order of the copy.

use std::ops::RangeInclusive;

use crate::concrete::Program;
use crate::concrete::parted::Parted;
use crate::ir::{EntryType, Expr, Width};
use crate::iteration::iterator::{LevelIterator, Positions};
use crate::iteration::plan::Plan;
use crate::level::{Segment, tells_by_position};
use crate::notation::Access;

use super::Lowering;
use super::names::Names;

/// A sorted copy of entries of an access.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SortedCopy {
    access: Access,
    /// The name of the vector.
    pub(super) name: String,
    /// The levels of which the entries have coordinates.
    pub(super) levels: RangeInclusive<usize>,
    /// The type of the entries.
    pub(super) entry: EntryType,
}

impl SortedCopy {
    /// Returns whether the entries have values, and no positions.
    pub(super) fn has_values(&self) -> bool {
        self.entry.value.is_some()
    }

    /// Returns `a_sorted[p_a].1`, the coordinate of a level.
    pub(super) fn coordinate(&self, level: usize, index: Expr) -> Expr {
        Expr::field(Expr::load(&self.name, index), level - self.levels.start())
    }

    /// Returns `a_sorted[p_a].2`, the value or the position.
    pub(super) fn last_field(&self, index: Expr) -> Expr {
        Expr::field(Expr::load(&self.name, index), self.entry.coordinates)
    }
}

/// Returns the sorted copies in the loops of a plan. The level over which a loop is divided into parts
/// has a copy of its own, which each part fills with the entries at its coordinates.
pub(super) fn sorted_copies(
    program: &Program,
    plan: &Plan,
    names: &Names,
    parted: Option<&Parted>,
) -> Vec<SortedCopy> {
    let mut iterators: Vec<&LevelIterator> = Vec::new();
    plan.for_each_loop(&mut |of| iterators.extend(&of.iterators));
    let mut sorted: Vec<&LevelIterator> =
        iterators.iter().copied().filter(|iterator| iterator.reorders()).collect();
    sorted.sort_by_key(|iterator| iterator.level);
    let mut copies: Vec<SortedCopy> = Vec::new();
    for iterator in sorted {
        let is_same = |copy: &SortedCopy| copy.access == iterator.access;
        if !copies.iter().any(|copy| is_same(copy) && copy.levels.contains(&iterator.level)) {
            copies.push(sorted_copy(program, names, &iterators, iterator, parted));
        }
    }
    copies
}

/// Returns the copy that an iterator fills, with the coordinates of the levels below that are sorted
/// wherever they are iterated.
fn sorted_copy(
    program: &Program,
    names: &Names,
    iterators: &[&LevelIterator],
    first: &LevelIterator,
    parted: Option<&Parted>,
) -> SortedCopy {
    let access = &first.access;
    let tensor = program.tensor(access.tensor);
    let of_level = |level: usize| {
        iterators.iter().filter(move |other| other.access == *access && other.level == level)
    };
    let is_sorted_in_it = |level: &usize| {
        let mut of_level = of_level(*level).peekable();
        of_level.peek().is_some() && of_level.all(|iterator| has_child_of_each(program, iterator))
    };
    let is_divided = |level: usize| {
        let counted = program.level_variable(access, level).map(|v| program.space.counted(v));
        counted.is_some() && counted == parted.map(|parted| parted.variable)
    };
    let below = (first.level + 1..tensor.format.levels.len())
        .take_while(|level| !is_divided(*level) && is_sorted_in_it(level));
    let levels = first.level..=below.last().unwrap_or(first.level);
    let is_last = levels.end() + 1 == tensor.format.levels.len();
    let value = (is_last && !tensor.pattern).then_some(tensor.dtype);
    let coordinates = levels.clone().count();
    let width = levels.clone().flat_map(of_level).map(|iterator| width(program, iterator));
    let width = width.max().unwrap_or(Width::Usize);
    let numbered = (coordinates < tensor.format.levels.len()).then_some(first.level);
    let name = names.sorted(access, numbered);
    let entry = EntryType { coordinates, width, value };
    SortedCopy { access: access.clone(), name, levels, entry }
}

/// Returns whether an iterator sorts the children of all positions that a copy has listed, and each
/// of these has one.
fn has_child_of_each(program: &Program, iterator: &LevelIterator) -> bool {
    let spec = iterator.spec(program);
    iterator.reorders()
        && iterator.parents == Positions::Scattered
        && spec.properties.branchless
        && tells_by_position(spec.level.as_ref())
        && iterator.part(program).is_none()
}

/// Returns the type of the coordinates of the loop that an iterator drives. Those of a slice are
/// computed.
fn width(program: &Program, iterator: &LevelIterator) -> Width {
    let spec = iterator.spec(program);
    match iterator.part(program) {
        None if spec.has_coordinates() => spec.crd,
        _ => Width::Usize,
    }
}

impl Lowering<'_> {
    /// Returns the copy with the coordinates of an iterator's level.
    pub(super) fn copy(&self, iterator: &LevelIterator) -> &SortedCopy {
        let of = |copy: &&SortedCopy| {
            copy.access == iterator.access && copy.levels.contains(&iterator.level)
        };
        self.copies.iter().find(of).expect("each iterator that reorders has a copy")
    }

    /// Returns the entry for a coordinate and a position of the first level of a copy.
    pub(super) fn copied(&self, first: &LevelIterator, coordinate: Expr, position: Expr) -> Expr {
        let SortedCopy { access, levels, .. } = self.copy(first);
        let tensor = self.program.tensor(access.tensor);
        let (mut fields, mut position) = (vec![coordinate], position);
        for level in levels.clone().skip(1) {
            let iteration = tensor.format.levels[level].level.position_iteration();
            let iteration = iteration.expect("levels that are sorted are iterated by position");
            let storage = &self.storages[access.tensor.0][level];
            position = iteration.pos_bounds(storage, Segment::of(position)).start;
            fields.push(iteration.pos_access(storage, position.clone(), &[], "").value);
        }
        fields.push(match self.copy(first).has_values() {
            true => self.value_at(access.tensor, position),
            false => position,
        });
        Expr::Entry(fields)
    }
}
