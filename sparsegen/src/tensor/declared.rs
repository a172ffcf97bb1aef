//! What a format declares, as data: what works with this is compiled once, and not for each format.

use crate::format::{Format, Map};
use crate::level::{Axes, Axis, Kind, Levels, MAX_LEVELS};
use crate::{Error, Fill};

use super::inverse;

/// What a format declares.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    pub(super) name: &'static str,
    pub(super) map: Map,
    pub(super) kinds: &'static [Kind],
    pub(super) fill: Fill,
}

impl Declared {
    /// What the format of a type declares.
    pub(super) fn of<F: Format>() -> Declared {
        inverse::<F>();
        Declared { name: F::NAME, map: F::MAP, kinds: F::Levels::KINDS, fill: F::FILL }
    }

    /// What the declaration and the shape say of every level.
    pub(super) fn axes(&self, shape: &[usize]) -> Result<Axes, Error> {
        let mut axes = [Axis::NONE; MAX_LEVELS];
        for (level, (place, kind)) in axes.iter_mut().zip(self.kinds).enumerate() {
            let too_large = || self.too_large(shape);
            *place = Axis::of(&self.map, kind, level, shape).ok_or_else(too_large)?;
        }
        Ok(axes)
    }

    /// That a tensor of this shape is too large.
    pub(super) fn too_large(&self, shape: &[usize]) -> Error {
        Error::Size { format: self.name, shape: shape.to_vec() }
    }

    /// Whether tensors keep entries as they are given, in any order and repeated: no level promises
    /// anything that would keep them from it.
    pub(super) fn keeps_entries(&self) -> bool {
        let levels = self.kinds.iter().zip(self.map.levels);
        !self.kinds.is_empty()
            && levels.into_iter().all(|(kind, map)| {
                let properties = map.properties;
                let is_ordered = properties.ordered && kind.ordered;
                kind.list && !is_ordered && !properties.unique && !properties.full
            })
    }

    /// Whether some level leaves out what is not needed.
    pub(super) fn is_unpadded(&self) -> bool {
        self.map.levels.iter().any(|map| !map.properties.padded)
    }

    /// How many coordinates tell the nodes of a level apart, if `above` do one level further out. Its
    /// own is the last of them, unless it is nonunique and branchless levels follow: then each node has
    /// one child, and a coordinate is repeated for as many as there are.
    pub(super) fn node_depth(&self, level: usize, above: usize) -> usize {
        let below = if self.map.levels[level].properties.unique {
            0
        } else {
            self.kinds[level + 1..].iter().take_while(|kind| kind.branchless).count()
        };
        above.max(level + 1 + below)
    }
}
