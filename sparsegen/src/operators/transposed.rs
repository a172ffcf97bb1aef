//! Transposed matrices that borrow the arrays of others.

use crate::level::Levels;
use crate::{Csc, Csr, Dcsc, Dcsr, Dense, DenseCol, Format, Stored, Tensor, View, Width};

/// A format of matrices whose arrays store the transposed matrix in another format.
#[diagnostic::on_unimplemented(
    message = "the arrays of the format `{Self}` do not store a transposed matrix",
    note = "`transpose` returns a new matrix, in any format"
)]
pub trait Transposed: Format<Shape = [usize; 2]> {
    /// The format in which the same arrays store the transposed matrix.
    type Format: Format<Shape = [usize; 2], Levels = Self::Levels>;
}

/// Pairs two formats.
macro_rules! transposed {
    ($([$($widths:ident)*] $rows:ty, $columns:ty;)*) => {$(
        impl<$($widths: Width),*> Transposed for $rows {
            type Format = $columns;
        }

        impl<$($widths: Width),*> Transposed for $columns {
            type Format = $rows;
        }
    )*};
}

transposed! {
    [P C] Csr<P, C>, Csc<P, C>;
    [P C] Dcsr<P, C>, Dcsc<P, C>;
    [] Dense<2>, DenseCol<2>;
}

impl<'a, V: Stored, F: Transposed> View<'a, V, F> {
    /// Returns the transposed matrix, which borrows the same arrays, in the format that stores its
    /// other mode first: see [`Tensor::t`].
    pub fn t(&self) -> View<'a, V, F::Format> {
        let [rows, columns] = self.shape();
        // SAFETY: The formats differ in the dimension that each level stores: the levels of the one
        // store the columns where those of the other store the rows. With the extents exchanged too,
        // each level has the same extent and the same arrays, and all invariants are the same.
        unsafe { View::from_parts_unchecked([columns, rows], self.levels(), self.vals()) }
    }
}

impl<V: Stored, F: Transposed> Tensor<V, F> {
    /// Returns the transposed matrix without a copy: a matrix in `csr` is the transpose of one in
    /// `csc` with the same arrays.
    ///
    /// ```
    /// use sparsegen::{Csr, Error, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 5.0)])?;
    /// let transposed = a.t();
    /// assert_eq!((transposed.shape(), transposed.get([2, 0])), ([3, 2], Some(5.0)));
    /// assert_eq!(transposed.vals().as_ptr(), a.vals().as_ptr());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn t(&self) -> View<'_, V, F::Format> {
        self.view().t()
    }
}

// The views of both formats are of one type.
const _: () = {
    const fn same<F: Transposed>() -> usize {
        size_of::<<F::Levels as Levels>::Views<'static>>()
    }
    assert!(same::<Csr>() == same::<Csc>());
};
