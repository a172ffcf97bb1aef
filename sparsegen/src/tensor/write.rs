//! Changing single entries, and values in place.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::format::Shape;
use crate::{Duplicates, Error, Format, Stored, Tensor, Value};

use super::declared::Declared;
use super::pending::{Change, Pending};
use super::{IterMut, is_fill, is_full, level_count, pads};

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Stores a value at a coordinate, in place of the one that is stored there.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::zeros([1000, 1000])?;
    /// for i in 0..1000 {
    ///     a.insert([i, (7 * i) % 1000], 1.0)?;
    /// }
    /// a.insert([2, 14], 5.0)?;
    /// // The first read merges all of them in one pass.
    /// assert_eq!(a.nnz(), 1000);
    /// assert_eq!(a.get([2, 14]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes constant time, and the next read a pass over the tensor and all changes since the last
    /// one. If no changes are pending and the format finds the position of an entry (its levels are
    /// unique, and ordered or hashed), the value of a stored entry is replaced in place, in the time
    /// of [`Tensor::get`].
    ///
    /// Changes are merged at once, so that errors are reported here, in formats that refuse some
    /// sets of entries: those with a `structured` level, with narrow integers that may not hold the
    /// number of entries, or that might need more memory than there is, such as `ell` with many
    /// rows. [`Tensor::extend`] then takes one pass for all of its entries.
    ///
    /// # Errors
    /// [`Error::Coordinate`] if the coordinate is not within the shape; [`Error::Pack`],
    /// [`Error::Width`], [`Error::Size`] and [`Error::Level`] if the format cannot store the entry
    /// beside the others. The tensor is then unchanged.
    pub fn insert(&mut self, coordinate: F::Shape, value: V) -> Result<(), Error> {
        self.change(coordinate, Change::Put(value, Duplicates::Last))
    }

    /// Removes the entry at a coordinate, if there is one. Where the format stores every coordinate,
    /// the fill value is stored instead.
    ///
    /// ```
    /// use sparsegen::{Coo, Tensor};
    ///
    /// let entries = [([0, 1], 2.0), ([2, 3], 4.0)];
    /// let mut a = Tensor::<f64, Coo<2>>::from_triplets([3, 4], entries)?;
    /// a.remove([0, 1])?;
    /// a.remove([1, 1])?;
    /// assert!(a.iter().eq([([2, 3], 4.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes the same time as [`Tensor::insert`].
    ///
    /// # Errors
    /// [`Error::Coordinate`] if the coordinate is not within the shape, and [`Error::Level`] if an
    /// `unpadded` level would need padding in place of the entry.
    pub fn remove(&mut self, coordinate: F::Shape) -> Result<(), Error> {
        self.change(coordinate, Change::Remove)
    }

    /// Stores entries, and combines values at the same coordinate, stored or given, by a rule.
    ///
    /// ```
    /// use sparsegen::{Csr, Duplicates, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// a.extend([([0, 1], 0.5), ([1, 0], 1.0), ([1, 0], 1.0)], Duplicates::Sum)?;
    /// assert!(a.iter().eq([([0, 1], 2.5), ([1, 0], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes time proportional to the number of given entries, and the next read a pass over the
    /// tensor. Formats that refuse some sets of entries are changed at once, as described at
    /// [`Tensor::insert`], and [`Duplicates::Error`] is checked at once.
    ///
    /// # Errors
    /// The same as [`Tensor::insert`], and [`Error::Duplicate`] for [`Duplicates::Error`], or for a
    /// sum in a pattern. The tensor is then unchanged.
    pub fn extend(
        &mut self,
        entries: impl IntoIterator<Item = (F::Shape, V)>,
        duplicates: Duplicates,
    ) -> Result<(), Error> {
        let entries: Vec<_> = entries.into_iter().collect();
        entries.iter().try_for_each(|(coordinate, _)| self.check(coordinate))?;
        let put = |(coordinate, value)| (coordinate, Change::Put(value, duplicates));
        self.defer(entries.into_iter().map(put))
    }

    /// Returns the stored value at a coordinate for modification, or `None` if no entry is stored
    /// there. If the coordinate is repeated, this is the first of its values.
    ///
    /// ```
    /// use sparsegen::{Csc, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csc>::from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// *a.get_mut([0, 1]).unwrap() += 1.0;
    /// assert_eq!(a.get([0, 1]), Some(3.0));
    /// assert_eq!(a.get_mut([1, 1]), None);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Merges pending changes first; then takes the time of [`Tensor::get`]. In a format with an
    /// `unpadded` level, the caller must not write fill values, which is not checked.
    pub fn get_mut(&mut self, coordinate: F::Shape) -> Option<&mut V> {
        let position = self.position(coordinate)?;
        Some(&mut self.vals_mut()[position])
    }

    /// Returns the place of a coordinate: its stored value, or a place without an entry.
    ///
    /// ```
    /// use sparsegen::{Csr, Entry, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// for coordinate in [[0, 1], [1, 1]] {
    ///     match a.entry(coordinate)? {
    ///         Entry::Stored(value) => *value *= 10.0,
    ///         Entry::Vacant(place) => place.insert(1.0)?,
    ///     }
    /// }
    /// assert!(a.iter().eq([([0, 1], 20.0), ([1, 1], 1.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Merges pending changes first, so that a loop over vacant places takes a pass over the tensor
    /// for each; [`Tensor::extend`] and [`Tensor::insert`] do not.
    ///
    /// # Errors
    /// [`Error::Coordinate`] if the coordinate is not within the shape.
    pub fn entry(&mut self, coordinate: F::Shape) -> Result<Entry<'_, V, F>, Error> {
        self.check(&coordinate)?;
        Ok(match self.position(coordinate) {
            Some(position) => Entry::Stored(&mut self.vals_mut()[position]),
            None => Entry::Vacant(Vacant { tensor: self, coordinate }),
        })
    }

    /// Returns an iterator over the coordinates and values of the stored entries, in storage order,
    /// that allows to modify the values. Padding is not an entry.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// for ([i, j], value) in a.iter_mut() {
    ///     *value += (10 * i + j) as f64;
    /// }
    /// assert!(a.iter().eq([([0, 1], 3.0), ([1, 0], 13.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a pass over the values, and memory for a reference to each of them. In a format with an
    /// `unpadded` level, the caller must not write fill values, which is not checked;
    /// [`Tensor::vals_mut`] takes no memory.
    pub fn iter_mut(&mut self) -> IterMut<'_, V, F> {
        let shape = self.shape;
        let (levels, vals) = self.structure_and_vals();
        IterMut::new(shape, levels, vals)
    }

    /// Merges the changes since the last read into the arrays, in one pass over both. Reads do this
    /// as well, but then both the old and the new arrays stay in memory until the next change.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::zeros([2, 2])?;
    /// a.insert([0, 1], 1.0)?;
    /// a.flush();
    /// assert_eq!(a.vals(), [1.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn flush(&mut self) {
        self.merge_pending();
    }

    fn check(&self, coordinate: &F::Shape) -> Result<(), Error> {
        if self.shape.contains(coordinate) {
            return Ok(());
        }
        let (coordinate, shape) = (coordinate.as_ref().to_vec(), self.shape.as_ref().to_vec());
        Err(Error::Coordinate { format: F::NAME, coordinate, shape })
    }

    fn change(&mut self, coordinate: F::Shape, change: Change<V>) -> Result<(), Error> {
        self.check(&coordinate)?;
        if self.pending.as_ref().is_some_and(|pending| pending.is_merged()) {
            self.merge_pending();
        }
        if self.change_in_place(coordinate, change) {
            return Ok(());
        }
        self.defer(core::iter::once((coordinate, change)))
    }

    /// Makes a change that leaves the structure unchanged; returns whether it is one.
    fn change_in_place(&mut self, coordinate: F::Shape, change: Change<V>) -> bool {
        if self.pending.is_some() || !Declared::of::<F>().finds_positions() {
            return false;
        }
        let is_dense = (0..level_count::<F>()).all(is_full::<F>);
        match (self.position(coordinate), change) {
            (None, Change::Remove) => true,
            (None, Change::Put(..)) => false,
            (Some(position), Change::Remove) => {
                if is_dense {
                    self.arrays.vals[position] = V::filler(F::FILL);
                }
                is_dense
            }
            (Some(position), Change::Put(value, duplicates)) => {
                let place = &mut self.arrays.vals[position];
                *place = place.combine(value, |a, b| duplicates.combine(a, b));
                true
            }
        }
    }

    /// Adds changes inside the shape to the list of pending ones.
    fn defer(&mut self, changes: impl Iterator<Item = (F::Shape, Change<V>)>) -> Result<(), Error> {
        if self.pending.as_ref().is_some_and(|pending| pending.is_merged()) {
            self.merge_pending();
        }
        let pending = self.pending.get_or_insert_with(|| Box::new(Pending::new()));
        let added = pending.add(self.shape, &self.arrays, changes);
        if pending.is_merged() {
            self.merge_pending();
        }
        added
    }

    /// Returns the position of the first entry at a coordinate.
    fn position(&self, coordinate: F::Shape) -> Option<usize> {
        let mut first = None;
        let view = self.view();
        if view.shape.contains(&coordinate) {
            let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
            view.locate(coordinate, &mut |position| {
                let is_entry = !pads || !is_fill(view.vals[position].value(), fill);
                first = first.or(is_entry.then_some(position));
            });
        }
        first
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// Adds a value to the one at a coordinate, or stores it if no entry is stored there.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::zeros([2, 3])?;
    /// a.add_at([1, 2], 2.0)?;
    /// a.add_at([1, 2], 0.5)?;
    /// assert_eq!(a.get([1, 2]), Some(2.5));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes the same time as [`Tensor::insert`].
    ///
    /// # Errors
    /// The same as [`Tensor::insert`].
    pub fn add_at(&mut self, coordinate: F::Shape, value: V) -> Result<(), Error> {
        self.change(coordinate, Change::Put(value, Duplicates::Sum))
    }
}

/// The place of a coordinate in a tensor; created by [`Tensor::entry`].
pub enum Entry<'t, V, F: Format> {
    /// The value that is stored there, the first if the coordinate is repeated.
    Stored(&'t mut V),
    /// A place without an entry.
    Vacant(Vacant<'t, V, F>),
}

/// A place of a tensor without an entry; see [`Tensor::entry`].
pub struct Vacant<'t, V, F: Format> {
    tensor: &'t mut Tensor<V, F>,
    coordinate: F::Shape,
}

impl<V: Stored, F: Format> Vacant<'_, V, F> {
    /// Stores a value at the place, like [`Tensor::insert`].
    ///
    /// ```
    /// use sparsegen::{Csr, Entry, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::zeros([2, 2])?;
    /// if let Entry::Vacant(vacant) = a.entry([0, 1])? {
    ///     vacant.insert(5.0)?;
    /// }
    /// assert_eq!(a.get([0, 1]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::insert`].
    pub fn insert(self, value: V) -> Result<(), Error> {
        self.tensor.insert(self.coordinate, value)
    }
}
