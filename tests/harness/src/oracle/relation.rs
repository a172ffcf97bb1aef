//! Evaluates a statement as relational algebra over stored entries: products are joins, sums are
//! unions.

mod algebra;

use std::collections::HashMap;

use crate::number::Number;
use crate::oracle::cell::{Cell, Knowledge};
use crate::oracle::fold::Fold;
use crate::oracle::meaning::{Kind, Meaning, Node};
use crate::oracle::relation::algebra::{Relation, join};
use crate::oracle::{Cells, Operands};
use crate::statement::Reduction;

/// The largest number of cells of an expression.
const LIMIT: usize = 300_000;

/// Returns the cells of the result that are not known to be the fill value, or `None` if there are
/// too many intermediate cells, if there is a fault, or if relations cannot represent the value: if
/// an expression is not constant at unstored operands.
pub fn evaluate(meaning: &Meaning, operands: &Operands) -> Option<Cells> {
    let context = Context { meaning, operands };
    let value = context.relation(&meaning.value)?;
    if !value.default.is_known(meaning.fill) || !context.is_fill_at_scalars(meaning) {
        return None;
    }
    let value = context.spread(value, &meaning.result)?;
    let order = value.positions(&meaning.result);
    let cells = value.cells.into_iter();
    Some(cells.map(|(at, cell)| (order.iter().map(|k| at[*k]).collect(), cell)).collect())
}

struct Context<'a> {
    meaning: &'a Meaning,
    operands: &'a Operands,
}

