//! Tensors of the entries of another one, at other coordinates.

use core::ops::Range;

use crate::format::Shape;
use crate::{Error, Format, Stored, Tensor};

use super::convert::coordinate_of;
use super::repack::pack_over;

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns the tensor whose mode `m` is the mode `modes[m]` of this one, in the same format.
    ///
    /// ```
    /// use sparsegen::{Csf, Tensor};
    ///
    /// let a = Tensor::<f64, Csf<3>>::from_triplets([2, 3, 4], [([1, 2, 3], 5.0)])?;
    /// let b = a.permute([2, 0, 1])?;
    /// assert_eq!(b.shape(), [4, 2, 3]);
    /// assert_eq!(b.get([3, 1, 2]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries, as [`Tensor::from_triplets`] does.
    ///
    /// # Errors
    /// [`Error::Argument`] if `modes` does not list each mode once, and the errors of
    /// [`Tensor::from_triplets`].
    pub fn permute(&self, modes: F::Shape) -> Result<Self, Error> {
        let modes = modes.as_ref();
        let is_listed = |mode: usize| modes.contains(&mode);
        if !(0..modes.len()).all(is_listed) {
            let reason = format!("{modes:?} does not list each of the modes, from 0, once");
            return Err(Error::Argument { function: "permute", reason });
        }
        let permuted = |coordinate: F::Shape| {
            let mut moved = coordinate;
            for (place, mode) in moved.as_mut().iter_mut().zip(modes) {
                *place = coordinate.as_ref()[*mode];
            }
            moved
        };
        self.moved(permuted(self.shape), |coordinate| Some(permuted(coordinate)))
    }

    /// Returns the tensor with its modes in reverse order, in the same format; of a matrix, the
    /// transpose.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 5.0)])?;
    /// assert_eq!(a.transpose()?.get([2, 0]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries, as [`Tensor::from_triplets`] does.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn transpose(&self) -> Result<Self, Error> {
        let reversed = |mut coordinate: F::Shape| {
            coordinate.as_mut().reverse();
            coordinate
        };
        self.moved(reversed(self.shape), |coordinate| Some(reversed(coordinate)))
    }

    /// Returns the tensor of another shape, and possibly another order, whose values are the same in
    /// row-major order.
    ///
    /// ```
    /// use sparsegen::{Csr, SparseVector, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 2.0), ([1, 0], 3.0)])?;
    /// let b = a.reshape::<SparseVector>([6])?;
    /// assert!(b.iter().eq([([2], 2.0), ([3], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries, as [`Tensor::from_triplets`] does.
    ///
    /// # Errors
    /// [`Error::Argument`] if the numbers of elements of the shapes differ or exceed `usize`, and
    /// the errors of [`Tensor::from_triplets`].
    pub fn reshape<G: Format>(&self, shape: G::Shape) -> Result<Tensor<V, G>, Error> {
        let (from, to) = (self.shape.as_ref(), shape.as_ref());
        let count = |extents: &[usize]| {
            extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent))
        };
        if count(from).is_none() || count(from) != count(to) {
            let reason = format!(
                "the shapes {from:?} and {to:?} do not have the same number of elements, which a \
                 `usize` holds"
            );
            return Err(Error::Argument { function: "reshape", reason });
        }
        self.moved(shape, |coordinate| {
            let digits = coordinate.as_ref().iter().zip(from);
            let number = digits.fold(0, |number, (digit, extent)| number * extent + digit);
            Some(coordinate_of(number, to))
        })
    }

    /// Returns the tensor without one mode, at a coordinate of it: a row of a matrix, or a slice of
    /// a tensor.
    ///
    /// ```
    /// use sparsegen::{Csc, SparseVector, Tensor};
    ///
    /// let a = Tensor::<f64, Csc>::from_triplets([2, 3], [([0, 2], 2.0), ([1, 0], 3.0)])?;
    /// let row = a.select::<SparseVector>(0, 1)?;
    /// assert!(row.iter().eq([([0], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Does not compile if the order of `G` is not one less. Takes a pass over all entries.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such mode or coordinate, and the errors of
    /// [`Tensor::from_triplets`].
    pub fn select<G: Format>(&self, mode: usize, coordinate: usize) -> Result<Tensor<V, G>, Error> {
        const {
            assert!(G::Shape::ORDER + 1 == F::Shape::ORDER, "the result has one mode less");
        }
        check_mode::<F>("select", mode)?;
        let extent = self.shape.as_ref()[mode];
        if coordinate >= extent {
            let reason = format!(
                "the coordinate {coordinate} is not below the extent {extent} of mode {mode}"
            );
            return Err(Error::Argument { function: "select", reason });
        }
        let without = |of: F::Shape| {
            let mut rest = G::Shape::splat(0);
            let others = of.as_ref().iter().enumerate().filter(|(other, _)| *other != mode);
            rest.as_mut().iter_mut().zip(others).for_each(|(place, (_, number))| *place = *number);
            rest
        };
        let is_there = |of: &F::Shape| of.as_ref()[mode] == coordinate;
        self.moved(without(self.shape), |of| is_there(&of).then(|| without(of)))
    }

    /// Returns the values at coordinates that are equal in all modes, as a vector as long as the
    /// smallest extent.
    ///
    /// ```
    /// use sparsegen::{Csr, SparseVector, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 2.0), ([1, 1], 3.0)])?;
    /// assert!(a.diagonal::<SparseVector>()?.iter().eq([([1], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a pass over all entries.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn diagonal<G: Format<Shape = [usize; 1]>>(&self) -> Result<Tensor<V, G>, Error> {
        const { assert!(F::Shape::ORDER > 0, "a scalar has no diagonal") }
        let size = self.shape.as_ref().iter().min().copied().unwrap_or(0);
        self.moved([size], |coordinate| {
            let coordinate = coordinate.as_ref();
            let is_equal = coordinate.iter().all(|number| *number == coordinate[0]);
            is_equal.then(|| [coordinate[0]])
        })
    }

    /// Returns the tensor of the entries for which a predicate on coordinate and value holds.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], -3.0)])?;
    /// let positive = a.filter(|_, value| value > 0.0)?;
    /// assert!(positive.iter().eq([([0, 1], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The other entries are not stored, so that they have the fill value. A coordinate that is
    /// stored several times is several entries. Takes a constant number of passes over the entries.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn filter(&self, mut predicate: impl FnMut(F::Shape, V) -> bool) -> Result<Self, Error> {
        let entries = self.iter().filter(|(coordinate, value)| predicate(*coordinate, *value));
        pack_over(self.shape, entries.collect(), F::FILL)
    }

    /// Returns the tensor of the entries at the coordinates that a function returns for theirs;
    /// those without one are not stored.
    fn moved<G: Format>(
        &self,
        shape: G::Shape,
        function: impl Fn(F::Shape) -> Option<G::Shape>,
    ) -> Result<Tensor<V, G>, Error> {
        let entries = self.iter().filter_map(|(from, value)| Some((function(from)?, value)));
        pack_over(shape, entries.collect(), F::FILL)
    }
}

