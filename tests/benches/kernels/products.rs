//! The contest on products of two sparse matrices.

use faer::Par;
use faer::sparse::linalg::matmul::sparse_sparse_matmul;
use sparsegen::{Csr, Tensor, level};

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
    contest.enter(Side::Peer, "by hand", (), move |()| by_hand(a, b), |(), c| our_answer(&c));

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

/// Gustavson's algorithm, with the columns of each row sorted.
fn by_hand(a: &Tensor<f64, Csr>, b: &Tensor<f64, Csr>) -> Tensor<f64, Csr> {
    let ([rows, _], [_, columns]) = (a.shape(), b.shape());
    let (left, right) = (&a.levels().1, &b.levels().1);
    let (mut pos, mut crd, mut vals) = (vec![0], Vec::<u32>::new(), Vec::new());
    let (mut sums, mut last) = (vec![0.0; columns], vec![usize::MAX; columns]);
    for row in 0..rows {
        let begin = crd.len();
        for p in left.pos[row] as usize..left.pos[row + 1] as usize {
            let (inner, factor) = (left.crd[p] as usize, a.vals()[p]);
            let entries = right.pos[inner] as usize..right.pos[inner + 1] as usize;
            for (column, value) in right.crd[entries.clone()].iter().zip(&b.vals()[entries]) {
                let place = *column as usize;
                if last[place] != row {
                    last[place] = row;
                    sums[place] = 0.0;
                    crd.push(*column);
                }
                sums[place] += factor * value;
            }
        }
        crd[begin..].sort_unstable();
        vals.extend(crd[begin..].iter().map(|column| sums[*column as usize]));
        pos.push(crd.len() as u32);
    }
    let levels = (level::Dense { size: rows }, level::Compressed { pos, crd });
    Tensor::from_parts([rows, columns], levels, vals).expect("the rows are sorted")
}
