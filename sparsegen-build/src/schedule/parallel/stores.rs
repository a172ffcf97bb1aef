//! How parts of the outermost loop store to results: to entries of their own, to copies, or to
//! results of their own that are joined.

use std::sync::Arc;

use super::Outermost;
use crate::concrete::parted::{Divides, Range, Stores};
use crate::concrete::space::{BlockSize, Definition};
use crate::concrete::{Program, Target};
use crate::coordinate::Coordinate;
use crate::format::{LevelSpec, Places};
use crate::iteration::plan::Plan;
use crate::level::{Blocks, Holds, Joins, PositionIteration, StorageArray, is_list};
use crate::notation::{ReduceOp, VariableId};
use crate::types::Literal;

impl Outermost<'_> {
    /// Returns how parts of the loop store to a result.
    pub(super) fn stores(
        &self,
        program: &Program,
        target: &Target,
        range: &Range,
        divides: Divides,
    ) -> Result<Stores, String> {
        let result = &target.access;
        if result.indices.is_empty() {
            return match self.reductions.is_empty() {
                true => Err(format!("`{}` is not a reduction", program.tensor(result.tensor).name)),
                false => Ok(Stores::Reductions),
            };
        }
        let v = self.inner.variable;
        let tensor = program.tensor(result.tensor);
        let levels = &tensor.format.levels;
        let begins_groups = *range == Range::Coordinates
            && program.level_variable(result, 0) == Some(v)
            && !self.collects;
        if let Some(blocks) = groups(&levels[0])
            && !(begins_groups && blocks.is_some())
        {
            return Err(format!("`{}` cannot be assembled from parts", tensor.name));
        }
        if self.collects {
            let is_merged = |spec: &LevelSpec| {
                let properties = &spec.properties;
                is_stored_in_parts(spec)
                    && !has_bounds(spec)
                    && spec.level.append().is_some()
                    && properties.ordered
                    && properties.unique
                    && properties.padded
            };
            let can = matches!(&levels[..], [only] if is_merged(only))
                && program.targets.len() == 1
                && !target.is_partial;
            return can
                .then_some(Stores::Merged)
                .ok_or_else(|| format!("`{}` cannot be assembled from parts", tensor.name));
        }
        if let Some((leaf, places)) = tensor.format.placed() {
            let by_row =
                *range == Range::Coordinates && program.level_variable(result, 0) == Some(v);
            return match places {
                Places::Counted | Places::Slots if self.keeps_order(program, target, leaf) => {
                    Ok(Stores::Joined)
                }
                Places::Fixed if by_row && levels.iter().all(lists_coordinates) => {
                    Ok(Stores::Apart)
                }
                Places::Counted | Places::Fixed | Places::Slots => {
                    let name = &tensor.name;
                    Err(format!("each entry of `{name}` follows the previous one of its parent"))
                }
            };
        }
        let is_own = |of: VariableId| divides_by(program, v, of);
        if let Some(hashed) = levels.iter().position(has_buckets)
            && program.level_variable(result, hashed).is_some_and(is_own)
            && divides_coordinates(program, range)
            && levels[..hashed].iter().all(has_places)
            && levels[hashed..].iter().all(is_joined_by_bucket)
        {
            return Ok(Stores::Joined);
        }
        if program.level_variable(result, 0) == Some(v) && divides_coordinates(program, range) {
            return is_apart(levels)
                .then_some(Stores::Apart)
                .ok_or_else(|| format!("`{}` cannot be assembled from parts", tensor.name));
        }
        if divides.has_rows_of(program, target) {
            return Ok(Stores::Apart);
        }
        let lists_blocks = program
            .level_variable(result, 0)
            .is_some_and(|of| counts_blocks(program, v, of) && *range == Range::Coordinates);
        if lists_blocks && is_appended(&levels[0]) && is_apart(levels) {
            return Ok(Stores::Apart);
        }
        // The blocks of positions of an operand are in the order of its entries.
        let in_any_order = !levels[0].properties.ordered || program.space.positions_of(v).is_some();
        let lists_entries = levels[0].level.append().is_some()
            && levels.iter().all(|spec| spec.level.insert().is_none() && is_stored_in_parts(spec))
            && in_any_order
            && !levels[0].properties.unique;
        if lists_entries {
            return Ok(Stores::Apart);
        }
        let name = &program.kernel.variable(v).name;
        if !levels.iter().all(has_places) {
            return Err(match result.indices.iter().copied().any(is_own) {
                true => {
                    format!("the entries of `{}` for each `{name}` are not contiguous", tensor.name)
                }
                false => {
                    format!("different `{name}` store to the same entries of `{}`", tensor.name)
                }
            });
        }
        let adds = target.in_place || target.unassigned == Literal::Int(0);
        let reads = program.kernel.previous().is_some() && !target.in_place;
        match adds && !reads && !target.is_partial && only_adds(&self.inner.bodies, target) {
            true if self.has_intervals(program, target) => Ok(Stores::Intervals),
            true => Ok(Stores::Copies),
            false => {
                Err(format!("different `{name}` store to the same entries of `{}`", tensor.name))
            }
        }
    }

    /// Returns the coordinates that are divided: where the loop counts blocks of the rows of dense
    /// results, or stores to a slice of them, each part has rows of its own.
    pub(super) fn divides(&self, program: &Program, range: &Range) -> Divides {
        let inserts = |target: &&Target| {
            let levels = &program.tensor(target.access.tensor).format.levels;
            levels.first().is_some_and(|outermost| outermost.level.insert().is_some())
        };
        let inserted: Vec<&Target> = program.targets.iter().filter(inserts).collect();
        let rows = || {
            let rows = program.level_variable(&inserted.first()?.access, 0)?;
            let divides = divided_as(program, self.inner.variable, rows)?;
            let are_rows = inserted.iter().all(|target| divides.has_rows_of(program, target));
            (are_rows && *range == Range::Coordinates).then_some(divides)
        };
        rows().unwrap_or(Divides::Own)
    }

    /// Returns the number of consecutive coordinates of the loop that one part has: those that share one
    /// of a result, or a group of its outermost level.
    pub(super) fn block(&self, program: &Program, target: &Target, stores: Stores) -> Option<u64> {
        let levels = &program.tensor(target.access.tensor).format.levels;
        match stores {
            Stores::Joined => self.shares(program, target),
            Stores::Apart => Some(groups(levels.first()?)??.size as u64),
            Stores::Intervals | Stores::Merged | Stores::Copies | Stores::Reductions => None,
        }
    }

    /// Returns the number of coordinates of the loop that share one of a placed result.
    fn shares(&self, program: &Program, target: &Target) -> Option<u64> {
        let (leaf, _) = program.tensor(target.access.tensor).format.placed()?;
        let of_leaf = program.level_variable(&target.access, leaf)?;
        match program.space.computed(of_leaf)? {
            Coordinate::Div(of, BlockSize::Constant(size)) if *of == self.inner.variable => {
                Some(*size)
            }
            Coordinate::Div(..) | Coordinate::Mod(..) | Coordinate::Affine(_) => None,
        }
    }

    /// Returns whether the entries of each parent of a result are in the order of the parts, with no
    /// coordinate in two of them.
    fn keeps_order(&self, program: &Program, target: &Target, leaf: usize) -> bool {
        let v = self.inner.variable;
        let levels = &program.tensor(target.access.tensor).format.levels;
        let is_parent = |level| {
            let parent = program.level_variable(&target.access, level);
            parent.is_some_and(|parent| divides_by(program, v, parent))
        };
        let is_joined =
            levels[..=leaf].iter().all(|spec| is_stored_in_parts(spec) && !has_bounds(spec));
        let is_coordinate = program.level_variable(&target.access, leaf) == Some(v)
            || self.shares(program, target).is_some();
        program.space.positions_of(v).is_none()
            && is_joined
            && (is_coordinate || (0..leaf).any(is_parent))
    }

    /// Returns whether the entries of consecutive positions have ascending coordinates in the
    /// outermost level of a result, so that each part stores to an interval of them.
    fn has_intervals(&self, program: &Program, target: &Target) -> bool {
        let counted = program.space.positions_of(self.inner.variable);
        let found = counted.and_then(|v| program.space.counted_positions(&program.kernel, v));
        let Some((access, [0, last])) = found else { return false };
        let levels = &program.tensor(access.tensor).format.levels;
        let finds_parents = levels[1..=last].iter().all(|spec| {
            let lists = |it: &dyn PositionIteration| it.segments().is_some();
            spec.properties.branchless || spec.level.position_iteration().is_some_and(lists)
        });
        let outermost = &levels[0];
        let is_known = match outermost.level.coordinate_iteration() {
            Some(_) => outermost.properties.full && outermost.level.arrays().is_empty(),
            None => is_list(outermost.level.as_ref()) && outermost.properties.ordered,
        };
        let v = program.level_variable(access, 0);
        program.targets.len() == 1
            && finds_parents
            && is_known
            && v.is_some()
            && program.level_variable(&target.access, 0) == v
            && program.tensor(target.access.tensor).format.mode_of(0).is_some()
    }
}

