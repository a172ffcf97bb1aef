//! Packing: a fold over the levels that computes the position of each entry, to which its value is
//! then moved.
//!
//! Entries keep the order in which they are given, and are arrays, one for each dimension. At a
//! level with a position for every coordinate, the position of an entry's node is computed from
//! that of its parent. At any other level, entries are [grouped](Groups) by their parents, and the
//! distinct coordinates of each group are counted, sorted and passed to [`Level::build`]. So rows
//! become columns, blocks or diagonals in a constant number of passes over the entries, without
//! sorting them. Only formats with levels that depend on the order of entries, because they count
//! them or repeat coordinates for each of them, need [sorted](order) entries.
//!
//! Formats are data here, so that nearly all of the code is compiled once, and not for each format
//! or type of values. It serves conversions between all formats, built-in or declared, so that no
//! kernel has to be generated for any pair of them. Where it does not apply, or entries are to be
//! refused, [general packing](super::pack) takes over, which reports errors.

use std::borrow::Cow;

use crate::format::{Format, LevelMap};
use crate::level::{Axes, Fault, Level, LevelSource, LevelView, Levels};
use crate::memory::filled;
use crate::{Error, Stored, Tensor};

use super::build::Merge;
use super::columns::Columns;
use super::declared::Declared;
use super::validate::Structure;

mod coordinates;
mod groups;
mod order;
mod values;

use groups::Groups;

/// Returns whether entries can be packed in this format level by level. `may_keep` permits the
/// format to keep entries as they are given.
pub(super) fn suits<F: Format>(may_keep: bool) -> bool {
    let format = Declared::of::<F>();
    let keeps = format.keeps_entries() && may_keep;
    let mut depth = 0;
    format.kinds.iter().zip(format.map.levels).enumerate().all(|(level, (kind, map))| {
        let LevelMap { properties, .. } = map;
        depth = format.node_depth(level, depth);
        // Entries of one node of a unique level that repeats it for levels below are refused.
        let repeats = properties.unique && depth > level + 1;
        let is_listed = depth == level + 1 && !keeps || kind.list || kind.branchless;
        properties.padded && !repeats && is_listed
    })
}

/// Packs entries in a format that this [suits]. Returns `None` if the method does not apply to
/// them, or if they are to be refused.
pub(super) fn pack<V: Stored, F: Format>(
    shape: F::Shape,
    columns: Columns<'_, V>,
    merge: Merge<'_, V::Value>,
) -> Option<Tensor<V, F>> {
    let format = Declared::of::<F>();
    let axes = format.axes(shape.as_ref()).ok()?;
    let (mut placing, vals, may_repeat) = start(format, axes, columns, merge)?;
    let levels = F::Levels::collect(&mut placing).ok()?;
    let Placing { axes, positions, parents, .. } = placing;
    let vals = values::place(&positions, vals, parents, F::FILL, may_repeat.then_some(merge))?;
    let structure =
        Structure { format: &format, shape: shape.as_ref(), levels: &levels.views(), axes: &axes };
    structure.validate_branchless().ok()?;
    Some(Tensor { shape, levels, vals })
}

/// Orders and counts entries as the format requires it. Returns the source of levels, the values,
/// and whether entries may have the same coordinates.
fn start<'a, V: Stored>(
    format: Declared,
    mut axes: Axes,
    mut columns: Columns<'a, V>,
    merge: Merge<'_, V::Value>,
) -> Option<(Placing<'a>, Cow<'a, [V]>, bool)> {
    let count = columns.vals.len();
    u32::try_from(count).ok()?;
    let keeps = format.keeps_entries() && merge.may_keep();
    let counted = format.map.levels.iter().find_map(|map| map.expr.counted());
    let repeats = (0..format.kinds.len()).any(|level| format.node_depth(level, 0) > level + 1);
    if !keeps && (counted.is_some() || repeats) {
        columns = order::sorted(&format, &axes, columns, merge)?;
    }
    let Columns { dimensions, vals, may_repeat } = columns;
    let counts = match counted {
        Some(dimension) => order::counts(&dimensions[dimension])?,
        None => Vec::new(),
    };
    let most = counts.iter().max().map(|most| *most as usize);
    for (axis, map) in axes.iter_mut().zip(format.map.levels).filter(|(axis, _)| axis.counted) {
        axis.size = most.map_or(0, |most| map.expr.number(&[], most) + 1);
    }
    let positions = filled(0, vals.len())?;
    let placing = Placing {
        format,
        axes,
        dimensions,
        counts,
        keeps,
        positions,
        level: 0,
        depth: 0,
        parents: 1,
    };
    Some((placing, vals, may_repeat && !keeps))
}

