//! Relations and operations on them.

use std::collections::HashMap;

use crate::oracle::cell::{Cell, Knowledge};

/// The cells of an expression that differ from its default, by the coordinates of its variables.
pub struct Relation {
    /// The variables.
    pub variables: Vec<usize>,
    /// The cells that differ from the default.
    pub cells: HashMap<Vec<usize>, Cell>,
    /// The value of the expression at unstored operands.
    pub default: Cell,
}

impl Relation {
    /// Returns a relation without variables.
    pub fn constant(cell: Cell) -> Relation {
        let default = Cell { knowledge: Knowledge::Known, ..cell };
        Relation { variables: Vec::new(), cells: [(Vec::new(), cell)].into(), default }
    }

    /// Returns the indices of variables in the relation.
    pub fn positions(&self, variables: &[usize]) -> Vec<usize> {
        let position = |name| self.variables.iter().position(|own| own == name);
        variables.iter().filter_map(position).collect()
    }

    /// Changes every cell and the default.
    pub fn map(mut self, change: impl Fn(Cell) -> Option<Cell>) -> Option<Relation> {
        for cell in self.cells.values_mut() {
            *cell = change(*cell)?;
        }
        self.default = change(self.default)?;
        Some(self)
    }

    /// Returns the relation without cells that equal the default.
    pub fn without_defaults(mut self) -> Relation {
        let default = self.default.value;
        self.cells.retain(|_, cell| !cell.is_known(default));
        self
    }
}

/// Joins two relations with default zero: returns the products of all cells that agree in their
/// common variables.
pub fn join(
    a: Relation,
    b: Relation,
    limit: usize,
    zero: Cell,
    times: impl Fn(Cell, Cell) -> Option<Cell>,
) -> Option<Relation> {
    let common: Vec<usize> =
        a.variables.iter().copied().filter(|name| b.variables.contains(name)).collect();
    let (of_a, of_b) = (a.positions(&common), b.positions(&common));
    let own: Vec<usize> = (0..b.variables.len()).filter(|k| !of_b.contains(k)).collect();
    let mut index: HashMap<Vec<usize>, Vec<(&Vec<usize>, Cell)>> = HashMap::new();
    for (at, cell) in &b.cells {
        index.entry(of_b.iter().map(|k| at[*k]).collect()).or_default().push((at, *cell));
    }
    let mut cells = HashMap::new();
    for (at, cell) in &a.cells {
        let key: Vec<usize> = of_a.iter().map(|k| at[*k]).collect();
        for (other, factor) in index.get(&key).into_iter().flatten() {
            let at = at.iter().copied().chain(own.iter().map(|k| other[*k])).collect();
            cells.insert(at, times(*cell, *factor)?);
        }
        if cells.len() > limit {
            return None;
        }
    }
    let mut variables = a.variables;
    variables.extend(own.iter().map(|k| b.variables[*k]));
    Some(Relation { variables, cells, default: zero })
}
