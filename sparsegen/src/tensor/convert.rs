//! Conversion between formats, and from dense arrays.

use alloc::vec::Vec;

use crate::format::Shape;

use crate::{Error, Format, Stored, Tensor, Value, View};

use super::build::Merge;
use super::is_fill;
use super::repack::repack;

impl<V: Stored, F: Format> View<'_, V, F> {
    /// Converts the tensor to another format.
    ///
    /// Stored zeros stay entries, unless this format pads (`dia`, `ell`, `structured`, dense levels
    /// below sparse ones) and the zeros are its fill value. A dense tensor stores every coordinate;
    /// use [`Tensor::from_dense`] or [`Tensor::prune`] to store only the others.
    ///
    /// Takes a constant number of passes over the entries, in any pair of formats, built-in or
    /// declared: O(n + s) time for n entries and s positions of all levels of both tensors, if the
    /// operand is ordered. With values of 8 bytes, the memory in use, the result included, is at
    /// most twice the size of both tensors.
    ///
    /// ```
    /// use sparsegen::{Coo, Csr, Dense, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// assert!(a.view().to::<Coo<2>>()?.iter().eq(a.iter()));
    /// assert_eq!(a.view().to::<Dense<2>>()?.vals(), [0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::from_triplets`].
    pub fn to<G: Format<Shape = F::Shape>>(&self) -> Result<Tensor<V, G>, Error> {
        repack(self, Merge::SUM)
    }

    /// Converts the tensor like [`View::to`], but combines entries with the same coordinate by a
    /// function of the earlier and the later value instead of adding them. The result stores each
    /// coordinate once.
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
    /// The same as [`Tensor::from_triplets`].
    pub fn to_by<G: Format<Shape = F::Shape>>(
        &self,
        combine: impl Fn(V::Value, V::Value) -> V::Value,
    ) -> Result<Tensor<V, G>, Error> {
        repack(self, Merge::By(&combine))
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Converts the tensor to another format.
    ///
    /// Stored zeros stay entries, unless this format pads (`dia`, `ell`, `structured`, dense levels
    /// below sparse ones) and the zeros are its fill value. A dense tensor stores every coordinate;
    /// use [`Tensor::from_dense`] or [`Tensor::prune`] to store only the others.
    ///
    /// Takes a constant number of passes over the entries, in any pair of formats, built-in or
    /// declared: O(n + s) time for n entries and s positions of all levels of both tensors, if the
    /// operand is ordered. With values of 8 bytes, the memory in use, the result included, is at
    /// most twice the size of both tensors.
    ///
    /// ```
    /// use sparsegen::{Csr, Dia, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let diagonals = a.to::<Dia>()?;
    /// assert_eq!(diagonals.levels().0.crd, [1]);
    /// assert!(diagonals.iter().eq(a.iter()));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::from_triplets`].
    pub fn to<G: Format<Shape = F::Shape>>(&self) -> Result<Tensor<V, G>, Error> {
        self.view().to()
    }

    /// Converts the tensor like [`Tensor::to`], but combines entries with the same coordinate by a
    /// function of the earlier and the later value instead of adding them. The result stores each
    /// coordinate once.
    ///
    /// ```
    /// use sparsegen::{Coo, CooUnordered, Tensor};
    ///
    /// let parallel = [([0, 1], 3), ([0, 1], 7)];
    /// let parallel = Tensor::<i32, CooUnordered<2>>::from_triplets([2, 2], parallel)?;
    /// assert_eq!(parallel.to_by::<Coo<2>>(i32::max)?.vals(), [7]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::from_triplets`].
    pub fn to_by<G: Format<Shape = F::Shape>>(
        &self,
        combine: impl Fn(V::Value, V::Value) -> V::Value,
    ) -> Result<Tensor<V, G>, Error> {
        self.view().to_by(combine)
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// Creates a tensor from the values at all coordinates, in row-major order. It stores those
    /// that differ from the fill value of the format.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_dense([2, 3], &[0.0, 2.0, 0.0, 0.0, 0.0, 3.0])?;
    /// assert!(a.iter().eq([([0, 1], 2.0), ([1, 2], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parts`] if the number of values is not the product of the extents; otherwise the
    /// same as [`Tensor::from_triplets`].
    pub fn from_dense(shape: F::Shape, values: &[V]) -> Result<Self, Error> {
        let extents = shape.as_ref();
        let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent));
        if count != Some(values.len()) {
            let reason = format!("there are {} values for shape {extents:?}", values.len());
            return Err(Error::Parts { format: F::NAME, reason });
        }
        let fill = V::filled(F::FILL);
        let entries = values.iter().enumerate().filter(|(_, value)| !is_fill(**value, fill));
        let entries = entries.map(|(index, value)| (coordinate_of(index, extents), *value));
        Tensor::from_triplets(shape, entries)
    }
}

impl<V: Value, F: Format<Shape = [usize; 2]>> Tensor<V, F> {
    /// Creates the identity matrix.
    ///
    /// ```
    /// use sparsegen::{Dia, Tensor};
    ///
    /// let identity = Tensor::<f64, Dia>::eye(3)?;
    /// assert_eq!((identity.get([2, 2]), identity.get([2, 1])), (Some(1.0), Some(0.0)));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::zeros`].
    pub fn eye(size: usize) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let too_large = |_| Error::Size { format: F::NAME, shape: vec![size; 2] };
        entries.try_reserve_exact(size).map_err(too_large)?;
        entries.extend((0..size).map(|index| ([index; 2], V::ONE)));
        Tensor::from_triplets([size; 2], entries)
    }
}

/// Returns the coordinate with this number in row-major order.
pub(super) fn coordinate_of<S: Shape>(mut number: usize, extents: &[usize]) -> S {
    let mut coordinate = S::splat(0);
    for (coordinate, extent) in coordinate.as_mut().iter_mut().zip(extents).rev() {
        *coordinate = number % extent;
        number /= extent;
    }
    coordinate
}
