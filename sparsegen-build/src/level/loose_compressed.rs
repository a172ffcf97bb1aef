//! `loose_compressed`: like `compressed`, with gaps between segments, which may have any order.
//!
//! `lo[q]..hi[q]` are the positions of parent q, and `crd[p]` is the coordinate at p.

use super::code::{Expr, Stmt};
use super::{
    Append, Fill, Found, Holds, Joins, Level, PositionIteration, Promise, Properties, Property,
    Segment, Storage, StorageArray,
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

    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }

    fn fill(&self) -> Option<&dyn Fill> {
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

/// Segments are appended without gaps. Until the end, `lo` has one more element: the position of
/// the next coordinate.
impl Append for LooseCompressed {
    fn append_init(&self, storage: &Storage) -> Vec<Stmt> {
        let [lo, hi, crd] = ["lo", "hi", "crd"].map(|field| storage.array(field));
        vec![Stmt::clear(lo), Stmt::push(lo, Expr::Index(0)), Stmt::clear(hi), Stmt::clear(crd)]
    }

    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::push(storage.array("crd"), coordinate)]
    }

    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt> {
        let mut edges = Vec::new();
        if let Some(parent) = skipped_to {
            edges.extend(skip(storage, parent));
        }
        let [lo, hi] = ["lo", "hi"].map(|field| storage.array(field));
        edges.extend([hi, lo].map(|array| Stmt::push(array, self.count(storage))));
        edges
    }

    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt> {
        let mut end = parents.map_or_else(Vec::new, |parents| skip(storage, parents));
        let [lo, hi] = ["lo", "hi"].map(|field| storage.array(field));
        end.push(Stmt::resize(lo, Expr::len(hi), Expr::Index(0)));
        end
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }

    fn joins(&self) -> Option<Joins> {
        Some(Joins::Bounds)
    }
}

impl Fill for LooseCompressed {
    fn fill_edges(&self, storage: &Storage, end: Expr) -> Vec<Stmt> {
        ["hi", "lo"].map(|field| Stmt::push(storage.array(field), end.clone())).into()
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

/// Returns the statements for parents without children up to a position.
fn skip(storage: &Storage, parent: Expr) -> Vec<Stmt> {
    let [lo, hi] = ["lo", "hi"].map(|field| storage.array(field));
    let begin = Expr::load(lo, Expr::sub(Expr::len(lo), Expr::Index(1)));
    vec![
        Stmt::resize(hi, parent.clone(), begin.clone()),
        Stmt::resize(lo, Expr::add(parent, Expr::Index(1)), begin),
    ]
}
