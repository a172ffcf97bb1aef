//! The meaning of a statement: resolved names, and the type of every subexpression.

mod types;

use std::collections::{BTreeMap, HashMap};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Extents;
use crate::oracle::arithmetic::{Op, literal};
use crate::oracle::infinity::absorbing;
use crate::oracle::semiring::Semiring;
use crate::own::{Own, Place};
use crate::statement::{Access, Binary, Expr, Function, Reduction, Statement, Unary};

/// The context of a statement.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The extent of each index variable.
    pub extents: &'a Extents,
    /// The value of each parameter.
    pub parameters: &'a BTreeMap<String, usize>,
    /// The element type of each tensor; `f64` by default.
    pub dtypes: &'a HashMap<String, Dtype>,
    /// The semiring of `+` and `*`.
    pub semiring: Semiring,
    /// The fill values of tensors that differ from the zero of the semiring.
    pub fills: &'a HashMap<String, Number>,
}

/// A resolved statement. Variables are numbered in the order of their names.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The semiring of `+` and `*`.
    pub semiring: Semiring,
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The extents of the variables.
    pub extents: Vec<usize>,
    /// The variables of the result, by mode.
    pub result: Vec<usize>,
    /// The value.
    pub value: Node,
    /// The value of unstored entries of the result.
    pub fill: Number,
}

/// A subexpression of a statement.
#[derive(Clone, Debug)]
pub struct Node {
    /// The kind of expression.
    pub kind: Kind,
    /// The type of its value.
    pub dtype: Dtype,
}

/// The kind of a subexpression.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A constant.
    Constant(Number),
    /// An element of an operand: the name of the operand, the variable of each mode, and the fill
    /// value.
    Element(String, Vec<usize>, Number),
    /// An index variable's value.
    Coordinate(usize),
    /// An operator or function without special rules.
    Apply(Op, Vec<Node>),
    /// A product, in which masks are filters.
    Product(Box<[Node; 2]>),
    /// A conjunction or disjunction, with its annihilator.
    Decided(Op, Number, Box<[Node; 2]>),
    /// A quotient.
    Quotient(Box<[Node; 2]>),
    /// A comparison of index variables.
    Coordinates(Op, Box<[Node; 2]>),
    /// `select(c, a, b)`
    Select(Box<[Node; 3]>),
    /// `present(a)`
    Present(Box<Node>),
    /// A reduction over variables.
    Reduce(Reduction, Vec<usize>, Box<Node>),
}

impl Node {
    /// Returns the direct subexpressions.
    pub fn parts(&self) -> &[Node] {
        match &self.kind {
            Kind::Constant(_) | Kind::Element(..) | Kind::Coordinate(_) => &[],
            Kind::Apply(_, parts) => parts,
            Kind::Product(parts)
            | Kind::Decided(_, _, parts)
            | Kind::Quotient(parts)
            | Kind::Coordinates(_, parts) => &**parts,
            Kind::Select(parts) => &**parts,
            Kind::Present(part) | Kind::Reduce(_, _, part) => std::slice::from_ref(part),
        }
    }

    /// Returns whether the expression is a mask: `present`, `absent`, a comparison of index
    /// variables, or a logical combination of masks.
    pub fn is_mask(&self) -> bool {
        let combines = match &self.kind {
            Kind::Coordinates(..) | Kind::Present(_) => return true,
            Kind::Apply(op, _) => {
                matches!(op, Op::Not | Op::And | Op::Or | Op::Count(..))
                    || *op == Op::Function(Function::Xor)
            }
            Kind::Product(_) | Kind::Decided(..) => true,
            Kind::Constant(_)
            | Kind::Element(..)
            | Kind::Coordinate(_)
            | Kind::Quotient(_)
            | Kind::Select(_)
            | Kind::Reduce(..) => false,
        };
        combines && self.parts().iter().all(Node::is_mask)
    }

    /// Returns whether the expression is an element of a tensor of integers.
    pub fn is_integer_element(&self) -> bool {
        matches!(self.kind, Kind::Element(..)) && self.dtype.is_whole()
    }

