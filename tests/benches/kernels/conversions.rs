//! The contests on conversions between formats.

use faer::sparse::{SparseRowMat, Triplet};
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use sparsegen::{CooUnordered, Csr, Tensor};
use sprs::TriMat;

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::operands::scattered;
use crate::peers::{
    faer_answer, faer_matrix, nalgebra_answer, nalgebra_matrix, our_answer, sprs_answer,
    sprs_matrix,
};

/// `B[i,j] = A[i,j]`, from a list of entries in random order, a part of them repeated, to rows.
pub fn compress<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let shape = a.shape();
    let entries = scattered(a);
    let (coordinates, vals): (Vec<[usize; 2]>, Vec<f64>) = entries.iter().copied().unzip();
    let side = |mode: usize| coordinates.iter().map(|c| c[mode]).collect::<Vec<_>>();
    let (rows, columns) = (side(0), side(1));

    let list = Tensor::<f64, CooUnordered<2>>::from_triplets(shape, entries.iter().copied())
        .expect("the coordinates are below the extents");
    let make = {
        let list = list.clone();
        move |&mut (): &mut ()| kernels::compress(&list).expect("it fits")
    };
    contest.enter(Side::Ours, "csr", (), make, |(), b| our_answer(&b));
    let reuse = move |b: &mut _| kernels::compress_into(b, &list).expect("it fits");
    let b = Tensor::zeros(shape).expect("it fits");
    contest.enter(Side::Variant, "into", b, reuse, |b, ()| our_answer(b));
    let triplets = entries.clone();
    let make = move |&mut (): &mut ()| {
        Tensor::<f64, Csr>::from_triplets(shape, triplets.iter().copied()).expect("it fits")
    };
    contest.enter(Side::Variant, "from_triplets", (), make, |(), b| our_answer(&b));

    let shape = (shape[0], shape[1]);
    let list = TriMat::from_triplets(shape, rows.clone(), columns.clone(), vals.clone());
    let run = move |&mut (): &mut ()| list.to_csr::<usize>();
    contest.enter(Side::Peer, "sprs", (), run, |(), b| sprs_answer(&b));
    let list = CooMatrix::try_from_triplets(shape.0, shape.1, rows, columns, vals)
        .expect("the coordinates are below the extents");
    let run = move |&mut (): &mut ()| CsrMatrix::from(&list);
    contest.enter(Side::Peer, "nalgebra", (), run, |(), b| nalgebra_answer(&b));
    let list: Vec<_> = entries.iter().map(|([i, j], value)| Triplet::new(*i, *j, *value)).collect();
    let run = move |&mut (): &mut ()| {
        SparseRowMat::<usize, f64>::try_new_from_triplets(shape.0, shape.1, &list)
            .expect("the coordinates are below the extents")
    };
    contest.enter(Side::Peer, "faer", (), run, |(), b| faer_answer(&b));
}

/// `B[i,j] = A[i,j]`, from rows to columns.
pub fn turn<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let answer = |b: &Tensor<f64, sparsegen::Csc>| {
        let columns = &b.levels().1;
        let widen =
            |indices: &[u32]| indices.iter().map(|index| *index as usize).collect::<Vec<_>>();
        Answer::sparse(widen(&columns.pos), widen(&columns.crd), b.vals())
    };
    let make = move |&mut (): &mut ()| kernels::turn(a).expect("it fits");
    contest.enter(Side::Ours, "csr", (), make, |(), b| answer(&b));
    let b = Tensor::zeros(a.shape()).expect("it fits");
    let reuse = move |b: &mut _| kernels::turn_into(b, a).expect("it fits");
    contest.enter(Side::Variant, "into", b, reuse, |b, ()| answer(b));

    let matrix = sprs_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| matrix.to_other_storage();
    contest.enter(Side::Peer, "sprs", (), run, |(), b| sprs_answer(&b));
    let matrix = nalgebra_matrix(a);
    let run = move |&mut (): &mut ()| CscMatrix::from(&matrix);
    let read = |&(): &(), b: CscMatrix<f64>| nalgebra_answer(&b.transpose_as_csr());
    contest.enter(Side::Peer, "nalgebra", (), run, read);
    let matrix = faer_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| matrix.to_col_major().expect("it fits");
    contest.enter(Side::Peer, "faer", (), run, |(), b| faer_answer(&b.into_transpose()));
}

/// `C[i,j] = A[i,j] + A[j,i]`
pub fn symmetrize<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let make = move |&mut (): &mut ()| kernels::symmetrize(a).expect("it is square");
    contest.enter(Side::Ours, "csr", (), make, |(), c| our_answer(&c));
    let c = Tensor::zeros(a.shape()).expect("it fits");
    let reuse = move |c: &mut _| kernels::symmetrize_into(c, a).expect("it is square");
    contest.enter(Side::Variant, "into", c, reuse, |c, ()| our_answer(c));

    let matrix = sprs_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| &matrix + &matrix.transpose_view().to_csr();
    contest.enter(Side::Peer, "sprs", (), run, |(), c| sprs_answer(&c));
    let matrix = nalgebra_matrix(a);
    let run = move |&mut (): &mut ()| &matrix + matrix.transpose();
    contest.enter(Side::Peer, "nalgebra", (), run, |(), c| nalgebra_answer(&c));
    let matrix = faer_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| {
        let transposed = matrix.transpose().to_row_major().expect("it fits");
        &matrix + &transposed
    };
    contest.enter(Side::Peer, "faer", (), run, |(), c| faer_answer(&c));
}
