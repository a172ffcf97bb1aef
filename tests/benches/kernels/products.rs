//! The contest on products of two sparse matrices.

use faer::Par;
use faer::sparse::linalg::matmul::sparse_sparse_matmul;
use sparsegen::Tensor;

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::matrices::enter_ours;
use crate::operands::Pair;
use crate::peers::{
    faer_answer, faer_matrix, nalgebra_answer, nalgebra_matrix, our_answer, sprs_answer,
    sprs_matrix,
};

/// `C[i,j] = A[i,k] * B[k,j]`
pub fn spgemm<'a>(contest: &mut Contest<'a>, Pair { a, b, .. }: &'a Pair) {
    enter_ours(contest, a, b, kernels::spgemm, kernels::spgemm_into);
    let c = kernels::spgemm_assemble(a, b).expect("the extents agree");
    let run = move |c: &mut Tensor<_, _>| {
        kernels::spgemm_compute(c, a, b).expect("it was assembled for these operands");
    };
    contest.enter(Side::Variant, "compute", c, run, |c, ()| our_answer(c));

    let (ours, theirs) = (sprs_matrix::<usize>(a), sprs_matrix(b));
    contest.enter(Side::Peer, "sprs", (), move |()| &ours * &theirs, |(), c| sprs_answer(&c));
    let (ours, theirs) = (nalgebra_matrix(a), nalgebra_matrix(b));
    let read = |&(): &(), c| nalgebra_answer(&c);
    contest.enter(Side::Peer, "nalgebra", (), move |()| &ours * &theirs, read);

    // It multiplies matrices stored by columns, which are the transposes of ours.
    let (ours, theirs) = (faer_matrix::<usize>(a), faer_matrix::<usize>(b));
    let run = move |&mut (): &mut ()| {
        let (a, b) = (ours.transpose(), theirs.transpose());
        sparse_sparse_matmul(b, a, 1.0, Par::Seq).expect("the extents agree")
    };
    let read = |&(): &(), c| -> Answer { faer_answer(&faer_transposed(c)) };
    contest.enter(Side::Peer, "faer", (), run, read);
}

fn faer_transposed(
    matrix: faer::sparse::SparseColMat<usize, f64>,
) -> faer::sparse::SparseRowMat<usize, f64> {
    matrix.into_transpose()
}
