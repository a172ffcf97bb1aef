//! Contests on sparse matrices.

use std::cmp::Ordering;

use faer::sparse::linalg::matmul::sparse_dense_matmul;
use faer::{Accum, Mat, Par};
use nalgebra_sparse::na::DMatrix;
use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;
use ndarray::Array2;
use sparsegen::{Coo, Csc, Csr, Dcsr, Dense, Error, Tensor, View};
use sprs::CsMat;
use sprs::binop::mul_mat_same_storage;
use sprs::prod::{csr_mulacc_dense_rowmaj, mul_acc_mat_vec_csr};

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::operands::{Pair, values};
use crate::peers::{
    faer_answer, faer_matrix, nalgebra_answer, nalgebra_matrix, our_answer, sprs_answer,
    sprs_matrix,
};

/// `y[i] = A[i,j] * x[j]`
pub fn spmv<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let [rows, columns] = a.shape();
    let x = values(columns);
    let y = vec![0.0; rows];

    macro_rules! own {
        ($side:ident, $name:literal, $matrix:expr, $kernel:path) => {
            let y = Tensor::<f64, Dense<1>>::zeros([rows]).expect("a vector fits");
            let (a, x) = ($matrix, x.clone());
            let run = move |y: &mut _| $kernel(y, &a, &x).expect("the extents agree");
            contest.enter(Side::$side, $name, y, run, |y, ()| Answer::dense(y.vals()));
        };
    }
    own!(Ours, "csr", a.clone(), kernels::spmv_into);
    own!(Variant, "dcsr", a.to::<Dcsr>().expect("it fits"), kernels::spmv_dcsr_into);
    own!(Variant, "csc", a.to::<Csc>().expect("it fits"), kernels::spmv_csc_into);
    own!(Variant, "coo", a.to::<Coo<2>>().expect("it fits"), kernels::spmv_coo_into);

    macro_rules! sprs {
        ($index:ty, $name:literal) => {
            let (a, x) = (sprs_matrix::<$index>(a), x.clone());
            let run = move |y: &mut Vec<f64>| {
                y.fill(0.0);
                mul_acc_mat_vec_csr(a.view(), &x, y);
            };
            contest.enter(Side::Peer, $name, y.clone(), run, |y, ()| Answer::dense(y));
        };
    }
    sprs!(usize, "sprs");
    sprs!(u32, "sprs u32");

    let (matrix, vector) = (nalgebra_matrix(a), DMatrix::from_vec(columns, 1, x.clone()));
    let run = move |y: &mut DMatrix<f64>| {
        spmm_csr_dense(0.0, y, 1.0, Op::NoOp(&matrix), Op::NoOp(&vector));
    };
    let state = DMatrix::zeros(rows, 1);
    contest.enter(Side::Peer, "nalgebra", state, run, |y, ()| Answer::dense(y.as_slice()));

    macro_rules! faer {
        ($index:ty, $name:literal) => {
            let (a, x) = (faer_matrix::<$index>(a), Mat::from_fn(columns, 1, |j, _| x[j]));
            let run = move |y: &mut Mat<f64>| {
                let replace = Accum::Replace;
                sparse_dense_matmul(y.as_mut(), replace, a.as_ref(), x.as_ref(), 1.0, Par::Seq);
            };
            let read = |y: &Mat<f64>, ()| Answer::dense(y.col_as_slice(0));
            contest.enter(Side::Peer, $name, Mat::zeros(rows, 1), run, read);
        };
    }
    faer!(usize, "faer");
    faer!(u32, "faer u32");
}

