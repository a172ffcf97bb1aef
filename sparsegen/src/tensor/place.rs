//! Packing: a fold over the levels that computes the position of each entry, to which its value is
//! then moved.
//!
//! Entries keep the order in which they are given, and are arrays, one for each dimension. At a
//! level with a position for every coordinate, the position of an entry's node is computed from
//! that of its parent. At any other level, entries are [grouped](Groups) by their parents, and the
//! distinct coordinates of each group are counted, sorted and passed to [`Level::build`]. So rows
//! become columns, blocks or diagonals in a constant number of passes over the entries, without
//! sorting them. Only formats with levels that depend on the order of entries, because they count
//! them or repeat coordinates for each of them, need [sorted](order) entries. So many entries in no
//! order that their places exceed the cache are sorted too, which takes less time.
//!
//! Formats are data here, so that nearly all of the code is compiled once, and not for each format
//! or type of values. It serves conversions between all formats, built-in or declared, for whose
//! pair there is no [generated kernel](super::conversions). Where it does not apply, or entries are
//! to be refused, [general packing](super::pack) takes over, which reports errors.

use alloc::borrow::Cow;
use alloc::vec::Vec;

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
mod numbering;
mod order;
mod values;

use groups::Groups;

/// The number of entries above which they are sorted if they may be in no order: finding the place of
/// each takes longer once the places do not fit in cache.
const MANY: usize = if cfg!(test) { 100 } else { 1 << 21 };

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
    let (mut placing, vals, may_repeat) = start(format, shape.as_ref(), axes, columns, merge)?;
    let levels = F::Levels::collect(&mut placing).ok()?;
    let Placing { axes, positions, parents, .. } = placing;
    let vals = values::place(&positions, vals, parents, F::FILL, may_repeat.then_some(merge))?;
    let structure =
        Structure { format: &format, shape: shape.as_ref(), levels: &levels.views(), axes: &axes };
    structure.validate_padding().ok()?;
    Some(Tensor::of(shape, levels, vals))
}

/// Orders and counts entries as the format requires it. Returns the source of levels, the values,
/// and whether entries may have the same coordinates.
fn start<'a, V: Stored>(
    format: Declared,
    shape: &[usize],
    mut axes: Axes,
    mut columns: Columns<'a, V>,
    merge: Merge<'_, V::Value>,
) -> Option<(Placing<'a>, Cow<'a, [V]>, bool)> {
    let count = columns.vals.len();
    u32::try_from(count).ok()?;
    let keeps = format.keeps_entries() && merge.may_keep();
    let counted = format.map.levels.iter().find_map(|map| map.expr.counted());
    let repeats = (0..format.kinds.len()).any(|level| format.node_depth(level, 0) > level + 1);
    let is_scattered =
        columns.may_repeat && count > MANY && format.kinds.iter().any(|kind| kind.list);
    if !keeps && (counted.is_some() || repeats || is_scattered) {
        columns = order::sorted(&format, shape, &axes, columns, merge)?;
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
    /// Returns the coordinate of each entry at a level.
    fn coordinates(&self, level: usize) -> Option<Cow<'_, [u32]>> {
        let expr = &self.format.map.levels[level].expr;
        coordinates::of_level(expr, &self.axes[level], &self.dimensions, &self.counts)
    }

    /// Returns the nodes of the next level, which `depth` coordinates distinguish, by their
    /// parents. `places` holds the position of each entry's parent, and then the number of its node.
    fn group(&self, depth: usize, places: &mut Vec<u32>, coords: Cow<'_, [u32]>) -> Option<Groups> {
        if self.keeps || depth == self.format.kinds.len() && depth > self.level + 1 {
            // Entries are distinct, or each has nodes of its own.
            return Groups::of_each(self.parents, places, coords);
        }
        if depth == self.level + 1 {
            return Groups::of(self.parents, self.axes[self.level].size, places, coords);
        }
        // The entries are sorted.
        let levels: Option<Vec<_>> = (0..depth).map(|level| self.coordinates(level)).collect();
        let levels = levels?;
        let begins = |entry: usize| levels.iter().any(|level| level[entry - 1] != level[entry]);
        Groups::in_order(self.parents, places, &coords, begins)
    }

    /// Builds the next level; returns it with the position of each entry's node. `places` holds the
    /// position of each entry's parent.
    fn build<L: Level>(
        &self,
        depth: usize,
        mut places: Vec<u32>,
    ) -> Option<Result<(L, Vec<u32>), Fault>> {
        let axis = &self.axes[self.level];
        let coords = self.coordinates(self.level)?;
        let inserted = L::insert(axis, self.parents, &mut places, &coords);
        if let Some(level) = inserted {
            return Some(level.map(|level| (level, places)));
        }
        let mut list = self.group(depth, &mut places, coords)?.into_listing();
        if let Some(level) = L::build_list(axis, &mut list) {
            return Some(level.map(|level| (level, places)));
        }
        let (level, positions) = match L::build(axis, self.parents, groups::nodes(&list)) {
            Ok(built) => built,
            Err(fault) => return Some(Err(fault)),
        };
        Some(assign(&mut places, &positions).ok_or(Fault::Size).map(|()| (level, places)))
    }
}

/// Replaces the number of each entry's node by the position of the node.
fn assign(places: &mut [u32], positions: &[usize]) -> Option<()> {
    if positions.iter().enumerate().all(|(node, position)| node == *position) {
        return Some(());
    }
    let positions = positions.iter().map(|position| u32::try_from(*position).ok());
    let positions: Vec<u32> = positions.collect::<Option<_>>()?;
    places.iter_mut().for_each(|place| *place = positions[*place as usize]);
    Some(())
}

impl LevelSource for Placing<'_> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let depth = self.format.node_depth(self.level, self.depth);
        let places = core::mem::take(&mut self.positions);
        let built = self.build::<L>(depth, places).unwrap_or(Err(Fault::Size));
        let built = built.and_then(|(level, positions)| {
            let children = level.view().children(&self.axes[self.level], self.parents);
            Ok((level, positions, children.ok_or(Fault::Size)?))
        });
        let (level, positions, children) =
            built.map_err(|fault| fault.at(self.format.name, self.level, &[]))?;
        (self.positions, self.parents) = (positions, children);
        (self.level, self.depth) = (self.level + 1, depth);
        Ok(level)
    }
}

#[cfg(test)]
mod tests;
