//! `bitmap`: a position and a bit for each coordinate; the bit is set if the coordinate is present.

use super::code::{Expr, Stmt};
use super::{
    Below, CoordinateIteration, Found, Holds, Insert, Level, Locate, Promise, Properties, Property,
    Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Bitmap;

impl Level for Bitmap {
    fn name(&self) -> &str {
        "bitmap"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that `bits` has a bit for each coordinate of each parent.
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
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "bits", holds: Holds::Bits }]
    }

    fn storage(&self, _: &str, _: &str) -> String {
        "sparsegen::level::Bitmap".to_owned()
    }

    fn extent(&self) -> Option<&'static str> {
        Some("size")
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        Some(self)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }

    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl CoordinateIteration for Bitmap {
    fn coord_bounds(&self, storage: &Storage, _: Expr, _: &[Expr]) -> Segment {
        Segment { start: Expr::Index(0), end: storage.size.clone() }
    }

    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        let position = Expr::add(Expr::mul(parent, storage.size.clone()), coordinate);
        let found = Some(storage.load("bits", Expr::var(name)));
        Found { prelude: vec![Stmt::bind(name, position)], value: Expr::var(name), found }
    }
}

impl Locate for Bitmap {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        self.coord_access(storage, parent, coordinate, name)
    }
}

impl Insert for Bitmap {
    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.size.clone())
    }

    fn insert_init(&self, storage: &Storage) -> Vec<Stmt> {
        vec![Stmt::clear(storage.array("bits"))]
    }

    fn insert_parents(&self, storage: &Storage, parents: Expr) -> Vec<Stmt> {
        let bits = self.size(storage, parents);
        vec![Stmt::resize(storage.array("bits"), bits, Expr::Bool(false))]
    }

    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        _: &Below,
        name: &str,
    ) -> Found {
        let Found { mut prelude, value, .. } = self.coord_access(storage, parent, coordinate, name);
        prelude.push(Stmt::store(storage.array("bits"), value.clone(), Expr::Bool(true)));
        Found { prelude, value, found: None }
    }
}
