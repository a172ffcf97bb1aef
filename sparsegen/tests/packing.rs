//! Tests that every composition of levels packs, iterates, looks up, validates and converts.

mod common;

use common::{Random, check, declare, sums};
use sparsegen::level::{Compressed, Dense as D, Singleton};
use sparsegen::*;

type C = Compressed<u32, u32>;
type S = Singleton<u32>;

declare! {
    CompressedDense = "compressed_dense", 2 { 0: "compressed", C; 1: "dense", D; }
    NonuniqueDense = "nonunique_dense", 2 { 0: "compressed".nonunique, C; 1: "dense", D; }
    NonuniqueCompressed = "nonunique_compressed", 2 {
        1: "compressed".nonunique, C; 0: "compressed", C;
    }
    DenseFull = "dense_full", 2 { 0: "dense", D; 1: "compressed".full, C; }
    FullLoose = "full_loose", 2 {
        1: "compressed".full.nonordered, C; 0: "compressed".nonordered.nonunique, C;
    }
    CooColumns = "coo_columns", 2 { 1: "compressed".nonunique, C; 0: "singleton", S; }
    CooLoose = "coo_loose", 2 {
        0: "compressed".nonunique.nonordered, C; 1: "singleton".nonunique.nonordered, S;
    }
    FullCoo = "full_coo", 2 { 0: "compressed".full.nonunique, C; 1: "singleton", S; }
    Unpadded = "unpadded", 2 { 0: "compressed".unpadded, C; 1: "compressed".unpadded, C; }
    Narrow = "narrow", 2 { 0: "dense", D; 1: "compressed", Compressed<u16, u8>; }
    Wide = "wide", 2 { 0: "dense", D; 1: "compressed", Compressed<usize, u64>; }

    Rotated = "rotated", 3 { 2: "dense", D; 0: "compressed", C; 1: "compressed", C; }
    MixedCoo = "mixed_coo", 3 {
        0: "dense", D; 1: "compressed".nonunique, C; 2: "singleton", S;
    }
    CooDense = "coo_dense", 3 {
        0: "compressed".nonunique, C; 1: "singleton".nonunique, S; 2: "dense", D;
    }
    CooCompressed = "coo_compressed", 3 {
        2: "compressed".nonunique, C; 0: "singleton", S; 1: "compressed", C;
    }
    CompressedDenseCompressed = "compressed_dense_compressed", 3 {
        0: "compressed", C; 1: "dense", D; 2: "compressed", C;
    }
    DenseMiddle = "dense_middle", 3 {
        0: "compressed".nonunique, C; 1: "dense".nonunique, D; 2: "compressed".nonordered, C;
    }
    AllNonunique = "all_nonunique", 3 {
        1: "compressed".nonunique, C; 0: "compressed".nonunique, C; 2: "compressed".nonunique, C;
    }
    Slices = "slices", 3 { 2: "compressed", C; 1: "dense", D; 0: "dense", D; }
}

/// Packs random entries, and compares the tensor with them, with its conversion to a second format,
/// and with the conversion back.
fn round_trips<F: Format, G: Format<Shape = F::Shape>>() {
    let mut random = Random(7);
    for round in 0..60 {
        let shape = random.shape::<F::Shape>();
        let entries = random.entries(shape, round);
        let sums = sums(&entries);
        let tensor = Tensor::<i64, F>::from_triplets(shape, entries).unwrap();
        check(&tensor, &sums);
        let other = tensor.to::<G>().unwrap();
        check(&other, &sums);
        assert!(tensor.approx_eq(&other, 0.0));
        let mut back = other.to::<F>().unwrap();
        assert!(back.approx_eq(&tensor, 0.0));

        back.prune(2.0).unwrap();
        let kept = sums.into_iter().filter(|(_, value)| value.abs() > 2).collect();
        check(&back, &kept);
        let (_, vals) = back.take_parts();
        assert_eq!(vals.iter().sum::<i64>(), kept.values().sum());
        assert_eq!(back, Tensor::zeros(shape).unwrap());
        check(&back, &Default::default());
    }
}

#[test]
fn built_in_matrices() {
    round_trips::<Csr, Csc>();
    round_trips::<Csc, Dcsr>();
    round_trips::<Dcsr, Coo<2>>();
    round_trips::<Dcsc, Csf<2>>();
    round_trips::<Dense<2>, DenseCol<2>>();
    round_trips::<DenseCol<2>, Csr<u8, u8>>();
}

#[test]
fn built_in_tensors() {
    round_trips::<SparseVector, Dense<1>>();
    round_trips::<Coo<1>, Csf<1>>();
    round_trips::<Coo<3>, Csf<3>>();
    round_trips::<Csf<3>, DenseCol<3>>();
    round_trips::<Coo<4>, Csf<4>>();
    round_trips::<Csf<5>, Coo<5>>();
}