impl Context<'_> {
    /// Returns whether scalars, which are always stored, leave the result its fill value where
    /// nothing else is.
    fn is_fill_at_scalars(&self, meaning: &Meaning) -> bool {
        if !has_scalars(&meaning.value) {
            return true;
        }
        let mut operands = self.operands.clone();
        for entries in operands.values_mut() {
            entries.retain(|at, _| at.is_empty());
        }
        let value = Context { meaning, operands: &operands }.relation(&meaning.value);
        let is_fill = |cell: &Cell| cell.value.is_like(meaning.fill, 0.0);
        value.is_some_and(|value| value.cells.values().all(is_fill))
    }

    fn relation(&self, node: &Node) -> Option<Relation> {
        let semiring = self.meaning.semiring;
        let zero = semiring.zero(node.dtype);
        let relation = match &node.kind {
            Kind::Constant(number) => Relation::constant(Cell::known(*number)),
            Kind::Element(name, variables, fill) => self.stored(name, variables, *fill),
            // A function of coordinates alone is not a relation, but it may filter one as a factor.
            Kind::Coordinate(_) | Kind::Coordinates(..) => return None,
            Kind::Apply(op, parts) => {
                let parts = parts.iter().map(|part| self.relation(part));
                let parts: Vec<Relation> = parts.collect::<Option<_>>()?;
                self.combined(parts, |cells| Cell::of(*op, cells, node.dtype).ok())?
            }
            Kind::Product(parts) => self.product(parts, node)?,
            Kind::Decided(op, by, parts) => {
                let [a, b] = &**parts;
                let parts = vec![self.relation(a)?, self.relation(b)?];
                self.combined(parts, |cells| {
                    Cell::decided(*op, *by, [Ok(cells[0]), Ok(cells[1])], node.dtype).ok()
                })?
            }
            Kind::Quotient(parts) => {
                let [a, b] = &**parts;
                self.quotient(self.relation(a)?, self.relation(b)?, zero, node)?
            }
            Kind::Select(parts) => {
                let parts = parts.iter().map(|part| self.relation(part));
                let parts: Vec<Relation> = parts.collect::<Option<_>>()?;
                self.combined(parts, |cells| {
                    Cell::select(Ok(cells[0]), Ok(cells[1]), Ok(cells[2])).ok()
                })?
            }
            // Scalars are always stored, so the default is not the value at unstored operands.
            Kind::Present(inner) if has_scalars(inner) => return None,
            Kind::Present(inner) => {
                let relation = self.relation(inner)?;
                let background = relation.default.value;
                relation.map(|cell| Some(cell.present(background)))?
            }
            Kind::Reduce(reduction, over, body) => {
                let body = self.spread(self.relation(body)?, over)?;
                self.reduced(*reduction, body, over, node)?
            }
        };
        Some(relation.without_defaults())
    }

    fn stored(&self, name: &str, modes: &[usize], fill: Number) -> Relation {
        let mut variables: Vec<usize> = Vec::new();
        for variable in modes {
            if !variables.contains(variable) {
                variables.push(*variable);
            }
        }
        let mut cells = HashMap::new();
        for (coordinate, value) in &self.operands[name] {
            let mut at = vec![None; variables.len()];
            // An access such as `A[i,i]` reads only the diagonal.
            let agrees = modes.iter().zip(coordinate).all(|(mode, coordinate)| {
                let own = variables.iter().position(|known| known == mode);
                own.is_some_and(|own| *at[own].get_or_insert(*coordinate) == *coordinate)
            });
            if agrees {
                cells.insert(at.into_iter().flatten().collect(), Cell::stored(*value));
            }
        }
        Relation { variables, cells, default: Cell::known(fill) }
    }

    /// Extends a relation to variables on which it does not depend.
    fn spread(&self, mut relation: Relation, variables: &[usize]) -> Option<Relation> {
        for name in variables {
            if relation.variables.contains(name) {
                continue;
            }
            let extent = self.meaning.extents[*name];
            if relation.cells.len().checked_mul(extent)? > LIMIT {
                return None;
            }
            let cells = relation.cells.iter().flat_map(|(at, cell)| {
                (0..extent).map(move |coordinate| {
                    let mut at = at.clone();
                    at.push(coordinate);
                    (at, *cell)
                })
            });
            relation.cells = cells.collect();
            relation.variables.push(*name);
        }
        Some(relation)
    }

    /// Applies a function to several relations, wherever one of them differs from its default.
    fn combined(
        &self,
        relations: Vec<Relation>,
        function: impl Fn(&[Cell]) -> Option<Cell>,
    ) -> Option<Relation> {
        let mut variables: Vec<usize> = Vec::new();
        for variable in relations.iter().flat_map(|relation| &relation.variables) {
            if !variables.contains(variable) {
                variables.push(*variable);
            }
        }
        let defaults: Vec<Cell> = relations.iter().map(|relation| relation.default).collect();
        let mut united: HashMap<Vec<usize>, Vec<Cell>> = HashMap::new();
        for (k, relation) in relations.into_iter().enumerate() {
            let relation = self.spread(relation, &variables)?;
            let order = relation.positions(&variables);
            for (at, cell) in relation.cells {
                let at = order.iter().map(|k| at[*k]).collect();
                united.entry(at).or_insert_with(|| defaults.clone())[k] = cell;
            }
        }
        let cells = united.into_iter().map(|(at, cells)| Some((at, function(&cells)?)));
        Some(Relation {
            variables,
            cells: cells.collect::<Option<_>>()?,
            default: function(&defaults)?,
        })
    }

    fn product(&self, parts: &[Node; 2], node: &Node) -> Option<Relation> {
        let zero = self.meaning.semiring.zero(node.dtype);
        let times = |a: Cell, b: Cell| {
            Cell::decided(self.meaning.semiring.times(), zero, [Ok(a), Ok(b)], node.dtype).ok()
        };
        let [a, b] = parts;
        for (mask, other) in [(a, b), (b, a)] {
            if mask.is_mask() && mask.is_coordinates() {
                return self.filtered(self.relation(other)?, mask, &times);
            }
        }
        let factor = |part: &Node| {
            let relation = self.relation(part)?;
            if part.is_mask() {
                relation.map(|cell| Some(cell.filtering(zero)))
            } else {
                Some(relation)
            }
        };
        let (a, b) = (factor(a)?, factor(b)?);
        if a.default.is_known(zero) && b.default.is_known(zero) {
            return join(a, b, LIMIT, Cell::known(zero), times);
        }
        self.combined(vec![a, b], |cells| times(cells[0], cells[1]))
    }

    /// Filters a relation by a mask over its variables.
    fn filtered(
        &self,
        relation: Relation,
        mask: &Node,
        times: &impl Fn(Cell, Cell) -> Option<Cell>,
    ) -> Option<Relation> {
        let mut variables = Vec::new();
        coordinates(mask, &mut variables);
        let zero = self.meaning.semiring.zero(mask.dtype);
        let mut relation = self.spread(relation, &variables)?;
        if !relation.default.is_known(zero) {
            return None;
        }
        let mut at = vec![0; self.meaning.extents.len()];
        for (own, cell) in &mut relation.cells {
            for (variable, coordinate) in relation.variables.iter().zip(own) {
                at[*variable] = *coordinate;
            }
            let factor = pointwise(mask, &at)?;
            let factor = Cell { knowledge: Knowledge::Either, ..factor }.filtering(zero);
            *cell = times(factor, *cell)?;
        }
        Some(relation)
    }

    fn quotient(&self, a: Relation, b: Relation, zero: Number, node: &Node) -> Option<Relation> {
        let over = |a: Cell, b: Cell| Cell::quotient([Ok(a), Ok(b)], zero, node.dtype).ok();
        if !a.default.is_known(zero) {
            return self.combined(vec![a, b], |cells| over(cells[0], cells[1]));
        }
        let mut a = self.spread(a, &b.variables)?;
        let order = a.positions(&b.variables);
        for (at, cell) in &mut a.cells {
            let at: Vec<usize> = order.iter().map(|k| at[*k]).collect();
            *cell = over(*cell, b.cells.get(&at).copied().unwrap_or(b.default))?;
        }
        Some(a)
    }

    /// Reduces the cells that differ only in some variables, including unstored ones.
    fn reduced(
        &self,
        reduction: Reduction,
        body: Relation,
        over: &[usize],
        node: &Node,
    ) -> Option<Relation> {
        let new = || Fold::new(reduction, self.meaning.semiring, node.dtype);
        let is_sum = reduction == Reduction::Sum;
        let mut places = over.iter().map(|variable| self.meaning.extents[*variable]);
        let places = places.try_fold(1_usize, usize::checked_mul)?;
        match reduction {
            Reduction::Argmin | Reduction::Argmax => return None,
            // A sum of unstored values is zero; the other reductions are idempotent for defaults.
            Reduction::Sum if !body.default.is_known(new().finish().ok()?.value) => return None,
            Reduction::Prod if body.default.value.holds() => return None,
            _ if !is_sum && places == 0 => return None,
            Reduction::Sum
            | Reduction::Prod
            | Reduction::Min
            | Reduction::Max
            | Reduction::Any
            | Reduction::All => {}
        }
        let variables: Vec<usize> =
            body.variables.iter().copied().filter(|name| !over.contains(name)).collect();
        let kept = body.positions(&variables);
        let mut folds: HashMap<Vec<usize>, (usize, Fold)> = HashMap::new();
        for (at, cell) in body.cells {
            let at = kept.iter().map(|k| at[*k]).collect();
            let (count, fold) = folds.entry(at).or_insert_with(|| (0, new()));
            fold.add(Ok(cell), 0);
            *count += 1;
        }
        let rest = |(count, mut fold): (usize, Fold)| {
            if count < places && !is_sum {
                fold.add(Ok(body.default), 0);
            }
            fold.finish().ok()
        };
        let default = rest((0, new()))?;
        let cells = folds.into_iter().map(|(at, fold)| Some((at, rest(fold)?)));
        Some(Relation { variables, cells: cells.collect::<Option<_>>()?, default })
    }
}

