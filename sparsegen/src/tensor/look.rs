//! Iterating over a tensor, and looking up single entries.

use crate::format::Shape;
use crate::level::{LevelViews, MAX_LEVELS, Node};
use crate::{Format, Stored, Tensor, Value};

use super::{Iter, View, axis, is_compact, is_fill, level_count, pads};

impl<'a, V: Stored, F: Format> View<'a, V, F> {
    /// Returns the number of modes.
    ///
    /// ```
    /// use sparsegen::{Csf, Tensor};
    ///
    /// let a = Tensor::<f64, Csf<3>>::zeros([2, 3, 4])?;
    /// assert_eq!(a.view().order(), 3);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// Returns the number of stored entries, zeros included, which is the number of items of
    /// [`View::iter`]. Takes a pass over them if the format pads or a level has unused positions.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 0.0)])?;
    /// assert_eq!(a.view().stored(), 2);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn stored(&self) -> usize {
        match is_compact::<F>(&self.shape) && !pads::<F>() {
            true => self.vals.len(),
            false => self.iter().count(),
        }
    }

    /// Returns the number of stored entries that differ from the fill value, which is zero by
    /// default. Takes one pass.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 0.0)])?;
    /// assert_eq!(a.view().nnz(), 1);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        let fill = V::Value::filled(F::FILL);
        if is_compact::<F>(&self.shape) {
            return self.vals.iter().filter(|value| !is_fill(value.value(), fill)).count();
        }
        self.iter().filter(|(_, value)| !is_fill(value.value(), fill)).count()
    }

    /// Returns an iterator over the coordinates and values of the stored entries, in storage order.
    /// In a format that pads (`dia`, `ell`, `structured`, dense levels below sparse ones), fill
    /// values are padding and not entries.
    ///
    /// ```
    /// use sparsegen::{Csc, Tensor};
    ///
    /// let a = Tensor::<f64, Csc>::from_triplets([2, 3], [([0, 2], 2.0), ([1, 0], 3.0)])?;
    /// assert!(a.view().iter().eq([([1, 0], 3.0), ([0, 2], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn iter(&self) -> Iter<'a, V, F> {
        Iter::new(*self)
    }

    /// Returns the value at a coordinate: the sum if it is stored several times, or the fill value
    /// if it is not stored. Returns `None` if the coordinate is not within the shape.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let at = |i, j| a.view().get([i, j]);
    /// assert_eq!((at(0, 1), at(0, 0), at(2, 0)), (Some(2.0), Some(0.0), None));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn get(&self, coordinate: F::Shape) -> Option<V::Value> {
        let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
        let mut sum: Option<V::Value> = None;
        let inside = self.shape.contains(&coordinate);
        inside.then(|| {
            self.locate(coordinate, &mut |position| {
                let value = self.vals[position].value();
                // Padding may have the coordinate of an entry.
                if pads && is_fill(value, fill) {
                    return;
                }
                sum = Some(sum.map_or(value, |sum| sum.sum(value)));
            });
            sum.unwrap_or(fill)
        })
    }

    /// Returns whether an entry is stored at a coordinate, even a zero; padding is not an entry.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 0.0)])?;
    /// assert!(a.view().contains([0, 1]) && !a.view().contains([0, 0]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
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

    /// Calls a function with the position of every value stored at a coordinate inside the shape,
    /// by folding `locate` over the levels.
    pub(super) fn locate(&self, coordinate: F::Shape, found: &mut dyn FnMut(usize)) {
        self.locate_below(0, 0, coordinate.as_ref(), &mut [0; MAX_LEVELS], found);
    }

    /// Continues the search below the node at a position; its coordinates are the first ones of
    /// `coords`.
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
        // The count of an entry does not follow from its coordinate, so a counting level is
        // scanned.
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
    /// Returns the number of modes.
    ///
    /// ```
    /// use sparsegen::{Csf, Tensor};
    ///
    /// let a = Tensor::<f64, Csf<3>>::zeros([2, 3, 4])?;
    /// assert_eq!(a.order(), 3);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn order(&self) -> usize {
        F::Shape::ORDER
    }

    /// Returns the number of stored entries, zeros included, which is the number of items of
    /// [`Tensor::iter`]. Takes a pass over them if the format pads or a level has unused positions.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 0.0)])?;
    /// assert_eq!(a.stored(), 2);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn stored(&self) -> usize {
        self.view().stored()
    }

    /// Returns the number of stored entries that differ from the fill value, which is zero by
    /// default. Takes one pass.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 0.0)])?;
    /// assert_eq!(a.nnz(), 1);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        self.view().nnz()
    }

    /// Returns whether the format determines which positions have entries, and not the values.
    #[cfg(feature = "mpi")]
    pub(crate) fn all_are_entries(&self) -> bool {
        !super::pads::<F>()
    }

    /// Returns the position of each entry, in the order of [`Tensor::iter`], or `None` if each position
    /// has one.
    #[cfg(feature = "mpi")]
    pub(crate) fn positions(&self) -> Option<Vec<usize>> {
        if self.all_are_entries() && super::is_compact::<F>(&self.shape) {
            return None;
        }
        let mut entries = self.iter();
        Some(core::iter::from_fn(|| Some(entries.next_position()?.0)).collect())
    }

    /// Returns the coordinates of the entries in the order of [`Tensor::iter`], as an array for each
    /// mode, if they fit 32 bits and can be listed level by level.
    #[cfg(feature = "mpi")]
    pub(crate) fn coordinates(&self) -> Option<Vec<Vec<u32>>> {
        use alloc::borrow::Cow;
        let view = self.view();
        let owned = |column: Cow<'_, [u32]>| match column {
            Cow::Owned(column) => column,
            Cow::Borrowed(column) => crate::memory::collect(column.iter().copied()),
        };
        let columns = super::columns::columns(&view)?;
        Some(columns.dimensions.into_iter().map(owned).collect())
    }

    /// Returns an iterator over the coordinates and values of the stored entries, in storage order.
    /// In a format that pads (`dia`, `ell`, `structured`, dense levels below sparse ones), fill
    /// values are padding and not entries.
    ///
    /// ```
    /// use sparsegen::{Csc, Tensor};
    ///
    /// let a = Tensor::<f64, Csc>::from_triplets([2, 3], [([0, 2], 2.0), ([1, 0], 3.0)])?;
    /// assert!(a.iter().eq([([1, 0], 3.0), ([0, 2], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn iter(&self) -> Iter<'_, V, F> {
        self.view().iter()
    }

    /// Returns the value at a coordinate: the sum if it is stored several times, or the fill value
    /// if it is not stored. Returns `None` if the coordinate is not within the shape.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let at = |i, j| a.get([i, j]);
    /// assert_eq!((at(0, 1), at(0, 0), at(2, 0)), (Some(2.0), Some(0.0), None));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn get(&self, coordinate: F::Shape) -> Option<V::Value> {
        self.view().get(coordinate)
    }

    /// Returns whether an entry is stored at a coordinate, even a zero; padding is not an entry.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 0.0)])?;
    /// assert!(a.contains([0, 1]) && !a.contains([0, 0]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
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
