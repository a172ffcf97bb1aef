//! Tests that every level and every map packs, iterates, looks up, validates and converts.

mod common;

use common::formats::*;
use common::{check, coordinates, operands, sums};
use sparsegen::*;

/// Packs random entries, and compares the tensor with them, with its conversion to a second format,
/// and with the conversion back.
fn round_trips<F: Format, G: Format<Shape = F::Shape>>() {
    for (shape, entries) in operands::<F::Shape>(17) {
        let sums = sums(&entries);
        let tensor = Tensor::<i64, F>::from_triplets(shape, entries).unwrap();
        check(&tensor, &sums);
        let other = tensor.to::<G>().unwrap();
        check(&other, &sums);
        let mut back = other.to::<F>().unwrap();
        assert!(back.approx_eq(&tensor, 0.0), "{tensor:?}");
        back.prune(2.0).unwrap();
        let kept = sums.into_iter().filter(|(_, value)| value.abs() > 2).collect();
        check(&back, &kept);
        let (_, vals) = back.take_parts();
        assert_eq!(vals.iter().sum::<i64>(), kept.values().sum());
        check(&back, &Default::default());
        assert_eq!(back, Tensor::zeros(shape).unwrap());
    }
}

#[test]
fn vectors() {
    round_trips::<HashVector, BlockVector>();
    round_trips::<BlockVector, Cyclic>();
    round_trips::<Cyclic, Nested>();
    round_trips::<Nested, Bits>();
    round_trips::<Bits, HashFull>();
    round_trips::<HashFull, HashNarrow>();
    round_trips::<HashNarrow, SparseVector>();
}

#[test]
fn blocks() {
    round_trips::<Bsr, BsrColumns>();
    round_trips::<BsrColumns, BlockCoo>();
    round_trips::<BlockCoo, SparseBlocks>();
    round_trips::<SparseBlocks, TwoLevelBlocks>();
    round_trips::<TwoLevelBlocks, BlocksOfOne>();
    round_trips::<BlocksOfOne, AllOfFour>();
    round_trips::<AllOfFour, Csr>();
}

#[test]
fn diagonals() {
    round_trips::<Dia, DiaColumns>();
    round_trips::<DiaColumns, DiaDense>();
    round_trips::<DiaDense, DiaSparse>();
    round_trips::<DiaSparse, DiaHashed>();
    round_trips::<DiaHashed, DiaRows>();
    round_trips::<DiaRows, DiaBlocks>();
    round_trips::<DiaBlocks, DiaWide>();
    round_trips::<DiaWide, Antidiagonals>();
    round_trips::<Antidiagonals, AntidiagonalsDense>();
    round_trips::<AntidiagonalsDense, Dia<u64, u8>>();
}

#[test]
fn counted_slots() {
    round_trips::<Ell, EllColumns>();
    round_trips::<EllColumns, EllRows>();
    round_trips::<EllRows, EllSliced>();
    round_trips::<EllSliced, EllPairs>();
    round_trips::<EllPairs, EllBits>();
    round_trips::<EllBits, Jagged>();
    round_trips::<Jagged, Csc>();
}

#[test]
fn hash_tables_bitmaps_and_gaps() {
    round_trips::<HashRows, HashHash>();
    round_trips::<HashHash, HashCompressed>();
    round_trips::<HashCompressed, HashDense>();
    round_trips::<HashDense, HashCoo>();
    round_trips::<HashCoo, LooseRows>();
    round_trips::<LooseRows, LooseFull>();
    round_trips::<LooseFull, ShortRows>();
    round_trips::<ShortRows, ShortShort>();
    round_trips::<ShortShort, BitRows>();
    round_trips::<BitRows, BitBits>();
    round_trips::<BitBits, BitCompressed>();
    round_trips::<BitCompressed, Dcsr>();
    round_trips::<HashGroups, DiaLists>();
    round_trips::<DiaLists, Csr>();
}

/// Packs random entries, some with the same coordinate, in a format that keeps them as they are
/// given.
fn keeps_entries<F: Format>(is_order_kept: bool) {
    for (shape, entries) in operands::<F::Shape>(23) {
        let tensor = Tensor::<i64, F>::from_triplets(shape, entries.iter().copied()).unwrap();
        let sums = sums(&entries);
        for coordinate in coordinates(shape) {
            let expected = sums.get(coordinate.as_ref()).copied();
            assert_eq!(tensor.get(coordinate), Some(expected.unwrap_or(0)));
            assert_eq!(tensor.contains(coordinate), expected.is_some());
        }
        let mut stored: Vec<_> = tensor.iter().collect();
        let mut given = entries;
        if !is_order_kept {
            stored.sort_by_key(|(coordinate, value)| (coordinate.as_ref().to_vec(), *value));
            given.sort_by_key(|(coordinate, value)| (coordinate.as_ref().to_vec(), *value));
        }
        assert_eq!(stored, given);
        assert_eq!(tensor.stored(), given.len());
        let (shape, levels, vals) = tensor.clone().into_parts();
        assert_eq!(Tensor::from_parts(shape, levels, vals).as_ref(), Ok(&tensor));
        let mut builder = Tensor::<i64, F>::builder(shape).duplicates(Duplicates::First);
        builder.extend(given.iter().copied());
        assert_eq!(builder.build().unwrap().stored(), sums.len());
        let mut pruned = tensor;
        pruned.prune(2.0).unwrap();
        check(&pruned, &sums.into_iter().filter(|(_, value)| value.abs() > 2).collect());
    }
}

#[test]
fn unpadded_levels_store_no_zeros() {
    fn check<F: Format>() {
        for (shape, entries) in operands::<F::Shape>(37) {
            let nonzero = sums(&entries).values().filter(|value| **value != 0).count();
            let tensor = Tensor::<i64, F>::from_triplets(shape, entries).unwrap();
            assert_eq!((tensor.stored(), tensor.nnz()), (nonzero, nonzero));
            let (shape, levels, mut vals) = tensor.into_parts();
            if let Some(value) = vals.iter_mut().find(|value| **value != 0) {
                *value = 0;
                let error = Tensor::<i64, F>::from_parts(shape, levels, vals).unwrap_err();
                assert!(error.to_string().contains("only zeros are stored here"), "{error}");
            }
        }
    }
    check::<HashUnpadded>();
    check::<BitUnpadded>();
}

#[test]
fn lists_without_order_keep_what_they_are_given() {
    keeps_entries::<CooUnordered<1>>(true);
    keeps_entries::<CooUnordered<2>>(true);
    keeps_entries::<CooUnordered<3>>(true);
    keeps_entries::<LooseLists>(true);
    keeps_entries::<HashDuplicates>(false);
    keeps_entries::<HashLists>(false);
}

#[test]
fn tensors_of_order_3() {
    round_trips::<Blocks3, BatchedDia>();
    round_trips::<BatchedDia, Skewed>();
    round_trips::<Skewed, CountedFibers>();
    round_trips::<CountedFibers, Csf<3>>();
    round_trips::<Batches, Csf<3>>();
    round_trips::<Dense<3>, Batches>();
}
