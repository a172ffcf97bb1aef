//! Every case of the corpus, each a test: generated code, interpreter and oracle agree.
//!
//! `cargo test -p sparsegen-tests --test corpus spmv_csr` runs one of them.

use std::collections::BTreeMap;

#[allow(unused_imports, reason = "which formats the corpus uses is its own affair")]
use sparsegen::{
    Coo, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Error, Scalar, SparseVector, c32, c64,
};
use sparsegen_tests::check::{Case, Outcome};
use sparsegen_tests::typed::{Run, look, look_at_scalar, pack, repack, scalar, scribbled};
use sparsegen_tests::worlds::Entries;

include!(concat!(env!("OUT_DIR"), "/corpus.rs"));