    /// Returns whether the value depends on an index variable as a number.
    pub fn has_coordinate(&self) -> bool {
        let is_one = matches!(self.kind, Kind::Coordinate(_));
        is_one || self.parts().iter().any(Node::has_coordinate)
    }

    /// Returns whether the value depends only on index variables and parameters.
    pub fn is_coordinates(&self) -> bool {
        let depends = matches!(self.kind, Kind::Element(..) | Kind::Present(_) | Kind::Reduce(..));
        !depends && self.parts().iter().all(Node::is_coordinates)
    }
}

impl Meaning {
    /// Resolves a statement.
    ///
    /// # Errors
    /// The types that do not match.
    pub fn of(statement: &Statement, setting: &Setting<'_>) -> Result<Meaning, String> {
        let variables: Vec<String> = setting.extents.keys().cloned().collect();
        let reader = Reader { setting, statement, variables: &variables };
        let dtype = reader.dtype(&statement.result);
        let value = reader.node(&statement.value, dtype)?;
        let result = reader.numbers(&statement.result.variables)?;
        let fill = reader.fill(&statement.result);
        let extents = setting.extents.values().copied().collect();
        Ok(Meaning { semiring: setting.semiring, extents, result, value, fill, variables })
    }
}

struct Reader<'a> {
    setting: &'a Setting<'a>,
    statement: &'a Statement,
    variables: &'a [String],
}

fn apply(op: Op, parts: Vec<Node>) -> Kind {
    Kind::Apply(op, parts)
}

/// Returns a sum or a difference, which an infinity that is not stored absorbs.
fn sum(op: Op, terms: Box<[Node; 2]>) -> Kind {
    match absorbing(op, terms.each_ref()) {
        Some(infinity) => Kind::Decided(op, infinity, terms),
        None => apply(op, terms.to_vec()),
    }
}

