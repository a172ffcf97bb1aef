//! The level of a comparison `i == j`: under each coordinate of one variable, that of the other that
//! equals it.
//!
//! No format map can name it, and nothing is stored. It stands below a level that has every coordinate
//! at the position of its number.

use super::{
    Found, Level, Locate, PositionIteration, Properties, Property, Segment, Storage, StorageArray,
};
use crate::ir::Expr;

#[derive(Debug)]
pub(super) struct Diagonal;

impl Level for Diagonal {
    fn name(&self) -> &str {
        "diagonal"
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
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[]
    }

    fn storage(&self, _: &str, _: &str) -> String {
        String::new()
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl PositionIteration for Diagonal {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let parent = parents.start;
        let is_inside = Expr::lt(parent.clone(), storage.size.clone());
        Segment { start: parent.clone(), end: Expr::add(parent, Expr::from_bool(is_inside)) }
    }

    fn pos_access(&self, _: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(position)
    }
}

impl Locate for Diagonal {
    fn locate(&self, _: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        Found::only_if(Expr::eq(parent.clone(), coordinate), parent)
    }
}
