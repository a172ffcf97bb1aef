//! The bounds of unchecked accesses, derived from the levels' numbers of positions.

use crate::format::{LevelSpec, MOST_LEVELS};
use crate::ir::{
    Array, Assembly, Bound, Bounds, Element, Expr, Ground, List, Reads, Result, Stmt, TensorResult,
    Unchecked, Uses,
};
use crate::level::{Holds, Level, Segment, Storage};
use crate::notation::TensorId;

use super::Lowering;
use super::extents::expanded;

impl Lowering<'_> {
    /// Returns the bound of each array that the loops may access, and of each reservation, or none
    /// if every access is checked.
    pub(super) fn unchecked(&self, results: &[Result], body: &[Stmt]) -> Vec<Bound> {
        let program = self.program;
        match program.bounds() {
            Bounds::Proven => {}
            Bounds::Checked => return Vec::new(),
        }
        let mut bounds = Vec::new();
        // No loop accesses the operand of a conversion.
        let is_accessed =
            |id: &TensorId| self.storages[id.0].len() == program.tensor(*id).format.levels.len();
        for id in self.read_tensors().filter(is_accessed) {
            let arrays = super::storages::arrays(program, &self.names, id);
            bounds.extend(self.of_tensor(id, &arrays, &self.storages[id.0]));
        }
        for part in self.parts(&self.operands()) {
            if let Reads::Listed(list) = &part.reads {
                bounds.push(of_list(list, part.extent()));
            }
        }
        for (result, assembler) in results.iter().zip(&self.assemblers) {
            let Result::Tensor(result) = result else { continue };
            let mut arrays: Vec<Array> = result.structure().to_vec();
            match &result.assembly {
                Assembly::Computed { vals, .. } => arrays.push(vals.clone()),
                Assembly::Assembled { .. } => {
                    bounds.extend(assembler.reserved());
                    if assembler.knows_sizes() {
                        bounds.extend(self.filled(result, body));
                    }
                }
            }
            let mut own = self.of_tensor(assembler.tensor(), &arrays, assembler.storages());
            if assembler.is_divided() {
                // A part has some of the values.
                let is_values = |bound: &&mut Bound| result.arrays()[0].name == bound.array;
                let values = own.iter_mut().filter(is_values);
                values.for_each(|bound| bound.most = Expr::len(&bound.array));
            }
            bounds.extend(own);
        }
        let mut distinct: Vec<Bound> = Vec::new();
        for mut bound in bounds {
            bound.most = expanded(program, &self.names, bound.most);
            if distinct.iter().all(|known| (&known.array, known.of) != (&bound.array, bound.of)) {
                distinct.push(bound);
            }
        }
        distinct
    }

    /// Returns the bounds of the arrays of a result that get their final length when its entries or its
    /// coordinates have been counted. Their number must not depend on values, whose types may be the
    /// user's.
    fn filled(&self, result: &TensorResult, body: &[Stmt]) -> Vec<Bound> {
        let is_resized = |name: &str, stmt: &Stmt| match stmt {
            Stmt::Resize { array, .. } | Stmt::Grow { array, .. } => array == name,
            _ => false,
        };
        let mut arrays: Vec<&Array> = result.arrays().iter().collect();
        arrays.retain(|array| body.iter().any(|stmt| is_resized(&array.name, stmt)));
        let resizes = |stmt: &Stmt| arrays.iter().any(|array| is_resized(&array.name, stmt));
        let Some(last) = body.iter().rposition(resizes) else { return Vec::new() };
        let counting = Uses::of(&body[..last]);
        let holds_values = |array: &Array| matches!(array.element, Element::Value(_));
        let mut values = self.read_arrays().into_iter().filter(holds_values);
        if values.any(|array| counting.reads(&array.name) > 0) || computes(&body[..last]) {
            return Vec::new();
        }
        let bound = |array: &Array| Bound {
            array: array.name.clone(),
            of: Unchecked::Filled,
            most: Expr::len(&array.name),
            ground: Ground::Repeated,
        };
        arrays.into_iter().map(bound).collect()
    }

    /// Returns the bounds of arrays of a tensor. The bounds of positions, coordinates and values
    /// follow from the number of positions that each level has for those of the level above.
    fn of_tensor(&self, id: TensorId, arrays: &[Array], storages: &[Storage]) -> Vec<Bound> {
        let levels = &self.program.tensor(id).format.levels;
        let mut known: Vec<(String, Expr)> = Vec::new();
        let mut parents = Some(Expr::Index(1));
        for (spec, storage) in levels.iter().zip(storages) {
            let children = parents.as_ref().and_then(|parents| children(spec, storage, parents));
            for array in spec.level.arrays() {
                let most = match array.holds {
                    Holds::Positions => parents.as_ref().and_then(|parents| {
                        let ends = ends_at(spec.level.as_ref(), storage, array.field, parents);
                        ends.then(|| Expr::add(parents.clone(), Expr::Index(1)))
                    }),
                    Holds::Coordinates | Holds::Numbers(_) => children
                        .clone()
                        .filter(|_| holds_one_each(spec.level.as_ref(), storage, array.field)),
                    Holds::Bits | Holds::Entries => children.clone(),
                    Holds::Indices(_) => None,
                };
                known.extend(most.map(|most| (storage.array(array.field).to_owned(), most)));
            }
            parents = children;
        }
        let of = |array: &Array| {
            let is_values = array.place == crate::ir::Place::Values;
            let mut stated = known.iter().filter(|(name, _)| *name == array.name);
            let most =
                if is_values { parents.clone() } else { stated.next().map(|(_, m)| m.clone()) };
            Bound {
                array: array.name.clone(),
                of: Unchecked::Index,
                most: most.unwrap_or_else(|| Expr::len(&array.name)),
                ground: Ground::Valid,
            }
        };
        arrays.iter().map(of).collect()
    }
}

