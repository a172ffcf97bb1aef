//! `singleton`: one coordinate under each parent, at the parent's position.

use super::code::{Expr, Stmt};
use super::{
    Append, Fill, Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment,
    Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Singleton;

impl Level for Singleton {
    fn name(&self) -> &str {
        "singleton"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that `crd` has a coordinate below the extent for each parent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: true,
            unique: true,
            branchless: true,
            compact: true,
            padded: true,
        }
    }

    fn settable(&self) -> &'static [Property] {
        &Property::ALL
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::level::Singleton<{crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }

    fn fill(&self) -> Option<&dyn Fill> {
        Some(self)
    }
}

impl PositionIteration for Singleton {
    fn pos_bounds(&self, _: &Storage, parents: Segment) -> Segment {
        parents
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}

impl Append for Singleton {
    fn append_init(&self, storage: &Storage) -> Vec<Stmt> {
        vec![Stmt::Clear { array: storage.array("crd").to_owned() }]
    }

    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::Push { array: storage.array("crd").to_owned(), value: coordinate }]
    }

    fn append_edges(&self, _: &Storage, _: Option<Expr>) -> Vec<Stmt> {
        Vec::new()
    }

    fn append_finalize(&self, _: &Storage, _: Option<Expr>) -> Vec<Stmt> {
        Vec::new()
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }
}

impl Fill for Singleton {
    fn fill_edges(&self, _: &Storage, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }

    fn fill_positions(&self, storage: &Storage, count: Expr) -> Vec<Stmt> {
        vec![Stmt::resize(storage.array("crd"), count, Expr::Index(0))]
    }

    fn fill_coord(&self, storage: &Storage, position: Expr, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::store(storage.array("crd"), position, coordinate)]
    }

    fn fill_sort(&self, storage: &Storage) -> Vec<Stmt> {
        vec![Stmt::sort(storage.array("crd"))]
    }
}
