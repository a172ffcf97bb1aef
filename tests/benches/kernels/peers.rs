//! Conversion of matrices to types of other crates.

use std::fmt::Debug;

use faer::Index;
use faer::sparse::{SparseRowMat, SymbolicSparseRowMat};
use nalgebra_sparse::CsrMatrix;
use sparsegen::{Csr, Tensor};
use sprs::{CsMatI, SpIndex};

use crate::contest::Answer;

/// Returns the matrix as one of `sprs`, with indices of type `I`.
pub fn sprs_matrix<I: SpIndex>(matrix: &Tensor<f64, Csr>) -> CsMatI<f64, I> {
    let [rows, columns] = matrix.shape();
    let (pos, crd) = indices(matrix, |index| I::from_usize(index as usize));
    CsMatI::new((rows, columns), pos, crd, matrix.vals().to_vec())
}

/// Returns the matrix as one of `nalgebra-sparse`, whose indices are `usize`.
pub fn nalgebra_matrix(matrix: &Tensor<f64, Csr>) -> CsrMatrix<f64> {
    let [rows, columns] = matrix.shape();
    let (pos, crd) = indices(matrix, |index| index as usize);
    CsrMatrix::try_from_csr_data(rows, columns, pos, crd, matrix.vals().to_vec())
        .expect("the arrays are those of a valid matrix")
}

/// Returns the matrix as one of `faer`, with indices of type `I`.
pub fn faer_matrix<I: Index>(matrix: &Tensor<f64, Csr>) -> SparseRowMat<I, f64> {
    let [rows, columns] = matrix.shape();
    let (pos, crd) = indices(matrix, |index| I::truncate(index as usize));
    let pattern = SymbolicSparseRowMat::new_checked(rows, columns, pos, None, crd);
    SparseRowMat::new(pattern, matrix.vals().to_vec())
}

fn indices<I>(matrix: &Tensor<f64, Csr>, convert: impl Fn(u32) -> I) -> (Vec<I>, Vec<I>) {
    let rows = &matrix.levels().1;
    let convert = |indices: &[u32]| indices.iter().map(|index| convert(*index)).collect();
    (convert(&rows.pos), convert(&rows.crd))
}

/// Returns our matrix as an answer.
pub fn our_answer(matrix: &Tensor<f64, Csr>) -> Answer {
    let (pos, crd) = indices(matrix, |index| index as usize);
    Answer::sparse(pos, crd, matrix.vals())
}

/// Returns a matrix of `sprs` as an answer.
pub fn sprs_answer<I: SpIndex + Debug>(matrix: &CsMatI<f64, I>) -> Answer {
    let pos = matrix.proper_indptr().iter().map(|index| index.index()).collect::<Vec<_>>();
    Answer::sparse(pos, matrix.indices().iter().map(|index| index.index()), matrix.data())
}

/// Returns a matrix of `nalgebra-sparse` as an answer.
pub fn nalgebra_answer(matrix: &CsrMatrix<f64>) -> Answer {
    let (pos, crd, vals) = matrix.csr_data();
    Answer::sparse(pos.iter().copied(), crd.iter().copied(), vals)
}

/// Returns a matrix of `faer` as an answer.
pub fn faer_answer(matrix: &SparseRowMat<usize, f64>) -> Answer {
    let (pattern, vals) = matrix.parts();
    let (pos, crd) = (pattern.row_ptr(), pattern.col_idx());
    Answer::sparse(pos.iter().copied(), crd.iter().copied(), vals)
}
