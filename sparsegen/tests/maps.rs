//! Tests that every level and every map packs, iterates, looks up, validates and converts.

mod common;

use common::{check, coordinates, declare, operands, sums};
use sparsegen::level::{
    Bitmap, Compressed, Dense as D, Hashed, LooseCompressed, Offset, Range, Singleton, Structured,
};
use sparsegen::*;

type C = Compressed<u32, u32>;
type S = Singleton<u32>;
type H = Hashed<u32>;
type L = LooseCompressed<u32, u32>;
type Signed = Compressed<u32, i32>;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);
const K: LevelExpr = LevelExpr::Dimension(2);
const DIAGONAL: LevelExpr = LevelExpr::Sub(1, 0);
const COUNT: LevelExpr = LevelExpr::Count(0);

macro_rules! div {
    ($of:expr, $block:literal) => {
        LevelExpr::Div(&$of, $block)
    };
}

macro_rules! modulo {
    ($of:expr, $block:literal) => {
        LevelExpr::Mod(&$of, $block)
    };
}

declare! {
    BlockVector = "block_vector", 1 { (div!(I, 4)): "compressed", C; (modulo!(I, 4)): "dense", D; }
    Cyclic = "cyclic", 1 { (modulo!(I, 3)): "dense", D; (div!(I, 3)): "compressed", C; }
    Nested = "nested", 1 {
        (div!(I, 6)): "compressed", C; (modulo!(div!(I, 2), 3)): "bitmap", Bitmap;
        (modulo!(I, 2)): "dense", D;
    }
    Bits = "bits", 1 { (I): "bitmap", Bitmap; }
    HashDuplicates = "hash_duplicates", 1 { (I): "hashed".nonunique, H; }
    HashFull = "hash_full", 1 { (I): "hashed".full, H; }
    HashUnpadded = "hash_unpadded", 1 { (I): "hashed".unpadded, H; }
    HashNarrow = "hash_narrow", 1 { (I): "hashed", Hashed<u8>; }

    Bsr = "bsr", 2 {
        (div!(I, 2)): "dense", D; (div!(J, 3)): "compressed", C;
        (modulo!(I, 2)): "dense", D; (modulo!(J, 3)): "dense", D;
    }
    BsrColumns = "bsr_columns", 2 {
        (div!(J, 2)): "compressed", C; (div!(I, 2)): "compressed", C;
        (modulo!(J, 2)): "dense", D; (modulo!(I, 2)): "dense", D;
    }
    BlockCoo = "block_coo", 2 {
        (div!(I, 2)): "compressed".nonunique, C; (div!(J, 2)): "singleton", S;
        (modulo!(I, 2)): "dense", D; (modulo!(J, 2)): "dense", D;
    }
    SparseBlocks = "sparse_blocks", 2 {
        (div!(I, 4)): "compressed", C; (div!(J, 4)): "compressed", C;
        (modulo!(I, 4)): "compressed", C; (modulo!(J, 4)): "compressed", C;
    }
    TwoLevelBlocks = "two_level_blocks", 2 {
        (div!(I, 4)): "dense", D; (J): "compressed", C;
        (modulo!(div!(I, 2), 2)): "compressed", C; (modulo!(I, 2)): "dense", D;
    }
    BlocksOfOne = "blocks_of_one", 2 {
        (div!(I, 1)): "dense", D; (J): "compressed", C; (modulo!(I, 1)): "dense", D;
    }

    DiaColumns = "dia_columns", 2 {
        (DIAGONAL): "compressed", Signed; (J): "range", Range; (I): "offset", Offset;
    }
    DiaDense = "dia_dense", 2 {
        (DIAGONAL): "dense", D; (I): "range", Range; (J): "offset", Offset;
    }
    DiaSparse = "dia_sparse", 2 {
        (LevelExpr::Sub(0, 1)): "compressed", Signed; (I): "compressed", C; (J): "offset", Offset;
    }
    DiaHashed = "dia_hashed", 2 { (DIAGONAL): "hashed", Hashed<i32>; (J): "hashed", H; }
    DiaRows = "dia_rows", 2 { (I): "dense", D; (DIAGONAL): "compressed", Signed; }
    DiaBlocks = "dia_blocks", 2 {
        (div!(DIAGONAL, 2)): "compressed", Signed; (modulo!(DIAGONAL, 2)): "bitmap", Bitmap;
        (I): "compressed", C;
    }
    DiaWide = "dia_wide", 2 {
        (DIAGONAL): "loose_compressed", LooseCompressed<u64, i64>; (I): "range", Range;
        (J): "offset", Offset;
    }
    Antidiagonals = "antidiagonals", 2 {
        (LevelExpr::Add(0, 1)): "compressed", C; (I): "range", Range; (J): "offset", Offset;
    }
    AntidiagonalsDense = "antidiagonals_dense", 2 {
        (LevelExpr::Add(0, 1)): "compressed", C; (J): "dense", D;
    }

    EllColumns = "ell_columns", 2 {
        (LevelExpr::Count(1)): "dense", D; (J): "dense", D; (I): "singleton", S;
    }
    EllRows = "ell_rows", 2 { (I): "dense", D; (COUNT): "dense", D; (J): "singleton", S; }
    EllSliced = "ell_sliced", 2 {
        (div!(I, 2)): "dense", D; (COUNT): "dense", D; (modulo!(I, 2)): "dense", D;
        (J): "singleton", S;
    }
    EllPairs = "ell_pairs", 2 {
        (div!(COUNT, 2)): "dense", D; (I): "dense", D; (modulo!(COUNT, 2)): "dense", D;
        (J): "singleton", S;
    }
    EllBits = "ell_bits", 2 { (COUNT): "bitmap", Bitmap; (I): "bitmap", Bitmap; (J): "hashed", H; }
    Jagged = "jagged", 2 {
        (COUNT): "compressed", C; (I): "compressed", C; (J): "singleton", S;
    }

    HashHash = "hash_hash", 2 { (J): "hashed", H; (I): "hashed", H; }
    HashCompressed = "hash_compressed", 2 { (I): "hashed", H; (J): "compressed", C; }
    HashDense = "hash_dense", 2 { (I): "hashed", H; (J): "dense", D; }
    HashCoo = "hash_coo", 2 { (I): "hashed".nonunique, H; (J): "singleton", S; }
    HashLists = "hash_lists", 2 {
        (I): "hashed".nonunique, H; (J): "compressed".nonordered.nonunique, C;
    }
    BitUnpadded = "bit_unpadded", 2 {
        (I): "bitmap".unpadded, Bitmap; (J): "loose_compressed".unpadded.nonordered, L;
    }
    HashGroups = "hash_groups", 2 { (J): "hashed".nonunique, H; (I): "hashed", H; }
    DiaLists = "dia_lists", 2 {
        (DIAGONAL): "compressed".nonordered, Signed; (I): "range".nonordered, Range;
        (J): "offset".nonordered, Offset;
    }
    LooseRows = "loose_rows", 2 { (I): "dense", D; (J): "loose_compressed", L; }
    LooseLists = "loose_lists", 2 {
        (I): "loose_compressed".nonunique.nonordered, L;
        (J): "loose_compressed".nonunique.nonordered, L;
    }
    LooseFull = "loose_full", 2 {
        (J): "loose_compressed", L; (I): "loose_compressed".full, L;
    }
    BitRows = "bit_rows", 2 { (I): "dense", D; (J): "bitmap", Bitmap; }
    BitBits = "bit_bits", 2 { (J): "bitmap", Bitmap; (I): "bitmap", Bitmap; }
    BitCompressed = "bit_compressed", 2 { (I): "bitmap", Bitmap; (J): "compressed", C; }
    AllOfFour = "all_of_four", 2 {
        (I): "dense", D; (div!(J, 4)): "compressed", C;
        (modulo!(J, 4)): "structured"[4, 4], Structured<u8, 4, 4>;
    }

    Blocks3 = "blocks3", 3 {
        (div!(I, 2)): "dense", D; (div!(J, 3)): "compressed", C; (div!(K, 2)): "compressed", C;
        (modulo!(I, 2)): "dense", D; (modulo!(J, 3)): "dense", D; (modulo!(K, 2)): "dense", D;
    }
    BatchedDia = "batched_dia", 3 {
        (LevelExpr::Sub(2, 1)): "compressed", Signed; (I): "dense", D; (J): "range", Range;
        (K): "offset", Offset;
    }
    Skewed = "skewed", 3 {
        (LevelExpr::Sub(2, 1)): "compressed", Signed; (LevelExpr::Sub(1, 0)): "compressed", Signed;
        (I): "compressed", C;
    }
    CountedFibers = "counted_fibers", 3 {
        (I): "compressed", C; (COUNT): "compressed", C; (K): "singleton", S; (J): "singleton", S;
    }
}

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
    round_trips::<LooseFull, BitRows>();
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
}
