//! Tests of stored arrays against the examples in the documentation of MLIR's sparse tensors,
//! exactly as printed there.

mod common;

use common::declare;
use sparsegen::level::{Compressed, Dense as D, Singleton, Structured};
use sparsegen::*;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);

declare! {
    Bsr = "bsr", 2 {
        (LevelExpr::Div(&I, 2)): "dense", D; (LevelExpr::Div(&J, 2)): "compressed", Compressed;
        (LevelExpr::Mod(&I, 2)): "dense", D; (LevelExpr::Mod(&J, 2)): "dense", D;
    }
    Bsr23 = "bsr23", 2 {
        (LevelExpr::Div(&I, 2)): "dense", D; (LevelExpr::Div(&J, 3)): "compressed", Compressed;
        (LevelExpr::Mod(&I, 2)): "dense", D; (LevelExpr::Mod(&J, 3)): "dense", D;
    }
    TwoOfFour = "two_of_four", 2 {
        0: "dense", D; (LevelExpr::Div(&J, 4)): "dense", D;
        (LevelExpr::Mod(&J, 4)): "structured"[2, 4], Structured<u8, 2, 4>;
    }
    BatchedCoo = "batched_coo", 3 {
        0: "dense", D; 1: "compressed".nonunique, Compressed; 2: "singleton", Singleton;
    }
}

/// Returns a matrix given by its rows, without the zeros.
fn matrix<F: Format<Shape = [usize; 2]>>(rows: &[&[i64]]) -> Tensor<i64, F> {
    Tensor::from_dense([rows.len(), rows[0].len()], &rows.concat()).unwrap()
}

/// Returns the arrays of all levels, by name and number of the level, from 1.
fn arrays<F: Format>(tensor: &Tensor<i64, F>) -> String {
    format!("{tensor:?}")
}

/// The matrix of the example of 2x2 blocks.
const BLOCKS: [&[i64]; 4] =
    [&[1, 2, 0, 0, 4, 0], &[0, 3, 0, 0, 0, 5], &[0, 0, 6, 7, 0, 0], &[0, 0, 8, 0, 0, 0]];

#[test]
fn bsr() {
    let tensor = matrix::<Bsr>(&BLOCKS);
    let (rows, columns, row, column) = tensor.levels();
    assert_eq!((rows.size, row.size, column.size), (2, 2, 2));
    assert_eq!(columns.pos, [0, 2, 3]);
    assert_eq!(columns.crd, [0, 2, 1]);
    assert_eq!(tensor.vals(), [1, 2, 0, 3, 4, 0, 0, 5, 6, 7, 8, 0]);
}

#[test]
fn bsr_of_2x3_blocks() {
    let tensor = matrix::<Bsr23>(&BLOCKS);
    assert_eq!(tensor.levels().1.pos, [0, 2, 4]);
    assert_eq!(tensor.levels().1.crd, [0, 1, 0, 1]);
    #[rustfmt::skip]
    assert_eq!(tensor.vals(), [
        1, 2, 0, 0, 3, 0,   0, 4, 0, 0, 0, 5,
        0, 0, 6, 0, 0, 8,   7, 0, 0, 0, 0, 0,
    ]);
}

/// The columns of the nonzeros of each row, within blocks of 4.
#[rustfmt::skip]
const KEPT: [[usize; 8]; 16] = [
    [0, 2, 0, 2, 0, 2, 0, 2],
    [1, 3, 1, 3, 1, 3, 1, 3],
    [0, 1, 2, 3, 0, 1, 2, 3],
    [2, 3, 0, 1, 2, 3, 0, 1],
    [0, 1, 0, 1, 0, 1, 0, 1],
    [0, 1, 0, 1, 0, 1, 0, 1],
    [2, 3, 2, 3, 2, 3, 2, 3],
    [2, 3, 2, 3, 2, 3, 2, 3],
    [0, 2, 0, 2, 0, 2, 0, 2],
    [1, 3, 1, 3, 1, 3, 1, 3],
    [0, 1, 2, 3, 0, 1, 2, 3],
    [2, 3, 0, 1, 2, 3, 0, 1],
    [0, 1, 0, 1, 0, 1, 0, 1],
    [0, 1, 0, 1, 0, 1, 0, 1],
    [2, 3, 2, 3, 2, 3, 2, 3],
    [2, 3, 2, 3, 2, 3, 2, 3],
];

