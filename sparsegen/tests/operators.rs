//! Operators on matrices and vectors, in every pair of built-in formats, against sums and products
//! of their elements.

use std::collections::BTreeMap;

use sparsegen::operators::{Difference, Hadamard, Sum};
use sparsegen::*;

type Elements<const N: usize> = BTreeMap<[usize; N], i64>;

/// Returns the elements of a tensor that are not zero.
fn elements<F: Format<Shape = [usize; N]>, const N: usize>(tensor: &Tensor<i64, F>) -> Elements<N> {
    let mut all = Elements::new();
    for (coordinates, value) in tensor.iter() {
        *all.entry(coordinates).or_default() += value;
    }
    nonzero(all)
}

fn nonzero<const N: usize>(mut elements: Elements<N>) -> Elements<N> {
    elements.retain(|_, value| *value != 0);
    elements
}

/// Returns entries of a matrix, about one in three, with zeros and negative values among them.
fn entries([rows, columns]: [usize; 2], seed: usize) -> Vec<([usize; 2], i64)> {
    let value = |i: usize, j: usize| ((i * 7 + j * 11 + seed * 13) % 9) as i64 - 4;
    let is_stored = |i: usize, j: usize| (i * 5 + j * 3 + i * j + seed).is_multiple_of(3);
    let all = (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
    all.filter(|[i, j]| is_stored(*i, *j)).map(|[i, j]| ([i, j], value(i, j))).collect()
}

fn matrix<F: Format<Shape = [usize; 2]>>(shape: [usize; 2], seed: usize) -> Tensor<i64, F> {
    Tensor::from_triplets(shape, entries(shape, seed)).expect("entries within the shape")
}

fn vector<F: Format<Shape = [usize; 1]>>(size: usize, seed: usize) -> Tensor<i64, F> {
    let entries = entries([1, size], seed).into_iter().map(|([_, j], value)| ([j], value));
    Tensor::from_triplets([size], entries).expect("entries within the shape")
}

/// Combines two tensors element by element.
fn combined<const N: usize>(
    a: &Elements<N>,
    b: &Elements<N>,
    combine: impl Fn(i64, i64) -> i64,
) -> Elements<N> {
    let of = |elements: &Elements<N>, at: &[usize; N]| elements.get(at).copied().unwrap_or(0);
    let all = a.keys().chain(b.keys());
    nonzero(all.map(|at| (*at, combine(of(a, at), of(b, at)))).collect())
}

/// Returns the products of the elements of a matrix and of the rows of another one.
fn multiplied(a: &Elements<2>, b: &Elements<2>) -> Elements<2> {
    let mut product = Elements::new();
    for ([i, k], left) in a {
        for ([_, j], right) in b.range([*k, 0]..[k + 1, 0]) {
            *product.entry([*i, *j]).or_default() += left * right;
        }
    }
    nonzero(product)
}

/// Returns a vector as the only column of a matrix, and such a matrix as a vector.
fn as_column(vector: &Elements<1>) -> Elements<2> {
    vector.iter().map(|([i], value)| ([*i, 0], *value)).collect()
}

fn as_vector(column: &Elements<2>) -> Elements<1> {
    column.iter().map(|([i, _], value)| ([*i], *value)).collect()
}

/// Calls a macro with a format and every matrix format.
macro_rules! pairs_of_matrices {
    ($($left:ty),*) => {$( pairs_of_matrices!(@ $left); )*};
    (@ $left:ty) => {
        pairs_of_matrices!(@ $left;
            Dense<2>, DenseCol<2>, Csr, Csc, Dcsr, Dcsc, Coo<2>, CooUnordered<2>, Csf<2>, Dia, Ell, HashRows
        );
    };
    (@ $left:ty; $($right:ty),*) => {$(
        for (shape, seed) in [([5, 7], 0), ([6, 6], 4), ([1, 9], 2), ([0, 3], 0)] {
            let (a, b) = (matrix::<$left>(shape, seed), matrix::<$right>(shape, seed + 1));
            let (of_a, of_b) = (elements(&a), elements(&b));
            let names = format!("{} and {}", <$left>::NAME, <$right>::NAME);
            assert_eq!(elements(&(&a + &b)), combined(&of_a, &of_b, |a, b| a + b), "{names}");
            assert_eq!(elements(&(&a - &b)), combined(&of_a, &of_b, |a, b| a - b), "{names}");
            assert_eq!(elements(&a.hadamard(&b)), combined(&of_a, &of_b, |a, b| a * b), "{names}");
            let b = matrix::<$right>([shape[1], 4], seed + 2);
            assert_eq!(elements(&(&a * &b)), multiplied(&of_a, &elements(&b)), "{names}");
        }
    )*};
}

#[test]
fn matrices_in_all_pairs_of_formats() {
    pairs_of_matrices!(
        Dense<2>,
        DenseCol<2>,
        Csr,
        Csc,
        Dcsr,
        Dcsc,
        Coo<2>,
        CooUnordered<2>,
        Csf<2>,
        Dia,
        Ell,
        HashRows
    );
}

macro_rules! products_with_vectors {
    ($($matrix:ty),*) => {$(
        products_with_vectors!(@ $matrix; Dense<1>, SparseVector, HashVector, Coo<1>, CooUnordered<1>, Csf<1>);
    )*};
    (@ $matrix:ty; $($vector:ty),*) => {$(
        for (shape, seed) in [([5, 7], 0), ([6, 6], 4), ([0, 3], 0)] {
            let (a, x) = (matrix::<$matrix>(shape, seed), vector::<$vector>(shape[1], seed + 1));
            let expected = multiplied(&elements(&a), &as_column(&elements(&x)));
            assert_eq!(elements(&(&a * &x)), as_vector(&expected), "{}", <$matrix>::NAME);
        }
    )*};
}

#[test]
fn products_with_vectors() {
    products_with_vectors!(
        Dense<2>,
        DenseCol<2>,
        Csr,
        Csc,
        Dcsr,
        Dcsc,
        Coo<2>,
        CooUnordered<2>,
        Csf<2>,
        Dia,
        Ell,
        HashRows
    );
}

macro_rules! pairs_of_vectors {
    ($($left:ty),*) => {$( pairs_of_vectors!(@ $left; Dense<1>, SparseVector, HashVector, Coo<1>, CooUnordered<1>, Csf<1>); )*};
    (@ $left:ty; $($right:ty),*) => {$(
        let (x, y) = (vector::<$left>(20, 0), vector::<$right>(20, 1));
        let (of_x, of_y) = (elements(&x), elements(&y));
        assert_eq!(elements(&(&x + &y)), combined(&of_x, &of_y, |x, y| x + y));
        assert_eq!(elements(&(&x - &y)), combined(&of_x, &of_y, |x, y| x - y));
        let products = combined(&of_x, &of_y, |x, y| x * y);
        assert_eq!(elements(&x.hadamard(&y)), products);
        assert_eq!(x.dot(&y), products.values().sum::<i64>());
    )*};
}

#[test]
fn vectors_in_all_pairs_of_formats() {
    pairs_of_vectors!(Dense<1>, SparseVector, HashVector, Coo<1>, CooUnordered<1>, Csf<1>);
}

#[test]
fn results_have_the_documented_formats() {
    let shape = [4, 4];
    let (csr, csc) = (matrix::<Csr>(shape, 0), matrix::<Csc>(shape, 1));
    let (dcsr, dcsc) = (matrix::<Dcsr>(shape, 2), matrix::<Dcsc>(shape, 3));
    let (dia, dense) = (matrix::<Dia>(shape, 4), matrix::<DenseCol<2>>(shape, 5));
    let (x, sparse) = (vector::<Dense<1>>(4, 6), vector::<HashVector>(4, 7));
    let _: Tensor<i64, Dia> = &dia + &dia;
    let _: Tensor<i64, Csr> = &dia + &csc;
    let _: Tensor<i64, Csc> = &csc - &dcsc;
    let _: Tensor<i64, Dense<2>> = &dcsr + &dense;
    let _: Tensor<i64, DenseCol<2>> = &dense + &dense;
    let _: Tensor<i64, Dia> = dense.hadamard(&dia);
    let _: Tensor<i64, Csr> = &csr * &csc;
    let _: Tensor<i64, Csc> = &dcsc * &csc;
    let _: Tensor<i64, Dcsr> = &dcsr * &dia;
    let _: Tensor<i64, Dense<2>> = &dense * &csr;
    let _: Tensor<i64, Dense<1>> = &dia * &x;
    let _: Tensor<i64, SparseVector> = &dia * &sparse;
    let _: Tensor<i64, Dense<1>> = &dense * &sparse;
    let _: Tensor<i64, Dense<1>> = &x + &sparse;
    let _: Tensor<i64, HashVector> = sparse.hadamard(&x);
}

#[test]
fn scalars_negation_and_assignment() {
    let (a, b) = (matrix::<Ell>([3, 5], 0), matrix::<Coo<2>>([3, 5], 1));
    let of_a = elements(&a);
    let times = |factor: i64| nonzero(of_a.iter().map(|(at, v)| (*at, factor * v)).collect());
    assert_eq!(elements(&-&a), times(-1));
    assert_eq!((elements(&(3 * &a)), elements(&(&a * 3))), (times(3), times(3)));
    let zero = 0;
    assert_eq!(elements(&(zero * &a)), times(zero));
    let mut sum = a.to::<Csr>().expect("a matrix");
    sum += &b;
    sum -= &a;
    assert_eq!(elements(&sum), elements(&b));
    sum *= -2;
    assert_eq!(elements(&sum), elements(&(&b * -2)));
    assert_eq!(&sum + &sum, &sum * 2);
}

#[test]
fn transposed_matrices_borrow_their_arrays() {
    let csr = matrix::<Csr>([3, 5], 0);
    let expected = elements(&csr).into_iter().map(|([i, j], v)| ([j, i], v)).collect();
    assert_eq!(elements(&csr.t().to::<Coo<2>>().expect("a matrix")), expected);
    let other = matrix::<Dcsc>([3, 5], 0);
    assert_eq!(elements(&other.t().to::<Coo<2>>().expect("a matrix")), expected);
    let dense = matrix::<Dense<2>>([3, 5], 0);
    assert_eq!(dense.t().vals().as_ptr(), dense.vals().as_ptr());
    assert_eq!(elements(&dense.t().to::<Coo<2>>().expect("a matrix")), expected);
    let list = matrix::<Coo<2>>([3, 5], 0);
    assert_eq!(list.t().vals().as_ptr(), list.vals().as_ptr());
    assert_eq!(elements(&list.t().to::<Coo<2>>().expect("a matrix")), expected);
    assert_eq!(elements(&list.t().t().to::<Csr>().expect("a matrix")), elements(&list));
    let repeated = [([0, 4], 2), ([2, 1], 3), ([0, 4], 5)];
    let repeated = Tensor::<i64, CooUnordered<2>>::from_triplets([3, 5], repeated).expect("a list");
    assert!(repeated.t().iter().eq([([4, 0], 2), ([1, 2], 3), ([4, 0], 5)]));
    let ones = Tensor::<i64, Dense<1>>::from_dense([3], &[1; 3]).expect("a vector");
    assert_eq!((repeated.t() * &ones).vals(), [0, 3, 0, 0, 7]);
    assert_eq!(csr.t().t().get([2, 1]), csr.get([2, 1]));
    let gram = csr.t() * &csr;
    assert_eq!(elements(&gram), multiplied(&expected, &elements(&csr)));
    let x = vector::<Dense<1>>(3, 1);
    assert_eq!(csr.t() * &x, &csr.transpose().expect("a matrix") * &x);
}

#[test]
fn extents_that_do_not_agree_are_errors() {
    let (a, b) = (matrix::<Csr>([2, 3], 0), matrix::<Dia>([2, 4], 0));
    assert!(matches!(a.try_add(&b), Err(Error::Shape { .. })));
    assert!(matches!(a.try_sub(&b), Err(Error::Shape { .. })));
    assert!(matches!(a.try_mul(&b), Err(Error::Shape { .. })));
    assert!(matches!(a.try_hadamard(&b), Err(Error::Shape { .. })));
    assert!(a.try_mul(&vector::<Dense<1>>(2, 0)).is_err());
    assert!(vector::<SparseVector>(2, 0).try_dot(&vector::<Dense<1>>(3, 0)).is_err());
    let panic = std::panic::catch_unwind(|| &a + &b).expect_err("an error");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("`j`"), "{message}");
}

