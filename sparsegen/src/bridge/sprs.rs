//! `sprs`: compressed matrices, whose storage order is a value, and sparse vectors.

use std::ops::Deref;

use sprs_0_11::errors::StructureError;
use sprs_0_11::{CsMatBase, CsMatI, CsMatViewI, CsVecI, SpIndex};

use super::layout;
use crate::level::{Compressed, CompressedView, Dense, DenseView};
use crate::{Csc, Csr, Error, Format, SparseVector, Tensor, Value, View, Width};

/// Returns the error that a matrix is compressed along the other dimension.
fn other_order(format: &str, reason: &str) -> Error {
    layout("a matrix of `sprs`", &format!("a `{format}` tensor"), reason)
}

/// Returns the error with which `sprs` refuses a tensor.
fn refused(format: &str, reason: StructureError) -> Error {
    layout(&format!("a `{format}` tensor"), "a matrix of `sprs`", &reason.to_string())
}

/// Implements the conversions of one storage order: the format, the number of the dimension that
/// has a segment for each coordinate, and the functions of `sprs`.
macro_rules! compressed {
    ($format:ident $outer:literal $is_stored:ident $new:ident $reason:literal) => {
        /// Borrows a matrix of `sprs`, owned or a view, and checks it in time proportional to the
        /// number of its entries.
        ///
        /// # Errors
        /// [`Error::Layout`] if the matrix is stored in the other order, and the errors of
        /// [`View::from_parts`], for example for a slice of another matrix, whose positions do not
        /// begin at 0.
        impl<'a, V, P, C, PosStorage, CrdStorage, ValStorage>
            TryFrom<&'a CsMatBase<V, C, PosStorage, CrdStorage, ValStorage, P>>
            for View<'a, V, $format<P, C>>
        where
            V: Value,
            P: Width + SpIndex,
            C: Width + SpIndex,
            PosStorage: Deref<Target = [P]>,
            CrdStorage: Deref<Target = [C]>,
            ValStorage: Deref<Target = [V]>,
        {
            type Error = Error;

            fn try_from(
                matrix: &'a CsMatBase<V, C, PosStorage, CrdStorage, ValStorage, P>,
            ) -> Result<Self, Error> {
                if !matrix.$is_stored() {
                    return Err(other_order(<$format as Format>::NAME, $reason));
                }
                let shape = [matrix.rows(), matrix.cols()];
                let pos = matrix.indptr().into_raw_storage();
                let entries = CompressedView { pos, crd: matrix.indices() };
                View::from_parts(shape, (DenseView { size: shape[$outer] }, entries), matrix.data())
            }
        }

        /// Takes the arrays of a matrix of `sprs`, and checks them in time proportional to the
        /// number of its entries.
        ///
        /// # Errors
        /// [`Error::Layout`] if the matrix is stored in the other order.
        impl<V, P, C> TryFrom<CsMatI<V, C, P>> for Tensor<V, $format<P, C>>
        where
            V: Value,
            P: Width + SpIndex,
            C: Width + SpIndex,
        {
            type Error = Error;

            fn try_from(matrix: CsMatI<V, C, P>) -> Result<Self, Error> {
                if !matrix.$is_stored() {
                    return Err(other_order(<$format as Format>::NAME, $reason));
                }
                let shape = [matrix.rows(), matrix.cols()];
                let (pos, crd, vals) = matrix.into_raw_storage();
                let levels = (Dense { size: shape[$outer] }, Compressed { pos, crd });
                Tensor::from_parts(shape, levels, vals)
            }
        }

        /// Hands the arrays to `sprs`, which checks them in time proportional to the number of
        /// entries.
        ///
        /// # Errors
        /// [`Error::Layout`] if the extents are too large for `sprs` with these integer types.
        impl<V, P, C> TryFrom<Tensor<V, $format<P, C>>> for CsMatI<V, C, P>
        where
            V: Value,
            P: Width + SpIndex,
            C: Width + SpIndex,
        {
            type Error = Error;

            fn try_from(tensor: Tensor<V, $format<P, C>>) -> Result<Self, Error> {
                let ([rows, columns], (_, Compressed { pos, crd }), vals) = tensor.into_parts();
                CsMatI::$new((rows, columns), pos, crd, vals)
                    .map_err(|(.., reason)| refused(<$format as Format>::NAME, reason))
            }
        }

        /// Lends the arrays to `sprs`, which checks them in time proportional to the number of
        /// entries.
        ///
        /// # Errors
        /// [`Error::Layout`] if the extents are too large for `sprs` with these integer types.
        impl<'a, V, P, C> TryFrom<View<'a, V, $format<P, C>>> for CsMatViewI<'a, V, C, P>
        where
            V: Value,
            P: Width + SpIndex,
            C: Width + SpIndex,
        {
            type Error = Error;

            fn try_from(view: View<'a, V, $format<P, C>>) -> Result<Self, Error> {
                let ([rows, columns], (_, entries)) = (view.shape(), view.levels());
                CsMatViewI::$new((rows, columns), entries.pos, entries.crd, view.vals())
                    .map_err(|(.., reason)| refused(<$format as Format>::NAME, reason))
            }
        }
    };
}

compressed!(Csr 0 is_csr try_new "it is stored by columns; convert it with `to_csr()`, or declare `csc`");
compressed!(Csc 1 is_csc try_new_csc "it is stored by rows; convert it with `to_csc()`, or declare `csr`");

/// Takes the arrays of a sparse vector of `sprs`, and checks them in time proportional to the
/// number of its entries.
///
/// # Errors
/// [`Error::Width`] if the number of entries does not fit the integer type.
impl<V: Value, C: Width + SpIndex> TryFrom<CsVecI<V, C>> for Tensor<V, SparseVector<C, C>> {
    type Error = Error;

    fn try_from(vector: CsVecI<V, C>) -> Result<Self, Error> {
        let shape = [vector.dim()];
        let (crd, vals) = vector.into_raw_storage();
        let count = vals.len();
        let end = <C as Width>::try_from_usize(count).ok_or_else(|| Error::Width {
            of: "a vector of `sprs`".to_owned(),
            what: "the number of its entries".to_owned(),
            width: C::NAME,
            largest: count as i128,
            choose: "usize",
        })?;
        Tensor::from_parts(shape, (Compressed { pos: vec![C::default(), end], crd },), vals)
    }
}

/// Hands the arrays to `sprs`, which checks them in time proportional to the number of entries.
///
/// # Errors
/// [`Error::Layout`] if the extent is too large for `sprs` with this integer type.
impl<V: Value, P: Width, C: Width + SpIndex> TryFrom<Tensor<V, SparseVector<P, C>>>
    for CsVecI<V, C>
{
    type Error = Error;

    fn try_from(tensor: Tensor<V, SparseVector<P, C>>) -> Result<Self, Error> {
        let ([size], (Compressed { crd, .. },), vals) = tensor.into_parts();
        CsVecI::try_new(size, crd, vals).map_err(|(.., reason)| refused("sparse_vector", reason))
    }
}
