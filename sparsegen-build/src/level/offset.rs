//! `offset`: the coordinate determined by that of another dimension and their difference or sum.

use super::code::Expr;
use super::{
    Below, Found, Insert, Level, PositionIteration, Promise, Properties, Property, Relation,
    Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Offset;

impl Level for Offset {
    fn name(&self) -> &str {
        "offset"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that the coordinate on the diagonal is below the extent for each parent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: true,
            unique: true,
            branchless: true,
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
        "sparsegen::level::Offset".to_owned()
    }

    fn is_implied(&self) -> bool {
        true
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl PositionIteration for Offset {
    fn pos_bounds(&self, _: &Storage, parents: Segment) -> Segment {
        parents
    }

    fn has_no_gaps(&self) -> bool {
        true
    }

    fn pos_access(&self, storage: &Storage, _: Expr, ancestors: &[Expr], _: &str) -> Found {
        let parent = ancestors.last().cloned().unwrap_or(Expr::Index(0));
        let Some(offset) = &storage.offset else { return Found::always(parent) };
        let partner = offset.partner.map_or(parent, |partner| ancestors[partner].clone());
        let stored = ancestors[offset.ancestor].clone();
        Found::always(match offset.relation {
            Relation::Minuend => Expr::offset(partner, stored),
            Relation::Subtrahend => Expr::offset(partner, Expr::neg(stored)),
            Relation::Sum => Expr::sub(stored, partner),
        })
    }
}

/// The levels above determine the coordinate.
impl Insert for Offset {
    fn size(&self, _: &Storage, parents: Expr) -> Expr {
        parents
    }

    fn insert_coord(&self, _: &Storage, parent: Expr, _: Expr, _: &Below, _: &str) -> Found {
        Found::always(parent)
    }
}
