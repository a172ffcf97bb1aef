//! `hashed`: a bucket of slots for each parent, with linear probing.
//!
//! The slots of parent q are `q * width..(q + 1) * width`; an empty slot holds the largest number
//! of the coordinate type. Probing starts at `coordinate % width`, and every bucket has an empty
//! slot, so that a search ends.

use super::code::{Expr, Stmt};
use super::{
    Found, Holds, Level, Locate, PositionIteration, Promise, Properties, Property, Segment,
    Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Hashed;

impl Level for Hashed {
    fn name(&self) -> &str {
        "hashed"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that each parent has a bucket of `width` slots, one of which is
        // empty, and that the coordinates in the others are below the extent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: false,
            unique: true,
            branchless: false,
            compact: false,
            padded: true,
        }
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::level::Hashed<{crd}>")
    }

    fn numbers(&self) -> &'static [&'static str] {
        &["width"]
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl PositionIteration for Hashed {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let width = storage.number("width");
        Segment {
            start: Expr::mul(parents.start, width.clone()),
            end: Expr::mul(parents.end, width),
        }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let coordinate = storage.load("crd", position);
        let found = Expr::ne(coordinate.clone(), Expr::largest(storage.crd));
        Found { prelude: Vec::new(), value: coordinate, found: Some(found) }
    }
}

impl Locate for Hashed {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        let width = storage.number("width");
        let bucket = Expr::mul(parent, width.clone());
        let slot = format!("{name}_slot");
        let position = Expr::add(bucket, Expr::var(&slot));
        let stored = storage.load("crd", position.clone());
        let elsewhere = Expr::and(
            Expr::ne(stored.clone(), coordinate.clone()),
            Expr::ne(stored.clone(), Expr::largest(storage.crd)),
        );
        // Wraps around after the last slot. A comparison is faster than a remainder.
        let mut next = vec![Stmt::accumulate(&slot, Expr::Index(1))];
        let is_behind = Expr::eq(Expr::var(&slot), width.clone());
        next.extend(Stmt::when(is_behind, vec![Stmt::assign(&slot, Expr::Index(0))]));
        let mut prelude = vec![Stmt::bind_mut(&slot, Expr::rem(coordinate.clone(), width))];
        prelude.extend(Stmt::repeat_while(elsewhere, next));
        Found { prelude, value: position, found: Some(Expr::eq(stored, coordinate)) }
    }
}
