//! Making tensors from entries.

use crate::{Error, Format, Stored, Tensor, Value};

use super::pack::pack;

/// What becomes of the values of entries that share their coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// They are added up, in the order in which they came.
    #[default]
    Sum,
    /// The first one counts.
    First,
    /// The last one counts.
    Last,
    /// The smallest one counts, as [`Value::compare`] sees it.
    Min,
    /// The largest one counts, as [`Value::compare`] sees it.
    Max,
    /// They are refused with [`Error::Duplicate`].
    Error,
}

impl Duplicates {
    /// Returns the value of two entries, one of which came before the other.
    fn combine<V: Value>(self, earlier: V, later: V) -> V {
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

/// How packing combines the values of entries that share their coordinate.
pub(crate) enum Merge<'f, V> {
    As(Duplicates),
    /// By a function of the earlier and the later value.
    By(&'f dyn Fn(V, V) -> V),
}

impl<V> Clone for Merge<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Merge<'_, V> {}

impl<V: Value> Merge<'_, V> {
    /// The plain sum.
    pub(crate) const SUM: Self = Merge::As(Duplicates::Sum);

    /// Returns whether a format that keeps entries as they are given may do so.
    pub(super) fn may_keep(self) -> bool {
        match self {
            Merge::As(duplicates) => duplicates == Duplicates::Sum,
            Merge::By(_) => false,
        }
    }

    /// Returns whether entries that share their coordinate are refused. A pattern can store no number
    /// but one.
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

    /// Returns the value of two entries, one of which came before the other.
    pub(super) fn combine(self, earlier: V, later: V) -> V {
        match self {
            Merge::As(duplicates) => duplicates.combine(earlier, later),
            Merge::By(combine) => combine(earlier, later),
        }
    }
}

/// A tensor in the making, to which entries are added in any order; made by [`Tensor::builder`].
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
    /// Says what becomes of entries that share their coordinate; without it they add up, or are
    /// kept as [`Tensor::from_triplets`] says.
    pub fn duplicates(self, duplicates: Duplicates) -> Self {
        Builder { duplicates, ..self }
    }

    /// Adds an entry. Whether it lies inside the shape is checked in the end.
    pub fn push(&mut self, coordinate: F::Shape, value: V) {
        self.entries.push((coordinate, value));
    }

    /// The tensor of all entries.
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`], and [`Error::Duplicate`] where that was asked for.
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
    /// A tensor of these extents in the making.
    pub fn builder(shape: F::Shape) -> Builder<V, F> {
        Builder { shape, entries: Vec::new(), duplicates: Duplicates::default() }
    }

    /// The tensor of these entries, in any order; those that share their coordinate add up. Zeros
    /// are stored like other values, unless a level is `unpadded`.
    ///
    /// A format that asks for nothing else, all of whose levels are lists declared `nonordered` and
    /// `nonunique` as those of [`CooUnordered`](crate::CooUnordered) are, keeps the entries as they
    /// are given: in their order, each by itself.
    ///
    /// Takes O(n log n) time for n entries, and O(n) where they come in storage order. Where the outer
    /// levels have no more than a few nodes for each entry, as the rows of most matrices, only
    /// entries below the same node are sorted among themselves, if they are not in order.
    ///
    /// # Errors
    /// [`Error::Coordinate`] where an entry lies outside the shape, [`Error::Pack`] where the
    /// format has no place for an entry, [`Error::Duplicate`] where entries of a
    /// [`Pattern`](crate::Pattern) would have to be added up, and those of [`Tensor::zeros`].
    pub fn from_triplets(
        shape: F::Shape,
        entries: impl IntoIterator<Item = (F::Shape, V)>,
    ) -> Result<Self, Error> {
        pack(shape, entries.into_iter().collect(), Merge::SUM)
    }
}