#[test]
fn declared_matrices() {
    round_trips::<CompressedDense, Csr>();
    round_trips::<NonuniqueDense, CompressedDense>();
    round_trips::<NonuniqueCompressed, Csr>();
    round_trips::<FullLoose, CooLoose>();
    round_trips::<DenseFull, Csc>();
    round_trips::<CooColumns, CooLoose>();
    round_trips::<Narrow, Wide>();
}

#[test]
fn declared_tensors() {
    round_trips::<Rotated, MixedCoo>();
    round_trips::<CooDense, CooCompressed>();
    round_trips::<CompressedDenseCompressed, DenseMiddle>();
    round_trips::<AllNonunique, Slices>();
}

#[test]
fn an_unpadded_level_stores_no_zeros() {
    let entries = [([0, 0], 1), ([0, 0], -1), ([1, 1], 0), ([2, 1], 3)];
    let tensor = Tensor::<i64, Unpadded>::from_triplets([3, 2], entries).unwrap();
    assert_eq!(tensor.stored(), 1);
    round_trips::<Unpadded, Csr>();
}

#[test]
fn a_scalar_is_a_tensor_of_order_0() {
    let scalar = Tensor::<i64, Scalar>::from_triplets([], [([], 2), ([], 3)]).unwrap();
    assert_eq!((scalar.get([]), scalar.order(), scalar.stored()), (Some(5), 0, 1));
    assert!(scalar.iter().eq([([], 5)]));
    assert_eq!(scalar.to_string(), "scalar [], 1 value stored\n  [] 5");
    assert_eq!(Tensor::<i64, Scalar>::zeros([]).unwrap().vals(), [0]);
}

#[test]
fn a_full_level_pads_what_is_missing() {
    // The empty row 1 is padded with column 0, because the singleton level requires a coordinate.
    let entries = [([0, 1], 5), ([2, 0], 6), ([2, 1], 7)];
    let tensor = Tensor::<i64, FullCoo>::from_triplets([3, 2], entries).unwrap();
    assert_eq!(tensor.vals(), [5, 0, 6, 7]);
    assert!(tensor.iter().eq(entries));
    let tensor = tensor.to::<CompressedDense>().unwrap();
    assert_eq!(tensor.vals(), [0, 5, 6, 7]);
}

#[test]
fn structures_are_as_small_as_their_levels_allow() {
    let entries = [([3, 1], 5), ([3, 0], 4), ([1, 1], 6)];
    let nonunique = Tensor::<i64, NonuniqueDense>::from_triplets([4, 2], entries).unwrap();
    assert_eq!(nonunique.levels().0.crd, [1, 3]);
    let coo = Tensor::<i64, Coo<2>>::from_triplets([4, 2], entries).unwrap();
    assert_eq!((&*coo.levels().0.crd, &*coo.levels().1.crd), (&[1, 3, 3][..], &[1, 0, 1][..]));
    assert_eq!(coo.levels().0.pos, [0, 3]);
    let csr = coo.to::<Csr>().unwrap();
    assert_eq!(
        (&*csr.levels().1.pos, &*csr.levels().1.crd),
        (&[0, 0, 1, 1, 3][..], &[1, 0, 1][..])
    );
}

#[test]
fn explicit_zeros_move_along_unless_the_format_pads() {
    let csr = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 0.0), ([1, 1], 2.0)]).unwrap();
    assert_eq!((csr.stored(), csr.nnz()), (2, 1));
    assert_eq!(csr.to::<Coo<2>>().unwrap().stored(), 2);
    let dense = csr.to::<Dense<2>>().unwrap();
    assert_eq!((dense.stored(), dense.nnz()), (4, 1));
    assert_eq!(dense.to::<Csr>().unwrap().stored(), 4);
    let padded = csr.to::<CompressedDense>().unwrap();
    assert_eq!((padded.vals().len(), padded.stored()), (4, 1));
    assert!(!padded.contains([0, 1]) && padded.contains([1, 1]));
    assert!(padded.iter().eq([([1, 1], 2.0)]));
    assert_eq!(padded.to::<Csr>().unwrap().stored(), 1);
    assert_eq!(padded.map_vals(|value| value + 1.0).vals(), [0.0, 0.0, 0.0, 3.0]);
}

