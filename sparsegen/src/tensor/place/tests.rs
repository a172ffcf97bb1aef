//! Tests that packing level by level and general packing give the same tensor, or refuse entries
//! for the same reason.

#[path = "../../../tests/common/mod.rs"]
mod common;

use super::super::build::{Duplicates, Merge};
use super::super::columns::of_triplets;
use super::super::pack::pack_listed;
use super::super::pads;
use super::super::repack::repack;
use super::{pack, suits};
use crate::level::{Bitmap, Compressed, Dense as D, Hashed, Offset, Singleton, Structured};
use crate::*;
use common::{Random, declare, operands};

type C = Compressed<u32, u32>;
type S = Singleton<u32>;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);
const ROW_BLOCK: LevelExpr = LevelExpr::Div(&I, 2);
const COLUMN_BLOCK: LevelExpr = LevelExpr::Div(&J, 3);
const DIAGONAL: LevelExpr = LevelExpr::Sub(1, 0);

declare! {
    Bcsr = "bcsr", 2 {
        (ROW_BLOCK): "dense", D; (COLUMN_BLOCK): "compressed", C;
        (LevelExpr::Mod(&I, 2)): "dense", D; (LevelExpr::Mod(&J, 3)): "dense", D;
    }
    SparseBlocks = "sparse_blocks", 2 {
        (ROW_BLOCK): "compressed", C; (COLUMN_BLOCK): "compressed", C;
        (LevelExpr::Mod(&J, 3)): "compressed", C; (LevelExpr::Mod(&I, 2)): "compressed", C;
    }
    DiaRows = "dia_rows", 2 {
        (I): "dense", D; (DIAGONAL): "compressed", Compressed<u16, i16>; (J): "offset", Offset;
    }
    Bits = "bits", 2 { 0: "compressed", C; 1: "bitmap", Bitmap; }
    Full = "full", 2 { 0: "dense", D; 1: "compressed".full, C; }
    FullCoo = "full_coo", 2 { 0: "compressed".full.nonunique, C; 1: "singleton", S; }
    Unpadded = "unpadded", 2 { 0: "compressed".unpadded, C; 1: "compressed".unpadded, C; }
    HashCompressed = "hash_compressed", 2 { 0: "hashed", Hashed<u32>; 1: "compressed", C; }
    Loose = "loose", 2 {
        1: "compressed".nonunique.nonordered, C; 0: "compressed".nonordered, C;
    }
    CooUnique = "coo_unique", 2 { 0: "compressed", C; 1: "singleton", S; }
    TwoOfFour = "two_of_four", 2 {
        0: "dense", D; (LevelExpr::Div(&J, 4)): "dense", D;
        (LevelExpr::Mod(&J, 4)): "structured"[2, 4], Structured<u8, 2, 4>;
    }

    Rotated = "rotated", 3 { 2: "compressed", C; 0: "compressed", C; 1: "compressed", C; }
    RowsOfFibers = "rows_of_fibers", 3 { 1: "dense", D; 2: "compressed", C; 0: "compressed", C; }
    CooDense = "coo_dense", 3 {
        0: "compressed".nonunique, C; 2: "singleton".nonunique, S; 1: "dense", D;
    }
    CooCompressed = "coo_compressed", 3 {
        2: "compressed".nonunique, C; 0: "singleton", S; 1: "compressed", C;
    }
    MixedCoo = "mixed_coo", 3 {
        0: "dense", D; 1: "compressed".nonunique, C; 2: "singleton", S;
    }
}

const POLICIES: [Duplicates; 6] = [
    Duplicates::Sum,
    Duplicates::First,
    Duplicates::Last,
    Duplicates::Min,
    Duplicates::Max,
    Duplicates::Error,
];

type Entries<S, V = f64> = Vec<(S, V)>;

/// Compares the two packing methods; returns whether packing level by level applied.
fn compare<V: Stored, F: Format>(shape: F::Shape, entries: &[(F::Shape, V)]) -> bool {
    let mut is_placed = false;
    for duplicates in POLICIES {
        let general = pack_listed::<V, F>(shape, entries.to_vec(), Merge::As(duplicates));
        if suits::<F>(duplicates == Duplicates::Sum)
            && let Ok(columns) = of_triplets(&shape, entries.iter().copied())
            && let Some(tensor) = pack::<V, F>(shape, columns, Merge::As(duplicates))
        {
            assert_eq!(Ok(&tensor), general.as_ref(), "{duplicates:?} of {shape:?} {entries:?}");
            is_placed = true;
        }
    }
    is_placed
}

