//! Conversions from and to other crates: their types lend and hand over arrays without a copy, and
//! what they do not guarantee is checked.

use faer_0_24 as faer;
use nalgebra_sparse_0_12 as nalgebra_sparse;
use ndarray_0_17 as ndarray;
use sprs_0_11 as sprs;

use nalgebra_sparse::na::{DMatrix, DVector};
use nalgebra_sparse::{CscMatrix, CsrMatrix};
use sparsegen::{Csc, Csr, Dense, DenseCol, Error, Format, IntoView, SparseVector, Tensor, View};

type Wide = Csr<usize, usize>;
type WideCol = Csc<usize, usize>;

/// The entries of the matrix of these tests, which has an empty row, an empty column, and the shape
/// 3 × 4.
const ENTRIES: [([usize; 2], f64); 4] =
    [([0, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.0), ([2, 3], 5.0)];

fn matrix<F: Format<Shape = [usize; 2]>>() -> Tensor<f64, F> {
    Tensor::from_triplets([3, 4], ENTRIES).unwrap()
}

/// Does what generated kernels do with an operand.
fn operand<'a, F: Format>(a: impl IntoView<'a, f64, F>) -> Result<View<'a, f64, F>, Error> {
    a.into_view()
}

/// Checks that two arrays are the same memory.
#[track_caller]
fn same<T>(a: &[T], b: &[T]) {
    assert_eq!((a.as_ptr(), a.len()), (b.as_ptr(), b.len()));
}

#[track_caller]
fn refused<T>(result: Result<T, Error>, words: &[&str]) {
    let Err(error) = result else { panic!("this is accepted") };
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "there is no `{word}` in: {text}");
    }
}

#[test]
fn sprs_lends_and_hands_over() {
    let ours = matrix::<Wide>();
    let (crd, vals) = (ours.levels().1.crd.as_ptr(), ours.vals().as_ptr());
    let theirs = sprs::CsMat::try_from(ours.clone()).unwrap();
    assert_eq!((theirs.get(2, 3), theirs.get(1, 1), theirs.nnz()), (Some(&5.0), None, 4));

    let view = operand::<Wide>(&theirs).unwrap();
    assert!(view.iter().eq(ENTRIES));
    same(view.vals(), theirs.data());
    same(view.levels().1.crd, theirs.indices());
    let of_view = theirs.view();
    same(operand::<Wide>(&of_view).unwrap().vals(), theirs.data());

    // Both ways and back, the arrays stay where they are.
    let moved = sprs::CsMat::try_from(ours).unwrap();
    let back = Tensor::<f64, Wide>::try_from(moved).unwrap();
    assert_eq!((back.levels().1.crd.as_ptr(), back.vals().as_ptr()), (crd, vals));
    let lent = sprs::CsMatView::try_from(back.view()).unwrap();
    same(lent.data(), back.vals());

    let by_columns = theirs.to_csc();
    assert!(operand::<WideCol>(&by_columns).unwrap().iter().eq(matrix::<WideCol>().iter()));
    assert_eq!(Tensor::<f64, WideCol>::try_from(by_columns).unwrap(), matrix::<WideCol>());
    let narrow = sprs::CsMatI::<f64, u32>::try_from(matrix::<Csr>()).unwrap();
    assert_eq!(operand::<Csr>(&narrow).unwrap().to::<Csr>().unwrap(), matrix::<Csr>());
}

#[test]
fn sprs_is_checked() {
    let theirs = sprs::CsMat::try_from(matrix::<Wide>()).unwrap();
    let words = ["a matrix of `sprs` cannot be used as a `csc` tensor", "`to_csc()`", "`csr`"];
    refused(operand::<WideCol>(&theirs), &words);
    refused(Tensor::<f64, WideCol>::try_from(theirs.clone()), &words);
    refused(operand::<Wide>(&theirs.to_csc()), &["`to_csr()`"]);
    // A slice of rows keeps the positions of the whole matrix.
    let rows = theirs.slice_outer(2..3);
    refused(operand::<Wide>(&rows), &["level 2", "`pos` starts at 2, not at 0"]);
    // `sprs` needs one more number than the largest coordinate.
    let wide = Tensor::<f64, Csr<u16, u16>>::zeros([1, 1 << 16]).unwrap();
    refused(sprs::CsMatI::try_from(wide), &["a `csr` tensor cannot be used as a matrix of `sprs`"]);
}