#[test]
fn entries_that_share_a_coordinate_are_combined_as_the_caller_says() {
    let entries = [([1, 1], 3.0), ([0, 1], 1.0), ([1, 1], 2.0)];
    let list = Tensor::<f64, CooUnordered<2>>::from_triplets([2, 2], entries).unwrap();
    let expected = [([0, 1], 1.0), ([1, 1], 2.0)];
    assert!(list.to_by::<Csr>(f64::min).unwrap().iter().eq(expected));
    assert!(list.to_by::<Csc>(f64::min).unwrap().iter().eq(expected));
    assert!(list.to_by::<CompressedDense>(f64::min).unwrap().iter().eq(expected));
    // The entries are combined in an unordered format too.
    assert!(list.to_by::<CooUnordered<2>>(f64::min).unwrap().iter().eq(expected));
    let pattern = list.pattern();
    assert_eq!(pattern.to_by::<Csr>(f64::max).unwrap().stored(), 2);
    assert!(matches!(pattern.to_by::<Csr>(|a, b| a + b), Err(Error::Duplicate { .. })));
}

#[test]
fn sorted_and_shuffled_entries_pack_alike() {
    let mut random = Random(3);
    let entries = random.entries([200, 300], 5000);
    let tensor = Tensor::<i64, Csr>::from_triplets([200, 300], entries.iter().copied()).unwrap();
    assert!(tensor.iter().is_sorted_by(|(a, _), (b, _)| a < b));
    assert_eq!(Tensor::from_triplets([200, 300], tensor.iter()), Ok(tensor.clone()));
    assert_eq!(Tensor::from_triplets([200, 300], entries.into_iter().rev()), Ok(tensor));
}

#[test]
fn duplicates_follow_the_policy() {
    let build = |duplicates| {
        let mut builder = Tensor::<i64, Csr>::builder([2, 2]).duplicates(duplicates);
        builder.push([0, 1], 3);
        builder.extend([([1, 1], 9), ([0, 1], 7), ([0, 1], 5)]);
        builder.build().map(|tensor| tensor.vals()[0])
    };
    let policies = [
        (Duplicates::Sum, 15),
        (Duplicates::First, 3),
        (Duplicates::Last, 5),
        (Duplicates::Min, 3),
        (Duplicates::Max, 7),
    ];
    for (policy, expected) in policies {
        assert_eq!(build(policy), Ok(expected), "{policy:?}");
    }
    let error = build(Duplicates::Error).unwrap_err();
    assert_eq!(error, Error::Duplicate { format: "csr", coordinate: vec![0, 1] });
}

#[test]
fn dense_arrays_lose_their_zeros() {
    let tensor = Tensor::<i64, Csc>::from_dense([2, 3], &[0, 1, 0, 2, 0, 3]).unwrap();
    assert!(tensor.iter().eq([([1, 0], 2), ([0, 1], 1), ([1, 2], 3)]));
    assert!(matches!(Tensor::<i64, Csc>::from_dense([2, 3], &[1]), Err(Error::Parts { .. })));
    let eye = Tensor::<i64, Dense<2>>::eye(2).unwrap();
    assert_eq!(eye.vals(), [1, 0, 0, 1]);
    assert!(matches!(Tensor::<f64, Csr>::eye(usize::MAX), Err(Error::Size { .. })));
}

/// A vector in which NaN is a missing number.
#[derive(Clone, Copy, Debug)]
struct Gaps;

impl Format for Gaps {
    const NAME: &'static str = "gaps";
    const MAP: Map = Map::new(&[LevelMap::dimension(0, "compressed")]);
    type Shape = [usize; 1];
    type Levels = (C,);
    const FILL: Fill = Fill::Float(f64::NAN);
}

#[test]
fn missing_numbers_are_no_entries() {
    let gaps = Tensor::<f64, Gaps>::from_dense([3], &[f64::NAN, 0.0, f64::NAN]).unwrap();
    assert_eq!((gaps.vals(), gaps.nnz()), (&[0.0][..], 1));
    let stored = Tensor::<f64, Gaps>::from_triplets([2], [([0], f64::NAN), ([1], 2.0)]).unwrap();
    assert_eq!((stored.vals().len(), stored.nnz()), (2, 1));
}

#[test]
fn values_change_type_in_place() {
    let tensor = Tensor::<i64, Csr>::from_triplets([2, 2], [([0, 1], 4), ([1, 0], 9)]).unwrap();
    let roots = tensor.map_vals(|value| (value as f64).sqrt());
    assert!(roots.iter().eq([([0, 1], 2.0), ([1, 0], 3.0)]));
}

#[test]
fn results_that_exceed_memory_are_refused() {
    // One row with many entries makes every row of the result as long.
    let shape = [1 << 50, 1 << 20];
    let row = (0..1 << 10).map(|j| ([7, j], 1.0));
    let list = Tensor::<f64, Coo<2, usize, usize>>::from_triplets(shape, row).unwrap();
    let is_refused = |error| assert!(matches!(error, Error::Size { .. }), "{error}");
    is_refused(list.to::<Ell<usize, usize>>().unwrap_err());
    is_refused(list.to::<Dia<usize, usize>>().unwrap_err());
    is_refused(list.to::<Dense<2>>().unwrap_err());
    is_refused(list.to::<HashRows<usize, usize>>().unwrap_err());
}
