//! Tensors from functions and from other tensors.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Mul;

use crate::format::Shape;
use crate::memory::has_room;
use crate::{Error, Format, Stored, Tensor, Value};

use super::repack::{coordinates, pack_over};
use super::reshape::check_mode;
use super::{Arrays, check_values, is_fill};

impl<V: Value, F: Format> Tensor<V, F> {
    /// Creates a tensor from the values of a function at all coordinates, in row-major order. It
    /// stores the values that differ from the fill value of the format.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let hilbert = Tensor::<f64, Csr>::from_fn([2, 2], |[i, j]| 1.0 / (i + j + 1) as f64)?;
    /// assert_eq!(hilbert.get([1, 1]), Some(1.0 / 3.0));
    /// let band = Tensor::<i32, Csr>::from_fn([4, 4], |[i, j]| i32::from(i.abs_diff(j) <= 1))?;
    /// assert_eq!(band.stored(), 10);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Calls the function once for each coordinate, stored or not; [`Tensor::from_triplets`] takes
    /// entries only.
    ///
    /// # Errors
    /// [`Error::Size`] if the number of coordinates exceeds `usize`, and the errors of
    /// [`Tensor::from_triplets`].
    pub fn from_fn(
        shape: F::Shape,
        mut function: impl FnMut(F::Shape) -> V,
    ) -> Result<Self, Error> {
        let fill = V::filled(F::FILL);
        let entries = coordinates::<F>(shape)?.map(|coordinate| (coordinate, function(coordinate)));
        Tensor::from_triplets(shape, entries.filter(|(_, value)| !is_fill(*value, fill)))
    }

