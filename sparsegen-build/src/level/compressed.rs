//! `compressed`: the stored coordinates, and the first position of each parent.
//!
//! `pos[q]..pos[q + 1]` are the positions of parent q, and `crd[p]` is the coordinate at p.

use std::sync::Arc;

use super::assembly::{close_rest, close_segment};
use super::code::{Expr, Rearrange, Stmt};
use super::{
    Append, Below, Fill, Found, Holds, Joins, Level, PositionIteration, Promise, Properties,
    Property, Scatter, Segment, Storage, StorageArray,
};

#[derive(Debug, Default)]
pub(super) struct Compressed {
    /// `true` if the coordinates of a result come in any order.
    in_any_order: bool,
}

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

    fn fill(&self) -> Option<&dyn Fill> {
        Some(self)
    }

    fn in_any_order(&self) -> Option<Arc<dyn Level>> {
        Some(Arc::new(Compressed { in_any_order: true }))
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

    fn segments(&self) -> Option<&'static str> {
        Some("pos")
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
        close_segment(storage.array("pos"), self.count(storage), skipped_to)
    }

    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt> {
        close_rest(storage.array("pos"), self.count(storage), parents)
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }

    fn joins(&self) -> Option<Joins> {
        Some(Joins::Ends)
    }

    fn scatter(&self) -> Option<&dyn Scatter> {
        self.in_any_order.then_some(self)
    }
}

impl Fill for Compressed {
    fn fill_edges(&self, storage: &Storage, end: Expr) -> Vec<Stmt> {
        vec![Stmt::push(storage.array("pos"), end)]
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

/// `places` holds, for each coordinate of the current parent, its position plus 1.
impl Scatter for Compressed {
    fn scratch(&self) -> &'static [&'static str] {
        &["places"]
    }

    fn scatter_init(&self, storage: &Storage) -> Vec<Stmt> {
        let size = Expr::add(storage.below.clone(), storage.size.clone());
        vec![Stmt::places(storage.array("places"), size)]
    }

    fn scatter_coord(
        &self,
        storage: &Storage,
        coordinate: Expr,
        extend: &dyn Fn(Expr) -> Vec<Stmt>,
        name: &str,
    ) -> Found {
        let [crd, places] = ["crd", "places"].map(|field| storage.array(field));
        let end = format!("{name}_end");
        let (mut place, mut coordinate) = (place(storage, coordinate.clone()), coordinate);
        let mut prelude = Vec::new();
        if !matches!(place, Expr::Var(_)) {
            let bound = format!("{name}_place");
            prelude.push(Stmt::bind(&bound, place.clone()));
            if place == coordinate {
                coordinate = Expr::var(&bound);
            }
            place = Expr::var(&bound);
        }
        prelude.push(Stmt::bind_mut(&end, storage.load("places", place.clone())));
        let mut new = vec![
            Stmt::push(crd, coordinate),
            Stmt::assign(&end, Expr::len(crd)),
            Stmt::store(places, place, Expr::var(&end)),
        ];
        new.extend(extend(Expr::var(&end)));
        prelude.extend(Stmt::when(Expr::eq(Expr::var(&end), Expr::Index(0)), new));
        Found { prelude, value: Expr::sub(Expr::var(&end), Expr::Index(1)), found: None }
    }

    fn scatter_edges(&self, storage: &Storage, begin: Expr, below: &Below) -> Vec<Stmt> {
        let places = (storage.array("places").to_owned(), storage.below.clone());
        vec![sorted(Some(places), storage, begin, below)]
    }

    fn distinct_edges(&self, storage: &Storage, begin: Expr, below: &Below) -> Vec<Stmt> {
        vec![sorted(None, storage, begin, below)]
    }

    fn scatter_known(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt> {
        let end = Expr::add(Expr::var(name), Expr::Index(1));
        self.for_each_place(storage, parent, name, &end)
    }

    fn scatter_locate(&self, storage: &Storage, coordinate: Expr, name: &str) -> Found {
        let end = format!("{name}_end");
        let known = storage.load("places", place(storage, coordinate));
        Found {
            prelude: vec![Stmt::bind_mut(&end, known)],
            value: Expr::sub(Expr::var(&end), Expr::Index(1)),
            found: Some(Expr::ne(Expr::var(&end), Expr::Index(0))),
        }
    }

    fn scatter_forget(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt> {
        self.for_each_place(storage, parent, name, &Expr::Index(0))
    }
}

impl Compressed {
    /// Stores a value in the place of each coordinate of a parent.
    fn for_each_place(
        &self,
        storage: &Storage,
        parent: Expr,
        name: &str,
        value: &Expr,
    ) -> Vec<Stmt> {
        let Segment { start, end } = self.pos_bounds(storage, Segment::of(parent));
        let coordinate = storage.load("crd", Expr::var(name));
        let store = Stmt::store(storage.array("places"), place(storage, coordinate), value.clone());
        Stmt::for_range(name, start, end, vec![store])
    }
}

/// Returns a statement that sorts the coordinates of a parent, with the values below them.
fn sorted(places: Option<(String, Expr)>, storage: &Storage, start: Expr, below: &Below) -> Stmt {
    Stmt::Rearrange(Rearrange::Sort {
        places,
        crd: storage.array("crd").to_owned(),
        vals: below.vals.clone(),
        start,
        each: below.each.clone(),
    })
}

/// Returns the index of a coordinate among the places.
fn place(storage: &Storage, coordinate: Expr) -> Expr {
    match storage.below {
        Expr::Index(0) => coordinate,
        _ => Expr::offset(storage.below.clone(), coordinate),
    }
}