/// Shapes with entries: small ones, and larger ones of different densities, with repeated
/// coordinates. Some sums depend on the order of addition.
fn samples<S: Shape>() -> Vec<(S, Entries<S>)> {
    let mut random = Random(3);
    let mut larger = |round: usize| {
        let mut shape = S::splat(0);
        shape.as_mut().iter_mut().for_each(|extent| *extent = 1 + random.below(3 + 7 * round));
        (shape, random.entries(shape, 400))
    };
    let value = |value: i64| if value > 5 { 1e16 } else { value as f64 / 10.0 };
    let samples = operands::<S>(5).into_iter().chain((0..20).map(&mut larger));
    let rounded = |(shape, entries): (S, Vec<(S, i64)>)| {
        (
            shape,
            entries.into_iter().map(|(coordinate, number)| (coordinate, value(number))).collect(),
        )
    };
    samples.map(rounded).collect()
}

/// Compares the two packing methods for entries in random, sorted and reversed order, and for
/// entries of tensors in other formats. `applies` is `true` if packing level by level must apply.
fn both<F: Format>(applies: bool) {
    let mut placed = 0;
    for (shape, mut entries) in samples::<F::Shape>() {
        placed += usize::from(compare::<_, F>(shape, &entries));
        entries.sort_by(|a, b| a.0.as_ref().cmp(b.0.as_ref()));
        placed += usize::from(compare::<_, F>(shape, &entries));
        entries.reverse();
        placed += usize::from(compare::<_, F>(shape, &entries));
        converts::<F, F>(shape, &entries);
    }
    assert_eq!(placed > 50, applies, "{}: {placed} times", F::NAME);
}

/// Converts a tensor, and compares the result with general packing of its entries.
fn converts<F: Format, G: Format<Shape = F::Shape>>(shape: F::Shape, entries: &[(F::Shape, f64)]) {
    let from = pack_listed::<_, F>(shape, entries.to_vec(), Merge::SUM).unwrap();
    let listed = from.iter().filter(|(_, value)| !pads::<F>() || *value != 0.0);
    let general = pack_listed::<_, G>(shape, listed.collect(), Merge::SUM);
    assert_eq!(repack::<_, F, G>(&from.view(), Merge::SUM), general, "{} to {}", F::NAME, G::NAME);
}

#[test]
fn vectors() {
    both::<SparseVector>(true);
    both::<Coo<1>>(true);
    both::<HashVector>(true);
}

#[test]
fn matrices() {
    both::<Csr>(true);
    both::<Csc<u16, u64>>(true);
    both::<Dcsr<usize, u16>>(true);
    both::<Dense<2>>(true);
    both::<Coo<2>>(true);
    both::<CooUnordered<2>>(true);
    both::<Loose>(true);
    both::<Bits>(true);
    both::<Full>(true);
}

#[test]
fn tensors() {
    both::<Csf<3>>(true);
    both::<Coo<3, u64, u8>>(true);
    both::<DenseCol<3>>(true);
    both::<Rotated>(true);
    both::<RowsOfFibers>(true);
    both::<CooDense>(true);
    both::<MixedCoo>(true);
}

#[test]
fn functions_of_dimensions() {
    both::<Bcsr>(true);
    both::<SparseBlocks>(true);
    both::<Dia>(true);
    both::<DiaRows>(true);
}

#[test]
fn formats_of_the_general_way_alone() {
    both::<HashRows>(true);
    both::<HashCompressed>(true);
    both::<Ell>(true);
    both::<Unpadded>(false);
}

#[test]
fn formats_without_a_place_for_some_entries() {
    // A singleton level stores at most one entry of each row, and a full one requires all rows.
    for (shape, mut entries) in samples::<[usize; 2]>() {
        compare::<_, CooUnique>(shape, &entries);
        compare::<_, FullCoo>(shape, &entries);
        entries.retain(|([i, j], _)| i == j);
        compare::<_, CooUnique>(shape, &entries);
        compare::<_, FullCoo>(shape, &entries);
    }
    for (shape, entries) in samples::<[usize; 3]>() {
        compare::<_, CooCompressed>(shape, &entries);
    }
}

#[test]
fn patterns_have_no_sums() {
    for (shape, entries) in samples::<[usize; 2]>() {
        let entries: Entries<_, _> =
            entries.into_iter().map(|(coordinate, _)| (coordinate, Pattern::<f64>::ONE)).collect();
        compare::<_, Csr>(shape, &entries);
        compare::<_, Coo<2>>(shape, &entries);
    }
}

/// Packs entries with both methods, and returns the error.
fn refusal<F: Format>(shape: F::Shape, entries: &[(F::Shape, f64)]) -> Error {
    compare::<_, F>(shape, entries);
    let refusal = Tensor::<f64, F>::from_triplets(shape, entries.iter().copied()).unwrap_err();
    assert_eq!(pack_listed::<_, F>(shape, entries.to_vec(), Merge::SUM), Err(refusal.clone()));
    refusal
}

#[test]
fn entries_are_kept_for_the_error() {
    // More than are stored together.
    let mut entries: Vec<_> = (0..1000).map(|index| ([index, index / 2], 1.0)).collect();
    entries[700].0[1] = 500;
    let error = refusal::<Csr>([1000, 500], &entries);
    assert!(matches!(error, Error::Coordinate { .. }) && error.to_string().contains("[700, 500]"));
    let row = |columns: usize| (0..columns).map(|column| ([600, column], 1.0));
    assert!(Tensor::<f64, TwoOfFour>::from_triplets([1000, 4], row(2)).is_ok());
    let error = Tensor::<f64, TwoOfFour>::from_triplets([1000, 4], row(3)).unwrap_err();
    assert!(matches!(error, Error::Pack { .. }), "{error}");
}

