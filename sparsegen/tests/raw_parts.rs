//! Tensors from raw parts: violations of an invariant are refused with their place.

mod common;

use std::fmt::Debug;

use common::{Random, coordinates, declare};
use sparsegen::level::{Compressed, Dense as D, Singleton};
use sparsegen::*;

type C = Compressed<u32, u32>;
type S = Singleton<u32>;

declare! {
    Loose = "loose", 1 { 0: "compressed".nonordered, C; }
    Repeated = "repeated", 1 { 0: "compressed".nonunique, C; }
    Full = "full", 1 { 0: "compressed".full.nonordered, C; }
    NonuniqueRows = "nonunique_rows", 2 { 0: "compressed".nonunique, C; 1: "compressed", C; }
    LooseRows = "loose_rows", 2 {
        0: "compressed".nonunique.nonordered, C; 1: "compressed".nonordered, C;
    }
    OrderedBelowLoose = "ordered_below_loose", 2 {
        0: "compressed".nonunique.nonordered, C; 1: "compressed".nonunique, C;
    }
    NonuniqueDense = "nonunique_dense", 2 { 0: "compressed".nonunique, C; 1: "dense", D; }
    FullSingleton = "full_singleton", 2 { 0: "compressed", C; 1: "singleton".full, S; }
    Unpadded = "unpadded", 2 { 0: "compressed".unpadded, C; 1: "compressed", C; }
    DenseSingleton = "dense_singleton", 2 { 0: "dense", D; 1: "singleton", S; }
}

fn compressed(pos: &[u32], crd: &[u32]) -> C {
    Compressed { pos: pos.to_vec(), crd: crd.to_vec() }
}

fn singleton(crd: &[u32]) -> S {
    Singleton { crd: crd.to_vec() }
}

/// Creates a tensor of ones.
fn parts<F: Format>(shape: F::Shape, levels: F::Levels, vals: usize) -> Result<(), Error> {
    Tensor::<i64, F>::from_parts(shape, levels, vec![1; vals]).map(|_| ())
}

/// Expects a fault at a level and an index, whose reason contains `words`.
#[track_caller]
fn refused<T: Debug>(result: Result<T, Error>, level: usize, index: usize, words: &str) {
    match result {
        Err(Error::Level { level: l, index: i, ref reason, .. })
            if (l, i) == (level, index) && reason.contains(words) => {}
        other => panic!("expected level {level}, index {index}, {words:?}; got {other:?}"),
    }
}

fn csr(pos: &[u32], crd: &[u32], vals: usize) -> Result<(), Error> {
    parts::<Csr>([3, 4], (D { size: 3 }, compressed(pos, crd)), vals)
}

