//! Converting: between formats, and from arrays that store everything.

use crate::format::Shape;

use crate::{Error, Format, Stored, Tensor, Value, View};

use super::build::Merge;
use super::repack::repack;

impl<V: Stored, F: Format> View<'_, V, F> {
    /// The same tensor in another format.
    ///
    /// Stored zeros stay entries, unless this format pads (`dia`, `ell`, `structured`, dense levels below
    /// sparse ones): what equals the fill is padding there. A dense tensor stores every coordinate; see
    /// [`Tensor::from_dense`] and [`Tensor::prune`] for the others alone. Takes linear time from rows to columns and back, and wherever entries come in
    /// the order of the other format's innermost level; otherwise as [`Tensor::from_triplets`].
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`].
    pub fn to<G: Format<Shape = F::Shape>>(&self) -> Result<Tensor<V, G>, Error> {
        repack(self, Merge::SUM)
    }

    /// As [`View::to`], but entries that share their coordinate are combined by a function of their
    /// values, the earlier one first, instead of added up. The result holds each coordinate once.
    ///
    /// ```
    /// use sparsegen::{CooUnordered, Csr, Tensor};
    ///
    /// let paths = [([0, 1], 3.0), ([0, 1], 2.0)];
    /// let all = Tensor::<f64, CooUnordered<2>>::from_triplets([2, 2], paths)?;
    /// assert_eq!(all.to::<Csr>()?.get([0, 1]), Some(5.0));
    /// assert_eq!(all.to_by::<Csr>(f64::min)?.get([0, 1]), Some(2.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`].
    pub fn to_by<G: Format<Shape = F::Shape>>(
        &self,
        combine: impl Fn(V::Value, V::Value) -> V::Value,
    ) -> Result<Tensor<V, G>, Error> {
        repack(self, Merge::By(&combine))
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// The same tensor in another format.
    ///
    /// Stored zeros stay entries, unless this format pads (`dia`, `ell`, `structured`, dense levels below
    /// sparse ones): what equals the fill is padding there. A dense tensor stores every coordinate; see
    /// [`Tensor::from_dense`] and [`Tensor::prune`] for the others alone. Takes linear time from rows to columns and back, and wherever entries come in
    /// the order of the other format's innermost level; otherwise as [`Tensor::from_triplets`].
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`].
    pub fn to<G: Format<Shape = F::Shape>>(&self) -> Result<Tensor<V, G>, Error> {
        self.view().to()
    }

    /// As [`Tensor::to`], but entries that share their coordinate are combined by a function of their
    /// values, the earlier one first, instead of added up. The result holds each coordinate once.
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`].
    pub fn to_by<G: Format<Shape = F::Shape>>(
        &self,
        combine: impl Fn(V::Value, V::Value) -> V::Value,
    ) -> Result<Tensor<V, G>, Error> {
        self.view().to_by(combine)
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// The tensor of the values that differ from the format's fill among `values`, which lists all of them in
    /// row-major order.
    ///
    /// # Errors
    /// [`Error::Parts`] where the number of values is not the product of the extents; otherwise as
    /// [`Tensor::from_triplets`].
    pub fn from_dense(shape: F::Shape, values: &[V]) -> Result<Self, Error> {
        let extents = shape.as_ref();
        let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent));
        if count != Some(values.len()) {
            let reason = format!("there are {} values for shape {extents:?}", values.len());
            return Err(Error::Parts { format: F::NAME, reason });
        }
        let fill = V::filled(F::FILL);
        let entries = values.iter().enumerate().filter(|(_, value)| **value != fill);
        let entries = entries.map(|(index, value)| (coordinate_of(index, extents), *value));
        Tensor::from_triplets(shape, entries)
    }
}

impl<V: Value, F: Format<Shape = [usize; 2]>> Tensor<V, F> {
    /// The identity matrix.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn eye(size: usize) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let too_large = |_| Error::Size { format: F::NAME, shape: vec![size; 2] };
        entries.try_reserve_exact(size).map_err(too_large)?;
        entries.extend((0..size).map(|index| ([index; 2], V::ONE)));
        Tensor::from_triplets([size; 2], entries)
    }
}

/// The coordinate of this number, in row-major order.
pub(super) fn coordinate_of<S: Shape>(mut number: usize, extents: &[usize]) -> S {
    let mut coordinate = S::splat(0);
    for (coordinate, extent) in coordinate.as_mut().iter_mut().zip(extents).rev() {
        *coordinate = number % extent;
        number /= extent;
    }
    coordinate
}
