//! Tests of every case of the corpus: generated code, interpreter and oracle agree.
//!
//! `cargo test -p sparsegen-tests --test corpus_basics spmv_csr` runs one of them.

use std::collections::BTreeMap;

#[allow(unused_imports, reason = "which formats the corpus uses is its own affair")]
use sparsegen::{
    Coo, CooUnordered, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Dia, Ell, Error, HashRows,
    HashVector, Scalar, SparseVector, c32, c64,
};
use sparsegen_harness::check::{Case, Outcome};
#[allow(unused_imports, reason = "which results the corpus has is its own affair")]
use sparsegen_harness::typed::{
    Run, look, look_at_scalar, pack, refused_structure, repack, restructured, scalar, scribbled,
};
use sparsegen_harness::worlds::Entries;

include!(concat!(env!("OUT_DIR"), "/basics.rs"));
