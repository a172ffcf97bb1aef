//! Tests of the memory of results whose arrays are products of an extent and a number that the
//! entries determine: arrays of that length are allocated once, or are an error.

use sparsegen::{Csr, Error, Tensor};

#[allow(clippy::all, dead_code, reason = "a kernel may be called in only one of its forms")]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/sizes.rs"));
}

/// Returns a matrix whose only entries fill its first row.
fn dense_row(size: usize) -> Tensor<f64, Csr> {
    let entries = (0..size).map(|j| ([0, j], 1.0));
    Tensor::from_triplets([size, size], entries).expect("the coordinates are within the extents")
}

/// More bytes than a 64-bit address space has are needed for a row or a diagonal for each of them.
const TOO_LARGE: usize = 4_300_000;

#[test]
fn a_dense_row_is_too_large_for_slots() {
    let error = kernels::to_ell(&dense_row(TOO_LARGE)).map(drop);
    assert!(matches!(error, Err(Error::Size { .. })), "{error:?}");
}

#[test]
fn many_diagonals_are_too_large() {
    let error = kernels::to_dia(&dense_row(TOO_LARGE)).map(drop);
    assert!(matches!(error, Err(Error::Size { .. })), "{error:?}");
}

#[test]
fn arrays_are_allocated_once() -> Result<(), Error> {
    let a = dense_row(300);
    let dia = kernels::to_dia(&a)?;
    let (_, _, vals) = dia.into_parts();
    assert_eq!((vals.len(), vals.capacity()), (300 * 300, 300 * 300));
    Ok(())
}