/// The values of the nonzeros.
#[rustfmt::skip]
const VALUES: [[f64; 8]; 16] = [
    [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0],
    [5.0, 6.0, 7.0, 8.0, 5.0, 6.0, 7.0, 8.0],
    [9.0, 10.0, 11.0, 12.0, 9.0, 10.0, 11.0, 12.0],
    [13.0, 14.0, 15.0, 16.0, 13.0, 14.0, 15.0, 16.0],
    [17.0, 18.0, 19.0, 20.0, 17.0, 18.0, 19.0, 20.0],
    [21.0, 22.0, 23.0, 24.0, 21.0, 22.0, 23.0, 24.0],
    [25.0, 26.0, 27.0, 28.0, 25.0, 26.0, 27.0, 28.0],
    [29.0, 30.0, 31.0, 32.0, 29.0, 30.0, 31.0, 32.0],
    [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0],
    [5.0, 6.0, 7.0, 8.0, 5.0, 6.0, 7.0, 8.0],
    [9.0, 10.0, 11.0, 12.0, 9.0, 10.0, 11.0, 12.0],
    [13.0, 14.0, 15.0, 16.0, 13.0, 14.0, 15.0, 16.0],
    [17.0, 18.0, 19.0, 20.0, 17.0, 18.0, 19.0, 20.0],
    [21.0, 22.0, 23.0, 24.0, 21.0, 22.0, 23.0, 24.0],
    [25.0, 26.0, 27.0, 28.0, 25.0, 26.0, 27.0, 28.0],
    [29.0, 30.0, 31.0, 32.0, 29.0, 30.0, 31.0, 32.0],
];

#[test]
fn two_of_four() {
    // Each row has four blocks of four columns, and two nonzeros in each.
    let entry =
        |(row, slot): (usize, usize)| ([row, slot / 2 * 4 + KEPT[row][slot]], VALUES[row][slot]);
    let slots = (0..16).flat_map(|row| (0..8).map(move |slot| (row, slot)));
    let entries: Vec<_> = slots.map(entry).collect();
    let tensor = Tensor::<f64, TwoOfFour>::from_triplets([16, 16], entries.clone()).unwrap();
    let coordinates: Vec<usize> = tensor.levels().2.crd.iter().map(|c| usize::from(*c)).collect();
    assert_eq!(coordinates, KEPT.concat());
    assert_eq!(tensor.vals(), VALUES.concat());
    assert!(tensor.iter().eq(entries));
}

