//! Contests on format conversion.

use sparsegen::{CooUnordered, Csr, Tensor};

use crate::contest::{Contest, Side};
use crate::kernels;
use crate::operands::scattered;
use crate::packing::{columns_answer, enter_peers, enter_turning_peers};
use crate::peers::{
    faer_answer, faer_matrix, nalgebra_answer, nalgebra_matrix, our_answer, sprs_answer,
    sprs_matrix,
};

/// `B[i,j] = A[i,j]`, from a list of entries in random order with some duplicates to rows.
pub fn compress<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let shape = a.shape();
    let entries = scattered(a);
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
    enter_peers(contest, shape, &entries);
}

/// `B[i,j] = A[i,j]`, from rows to columns.
pub fn turn<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let make = move |&mut (): &mut ()| kernels::turn(a).expect("it fits");
    contest.enter(Side::Ours, "csr", (), make, |(), b| columns_answer(&b));
    let b = Tensor::zeros(a.shape()).expect("it fits");
    let reuse = move |b: &mut _| kernels::turn_into(b, a).expect("it fits");
    contest.enter(Side::Variant, "into", b, reuse, |b, ()| columns_answer(b));
    enter_turning_peers(contest, a);
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
