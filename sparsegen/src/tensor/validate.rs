//! Validating: a fold of `validate` over the levels, and the invariants that span several of them.

use std::cmp::Ordering;

use crate::level::{Axes, Fault, LevelViews, Levels, Node, Parents};
use crate::memory::filled;
use crate::{Error, Format, Stored, Value, View};

use super::{Walk, axes, check_values, level_count};

/// Checks every invariant that the format declares.
pub(super) fn validate<V: Stored, F: Format>(view: &View<'_, V, F>) -> Result<(), Error> {
    check_values::<V, F>();
    let axes = axes::<F>(&view.shape)?;
    let mut count = 1;
    for (level, axis) in axes.iter().enumerate().take(level_count::<F>()) {
        let parents = Parents::new(&view.levels, &axes, level, count);
        let children = view.levels.level(level).validate(axis, &parents);
        count = children.map_err(|fault| fault.at(F::NAME, level, view.shape.as_ref()))?;
    }
    if view.vals.len() != count {
        let (vals, format) = (view.vals.len(), F::NAME);
        let reason = format!("there are {vals} values for {count} positions of the last level");
        return Err(Error::Parts { format, reason });
    }
    validate_crowds(view, &axes)?;
    validate_branchless(view, &axes)?;
    validate_unpadded(view, &axes)
}

/// Checks the order and the uniqueness of nodes that have different parents.
fn validate_crowds<V: Stored, F: Format>(view: &View<'_, V, F>, axes: &Axes) -> Result<(), Error> {
    let mut crowd = Crowd { repeats: false, ordered: true };
    for (level, axis) in axes.iter().enumerate().take(level_count::<F>()) {
        let valid = crowd.validate(&view.levels, level, axes);
        valid.map_err(|fault| fault.at(F::NAME, level, view.shape.as_ref()))?;
        crowd.repeats |= !axis.properties.unique;
        crowd.ordered &= axis.properties.ordered;
    }
    Ok(())
}

/// Checks that there is a child inside the dimension for each parent of a branchless level, where
/// the level's storage cannot tell: where coordinates follow from those of outer levels, and where
/// the dimension has none.
pub(super) fn validate_branchless<V: Stored, F: Format>(
    view: &View<'_, V, F>,
    axes: &Axes,
) -> Result<(), Error> {
    for (level, kind) in F::Levels::KINDS.iter().enumerate() {
        if kind.branchless && (kind.relative || axes[level].size == 0) {
            let valid = validate_children(&view.levels, level, axes);
            valid.map_err(|fault| fault.at(F::NAME, level, view.shape.as_ref()))?;
        }
    }
    Ok(())
}

fn validate_children(levels: &impl LevelViews, level: usize, axes: &Axes) -> Result<(), Fault> {
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

/// What the levels above one say about its nodes that share the coordinates of their ancestors.
struct Crowd {
    /// Such nodes may have different parents, as a level above is not unique.
    repeats: bool,
    /// Such nodes stand together, as all levels above are ordered.
    ordered: bool,
}

impl Crowd {
    /// Checks the order and the uniqueness of nodes that share the coordinates of their ancestors
    /// but not their parents, which the level by itself cannot see.
    fn validate(&self, levels: &impl LevelViews, level: usize, axes: &Axes) -> Result<(), Fault> {
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
                Ordering::Equal if properties.unique => Some("stands twice"),
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
        // The nodes to compare do not stand together: collect all and bring them together. Where
        // order counts, the sort must keep the one that they have.
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

/// Checks that each node of an `unpadded` level has a value below it that is not zero.
pub(super) fn validate_unpadded<V: Stored, F: Format>(
    view: &View<'_, V, F>,
    axes: &Axes,
) -> Result<(), Error> {
    let depth = level_count::<F>();
    let mut count = Some(1);
    for level in 0..depth {
        count = count.and_then(|count| view.levels.level(level).children(&axes[level], count));
        if F::MAP.levels[level].properties.padded {
            continue;
        }
        let fault = |fault: Fault| fault.at(F::NAME, level, view.shape.as_ref());
        let flags = count.and_then(|count| filled(false, count));
        let mut is_needed = flags.ok_or(Fault::Size).map_err(fault)?;
        let mut leaves = Walk::new(&view.levels, *axes, depth);
        while let Some(position) = leaves.next(&view.levels) {
            if view.vals[position].value() != V::Value::filled(F::FILL) {
                is_needed[leaves.position(level)] = true;
            }
        }
        let mut nodes = Walk::new(&view.levels, *axes, level + 1);
        while let Some(position) = nodes.next(&view.levels) {
            if !is_needed[position] {
                let reason = "only zeros are stored here, in an unpadded level".to_owned();
                return Err(fault(Fault::Broken { index: position, reason }));
            }
        }
    }
    Ok(())
}