#[test]
fn vectors_of_sprs_are_handed_over() {
    let theirs = sprs::CsVec::new(5, vec![1, 4], vec![2.0, 3.0]);
    let ours = Tensor::<f64, SparseVector<usize, usize>>::try_from(theirs.clone()).unwrap();
    assert!(ours.iter().eq([([1], 2.0), ([4], 3.0)]));
    assert_eq!(sprs::CsVec::try_from(ours).unwrap(), theirs);
}

#[test]
fn faer_lends_and_hands_over() {
    use faer::sparse::{SparseColMat, SparseRowMat, SparseRowMatRef};

    let ours = matrix::<Wide>();
    let vals = ours.vals().as_ptr();
    let theirs = SparseRowMat::try_from(ours).unwrap();
    assert_eq!((theirs.get(2, 3), theirs.get(1, 1)), (Some(&5.0), None));
    let view = operand::<Wide>(&theirs).unwrap();
    assert!(view.iter().eq(ENTRIES));
    same(view.vals(), theirs.val());
    same(operand::<Wide>(theirs.as_ref()).unwrap().vals(), theirs.val());
    let lent = SparseRowMatRef::try_from(view).unwrap();
    same(lent.val(), theirs.val());
    let back = Tensor::<f64, Wide>::try_from(theirs).unwrap();
    assert_eq!((back.vals().as_ptr(), &back), (vals, &matrix::<Wide>()));

    let by_columns = SparseColMat::try_from(matrix::<Csc>()).unwrap();
    let view = operand::<Csc>(&by_columns).unwrap();
    same(view.levels().1.crd, by_columns.symbolic().row_idx());
    assert_eq!(view.to::<Csc>().unwrap(), matrix::<Csc>());
}

#[test]
fn faer_is_checked() {
    use faer::sparse::{SparseRowMat, SparseRowMatRef, SymbolicSparseRowMatRef};

    let (pos, crd, vals) = ([0_usize, 2, 2, 4], [1_usize, 3, 3, 0], [2.0, 3.0, 5.0, 4.0]);
    let unsorted = SymbolicSparseRowMatRef::new_unsorted_checked(3, 4, &pos, None, &crd);
    let unsorted = SparseRowMatRef::new(unsorted, &vals);
    refused(operand::<Wide>(unsorted), &["level 2, index 3", "decrease from 3 to 0"]);

    let counts = [1_usize, 0, 2];
    let crd = [1_usize, 9, 0, 3];
    let loose = SymbolicSparseRowMatRef::new_checked(3, 4, &pos, Some(&counts), &crd);
    refused(operand::<Wide>(SparseRowMatRef::new(loose, &vals)), &["unused space"]);
    let (counts, crd) = ([2_usize, 0, 2], [1_usize, 3, 0, 3, 7]);
    let full = SymbolicSparseRowMatRef::new_checked(3, 4, &pos, Some(&counts), &crd);
    let full = SparseRowMatRef::new(full, &[2.0, 3.0, 4.0, 5.0, 9.0]);
    assert!(operand::<Wide>(full).unwrap().iter().eq(ENTRIES));

    let wide = Tensor::<f64, Csr<u32, u32>>::zeros([1, 1 << 31]).unwrap();
    refused(SparseRowMat::try_from(wide), &["reach 2147483648", "`i32`", "choose `u64`"]);
}

#[test]
fn vectors_and_matrices_of_faer_are_lent() {
    let vector = faer::Col::from_fn(4, |i| i as f64);
    let view = operand::<Dense<1>>(vector.as_ref()).unwrap();
    assert_eq!(view.vals(), [0.0, 1.0, 2.0, 3.0]);
    same(faer::ColRef::from(view).try_as_col_major().unwrap().as_slice(), view.vals());
    refused(operand::<Dense<1>>(vector.as_ref().reverse_rows()), &["not contiguous"]);

    let ours = matrix::<Dense<2>>();
    let theirs = faer::MatRef::from(ours.view());
    assert_eq!((theirs.nrows(), theirs.ncols(), theirs[(2, 3)]), (3, 4, 5.0));
    let ours = matrix::<DenseCol<2>>();
    assert_eq!(faer::MatRef::from(ours.view())[(2, 3)], 5.0);
}

