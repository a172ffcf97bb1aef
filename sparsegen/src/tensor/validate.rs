//! Validation: a fold of `validate` over the levels, and invariants that span several levels.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::level::{Axes, Fault, LevelViews, Node, Parents};
use crate::memory::filled;
use crate::{Error, Format, Stored, Value, View};

use super::declared::Declared;
use super::{Walk, check_values, is_fill};

/// Checks every invariant that the format declares.
pub(super) fn validate<V: Stored, F: Format>(view: &View<'_, V, F>) -> Result<(), Error> {
    check_values::<V, F>();
    let format = Declared::of::<F>();
    let (shape, vals) = (view.shape.as_ref(), view.vals);
    let axes = format.axes(shape)?;
    let structure = Structure { format: &format, shape, levels: &view.levels, axes: &axes };
    structure.validate(vals.len())?;
    structure.validate_unpadded(vals)
}

/// The structure of a tensor, independent of its type.
pub(super) struct Structure<'t> {
    pub(super) format: &'t Declared,
    pub(super) shape: &'t [usize],
    pub(super) levels: &'t dyn LevelViews,
    pub(super) axes: &'t Axes,
}

impl Structure<'_> {
    /// Checks all invariants that do not depend on the values; `vals` is the number of values.
    fn validate(&self, vals: usize) -> Result<(), Error> {
        let mut count = 1;
        for level in 0..self.format.kinds.len() {
            let parents = Parents::new(self.levels, self.axes, level, count);
            let children = self.levels.level(level).validate(&self.axes[level], &parents);
            count = children.map_err(|fault| self.error(level, fault))?;
        }
        if vals != count {
            let reason = format!("there are {vals} values for {count} positions of the last level");
            return Err(Error::Parts { format: self.format.name, reason });
        }
        self.validate_crowds()?;
        self.validate_branchless()
    }

    /// Checks the order and uniqueness of nodes with different parents.
    fn validate_crowds(&self) -> Result<(), Error> {
        let mut crowd = Crowd { repeats: false, ordered: true };
        for level in 0..self.format.kinds.len() {
            let valid = crowd.validate(self.levels, level, self.axes);
            valid.map_err(|fault| self.error(level, fault))?;
            let properties = self.axes[level].properties;
            crowd.repeats |= !properties.unique;
            crowd.ordered &= properties.ordered;
        }
        Ok(())
    }

    /// Checks that the child of each parent of a branchless level lies inside the dimension, if the
    /// level's storage cannot ensure it: if coordinates follow from those of outer levels, or if
    /// the dimension has size 0.
    pub(super) fn validate_branchless(&self) -> Result<(), Error> {
        for (level, kind) in self.format.kinds.iter().enumerate() {
            if kind.branchless && (kind.relative || self.axes[level].size == 0) {
                let valid = validate_children(self.levels, level, self.axes);
                valid.map_err(|fault| self.error(level, fault))?;
            }
        }
        Ok(())
    }

    /// Checks the same of a tensor that was packed, whose entries lie within the shape, so that only
    /// nodes without entries can violate it.
    pub(super) fn validate_padding(&self) -> Result<(), Error> {
        let pads = |level: usize| self.format.pads_branchless(level) || self.axes[level].size == 0;
        if (0..self.format.kinds.len()).any(pads) { self.validate_branchless() } else { Ok(()) }
    }

    /// Checks that each node of an `unpadded` level has a value below it that is not the fill
    /// value.
    pub(super) fn validate_unpadded<V: Stored>(&self, vals: &[V]) -> Result<(), Error> {
        let fill = V::Value::filled(self.format.fill);
        let depth = self.format.kinds.len();
        let mut count = Some(1);
        for (level, map) in self.format.map.levels.iter().enumerate() {
            let storage = self.levels.level(level);
            count = count.and_then(|count| storage.children(&self.axes[level], count));
            if map.properties.padded {
                continue;
            }
            let flags = count.and_then(|count| filled(false, count));
            let mut is_needed = flags.ok_or_else(|| self.error(level, Fault::Size))?;
            let mut leaves = Walk::new(self.levels, *self.axes, depth);
            while let Some(position) = leaves.next(self.levels) {
                if !is_fill(vals[position].value(), fill) {
                    is_needed[leaves.position(level)] = true;
                }
            }
            let mut nodes = Walk::new(self.levels, *self.axes, level + 1);
            while let Some(position) = nodes.next(self.levels) {
                if !is_needed[position] {
                    let reason = "only zeros are stored here, in an unpadded level".to_owned();
                    return Err(self.error(level, Fault::Broken { index: position, reason }));
                }
            }
        }
        Ok(())
    }

    fn error(&self, level: usize, fault: Fault) -> Error {
        fault.at(self.format.name, level, self.shape)
    }
}