    /// Returns the Kronecker product: the tensor whose extents are the products of the extents, and
    /// whose value at the coordinates `i * m + k`, for each mode, is the product of the values at
    /// `i` and at `k`, where `m` is the extent of `other`.
    ///
    /// ```
    /// use sparsegen::{Coo, Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// let b = Tensor::<f64, Coo<2>>::from_triplets([2, 3], [([0, 0], 5.0), ([1, 2], 7.0)])?;
    /// let product = a.kron(&b)?;
    /// assert_eq!(product.shape(), [4, 6]);
    /// assert!(product.iter().eq([([0, 3], 10.0), ([1, 5], 14.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The result has the format of the left operand. Does not compile for formats with a fill value
    /// other than zero. Takes time proportional to the number of entries of the result.
    ///
    /// # Errors
    /// [`Error::Size`] if an extent or the number of entries exceeds `usize` or memory, and the
    /// errors of [`Tensor::from_triplets`].
    pub fn kron<G: Format<Shape = F::Shape>>(&self, other: &Tensor<V, G>) -> Result<Self, Error>
    where
        V: Mul<Output = V>,
    {
        const {
            assert!(F::FILL.is_zero() && G::FILL.is_zero(), "factors that are not stored are zero");
        }
        let (extents, mut shape) = (other.shape, self.shape);
        for (extent, factor) in shape.as_mut().iter_mut().zip(extents.as_ref()) {
            let too_large = || Error::Size { format: F::NAME, shape: extents.as_ref().to_vec() };
            *extent = extent.checked_mul(*factor).ok_or_else(too_large)?;
        }
        let right: Vec<(F::Shape, V)> = other.iter().collect();
        let count = self.stored().checked_mul(right.len());
        if !count.is_some_and(has_room::<(F::Shape, V)>) {
            return Err(Error::Size { format: F::NAME, shape: shape.as_ref().to_vec() });
        }
        let entries = self.iter().flat_map(|(outer, a)| {
            right.iter().map(move |(inner, b)| {
                let mut coordinate = outer;
                let numbers = coordinate.as_mut().iter_mut().zip(inner.as_ref());
                for ((number, inner), extent) in numbers.zip(extents.as_ref()) {
                    *number = *number * extent + inner;
                }
                (coordinate, a * *b)
            })
        });
        Tensor::from_triplets(shape, entries)
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns the tensor with the same structure and, for each entry, the value that a function
    /// returns for its coordinate and value.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let signs = a.map(|[i, j], value| if i < j { value as i32 } else { -value as i32 });
    /// assert!(signs.iter().eq([([0, 1], 2), ([1, 0], -3)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes one pass; the two tensors share the arrays of their structure. Entries that are not
    /// stored, and padding, keep the fill value. In a format with an `unpadded` level, call
    /// [`Tensor::prune`] if the function may return zero. [`Tensor::map_vals`] needs no coordinates.
    pub fn map<W: Stored>(&self, mut function: impl FnMut(F::Shape, V) -> W) -> Tensor<W, F> {
        check_values::<W, F>();
        let Arrays { structure, vals } = self.arrays();
        let mut mapped = vec![W::filler(F::FILL); vals.len()];
        let mut entries = self.iter();
        while let Some((position, coordinate, value)) = entries.next_position() {
            mapped[position] = function(coordinate, value);
        }
        Tensor::sharing(self.shape, Arc::clone(structure), mapped)
    }

    /// Joins tensors along a mode: their coordinates of that mode follow those of the tensors before
    /// them.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([1, 2], [([0, 1], 2.0)])?;
    /// let b = Tensor::<f64, Csr>::from_triplets([2, 2], [([1, 0], 3.0)])?;
    /// let c = Tensor::concat(0, &[&a, &b])?;
    /// assert_eq!(c.shape(), [3, 2]);
    /// assert!(c.iter().eq([([0, 1], 2.0), ([2, 0], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries of all tensors.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are no tensors, if there is no such mode, or if the extents of
    /// another mode differ; [`Error::Size`] if the sum of the extents exceeds `usize`; and the errors
    /// of [`Tensor::from_triplets`].
    pub fn concat(mode: usize, tensors: &[&Self]) -> Result<Self, Error> {
        check_mode::<F>("concat", mode)?;
        let Some(first) = tensors.first() else { return Err(none("concat")) };
        let mut shape = first.shape;
        shape.as_mut()[mode] = 0;
        let mut entries = Vec::new();
        for tensor in tensors {
            let start = shape.as_ref()[mode];
            let mut others = tensor.shape;
            let extent = core::mem::replace(&mut others.as_mut()[mode], start);
            if others != shape {
                let reason = format!(
                    "the shapes {:?} and {:?} differ in another mode than {mode}",
                    first.shape, tensor.shape
                );
                return Err(Error::Argument { function: "concat", reason });
            }
            let too_large =
                || Error::Size { format: F::NAME, shape: tensor.shape.as_ref().to_vec() };
            shape.as_mut()[mode] = start.checked_add(extent).ok_or_else(too_large)?;
            entries.extend(tensor.iter().map(|(mut coordinate, value)| {
                coordinate.as_mut()[mode] += start;
                (coordinate, value)
            }));
        }
        pack_over(shape, entries, F::FILL)
    }

    /// Joins tensors of one shape along a new mode, which has a coordinate for each of them, in
    /// order. The mode is numbered `mode` in the result.
    ///
    /// ```
    /// use sparsegen::{Csr, SparseVector, Tensor};
    ///
    /// let a = Tensor::<f64, SparseVector>::from_triplets([3], [([1], 2.0)])?;
    /// let b = Tensor::<f64, SparseVector>::from_triplets([3], [([0], 3.0)])?;
    /// let rows = Tensor::stack::<Csr>(0, &[&a, &b])?;
    /// assert!(rows.iter().eq([([0, 1], 2.0), ([1, 0], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Does not compile if the order of `G` is not one more. Takes a constant number of passes over
    /// the entries of all tensors.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are no tensors, if their shapes differ, or if the result has no
    /// such mode; and the errors of [`Tensor::from_triplets`].
    pub fn stack<G: Format>(mode: usize, tensors: &[&Self]) -> Result<Tensor<V, G>, Error> {
        const { assert!(G::Shape::ORDER == F::Shape::ORDER + 1, "the result has one mode more") }
        check_mode::<G>("stack", mode)?;
        let Some(first) = tensors.first() else { return Err(none("stack")) };
        let with = |number: usize, others: F::Shape| {
            let (before, after) = others.as_ref().split_at(mode);
            let mut all = G::Shape::splat(number);
            all.as_mut()[..mode].copy_from_slice(before);
            all.as_mut()[mode + 1..].copy_from_slice(after);
            all
        };
        if let Some(other) = tensors.iter().find(|tensor| tensor.shape != first.shape) {
            let reason = format!("the shapes {:?} and {:?} differ", first.shape, other.shape);
            return Err(Error::Argument { function: "stack", reason });
        }
        let entries = tensors.iter().enumerate().flat_map(|(number, tensor)| {
            tensor.iter().map(move |(coordinate, value)| (with(number, coordinate), value))
        });
        pack_over(with(tensors.len(), first.shape), entries.collect(), F::FILL)
    }

    /// Creates a square matrix from the values on its diagonal.
    ///
    /// ```
    /// use sparsegen::{Csr, Dense, Tensor};
    ///
    /// let weights = Tensor::<f64, Dense<1>>::from_fn([3], |[i]| i as f64 + 1.0)?;
    /// let scaling = weights.to_diagonal::<Csr>()?;
    /// assert_eq!(scaling.get([2, 2]), Some(3.0));
    /// assert_eq!(scaling.stored(), 3);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Does not compile for formats with a fill value other than zero. Takes a constant number of
    /// passes over the entries.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn to_diagonal<G: Format<Shape = [usize; 2]>>(&self) -> Result<Tensor<V, G>, Error>
    where
        F: Format<Shape = [usize; 1]>,
    {
        const {
            assert!(F::FILL.is_zero() && G::FILL.is_zero(), "the matrix is zero elsewhere");
        }
        let [size] = self.shape;
        let entries = self.iter().map(|([i], value)| ([i, i], value));
        Tensor::from_triplets([size; 2], entries)
    }
}

fn none(function: &'static str) -> Error {
    Error::Argument { function, reason: "there are no tensors to join".to_owned() }
}
