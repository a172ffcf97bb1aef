//! Tests of reading and writing: files of `tests/data`, malformed files, and randomly damaged
//! files.

mod accepted;
mod facts;
mod mutations;
mod refused;
mod round_trips;

use std::path::PathBuf;

use crate::{Coo, Error, Format, Stored, Tensor, io};

/// Returns a file of the test data.
fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

/// Reads text as a Matrix Market file of real numbers.
fn matrix(text: impl AsRef<[u8]>) -> Result<Tensor<f64, Coo<2>>, Error> {
    io::read_mtx_from(text.as_ref(), "m.mtx")
}

/// Reads text as a FROSTT file of order 3.
fn tensor(text: impl AsRef<[u8]>) -> Result<Tensor<f64, Coo<3>>, Error> {
    io::read_tns_from(text.as_ref(), "t.tns")
}

/// Returns the entries in the order of their coordinates.
fn sorted<V: Stored, F: Format>(tensor: &Tensor<V, F>) -> Vec<(F::Shape, V)> {
    let mut entries: Vec<_> = tensor.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
    entries
}
