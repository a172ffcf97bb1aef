//! Iteration on several threads.

use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{Format, Stored, Tensor};

use super::{Iter, View};

/// A parallel iterator over the stored entries of a tensor, without padding.
///
/// Tensors and views return it from `par_iter` and `into_par_iter` of `rayon`'s traits, with the
/// feature `parallel`. Threads divide the coordinates of the outermost level, such as the rows of a
/// `csr` matrix, among them.
///
/// ```
/// use rayon::prelude::*;
/// use sparsegen::{Csr, Tensor};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
/// let weighted: f64 = a.par_iter().map(|([i, j], value)| (i + 2 * j) as f64 * value).sum();
/// assert_eq!(weighted, 7.0);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone)]
pub struct ParIter<'a, V, F: Format> {
    entries: Iter<'a, V, F>,
}

impl<'a, V: Stored, F: Format> ParallelIterator for ParIter<'a, V, F> {
    type Item = (F::Shape, V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(self, consumer)
    }
}

impl<V: Stored, F: Format> UnindexedProducer for ParIter<'_, V, F> {
    type Item = (F::Shape, V);

    fn split(mut self) -> (Self, Option<Self>) {
        let second = self.entries.split_off();
        (self, second.map(|entries| ParIter { entries }))
    }

    fn fold_with<T: Folder<Self::Item>>(self, folder: T) -> T {
        folder.consume_iter(self.entries)
    }
}

impl<'a, V: Stored, F: Format> IntoParallelIterator for View<'a, V, F> {
    type Iter = ParIter<'a, V, F>;
    type Item = (F::Shape, V);

    fn into_par_iter(self) -> ParIter<'a, V, F> {
        ParIter { entries: self.iter() }
    }
}

impl<'a, V: Stored, F: Format> IntoParallelIterator for &'a Tensor<V, F> {
    type Iter = ParIter<'a, V, F>;
    type Item = (F::Shape, V);

    fn into_par_iter(self) -> ParIter<'a, V, F> {
        self.view().into_par_iter()
    }
}