fn has_scalars(node: &Node) -> bool {
    matches!(&node.kind, Kind::Element(_, variables, _) if variables.is_empty())
        || node.parts().iter().any(has_scalars)
}

/// Collects the variables of an expression over coordinates.
fn coordinates(node: &Node, variables: &mut Vec<usize>) {
    if let Kind::Coordinate(variable) = node.kind {
        variables.push(variable);
    }
    node.parts().iter().for_each(|part| coordinates(part, variables));
}

/// Evaluates an expression over coordinates.
fn pointwise(node: &Node, at: &[usize]) -> Option<Cell> {
    let parts: Vec<Cell> =
        node.parts().iter().map(|part| pointwise(part, at)).collect::<Option<_>>()?;
    match &node.kind {
        Kind::Constant(number) => Some(Cell::known(*number)),
        Kind::Coordinate(variable) => Some(Cell::stored(Number::Whole(at[*variable] as i128))),
        Kind::Apply(op, _) | Kind::Coordinates(op, _) | Kind::Decided(op, ..) => {
            Cell::of(*op, &parts, node.dtype).ok()
        }
        Kind::Element(..)
        | Kind::Product(_)
        | Kind::Quotient(_)
        | Kind::Select(_)
        | Kind::Present(_)
        | Kind::Reduce(..) => None,
    }
}
