//! `table` for the compiler: a hash table for each parent, which grows when it is half full.
//!
//! The slots of parent q are `q * width..(q + 1) * width`; an empty slot holds the largest number
//! of the coordinate type.

use sparsegen_build::level::code::{Element, Expr, Rearrange, Stmt};
use sparsegen_build::level::{
    Below, Found, Holds, Insert, Level, Locate, PositionIteration, Properties, Property, Segment,
    Storage, StorageArray,
};

/// It makes no promise, so kernels check its indices.
#[derive(Debug)]
pub struct Table;

impl Level for Table {
    fn name(&self) -> &str {
        "table"
    }

    fn properties(&self) -> Properties {
        Properties { ordered: false, ..Properties::SPARSE }
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("crate::levels::Table<{crd}>")
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

fn vacant(storage: &Storage) -> Expr {
    Expr::largest(storage.crd)
}

impl PositionIteration for Table {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let slots = |parents| Expr::mul(parents, storage.number("width"));
        Segment { start: slots(parents.start), end: slots(parents.end) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let coordinate = storage.load("crd", position);
        Found::only_if(Expr::ne(coordinate.clone(), vacant(storage)), coordinate)
    }
}

impl Locate for Table {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        let width = storage.number("width");
        let slot = format!("{name}_slot");
        let position = Expr::add(Expr::mul(parent, width.clone()), Expr::var(&slot));
        let stored = storage.load("crd", position.clone());
        let is_it = Expr::eq(stored.clone(), coordinate.clone());
        let is_elsewhere = Expr::and(
            Expr::ne(stored.clone(), coordinate.clone()),
            Expr::ne(stored, vacant(storage)),
        );
        let next = Expr::rem(Expr::add(Expr::var(&slot), Expr::Index(1)), width.clone());
        let mut prelude = vec![Stmt::bind_mut(&slot, Expr::rem(coordinate, width))];
        prelude.extend(Stmt::repeat_while(is_elsewhere, vec![Stmt::assign(&slot, next)]));
        Found { prelude, value: position, found: Some(is_it) }
    }
}

impl Insert for Table {
    fn scratch(&self) -> &'static [&'static str] {
        &["used"]
    }

    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.number("width"))
    }

    fn insert_init(&self, storage: &Storage) -> Vec<Stmt> {
        let [crd, used] = ["crd", "used"].map(|field| storage.array(field));
        let usize = sparsegen_build::level::code::Width::Usize;
        let mut init = vec![Stmt::clear(crd), Stmt::scratch(used, Element::Index(usize))];
        if let Expr::Var(width) = storage.number("width") {
            init.push(Stmt::bind_mut(&width, Expr::Index(2)));
        }
        init
    }

    fn insert_parents(&self, storage: &Storage, parents: Expr) -> Vec<Stmt> {
        let slots = self.size(storage, parents.clone());
        vec![
            Stmt::resize(storage.array("crd"), slots, vacant(storage)),
            Stmt::resize(storage.array("used"), parents, Expr::Index(0)),
        ]
    }

    fn each_parent(&self, storage: &Storage) -> Vec<(String, Expr)> {
        let [crd, used] = ["crd", "used"].map(|field| storage.array(field).to_owned());
        vec![(crd, vacant(storage)), (used, Expr::Index(0))]
    }

    /// Grows before the search, so that a search for a coordinate that is stored may grow, too.
    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        below: &Below,
        name: &str,
    ) -> Found {
        let [crd, used] = ["crd", "used"].map(|field| storage.array(field).to_owned());
        let width = storage.number("width");
        let mut prelude = Vec::new();
        if let Expr::Var(width) = &width {
            let widen = Rearrange::Widen {
                width: width.clone(),
                crd: crd.clone(),
                below: below.arrays.clone(),
            };
            let entries = Expr::mul(Expr::Index(2), Expr::load(&used, parent.clone()));
            let is_full = Expr::le(Expr::var(width), entries);
            prelude.extend(Stmt::when(is_full, vec![Stmt::Rearrange(widen)]));
        }
        let Found { prelude: search, value, .. } =
            Locate::locate(self, storage, parent.clone(), coordinate.clone(), name);
        prelude.extend(search);
        let is_vacant = Expr::eq(storage.load("crd", value.clone()), vacant(storage));
        let new = vec![
            Stmt::store(&crd, value.clone(), coordinate),
            Stmt::accumulate_at(&used, parent, Expr::Index(1)),
        ];
        prelude.extend(Stmt::when(is_vacant, new));
        Found { prelude, value, found: None }
    }
}
