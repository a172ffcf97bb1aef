//! Iterating: a fold of `expand` over the levels, one node at a time.

use std::ops::Range;

use crate::level::{Axes, Axis, LevelViews, MAX_LEVELS, Node};
use crate::{Format, Stored, Value, View};

use super::{axes, entry, is_fill, level_count, pads};

/// A walk through the nodes at some depth of a hierarchy, in storage order.
///
/// It does not hold the levels, so that it can stand beside them; each step is given them again.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// What is known of the levels beside their storage.
    axes: Axes,
    /// How many levels the walk descends; at 0 it meets only the root.
    depth: usize,
    /// The level whose slots it is going through.
    level: usize,
    /// The slots of each level that are left to visit, below the node above.
    slots: [Range<usize>; MAX_LEVELS],
    /// What each level carries along from slot to slot.
    carried: [usize; MAX_LEVELS],
    /// The position at each depth, beginning with the root's.
    positions: [usize; MAX_LEVELS + 1],
    /// The coordinate at each level.
    coords: [usize; MAX_LEVELS],
}

impl Walk {
    pub(crate) fn new(levels: &(impl LevelViews + ?Sized), axes: Axes, depth: usize) -> Walk {
        let root = Node { position: 0, coords: &[] };
        // Without levels to descend, a single slot stands for the root itself.
        let first = if depth == 0 { 0..1 } else { levels.level(0).expand(&axes[0], root) };
        let mut slots = [const { 0..0 }; MAX_LEVELS];
        slots[0] = first;
        let (carried, coords) = ([0; MAX_LEVELS], [0; MAX_LEVELS]);
        let positions = [0; MAX_LEVELS + 1];
        Walk { axes, depth, level: 0, slots, carried, positions, coords }
    }

    /// Steps to the next node; returns its position.
    #[inline]
    pub(crate) fn next(&mut self, levels: &(impl LevelViews + ?Sized)) -> Option<usize> {
        if self.depth == 0 {
            return self.slots[0].next();
        }
        loop {
            let (storage, axis) = (levels.level(self.level), &self.axes[self.level]);
            let (above, here) = self.coords.split_at_mut(self.level);
            let parent = Node { position: self.positions[self.level], coords: above };
            let Some(slot) = self.slots[self.level].next() else {
                // This parent has no more children: on with its next sibling.
                self.level = self.level.checked_sub(1)?;
                continue;
            };
            let carried = &mut self.carried[self.level];
            let child = storage.next_child(axis, parent, slot, carried);
            let Some((coordinate, position)) = child else { continue };
            here[0] = coordinate;
            self.positions[self.level + 1] = position;
            if self.level + 1 == self.depth {
                return Some(position);
            }
            self.level += 1;
            let node = Node { position, coords: &self.coords[..self.level] };
            self.slots[self.level] = levels.level(self.level).expand(&self.axes[self.level], node);
            self.carried[self.level] = 0;
        }
    }

    /// What is known of the levels beside their storage.
    #[inline]
    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    /// The coordinates of the node that the walk is at, one per level it descended.
    #[inline]
    pub(crate) fn coords(&self) -> &[usize] {
        &self.coords[..self.depth]
    }

    /// The position of the node's ancestor at a level.
    pub(crate) fn position(&self, level: usize) -> usize {
        self.positions[level + 1]
    }
}

/// The stored entries of a tensor, in storage order and without padding; made by [`Tensor::iter`](crate::Tensor::iter).
#[derive(Clone)]
pub struct Iter<'a, V, F: Format> {
    view: View<'a, V, F>,
    walk: Walk,
}

impl<'a, V: Stored, F: Format> Iter<'a, V, F> {
    pub(super) fn new(view: View<'a, V, F>) -> Self {
        // Without entries nothing is walked, so that it does not matter what the axes are.
        let axes = axes::<F>(&view.shape).unwrap_or([Axis::NONE; MAX_LEVELS]);
        Iter { view, walk: Walk::new(&view.levels, axes, level_count::<F>()) }
    }
}

impl<V: Stored, F: Format> Iterator for Iter<'_, V, F> {
    type Item = (F::Shape, V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // Dense levels above an empty one have nodes, however many, but no entries below them.
        if self.view.vals.is_empty() {
            return None;
        }
        loop {
            let position = self.walk.next(&self.view.levels)?;
            let value = self.view.vals[position];
            if pads::<F>() && is_fill(value.value(), V::Value::filled(F::FILL)) {
                continue;
            }
            let entry = entry::<F>(&self.view.shape, self.walk.axes(), self.walk.coords());
            if let Some(entry) = entry {
                return Some((entry, value));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.view.vals.len()))
    }
}

impl<V: Stored, F: Format> std::iter::FusedIterator for Iter<'_, V, F> {}
