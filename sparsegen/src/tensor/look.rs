//! Looking at a tensor: entry by entry, and one entry at a time.

use crate::format::Shape;
use crate::level::{LevelViews, MAX_LEVELS, Node};
use crate::{Format, Tensor, Value};

use super::{Iter, View, axis, level_coords, level_count};

impl<'a, V: Value, F: Format> View<'a, V, F> {
    /// The number of modes.
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// How many values are stored, zeros and padding included.
    pub fn stored(&self) -> usize {
        self.vals.len()
    }

    /// How many of the stored values are not zero, counted in one pass.
    pub fn nnz(&self) -> usize {
        self.vals.iter().filter(|value| !value.is_zero()).count()
    }

    /// Every stored entry, as coordinates and value, in storage order.
    pub fn iter(&self) -> Iter<'a, V, F> {
        Iter::new(*self)
    }

    /// The value at a coordinate, zero where none is stored and the sum where several are; `None`
    /// outside the shape.
    pub fn get(&self, coordinate: F::Shape) -> Option<V> {
        let mut sum = V::zero();
        let inside = self.shape.contains(&coordinate);
        inside.then(|| {
            self.locate(coordinate, &mut |position| sum = sum + self.vals[position]);
            sum
        })
    }

    /// Whether an entry is stored at a coordinate, be it zero.
    pub fn contains(&self, coordinate: F::Shape) -> bool {
        let mut found = false;
        if self.shape.contains(&coordinate) {
            self.locate(coordinate, &mut |_| found = true);
        }
        found
    }

    /// Calls a function with the position of every value stored at a coordinate inside the shape:
    /// a fold of `locate` over the levels.
    fn locate(&self, coordinate: F::Shape, found: &mut dyn FnMut(usize)) {
        let mut coords = [0; MAX_LEVELS];
        for (level, at_level) in coords.iter_mut().zip(level_coords::<F>(&coordinate)) {
            *level = at_level;
        }
        self.locate_below(0, 0, &coords[..level_count::<F>()], found);
    }

    fn locate_below(
        &self,
        level: usize,
        position: usize,
        coords: &[usize],
        found: &mut dyn FnMut(usize),
    ) {
        if level == coords.len() {
            return found(position);
        }
        let storage = self.levels.level(level);
        let parent = Node { position, coords: &coords[..level] };
        for slot in storage.locate(parent, coords[level], &axis::<F>(&self.shape, level)) {
            if let Some((coordinate, child)) = storage.child(parent, slot)
                && coordinate == coords[level]
            {
                self.locate_below(level + 1, child, coords, found);
            }
        }
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// The number of modes.
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// How many values are stored, zeros and padding included.
    pub fn stored(&self) -> usize {
        self.view().stored()
    }

    /// How many of the stored values are not zero, counted in one pass.
    pub fn nnz(&self) -> usize {
        self.view().nnz()
    }

    /// Every stored entry, as coordinates and value, in storage order.
    pub fn iter(&self) -> Iter<'_, V, F> {
        self.view().iter()
    }

    /// The value at a coordinate, zero where none is stored and the sum where several are; `None`
    /// outside the shape.
    pub fn get(&self, coordinate: F::Shape) -> Option<V> {
        self.view().get(coordinate)
    }

    /// Whether an entry is stored at a coordinate, be it zero.
    pub fn contains(&self, coordinate: F::Shape) -> bool {
        self.view().contains(coordinate)
    }
}

impl<'a, V: Value, F: Format> IntoIterator for &'a Tensor<V, F> {
    type Item = (F::Shape, V);
    type IntoIter = Iter<'a, V, F>;

    fn into_iter(self) -> Iter<'a, V, F> {
        self.iter()
    }
}
