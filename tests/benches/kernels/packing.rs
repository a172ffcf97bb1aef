//! Contests on runtime functions without kernels: packing entries, and converting.

use faer::Mat;
use faer::sparse::{SparseRowMat, Triplet};
use nalgebra_sparse::na::DMatrix;
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use ndarray::Array2;
use sparsegen::{Assembly, Coo, CooUnordered, Csc, Csr, Dense, Tensor};
use sprs::TriMat;

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::operands::scattered;
use crate::peers::{
    faer_answer, faer_matrix, nalgebra_answer, nalgebra_matrix, our_answer, sprs_answer,
    sprs_matrix,
};

type Entries = Vec<([usize; 2], f64)>;

/// Packs entries in random order, with some duplicates, to rows.
pub fn pack<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let entries = scattered(a);
    let list = Tensor::<f64, CooUnordered<2>>::from_triplets(a.shape(), entries.iter().copied())
        .expect("the coordinates are below the extents");
    enter_triplets(contest, Side::Ours, a.shape(), &entries);
    let run = move |&mut (): &mut ()| list.to::<Csr>().expect("it fits");
    contest.enter(Side::Variant, "to", (), run, |(), b| our_answer(&b));
    enter_peers(contest, a.shape(), &entries);
}

/// Packs values at the same coordinates as before, in random order, with some duplicates, to rows.
pub fn refill<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let entries = scattered(a);
    let vals: Vec<f64> = entries.iter().map(|entry| entry.1).collect();
    let coordinates = entries.iter().map(|entry| entry.0);
    let assembly = Assembly::<Csr>::new(a.shape(), coordinates).expect("it fits");
    let result = assembly.fill(&vals).expect("it fits");
    let (again, values) = (assembly.clone(), vals.clone());
    let run = move |b: &mut Tensor<f64, Csr>| again.fill_into(b, &values).expect("it fits");
    contest.enter(Side::Ours, "fill_into", result, run, |b, ()| our_answer(b));
    let run = move |&mut (): &mut ()| assembly.fill(&vals).expect("it fits");
    contest.enter(Side::Variant, "fill", (), run, |(), b| our_answer(&b));
    enter_triplets(contest, Side::Peer, a.shape(), &entries);
    enter_peers(contest, a.shape(), &entries);
}

/// Adds two matrices that share their structure, beside a sum of vectors of their values.
pub fn add_shared<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let (c, d) = (a.clone(), a.map(|_, value| 0.5 * value));
    let run = move |&mut (): &mut ()| c.zip_vals(&d, |c, d| c + d).expect("one structure");
    contest.enter(Side::Ours, "zip_vals", (), run, |(), b| Answer::dense(b.vals()));
    let (c, d) = (a.clone(), a.map(|_, value| 0.5 * value));
    let run = move |&mut (): &mut ()| kernels::add(&c, &d).expect("equal extents");
    contest.enter(Side::Variant, "kernel", (), run, |(), b| Answer::dense(b.vals()));
    let (c, d) = (a.vals().to_vec(), a.vals().iter().map(|value| 0.5 * value).collect::<Vec<_>>());
    let run = move |&mut (): &mut ()| c.iter().zip(&d).map(|(c, d)| c + d).collect::<Vec<f64>>();
    contest.enter(Side::Peer, "vectors", (), run, |(), b| Answer::dense(&b));
}

/// Packs sorted and distinct entries in our sorted list to rows.
pub fn to_csr<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
    let entries: Entries = a.iter().collect();
    let list = a.to::<Coo<2>>().expect("it fits");
    let run = move |&mut (): &mut ()| list.to::<Csr>().expect("it fits");
    contest.enter(Side::Ours, "to", (), run, |(), b| our_answer(&b));
    enter_triplets(contest, Side::Variant, a.shape(), &entries);
    enter_peers(contest, a.shape(), &entries);
}

fn enter_triplets(contest: &mut Contest<'_>, side: Side, shape: [usize; 2], entries: &Entries) {
    let entries = entries.clone();
    let run = move |&mut (): &mut ()| {
        Tensor::<f64, Csr>::from_triplets(shape, entries.iter().copied()).expect("it fits")
    };
    contest.enter(side, "from_triplets", (), run, |(), b| our_answer(&b));
}

/// Adds the peers that pack entries to rows, each from its own list.
pub fn enter_peers(contest: &mut Contest<'_>, shape: [usize; 2], entries: &Entries) {
    let side = |mode: usize| entries.iter().map(|entry| entry.0[mode]).collect::<Vec<_>>();
    let (rows, columns) = (side(0), side(1));
    let vals: Vec<f64> = entries.iter().map(|entry| entry.1).collect();

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

/// Converts rows to columns.
pub fn to_csc<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let run = move |&mut (): &mut ()| a.to::<Csc>().expect("it fits");
    contest.enter(Side::Ours, "to", (), run, |(), b| columns_answer(&b));
    enter_turning_peers(contest, a);
}

/// Adds the peers that convert rows to columns.
pub fn enter_turning_peers<'a>(contest: &mut Contest<'a>, a: &Tensor<f64, Csr>) {
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

/// Returns our matrix that is stored by columns as an answer.
pub fn columns_answer(matrix: &Tensor<f64, Csc>) -> Answer {
    let columns = &matrix.levels().1;
    let widen = |indices: &[u32]| indices.iter().map(|index| *index as usize).collect::<Vec<_>>();
    Answer::sparse(widen(&columns.pos), widen(&columns.crd), matrix.vals())
}

/// Converts rows to a dense matrix.
pub fn to_dense<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let run = move |&mut (): &mut ()| a.to::<Dense<2>>().expect("it fits");
    contest.enter(Side::Ours, "to", (), run, |(), b| Answer::dense(b.vals()));

    let matrix = sprs_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| matrix.to_dense();
    let read = |&(): &(), b: Array2<f64>| Answer::dense(b.as_slice().expect("row-major"));
    contest.enter(Side::Peer, "sprs", (), run, read);
    let matrix = nalgebra_matrix(a);
    let run = move |&mut (): &mut ()| DMatrix::from(&matrix);
    let read = |&(): &(), b: DMatrix<f64>| Answer::by_columns(b.as_slice(), b.nrows());
    contest.enter(Side::Peer, "nalgebra", (), run, read);
    let matrix = faer_matrix::<usize>(a);
    let run = move |&mut (): &mut ()| matrix.to_dense();
    let read = |&(): &(), b: Mat<f64>| {
        let row = |row: usize| (0..b.ncols()).map(move |column| (row, column));
        let places = (0..b.nrows()).flat_map(row);
        Answer::dense(&places.map(|place| b[place]).collect::<Vec<_>>())
    };
    contest.enter(Side::Peer, "faer", (), run, read);
}