/// A source of levels for entries in any order.
struct Placing<'a> {
    format: Declared,
    axes: Axes,
    /// The coordinate of each entry, for each dimension.
    dimensions: Vec<Cow<'a, [u32]>>,
    /// The count of each entry, if a level counts entries.
    counts: Vec<u32>,
    /// `true` if each entry has nodes of its own.
    keeps: bool,
    /// The position of each entry's node at the level above.
    positions: Vec<u32>,
    /// The next level.
    level: usize,
    /// The number of coordinates that distinguish the nodes of the level above.
    depth: usize,
    /// The number of positions of the level above.
    parents: usize,
}

impl Placing<'_> {
    /// Returns the nodes of the next level, which `depth` coordinates distinguish, by their
    /// parents; replaces the position of each entry's parent by the number of its node.
    fn group(&mut self, depth: usize) -> Option<Groups> {
        let coords = coordinates::of_level(
            &self.format.map.levels[self.level].expr,
            &self.axes[self.level],
            &self.dimensions,
            &self.counts,
        )?;
        if self.keeps {
            return Groups::in_order(self.parents, &mut self.positions, &coords, |_| true);
        }
        if depth == self.level + 1 {
            let size = self.axes[self.level].size;
            return Groups::of(self.parents, size, &mut self.positions, coords);
        }
        // The entries are sorted.
        let levels: Option<Vec<_>> = (0..depth)
            .map(|level| {
                let (expr, axis) = (&self.format.map.levels[level].expr, &self.axes[level]);
                coordinates::of_level(expr, axis, &self.dimensions, &self.counts)
            })
            .collect();
        let levels = levels?;
        let begins = |entry: usize| levels.iter().any(|level| level[entry - 1] != level[entry]);
        Groups::in_order(self.parents, &mut self.positions, &coords, begins)
    }

    /// Returns the same as [`Level::insert`] for the next level.
    fn insert<L: Level>(&mut self) -> Option<Result<L, Fault>> {
        let (axis, expr) = (&self.axes[self.level], &self.format.map.levels[self.level].expr);
        let coords = coordinates::of_level(expr, axis, &self.dimensions, &self.counts)?;
        L::insert(axis, self.parents, &mut self.positions, &coords)
    }

    /// Replaces the number of each entry's node by the position of the node.
    fn assign(&mut self, positions: &[usize]) -> Option<()> {
        if positions.iter().enumerate().all(|(node, position)| node == *position) {
            return Some(());
        }
        let positions: Option<Vec<u32>> =
            positions.iter().map(|position| u32::try_from(*position).ok()).collect();
        let positions = positions?;
        for position in &mut self.positions {
            *position = positions[*position as usize];
        }
        Some(())
    }
}

impl LevelSource for Placing<'_> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let (name, number) = (self.format.name, self.level);
        let fault = |fault: Fault| fault.at(name, number, &[]);
        let depth = self.format.node_depth(self.level, self.depth);
        let level = match self.insert::<L>() {
            Some(level) => level.map_err(fault)?,
            None => {
                let groups = self.group(depth).ok_or(Fault::Size).map_err(fault)?;
                let axis = &self.axes[self.level];
                let mut list = groups.into_listing();
                match L::build_list(axis, &mut list) {
                    Some(level) => level.map_err(fault)?,
                    None => {
                        let (level, positions) =
                            L::build(axis, self.parents, groups::nodes(&list)).map_err(fault)?;
                        self.assign(&positions).ok_or(Fault::Size).map_err(fault)?;
                        level
                    }
                }
            }
        };
        let children = level.view().children(&self.axes[self.level], self.parents);
        self.parents = children.ok_or(Fault::Size).map_err(fault)?;
        (self.level, self.depth) = (self.level + 1, depth);
        Ok(level)
    }
}

#[cfg(test)]
mod tests;