/// Checks that a part may run all loops that follow each other before the next part runs the first
/// one: a loop overwrites no entry of a part that has run.
pub(super) fn joins_phases(
    program: &Program,
    target: &Target,
    loops: &[Outermost<'_>],
) -> Result<(), String> {
    let levels = &program.tensor(target.access.tensor).format.levels;
    let assigns =
        |of: &&Outermost<'_>| of.inner.bodies.iter().any(|body| body.assigns(target.access.tensor));
    let is_own = |of: &Outermost<'_>| {
        let rows = program.level_variable(&target.access, 0);
        rows.is_some_and(|rows| {
            rows == of.inner.variable || divided_as(program, of.inner.variable, rows).is_some()
        })
    };
    let bodies: Vec<Arc<Plan>> =
        loops.iter().flat_map(|of| of.inner.bodies.iter().cloned()).collect();
    let is_scalar = target.access.indices.is_empty();
    let is_joined = loops.iter().filter(assigns).count() == 1
        || levels.iter().all(has_places)
            && (loops.iter().all(is_own) || only_adds(&bodies, target) && !is_scalar);
    match is_joined {
        true => Ok(()),
        false => Err(stored_by_several(program, target)),
    }
}

/// Returns the reason why loops that follow each other are not divided.
pub(super) fn stored_by_several(program: &Program, target: &Target) -> String {
    let name = &program.tensor(target.access.tensor).name;
    format!("`{name}` is stored by several loops, one after another")
}

