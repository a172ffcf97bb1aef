//! `run_length` for the compiler: runs of consecutive coordinates.
//!
//! The runs of parent q are `pos[q]..pos[q + 1]`. Run r begins with the coordinate `start[r]`, and its
//! positions are `first[r]..first[r + 1]`.

use sparsegen_build::level::code::{Expr, Stmt};
use sparsegen_build::level::{
    Append, Found, Groups, Holds, Joins, Level, PositionIteration, Promise, Properties, Property,
    Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub struct RunLength;

impl Level for RunLength {
    fn name(&self) -> &str {
        "run_length"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that the parents divide all runs among them, that runs are
        // contiguous and not empty, and that each is within the dimension.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties { compact: true, ..Properties::SPARSE }
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[
            StorageArray { field: "pos", holds: Holds::Indices("start") },
            StorageArray { field: "start", holds: Holds::Coordinates },
            StorageArray { field: "first", holds: Holds::Positions },
        ]
    }

    fn storage(&self, pos: &str, crd: &str) -> String {
        format!("crate::levels::RunLength<{pos}, {crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl PositionIteration for RunLength {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let first_of = |parent| storage.load("first", storage.load("pos", parent));
        Segment { start: first_of(parents.start), end: first_of(parents.end) }
    }

    fn groups(&self) -> Option<&dyn Groups> {
        Some(self)
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let run = Expr::var(storage.carried("run"));
        let start = storage.load("start", run.clone());
        let ahead = Expr::sub(position, storage.load("first", run));
        Found::always(Expr::add(start, ahead))
    }
}

impl Groups for RunLength {
    fn name(&self) -> &'static str {
        "run"
    }

    fn group_bounds(&self, storage: &Storage, parent: Expr) -> Segment {
        let end = Expr::add(parent.clone(), Expr::Index(1));
        Segment { start: storage.load("pos", parent), end: storage.load("pos", end) }
    }

    fn group_positions(&self, storage: &Storage, run: Expr) -> Segment {
        let end = Expr::add(run.clone(), Expr::Index(1));
        Segment { start: storage.load("first", run), end: storage.load("first", end) }
    }
}

impl Append for RunLength {
    fn append_init(&self, storage: &Storage) -> Vec<Stmt> {
        let [pos, start, first] = ["pos", "start", "first"].map(|field| storage.array(field));
        vec![
            Stmt::clear(pos),
            Stmt::push(pos, Expr::Index(0)),
            Stmt::clear(start),
            Stmt::clear(first),
            Stmt::push(first, Expr::Index(0)),
        ]
    }

    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt> {
        let [pos, start, first] = ["pos", "start", "first"].map(|field| storage.array(field));
        let from_end = |array: &str, back: usize| Expr::sub(Expr::len(array), Expr::Index(back));
        let last = |array: &str| Expr::load(array, from_end(array, 1));
        let length = Expr::sub(last(first), Expr::load(first, from_end(first, 2)));
        let is_behind = Expr::eq(Expr::add(last(start), length), coordinate.clone());
        let has_run = Expr::lt(last(pos), Expr::len(start));
        let longer = Stmt::accumulate_at(first, from_end(first, 1), Expr::Index(1));
        let another = vec![
            Stmt::push(start, coordinate),
            Stmt::push(first, Expr::add(last(first), Expr::Index(1))),
        ];
        Stmt::choose(vec![(Expr::and(has_run, is_behind), vec![longer])], another)
    }

    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt> {
        let (pos, runs) = (storage.array("pos"), Expr::len(storage.array("start")));
        let mut edges = Vec::new();
        if let Some(parent) = skipped_to {
            // The skipped parents have no runs.
            let end = Expr::load(pos, Expr::sub(Expr::len(pos), Expr::Index(1)));
            edges.push(Stmt::resize(pos, Expr::add(parent, Expr::Index(1)), end));
        }
        edges.push(Stmt::push(pos, runs));
        edges
    }

    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt> {
        let Some(parents) = parents else { return Vec::new() };
        let runs = Expr::len(storage.array("start"));
        vec![Stmt::resize(storage.array("pos"), Expr::add(parents, Expr::Index(1)), runs)]
    }

    fn count(&self, storage: &Storage) -> Expr {
        let first = storage.array("first");
        Expr::load(first, Expr::sub(Expr::len(first), Expr::Index(1)))
    }

    fn counts_by_length(&self) -> bool {
        false
    }

    fn joins(&self) -> Option<Joins> {
        Some(Joins::Ends)
    }
}
