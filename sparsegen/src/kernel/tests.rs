//! Tests of checks, searches and proven slices.

use super::*;

const A: (&str, usize, usize) = ("A", 1, 4);
const X: (&str, usize, usize) = ("x", 0, 5);

#[test]
fn sizes_that_differ_name_both_modes() {
    assert_eq!(agree("spmv", "j", &[A, ("x", 0, 4)]), Ok(4));
    let error = agree("spmv", "j", &[A, X]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `spmv`: index variable `j` runs over mode 1 of `A`, of size 4, and over mode 0 \
         of `x`, of size 5; the two sizes must be equal (modes count from 0)"
    );
}

#[test]
fn a_constant_size_is_demanded() {
    assert_eq!(demand("spmm", "k", 4, &[A]), Ok(()));
    let error = demand("spmm", "k", 4, &[A, X]).unwrap_err();
    assert!(error.to_string().contains("mode 0 of `x`, of size 5"), "{error}");
    assert!(error.to_string().contains("size 4"), "{error}");
}

#[test]
fn a_choice_is_among_something() {
    assert_eq!(choice("worst", "argmax", "j", 1), Ok(()));
    assert_eq!(
        choice("worst", "argmax", "j", 0).unwrap_err().to_string(),
        "kernel `worst`: index variable `j` runs over modes of size 0, so that `argmax` has nothing \
         to choose from"
    );
}

#[test]
fn slices_and_coordinates_lie_within_their_modes() {
    assert_eq!(slice("part", A, 1..4), Ok(()));
    assert_eq!(slice("part", A, 4..4), Ok(()));
    assert_eq!(index("part", A, 3), Ok(()));
    let shown = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(
        shown(slice("part", A, 1..5)),
        "kernel `part`: the slice 1..5 does not lie within mode 1 of `A`, of size 4 (modes count \
         from 0)"
    );
    let reversed = Range { start: 3, end: 2 };
    assert_eq!(
        shown(slice("part", A, reversed)),
        "kernel `part`: the slice 3..2 of mode 1 of `A`, of size 4, ends before it begins (modes \
         count from 0)"
    );
    assert_eq!(
        shown(index("part", A, 4)),
        "kernel `part`: the coordinate 4 lies beyond mode 1 of `A`, of size 4 (modes and \
         coordinates count from 0)"
    );
}

#[test]
fn searching_finds_the_first_that_is_not_below() {
    let crd: [u32; 4] = [1, 3, 3, 7];
    for (coordinate, expected) in [(0, 0), (1, 0), (2, 1), (3, 1), (4, 3), (8, 4)] {
        assert_eq!(search(&crd, 0..4, coordinate), expected);
    }
    assert_eq!(search(&crd, 2..2, 9), 2);
    let diagonals = [-3_i16, -1, 0, 4];
    for (coordinate, expected) in [(-9, 0), (-3, 0), (-2, 1), (0, 2), (1, 3), (5, 4)] {
        assert_eq!(search_signed(&diagonals, 0..4, coordinate), expected);
    }
}

#[test]
fn a_width_that_is_too_narrow_advises_the_next() {
    assert_eq!(fits::<u8>("add", "C", "positions of level 2", 255), Ok(()));
    let error = fits::<u8>("add", "C", "positions of level 2", 256).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `add`, tensor `C`: positions of level 2 reach 256, which does not fit `u8`; \
         choose `u16`"
    );
}

#[test]
fn proven_slices_read_and_write() {
    let mut numbers = [1, 2, 3];
    // SAFETY: the indices below are 1 and 2.
    let mut written = unsafe { ProvenMut::new(&mut numbers) };
    written[1] += 10;
    assert_eq!(written[2], 3);
    // SAFETY: the index below is 1.
    assert_eq!(unsafe { Proven::new(&numbers) }[1], 12);
}

#[test]
fn reserved_vectors_take_what_fits() {
    let mut numbers = vec![1];
    // SAFETY: two numbers are pushed.
    let mut reserved = unsafe { Reserved::new(&mut numbers, 2) };
    reserved.push(2);
    assert_eq!((reserved.len(), reserved.is_empty()), (2, false));
    reserved.push(3);
    drop(reserved);
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn products_of_extents_that_are_too_large_are_refused() {
    let large = 1 << 40;
    assert_eq!(room::<()>("loops of k", &[large, 1 << 23]), Ok(()));
    let error = Error::Size { format: "loops of k", shape: vec![large, 1 << 24] };
    assert_eq!(room::<()>("loops of k", &[large, 1 << 24]), Err(error));
    // The product overflows unless the zero is found first.
    assert_eq!(room::<()>("loops of k", &[large, large, 0]), Ok(()));
    assert_eq!(room::<f64>("arrays of k", &[3, 4]), Ok(()));
    let error = Error::Size { format: "arrays of k", shape: vec![large, 1 << 22] };
    assert_eq!(room::<f64>("arrays of k", &[large, 1 << 22]), Err(error));
}