/// Returns whether each coordinate belongs to one part, and the coordinates of consecutive parts
/// ascend.
fn divides_coordinates(program: &Program, range: &Range) -> bool {
    match range {
        Range::Coordinates => true,
        Range::Positions { access, level } => {
            let spec = &program.tensor(access.tensor).format.levels[*level];
            *level == 0 && spec.properties.ordered && spec.properties.unique
        }
    }
}

/// Returns whether each coordinate of another variable belongs to one of a variable: the variables are
/// the same, or the variable counts blocks of the other one.
fn divides_by(program: &Program, v: VariableId, of: VariableId) -> bool {
    v == of || counts_blocks(program, v, of)
}

/// Returns whether a variable counts blocks of another.
fn counts_blocks(program: &Program, v: VariableId, of: VariableId) -> bool {
    match program.space.definition(v) {
        Some(Definition::Computed(Coordinate::Div(inner, _))) => {
            *inner == of || counts_blocks(program, *inner, of)
        }
        Some(_) | None => false,
    }
}

/// Returns how parts of a loop divide the coordinates of another variable, if each coordinate of this
/// belongs to one of the loop.
fn divided_as(program: &Program, v: VariableId, rows: VariableId) -> Option<Divides> {
    let slice = program.space.slice(rows).filter(|slice| slice.of == v);
    if slice.is_some_and(|slice| slice.range().is_some_and(|range| !range.is_shifted)) {
        return Some(Divides::Slice(rows));
    }
    counts_blocks(program, v, rows).then_some(Divides::Blocks(rows))
}

