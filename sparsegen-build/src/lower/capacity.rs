//! Capacities of a result's arrays, checks of their integer types, and indices of stores.

use crate::format::LevelSpec;
use crate::ir::{Expr, Fit, Follows, Stmt, Uses};
use crate::level::{Holds, Joins, Level, Storage, StorageArray};

/// Returns the positions and indices that must fit their integer types. A level whose number of
/// positions is not the length of an array is the last one, so that the number of values bounds it.
pub(super) fn fits(levels: &[LevelSpec], storages: &[Storage], vals: &str) -> Vec<Fit> {
    let mut fits = Vec::new();
    for (level, (spec, storage)) in levels.iter().zip(storages).enumerate() {
        let Some(append) = spec.level.append() else { continue };
        let indexes = |array: &StorageArray| matches!(array.holds, Holds::Indices(_));
        let counts_groups = spec.level.arrays().iter().any(indexes);
        for array in spec.level.arrays() {
            let (length_of, what) = match array.holds {
                Holds::Positions => {
                    let count = append.count(storage);
                    let length_of = if let Expr::Len(of) = count { of } else { vals.to_owned() };
                    (length_of, "positions")
                }
                Holds::Indices(field) => (storage.array(field).to_owned(), "indices"),
                Holds::Coordinates | Holds::Numbers(_) | Holds::Bits | Holds::Entries => continue,
            };
            // The positions of groups are those of several segments, even under one parent.
            let of_groups = array.holds == Holds::Positions && counts_groups;
            let array = storage.array(array.field).to_owned();
            let follows = match append.joins() {
                _ if level == 0 && !of_groups => Follows::Segment,
                Some(Joins::Bounds) => Follows::Shifted,
                Some(Joins::Ends) | None => Follows::Ends,
            };
            let what = format!("{what} of level {}", level + 1);
            fits.push(Fit { array, length_of, follows, what });
        }
    }
    fits
}

/// Returns the arrays of coordinates and numbers that get one element for each appended coordinate.
pub(super) fn takes_one<'s>(level: &dyn Level, storage: &'s Storage) -> Vec<&'s str> {
    let Some(append) = level.append() else { return Vec::new() };
    let stmts = append.append_coord(storage, Expr::Index(0));
    let uses = Uses::of(&stmts);
    let is_pushed = |name: &str| {
        let mut pushes = stmts.iter();
        pushes.any(|stmt| matches!(stmt, Stmt::Push { array, .. } if array == name))
    };
    let held = storage.arrays.iter().zip(level.arrays());
    let held = held
        .filter(|(_, array)| matches!(array.holds, Holds::Coordinates | Holds::Numbers(_)))
        .map(|((_, name), _)| name.as_str());
    held.filter(|name| is_pushed(name) && uses.writes(name) == 1).collect()
}

/// Binds indices of stores that use the length of the same array, which cannot be borrowed while
/// the array is written.
pub(super) fn bind_indices(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let bind = |stmt: Stmt| match stmt {
        Stmt::Store { array, index, op, value } if measures(&index, &array) => {
            let at = format!("{array}_at");
            let store = Stmt::Store { array, index: Expr::var(&at), op, value };
            vec![Stmt::bind(&at, index), store]
        }
        stmt => stmt.map(&mut Expr::clone, &mut |body| bind_indices(body.to_vec())),
    };
    stmts.into_iter().flat_map(bind).collect()
}

fn measures(index: &Expr, array: &str) -> bool {
    let mut found = false;
    index.for_each(&mut |expr| found |= *expr == Expr::len(array));
    found
}