/// `y[i] = A[i,j] * x[j]` on all threads.
pub fn threads<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let [rows, columns] = a.shape();
    let x = values(columns);

    macro_rules! own {
        ($side:ident, $name:literal, $kernel:path) => {
            let y = Tensor::<f64, Dense<1>>::zeros([rows]).expect("a vector fits");
            let x = x.clone();
            let run = move |y: &mut _| $kernel(y, a, &x).expect("the extents agree");
            contest.enter(Side::$side, $name, y, run, |y, ()| Answer::dense(y.vals()));
        };
    }
    own!(Ours, "entries", kernels::spmv_balanced_into);
    own!(Variant, "rows", kernels::spmv_rows_into);
    let run = move |y: &mut Vec<f64>| {
        let matrix = &a.levels().1;
        for (y, bounds) in y.iter_mut().zip(matrix.pos.windows(2)) {
            let entries = bounds[0] as usize..bounds[1] as usize;
            let products = entries.map(|p| a.vals()[p] * x[matrix.crd[p] as usize]);
            *y = products.sum();
        }
    };
    contest.enter(Side::Peer, "by hand", vec![0.0; rows], run, |y, ()| Answer::dense(y));
}

/// `Y[i,k] = A[i,j] * X[j,k]`, with 32 columns in the dense matrices: stored by rows in ours and in
/// `sprs`, by columns in `nalgebra` and `faer`.
pub fn spmm<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    const WIDTH: usize = 32;
    let [rows, columns] = a.shape();
    let x = values(columns * WIDTH);

    macro_rules! own {
        ($side:ident, $name:literal, $kernel:path) => {
            let y = Tensor::<f64, Dense<2>>::zeros([rows, WIDTH]).expect("it fits");
            let x = dense(columns, WIDTH, x.clone());
            let run = move |y: &mut _| $kernel(y, a, &x).expect("the extents agree");
            contest.enter(Side::$side, $name, y, run, |y, ()| Answer::dense(y.vals()));
        };
    }
    own!(Ours, "csr", kernels::spmm_into);
    own!(Variant, "any width", kernels::spmm_any_into);

    let matrix = sprs_matrix::<usize>(a);
    let right = Array2::from_shape_vec((columns, WIDTH), x.clone()).expect("as many as that");
    let run = move |y: &mut Array2<f64>| {
        y.fill(0.0);
        csr_mulacc_dense_rowmaj(matrix.view(), right.view(), y.view_mut());
    };
    let read = |y: &Array2<f64>, ()| Answer::dense(y.as_slice().expect("it is stored by rows"));
    contest.enter(Side::Peer, "sprs", Array2::zeros((rows, WIDTH)), run, read);

    let (matrix, right) = (nalgebra_matrix(a), DMatrix::from_row_slice(columns, WIDTH, &x));
    let run = move |y: &mut DMatrix<f64>| {
        spmm_csr_dense(0.0, y, 1.0, Op::NoOp(&matrix), Op::NoOp(&right));
    };
    let read = |y: &DMatrix<f64>, ()| Answer::by_columns(y.as_slice(), rows);
    contest.enter(Side::Peer, "nalgebra", DMatrix::zeros(rows, WIDTH), run, read);

    let matrix = faer_matrix::<usize>(a);
    let right = Mat::from_fn(columns, WIDTH, |j, k| x[j * WIDTH + k]);
    let run = move |y: &mut Mat<f64>| {
        let (a, x) = (matrix.as_ref(), right.as_ref());
        sparse_dense_matmul(y.as_mut(), Accum::Replace, a, x, 1.0, Par::Seq);
    };
    let read = |y: &Mat<f64>, ()| {
        let columns = (0..WIDTH).flat_map(|k| y.col_as_slice(k)).copied().collect::<Vec<_>>();
        Answer::by_columns(&columns, rows)
    };
    contest.enter(Side::Peer, "faer", Mat::zeros(rows, WIDTH), run, read);
}

/// Returns a dense matrix with these values, by rows.
pub fn dense(rows: usize, columns: usize, values: Vec<f64>) -> Tensor<f64, Dense<2>> {
    let levels = [rows, columns].map(|size| sparsegen::level::Dense { size }).into();
    Tensor::from_parts([rows, columns], levels, values).expect("as many values as that")
}

