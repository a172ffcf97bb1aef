//! `batch`: every coordinate from 0 to the extent, without storage, outermost in a map.
//!
//! Its level functions are those of `dense`; only its place is restricted. The levels below store a
//! tensor for each coordinate, one after another in the same arrays.

use super::dense::Dense;
use super::{
    CoordinateIteration, Insert, Level, Locate, Promise, Properties, Property, StorageArray,
};

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
