//! Patterns: tensors without values.

mod common;

use common::{Random, declare, sums};
use sparsegen::level::{Bitmap, Dense as D};
use sparsegen::*;

declare! {
    BitRows = "bit_rows", 2 { 0: "dense", D; 1: "bitmap", Bitmap; }
}

type P = Pattern<i64>;

/// Checks that a pattern behaves like the same tensor of ones.
fn check<F: Format, G: Format<Shape = F::Shape>>() {
    let mut random = Random(31);
    for round in 0..40 {
        let shape = random.shape::<F::Shape>();
        let entries = random.entries(shape, round);
        let mut builder = Tensor::<P, F>::builder(shape).duplicates(Duplicates::First);
        builder.extend(entries.iter().map(|(coordinate, _)| (*coordinate, P::ONE)));
        let pattern = builder.build().unwrap();
        assert_eq!(size_of_val(pattern.vals()), 0);
        assert_eq!(pattern.stored(), sums(&entries).len());
        assert_eq!(pattern.nnz(), pattern.stored());
        for (coordinate, _) in &entries {
            assert_eq!(pattern.get(*coordinate), Some(1));
        }
        let ones = pattern.clone().map_vals(Pattern::value);
        assert!(ones.approx_eq(&pattern, 0.0));
        assert_eq!(ones.pattern(), pattern);
        assert!(pattern.to::<G>().unwrap().approx_eq(&ones, 0.0));
        let (shape, levels, vals) = pattern.clone().into_parts();
        assert_eq!(Tensor::from_parts(shape, levels, vals).as_ref(), Ok(&pattern));
        let (levels, mut vals) = pattern.clone().take_parts();
        vals.push(P::ONE);
        let error = Tensor::<P, F>::from_parts(shape, levels, vals).unwrap_err();
        assert!(matches!(error, Error::Parts { .. }), "{error}");
    }
}

#[test]
fn patterns_are_tensors_of_ones() {
    check::<Csr, Csc>();
    check::<Csc, CooUnordered<2>>();
    check::<CooUnordered<2>, HashRows>();
    check::<HashRows, BitRows>();
    check::<BitRows, Dcsr>();
    check::<HashVector, SparseVector>();
    check::<Csf<3>, Coo<3>>();
}

#[test]
fn a_pattern_has_no_number_for_two() {
    let entries = [([1, 0], P::ONE), ([0, 1], P::ONE), ([1, 0], P::ONE)];
    let error = Tensor::<P, Csr>::from_triplets([2, 2], entries).unwrap_err();
    assert_eq!(error, Error::Duplicate { format: "csr", coordinate: vec![1, 0] });
    let list = Tensor::<P, CooUnordered<2>>::from_triplets([2, 2], entries).unwrap();
    assert_eq!(list.get([1, 0]), Some(2));
    assert!(matches!(list.to::<Csr>(), Err(Error::Duplicate { .. })));
    let counts = list.map_vals(Pattern::value).to::<Csr>().unwrap();
    assert_eq!(counts.vals(), [1, 2]);
}

#[test]
fn patterns_print_as_ones() {
    let entries = [([0, 1], P::ONE), ([1, 0], P::ONE)];
    let pattern = Tensor::<P, Coo<2>>::from_triplets([2, 2], entries).unwrap();
    assert_eq!(pattern.to_string(), "coo [2, 2], 2 values stored\n     0  1\n  0  .  1\n  1  1  .");
}

#[test]
fn assemblies_fill_patterns() {
    let ones = [Pattern::<f64>::ONE; 2];
    let assembly = Assembly::<Csr>::new([2, 2], [[1, 0], [0, 1]]).unwrap();
    let graph = assembly.fill(&ones).unwrap();
    assert!(graph.iter().map(|(at, _)| at).eq([[0, 1], [1, 0]]));
    // A pattern cannot store the sum of two entries, but one of them.
    let twice = Assembly::<Csr>::new([2, 2], [[0, 1], [0, 1]]).unwrap();
    assert!(matches!(twice.fill(&ones), Err(Error::Argument { function: "fill", .. })));
    let first = Assembly::<Csr>::with_duplicates([2, 2], [[0, 1], [0, 1]], Duplicates::First);
    assert_eq!(first.unwrap().fill(&ones).unwrap().nnz(), 1);
}
