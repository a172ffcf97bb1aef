//! `nalgebra-sparse`: compressed matrices, which guarantee what `csr` and `csc` require, and the
//! vectors and matrices of `nalgebra`.

use nalgebra_sparse_0_12::na::{DMatrix, DVector};
use nalgebra_sparse_0_12::{CscMatrix, CsrMatrix};

use crate::level::{Compressed, CompressedView, Dense as DenseLevel, DenseView};
use crate::{Csc, Csr, Dense, DenseCol, Tensor, Value, View};

/// Implements the conversions of one storage order: the format, the number of the dimension that
/// has a segment for each coordinate, and the type and the functions of `nalgebra-sparse`.
macro_rules! compressed {
    ($format:ident $outer:literal $matrix:ident $data:ident $new:ident) => {
        /// Borrows the matrix.
        impl<'a, V: Value> From<&'a $matrix<V>> for View<'a, V, $format<usize, usize>> {
            fn from(matrix: &'a $matrix<V>) -> Self {
                let shape = [matrix.nrows(), matrix.ncols()];
                let (pos, crd, vals) = matrix.$data();
                let levels = (DenseView { size: shape[$outer] }, CompressedView { pos, crd });
                // SAFETY: a matrix of `nalgebra-sparse` exists only with offsets that begin at 0,
                // do not decrease and end at the number of its entries, and with indices that
                // increase in each row or column and are within the shape: its constructors check
                // this, and its structure cannot be changed afterwards. A check in each call of a
                // kernel would take half the time of a product with a vector (measured: 0.49).
                unsafe { View::from_parts_unchecked(shape, levels, vals) }
            }
        }

        /// Takes the arrays of the matrix.
        impl<V: Value> From<$matrix<V>> for Tensor<V, $format<usize, usize>> {
            fn from(matrix: $matrix<V>) -> Self {
                let shape = [matrix.nrows(), matrix.ncols()];
                let (pos, crd, vals) = matrix.disassemble();
                let levels = (DenseLevel { size: shape[$outer] }, Compressed { pos, crd });
                // SAFETY: as for the view above.
                unsafe { Tensor::from_parts_unchecked(shape, levels, vals) }
            }
        }

        /// Hands the arrays to `nalgebra-sparse`, which checks them in time proportional to the
        /// number of entries.
        impl<V: Value> From<Tensor<V, $format<usize, usize>>> for $matrix<V> {
            fn from(tensor: Tensor<V, $format<usize, usize>>) -> Self {
                let ([rows, columns], (_, Compressed { pos, crd }), vals) = tensor.into_parts();
                $matrix::$new(rows, columns, pos, crd, vals)
                    .expect("the levels of a tensor are sorted, unique and within the shape")
            }
        }
    };
}

compressed!(Csr 0 CsrMatrix csr_data try_from_csr_data);
compressed!(Csc 1 CscMatrix csc_data try_from_csc_data);

/// Borrows the vector.
impl<'a, V: Value> From<&'a DVector<V>> for View<'a, V, Dense<1>> {
    fn from(vector: &'a DVector<V>) -> Self {
        View::from(vector.as_slice())
    }
}

/// Takes the values of the vector.
impl<V: Value> From<DVector<V>> for Tensor<V, Dense<1>> {
    fn from(vector: DVector<V>) -> Self {
        let size = vector.len();
        let vals: Vec<V> = vector.data.into();
        Tensor::from_parts([size], (DenseLevel { size },), vals)
            .expect("a vector has as many values as coordinates")
    }
}

/// Hands the values to `nalgebra`.
impl<V: Value> From<Tensor<V, Dense<1>>> for DVector<V> {
    fn from(tensor: Tensor<V, Dense<1>>) -> Self {
        DVector::from_vec(tensor.into_parts().2)
    }
}

/// Borrows the matrix, which `nalgebra` stores by columns.
impl<'a, V: Value> From<&'a DMatrix<V>> for View<'a, V, DenseCol<2>> {
    fn from(matrix: &'a DMatrix<V>) -> Self {
        let (rows, columns) = matrix.shape();
        let levels = (DenseView { size: columns }, DenseView { size: rows });
        View::from_parts([rows, columns], levels, matrix.as_slice())
            .expect("a matrix has a value for each row and column")
    }
}

/// Takes the values of the matrix.
impl<V: Value> From<DMatrix<V>> for Tensor<V, DenseCol<2>> {
    fn from(matrix: DMatrix<V>) -> Self {
        let (rows, columns) = matrix.shape();
        let levels = (DenseLevel { size: columns }, DenseLevel { size: rows });
        let vals: Vec<V> = matrix.data.into();
        Tensor::from_parts([rows, columns], levels, vals)
            .expect("a matrix has a value for each row and column")
    }
}

/// Hands the values to `nalgebra`.
impl<V: Value> From<Tensor<V, DenseCol<2>>> for DMatrix<V> {
    fn from(tensor: Tensor<V, DenseCol<2>>) -> Self {
        let ([rows, columns], _, vals) = tensor.into_parts();
        DMatrix::from_vec(rows, columns, vals)
    }
}
