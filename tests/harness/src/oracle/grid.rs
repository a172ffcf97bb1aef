//! Evaluates a statement at every coordinate.

use std::collections::HashMap;

use crate::number::Number;
use crate::oracle::arithmetic::Op;
use crate::oracle::cell::{Answer, Cell, Knowledge};
use crate::oracle::fold::Fold;
use crate::oracle::meaning::{Kind, Meaning, Node};
use crate::oracle::semiring::extremes;
use crate::oracle::{Cells, Fault, Operands};
use crate::statement::{Binary, Reduction};

/// Returns the cells of the result that are not known to be the fill value.
///
/// # Errors
/// The reason why there is no result.
pub fn evaluate(meaning: &Meaning, operands: &Operands) -> Result<Cells, Fault> {
    let mut grid = Grid { meaning, tensors: HashMap::new() };
    grid.lay_out(&meaning.value, operands);
    let mut cells = Cells::new();
    let mut at = vec![0; meaning.extents.len()];
    let mut fault = None;
    grid.for_each(&meaning.result, &mut at, &mut |at| match grid.cell(&meaning.value, at, true) {
        Err(found) => fault = Some(found),
        Ok(mut cell) => {
            if cell.is_known(meaning.fill) {
                let background = grid.cell(&meaning.value, at, false);
                if background.is_ok_and(|cell| cell.value.is_like(meaning.fill, 0.0)) {
                    return;
                }
                cell.knowledge = Knowledge::Either;
            }
            let coordinate = meaning.result.iter().map(|variable| at[*variable]).collect();
            cells.insert(coordinate, cell);
        }
    });
    fault.map_or(Ok(cells), Err)
}

/// The operands as tables of their entries: an operand whose variables are repeated has far more
/// elements than the iteration space has points.
struct Grid<'a> {
    meaning: &'a Meaning,
    tensors: HashMap<(&'a str, &'a [usize]), Tensor>,
}

struct Tensor {
    strides: Vec<usize>,
    cells: HashMap<usize, Number>,
}

impl<'a> Grid<'a> {
    fn lay_out(&mut self, node: &'a Node, operands: &Operands) {
        if let Kind::Element(name, variables, _) = &node.kind {
            let mut size = 1;
            let mut strides = vec![0; variables.len()];
            for (stride, variable) in strides.iter_mut().zip(variables).rev() {
                *stride = size;
                size *= self.meaning.extents[*variable];
            }
            let place = |at: &[usize]| at.iter().zip(&strides).map(|(c, s)| c * s).sum();
            let entries = operands.get(name).into_iter().flatten();
            let cells = entries.map(|(at, value)| (place(at), *value)).collect();
            self.tensors.insert((name, variables), Tensor { strides, cells });
        }
        for part in node.parts() {
            self.lay_out(part, operands);
        }
    }

    /// Calls a function with every coordinate of some variables, while the others are unchanged.
    fn for_each(
        &self,
        over: &[usize],
        at: &mut Vec<usize>,
        visit: &mut dyn FnMut(&mut Vec<usize>),
    ) {
        match over {
            [] => visit(at),
            [first, rest @ ..] => {
                for coordinate in 0..self.meaning.extents[*first] {
                    at[*first] = coordinate;
                    self.for_each(rest, at, visit);
                }
            }
        }
    }

    /// Returns the value at a coordinate, with the operands' entries or, if not `stored`, without
    /// them.
    fn cell(&self, node: &Node, at: &mut Vec<usize>, stored: bool) -> Answer {
        match &node.kind {
            Kind::Constant(number) => Ok(Cell::known(*number)),
            Kind::Coordinate(variable) => Ok(Cell::stored(Number::Whole(at[*variable] as i128))),
            Kind::Element(name, variables, fill) => {
                let tensor = &self.tensors[&(name.as_str(), variables.as_slice())];
                let places = variables.iter().zip(&tensor.strides);
                let position: usize = places.map(|(v, stride)| at[*v] * stride).sum();
                // A scalar is always stored.
                let number = tensor.cells.get(&position).copied();
                let number = number.filter(|_| stored || variables.is_empty());
                Ok(number.map_or(Cell::known(*fill), Cell::stored))
            }
            Kind::Apply(op, parts) => {
                // With the fill value of an unstored operand, a comparison of coordinates is a mask.
                // So is a comparison of a coordinate and a value, and that it differs from an element
                // of a list, which stores all elements.
                let is_index = |part: &Node| part.is_coordinates() && part.has_coordinate();
                let has_index = parts.iter().any(is_index);
                let is_filter = |part: &Node| match op {
                    Op::Compare(Binary::Unequal) => {
                        part.is_coordinates() || has_index && part.is_integer_element()
                    }
                    Op::Compare(_) => has_index || part.is_coordinates(),
                    _ => false,
                };
                let part = |part: &Node| {
                    let cell = self.cell(part, at, stored)?;
                    let most = if is_filter(part) { Knowledge::Either } else { Knowledge::Unknown };
                    Ok(Cell { knowledge: cell.knowledge.min(most), ..cell })
                };
                let cells: Result<Vec<Cell>, Fault> = parts.iter().map(part).collect();
                Cell::of(*op, &cells?, node.dtype)
            }
            Kind::Product(parts) => {
                let zero = self.meaning.semiring.zero(node.dtype);
                let answers = parts.each_ref().map(|part| {
                    let answer = self.cell(part, at, stored);
                    if part.is_mask() { answer.map(|cell| cell.filtering(zero)) } else { answer }
                });
                Cell::decided(self.meaning.semiring.times(), zero, answers, node.dtype)
            }
            Kind::Decided(op, by, parts) => {
                let answers = parts.each_ref().map(|part| self.cell(part, at, stored));
                Cell::decided(*op, *by, answers, node.dtype)
            }
            Kind::Quotient(parts) => {
                let answers = parts.each_ref().map(|part| self.cell(part, at, stored));
                Cell::quotient(answers, self.meaning.semiring.zero(node.dtype), node.dtype)
            }
            Kind::Coordinates(op, parts) => {
                let [a, b] = parts.each_ref().map(|part| self.cell(part, at, stored));
                let cell = Cell::of(*op, &[a?, b?], node.dtype)?;
                Ok(Cell { knowledge: Knowledge::Either, ..cell })
            }
            Kind::Select(parts) => {
                let [condition, then, otherwise] =
                    parts.each_ref().map(|part| self.cell(part, at, stored));
                Cell::select(condition, then, otherwise)
            }
            Kind::Present(inner) => {
                let background = self.cell(inner, at, false)?;
                Ok(self.cell(inner, at, stored)?.present(background.value))
            }
            Kind::Reduce(reduction, over, body) => {
                let mut fold = Fold::new(*reduction, self.meaning.semiring, node.dtype);
                self.for_each(over, at, &mut |at| {
                    fold.add(self.cell(body, at, stored), at[over[0]]);
                });
                let cell = fold.finish()?;
                // Loops over entries alone start at the identity element, which NaN does not replace.
                let identity = match reduction {
                    Reduction::Min => extremes(node.dtype).1,
                    Reduction::Max => extremes(node.dtype).0,
                    _ => return Ok(cell),
                };
                let may_differ = cell.value.is_nan()
                    && self.cell(body, at, false).is_ok_and(|cell| cell.is_known(identity));
                Ok(Cell { error: if may_differ { f64::INFINITY } else { cell.error }, ..cell })
            }
        }
    }
}
