//! Transposed matrices that borrow the arrays of others.

use crate::level::{CompressedView, Levels, SingletonView};
use crate::{
    Coo, CooUnordered, Csc, Csr, Dcsc, Dcsr, Dense, DenseCol, Format, Stored, Tensor, View, Width,
};

/// A format of matrices whose arrays store the transposed matrix in another format.
///
/// # Safety
/// If [`View::from_parts`] accepts levels in this format, it must accept the result of
/// [`Transposed::exchanged`] for them, in the other format and with exchanged extents.
#[diagnostic::on_unimplemented(
    message = "the arrays of the format `{Self}` do not store a transposed matrix",
    note = "`transpose` returns a new matrix, in any format"
)]
pub unsafe trait Transposed: Format<Shape = [usize; 2]> {
    /// The format in which the same arrays store the transposed matrix.
    type Format: Format<Shape = [usize; 2]>;

    /// Returns the levels of the transposed matrix, which borrow the same arrays.
    fn exchanged(levels: Views<'_, Self>) -> Views<'_, Self::Format>;
}

type Views<'a, F> = <<F as Format>::Levels as Levels>::Views<'a>;

/// Pairs two formats, which differ in the dimension that each level stores: the levels of the one
/// store the columns where those of the other store the rows.
macro_rules! transposed {
    ($([$($widths:ident)*] $rows:ty, $columns:ty;)*) => {$(
        transposed! { @ [$($widths)*] $rows, $columns }
        transposed! { @ [$($widths)*] $columns, $rows }
    )*};
    (@ [$($widths:ident)*] $of:ty, $other:ty) => {
        // SAFETY: With the extents exchanged too, each level has the same extent and the same arrays.
        unsafe impl<$($widths: Width),*> Transposed for $of {
            type Format = $other;

            fn exchanged(levels: Views<'_, Self>) -> Views<'_, $other> {
                levels
            }
        }
    };
}

transposed! {
    [P C] Csr<P, C>, Csc<P, C>;
    [P C] Dcsr<P, C>, Dcsc<P, C>;
    [] Dense<2>, DenseCol<2>;
}

/// Implements the transposition of lists of coordinates, which are then in the order of the columns.
macro_rules! lists {
    ($($list:ident)*) => {$(
        // SAFETY: An unordered list may have any number of entries, in any order, each of which has a
        // row and a column.
        unsafe impl<P: Width, C: Width> Transposed for $list<2, P, C> {
            type Format = CooUnordered<2, P, C>;

            fn exchanged((rows, columns): Views<'_, Self>) -> Views<'_, Self::Format> {
                let CompressedView { pos, crd } = rows;
                (CompressedView { pos, crd: columns.crd }, SingletonView { crd })
            }
        }
    )*};
}

lists! { Coo CooUnordered }

// `G` is a parameter because the compiler does not report the notes of `Transposed` for a missing type
// that a signature names.
impl<'a, V: Stored, F: Format> View<'a, V, F> {
    /// Returns the transposed matrix, which borrows the same arrays: see [`Tensor::t`].
    ///
    /// ```
    /// use sparsegen::{Dcsr, Error, Tensor};
    ///
    /// let a = Tensor::<f64, Dcsr>::from_triplets([2, 3], [([0, 2], 5.0)])?;
    /// assert_eq!(a.view().t().get([2, 0]), Some(5.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn t<G: Format<Shape = [usize; 2]>>(&self) -> View<'a, V, G>
    where
        F: Transposed<Format = G>,
    {
        let [rows, columns] = self.shape();
        let levels = F::exchanged(self.levels());
        // SAFETY: The levels of a view are valid, and those of the transposed matrix are as well.
        unsafe { View::from_parts_unchecked([columns, rows], levels, self.vals()) }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns the transposed matrix without a copy, in the format that stores its other mode first.
    ///
    /// | matrix | transposed matrix |
    /// |---|---|
    /// | `csr`, `dcsr`, `dense` | `csc`, `dcsc`, `dense_col`, and the reverse |
    /// | `coo`, `coo_unordered` | `coo_unordered` |
    ///
    /// ```
    /// use sparsegen::{Csc, Csr, Error, Tensor, View};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 5.0)])?;
    /// let transposed: View<'_, f64, Csc> = a.t();
    /// assert_eq!((transposed.shape(), transposed.get([2, 0])), ([3, 2], Some(5.0)));
    /// assert_eq!(transposed.vals().as_ptr(), a.vals().as_ptr());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn t<G: Format<Shape = [usize; 2]>>(&self) -> View<'_, V, G>
    where
        F: Transposed<Format = G>,
    {
        self.view().t()
    }
}
