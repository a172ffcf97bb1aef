//! `window` for the compiler: a fixed number of consecutive coordinates under each parent.
//!
//! The coordinates of parent q are `start[q]..start[q] + W`, limited by the dimension, and their
//! positions `q * W..(q + 1) * W`. W is the number in a map: `window(3)`.

use std::sync::Arc;

use sparsegen_build::level::code::Expr;
use sparsegen_build::level::{
    CoordinateIteration, Found, Holds, Level, Locate, Promise, Properties, Property, Segment,
    Storage, StorageArray,
};

#[derive(Debug)]
pub struct Window {
    pub width: usize,
}

impl Level for Window {
    fn name(&self) -> &str {
        "window"
    }

    fn parameters(&self) -> Vec<String> {
        vec![self.width.to_string()]
    }

    fn with_numbers(&self, numbers: &[u64]) -> Option<Arc<dyn Level>> {
        let &[width] = numbers else { return None };
        let width = usize::try_from(width).ok().filter(|width| *width > 0)?;
        Some(Arc::new(Window { width }))
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that there is a start for each parent, and there are W
        // positions for it; `coord_bounds` ends at the dimension's size, and `locate` compares with
        // both ends.
        Some(unsafe { Promise::new() })
    }

    fn pads(&self) -> bool {
        true
    }

    fn properties(&self) -> Properties {
        Properties::SPARSE
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "start", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("crate::levels::Window<{crd}, {}>", self.width)
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        Some(self)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl CoordinateIteration for Window {
    fn coord_bounds(&self, storage: &Storage, parent: Expr, _: &[Expr]) -> Segment {
        let start = storage.load("start", parent);
        let end = Expr::add(start.clone(), Expr::Index(self.width));
        Segment { start, end: Expr::min(end, storage.size.clone()) }
    }

    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        let start = storage.load("start", parent.clone());
        let window = Expr::mul(parent, Expr::Index(self.width));
        // It wraps if the coordinate is before the window, where the position is not used.
        Found::always(Expr::offset(window, Expr::difference(coordinate, start)))
    }
}

impl Locate for Window {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        let start = storage.load("start", parent.clone());
        let end = Expr::add(start.clone(), Expr::Index(self.width));
        let found =
            Expr::and(Expr::le(start, coordinate.clone()), Expr::lt(coordinate.clone(), end));
        let Found { value, .. } = self.coord_access(storage, parent, coordinate, name);
        Found::only_if(found, value)
    }
}
