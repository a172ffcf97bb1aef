//! `batch`: every coordinate from 0 to the extent, without storage, outermost in a map.
//!
//! The level functions are those of `dense`, from which the level differs by its place only: what
//! is stored below a coordinate is a tensor of its own. The buffers of these tensors follow one
//! another in the arrays of the levels below, so that kernels read and assemble them as they do
//! those of other formats.

use super::StorageArray;
use super::dense::Dense;
use super::{CoordinateIteration, Insert, Level, Locate, Promise, Properties, Property};

#[derive(Debug)]
pub(super) struct Batch;

impl Level for Batch {
    fn name(&self) -> &str {
        "batch"
    }

    fn promise(&self) -> Option<Promise> {
        Dense.promise()
    }

    fn properties(&self) -> Properties {
        Dense.properties()
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[]
    }

    fn storage(&self, _: &str, _: &str) -> String {
        "sparsegen::level::Batch".to_owned()
    }

    fn is_outermost(&self) -> bool {
        true
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        Some(&Dense)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(&Dense)
    }

    fn insert(&self) -> Option<&dyn Insert> {
        Some(&Dense)
    }
}