impl Divides {
    /// Returns whether each part has rows of a result of its own, and stores them apart.
    fn has_rows_of(self, program: &Program, target: &Target) -> bool {
        let levels = &program.tensor(target.access.tensor).format.levels;
        let are_rows = |rows| program.level_variable(&target.access, 0) == Some(rows);
        match self {
            Divides::Own => false,
            Divides::Blocks(rows) => are_rows(rows) && has_places(&levels[0]) && is_apart(levels),
            // The other rows are there as well.
            Divides::Slice(rows) => are_rows(rows) && levels.iter().all(has_places),
        }
    }
}

/// Returns whether the levels of consecutive coordinates of the outermost one can be stored separately,
/// and joined in order.
fn is_apart(levels: &[LevelSpec]) -> bool {
    let (last, above) = levels.split_last().expect("a tensor with indices has levels");
    above.iter().all(is_joined_by_bucket) && (is_joined_by_bucket(last) || holds_bits(last))
}

/// Returns whether a level appends only the coordinates that have entries.
fn is_appended(spec: &LevelSpec) -> bool {
    spec.level.append().is_some() && spec.level.insert().is_none() && !spec.properties.full
}

/// Returns whether parts of a level can be stored separately.
fn is_stored_in_parts(spec: &LevelSpec) -> bool {
    match spec.level.insert() {
        Some(_) => spec.level.arrays().is_empty(),
        None => spec.level.append().is_some_and(|append| {
            let is_list = |array: &StorageArray| match array.holds {
                Holds::Coordinates | Holds::Numbers(_) => true,
                Holds::Positions | Holds::Indices(_) => append.joins().is_some(),
                Holds::Bits | Holds::Entries => false,
            };
            spec.level.arrays().iter().all(is_list)
        }),
    }
}

/// Returns whether a level stores both the begin and the end of each segment, which parts of the same
/// parent cannot join.
fn has_bounds(spec: &LevelSpec) -> bool {
    spec.level.append().is_some_and(|append| append.joins() == Some(Joins::Bounds))
}

/// Returns the blocks of a level, if its positions are in groups. Parts of the outermost level, which has
/// a single parent, may not have positions of the same group, which cannot be joined.
fn groups(spec: &LevelSpec) -> Option<Option<Blocks>> {
    Some(spec.level.position_iteration()?.groups()?.blocks())
}

/// Returns whether all positions of a level exist beforehand.
fn has_places(spec: &LevelSpec) -> bool {
    spec.properties.full && spec.level.arrays().is_empty()
}

/// Returns whether the positions of a level are slots of hash tables.
fn has_buckets(spec: &LevelSpec) -> bool {
    spec.level.insert().is_some_and(|insert| insert.buckets().is_some())
}

/// Returns whether parts of a level can be stored separately, and joined in order or slot by slot.
fn is_joined_by_bucket(spec: &LevelSpec) -> bool {
    is_stored_in_parts(spec) || has_buckets(spec)
}

/// Returns whether a level inserts, and has a bit for each position.
fn holds_bits(spec: &LevelSpec) -> bool {
    let mut arrays = spec.level.arrays().iter();
    spec.level.insert().is_some() && arrays.all(|array| array.holds == Holds::Bits)
}

/// Returns the least common multiple of two numbers.
pub(super) fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a.max(1), b.max(1));
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}

/// Returns whether a level has no other arrays than those of coordinates.
fn lists_coordinates(spec: &LevelSpec) -> bool {
    spec.level.arrays().iter().all(|array| array.holds == Holds::Coordinates)
}

/// Returns whether loops only add to a result, or assign each of its entries at most once.
fn only_adds(bodies: &[Arc<Plan>], target: &Target) -> bool {
    let assigns = !accumulations(bodies, target).contains(&Some(ReduceOp::SUM));
    adds(bodies, target) || !target.in_place && assigns
}

/// Returns whether loops only add to a result.
pub(super) fn adds(bodies: &[Arc<Plan>], target: &Target) -> bool {
    accumulations(bodies, target).into_iter().all(|op| op == Some(ReduceOp::SUM))
}

/// Returns how loops accumulate in a result.
fn accumulations(bodies: &[Arc<Plan>], target: &Target) -> Vec<Option<ReduceOp>> {
    let mut found = Vec::new();
    for body in bodies {
        body.for_each_assign(&mut |access, accumulate| {
            if access.tensor == target.access.tensor {
                found.push(accumulate);
            }
        });
    }
    found
}
