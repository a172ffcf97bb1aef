//! Raw parts of every level: violations of an invariant are refused with their place, and accepted
//! parts can be traversed without a panic.

mod common;

use std::fmt::Debug;

use common::{Random, coordinates, declare};
use sparsegen::level::{
    Bitmap, BlockCompressed, Compressed, Dense as D, Hashed, LooseCompressed, Offset, Range,
    Singleton, Structured,
};
use sparsegen::*;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);
const DIAGONAL: LevelExpr = LevelExpr::Sub(1, 0);
const E: u8 = u8::MAX;

declare! {
    HashSmall = "hash_small", 1 { 0: "hashed", Hashed<u8>; }
    HashRepeated = "hash_repeated", 1 { 0: "hashed".nonunique, Hashed<u8>; }
    HashFull = "hash_full", 1 { 0: "hashed".full, Hashed<u8>; }
    HashSigned = "hash_signed", 2 { (DIAGONAL): "hashed", Hashed<i8>; (I): "compressed", Compressed; }
    Loose = "loose", 2 { 0: "dense", D; 1: "loose_compressed", LooseCompressed; }
    Short = "short", 2 {
        0: "dense", D; 1: "block_compressed"[3], BlockCompressed<u32, u32, u8, 3>;
    }
    Bits = "bits", 2 { 0: "dense", D; 1: "bitmap", Bitmap; }
    TwoOfFour = "two_of_four", 2 {
        0: "dense", D; (LevelExpr::Div(&J, 4)): "dense", D;
        (LevelExpr::Mod(&J, 4)): "structured"[2, 4], Structured<u8, 2, 4>;
    }
    DenseOffset = "dense_offset", 2 {
        (DIAGONAL): "compressed", Compressed<u32, i32>; 0: "dense", D; 1: "offset", Offset;
    }
    SparseOffset = "sparse_offset", 2 {
        (DIAGONAL): "compressed", Compressed<u32, i32>; 0: "compressed", Compressed;
        1: "offset", Offset;
    }
    Blocks = "blocks", 2 {
        (LevelExpr::Div(&I, 2)): "dense", D; (LevelExpr::Div(&J, 2)): "compressed", Compressed;
        (LevelExpr::Mod(&I, 2)): "dense", D; (LevelExpr::Mod(&J, 2)): "dense", D;
    }
    LooseBits = "loose_bits", 3 {
        0: "loose_compressed", LooseCompressed; 1: "hashed", Hashed<u32>; 2: "bitmap", Bitmap;
    }
    Counted = "counted", 2 { (LevelExpr::Count(0)): "dense", D; 0: "bitmap", Bitmap; 1: "singleton", Singleton; }
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

#[test]
fn hash_tables_are_checked() {
    let hash = |width, crd: &[u8]| {
        parts::<HashSmall>([20], (Hashed { width, crd: crd.to_vec() },), crd.len())
    };
    assert_eq!(hash(4, &[4, 8, E, 3]), Ok(()));
    assert_eq!(hash(4, &[7, 4, E, 3]), Ok(()));
    assert_eq!(hash(3, &[9, 19, E]), Ok(()));
    refused(hash(4, &[4, E, 8, 3]), 1, 2, "a search for coordinate 8 begins in slot 0 of 4");
    refused(hash(4, &[E, 4, E, 3]), 1, 1, "a search for coordinate 4");
    refused(hash(4, &[7, E, E, E]), 1, 0, "a search for coordinate 7 begins in slot 3 of 4");
    refused(hash(4, &[4, 20, E, 3]), 1, 1, "coordinate 20 is not below");
    refused(hash(4, &[4, 4, E, 3]), 1, 1, "coordinate 4 is repeated");
    refused(hash(4, &[4, 1, 2, 3]), 1, 0, "none of the 4 slots are empty");
    refused(hash(0, &[]), 1, 0, "have no slots");
    refused(hash(4, &[4, E, E]), 1, 3, "`crd` has 3 elements for 1 buckets of 4 slots");
    refused(hash(usize::MAX, &[4, E, E]), 1, 3, "`crd` has 3 elements");

    let repeated = Hashed { width: 4, crd: vec![4, 4, E, 3] };
    assert_eq!(parts::<HashRepeated>([20], (repeated,), 4), Ok(()));
    let full = Hashed { width: 4, crd: vec![0, 2, 1, E] };
    refused(parts::<HashFull>([3], (full,), 4), 1, 1, "a search for coordinate 2");
    let full = |size| parts::<HashFull>([size], (Hashed { width: 4, crd: vec![0, 1, 2, E] },), 4);
    assert_eq!(full(3), Ok(()));
    refused(full(4), 1, 0, "3 of 4 coordinates");

    let column = || Compressed { pos: vec![0, 0, 0, 0, 0], crd: vec![] };
    let signed = |crd: &[i8]| {
        parts::<HashSigned>([4, 4], (Hashed { width: 4, crd: crd.to_vec() }, column()), 0)
    };
    let empty = i8::MAX;
    assert_eq!(signed(&[empty, -3, -2, 3]), Ok(()));
    refused(signed(&[empty, empty, -3, empty]), 1, 2, "begins in slot 1 of 4");
    refused(signed(&[-4, empty, empty, empty]), 1, 0, "coordinate -4 is not in -3..4");
}

#[test]
fn the_mark_of_an_empty_slot_is_no_coordinate() {
    assert!(Tensor::<f64, HashVector<u32, u8>>::zeros([255]).is_ok());
    let error = Tensor::<f64, HashVector<u32, u8>>::zeros([256]).unwrap_err();
    let expected = "format `hash_vector`: coordinates and the mark of an empty slot of level 1 \
                    reach 256, which does not fit `u8`; choose `u16`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn blocks_of_coordinates_are_checked() {
    let short = |pos: &[u32], blocks: &[u32], first: &[u32], crd: &[u8]| {
        let [pos, blocks, first] = [pos, blocks, first].map(<[u32]>::to_vec);
        let columns = BlockCompressed { pos, blocks, first, crd: crd.to_vec() };
        parts::<Short>([2, 8], (D { size: 2 }, columns), crd.len())
    };
    let (pos, blocks, first, crd) = (&[0, 1, 3], &[2, 0, 1], &[0, 1, 3, 4], &[1, 0, 2, 0]);
    assert_eq!(short(pos, blocks, first, crd), Ok(()));
    refused(short(&[0, 3], blocks, first, crd), 2, 2, "`pos` has 2 elements, and needs one more");
    refused(short(&[1, 1, 3], blocks, first, crd), 2, 0, "`pos` starts at 1");
    refused(short(&[0, 4, 3], blocks, first, crd), 2, 2, "`pos` decreases from 4 to 3");
    refused(short(&[0, 1, 2], blocks, first, crd), 2, 2, "`pos` ends at 2, but `blocks` has 3");
    refused(short(pos, &[2, 0], first, crd), 2, 2, "`pos` ends at 3, but `blocks` has 2");
    refused(short(pos, blocks, &[0, 1, 3], crd), 2, 3, "`first` has 3 elements, and needs one");
    refused(short(pos, blocks, &[0, 1, 3, 3], crd), 2, 3, "`first` ends at 3, but `crd` has 4");
    refused(short(pos, blocks, &[0, 1, 1, 4], crd), 2, 1, "the block has no positions");
    refused(short(pos, &[2, 1, 1], first, crd), 2, 2, "blocks of a parent go from 1 to 1");
    refused(short(pos, blocks, first, &[1, 2, 2, 0]), 2, 2, "of a block go from 2 to 2");
    refused(short(pos, blocks, first, &[1, 0, 3, 0]), 2, 2, "3 is not below 3");
    refused(
        short(pos, blocks, first, &[2, 0, 2, 0]),
        2,
        0,
        "of block 2 of 3 is not below the size 8",
    );
    refused(short(pos, &[u32::MAX, 0, 1], first, crd), 2, 0, "is not below the size 8");
}

#[test]
fn segments_with_gaps_are_checked() {
    let loose = |lo: &[u32], hi: &[u32], crd: &[u32]| {
        let columns = LooseCompressed { lo: lo.to_vec(), hi: hi.to_vec(), crd: crd.to_vec() };
        parts::<Loose>([3, 4], (D { size: 3 }, columns), crd.len())
    };
    // The contents of gaps are ignored.
    assert_eq!(loose(&[4, 2, 0], &[6, 2, 1], &[3, 9, 9, 9, 0, 2]), Ok(()));
    refused(loose(&[4, 2], &[6, 2], &[3, 9, 9, 9, 0, 2]), 2, 2, "`lo` has 2 elements for 3");
    refused(loose(&[4, 2, 0], &[6, 2], &[3, 9, 9, 9, 0, 2]), 2, 2, "`hi` has 2 elements for 3");
    refused(loose(&[4, 2, 0], &[3, 2, 1], &[3, 9, 9, 9, 0, 2]), 2, 0, "begins at 4 and ends at 3");
    refused(loose(&[4, 2, 0], &[7, 2, 1], &[3, 9, 9, 9, 0, 2]), 2, 0, "ends at 7, but `crd` has 6");
    refused(loose(&[4, 2, 0], &[6, 5, 1], &[3, 9, 0, 1, 0, 2]), 2, 1, "overlaps that of parent 0");
    refused(loose(&[4, 2, 0], &[6, 2, 1], &[4, 9, 9, 9, 0, 2]), 2, 0, "coordinate 4 is not below");
    refused(loose(&[4, 2, 0], &[6, 2, 1], &[3, 9, 9, 9, 2, 0]), 2, 5, "decrease from 2 to 0");
    refused(loose(&[4, 2, 0], &[6, 2, 1], &[3, 9, 9, 9, 2, 2]), 2, 5, "is repeated");
}

#[test]
fn bits_are_checked() {
    let bits = |size, bits: &[u64], vals| {
        parts::<Bits>([3, 30], (D { size: 3 }, Bitmap { size, bits: bits.to_vec() }), vals)
    };
    assert_eq!(bits(30, &[u64::MAX, (1 << 26) - 1], 90), Ok(()));
    refused(bits(30, &[0, 1 << 26], 90), 2, 1, "beyond the last of 90 positions");
    refused(bits(30, &[0], 90), 2, 1, "`bits` has 1 elements, 90 positions need 2");
    refused(bits(30, &[0; 3], 90), 2, 3, "`bits` has 3 elements");
    refused(bits(31, &[0; 2], 93), 2, 0, "the level's size is 31, the shape's 30");
    assert!(matches!(bits(30, &[0; 2], 89), Err(Error::Parts { .. })));
    let huge = usize::MAX;
    let levels = (D { size: huge }, Bitmap { size: huge, bits: vec![] });
    assert!(matches!(parts::<Bits>([huge; 2], levels, 0), Err(Error::Size { .. })));
}

#[test]
fn structured_blocks_are_checked() {
    let blocks = |crd: &[u8]| {
        let levels = (D { size: 1 }, D { size: 2 }, Structured { crd: crd.to_vec() });
        parts::<TwoOfFour>([1, 7], levels, crd.len())
    };
    assert_eq!(blocks(&[0, 3, 1, 2]), Ok(()));
    refused(blocks(&[0, 3, 1]), 3, 3, "`crd` has 3 elements for 2 blocks of 2");
    refused(blocks(&[0, 4, 1, 2]), 3, 1, "coordinate 4 is not below");
    refused(blocks(&[3, 0, 1, 2]), 3, 1, "go from 3 to 0");
    refused(blocks(&[0, 3, 1, 1]), 3, 3, "go from 1 to 1");
}

#[test]
fn diagonals_are_checked() {
    let dia = |shape, diagonals: &[i32], vals| {
        let pos = vec![0, diagonals.len() as u32];
        let diagonals = Compressed { pos, crd: diagonals.to_vec() };
        parts::<Dia>(shape, (diagonals, Range, Offset), vals)
    };
    assert_eq!(dia([3, 4], &[-2, 0, 3], 9), Ok(()));
    refused(dia([3, 4], &[-3, 0, 3], 9), 1, 0, "coordinate -3 is not in -2..4");
    refused(dia([3, 4], &[-2, 0, 4], 9), 1, 2, "coordinate 4 is not in -2..4");
    refused(dia([3, 4], &[0, -2, 3], 9), 1, 1, "decrease from 0 to -2");
    refused(dia([3, 4], &[0, 0, 3], 9), 1, 1, "coordinate 0 is repeated");
    refused(dia([0, 4], &[0], 0), 1, 0, "coordinate 0 is not below");
    assert!(matches!(dia([3, 4], &[-2, 0, 3], 8), Err(Error::Parts { .. })));
    assert!(matches!(dia([usize::MAX, 4], &[0], 1), Err(Error::Size { .. })));
    // Validation does not traverse a diagonal without positions.
    assert!(matches!(dia([1 << 30, 1 << 30], &[0], 0), Err(Error::Parts { .. })));
    let error = Tensor::<f64, Dia<u32, u8>>::zeros([129, 200]).unwrap_err();
    let expected = "format `dia`: coordinates of level 1 reach 199, which does not fit `i8`; \
                    choose `i16`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn offsets_stay_inside_the_dimension() {
    let levels = |diagonal, row| {
        let diagonals = Compressed { pos: vec![0, 1], crd: vec![diagonal] };
        (diagonals, Compressed { pos: vec![0, 1], crd: vec![row] }, Offset)
    };
    assert_eq!(parts::<SparseOffset>([4, 3], levels(-1, 3), 1), Ok(()));
    refused(parts::<SparseOffset>([4, 3], levels(-1, 0), 1), 3, 0, "outside the dimension");
    refused(parts::<SparseOffset>([4, 3], levels(0, 3), 1), 3, 0, "outside the dimension");
    // A dense level has rows that a diagonal does not intersect.
    let entries = [([0, 1], 1)];
    refused(Tensor::<i64, DenseOffset>::from_triplets([2, 2], entries), 3, 1, "must be a range");
    assert!(Tensor::<i64, DenseOffset>::from_triplets([2, 2], [([1, 1], 1)]).is_ok());
}

#[test]
fn blocks_reach_beyond_the_extents_without_counting() {
    let columns = Compressed { pos: vec![0, 1, 2], crd: vec![1, 0] };
    let levels = (D { size: 2 }, columns, D { size: 2 }, D { size: 2 });
    let tensor = Tensor::<i64, Blocks>::from_parts([3, 3], levels, (1..9).collect()).unwrap();
    assert!(tensor.iter().eq([([0, 2], 1), ([1, 2], 3), ([2, 0], 5), ([2, 1], 6)]));
    assert_eq!((tensor.stored(), tensor.nnz(), tensor.vals().len()), (4, 4, 8));
    assert_eq!(tensor.get([2, 1]), Some(6));
    assert_eq!(tensor.get([2, 3]), None);
    let columns = Compressed { pos: vec![0, 1, 2], crd: vec![2, 0] };
    let levels = (D { size: 2 }, columns, D { size: 2 }, D { size: 2 });
    refused(parts::<Blocks>([3, 3], levels, 8), 2, 0, "coordinate 2 is not below");
    let error = Tensor::<i64, Blocks>::zeros([usize::MAX, 2]).unwrap_err();
    assert!(matches!(error, Error::Size { .. }));
}

#[test]
fn counted_levels_have_the_size_they_store() {
    let ell = |slots, crd: &[u32]| {
        let levels = (D { size: slots }, D { size: 2 }, Singleton { crd: crd.to_vec() });
        parts::<Ell>([2, 3], levels, crd.len())
    };
    assert_eq!(ell(2, &[0, 1, 2, 0]), Ok(()));
    assert_eq!(ell(0, &[]), Ok(()));
    refused(ell(3, &[0, 1, 2, 0]), 3, 4, "`crd` has 4 elements for 6 parents");
    refused(ell(2, &[0, 1, 3, 0]), 3, 2, "coordinate 3 is not below");
    assert!(matches!(ell(usize::MAX, &[]), Err(Error::Size { .. })));
    let levels = (D { size: 1 }, D { size: 2 }, Singleton { crd: vec![0, 0] });
    refused(parts::<Ell>([2, 0], levels, 2), 3, 0, "size 0");
}

/// Tensors without entries in every format and shape, including the largest extents.
#[test]
fn extreme_extents_never_panic() {
    fn check<F: Format>() {
        let extents = [0, 1, 3, 1 << 31, 1 << 33, isize::MAX as usize, usize::MAX - 1, usize::MAX];
        let order = F::Shape::ORDER as u32;
        for index in 0..extents.len().pow(order) {
            let mut shape = F::Shape::splat(0);
            for (mode, extent) in shape.as_mut().iter_mut().enumerate() {
                *extent = extents[index / extents.len().pow(mode as u32) % extents.len()];
            }
            // Skips sizes that exceed memory although the system would grant the allocation.
            let huge = shape.as_ref().iter().any(|e| (1 << 20..1 << 40).contains(e));
            if huge && F::NAME != "coo" && F::NAME != "dia" {
                continue;
            }
            if let Ok(mut tensor) = Tensor::<i64, F>::zeros(shape) {
                assert_eq!(tensor.get(shape), None);
                assert_eq!(tensor.iter().count(), tensor.stored());
                tensor.prune(0.0).unwrap();
            }
        }
    }
    check::<Coo<2, u64, u64>>();
    check::<Dia<u64, u64>>();
    check::<HashSmall>();
    check::<HashVector<u64, u64>>();
    check::<Ell<u64, u64>>();
    check::<Loose>();
    check::<Short>();
    check::<Bits>();
    check::<TwoOfFour>();
    check::<Blocks>();
    check::<SparseOffset>();
    check::<LooseBits>();
}

/// Raw parts with one changed number are either refused, or make a tensor whose entries and
/// coordinates can all be read.
fn mutate<F: Format>(change: impl Fn(&mut F::Levels, &mut Random)) {
    let mut random = Random(29);
    let mut refused = 0;
    for _ in 0..1500 {
        let shape = random.shape::<F::Shape>();
        let entries = random.entries(shape, 12);
        let Ok(tensor) = Tensor::<i64, F>::from_triplets(shape, entries) else { continue };
        let (shape, mut levels, vals) = tensor.into_parts();
        change(&mut levels, &mut random);
        match Tensor::<i64, F>::from_parts(shape, levels, vals) {
            Ok(tensor) => {
                let sum: i64 = coordinates(shape).filter_map(|c| tensor.get(c)).sum();
                assert_eq!(sum, tensor.iter().map(|(_, value)| value).sum::<i64>(), "{tensor:?}");
                assert!(tensor.iter().all(|(coordinate, _)| tensor.contains(coordinate)));
                let (shape, levels, vals) = tensor.to::<F>().unwrap().into_parts();
                assert!(Tensor::<i64, F>::from_parts(shape, levels, vals).is_ok());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 300, "{refused} of 1500 refused");
}

fn change_array<T>(array: &mut Vec<T>, number: T, random: &mut Random) {
    let index = random.below(array.len());
    match (random.below(4), array.get_mut(index)) {
        (0, _) => array.push(number),
        (1, _) => drop(array.pop()),
        (_, Some(element)) => *element = number,
        (_, None) => {}
    }
}

#[test]
fn changed_parts_never_panic() {
    mutate::<HashSmall>(|levels, random| {
        let number = [E, random.below(7) as u8][random.below(2)];
        match random.below(5) {
            0 => levels.0.width = random.below(9),
            _ => change_array(&mut levels.0.crd, number, random),
        }
    });
    mutate::<Loose>(|levels, random| {
        let number = random.below(8) as u32;
        match random.below(3) {
            0 => change_array(&mut levels.1.lo, number, random),
            1 => change_array(&mut levels.1.hi, number, random),
            _ => change_array(&mut levels.1.crd, number, random),
        }
    });
    mutate::<Short>(|levels, random| {
        let number = random.below(8) as u32;
        match random.below(4) {
            0 => change_array(&mut levels.1.pos, number, random),
            1 => change_array(&mut levels.1.blocks, number, random),
            2 => change_array(&mut levels.1.first, number, random),
            _ => change_array(&mut levels.1.crd, number as u8, random),
        }
    });
    mutate::<Bits>(|levels, random| {
        let number = 1 << random.below(64);
        match random.below(4) {
            0 => levels.1.size = random.below(7),
            _ => change_array(&mut levels.1.bits, number, random),
        }
    });
    mutate::<SparseOffset>(|levels, random| {
        let number = random.below(8);
        match random.below(4) {
            0 => change_array(&mut levels.0.pos, number as u32, random),
            1 => change_array(&mut levels.0.crd, number as i32 - 4, random),
            2 => change_array(&mut levels.1.pos, number as u32, random),
            _ => change_array(&mut levels.1.crd, number as u32, random),
        }
    });
    mutate::<TwoOfFour>(|levels, random| {
        let number = random.below(5) as u8;
        match random.below(5) {
            0 => levels.1.size = random.below(4),
            _ => change_array(&mut levels.2.crd, number, random),
        }
    });
    mutate::<LooseBits>(|levels, random| {
        let number = random.below(8) as u32;
        match random.below(5) {
            0 => change_array(&mut levels.0.lo, number, random),
            1 => change_array(&mut levels.0.crd, number, random),
            2 => levels.1.width = random.below(9),
            3 => change_array(&mut levels.1.crd, number, random),
            _ => change_array(&mut levels.2.bits, 1 << number, random),
        }
    });
    mutate::<Counted>(|levels, random| {
        let number = random.below(8);
        match random.below(3) {
            0 => levels.0.size = number,
            1 => change_array(&mut levels.1.bits, 1 << number, random),
            _ => change_array(&mut levels.2.crd, number as u32, random),
        }
    });
}
