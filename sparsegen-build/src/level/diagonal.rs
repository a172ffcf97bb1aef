//! The level of a comparison `j == i + 1`: under each coordinate of one variable, it has the equal
//! coordinate of the other, if that is within the extent.
//!
//! No format map can name it, and it stores nothing. It is below a level whose positions equal its
//! coordinates.

use super::code::Expr;
use super::{
    Found, Level, Locate, PositionIteration, Promise, Properties, Property, Segment, Storage,
    StorageArray,
};

#[derive(Debug)]
pub(super) struct Diagonal {
    /// The difference between the coordinate and that of its parent.
    pub(super) ahead: i64,
}

impl Diagonal {
    fn distance(&self) -> Expr {
        Expr::Index(self.ahead.unsigned_abs() as usize)
    }

    fn coordinate(&self, parent: Expr) -> Expr {
        match self.ahead {
            0.. => Expr::add(parent, self.distance()),
            _ => Expr::sub(parent, self.distance()),
        }
    }
}

impl Level for Diagonal {
    fn name(&self) -> &str {
        "diagonal"
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

impl PositionIteration for Diagonal {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let parent = parents.start;
        let reached = match self.ahead {
            0.. => Expr::Bool(true),
            _ => Expr::le(self.distance(), parent.clone()),
        };
        let coordinate = self.coordinate(parent.clone());
        let is_inside = Expr::and(reached, Expr::lt(coordinate, storage.size.clone()));
        Segment { start: parent.clone(), end: Expr::add(parent, Expr::from_bool(is_inside)) }
    }

    fn pos_access(&self, _: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(self.coordinate(position))
    }
}

impl Locate for Diagonal {
    fn locate(&self, _: &Storage, parent: Expr, coordinate: Expr, _: &str) -> Found {
        let (ahead, here) = match self.ahead {
            0.. => (Expr::add(parent.clone(), self.distance()), coordinate),
            _ => (parent.clone(), Expr::add(coordinate, self.distance())),
        };
        Found::only_if(Expr::eq(ahead, here), parent)
    }
}