#[test]
fn nalgebra_lends_and_hands_over() {
    let ours = matrix::<Wide>();
    let vals = ours.vals().as_ptr();
    let theirs = CsrMatrix::from(ours);
    let view = View::from(&theirs);
    assert!(view.iter().eq(ENTRIES));
    same(view.vals(), theirs.values());
    same(view.levels().1.pos, theirs.row_offsets());
    same(operand::<Wide>(&theirs).unwrap().vals(), theirs.values());
    let back = Tensor::from(theirs);
    assert_eq!((back.vals().as_ptr(), &back), (vals, &matrix::<Wide>()));

    let by_columns = CscMatrix::from(matrix::<WideCol>());
    same(View::from(&by_columns).vals(), by_columns.values());
    assert_eq!(Tensor::from(by_columns), matrix::<WideCol>());
    // The smallest matrices are valid, too.
    assert_eq!(Tensor::from(CsrMatrix::<f64>::zeros(0, 3)).shape(), [0, 3]);

    let vector = DVector::from_vec(vec![1.0, 2.0]);
    same(operand::<Dense<1>>(&vector).unwrap().vals(), vector.as_slice());
    assert_eq!(DVector::from(Tensor::from(vector.clone())), vector);
    let dense = DMatrix::from_fn(3, 4, |i, j| matrix::<Wide>().get([i, j]).unwrap());
    same(operand::<DenseCol<2>>(&dense).unwrap().vals(), dense.as_slice());
    assert_eq!(Tensor::from(dense.clone()), matrix::<DenseCol<2>>());
    assert_eq!(DMatrix::from(matrix::<DenseCol<2>>()), dense);
}

#[test]
fn arrays_are_lent_and_handed_over() {
    use ndarray::{Array1, Array2, Array3, ArrayView2, ShapeBuilder, s};

    let ours = matrix::<Dense<2>>();
    let vals = ours.vals().as_ptr();
    let theirs = Array2::try_from(ours).unwrap();
    assert_eq!((theirs.as_ptr(), theirs[[2, 3]]), (vals, 5.0));
    let view = operand::<Dense<2>>(theirs.view()).unwrap();
    same(view.vals(), theirs.as_slice().unwrap());
    assert_eq!(ArrayView2::try_from(view).unwrap(), theirs);
    same(operand::<Dense<2>>(&theirs).unwrap().vals(), theirs.as_slice().unwrap());
    let back = Tensor::from(theirs);
    assert_eq!((back.vals().as_ptr(), &back), (vals, &matrix::<Dense<2>>()));

    let by_columns = Array2::from_shape_vec((3, 4).f(), matrix::<DenseCol<2>>().vals().to_vec());
    let by_columns = by_columns.unwrap();
    assert_eq!(operand::<DenseCol<2>>(&by_columns).unwrap().vals(), matrix::<DenseCol<2>>().vals());
    let words = ["an array of `ndarray` cannot be used as a `dense` tensor", "as_standard_layout"];
    refused(operand::<Dense<2>>(&by_columns), &words);
    assert_eq!(Tensor::from(by_columns), matrix::<Dense<2>>());

    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 100 + j * 10 + k) as f64);
    assert_eq!(operand::<Dense<3>>(&cube).unwrap().get([1, 2, 3]), Some(123.0));
    assert_eq!(operand::<DenseCol<3>>(cube.t()).unwrap().get([3, 2, 1]), Some(123.0));
    refused(operand::<DenseCol<3>>(&cube), &["`dense_col`", "column-major"]);

    // A part of a larger array hands over its own values only.
    let vector = Array1::from_vec(vec![1.0, 2.0, 3.0, 4.0]);
    assert_eq!(Tensor::from(vector.clone().slice_move(s![1..3])).vals(), [2.0, 3.0]);
    assert_eq!(Tensor::from(vector.clone().slice_move(s![..;-1])).vals(), [4.0, 3.0, 2.0, 1.0]);
    refused(operand::<Dense<1>>(vector.slice(s![..;2])), &["not contiguous"]);
    assert_eq!(operand::<Dense<1>>(vector.slice(s![1..])).unwrap().vals(), [2.0, 3.0, 4.0]);
    let empty = Tensor::<f64, Dense<2>>::zeros([0, usize::MAX]).unwrap();
    refused(Array2::try_from(empty), &["at most `isize::MAX`"]);
}