#[test]
fn blocks_with_less_are_padded_and_blocks_with_more_refused() {
    let rows: [&[i64]; 2] = [&[0, 0, 0, 7, 0, 0], &[0, 5, 6, 0, 0, 0]];
    let tensor = matrix::<TwoOfFour>(&rows);
    // The first block of row 0 has one entry only; the second blocks are empty and extend beyond
    // column 5.
    assert_eq!(tensor.levels().2.crd, [0, 3, 0, 1, 1, 2, 0, 1]);
    assert_eq!(tensor.vals(), [0, 7, 0, 0, 5, 6, 0, 0]);
    assert_eq!(tensor.to::<Csr>().unwrap(), matrix::<Csr>(&rows));

    let error = Tensor::<i64, TwoOfFour>::from_dense([1, 4], &[1, 2, 3, 0]).unwrap_err();
    let expected = "format `two_of_four` cannot store the entry at [0, 2]: level 3: \
                    structured(2, 4) keeps 2 of the 4 coordinates of a block, and one more is given";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn csr() {
    // The rows 0, 1 and 3 of this matrix have entries.
    let rows: [&[i64]; 4] = [&[1, 0, 2], &[0, 3, 0], &[0, 0, 0], &[4, 0, 0]];
    assert_eq!(
        arrays(&matrix::<Csr>(&rows)),
        "csr { shape: [4, 3], size1: [4], pos2: [0, 2, 3, 3, 4], crd2: [0, 2, 1, 0], \
         vals: [1, 2, 3, 4] }"
    );
}

#[test]
fn sorted_coo() {
    let rows: [&[i64]; 3] = [&[0, 1, 2], &[0, 0, 0], &[3, 0, 0]];
    assert_eq!(
        arrays(&matrix::<Coo<2>>(&rows)),
        "coo { shape: [3, 3], pos1: [0, 3], crd1: [0, 0, 2], crd2: [1, 2, 0], vals: [1, 2, 3] }"
    );
}

#[test]
fn batched_coo() {
    let entries = [([0, 1, 1], 1), ([0, 1, 2], 2), ([2, 0, 1], 3), ([2, 1, 0], 4)];
    let tensor = Tensor::<i64, BatchedCoo>::from_triplets([3, 2, 3], entries).unwrap();
    assert_eq!(
        arrays(&tensor),
        "batched_coo { shape: [3, 2, 3], size1: [3], pos2: [0, 2, 2, 4], crd2: [1, 1, 0, 1], \
         crd3: [1, 2, 1, 0], vals: [1, 2, 3, 4] }"
    );
}

#[test]
fn dcsc_with_coordinates_of_8_bits() {
    let entries = [([7, 0], 1), ([0, 3], 2), ([6, 3], 3)];
    let tensor = Tensor::<i64, Dcsc<u32, u8>>::from_triplets([8, 8], entries).unwrap();
    let (columns, rows) = tensor.levels();
    let widths: (&Vec<u32>, &Vec<u8>) = (&columns.pos, &rows.crd);
    assert_eq!(widths, (&vec![0, 2], &vec![7, 0, 6]));
    assert_eq!((&*columns.crd, &*rows.pos), (&[0, 3][..], &[0, 1, 3][..]));
}

/// The formats of the paper on the format abstraction, for its 4x6 matrix of the entries 5 1 7 3 8
/// 4 9.
mod paper {
    use super::*;

    const MATRIX: [&[i64]; 4] =
        [&[5, 1, 0, 0, 0, 0], &[7, 3, 0, 0, 0, 0], &[0; 6], &[8, 0, 0, 4, 9, 0]];

    #[test]
    fn dia() {
        assert_eq!(
            arrays(&matrix::<Dia>(&MATRIX)),
            "dia { shape: [4, 6], pos1: [0, 4], crd1: [-3, -1, 0, 1], \
             vals: [0, 0, 0, 8, 0, 7, 0, 0, 5, 3, 0, 4, 1, 0, 0, 9] }"
        );
    }

    #[test]
    fn ell() {
        assert_eq!(
            arrays(&matrix::<Ell>(&MATRIX)),
            "ell { shape: [4, 6], size1: [3], size2: [4], \
             crd3: [0, 0, 0, 0, 1, 1, 0, 3, 0, 0, 0, 4], \
             vals: [5, 7, 0, 8, 1, 3, 0, 4, 0, 0, 0, 9] }"
        );
    }

    #[test]
    fn hash_vector() {
        let tensor =
            Tensor::<i64, HashVector>::from_triplets([20], [([3], 1), ([11], 2), ([7], 3)])
                .unwrap();
        let empty = u32::MAX;
        // Both 3 and 11 hash to slot 3 of 8; 11 is inserted into the next slot.
        assert_eq!(tensor.levels().0.width, 8);
        assert_eq!(tensor.levels().0.crd, [empty, empty, empty, 3, 11, empty, empty, 7]);
        assert_eq!(tensor.vals(), [0, 0, 0, 1, 2, 0, 0, 3]);
        assert!(tensor.iter().eq([([3], 1), ([11], 2), ([7], 3)]));
    }
}