#[test]
fn what_does_not_fit_its_width_is_refused() {
    let diagonal: Vec<_> = (0..256).map(|index| ([index, 255 - index], 1.0)).collect();
    assert!(compare::<_, Csr<u16, u8>>([256, 256], &diagonal));
    assert!(compare::<_, Csr<u8, u8>>([256, 256], &diagonal[..255]));
    let is_width = |error: Error| assert!(matches!(error, Error::Width { .. }), "{error}");
    is_width(refusal::<Csr<u8, u8>>([256, 256], &diagonal));
    is_width(refusal::<Csr<u16, u8>>([256, 257], &diagonal));
    is_width(refusal::<Csc<u8, u16>>([256, 257], &diagonal));
    is_width(refusal::<Dcsr<u8, u16>>([256, 257], &diagonal));
    is_width(refusal::<Coo<2, u16, u8>>([256, 257], &diagonal));
    is_width(refusal::<Dia<u16, u8>>([256, 256], &diagonal));
    is_width(refusal::<Dia<u8, u16>>([256, 256], &diagonal));
    // The check is on the extents, not on the coordinates that occur.
    is_width(refusal::<Csr<u8, u8>>([2, 1 << 31], &[([1, 7], 1.0)]));
}

#[test]
fn entries_outside_are_refused() {
    let entries = [([0, 1], 1.0), ([2, 3], 1.0), ([1, 4], 1.0)];
    let is_outside = |error| assert!(matches!(error, Error::Coordinate { .. }), "{error}");
    is_outside(refusal::<Csr>([2, 4], &entries));
    is_outside(refusal::<Csc>([3, 4], &entries));
    is_outside(refusal::<Dense<2>>([0, 0], &entries));
    is_outside(refusal::<Dia>([0, 5], &entries));
}

#[test]
fn extents_without_entries_take_no_memory() {
    const HUGE: usize = 1 << 31;
    let ends = [0, 7, HUGE - 1];
    let pairs: Vec<_> =
        ends.iter().flat_map(|i| ends.map(|j| ([*i, j], (i + j) as f64))).rev().collect();
    compare::<_, Dcsr>([HUGE; 2], &pairs);
    compare::<_, Coo<2>>([HUGE; 2], &pairs);
    compare::<_, Dcsr<usize, usize>>([usize::MAX; 2], &pairs);
    compare::<_, SparseBlocks>([HUGE; 2], &pairs);
    let fibers: Vec<_> = pairs.iter().map(|([i, j], value)| ([*i, *j, *i], *value)).collect();
    compare::<_, Rotated>([HUGE; 3], &fibers);
    compare::<_, Csf<3>>([HUGE; 3], &fibers);

    // The coordinates of rows need a number of exactly 32 bits.
    let wide: Vec<_> = [u32::MAX as usize, 5, 0].map(|j| ([j % 2, j], 1.0)).into();
    assert!(compare::<_, Csr>([2, 1 << 32], &wide));
    assert!(!compare::<_, Csr<u32, u64>>([2, (1 << 32) + 1], &wide));
    assert!(compare::<_, SparseVector>([1 << 32], &[([u32::MAX as usize], 1.0), ([3], 1.0)]));

    assert_eq!(
        refusal::<Dense<2>>([usize::MAX; 2], &[([1, 2], 3.0)]),
        Error::Size { format: "dense", shape: vec![usize::MAX; 2] }
    );
}

#[test]
fn conversions_keep_what_is_stored() {
    for (shape, entries) in samples() {
        converts::<Csr, Csc<u16, u64>>(shape, &entries);
        converts::<Csr, Dense<2>>(shape, &entries);
        converts::<Csr, Bcsr>(shape, &entries);
        converts::<Coo<2>, Csr>(shape, &entries);
        converts::<CooUnordered<2>, Csr>(shape, &entries);
        converts::<Dense<2>, Csr>(shape, &entries);
        converts::<Bcsr, SparseBlocks>(shape, &entries);
        converts::<Dia, Csr>(shape, &entries);
        converts::<Csr, Dia>(shape, &entries);
        converts::<HashRows, Csr>(shape, &entries);
        converts::<Csr, HashRows>(shape, &entries);
        converts::<Ell, Csr>(shape, &entries);
        converts::<Bits, Csr>(shape, &entries);
        converts::<Full, Csr>(shape, &entries);
    }
    for (shape, entries) in samples() {
        converts::<Csf<3>, Rotated>(shape, &entries);
        converts::<Rotated, RowsOfFibers>(shape, &entries);
        converts::<Coo<3, u64, u8>, Csf<3>>(shape, &entries);
    }
}
