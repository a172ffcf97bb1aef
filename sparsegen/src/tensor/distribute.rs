//! Packing by counting sort: the entries of each node of the outer levels are counted, then moved
//! to their places.
//!
//! Entries of one node keep their order, which often is the order of the inner levels; otherwise
//! they are sorted. Converting rows to columns takes a single pass in this way, and converting a
//! sorted list to rows moves no entry.
//!
//! Formats are data here, so that nearly all of the code is compiled once for each type of values,
//! and not for each format. Where counting sort does not apply, or entries are to be refused,
//! general packing takes over, which reports errors.

use crate::format::{Format, LevelMap, Shape};
use crate::level::{Axes, Fault, Level, LevelSource, LevelView, Levels, Listing, MAX_LEVELS};
use crate::memory::filled;
use crate::{Error, Fill, Stored, Tensor};

use super::build::Merge;
use super::declared::Declared;
use super::radix::Radix;
use super::validate::Structure;

mod entries;
mod nodes;

pub(super) use entries::Source;

use entries::Entries;
use nodes::{Ends, Nodes, Parents, Positions};

/// Returns whether counting sort can pack entries in this format: whether its levels can be built
/// from entries sorted by all their coordinates. `may_keep` permits the format to keep entries as
/// they are given.
pub(super) fn suits<F: Format>(may_keep: bool) -> bool {
    let format = Declared::of::<F>();
    let keeps_entries = format.keeps_entries() && may_keep;
    !keeps_entries && are_sorted(&format)
}

fn are_sorted(format: &Declared) -> bool {
    let mut depth = 0;
    !format.kinds.is_empty()
        && format.kinds.iter().zip(format.map.levels).enumerate().all(
            |(level, (kind, LevelMap { expr, properties, .. }))| {
                depth = format.node_depth(level, depth);
                let repeats = properties.unique && depth > level + 1;
                kind.ordered && properties.padded && !expr.is_counted() && !repeats
            },
        )
}

/// Packs entries in a format that this [suits]. Returns `None` if counting sort does not apply to
/// them, or if they are to be refused.
pub(super) fn pack<V: Stored, F: Format>(
    shape: F::Shape,
    source: Source<'_, F::Shape, V>,
    merge: Merge<'_, V::Value>,
) -> Option<Tensor<V, F>> {
    let format = Declared::of::<F>();
    let axes = format.axes(shape.as_ref()).ok()?;
    let (mut building, vals) = start(format, axes, shape, source, merge)?;
    let levels = F::Levels::collect(&mut building).ok()?;
    let vals = place(building.nodes.positions, vals, building.parents, F::FILL)?;
    let structure =
        Structure { format: &format, shape: shape.as_ref(), levels: &levels.views(), axes: &axes };
    structure.validate_branchless().ok()?;
    Some(Tensor { shape, levels, vals })
}

/// Sorts entries for building levels; returns the builder and the sorted values.
fn start<S: Shape, V: Stored>(
    format: Declared,
    axes: Axes,
    shape: S,
    source: Source<'_, S, V>,
    merge: Merge<'_, V::Value>,
) -> Option<(Building, Vec<V>)> {
    // Counting takes time for every node, with or without entries.
    let radix = Radix::of(&format.map, format.kinds, &axes, source.count().checked_mul(4)?)?;
    let Entries { ends, low, vals } = source.sorted(&shape, &radix, merge)?;
    let root = Nodes { ends: Ends::Listed(vec![low.len() as u32]), positions: Positions::Numbered };
    let count = low.len();
    let building = Building {
        format,
        axes,
        radix,
        ends,
        low,
        count,
        level: 0,
        depth: 0,
        nodes: root,
        is_every: true,
        parents: 1,
    };
    Some((building, vals))
}

/// Returns an array of `count` values with each value at the position of its entry.
fn place<V: Stored>(
    positions: Positions,
    vals: Vec<V>,
    count: usize,
    fill: Fill,
) -> Option<Vec<V>> {
    match positions {
        Positions::Numbered => (vals.len() == count).then_some(vals),
        Positions::Listed(positions) => {
            let mut places = filled(V::filler(fill), count)?;
            for (position, value) in positions.into_iter().zip(vals) {
                places[position] = value;
            }
            Some(places)
        }
    }
}

/// A source of levels for sorted entries.
struct Building {
    format: Declared,
    axes: Axes,
    radix: Radix,
    /// The end of the entries of each bucket.
    ends: Vec<u32>,
    /// The number of each entry's coordinates at the inner levels.
    low: Vec<u32>,
    /// The number of entries.
    count: usize,
    /// The next level.
    level: usize,
    /// The number of coordinates that distinguish the nodes of the level above.
    depth: usize,
    /// The nodes of the level above.
    nodes: Nodes,
    /// `true` if these are all nodes of the outer levels, with or without entries.
    is_every: bool,
    /// The number of positions of the level above.
    parents: usize,
}

