//! The declaration of a format as data, so that the code that uses it is compiled once and not for
//! each format.

use crate::format::{Format, Inverse, LevelMap, Map};
use crate::level::{Axes, Axis, Kind, Levels, MAX_LEVELS};
use crate::{Error, Fill};

use super::inverse;

/// The declaration of a format.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    pub(super) name: &'static str,
    pub(super) map: Map,
    pub(super) inverse: &'static Inverse,
    pub(super) kinds: &'static [Kind],
    pub(super) fill: Fill,
}

impl Declared {
    /// Returns the declaration of a format.
    pub(super) fn of<F: Format>() -> Declared {
        Declared {
            name: F::NAME,
            map: F::MAP,
            inverse: inverse::<F>(),
            kinds: F::Levels::KINDS,
            fill: F::FILL,
        }
    }

    /// Returns the axes of all levels of a tensor of this shape.
    pub(super) fn axes(&self, shape: &[usize]) -> Result<Axes, Error> {
        let mut axes = [Axis::NONE; MAX_LEVELS];
        for (level, (place, kind)) in axes.iter_mut().zip(self.kinds).enumerate() {
            let too_large = || self.too_large(shape);
            *place = Axis::of(&self.map, kind, level, shape).ok_or_else(too_large)?;
        }
        Ok(axes)
    }

    /// Returns the error that a tensor of this shape is too large.
    pub(super) fn too_large(&self, shape: &[usize]) -> Error {
        Error::Size { format: self.name, shape: shape.to_vec() }
    }

    /// Returns whether tensors keep entries as they are given, unsorted and with duplicates:
    /// whether every level is a list declared nonordered and nonunique.
    pub(super) fn keeps_entries(&self) -> bool {
        let levels = self.kinds.iter().zip(self.map.levels);
        !self.kinds.is_empty()
            && levels.into_iter().all(|(kind, map)| {
                let properties = map.properties;
                let is_ordered = properties.ordered && kind.ordered;
                kind.list && !is_ordered && !properties.unique && !properties.full
            })
    }

    /// Returns whether packing may refuse entries of the values' kind, whatever their number: whether
    /// the properties of levels exclude some sets of entries.
    pub(super) fn may_refuse(&self, is_pattern: bool) -> bool {
        let levels = self.kinds.iter().zip(self.map.levels);
        let pads = levels.clone().any(|(kind, map)| kind.pads || map.properties.full);
        let repeats = levels.clone().any(|(_, map)| !map.properties.unique);
        let mut depth = 0;
        let differs = |(level, map): (usize, &LevelMap)| {
            depth = self.node_depth(level, depth);
            map.properties.unique && depth > level + 1
        };
        self.map.levels.iter().enumerate().any(differs)
            || (0..self.kinds.len()).any(|level| self.pads_branchless(level))
            || self.is_unpadded() && pads
            || is_pattern && repeats
    }

    /// Returns whether entries may have the same coordinate.
    pub(super) fn may_repeat(&self) -> bool {
        let kinds = self.kinds.iter().zip(self.map.levels);
        // Only the derived levels of a map repeat what others determine.
        let last = kinds.rev().find(|(kind, _)| !kind.is_derived());
        let is_unique = last.is_none_or(|(_, map)| map.properties.unique);
        !is_unique || self.map.levels.iter().any(|map| map.expr.is_counted())
    }

    /// Returns whether the position of an entry is found without a pass over others that share
    /// coordinates with it, and any value may be written to it.
    pub(super) fn finds_positions(&self) -> bool {
        self.kinds.iter().zip(self.map.levels).all(|(kind, map)| {
            let properties = map.properties;
            let is_found = properties.ordered || !kind.ordered;
            properties.unique && is_found && properties.padded
        })
    }

    /// Returns whether some level is `unpadded`.
    pub(super) fn is_unpadded(&self) -> bool {
        self.map.levels.iter().any(|map| !map.properties.padded)
    }

    /// Returns whether a relative and branchless level may have to pad: whether levels above it have
    /// nodes without entries that may lie outside of its dimension. Those of a range along the same
    /// diagonal lie within it.
    pub(super) fn pads_branchless(&self, level: usize) -> bool {
        if !self.kinds[level].is_derived() {
            return false;
        }
        let diagonal = |level: usize| self.map.diagonal(level).map(|(outer, _)| outer);
        for above in (0..level).rev() {
            let (kind, properties) = (&self.kinds[above], self.map.levels[above].properties);
            if kind.pads || kind.full || properties.full {
                if !kind.relative || diagonal(above) != diagonal(level) {
                    return true;
                }
            } else if !kind.branchless {
                // A node of this level has an entry below it.
                return false;
            }
        }
        false
    }

    /// Returns the number of coordinates that distinguish the nodes of a level, given the number
    /// for the level above. They include the node's own coordinate and, below a nonunique level,
    /// the coordinates at the branchless levels that follow, as such a level has a node for each of
    /// them.
    pub(super) fn node_depth(&self, level: usize, above: usize) -> usize {
        let below = if self.map.levels[level].properties.unique {
            0
        } else {
            self.kinds[level + 1..].iter().take_while(|kind| kind.branchless).count()
        };
        above.max(level + 1 + below)
    }
}
