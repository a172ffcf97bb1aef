//! The level of a comparison `key[i] == b`: under each element of a list, it has the equal coordinate,
//! if that is within the extent.
//!
//! No format map can name it. It is below the levels of the list, whose values are its array.

use super::code::Expr;
use super::{
    Found, Level, Locate, PositionIteration, Promise, Properties, Property, Segment, Storage,
    StorageArray,
};
use crate::types::Dtype;

/// The array of the list's elements.
pub(crate) const LIST: &str = "list";

#[derive(Debug)]
pub(super) struct Listed {
    /// The type of the elements, an integer.
    pub(super) dtype: Dtype,
    /// The difference between an element and its coordinate.
    pub(super) ahead: usize,
    /// `false` if every element is a coordinate, as there is no extent. Then they are equal as unsigned
    /// numbers.
    pub(super) is_bounded: bool,
}

impl Listed {
    /// Returns the coordinate that equals an element within the extent.
    fn coordinate(&self, storage: &Storage, position: Expr) -> Expr {
        let element = storage.load(LIST, position);
        Expr::sub(Expr::cast(element, Some(self.dtype), Dtype::Usize), Expr::Index(self.ahead))
    }

    /// Returns whether an element equals a coordinate within the extent. A negative one is large as
    /// an unsigned number.
    fn is_inside(&self, storage: &Storage, position: Expr) -> Expr {
        if !self.is_bounded {
            return Expr::Bool(true);
        }
        // `usize` may be narrower than the elements.
        let is_wide = matches!(self.dtype, Dtype::I64 | Dtype::U64);
        let dtype = if is_wide { Dtype::U64 } else { Dtype::Usize };
        let element = Expr::cast(storage.load(LIST, position), Some(self.dtype), dtype);
        let of_index = |index: Expr| Expr::cast(index, Some(Dtype::Usize), dtype);
        let size = of_index(storage.size.clone());
        if self.ahead == 0 {
            return Expr::lt(element, size);
        }
        let ahead = of_index(Expr::Index(self.ahead));
        let is_reached = Expr::le(ahead.clone(), element.clone());
        Expr::and(is_reached, Expr::lt(Expr::sub(element, ahead), size))
    }
}

impl Level for Listed {
    fn name(&self) -> &str {
        "listed"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: the coordinate is compared with the extent before it is used.
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

impl PositionIteration for Listed {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let parent = parents.start;
        let is_inside = self.is_inside(storage, parent.clone());
        Segment { start: parent.clone(), end: Expr::add(parent, Expr::from_bool(is_inside)) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(self.coordinate(storage, position))
    }
}

impl Locate for Listed {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        let is_inside = self.is_inside(storage, parent.clone());
        let is_equal = Expr::eq(self.coordinate(storage, parent.clone()), coordinate);
        Found::only_if(Expr::and(is_inside, is_equal), parent)
    }
}
