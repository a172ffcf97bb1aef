//! Formats that use every level and every kind of map.

use sparsegen::level::{
    Batch, Bitmap, BlockCompressed, Compressed, Dense as D, Hashed, LooseCompressed, Offset, Range,
    Singleton, Structured,
};
use sparsegen::*;

use super::declare;

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
    TwoOfFour = "two_of_four", 2 {
        (I): "dense", D; (div!(J, 4)): "dense", D;
        (modulo!(J, 4)): "structured"[2, 4], Structured<u8, 2, 4>;
    }
    Narrow = "narrow", 2 { (I): "dense", D; (J): "compressed", Compressed<u8, u8>; }
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
    ShortRows = "short_rows", 2 {
        (I): "dense", D; (J): "block_compressed"[2], BlockCompressed<u32, u32, u8, 2>;
    }
    ShortShort = "short_short", 2 {
        (J): "block_compressed"[3], BlockCompressed<u16, u8, u8, 3>;
        (I): "block_compressed"[65536], BlockCompressed;
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
    Batches = "batches", 3 { (J): "batch", Batch; (I): "dense", D; (K): "compressed", C; }
    Skewed = "skewed", 3 {
        (LevelExpr::Sub(2, 1)): "compressed", Signed; (LevelExpr::Sub(1, 0)): "compressed", Signed;
        (I): "compressed", C;
    }
    CountedFibers = "counted_fibers", 3 {
        (I): "compressed", C; (COUNT): "compressed", C; (K): "singleton", S; (J): "singleton", S;
    }
}

/// Calls generic functions for every format, built-in and declared, that stores all entries within a
/// shape: one function for each order from 1 to 3.
#[allow(unused_macros, reason = "each test uses a part of this module")]
macro_rules! for_each_format {
    ($vector:ident, $matrix:ident, $tensor:ident) => {
        for_each_format!(@call $vector: SparseVector HashVector Dense<1> Coo<1> CooUnordered<1>
            BlockVector Cyclic Nested Bits HashDuplicates HashFull HashUnpadded HashNarrow);
        for_each_format!(@call $matrix: Csr Csc Dcsr Dcsc Coo<2> CooUnordered<2> Csf<2> Dense<2>
            DenseCol<2> Dia Ell HashRows Csr<u16, u8> Csr<usize, u64>
            Bsr BsrColumns BlockCoo SparseBlocks TwoLevelBlocks BlocksOfOne AllOfFour
            DiaColumns DiaDense DiaSparse DiaHashed DiaRows DiaBlocks DiaWide Antidiagonals
            AntidiagonalsDense EllColumns EllRows EllSliced EllPairs EllBits Jagged
            HashHash HashCompressed HashDense HashLists BitUnpadded HashGroups DiaLists
            LooseRows LooseLists LooseFull ShortRows ShortShort BitRows BitBits BitCompressed);
        for_each_format!(@call $tensor: Csf<3> Coo<3> CooUnordered<3> Dense<3> DenseCol<3>
            Blocks3 BatchedDia Skewed CountedFibers);
    };
    (@call $function:ident: $($format:ty)*) => { $($function::<$format>();)* };
}
#[allow(unused_imports, reason = "each test uses a part of this module")]
pub(crate) use for_each_format;