fn validate_children(levels: &dyn LevelViews, level: usize, axes: &Axes) -> Result<(), Fault> {
    let (storage, axis) = (levels.level(level), &axes[level]);
    let mut parents = Walk::new(levels, *axes, level);
    while let Some(position) = parents.next(levels) {
        let parent = Node { position, coords: parents.coords() };
        if axis.size == 0 {
            let reason = "the level needs a coordinate under each coordinate of the level above, \
                          and the dimension has size 0";
            return Err(Fault::broken(position, reason));
        }
        let mut slots = storage.expand(axis, parent);
        if slots.any(|slot| storage.child(axis, parent, slot).is_none()) {
            let reason = "the coordinate that follows from those of outer levels lies outside the \
                          dimension; the level above must be a range, or one that does not pad";
            return Err(Fault::broken(position, reason));
        }
    }
    Ok(())
}

/// The properties of nodes of a level that have the same ancestor coordinates.
struct Crowd {
    /// `true` if such nodes may have different parents, because a level above is not unique.
    repeats: bool,
    /// `true` if such nodes are adjacent, because all levels above are ordered.
    ordered: bool,
}

impl Crowd {
    /// Checks the order and uniqueness of nodes with the same ancestor coordinates and different
    /// parents, which the level alone cannot check.
    fn validate(&self, levels: &dyn LevelViews, level: usize, axes: &Axes) -> Result<(), Fault> {
        let properties = axes[level].properties;
        if !self.repeats || !(properties.ordered || properties.unique) {
            return Ok(());
        }
        let mut last: Option<Vec<usize>> = None;
        let mut check = |coords: &[usize], position: usize| {
            let (above, here) = (&coords[..level], coords[level]);
            let before = last.as_ref().filter(|last| last[..level] == *above);
            let words = before.and_then(|last| match last[level].cmp(&here) {
                Ordering::Greater if properties.ordered => Some("is less than the one before it"),
                Ordering::Equal if properties.unique => Some("is repeated"),
                Ordering::Greater | Ordering::Equal | Ordering::Less => None,
            });
            match &mut last {
                Some(last) => last.copy_from_slice(coords),
                None => last = Some(coords.to_vec()),
            }
            match words {
                None => Ok(()),
                Some(words) => {
                    let reason = format!(
                        "coordinate {here} {words} below the coordinates {above:?}, which the \
                         level's properties exclude"
                    );
                    Err(Fault::Broken { index: position, reason })
                }
            }
        };
        let mut walk = Walk::new(levels, *axes, level + 1);
        if self.ordered && properties.ordered {
            while let Some(position) = walk.next(levels) {
                check(walk.coords(), position)?;
            }
            return Ok(());
        }
        // The nodes to compare are not adjacent: collect and sort them. The sort is stable if their
        // order matters.
        let (mut coords, mut positions) = (Vec::new(), Vec::new());
        while let Some(position) = walk.next(levels) {
            coords.extend_from_slice(walk.coords());
            positions.push(position);
        }
        let node = |index: usize| &coords[index * (level + 1)..][..level + 1];
        let compared = if properties.ordered { level } else { level + 1 };
        let mut sorted: Vec<usize> = (0..positions.len()).collect();
        sorted.sort_by(|&a, &b| node(a)[..compared].cmp(&node(b)[..compared]));
        sorted.iter().try_for_each(|&index| check(node(index), positions[index]))
    }
}
