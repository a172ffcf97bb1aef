//! `range`: the coordinates on a diagonal within the extent of another dimension.
//!
//! For offset o and the extent M of the other dimension, they are `max(0, -o)..min(N, M - o)`; for
//! the sum s of both coordinates, they are `max(0, s + 1 - M)..min(N, s + 1)`.

use super::code::Expr;
use super::{
    Below, CoordinateIteration, Found, Insert, Level, Promise, Properties, Property, Relation,
    Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Range;

impl Level for Range {
    fn name(&self) -> &str {
        "range"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: the bounds contain only coordinates on the diagonal.
        Some(unsafe { Promise::new() })
    }

    fn pads(&self) -> bool {
        true
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
        &[Property::Nonordered, Property::Nonunique]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[]
    }

    fn storage(&self, _: &str, _: &str) -> String {
        "sparsegen::level::Range".to_owned()
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        Some(self)
    }

    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl CoordinateIteration for Range {
    fn coord_bounds(&self, storage: &Storage, _: Expr, ancestors: &[Expr]) -> Segment {
        let Some(offset) = &storage.offset else {
            return Segment { start: Expr::Index(0), end: storage.size.clone() };
        };
        let stored = ancestors[offset.ancestor].clone();
        let ahead = match offset.relation {
            Relation::Minuend => Expr::neg(stored),
            Relation::Subtrahend => stored,
            Relation::Sum => {
                let end = Expr::add(stored, Expr::Index(1));
                return Segment {
                    start: Expr::saturating_sub(end.clone(), offset.other.clone()),
                    end: Expr::min(storage.size.clone(), end),
                };
            }
        };
        Segment {
            start: Expr::below_zero(ahead.clone()),
            end: Expr::min(
                storage.size.clone(),
                Expr::offset(offset.other.clone(), Expr::neg(ahead)),
            ),
        }
    }

    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        Found::always(Expr::add(Expr::mul(parent, storage.size.clone()), coordinate))
    }
}

impl Insert for Range {
    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.size.clone())
    }

    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        _: &Below,
        name: &str,
    ) -> Found {
        self.coord_access(storage, parent, coordinate, name)
    }
}
