//! Iteration: a fold of `expand` over the levels, one node at a time.

use alloc::vec::Vec;
use core::ops::Range;

use crate::level::{Axes, Axis, LevelViews, Levels, MAX_LEVELS, Node};
use crate::{Format, Stored, Value, View};

use super::{axes, entry, is_compact, is_fill, level_count, pads};

/// A depth-first traversal of the nodes at some depth of a hierarchy, in storage order.
///
/// It does not borrow the levels, which the caller passes to each step.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// The axes of the levels.
    axes: Axes,
    /// The number of levels that the traversal descends; at 0 it only visits the root.
    depth: usize,
    /// The level whose slots are being visited.
    level: usize,
    /// The remaining slots of each level, below the current node above.
    slots: [Range<usize>; MAX_LEVELS],
    /// The value that each level carries from slot to slot, see [`LevelView::next_child`].
    carried: [usize; MAX_LEVELS],
    /// The position at each depth, starting with the root.
    positions: [usize; MAX_LEVELS + 1],
    /// The coordinate at each level.
    coords: [usize; MAX_LEVELS],
    /// `true` if the traversal does not begin at the first slot of the outermost level, so that
    /// nothing is carried to it.
    is_part: bool,
}

impl Walk {
    pub(crate) fn new(levels: &(impl LevelViews + ?Sized), axes: Axes, depth: usize) -> Walk {
        let root = Node { position: 0, coords: &[] };
        // A traversal without levels has a single slot for the root.
        let first = if depth == 0 { 0..1 } else { levels.level(0).expand(&axes[0], root) };
        let mut slots = [const { 0..0 }; MAX_LEVELS];
        slots[0] = first;
        let (carried, coords) = ([0; MAX_LEVELS], [0; MAX_LEVELS]);
        let positions = [0; MAX_LEVELS + 1];
        Walk { axes, depth, level: 0, slots, carried, positions, coords, is_part: false }
    }

    /// Splits the remaining slots of the outermost level in two halves, and returns the traversal of
    /// the second one, if there are several slots and the traversal is between two of them.
    #[cfg(feature = "parallel")]
    fn split_off(&mut self) -> Option<Walk> {
        let Range { start, end } = self.slots[0].clone();
        if self.level > 0 || self.depth == 0 || end - start < 2 {
            return None;
        }
        let middle = start + (end - start) / 2;
        let mut second = self.clone();
        (self.slots[0].end, second.slots[0].start) = (middle, middle);
        second.is_part = true;
        Some(second)
    }

    /// Advances to the next node; returns its position.
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
                // The parent has no more children; continue with its next sibling.
                self.level = self.level.checked_sub(1)?;
                continue;
            };
            let carried = &mut self.carried[self.level];
            let child = match self.is_part && self.level == 0 {
                true => storage.child(axis, parent, slot),
                false => storage.next_child(axis, parent, slot, carried),
            };
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

    /// Returns the axes of the levels.
    #[inline]
    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    /// Returns the coordinates of the current node, one per level above and including its own.
    #[inline]
    pub(crate) fn coords(&self) -> &[usize] {
        &self.coords[..self.depth]
    }

    /// Returns the position of the ancestor of the current node at a level.
    pub(crate) fn position(&self, level: usize) -> usize {
        self.positions[level + 1]
    }
}

/// An iterator over the stored entries of a tensor, in storage order and without padding; created
/// by [`Tensor::iter`](crate::Tensor::iter).
#[derive(Clone)]
pub struct Iter<'a, V, F: Format> {
    view: View<'a, V, F>,
    walk: Walk,
    /// The largest number of entries that are left.
    left: usize,
    /// `true` if entries were split off, so that fewer may be left.
    is_part: bool,
}

impl<'a, V: Stored, F: Format> Iter<'a, V, F> {
    pub(super) fn new(view: View<'a, V, F>) -> Self {
        // The axes are not used if there are no values.
        let axes = axes::<F>(&view.shape).unwrap_or([Axis::NONE; MAX_LEVELS]);
        Iter {
            view,
            walk: Walk::new(&view.levels, axes, level_count::<F>()),
            left: view.vals.len(),
            is_part: false,
        }
    }
}

impl<V: Stored, F: Format> Iter<'_, V, F> {
    /// Splits the remaining entries at a coordinate of the outermost level; returns the second half.
    #[cfg(feature = "parallel")]
    pub(super) fn split_off(&mut self) -> Option<Self> {
        let walk = self.walk.split_off()?;
        self.is_part = true;
        Some(Iter { walk, ..self.clone() })
    }

    /// Advances to the next entry; returns its position, coordinate and value.
    #[inline]
    pub(super) fn next_position(&mut self) -> Option<(usize, F::Shape, V)> {
        // Dense levels above an empty level may have many nodes, but no entries below them.
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
                self.left = self.left.saturating_sub(1);
                return Some((position, entry, value));
            }
        }
    }
}

impl<V: Stored, F: Format> Iterator for Iter<'_, V, F> {
    type Item = (F::Shape, V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_position().map(|(_, coordinate, value)| (coordinate, value))
    }

    /// Returns the exact number of entries, unless the format pads or has unused positions.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let is_exact = is_compact::<F>(&self.view.shape) && !pads::<F>() && !self.is_part;
        (if is_exact { self.left } else { 0 }, Some(self.left))
    }
}

impl<V: Stored, F: Format> core::iter::FusedIterator for Iter<'_, V, F> {}

/// An iterator over the stored entries of a tensor, in storage order and without padding, that
/// allows to modify the values; created by [`Tensor::iter_mut`](crate::Tensor::iter_mut).
pub struct IterMut<'t, V, F: Format> {
    shape: F::Shape,
    levels: <F::Levels as Levels>::Views<'t>,
    walk: Walk,
    /// The values that have not been visited, by position.
    vals: Vec<Option<&'t mut V>>,
}

impl<'t, V: Stored, F: Format> IterMut<'t, V, F> {
    pub(super) fn new(
        shape: F::Shape,
        levels: <F::Levels as Levels>::Views<'t>,
        vals: &'t mut [V],
    ) -> Self {
        // The axes are not used if there are no values.
        let axes = axes::<F>(&shape).unwrap_or([Axis::NONE; MAX_LEVELS]);
        let walk = Walk::new(&levels, axes, level_count::<F>());
        IterMut { shape, levels, walk, vals: vals.iter_mut().map(Some).collect() }
    }
}

impl<'t, V: Stored, F: Format> Iterator for IterMut<'t, V, F> {
    type Item = (F::Shape, &'t mut V);

    fn next(&mut self) -> Option<Self::Item> {
        // Dense levels above an empty level may have many nodes, but no entries below them.
        if self.vals.is_empty() {
            return None;
        }
        loop {
            let position = self.walk.next(&self.levels)?;
            let Some(value) = self.vals[position].take() else { continue };
            if pads::<F>() && is_fill(value.value(), V::Value::filled(F::FILL)) {
                continue;
            }
            let entry = entry::<F>(&self.shape, self.walk.axes(), self.walk.coords());
            if let Some(entry) = entry {
                return Some((entry, value));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.vals.len()))
    }
}

impl<V: Stored, F: Format> core::iter::FusedIterator for IterMut<'_, V, F> {}
