//! Evaluates a statement at every coordinate.

use std::collections::BTreeMap;

use crate::number::Number;
use crate::oracle::{Cell, Cells, Extents, Operands};
use crate::statement::{Access, Expr, Statement};

/// The cells of the result that are not known to be zero.
pub fn evaluate(statement: &Statement, operands: &Operands, extents: &Extents) -> Cells {
    let variables: Vec<String> = extents.keys().cloned().collect();
    let mut grid = Grid { extents: extents.values().copied().collect(), tensors: Vec::new() };
    let mut builder = Builder { variables: &variables, operands, grid: &mut grid };
    let value = builder.node(&statement.value);
    let result: Vec<usize> =
        statement.result.variables.iter().map(|name| builder.variable(name)).collect();

    let mut cells = Cells::new();
    let mut at = vec![0; variables.len()];
    grid.for_each(&result, &mut at, &mut |at| {
        let cell = grid.cell(&value, at);
        if !cell.is_nothing() {
            cells.insert(result.iter().map(|variable| at[*variable]).collect(), cell);
        }
    });
    cells
}

/// The extents of the variables, by number, and the operands as grids.
struct Grid {
    extents: Vec<usize>,
    tensors: Vec<Vec<Option<Number>>>,
}

/// An expression whose names are resolved.
enum Node {
    Constant(Number),
    /// A tensor, and the variable and stride of each mode.
    Element(usize, Vec<(usize, usize)>),
    Negative(Box<Node>),
    Sum(Box<Node>, Box<Node>),
    Product(Box<Node>, Box<Node>),
    Quotient(Box<Node>, Box<Node>),
    Total(Vec<usize>, Box<Node>),
}

struct Builder<'a> {
    variables: &'a [String],
    operands: &'a Operands,
    grid: &'a mut Grid,
}

impl Builder<'_> {
    fn variable(&self, name: &str) -> usize {
        self.variables.iter().position(|known| known == name).expect("every variable has an extent")
    }

    fn node(&mut self, expr: &Expr) -> Node {
        match expr {
            Expr::Number(number) => Node::Constant(Number::real(*number)),
            Expr::Access(access) => self.element(access),
            Expr::Negative(a) => Node::Negative(self.boxed(a)),
            Expr::Sum(a, b) => Node::Sum(self.boxed(a), self.boxed(b)),
            Expr::Difference(a, b) => {
                Node::Sum(self.boxed(a), Box::new(Node::Negative(self.boxed(b))))
            }
            Expr::Product(a, b) => Node::Product(self.boxed(a), self.boxed(b)),
            Expr::Quotient(a, b) => Node::Quotient(self.boxed(a), self.boxed(b)),
            Expr::Total(names, a) => {
                Node::Total(names.iter().map(|name| self.variable(name)).collect(), self.boxed(a))
            }
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Node> {
        Box::new(self.node(expr))
    }

    fn element(&mut self, access: &Access) -> Node {
        let modes: Vec<usize> = access.variables.iter().map(|name| self.variable(name)).collect();
        let mut strides = BTreeMap::new();
        let mut size = 1;
        for mode in (0..modes.len()).rev() {
            strides.insert(mode, size);
            size *= self.grid.extents[modes[mode]];
        }
        let mut cells = vec![None; size];
        for (coordinate, value) in &self.operands[&access.tensor] {
            let at: usize = coordinate.iter().zip(strides.values()).map(|(c, s)| c * s).sum();
            cells[at] = Some(*value);
        }
        self.grid.tensors.push(cells);
        let modes = modes.into_iter().zip(strides.into_values()).collect();
        Node::Element(self.grid.tensors.len() - 1, modes)
    }
}

impl Grid {
    /// Calls a function with every coordinate of some variables; the others stay as they are.
    fn for_each(
        &self,
        over: &[usize],
        at: &mut Vec<usize>,
        visit: &mut dyn FnMut(&mut Vec<usize>),
    ) {
        match over {
            [] => visit(at),
            [first, rest @ ..] => {
                for coordinate in 0..self.extents[*first] {
                    at[*first] = coordinate;
                    self.for_each(rest, at, visit);
                }
            }
        }
    }

    fn cell(&self, node: &Node, at: &mut Vec<usize>) -> Cell {
        match node {
            Node::Constant(number) => Cell::known(*number),
            Node::Element(tensor, modes) => {
                let position: usize = modes.iter().map(|(v, stride)| at[*v] * stride).sum();
                self.tensors[*tensor][position].map_or(Cell::NOTHING, Cell::stored)
            }
            Node::Negative(a) => self.cell(a, at).negative(),
            Node::Sum(a, b) => self.cell(a, at).plus(self.cell(b, at)),
            Node::Product(a, b) => self.cell(a, at).times(self.cell(b, at)),
            Node::Quotient(a, b) => self.cell(a, at).over(self.cell(b, at)),
            Node::Total(over, a) => {
                let mut total = Cell::NOTHING;
                self.for_each(over, at, &mut |at| total = total.plus(self.cell(a, at)));
                total
            }
        }
    }
}