#[test]
fn elements_of_other_types() {
    let triplets = [([0, 0], 2_u8), ([1, 0], 3)];
    let a = Tensor::<u8, Csr>::from_triplets([2, 2], triplets).expect("a matrix");
    assert_eq!((&a * &a).iter().collect::<Vec<_>>(), [([0, 0], 4), ([1, 0], 6)]);
    let x = Tensor::<f32, Dense<1>>::from_dense([2], &[1.5, -2.0]).expect("a vector");
    assert_eq!((0.5 * &x).vals(), [0.75, -1.0]);
    assert_eq!(x.dot(&x), 6.25);
    #[cfg(feature = "complex")]
    {
        let i = c64::new(0.0, 1.0);
        let z = Tensor::<c64, SparseVector>::from_triplets([2], [([1], i)]).expect("a vector");
        assert_eq!((i * &z).get([1]), Some(c64::new(-1.0, 0.0)));
        assert_eq!(z.dot(&z), c64::new(-1.0, 0.0));
    }
}

#[test]
fn tensors_that_share_their_structure_are_combined_by_value() {
    fn check<F>()
    where
        F: Sum<i64, F, Output = F> + Difference<i64, F, Output = F> + Hadamard<i64, F, Output = F>,
        F: Format<Shape = [usize; 2]>,
    {
        let a = matrix::<F>([5, 6], 1);
        let b = a.map(|[i, j], value| 3 * value + i as i64 - j as i64);
        let other = Tensor::<i64, F>::from_triplets([5, 6], b.iter()).expect("a matrix");
        let (of_a, of_b) = (elements(&a), elements(&other));
        assert_eq!(elements(&(&a + &b)), combined(&of_a, &of_b, |a, b| a + b), "{}", F::NAME);
        assert_eq!(elements(&(&a - &b)), combined(&of_a, &of_b, |a, b| a - b), "{}", F::NAME);
        assert_eq!(elements(&a.hadamard(&b)), combined(&of_a, &of_b, |a, b| a * b), "{}", F::NAME);
    }
    check::<Dense<2>>();
    check::<Csr>();
    check::<Dcsc>();
    check::<Coo<2>>();
    check::<CooUnordered<2>>();
    check::<Dia>();
    check::<Ell>();
    check::<HashRows>();
    let a = matrix::<Csr>([5, 6], 1);
    let mut sum = &a + &(2 * &a);
    assert_eq!(sum.levels().1.crd.as_ptr(), a.levels().1.crd.as_ptr());
    sum -= &a;
    assert_eq!(sum.levels().1.crd.as_ptr(), a.levels().1.crd.as_ptr());
    // Entries of a list are added before they are multiplied.
    let list = [([0, 1], 2), ([0, 1], 3)];
    let list = Tensor::<i64, CooUnordered<2>>::from_triplets([2, 2], list).expect("a list");
    assert_eq!(elements(&list.hadamard(&list)), Elements::from([([0, 1], 25)]));
}

#[test]
fn truth_values() {
    let truth = |seed| matrix::<Dia>([4, 5], seed).map(|_, value| value > 0);
    let (a, b) = (truth(0), truth(1).to::<Coo<2>>().expect("a matrix"));
    let is = |tensor: &Tensor<bool, Csr>, at| tensor.get(at) == Some(true);
    let (any, both) = (&a | &b, &a & &b);
    for (i, j) in (0..4).flat_map(|i| (0..5).map(move |j| (i, j))) {
        let (left, right) = (a.get([i, j]) == Some(true), b.get([i, j]) == Some(true));
        assert_eq!(is(&any, [i, j]), left || right);
        assert_eq!(is(&both, [i, j]), left && right);
    }
}
