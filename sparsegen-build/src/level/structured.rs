//! `structured`: a fixed number of coordinates in each block: `structured(2, 4)` stores two of
//! four.
//!
//! The positions of parent q are `q * kept..(q + 1) * kept`, and `crd[p]` is the coordinate at p,
//! relative to its block.

use std::rc::Rc;

use super::code::Expr;
use super::{
    Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment, Storage,
    StorageArray,
};

#[derive(Debug)]
pub(super) struct Structured {
    kept: u64,
    block: u64,
}

/// Two of four, as in graphics processors.
impl Default for Structured {
    fn default() -> Structured {
        Structured { kept: 2, block: 4 }
    }
}

impl Level for Structured {
    fn name(&self) -> &str {
        "structured"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that `crd` has a fixed number of coordinates for each parent,
        // in order and below the extent.
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
            compact: true,
            padded: true,
        }
    }

    fn block(&self) -> Option<u64> {
        Some(self.block)
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::level::Structured<{crd}, {}, {}>", self.kept, self.block)
    }

    fn parameters(&self) -> Vec<String> {
        vec![self.kept.to_string(), self.block.to_string()]
    }

    fn with_numbers(&self, numbers: &[u64]) -> Option<Rc<dyn Level>> {
        let &[kept, block] = numbers else { return None };
        (0 < kept && kept <= block).then(|| Rc::new(Structured { kept, block }) as Rc<dyn Level>)
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }
}

impl PositionIteration for Structured {
    fn pos_bounds(&self, _: &Storage, parents: Segment) -> Segment {
        let kept = Expr::Index(usize::try_from(self.kept).unwrap_or(usize::MAX));
        Segment { start: Expr::mul(parents.start, kept.clone()), end: Expr::mul(parents.end, kept) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}