/// Returns whether statements call functions on values.
fn computes(body: &[Stmt]) -> bool {
    let mut calls = false;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.for_each(&mut |expr| calls |= matches!(expr, Expr::Call(..)));
            }
        });
    }
    calls
}

fn of_list(list: &List, extent: Expr) -> Bound {
    let array = list.name().to_owned();
    Bound { array, of: Unchecked::Index, most: extent, ground: Ground::Listed }
}

/// Returns the number of positions of a level for a number of parents, if it does not depend on
/// which of them are used.
fn children(spec: &LevelSpec, storage: &Storage, parents: &Expr) -> Option<Expr> {
    if let Some(insert) = spec.level.insert() {
        return Some(insert.size(storage, parents.clone()));
    }
    if let Some(iteration) = spec.level.coordinate_iteration() {
        // The first position of one more parent.
        let found = iteration.coord_access(storage, parents.clone(), Expr::Index(0), NAME);
        return match found.prelude.as_slice() {
            [] => Some(found.value),
            [Stmt::Let { name, value, .. }] if found.value == Expr::var(name) => {
                Some(value.clone())
            }
            _ => None,
        };
    }
    let iteration = spec.level.position_iteration()?;
    let is_gapless = spec.properties.compact || spec.properties.branchless;
    let all = Segment { start: Expr::Index(0), end: parents.clone() };
    is_gapless.then(|| iteration.pos_bounds(storage, all).end)
}

/// Returns whether an array holds, for each parent, the end of its positions, after that of the
/// previous parent.
fn ends_at(level: &dyn Level, storage: &Storage, field: &str, parents: &Expr) -> bool {
    level.position_iteration().is_some_and(|iteration| {
        let all = Segment { start: Expr::Index(0), end: parents.clone() };
        iteration.pos_bounds(storage, all).end == storage.load(field, parents.clone())
    })
}

/// Returns whether an array holds the coordinate of each position at that position.
fn holds_one_each(level: &dyn Level, storage: &Storage, field: &str) -> bool {
    level.position_iteration().is_some_and(|iteration| {
        let position = Expr::var(NAME);
        let ancestors = vec![Expr::Index(0); MOST_LEVELS];
        let access = iteration.pos_access(storage, position.clone(), &ancestors, NAME);
        access.prelude.is_empty() && access.value == storage.load(field, position)
    })
}

/// A name that no level function is given here.
const NAME: &str = "position";
