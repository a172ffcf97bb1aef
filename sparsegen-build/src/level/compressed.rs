//! `compressed`: the stored coordinates, and the first position of each parent.
//!
//! `pos[q]..pos[q + 1]` are the positions of parent q, and `crd[p]` is the coordinate at p.

use super::code::{Expr, Stmt};
use super::{
    Append, Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment,
    Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Compressed;

impl Level for Compressed {
    fn name(&self) -> &str {
        "compressed"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that the segments of `pos` are contiguous within `crd`, and
        // that coordinates are below the extent.
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
        &Property::ALL
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[
            StorageArray { field: "pos", holds: Holds::Positions },
            StorageArray { field: "crd", holds: Holds::Coordinates },
        ]
    }

    fn storage(&self, pos: &str, crd: &str) -> String {
        format!("sparsegen::level::Compressed<{pos}, {crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl PositionIteration for Compressed {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let start = match parents.start {
            // The children of the first parent begin at position 0.
            Expr::Index(0) => Expr::Index(0),
            parent => storage.load("pos", parent),
        };
        Segment { start, end: storage.load("pos", parents.end) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}

/// `pos` holds the count after each parent, so no prefix sum is needed at the end.
impl Append for Compressed {
    fn append_init(&self, storage: &Storage) -> Vec<Stmt> {
        vec![
            Stmt::Clear { array: storage.array("pos").to_owned() },
            Stmt::Push { array: storage.array("pos").to_owned(), value: Expr::Index(0) },
            Stmt::Clear { array: storage.array("crd").to_owned() },
        ]
    }

    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::Push { array: storage.array("crd").to_owned(), value: coordinate }]
    }

    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt> {
        let pos = storage.array("pos").to_owned();
        let value = self.count(storage);
        let previous = Expr::load(&pos, Expr::sub(Expr::len(&pos), Expr::Index(1)));
        let mut edges = Vec::new();
        if let Some(parent) = skipped_to {
            // The skipped parents end where the last one did.
            let len = Expr::add(parent, Expr::Index(1));
            edges.push(Stmt::Resize { array: pos.clone(), len, value: previous });
        }
        edges.push(Stmt::Push { array: pos, value });
        edges
    }

    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt> {
        let Some(parents) = parents else { return Vec::new() };
        let len = Expr::add(parents, Expr::Index(1));
        let value = self.count(storage);
        vec![Stmt::Resize { array: storage.array("pos").to_owned(), len, value }]
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }

    fn holds_ends(&self) -> bool {
        true
    }
}
