//! Looking at a tensor: entry by entry, and one entry at a time.

use crate::format::Shape;
use crate::level::{LevelViews, MAX_LEVELS, Node};
use crate::{Format, Stored, Tensor, Value};

use super::{Iter, View, axis, is_compact, is_fill, level_count, pads};

impl<'a, V: Stored, F: Format> View<'a, V, F> {
    /// The number of modes.
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// How many entries are stored, zeros included: as many as [`View::iter`] yields, which takes a pass to
    /// count where the format pads or a level has unused positions.
    pub fn stored(&self) -> usize {
        match is_compact::<F>(&self.shape) && !pads::<F>() {
            true => self.vals.len(),
            false => self.iter().count(),
        }
    }

    /// How many of the stored entries differ from the format's fill, which is zero mostly, counted in one pass.
    pub fn nnz(&self) -> usize {
        let fill = V::Value::filled(F::FILL);
        if is_compact::<F>(&self.shape) {
            return self.vals.iter().filter(|value| value.value() != fill).count();
        }
        self.iter().filter(|(_, value)| value.value() != fill).count()
    }

    /// Every stored entry, as coordinates and value, in storage order. In a format that pads (`dia`, `ell`,
    /// `structured`, dense levels below sparse ones), what equals the fill is padding and no entry.
    pub fn iter(&self) -> Iter<'a, V, F> {
        Iter::new(*self)
    }

    /// The value at a coordinate, the format's fill where none is stored and the sum where several are; `None`
    /// outside the shape.
    pub fn get(&self, coordinate: F::Shape) -> Option<V::Value> {
        let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
        let mut sum: Option<V::Value> = None;
        let inside = self.shape.contains(&coordinate);
        inside.then(|| {
            self.locate(coordinate, &mut |position| {
                let value = self.vals[position].value();
                // Padding may stand at the coordinate of an entry.
                if pads && is_fill(value, fill) {
                    return;
                }
                sum = Some(sum.map_or(value, |sum| sum.sum(value)));
            });
            sum.unwrap_or(fill)
        })
    }

    /// Whether an entry is stored at a coordinate, be it zero; padding is no entry.
    pub fn contains(&self, coordinate: F::Shape) -> bool {
        let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
        let mut found = false;
        if self.shape.contains(&coordinate) {
            self.locate(coordinate, &mut |position| {
                found |= !pads || !is_fill(self.vals[position].value(), fill);
            });
        }
        found
    }

    /// Calls a function with the position of every value stored at a coordinate inside the shape:
    /// a fold of `locate` over the levels.
    fn locate(&self, coordinate: F::Shape, found: &mut dyn FnMut(usize)) {
        self.locate_below(0, 0, coordinate.as_ref(), &mut [0; MAX_LEVELS], found);
    }

    /// Goes on below the node at a position, whose coordinates are the first ones of `coords`.
    fn locate_below(
        &self,
        level: usize,
        position: usize,
        entry: &[usize],
        coords: &mut [usize; MAX_LEVELS],
        found: &mut dyn FnMut(usize),
    ) {
        if level == level_count::<F>() {
            return found(position);
        }
        let Some(axis) = axis::<F>(&self.shape, level) else { return };
        let (storage, expr) = (self.levels.level(level), F::MAP.levels[level].expr);
        let sought = expr.number(entry, 0).wrapping_sub(axis.first as usize);
        let parent = Node { position, coords: &coords[..level] };
        // How manieth its entry is cannot be told, so a level that counts is searched through.
        let slots = if expr.is_counted() {
            storage.expand(&axis, parent)
        } else {
            storage.locate(&axis, parent, sought)
        };
        for slot in slots {
            let parent = Node { position, coords: &coords[..level] };
            if let Some((coordinate, child)) = storage.child(&axis, parent, slot)
                && (coordinate == sought || expr.is_counted())
            {
                coords[level] = coordinate;
                self.locate_below(level + 1, child, entry, coords, found);
            }
        }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// The number of modes.
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// How many entries are stored, zeros included: as many as [`Tensor::iter`] yields, which takes a pass to
    /// count where the format pads or a level has unused positions.
    pub fn stored(&self) -> usize {
        self.view().stored()
    }

    /// How many of the stored entries are not zero, counted in one pass.
    pub fn nnz(&self) -> usize {
        self.view().nnz()
    }

    /// Every stored entry, as coordinates and value, in storage order. In a format that pads (`dia`, `ell`,
    /// `structured`, dense levels below sparse ones), what equals the fill is padding and no entry.
    pub fn iter(&self) -> Iter<'_, V, F> {
        self.view().iter()
    }

    /// The value at a coordinate, zero where none is stored and the sum where several are; `None`
    /// outside the shape.
    pub fn get(&self, coordinate: F::Shape) -> Option<V::Value> {
        self.view().get(coordinate)
    }

    /// Whether an entry is stored at a coordinate, be it zero; padding is no entry.
    pub fn contains(&self, coordinate: F::Shape) -> bool {
        self.view().contains(coordinate)
    }
}

impl<'a, V: Stored, F: Format> IntoIterator for &'a Tensor<V, F> {
    type Item = (F::Shape, V);
    type IntoIter = Iter<'a, V, F>;

    fn into_iter(self) -> Iter<'a, V, F> {
        self.iter()
    }
}
