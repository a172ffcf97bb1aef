//! `faer`: compressed matrices, whose segments may be unsorted and have unused space, and dense
//! vectors and matrices with strides.

use faer_0_24::sparse::{
    SparseColMat, SparseColMatRef, SparseRowMat, SparseRowMatRef, SymbolicSparseColMat,
    SymbolicSparseColMatRef, SymbolicSparseRowMat, SymbolicSparseRowMatRef,
};
use faer_0_24::{ColRef, Index, MatRef};

use super::layout;
use crate::level::{Compressed, CompressedView, Dense as DenseLevel, DenseView};
use crate::{Csc, Csr, Dense, DenseCol, Error, Format, Tensor, Value, View, Width};

/// Checks that no segment has unused space, and returns the end of the last one.
fn end<I: Width>(format: &str, pos: &[I], counts: Option<&[I]>) -> Result<usize, Error> {
    let is_full = |(count, bounds): (&I, &[I])| {
        count.to_usize() == bounds[1].to_usize() - bounds[0].to_usize()
    };
    if counts.is_some_and(|counts| !counts.iter().zip(pos.windows(2)).all(is_full)) {
        let reason = "it has unused space between its rows or columns; copy it to a compressed \
                      matrix, for example with `SparseRowMat::try_new_from_triplets`";
        return Err(layout("a matrix of `faer`", &format!("a `{format}` tensor"), reason));
    }
    Ok(pos.last().map_or(0, |end| end.to_usize()))
}

/// Checks that extents and positions are in the range of the indices of `faer`, which end at the
/// largest number of the signed type.
fn fits<I: Width>(shape: [usize; 2], entries: usize) -> Result<(), Error> {
    let largest = shape[0].max(shape[1]).max(entries);
    if largest <= I::Signed::LARGEST {
        return Ok(());
    }
    Err(Error::Width {
        of: "a matrix of `faer`".to_owned(),
        what: "extents and positions".to_owned(),
        width: I::Signed::NAME,
        largest: largest as i128,
        choose: "u64",
    })
}