/// `C[i,j] = A[i,j] + B[i,j]`
pub fn add<'a>(contest: &mut Contest<'a>, Pair { a, b, .. }: &'a Pair) {
    enter_ours(contest, a, b, kernels::add, kernels::add_into);
    let (ours, theirs) = (sprs_matrix::<usize>(a), sprs_matrix(b));
    contest.enter(Side::Peer, "sprs", (), move |()| &ours + &theirs, |(), c| sprs_answer(&c));
    let (ours, theirs) = (nalgebra_matrix(a), nalgebra_matrix(b));
    let read = |&(): &(), c| nalgebra_answer(&c);
    contest.enter(Side::Peer, "nalgebra", (), move |()| &ours + &theirs, read);
    let (ours, theirs) = (faer_matrix::<usize>(a), faer_matrix(b));
    contest.enter(Side::Peer, "faer", (), move |()| &ours + &theirs, |(), c| faer_answer(&c));
}

/// `C[i,j] = A[i,j] * B[i,j]`
pub fn multiply<'a>(contest: &mut Contest<'a>, Pair { a, b, .. }: &'a Pair) {
    enter_ours(contest, a, b, kernels::multiply, kernels::multiply_into);
    let (ours, theirs) = (sprs_matrix::<usize>(a), sprs_matrix::<usize>(b));
    let product = mul_mat_same_storage::<f64, f64, f64, usize, usize, CsMat<f64>, CsMat<f64>>;
    let run = move |&mut (): &mut ()| product(&ours, &theirs);
    contest.enter(Side::Peer, "sprs", (), run, |(), c| sprs_answer(&c));
    let run = |&mut (): &mut ()| multiply_by_hand(a, b);
    let read = |&(): &(), (pos, crd, vals): (Vec<u32>, Vec<u32>, Vec<f64>)| {
        let widen = |indices: Vec<u32>| indices.into_iter().map(|index| index as usize);
        Answer::sparse(widen(pos), widen(crd), &vals)
    };
    contest.enter(Side::Peer, "by hand", (), run, read);
}

type CsrView<'a> = View<'a, f64, Csr>;

/// Adds our kernel that returns a new matrix, and the one that reuses a matrix.
pub fn enter_ours<'a>(
    contest: &mut Contest<'a>,
    a: &'a Tensor<f64, Csr>,
    b: &'a Tensor<f64, Csr>,
    make: impl Fn(CsrView<'a>, CsrView<'a>) -> Result<Tensor<f64, Csr>, Error> + 'a,
    reuse: impl Fn(&mut Tensor<f64, Csr>, CsrView<'a>, CsrView<'a>) -> Result<(), Error> + 'a,
) {
    let run = move |&mut (): &mut ()| make(a.view(), b.view()).expect("the extents agree");
    contest.enter(Side::Ours, "csr", (), run, |(), c| our_answer(&c));
    let c = Tensor::zeros(a.shape()).expect("it fits");
    let run = move |c: &mut _| reuse(c, a.view(), b.view()).expect("the extents agree");
    contest.enter(Side::Variant, "into", c, run, |c, ()| our_answer(c));
}

/// Returns a hand-written elementwise product.
fn multiply_by_hand(a: &Tensor<f64, Csr>, b: &Tensor<f64, Csr>) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
    let (left, right) = (&a.levels().1, &b.levels().1);
    let (mut pos, mut crd, mut vals) = (vec![0], Vec::new(), Vec::new());
    for row in 0..a.shape()[0] {
        let (mut p, mut q) = (left.pos[row] as usize, right.pos[row] as usize);
        while p < left.pos[row + 1] as usize && q < right.pos[row + 1] as usize {
            match left.crd[p].cmp(&right.crd[q]) {
                Ordering::Less => p += 1,
                Ordering::Greater => q += 1,
                Ordering::Equal => {
                    crd.push(left.crd[p]);
                    vals.push(a.vals()[p] * b.vals()[q]);
                    (p, q) = (p + 1, q + 1);
                }
            }
        }
        pos.push(crd.len() as u32);
    }
    (pos, crd, vals)
}
