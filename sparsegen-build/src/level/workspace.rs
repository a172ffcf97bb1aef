//! The levels of workspaces: entries that are read in the order of their coordinates, or looked up.
//!
//! No format map can name them. Level functions only read a workspace: kernels store to it like to
//! an array.

use super::code::{Expr, Stmt};
use super::{
    CoordinateIteration, Found, Holds, Level, Locate, PositionIteration, Promise, Properties,
    Property, Segment, Storage, StorageArray,
};

const PROPERTIES: Properties = Properties {
    full: false,
    ordered: true,
    unique: true,
    branchless: false,
    compact: true,
    padded: true,
};

/// The option of a schedule that stores a workspace like the level of this name.
pub const HASHED: &str = "hashed";

/// The entries of a harvest, in the order of their coordinates. `crd` holds the coordinates of the
/// single parent.
#[derive(Debug)]
pub(super) struct Workspace;

impl Level for Workspace {
    fn name(&self) -> &str {
        "workspace"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: a workspace checks its own indices.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        PROPERTIES
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::kernel::Workspace<{crd}>")
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }
}

impl PositionIteration for Workspace {
    fn pos_bounds(&self, storage: &Storage, _: Segment) -> Segment {
        Segment { start: Expr::Index(0), end: Expr::len(storage.array("crd")) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}

/// The entries of a workspace that is looked up. The position of a value follows from the coordinate
/// and the position of the parent, as in a dense level. `entries` is the workspace itself.
#[derive(Debug)]
pub(super) struct Lookup;

impl Level for Lookup {
    fn name(&self) -> &str {
        "lookup workspace"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: a workspace checks its own indices.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties { compact: false, ..PROPERTIES }
    }

    fn settable(&self) -> &'static [Property] {
        &[]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "entries", holds: Holds::Entries }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::kernel::Workspace<{crd}>")
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        Some(self)
    }

    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl CoordinateIteration for Lookup {
    fn coord_bounds(&self, storage: &Storage, _: Expr, _: &[Expr]) -> Segment {
        Segment { start: Expr::Index(0), end: storage.size.clone() }
    }

    fn coord_access(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        let is_first = parent == Expr::Index(0);
        let position = Expr::add(Expr::mul(parent, storage.size.clone()), coordinate);
        let (prelude, position) = match is_first {
            true => (Vec::new(), position),
            false => (vec![Stmt::bind(name, position)], Expr::var(name)),
        };
        let found = Expr::contains(storage.array("entries"), position.clone());
        Found { prelude, value: position, found: Some(found) }
    }
}

impl Locate for Lookup {
    fn locate(&self, storage: &Storage, parent: Expr, coordinate: Expr, name: &str) -> Found {
        self.coord_access(storage, parent, coordinate, name)
    }
}