/// Implements the conversions of one storage order: the format, the number of the dimension that
/// has a segment for each coordinate, and the types and the functions of `faer`.
macro_rules! compressed {
    (
        $format:ident $outer:literal $owned:ident $borrowed:ident
        $structure:ident $structure_ref:ident $pos:ident $counts:ident $crd:ident
    ) => {
        /// Borrows a matrix of `faer`, and checks it in time proportional to the number of its
        /// entries.
        ///
        /// # Errors
        /// [`Error::Layout`] if the matrix has unused space between its segments, and the errors of
        /// [`View::from_parts`] if it is not sorted.
        impl<'a, V: Value, I: Index + Width> TryFrom<$borrowed<'a, I, V>>
            for View<'a, V, $format<I, I>>
        {
            type Error = Error;

            fn try_from(matrix: $borrowed<'a, I, V>) -> Result<Self, Error> {
                let (structure, vals) = (matrix.symbolic(), matrix.val());
                let shape = [structure.nrows(), structure.ncols()];
                let (pos, crd) = (structure.$pos(), structure.$crd());
                let end = end(<$format as Format>::NAME, pos, structure.$counts())?;
                let entries = CompressedView { pos, crd: &crd[..end] };
                View::from_parts(shape, (DenseView { size: shape[$outer] }, entries), &vals[..end])
            }
        }

        /// Borrows a matrix of `faer`, and checks it in time proportional to the number of its
        /// entries.
        ///
        /// # Errors
        /// Those of the conversion of the matrix' view.
        impl<'a, V: Value, I: Index + Width> TryFrom<&'a $owned<I, V>>
            for View<'a, V, $format<I, I>>
        {
            type Error = Error;

            fn try_from(matrix: &'a $owned<I, V>) -> Result<Self, Error> {
                let structure = matrix.symbolic();
                $borrowed::new(structure, matrix.val()).try_into()
            }
        }

        /// Takes the arrays of a matrix of `faer`, and checks them in time proportional to the
        /// number of its entries.
        ///
        /// # Errors
        /// Those of the conversion of the matrix' view.
        impl<V: Value, I: Index + Width> TryFrom<$owned<I, V>> for Tensor<V, $format<I, I>> {
            type Error = Error;

            fn try_from(matrix: $owned<I, V>) -> Result<Self, Error> {
                let (structure, mut vals) = matrix.into_parts();
                let (rows, columns, pos, counts, mut crd) = structure.into_parts();
                let end = end(<$format as Format>::NAME, &pos, counts.as_deref())?;
                crd.truncate(end);
                vals.truncate(end);
                let shape = [rows, columns];
                let levels = (DenseLevel { size: shape[$outer] }, Compressed { pos, crd });
                Tensor::from_parts(shape, levels, vals)
            }
        }

        /// Hands the arrays to `faer`, which checks them in time proportional to the number of
        /// entries.
        ///
        /// # Errors
        /// [`Error::Width`] if an extent or the number of entries exceeds the signed type of `I`'s
        /// size.
        impl<V: Value, I: Index + Width> TryFrom<Tensor<V, $format<I, I>>> for $owned<I, V> {
            type Error = Error;

            fn try_from(tensor: Tensor<V, $format<I, I>>) -> Result<Self, Error> {
                let (shape, (_, Compressed { pos, crd }), vals) = tensor.into_parts();
                fits::<I>(shape, vals.len())?;
                let structure = $structure::new_checked(shape[0], shape[1], pos, None, crd);
                Ok($owned::new(structure, vals))
            }
        }

        /// Lends the arrays to `faer`, which checks them in time proportional to the number of
        /// entries.
        ///
        /// # Errors
        /// [`Error::Width`] if an extent or the number of entries exceeds the signed type of `I`'s
        /// size.
        impl<'a, V: Value, I: Index + Width> TryFrom<View<'a, V, $format<I, I>>>
            for $borrowed<'a, I, V>
        {
            type Error = Error;

            fn try_from(view: View<'a, V, $format<I, I>>) -> Result<Self, Error> {
                let (shape, (_, entries)) = (view.shape(), view.levels());
                fits::<I>(shape, view.vals().len())?;
                let (pos, crd) = (entries.pos, entries.crd);
                let structure = $structure_ref::new_checked(shape[0], shape[1], pos, None, crd);
                Ok($borrowed::new(structure, view.vals()))
            }
        }
    };
}

compressed! {
    Csr 0 SparseRowMat SparseRowMatRef
    SymbolicSparseRowMat SymbolicSparseRowMatRef row_ptr row_nnz col_idx
}
compressed! {
    Csc 1 SparseColMat SparseColMatRef
    SymbolicSparseColMat SymbolicSparseColMatRef col_ptr col_nnz row_idx
}

/// Borrows a vector of `faer`.
///
/// # Errors
/// [`Error::Layout`] if the vector is not contiguous.
impl<'a, V: Value> TryFrom<ColRef<'a, V>> for View<'a, V, Dense<1>> {
    type Error = Error;

    fn try_from(vector: ColRef<'a, V>) -> Result<Self, Error> {
        match vector.try_as_col_major() {
            Some(contiguous) => Ok(View::from(contiguous.as_slice())),
            None => {
                let reason = "it is not contiguous; pass a copy, made with `to_owned()`";
                Err(layout("a vector of `faer`", "a `dense` tensor", reason))
            }
        }
    }
}

/// Lends the values to `faer`.
impl<'a, V: Value> From<View<'a, V, Dense<1>>> for ColRef<'a, V> {
    fn from(view: View<'a, V, Dense<1>>) -> Self {
        ColRef::from_slice(view.vals())
    }
}

/// Lends the values to `faer`, as a matrix with a row stride.
impl<'a, V: Value> From<View<'a, V, Dense<2>>> for MatRef<'a, V> {
    fn from(view: View<'a, V, Dense<2>>) -> Self {
        let [rows, columns] = view.shape();
        MatRef::from_row_major_slice(view.vals(), rows, columns)
    }
}

/// Lends the values to `faer`.
impl<'a, V: Value> From<View<'a, V, DenseCol<2>>> for MatRef<'a, V> {
    fn from(view: View<'a, V, DenseCol<2>>) -> Self {
        let [rows, columns] = view.shape();
        MatRef::from_column_major_slice(view.vals(), rows, columns)
    }
}
