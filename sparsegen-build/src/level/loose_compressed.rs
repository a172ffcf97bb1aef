//! `loose_compressed`: like `compressed`, with gaps between segments, which may have any order.
//!
//! `lo[q]..hi[q]` are the positions of parent q, and `crd[p]` is the coordinate at p.

use super::code::Expr;
use super::{
    Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment, Storage,
    StorageArray,
};

#[derive(Debug)]
pub(super) struct LooseCompressed;

impl Level for LooseCompressed {
    fn name(&self) -> &str {
        "loose_compressed"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that the segments from `lo` to `hi` are disjoint and lie within
        // `crd`, and that coordinates are below the extent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: true,
            unique: true,
            branchless: false,
            compact: false,
            padded: true,
        }
    }

    fn settable(&self) -> &'static [Property] {
        &Property::ALL
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[
            StorageArray { field: "lo", holds: Holds::Positions },
            StorageArray { field: "hi", holds: Holds::Positions },
            StorageArray { field: "crd", holds: Holds::Coordinates },
        ]
    }

    fn storage(&self, pos: &str, crd: &str) -> String {
        format!("sparsegen::level::LooseCompressed<{pos}, {crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }
}

impl PositionIteration for LooseCompressed {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        Segment {
            start: storage.load("lo", parents.start),
            end: storage.load("hi", Expr::sub(parents.end, Expr::Index(1))),
        }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}
