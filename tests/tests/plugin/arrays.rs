//! Tests of stored arrays that are written by hand, valid and invalid.

use sparsegen::{Csr, Error, Format, Tensor};

use crate::{band, deltas, lists_in_blocks, mixed, runs};

fn refusal<F: Format<Shape = [usize; 2]>>(
    shape: [usize; 2],
    of: &Tensor<f64, F>,
    spoil: impl FnOnce(&mut F::Levels),
) -> String {
    let (_, mut levels, vals) = of.clone().into_parts();
    spoil(&mut levels);
    Tensor::<f64, F>::from_parts(shape, levels, vals).unwrap_err().to_string()
}

#[test]
fn runs_are_kept_by_their_ends() -> Result<(), Error> {
    let places = [[0, 1], [0, 2], [0, 5], [2, 0], [2, 1], [2, 2]];
    let a = Tensor::<f64, Csr>::from_triplets([3, 6], places.map(|at| (at, 1.0)))?;
    for stored in [a.to::<runs::Mine>()?, runs::copy(&a)?] {
        let level = &stored.levels().1;
        assert_eq!(level.pos, [0, 2, 2, 3]);
        assert_eq!(level.start, [1, 5, 0]);
        assert_eq!(level.first, [0, 2, 3, 6]);
        assert!(stored.iter().map(|(at, _)| at).eq(places));
        assert_eq!((stored.get([0, 5]), stored.get([0, 4])), (Some(1.0), Some(0.0)));
    }
    let stored = a.to::<runs::Mine>()?;
    let level_2 = |reason: &str| format!("invalid `mine` tensor: level 2, {reason}");
    let leaves = level_2("index 1: the run is empty or leaves the dimension");
    assert_eq!(refusal([3, 6], &stored, |levels| levels.1.start[1] = 6), leaves);
    let meets = level_2("index 1: the run meets the one before");
    assert_eq!(refusal([3, 6], &stored, |levels| levels.1.start[1] = 3), meets);
    let empty = level_2("index 0: the run is empty or leaves the dimension");
    assert_eq!(refusal([3, 6], &stored, |levels| levels.1.first[1] = 0), empty);
    let order = level_2("index 3: the runs of the parents are not all runs in order");
    assert_eq!(refusal([3, 6], &stored, |levels| levels.1.pos[1] = 9), order);
    Ok(())
}

#[test]
fn gaps_that_a_byte_cannot_hold_are_left_out_in_steps() -> Result<(), Error> {
    let columns = [0, 255, 510, 511, 1021, 1022 + 254, 1277 + 255];
    let entries = columns.map(|column| ([0, column], column as f64));
    let a = Tensor::<f64, deltas::Mine>::from_triplets([2, 2000], entries)?;
    let gaps = [0, 254, 254, 0, 255, 254, 254, 255, 0];
    assert_eq!(a.levels().1.gap, gaps);
    assert_eq!(a.levels().1.pos, [0, 9, 9]);
    assert!(a.iter().eq(entries));
    assert_eq!((a.get([0, 1021]), a.get([0, 1020])), (Some(1021.0), Some(0.0)));
    assert!(deltas::copy_back(&a)?.iter().eq(entries));
    let leaves = "invalid `mine` tensor: level 2, index 8: the coordinate leaves the dimension";
    assert_eq!(refusal([2, 1532], &a, |_| {}), leaves);
    Ok(())
}

#[test]
fn windows_may_end_with_the_dimension() -> Result<(), Error> {
    let entries = [([0, 3], 3.0), ([1, 0], 1.0), ([1, 2], 2.0)];
    let a = Tensor::<f64, band::Mine>::from_triplets([3, 4], entries)?;
    assert_eq!(a.levels().1.start, [3, 0, 0]);
    assert_eq!(a.vals(), [3.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(band::spmv(&a, &[1.0, 2.0, 3.0, 4.0])?.vals(), [12.0, 7.0, 0.0]);
    let far = [([0, 0], 1.0), ([0, 3], 1.0)];
    let error = Tensor::<f64, band::Mine>::from_triplets([1, 4], far).unwrap_err().to_string();
    assert!(error.contains("the window of 3 coordinates ends before this one"), "{error}");
    Ok(())
}

#[test]
fn what_lies_beyond_a_cut_block_is_not_there() -> Result<(), Error> {
    let entries = [([0, 1], 2.0), ([0, 4], 3.0)];
    let x = [1.0, 10.0, 100.0, 1000.0, 10000.0];
    let a = Tensor::from_triplets([2, 5], entries)?;
    assert_eq!(mixed::spmv_two_of_four(&a, &x)?.vals(), [30020.0, 0.0]);
    let a = Tensor::<f64, lists_in_blocks::Mine>::from_triplets([2, 5], entries)?;
    assert_eq!(lists_in_blocks::spmv(&a, &x)?.vals(), [30020.0, 0.0]);
    let (shape, mut levels, vals) = a.into_parts();
    levels.2.crd[1] = 3;
    let a = Tensor::<f64, lists_in_blocks::Mine>::from_parts(shape, levels, vals)?;
    assert_eq!(a.iter().count(), 1);
    assert_eq!(lists_in_blocks::spmv(&a, &x)?.vals(), [20.0, 0.0]);
    Ok(())
}