impl<V: Stored, F: Format<Shape = [usize; N]>, const N: usize> Tensor<V, F> {
    /// Returns the part of the tensor within a range of each mode, in the same format. Its
    /// coordinates count from the start of the ranges.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([3, 4], [([0, 1], 2.0), ([2, 3], 4.0)])?;
    /// let part = a.slice([1..3, 2..4])?;
    /// assert_eq!(part.shape(), [2, 2]);
    /// assert!(part.iter().eq([([1, 1], 4.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a pass over all entries. A kernel whose manifest slices an operand, as `A[i in 1..3, j]`
    /// does, visits only the part and copies nothing.
    ///
    /// # Errors
    /// [`Error::Argument`] if a range does not lie within its mode, and the errors of
    /// [`Tensor::from_triplets`].
    pub fn slice(&self, ranges: [Range<usize>; N]) -> Result<Self, Error> {
        let mut shape = self.shape;
        for (mode, (extent, range)) in shape.iter_mut().zip(&ranges).enumerate() {
            if range.start > range.end || range.end > *extent {
                let reason = format!(
                    "the range {range:?} does not lie within mode {mode}, of extent {extent}"
                );
                return Err(Error::Argument { function: "slice", reason });
            }
            *extent = range.len();
        }
        self.moved(shape, |mut coordinate| {
            for (number, range) in coordinate.iter_mut().zip(&ranges) {
                *number = number.checked_sub(range.start).filter(|number| *number < range.len())?;
            }
            Some(coordinate)
        })
    }
}

impl<V: Stored, F: Format<Shape = [usize; 2]>> Tensor<V, F> {
    /// Returns the lower triangular part: the entries on the diagonal `j - i = diagonal` and below
    /// it. 0 is the main diagonal, and -1 leaves it out.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let entries = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 3.0)];
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], entries)?;
    /// assert!(a.lower(0)?.iter().eq([([0, 0], 1.0), ([1, 0], 3.0)]));
    /// assert!(a.lower(-1)?.iter().eq([([1, 0], 3.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn lower(&self, diagonal: isize) -> Result<Self, Error> {
        self.filter(|[i, j], _| j as i128 - i as i128 <= diagonal as i128)
    }

    /// Returns the upper triangular part: the entries on the diagonal `j - i = diagonal` and above
    /// it. 0 is the main diagonal, and 1 leaves it out.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let entries = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 3.0)];
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], entries)?;
    /// assert!(a.upper(1)?.iter().eq([([0, 1], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a constant number of passes over the entries.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn upper(&self, diagonal: isize) -> Result<Self, Error> {
        self.filter(|[i, j], _| j as i128 - i as i128 >= diagonal as i128)
    }
}

/// Checks that a tensor in this format has a mode of this number.
pub(super) fn check_mode<F: Format>(function: &'static str, mode: usize) -> Result<(), Error> {
    let order = F::Shape::ORDER;
    if mode < order {
        return Ok(());
    }
    let reason = format!("there is no mode {mode}; a `{}` tensor has {order}, from 0", F::NAME);
    Err(Error::Argument { function, reason })
}
