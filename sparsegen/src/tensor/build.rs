//! Building tensors from entries.

use alloc::vec::Vec;

use crate::{Error, Format, Stored, Tensor, Value};

use super::pack::pack;

/// The rule for entries with the same coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Values are added in order.
    #[default]
    Sum,
    /// The first value is kept.
    First,
    /// The last value is kept.
    Last,
    /// The smallest value is kept, as ordered by [`Value::compare`].
    Min,
    /// The largest value is kept, as ordered by [`Value::compare`].
    Max,
    /// Duplicates are refused with [`Error::Duplicate`].
    Error,
}

impl Duplicates {
    /// Combines the values of two entries with the same coordinate.
    pub(super) fn combine<V: Value>(self, earlier: V, later: V) -> V {
        let is_less = |a: V, b: V| a.compare(b).is_some_and(|order| order.is_lt());
        match self {
            Duplicates::Sum => earlier.sum(later),
            Duplicates::First | Duplicates::Error => earlier,
            Duplicates::Last => later,
            Duplicates::Min if is_less(later, earlier) => later,
            Duplicates::Max if is_less(earlier, later) => later,
            Duplicates::Min | Duplicates::Max => earlier,
        }
    }
}

/// The way in which packing combines the values of entries with the same coordinate.
pub(crate) enum Merge<'f, V> {
    As(Duplicates),
    /// A function of the earlier and the later value.
    By(&'f dyn Fn(V, V) -> V),
}

impl<V> Clone for Merge<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Merge<'_, V> {}

impl<V: Value> Merge<'_, V> {
    /// Addition.
    pub(crate) const SUM: Self = Merge::As(Duplicates::Sum);

    /// Returns whether an unordered format may keep entries as they are given.
    pub(super) fn may_keep(self) -> bool {
        match self {
            Merge::As(duplicates) => duplicates == Duplicates::Sum,
            Merge::By(_) => false,
        }
    }

    /// Returns whether entries with the same coordinate are refused. A pattern cannot store their
    /// sum.
    pub(super) fn refuses(self, is_pattern: bool) -> bool {
        match self {
            Merge::As(Duplicates::Error) => true,
            Merge::As(Duplicates::Sum) => is_pattern,
            Merge::As(Duplicates::First | Duplicates::Last | Duplicates::Min | Duplicates::Max) => {
                false
            }
            Merge::By(combine) => is_pattern && combine(V::ONE, V::ONE) != V::ONE,
        }
    }

    /// Combines the values of two entries with the same coordinate.
    pub(super) fn combine(self, earlier: V, later: V) -> V {
        match self {
            Merge::As(duplicates) => duplicates.combine(earlier, later),
            Merge::By(combine) => combine(earlier, later),
        }
    }
}

/// A builder of a tensor, which collects entries in any order; created by [`Tensor::builder`].
///
/// ```
/// use sparsegen::{Csr, Duplicates, Tensor};
///
/// let mut builder = Tensor::<f64, Csr>::builder([2, 2]).duplicates(Duplicates::Max);
/// builder.push([1, 0], 3.0);
/// builder.push([1, 0], 5.0);
/// assert_eq!(builder.build()?.get([1, 0]), Some(5.0));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<V, F: Format> {
    shape: F::Shape,
    entries: Vec<(F::Shape, V)>,
    duplicates: Duplicates,
}

impl<V: Stored, F: Format> Builder<V, F> {
    /// Sets the rule for entries with the same coordinate. By default they are added, or kept as
    /// described at [`Tensor::from_triplets`].
    ///
    /// ```
    /// use sparsegen::{Csr, Duplicates, Tensor};
    ///
    /// let mut builder = Tensor::<f64, Csr>::builder([1, 2]).duplicates(Duplicates::Error);
    /// builder.push([0, 1], 1.0);
    /// builder.push([0, 1], 2.0);
    /// assert!(builder.build().is_err());
    /// ```
    pub fn duplicates(self, duplicates: Duplicates) -> Self {
        Builder { duplicates, ..self }
    }

    /// Adds an entry. [`Builder::build`] checks its coordinate.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut builder = Tensor::<f64, Csr>::builder([2, 2]);
    /// for i in 0..2 {
    ///     builder.push([i, i], 1.0);
    /// }
    /// assert_eq!(builder.build()?, Tensor::eye(2)?);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn push(&mut self, coordinate: F::Shape, value: V) {
        self.entries.push((coordinate, value));
    }

    /// Builds the tensor of all entries.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut builder = Tensor::<f64, Csr>::builder([2, 2]);
    /// builder.extend([([1, 0], 2.0), ([0, 1], 3.0)]);
    /// assert_eq!(builder.build()?.vals(), [3.0, 2.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::from_triplets`], and [`Error::Duplicate`] for [`Duplicates::Error`].
    pub fn build(self) -> Result<Tensor<V, F>, Error> {
        pack(self.shape, self.entries, Merge::As(self.duplicates))
    }
}

impl<V: Stored, F: Format> Extend<(F::Shape, V)> for Builder<V, F> {
    fn extend<I: IntoIterator<Item = (F::Shape, V)>>(&mut self, entries: I) {
        self.entries.extend(entries);
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Creates a builder of a tensor with these extents.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut builder = Tensor::<f64, Csr>::builder([2, 2]);
    /// builder.push([0, 1], 2.0);
    /// assert_eq!(builder.build()?.get([0, 1]), Some(2.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn builder(shape: F::Shape) -> Builder<V, F> {
        Builder { shape, entries: Vec::new(), duplicates: Duplicates::default() }
    }

    /// Creates a tensor from entries in any order; entries with the same coordinate are added.
    /// Zeros are stored like other values, unless a level is `unpadded`.
    ///
    /// A format whose levels are all lists declared `nonordered` and `nonunique`, such as
    /// [`CooUnordered`](crate::CooUnordered), keeps the entries as they are given: in their order,
    /// and without adding duplicates.
    ///
    /// Takes a constant number of passes over the entries, and O(n log n) time if the coordinates
    /// below the nodes of a level, such as those of a row, are in no order.
    ///
    /// ```
    /// use sparsegen::{CooUnordered, Csr, Tensor};
    ///
    /// let entries = [([1, 0], 2.0), ([0, 1], 3.0), ([1, 0], 4.0)];
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], entries)?;
    /// assert!(a.iter().eq([([0, 1], 3.0), ([1, 0], 6.0)]));
    /// let list = Tensor::<f64, CooUnordered<2>>::from_triplets([2, 2], entries)?;
    /// assert!(list.iter().eq(entries));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Coordinate`] if an entry is not within the shape, [`Error::Pack`] if the format
    /// cannot store an entry, [`Error::Duplicate`] if entries of a [`Pattern`](crate::Pattern) have
    /// the same coordinate, and the errors of [`Tensor::zeros`].
    pub fn from_triplets(
        shape: F::Shape,
        entries: impl IntoIterator<Item = (F::Shape, V)>,
    ) -> Result<Self, Error> {
        pack(shape, entries, Merge::SUM)
    }
}
