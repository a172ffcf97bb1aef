//! The level of a workspace: the entries of a harvest, in the order of their coordinates.
//!
//! No format map can name it. `crd` holds the coordinates of the single parent. Level functions
//! only read it: kernels store to a workspace like to an array.

use super::code::Expr;
use super::{
    Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment, Storage,
    StorageArray,
};

#[derive(Debug)]
pub(super) struct Workspace;

impl Level for Workspace {
    fn name(&self) -> &str {
        "workspace"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: a workspace checks its own indices.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: true,
            unique: true,
            branchless: false,
            compact: true,
            padded: true,
        }
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::kernel::Workspace<{crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }
}

impl PositionIteration for Workspace {
    fn pos_bounds(&self, storage: &Storage, _: Segment) -> Segment {
        Segment { start: Expr::Index(0), end: Expr::len(storage.array("crd")) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}
