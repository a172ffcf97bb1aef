//! `dense`: every coordinate from 0 to the extent, without storage.

use super::code::Expr;
use super::{
    Below, CoordinateIteration, Found, Insert, Level, Locate, Promise, Properties, Property,
    Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Dense;

impl Level for Dense {
    fn name(&self) -> &str {
        "dense"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: the coordinates below the extent have consecutive positions for each parent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: true,
            ordered: true,
            unique: true,
            branchless: false,
            compact: true,
            padded: true,
        }
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[]
    }

    fn storage(&self, _: &str, _: &str) -> String {
        "sparsegen::level::Dense".to_owned()
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

impl CoordinateIteration for Dense {
    fn coord_bounds(&self, storage: &Storage, _: Expr, _: &[Expr]) -> Segment {
        Segment { start: Expr::Index(0), end: storage.size.clone() }
    }

    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        Found::always(position(storage, parent, coordinate))
    }
}

impl Locate for Dense {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        Found::always(position(storage, parent, coordinate))
    }
}

fn position(storage: &Storage, parent: Expr, coordinate: Expr) -> Expr {
    Expr::add(Expr::mul(parent, storage.size.clone()), coordinate)
}

impl Insert for Dense {
    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.size.clone())
    }

    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        _: &Below,
        _: &str,
    ) -> Found {
        Found::always(position(storage, parent, coordinate))
    }
}
