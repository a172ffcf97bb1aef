//! Calls of the functions of the result's levels that store coordinates in any order.

use std::ops::Range;

use super::{Assembler, Purpose};
use crate::format::LevelSpec;
use crate::ir::{Expr, Extent, Stmt};
use crate::level::{Below, Found, Scatter, Storage};
use crate::lower::scope::Scope;

impl Assembler<'_> {
    /// Returns the position at which a level stores its coordinate, and the statements that store
    /// it. If the structure exists, they return `false` unless the coordinate is stored.
    pub(super) fn insert(&self, level: usize, parent: Expr, name: &str, scope: &Scope) -> Found {
        let (spec, storage) = (&self.levels()[level], &self.storages[level]);
        let insert = spec.level.insert().expect("levels below one that inserts insert");
        let coordinate = self.inserted_at(level, scope);
        match (self.purpose, spec.level.locate()) {
            (Purpose::Compute, Some(locate)) => {
                refused(locate.locate(storage, parent, coordinate, name))
            }
            // A level that cannot locate stores nothing.
            (Purpose::Count | Purpose::Fill | Purpose::Assemble | Purpose::Compute, _) => {
                insert.insert_coord(storage, parent, coordinate, &self.below(level), name)
            }
        }
    }

    /// Returns the position of a coordinate that the level stores in any order for each parent.
    pub(super) fn scatter(&self, level: usize, scope: &Scope) -> Found {
        let (scatter, storage) = (self.scatters(level), &self.storages[level]);
        let coordinate = scope.coordinate(self.variable(level));
        let name = format!("p_{}{}", self.argument, level + 1);
        match self.purpose {
            Purpose::Compute => refused(scatter.scatter_locate(storage, coordinate, &name)),
            Purpose::Fill => scatter.scatter_locate(storage, coordinate, &name),
            Purpose::Count | Purpose::Assemble => {
                let extend = |parents| self.extend_below(level, parents);
                scatter.scatter_coord(storage, coordinate, &extend, &name)
            }
        }
    }

    /// Returns statements that record that a coordinate is stored below the current one of a level,
    /// and make room for those below its position. If the structure exists, they return `false`
    /// unless it has the coordinate.
    pub(super) fn found(&self, level: usize, parents: Expr) -> Vec<Stmt> {
        let name = self.found_name(level);
        let is_missing = Expr::not(Expr::var(&name));
        match self.purpose {
            Purpose::Compute => vec![Stmt::refuse(is_missing)],
            Purpose::Fill => Vec::new(),
            Purpose::Count | Purpose::Assemble => {
                let mut first = vec![Stmt::assign(&name, Expr::Bool(true))];
                first.extend(self.extend_below(level, parents));
                Stmt::when(is_missing, first)
            }
        }
    }

    /// Returns the assembly of a level whose coordinates come in any order for each parent.
    pub(super) fn scatters(&self, level: usize) -> &dyn Scatter {
        let append = self.levels()[level].level.append();
        append.and_then(|append| append.scatter()).expect("the level takes any order")
    }

    /// Returns the arrays below the positions of a level.
    pub(super) fn below(&self, level: usize) -> Below {
        let levels = || self.levels().iter().zip(&self.storages).skip(level + 1);
        let each = self.inserted(level + 1..self.levels().len());
        let of_level = |(spec, storage): (&LevelSpec, &Storage)| {
            spec.level.insert().map(|insert| insert.each_parent(storage)).unwrap_or_default()
        };
        let values = (self.vals.clone(), self.initial());
        let arrays = levels().flat_map(of_level).chain([values]).collect();
        Below { vals: self.vals.clone(), each, arrays }
    }

    /// Returns the number of positions that the levels of a range that insert have for each position
    /// above them.
    pub(super) fn inserted(&self, levels: Range<usize>) -> Expr {
        let levels = self.levels()[levels.clone()].iter().zip(&self.storages[levels]);
        levels.fold(Expr::Index(1), |each, (spec, storage)| match spec.level.insert() {
            Some(insert) => insert.size(storage, each),
            None => each,
        })
    }

    /// Returns the value of positions where nothing is computed.
    pub(super) fn initial(&self) -> Expr {
        self.unassigned(self.program.tensor(self.target.tensor).dtype)
    }

    /// Returns the numbers of the levels' storage that the loops compute.
    pub(super) fn extents(&self) -> Vec<Extent> {
        let levels = self.levels().iter().zip(&self.storages).enumerate();
        let of_level = |(level, (spec, storage)): (usize, (&LevelSpec, &Storage))| {
            let numbers = spec.level.numbers().iter().zip(&storage.numbers);
            let extent = move |(field, (_, name)): (&&str, &(&str, String))| Extent {
                name: name.clone(),
                level,
                field: (*field).to_owned(),
            };
            numbers.map(extent).collect::<Vec<_>>()
        };
        self.slots().into_iter().chain(levels.flat_map(of_level)).collect()
    }
}

/// Returns an access that makes the function return `false` if there is no entry.
fn refused(found: Found) -> Found {
    let Found { mut prelude, value, found } = found;
    prelude.extend(found.map(|found| Stmt::refuse(Expr::not(found))));
    Found { prelude, value, found: None }
}
