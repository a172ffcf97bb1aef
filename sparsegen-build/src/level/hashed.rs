//! `hashed`: a bucket of slots for each parent, with linear probing.
//!
//! The slots of parent q are `q * width..(q + 1) * width`; an empty slot holds the largest number
//! of the coordinate type. Probing starts at `coordinate % width`, and every bucket has an empty
//! slot, so that a search ends.

use super::code::{Element, Expr, Rearrange, Stmt};
use super::{
    Below, Buckets, Found, Holds, Insert, Level, Locate, PositionIteration, Promise, Properties,
    Property, Segment, Storage, StorageArray,
};
use crate::types::Width;

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

    fn insert(&self) -> Option<&dyn Insert> {
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

    fn has_no_gaps(&self) -> bool {
        true
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
        let mut prelude = vec![Stmt::bind_mut(&slot, Expr::wrap(coordinate.clone(), width))];
        prelude.extend(Stmt::repeat_while(elsewhere, next(storage, &slot)));
        Found { prelude, value: position, found: Some(Expr::eq(stored, coordinate)) }
    }
}

/// Returns the statements that advance to the next slot of a bucket.
fn next(storage: &Storage, slot: &str) -> Vec<Stmt> {
    // Wraps around after the last slot. A comparison is faster than a remainder.
    let mut next = vec![Stmt::accumulate(slot, Expr::Index(1))];
    let is_behind = Expr::eq(Expr::var(slot), storage.number("width"));
    next.extend(Stmt::when(is_behind, vec![Stmt::assign(slot, Expr::Index(0))]));
    next
}

/// The width doubles when a bucket is half full.
impl Insert for Hashed {
    fn scratch(&self) -> &'static [&'static str] {
        &["counts"]
    }

    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.number("width"))
    }

    fn buckets(&self) -> Option<Buckets> {
        Some(Buckets { slots: "crd", width: "width" })
    }

    fn insert_init(&self, storage: &Storage) -> Vec<Stmt> {
        let [crd, counts] = ["crd", "counts"].map(|field| storage.array(field));
        let mut init = vec![Stmt::clear(crd), Stmt::scratch(counts, Element::Index(Width::Usize))];
        if let Expr::Var(width) = storage.number("width") {
            init.push(Stmt::bind_mut(&width, Expr::Index(1)));
        }
        init
    }

    fn insert_parents(&self, storage: &Storage, parents: Expr) -> Vec<Stmt> {
        let slots = self.size(storage, parents.clone());
        vec![
            Stmt::resize(storage.array("crd"), slots, Expr::largest(storage.crd)),
            Stmt::resize(storage.array("counts"), parents, Expr::Index(0)),
        ]
    }

    fn each_parent(&self, storage: &Storage) -> Vec<(String, Expr)> {
        let [crd, counts] = ["crd", "counts"].map(|field| storage.array(field).to_owned());
        vec![(crd, Expr::largest(storage.crd)), (counts, Expr::Index(0))]
    }

    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        below: &Below,
        name: &str,
    ) -> Found {
        let Found { mut prelude, value: position, .. } =
            Locate::locate(self, storage, parent.clone(), coordinate.clone(), name);
        let [crd, counts] = ["crd", "counts"].map(|field| storage.array(field).to_owned());
        let (slot, width) = (format!("{name}_slot"), storage.number("width"));
        let stored = storage.load("crd", position.clone());
        let is_vacant = Expr::eq(stored.clone(), Expr::largest(storage.crd));
        let mut new = Vec::new();
        if let Expr::Var(name) = &width {
            let below = below.arrays.clone();
            let widen = Rearrange::Widen { width: name.clone(), crd: crd.clone(), below };
            let mut wider = vec![
                Stmt::Rearrange(widen),
                Stmt::assign(&slot, Expr::wrap(coordinate.clone(), width.clone())),
            ];
            let is_taken = Expr::ne(stored, Expr::largest(storage.crd));
            wider.extend(Stmt::repeat_while(is_taken, next(storage, &slot)));
            let entries = Expr::add(Expr::load(&counts, parent.clone()), Expr::Index(1));
            new.extend(Stmt::when(Expr::lt(width, Expr::mul(Expr::Index(2), entries)), wider));
        }
        new.push(Stmt::accumulate_at(&counts, parent, Expr::Index(1)));
        new.push(Stmt::store(&crd, position.clone(), coordinate));
        prelude.extend(Stmt::when(is_vacant, new));
        Found { prelude, value: position, found: None }
    }
}
