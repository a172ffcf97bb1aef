//! Validating: a fold of `validate` over the levels, and the invariants that span several of them.

use std::cmp::Ordering;

use crate::level::{Axis, Fault, LevelViews, Parents};
use crate::{Error, Format, Value, View};

use super::{Walk, axis, level_count};

/// Checks every invariant that the format declares.
pub(super) fn validate<V: Value, F: Format>(view: &View<'_, V, F>) -> Result<(), Error> {
    let mut count = 1;
    let mut crowd = Crowd { repeats: false, ordered: true };
    for level in 0..level_count::<F>() {
        let axis = axis::<F>(&view.shape, level);
        let parents = Parents::new(&view.levels, level, count);
        let storage = view.levels.level(level);
        count = storage
            .validate(&parents, &axis)
            .and_then(|children| crowd.validate(&view.levels, level, &axis).map(|()| children))
            .map_err(|fault| fault.at(F::NAME, level, view.shape.as_ref()))?;
        crowd.repeats |= !axis.properties.unique;
        crowd.ordered &= axis.properties.ordered;
    }
    if view.vals.len() != count {
        let (vals, format) = (view.vals.len(), F::NAME);
        let reason = format!("there are {vals} values for {count} positions of the last level");
        return Err(Error::Parts { format, reason });
    }
    validate_unpadded(view)
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
    fn validate(&self, levels: &impl LevelViews, level: usize, axis: &Axis) -> Result<(), Fault> {
        let properties = axis.properties;
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
        let mut walk = Walk::new(levels, level + 1);
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
pub(super) fn validate_unpadded<V: Value, F: Format>(view: &View<'_, V, F>) -> Result<(), Error> {
    let depth = level_count::<F>();
    let unpadded = |level: &usize| !F::MAP.levels[*level].properties.padded;
    for level in (0..depth).filter(unpadded) {
        let count = (0..=level).try_fold(1, |count, l| view.levels.level(l).children(count));
        let mut is_needed = vec![false; count.unwrap_or(0)];
        let mut leaves = Walk::new(&view.levels, depth);
        while let Some(position) = leaves.next(&view.levels) {
            if !view.vals[position].is_zero() {
                is_needed[leaves.position(level)] = true;
            }
        }
        let mut nodes = Walk::new(&view.levels, level + 1);
        while let Some(position) = nodes.next(&view.levels) {
            if !is_needed[position] {
                let reason = "only zeros are stored here, in an unpadded level".to_owned();
                let fault = Fault::Broken { index: position, reason };
                return Err(fault.at(F::NAME, level, view.shape.as_ref()));
            }
        }
    }
    Ok(())
}
