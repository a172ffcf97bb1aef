//! How much room a result needs, whether what it stores fits, and where it is put.

use crate::concrete::Program;
use crate::format::LevelSpec;
use crate::ir::{Expr, Fit, Stmt, Uses};
use crate::level::{Holds, Level, Storage};
use crate::notation::{self, BinaryOp};

use super::names::Names;

/// The positions and indices that must fit their width. A level that does not count its positions by
/// the length of an array is the last one, so that there are as many as values.
pub(super) fn fits(levels: &[LevelSpec], storages: &[Storage], vals: &str) -> Vec<Fit> {
    let mut fits = Vec::new();
    for (level, (spec, storage)) in levels.iter().zip(storages).enumerate() {
        let Some(append) = spec.level.append() else { continue };
        for array in spec.level.arrays() {
            let (length_of, what) = match array.holds {
                Holds::Positions => {
                    let count = append.count(storage);
                    let length_of = if let Expr::Len(of) = count { of } else { vals.to_owned() };
                    (length_of, "positions")
                }
                Holds::Indices(field) => (storage.array(field).to_owned(), "indices"),
                Holds::Coordinates | Holds::Numbers(_) | Holds::Bits => continue,
            };
            let array = storage.array(array.field).to_owned();
            fits.push(Fit { array, length_of, what: format!("{what} of level {}", level + 1) });
        }
    }
    fits
}

/// The arrays of coordinates that get no more than one element for each coordinate that a level
/// appends.
pub(super) fn takes_one<'s>(level: &dyn Level, storage: &'s Storage) -> Vec<&'s str> {
    let Some(append) = level.append() else { return Vec::new() };
    let stmts = append.append_coord(storage, Expr::Index(0));
    let (uses, mut repeats) = (Uses::of(&stmts), false);
    for stmt in &stmts {
        stmt.for_each(&mut |stmt| {
            repeats |= matches!(stmt, Stmt::For { .. } | Stmt::While { .. } | Stmt::Resize { .. });
        });
    }
    let held = storage.arrays.iter().zip(level.arrays());
    let held = held.filter(|(_, array)| array.holds == Holds::Coordinates);
    let names = held.map(|((_, name), _)| name.as_str());
    names.filter(|name| !repeats && uses.writes(name) == 1).collect()
}

/// Statements in which no array is stored to at an index that asks for its own length, which cannot be
/// borrowed while the array is written: such an index is bound first.
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

/// The most entries that an expression can have, by what its operands store.
pub(super) fn most_entries(
    program: &Program,
    names: &Names,
    value: &notation::Expr,
) -> Option<Expr> {
    let result = &program.kernel.assignment.result.indices;
    match value {
        notation::Expr::Call(notation::Function::Mask, masked) => {
            most_entries(program, names, &masked[1])
        }
        notation::Expr::Literal(_)
        | notation::Expr::Constant(_)
        | notation::Expr::Index(_)
        | notation::Expr::Parameter(_)
        | notation::Expr::Call(..)
        | notation::Expr::Reduce(_) => None,
        notation::Expr::Access(access) => {
            let format = &program.tensor(access.tensor).format;
            let is_there = !program.kernel.is_temporary(access.tensor);
            // What is not zero where nothing is stored has a value there, too.
            let vanishes = program.kernel.fill(access.tensor).is_zero();
            let sparse =
                vanishes && is_there && format.levels.iter().any(|spec| !spec.properties.full);
            let same = result.iter().all(|v| access.indices.contains(v));
            // Of what only parts are read there may be much more than of these.
            let whole = access.indices.iter().all(|v| program.space.slice(*v).is_none());
            (sparse && same && whole).then(|| Expr::len(&names.values(access.tensor)))
        }
        notation::Expr::Unary(_, a) => most_entries(program, names, a),
        notation::Expr::Binary(op, a, b) => {
            let (a, b) = (most_entries(program, names, a), most_entries(program, names, b));
            match op {
                BinaryOp::Add | BinaryOp::Sub => Some(Expr::add(a?, b?)),
                BinaryOp::Div => a,
                BinaryOp::Mul => match (a, b) {
                    (Some(a), Some(b)) => Some(Expr::min(a, b)),
                    (a, b) => a.or(b),
                },
            }
        }
    }
}