#[test]
fn compressed_levels_are_checked() {
    assert_eq!(csr(&[0, 2, 2, 3], &[1, 3, 0], 3), Ok(()));
    refused(csr(&[0, 2, 3], &[1, 3, 0], 3), 2, 3, "`pos` has 3 elements, but 3 parents");
    refused(csr(&[], &[], 0), 2, 0, "`pos` has 0 elements");
    refused(csr(&[1, 2, 2, 3], &[1, 3, 0], 3), 2, 0, "starts at 1");
    refused(csr(&[0, 2, 1, 3], &[1, 3, 0], 3), 2, 2, "decreases from 2 to 1");
    refused(csr(&[0, 9, 2, 3], &[1, 3, 0], 3), 2, 2, "decreases from 9 to 2");
    refused(csr(&[0, 2, 2, 4], &[1, 3, 0], 3), 2, 3, "ends at 4, but `crd` has 3");
    refused(csr(&[0, 2, 2, 2], &[1, 3, 0], 3), 2, 3, "ends at 2, but `crd` has 3");
    refused(csr(&[0, 2, 2, 3], &[1, 4, 0], 3), 2, 1, "coordinate 4 is not below");
    refused(csr(&[0, 2, 2, 3], &[3, 1, 0], 3), 2, 1, "decrease from 3 to 1");
    refused(csr(&[0, 2, 2, 3], &[1, 1, 0], 3), 2, 1, "coordinate 1 is repeated");
    let error = csr(&[0, 2, 2, 3], &[1, 3, 0], 4).unwrap_err();
    let expected = "invalid `csr` tensor: there are 4 values for 3 positions of the last level";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn properties_decide_what_is_refused() {
    let level = |crd: &[u32]| (compressed(&[0, crd.len() as u32], crd),);
    assert_eq!(parts::<Loose>([4], level(&[3, 0, 2]), 3), Ok(()));
    refused(parts::<Loose>([4], level(&[3, 0, 3]), 3), 1, 2, "is repeated");
    refused(parts::<Loose>([4], level(&[3, 0, 4]), 3), 1, 2, "not below");
    assert_eq!(parts::<Repeated>([4], level(&[0, 2, 2]), 3), Ok(()));
    refused(parts::<Repeated>([4], level(&[2, 2, 0]), 3), 1, 2, "decrease from 2 to 0");
    assert_eq!(parts::<Full>([3], level(&[2, 0, 1]), 3), Ok(()));
    refused(parts::<Full>([3], level(&[2, 0]), 2), 1, 0, "2 of 3 coordinates");
}

#[test]
fn dense_and_singleton_levels_are_checked() {
    refused(parts::<Dense<2>>([2, 3], (D { size: 2 }, D { size: 2 }), 4), 2, 0, "the shape's 3");
    let huge = 1 << 40;
    let error = parts::<Dense<2>>([huge; 2], (D { size: huge }, D { size: huge }), 0).unwrap_err();
    assert!(matches!(error, Error::Size { format: "dense", .. }), "{error}");
    let coo = |rows: &[u32], columns: &[u32]| {
        let levels = (compressed(&[0, rows.len() as u32], rows), singleton(columns));
        parts::<Coo<2>>([3, 4], levels, rows.len())
    };
    assert_eq!(coo(&[0, 0, 2], &[1, 3, 0]), Ok(()));
    refused(coo(&[0, 0, 2], &[1, 3]), 2, 2, "`crd` has 2 elements for 3 parents");
    refused(coo(&[0, 0, 2], &[1, 4, 0]), 2, 1, "coordinate 4 is not below");
    refused(coo(&[0, 0, 2], &[3, 1, 0]), 2, 1, "coordinate 1 is less than the one before it");
    refused(coo(&[0, 0, 2], &[1, 1, 0]), 2, 1, "coordinate 1 is repeated");
    refused(coo(&[2, 0, 2], &[1, 3, 0]), 1, 1, "decrease from 2 to 0");
    let levels = (compressed(&[0, 1], &[1]), singleton(&[0]));
    assert_eq!(parts::<FullSingleton>([2, 1], levels.clone(), 1), Ok(()));
    refused(parts::<FullSingleton>([2, 2], levels, 1), 2, 0, "1 of 2 coordinates");
}

#[test]
fn repeated_parents_count_together() {
    let rows = |rows: &[u32], pos: &[u32], crd: &[u32]| {
        (compressed(&[0, rows.len() as u32], rows), compressed(pos, crd))
    };
    let check = |levels| parts::<NonuniqueRows>([5, 6], levels, 4);
    assert_eq!(check(rows(&[3, 3], &[0, 2, 4], &[1, 2, 4, 5])), Ok(()));
    refused(check(rows(&[3, 3], &[0, 2, 4], &[1, 5, 4, 5])), 2, 2, "is less");
    refused(check(rows(&[3, 3], &[0, 2, 4], &[1, 5, 5, 5])), 2, 3, "is repeated");
    refused(check(rows(&[3, 3], &[0, 2, 4], &[1, 4, 4, 5])), 2, 2, "is repeated");

    let check = |levels| parts::<LooseRows>([5, 6], levels, 4);
    assert_eq!(check(rows(&[3, 1, 3], &[0, 1, 3, 4], &[4, 4, 0, 1])), Ok(()));
    refused(check(rows(&[3, 1, 3], &[0, 1, 3, 4], &[4, 4, 0, 4])), 2, 3, "is repeated");

    let check = |levels| parts::<OrderedBelowLoose>([5, 6], levels, 4);
    assert_eq!(check(rows(&[3, 1, 3], &[0, 1, 3, 4], &[4, 0, 0, 4])), Ok(()));
    refused(check(rows(&[3, 1, 3], &[0, 1, 3, 4], &[4, 0, 0, 3])), 2, 3, "is less");

    let dense = |rows: &[u32]| (compressed(&[0, rows.len() as u32], rows), D { size: 2 });
    assert_eq!(parts::<NonuniqueDense>([5, 2], dense(&[1, 3]), 4), Ok(()));
    refused(parts::<NonuniqueDense>([5, 2], dense(&[3, 3]), 4), 2, 2, "is less");
}

#[test]
fn an_unpadded_level_promises_that_there_is_no_zero() {
    let check = |pos: &[u32], crd: &[u32], vals: &[i64]| {
        let levels = (compressed(&[0, 2], &[0, 2]), compressed(pos, crd));
        Tensor::<i64, Unpadded>::from_parts([3, 4], levels, vals.to_vec())
    };
    // Row 0 needs one nonzero value; its other value may be zero.
    assert!(check(&[0, 2, 3], &[1, 2, 0], &[0, 5, 6]).is_ok());
    refused(check(&[0, 2, 3], &[1, 2, 0], &[0, 5, 0]), 1, 1, "only zeros");
    refused(check(&[0, 1, 1], &[1], &[7]), 1, 1, "only zeros");
}

#[test]
fn what_does_not_fit_a_width_is_refused() {
    let message = |error: Error| error.to_string();
    let error = Tensor::<f64, Csr<u32, u8>>::zeros([10, 257]).unwrap_err();
    let expected = "format `csr`: coordinates of level 2 reach 256, which does not fit `u8`; \
                    choose `u16`";
    assert_eq!(message(error), expected);
    assert!(Tensor::<f64, Csr<u32, u8>>::zeros([10, 256]).is_ok());

    let full = coordinates([16, 16]).map(|coordinate| (coordinate, 1.0));
    let error = Tensor::<f64, Csr<u8>>::from_triplets([16, 16], full.clone()).unwrap_err();
    let expected = "format `csr`: positions of level 2 reach 256, which does not fit `u8`; choose \
                    `u16`";
    assert_eq!(message(error), expected);
    assert!(Tensor::<f64, Csr<u8>>::from_triplets([16, 16], full.skip(1)).is_ok());

    let levels = (D { size: 1 }, Compressed::<u32, u8> { pos: vec![0, 0], crd: vec![] });
    let error = Tensor::<f64, Csr<u32, u8>>::from_parts([1, 257], levels, vec![]).unwrap_err();
    assert!(matches!(error, Error::Width { width: "u8", largest: 256, .. }));
}

#[test]
fn what_does_not_fit_memory_is_refused() {
    let huge = usize::MAX;
    assert!(matches!(Tensor::<f64, Dense<2>>::zeros([huge, 2]), Err(Error::Size { .. })));
    assert!(matches!(Tensor::<f64, Dense<1>>::zeros([huge]), Err(Error::Size { .. })));
    assert!(matches!(Tensor::<f64, Csr>::zeros([huge, 2]), Err(Error::Size { .. })));
    let empty = Tensor::<f64, Dense<2>>::zeros([huge, 0]).unwrap();
    assert_eq!(empty.iter().count(), 0);
    assert!(Tensor::<f64, Coo<2, u64, u64>>::zeros([huge, huge]).is_ok());
}

#[test]
fn what_a_format_has_no_place_for_is_refused() {
    let entries = [([1, 0], 1), ([1, 2], 2)];
    let error = Tensor::<i64, DenseSingleton>::from_triplets([2, 3], entries).unwrap_err();
    let expected = "format `dense_singleton` cannot store the entry at [1, 2]: level 2: a \
                    singleton level has room for one coordinate under each coordinate of the level \
                    above, and a second one is given";
    assert!(error.to_string().starts_with(expected), "{error}");
    refused(Tensor::<i64, DenseSingleton>::zeros([2, 0]), 2, 0, "size 0");
    let padded = Tensor::<i64, DenseSingleton>::from_triplets([2, 3], [([1, 2], 5)]).unwrap();
    assert_eq!(padded.vals(), [0, 5]);

    let error = Tensor::<i64, Csr>::from_triplets([2, 3], [([0, 3], 1)]).unwrap_err();
    let expected = "coordinate [0, 3] lies outside shape [2, 3] of a `csr` tensor; coordinates \
                    count from 0";
    assert_eq!(error.to_string(), expected);
}

/// Raw parts with one changed number are either refused, or make a tensor whose entries and
/// coordinates can all be read.
#[test]
fn changed_parts_never_panic() {
    let mut random = Random(11);
    let mut refused = 0;
    for _ in 0..2000 {
        let shape = random.shape::<[usize; 3]>();
        let entries = random.entries(shape, 12);
        let tensor = Tensor::<i64, Csf<3>>::from_triplets(shape, entries).unwrap();
        let (shape, mut levels, vals) = tensor.into_parts();
        let number = random.below(8) as u32;
        let (arrays, which) = (&mut levels, random.below(6));
        let array = match which {
            0 => &mut arrays.0.pos,
            1 => &mut arrays.0.crd,
            2 => &mut arrays.1.pos,
            3 => &mut arrays.1.crd,
            4 => &mut arrays.2.pos,
            _ => &mut arrays.2.crd,
        };
        let index = random.below(array.len());
        match (random.below(4), array.get_mut(index)) {
            (0, _) => array.push(number),
            (1, _) => drop(array.pop()),
            (_, Some(element)) => *element = number,
            (_, None) => {}
        }
        match Tensor::<i64, Csf<3>>::from_parts(shape, levels, vals) {
            Ok(tensor) => {
                let sum: i64 = coordinates(shape).filter_map(|c| tensor.get(c)).sum();
                assert_eq!(sum, tensor.iter().map(|(_, value)| value).sum());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000, "{refused} of 2000 refused");
}
