//! `delta` for the compiler: coordinates as the bytes by which they exceed the previous one.
//!
//! The positions of parent q are `pos[q]..pos[q + 1]`. A coordinate is `gap[p]` more than the least
//! possible one, which is 0 at first and then one more than the previous coordinate. The byte 255
//! marks a position without an entry: it skips the next 255 coordinates.

use sparsegen_build::Width;
use sparsegen_build::level::code::{Expr, Stmt};
use sparsegen_build::level::{
    Found, Holds, Level, PositionIteration, Properties, Property, Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub struct Delta;

impl Level for Delta {
    fn name(&self) -> &str {
        "delta"
    }

    fn properties(&self) -> Properties {
        Properties::SPARSE
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[
            StorageArray { field: "pos", holds: Holds::Positions },
            StorageArray { field: "gap", holds: Holds::Numbers(Width::U8) },
        ]
    }

    fn storage(&self, pos: &str, _: &str) -> String {
        format!("crate::levels::Delta<{pos}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }
}

/// The least coordinate that can follow is a carried variable.
impl PositionIteration for Delta {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let end = |parent| storage.load("pos", parent);
        Segment { start: end(parents.start), end: end(parents.end) }
    }

    fn carried(&self) -> &'static [&'static str] {
        &["least"]
    }

    fn pos_begin(&self, _: &Storage, _: Expr) -> Vec<Expr> {
        vec![Expr::Index(0)]
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let gap = storage.load("gap", position);
        let least = Expr::var(storage.carried("least"));
        // No entry has the last of the skipped coordinates, since its byte would be 254.
        let coordinate = Expr::add(least, Expr::min(gap.clone(), Expr::Index(254)));
        Found::only_if(Expr::ne(gap, Expr::Index(255)), coordinate)
    }

    fn pos_next(&self, storage: &Storage, _: Expr, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::assign(storage.carried("least"), Expr::add(coordinate, Expr::Index(1)))]
    }
}