impl Reader<'_> {
    fn number(&self, variable: &str) -> Result<usize, String> {
        let position = self.variables.iter().position(|known| known == variable);
        position.ok_or_else(|| format!("`{variable}` has no extent"))
    }

    fn numbers(&self, variables: &[String]) -> Result<Vec<usize>, String> {
        variables.iter().map(|variable| self.number(variable)).collect()
    }

    fn dtype(&self, access: &Access) -> Dtype {
        let tensor = self.statement.tensor(access);
        self.setting.dtypes.get(tensor).copied().unwrap_or(Dtype::F64)
    }

    /// Returns the fill value of a tensor.
    fn fill(&self, access: &Access) -> Number {
        let own = self.setting.fills.get(self.statement.tensor(access));
        own.copied().unwrap_or_else(|| self.setting.semiring.zero(self.dtype(access)))
    }

    /// Resolves an expression in a context that requires this type.
    fn node(&self, expr: &Expr, expected: Dtype) -> Result<Node, String> {
        let dtype = self.own(expr)?.unwrap_or(expected);
        let node = Node { kind: self.kind(expr, dtype)?, dtype };
        if dtype == expected {
            return Ok(node);
        }
        if dtype != Dtype::Bool {
            return Err(format!("`{expr}` is of {dtype}, not of {expected}"));
        }
        let semiring = self.setting.semiring;
        let op = Op::Count(semiring.zero(expected), semiring.one(expected));
        Ok(Node { kind: apply(op, vec![node]), dtype: expected })
    }

    fn nodes<const N: usize>(
        &self,
        parts: [&Expr; N],
        dtype: Dtype,
    ) -> Result<Box<[Node; N]>, String> {
        let nodes: Vec<Node> =
            parts.into_iter().map(|part| self.node(part, dtype)).collect::<Result<_, _>>()?;
        Ok(Box::new(nodes.try_into().expect("one for each")))
    }

    fn kind(&self, expr: &Expr, dtype: Dtype) -> Result<Kind, String> {
        let semiring = self.setting.semiring;
        Ok(match expr {
            Expr::Number(number) => Kind::Constant(
                literal(*number, dtype)
                    .ok_or_else(|| format!("{number} is no number of {dtype}"))?,
            ),
            Expr::Access(access) => {
                let fill = self.fill(access);
                Kind::Element(access.tensor.clone(), self.numbers(&access.variables)?, fill)
            }
            Expr::Variable(name) => {
                let exact =
                    Node { kind: Kind::Coordinate(self.number(name)?), dtype: Dtype::Exact };
                apply(Op::Convert, vec![exact])
            }
            Expr::Parameter(name) => {
                let value = self.setting.parameters.get(name);
                let value = value.ok_or_else(|| format!("`{name}` has no value"))?;
                let exact = Node {
                    kind: Kind::Constant(Number::Whole(*value as i128)),
                    dtype: Dtype::Exact,
                };
                apply(Op::Convert, vec![exact])
            }
            Expr::Unary(Unary::Negative, a) => apply(Op::Negate, vec![self.node(a, dtype)?]),
            Expr::Unary(Unary::Not, a) => apply(Op::Not, vec![self.node(a, dtype)?]),
            Expr::Binary(op, a, b) => self.binary(*op, [a, b], dtype)?,
            Expr::Call(function, arguments) => self.call(*function, arguments, dtype)?,
            Expr::Own(own, arguments) => self.run(own, arguments, dtype)?,
            Expr::Convert(_, a) => {
                let inner = self.own(a)?.unwrap_or_else(|| self.leaning(a, dtype));
                apply(Op::Convert, vec![self.node(a, inner)?])
            }
            Expr::Reduce(reduction, variables, body) => {
                let inner = match reduction {
                    Reduction::Any | Reduction::All => Dtype::Bool,
                    Reduction::Argmin | Reduction::Argmax => self.own(body)?.unwrap_or(Dtype::F64),
                    Reduction::Prod if semiring != Semiring::PlusTimes => {
                        return Err("whose products are these?".into());
                    }
                    Reduction::Sum | Reduction::Prod | Reduction::Min | Reduction::Max => dtype,
                };
                let body = Box::new(self.node(body, inner)?);
                Kind::Reduce(*reduction, self.numbers(variables)?, body)
            }
        })
    }

    fn binary(&self, op: Binary, parts: [&Expr; 2], dtype: Dtype) -> Result<Kind, String> {
        let semiring = self.setting.semiring;
        let is_plain = semiring == Semiring::PlusTimes;
        let is_logical = matches!(op, Binary::And | Binary::Or);
        let nodes = |dtype| self.nodes(parts, dtype);
        let compared = |op| -> Result<Kind, String> {
            let inner = match self.joined(&parts)? {
                Some(dtype) => dtype,
                None => self.leanings(&parts, Dtype::F64),
            };
            let nodes = nodes(inner)?;
            if nodes.iter().all(Node::is_coordinates) {
                Ok(Kind::Coordinates(Op::Compare(op), nodes))
            } else {
                Ok(apply(Op::Compare(op), nodes.to_vec()))
            }
        };
        if dtype == Dtype::Bool && is_plain && op == Binary::Sum {
            return Err(format!("`{op}` is no operator of bools"));
        }
        if is_logical && dtype.is_rounded() {
            return Err(format!("`{op}` is no operator of {dtype}"));
        }
        Ok(match op {
            Binary::Sum if is_plain => sum(Op::Add, nodes(dtype)?),
            Binary::Sum => apply(semiring.plus(), nodes(dtype)?.to_vec()),
            Binary::Product => Kind::Product(nodes(dtype)?),
            Binary::Difference if is_plain => sum(Op::Subtract, nodes(dtype)?),
            Binary::Quotient if is_plain => Kind::Quotient(nodes(dtype)?),
            Binary::Difference | Binary::Quotient => {
                return Err(format!("`{op}` has no meaning in a semiring"));
            }
            Binary::And if dtype == Dtype::Bool => {
                Kind::Decided(Op::And, Number::Bool(false), nodes(dtype)?)
            }
            Binary::And => Kind::Decided(Op::And, Number::Whole(0), nodes(dtype)?),
            Binary::Or if dtype == Dtype::Bool => {
                Kind::Decided(Op::Or, Number::Bool(true), nodes(dtype)?)
            }
            Binary::Or => apply(Op::Or, nodes(dtype)?.to_vec()),
            Binary::LessEqual
            | Binary::Less
            | Binary::GreaterEqual
            | Binary::Greater
            | Binary::Equal
            | Binary::Unequal => compared(op)?,
        })
    }

    /// Resolves a call of a user function of the corpus: the first of its regions that holds
    /// determines the value, and the default is the fill value.
    fn run(&self, own: &'static Own, parts: &[Expr], dtype: Dtype) -> Result<Kind, String> {
        let numbers = parts.iter().map(|part| self.node(part, dtype));
        let numbers: Vec<Node> = numbers.collect::<Result<_, _>>()?;
        let mut value = Node { kind: Kind::Constant(self.setting.semiring.zero(dtype)), dtype };
        for (k, (place, _)) in own.regions.iter().enumerate().rev() {
            let inside = self.inside(place, &numbers);
            let here = Node { kind: apply(Op::Own(own, k), numbers.clone()), dtype };
            value = Node { kind: Kind::Select(Box::new([inside, here, value])), dtype };
        }
        Ok(value.kind)
    }

    /// Returns the predicate that arguments are in a region.
    fn inside(&self, place: &Place, numbers: &[Node]) -> Node {
        let both = |parts: [&Place; 2]| Box::new(parts.map(|part| self.inside(part, numbers)));
        let kind = match place {
            Place::Everywhere => Kind::Constant(Number::Bool(true)),
            Place::In(k) => {
                let dtype = numbers[*k].dtype;
                let fill = Kind::Constant(self.setting.semiring.zero(dtype));
                let fill = Node { kind: fill, dtype };
                apply(Op::Compare(Binary::Unequal), vec![numbers[*k].clone(), fill])
            }
            Place::Not(inner) => apply(Op::Not, vec![self.inside(inner, numbers)]),
            Place::And(a, b) => Kind::Decided(Op::And, Number::Bool(false), both([a, b])),
            Place::Or(a, b) => Kind::Decided(Op::Or, Number::Bool(true), both([a, b])),
        };
        Node { kind, dtype: Dtype::Bool }
    }

    fn call(&self, function: Function, parts: &[Expr], dtype: Dtype) -> Result<Kind, String> {
        let present = |part: &Expr| -> Result<Node, String> {
            let inner = self.own(part)?.unwrap_or(Dtype::F64);
            let inner = Box::new(self.node(part, inner)?);
            Ok(Node { kind: Kind::Present(inner), dtype: Dtype::Bool })
        };
        Ok(match (function, parts) {
            (Function::Present, [a]) => present(a)?.kind,
            (Function::Absent, [a]) => apply(Op::Not, vec![present(a)?]),
            (Function::Replace, [a, b]) => {
                let [then, otherwise] = *self.nodes([b, a], dtype)?;
                let there = Box::new(then.clone());
                let condition = Node { kind: Kind::Present(there), dtype: Dtype::Bool };
                Kind::Select(Box::new([condition, then, otherwise]))
            }
            (Function::Select, [condition, a, b]) => {
                let condition = self.node(condition, Dtype::Bool)?;
                let [then, otherwise] = *self.nodes([a, b], dtype)?;
                Kind::Select(Box::new([condition, then, otherwise]))
            }
            (Function::Abs | Function::Re | Function::Im | Function::Arg, [a]) => {
                let inner = self.own(a)?.filter(|inner| inner.is_complex()).unwrap_or(dtype);
                apply(Op::Function(function), vec![self.node(a, inner)?])
            }
            (function, parts) => {
                let nodes = parts.iter().map(|part| self.node(part, dtype));
                apply(Op::Function(function), nodes.collect::<Result<_, _>>()?)
            }
        })
    }
}