impl Building {
    /// Returns the coordinates of the nodes of the next level, which `depth` coordinates
    /// distinguish, and the ends of the entries below each of them.
    fn next_nodes(&mut self, depth: usize) -> (Vec<u32>, Ends) {
        let (count, outer) = (self.format.kinds.len(), self.radix.outer);
        let is_last = depth == count && self.level + 1 == count;
        if is_last && self.level >= outer && self.radix.is_lone(self.level) {
            return (std::mem::take(&mut self.low), Ends::Entries);
        }
        if let Some(nodes) = self.every_node(depth) {
            return nodes;
        }
        let (ends, low) = (&self.ends, &self.low);
        let unit = self.radix.unit(depth - 1);
        // Fast path: the divisor is usually 1, and division would take as long as the rest of the
        // loop.
        let prefix = |number: u32| if unit == 1 { number } else { (number as usize / unit) as u32 };
        let (mut crd, mut listed, mut last) = (Vec::new(), Vec::new(), None);
        if depth <= outer {
            let most = (ends.len() / unit.max(1)).min(low.len());
            crd.reserve_exact(most);
            listed.reserve_exact(most);
        } else if depth == count {
            crd.reserve_exact(low.len());
        }
        let mut start = 0;
        for (bucket, &end) in (0..).zip(ends) {
            if start == end {
                continue;
            }
            if depth <= outer {
                let prefix = Some(prefix(bucket));
                if prefix != last {
                    crd.push(self.coordinate(bucket, 0));
                    listed.push(end);
                } else if let Some(before) = listed.last_mut() {
                    *before = end;
                }
                last = prefix;
            } else if depth == count {
                let low = low[start as usize..end as usize].iter();
                crd.extend(low.map(|low| self.coordinate(bucket, *low)));
            } else {
                let mut last = None;
                for entry in start..end {
                    let number = low[entry as usize];
                    let prefix = Some(prefix(number));
                    if prefix != last {
                        crd.push(self.coordinate(bucket, number));
                        listed.push(entry + 1);
                    } else if let Some(before) = listed.last_mut() {
                        *before = entry + 1;
                    }
                    last = prefix;
                }
            }
            start = end;
        }
        let is_entries = depth > outer && depth == count;
        (crd, if is_entries { Ends::Entries } else { Ends::Listed(listed) })
    }

    /// Returns the same as [`Building::next_nodes`] if the level stores every node, so that
    /// positions are the numbers of the nodes. Does not apply to the last level, whose nodes are
    /// entries.
    fn every_node(&mut self, depth: usize) -> Option<(Vec<u32>, Ends)> {
        let is_inner = depth == self.level + 1 && depth < self.format.kinds.len();
        self.is_every &=
            self.format.kinds[self.level].full && is_inner && depth <= self.radix.outer;
        let unit = self.radix.unit(self.level);
        if !self.is_every || !self.ends.len().is_multiple_of(unit) {
            return None;
        }
        let crd = (0..self.ends.len() as u32).step_by(unit);
        let crd = crd.map(|bucket| self.coordinate(bucket, 0)).collect();
        Some((crd, Ends::Listed(self.ends.chunks(unit).map(|ends| ends[unit - 1]).collect())))
    }

    /// Returns the coordinate at the next level, which is below 2^32 as the size of its axis is.
    fn coordinate(&self, bucket: u32, low: u32) -> u32 {
        match &self.axes[self.level].diagonal {
            Some(diagonal) if self.format.kinds[self.level].is_derived() => {
                let mut coords = [0; MAX_LEVELS];
                for (level, coordinate) in coords.iter_mut().enumerate().take(self.level) {
                    *coordinate = self.radix.coordinate(level, bucket, low) as usize;
                }
                diagonal.coordinate(&coords[..self.level]).unwrap_or(0) as u32
            }
            Some(_) | None => self.radix.coordinate(self.level, bucket, low),
        }
    }

    /// Advances to the next level.
    fn descend(&mut self, depth: usize, nodes: Nodes, parents: usize) {
        (self.nodes, self.parents) = (nodes, parents);
        (self.level, self.depth) = (self.level + 1, depth);
    }
}

impl LevelSource for Building {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let depth = self.format.node_depth(self.level, self.depth);
        let (mut crd, ends) = self.next_nodes(depth);
        let (axis, count) = (&self.axes[self.level], self.parents);
        let parents = Parents { above: &self.nodes, below: &ends, entries: self.count, count };
        let fault = |fault: Fault| fault.at(self.format.name, self.level, &[]);
        let mut list = parents.listing(&L::KIND, &mut crd);
        let listed = list.as_mut().and_then(|list| L::build_list(axis, list));
        let (level, positions) = match listed {
            Some(level) => (level.map_err(fault)?, None),
            None => {
                let crd = list.map_or(crd, Listing::into_crd);
                let (level, positions) =
                    L::build(axis, count, parents.children(&crd)).map_err(fault)?;
                (level, Some(positions))
            }
        };
        let children = level.view().children(axis, count).ok_or(Fault::Size).map_err(fault)?;
        let positions = match positions {
            Some(positions) => {
                Positions::of(positions, children).ok_or_else(|| fault(Fault::Size))?
            }
            None => Positions::Numbered,
        };
        self.descend(depth, Nodes { ends, positions }, children);
        Ok(level)
    }
}

#[cfg(test)]
mod tests;
