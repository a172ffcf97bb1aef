//! Random well-typed expressions with nested operators.

use super::{Operand, VARIABLES, WHOLE, has};
use crate::dtype::Dtype;
use crate::number::Number;
use crate::random::Random;
use crate::statement::{Access, Binary, Expr, Function, Reduction, Unary};

/// A generator of expressions.
pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) operands: &'r [Operand],
    /// The variables in scope: of the result and of enclosing reductions.
    pub(super) scope: Vec<String>,
    /// `true` if all operators may be used, `false` for those of semirings only.
    pub(super) is_plain: bool,
    /// The element type of most operands.
    pub(super) base: Dtype,
}

impl Writer<'_> {
    /// Returns whether most operands are floating-point.
    fn is_real(&self) -> bool {
        matches!(self.base, Dtype::F64 | Dtype::F32)
    }

    fn chosen<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())]
    }

    fn call(function: Function, parts: impl Into<Vec<Expr>>) -> Expr {
        Expr::Call(function, parts.into())
    }

    /// Returns a numeric expression of a type.
    pub(super) fn number(&mut self, depth: usize, dtype: Dtype) -> Expr {
        if depth == 0 {
            return self.leaf(dtype);
        }
        let below = depth - 1;
        let is_real = dtype == self.base && self.is_real();
        match self.random.below(if self.is_plain { 16 } else { 6 }) {
            0 => Expr::binary(Binary::Sum, self.number(below, dtype), self.number(below, dtype)),
            1 | 2 => {
                Expr::binary(Binary::Product, self.number(below, dtype), self.number(below, dtype))
            }
            3 => {
                let mask = self.mask(below.min(1));
                Expr::binary(Binary::Product, self.number(below, dtype), mask)
            }
            4 => self.reduction(&[Reduction::Sum], below, dtype),
            5 => self.leaf(dtype),
            6 => Expr::binary(
                Binary::Difference,
                self.number(below, dtype),
                self.number(below, dtype),
            ),
            7 => Expr::Unary(Unary::Negative, Box::new(self.number(below, dtype))),
            8 if is_real => {
                let denominator = Self::call(Function::Abs, [self.number(below, dtype)]);
                let one = Expr::Number(Number::Whole(1));
                let denominator = Expr::binary(Binary::Sum, denominator, one);
                Expr::binary(Binary::Quotient, self.number(below, dtype), denominator)
            }
            9 => self.of_one(below, dtype),
            10 => {
                let function = self.chosen(&[Function::Min, Function::Max]);
                Self::call(function, [self.number(below, dtype), self.number(below, dtype)])
            }
            11 => {
                let condition = self.condition(below);
                Self::call(
                    Function::Select,
                    [condition, self.number(below, dtype), self.number(below, dtype)],
                )
            }
            12 => Self::call(
                Function::Replace,
                [self.number(below, dtype), self.number(below, dtype)],
            ),
            13 => {
                let condition = self.condition(below);
                Expr::binary(Binary::Product, condition, self.number(below, dtype))
            }
            14 if is_real && self.operands.iter().any(|operand| operand.dtype != self.base) => {
                Expr::Convert(dtype, Box::new(self.number(below, WHOLE)))
            }
            _ => {
                let all = [Reduction::Min, Reduction::Max, Reduction::Sum, Reduction::Prod];
                self.reduction(&all, below, dtype)
            }
        }
    }

    fn of_one(&mut self, depth: usize, dtype: Dtype) -> Expr {
        let inner = self.number(depth, dtype);
        if dtype != self.base || !self.is_real() {
            return Self::call(self.chosen(&[Function::Abs, Function::Sign]), [inner]);
        }
        let function = self.chosen(&[
            Function::Abs,
            Function::Sin,
            Function::Cos,
            Function::Tanh,
            Function::Atan,
            Function::Floor,
            Function::Round,
            Function::Sign,
            Function::Square,
            Function::Sqrt,
            Function::Ln1p,
            Function::Exp,
        ]);
        // Keeps results defined and small.
        let magnitude = |inner| Self::call(Function::Abs, [inner]);
        match function {
            Function::Sqrt | Function::Ln1p => Self::call(function, [magnitude(inner)]),
            Function::Exp => {
                Self::call(function, [Expr::Unary(Unary::Negative, Box::new(magnitude(inner)))])
            }
            _ => Self::call(function, [inner]),
        }
    }

    /// Returns a Boolean expression.
    fn condition(&mut self, depth: usize) -> Expr {
        let below = depth.saturating_sub(1);
        match self.random.below(8) {
            0..=2 => {
                let comparisons = [
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::Equal,
                    Binary::Unequal,
                ];
                let op = self.chosen(&comparisons);
                {
                    let base = self.base;
                    Expr::binary(op, self.number(below, base), self.number(below, base))
                }
            }
            3 if depth > 0 => {
                let op = self.chosen(&[Binary::And, Binary::Or]);
                Expr::binary(op, self.condition(below), self.condition(below))
            }
            4 if depth > 0 => Expr::Unary(Unary::Not, Box::new(self.condition(below))),
            5 if depth > 0 => {
                let op = self.chosen(&[Reduction::Any, Reduction::All]);
                self.within(below, |writer, below, variable| {
                    let body = writer.condition(below);
                    if has(&body, variable) {
                        return Expr::Reduce(op, vec![variable.clone()], Box::new(body));
                    }
                    let zero = Expr::Number(Number::Whole(0));
                    let other = writer.access(writer.base, Some(variable));
                    let other = Expr::binary(Binary::Greater, other, zero);
                    let body = Expr::binary(Binary::And, body, other);
                    Expr::Reduce(op, vec![variable.clone()], Box::new(body))
                })
                .unwrap_or_else(|| self.mask(below))
            }
            _ => self.mask(below),
        }
    }

    /// Returns a mask: a comparison of coordinates, or the presence of an entry.
    fn mask(&mut self, depth: usize) -> Expr {
        if self.scope.len() > 1 && self.random.chance(0.5) {
            let first = self.random.below(self.scope.len());
            let second = (first + 1 + self.random.below(self.scope.len() - 1)) % self.scope.len();
            let comparisons =
                [Binary::Less, Binary::LessEqual, Binary::GreaterEqual, Binary::Equal];
            let op = self.chosen(&comparisons);
            let variable = |k: usize| Expr::Variable(self.scope[k].clone());
            return Expr::binary(op, variable(first), variable(second));
        }
        let function = self.chosen(&[Function::Present, Function::Absent]);
        let mut inner = self.access(self.base, None);
        if self.is_plain && depth > 0 {
            let op = self.chosen(&[Binary::Sum, Binary::Product]);
            inner = Expr::binary(op, inner, self.number(depth - 1, self.base));
        }
        Self::call(function, [inner])
    }

    fn reduction(&mut self, all: &[Reduction], depth: usize, dtype: Dtype) -> Expr {
        let op = self.chosen(all);
        self.within(depth, |writer, depth, variable| {
            let body = writer.number(depth, dtype);
            let body = writer.with(body, variable, dtype);
            Expr::Reduce(op, vec![variable.clone()], Box::new(body))
        })
        .unwrap_or_else(|| self.leaf(dtype))
    }

    /// Generates an expression with one more variable in scope; returns `None` if all variables are
    /// in scope.
    fn within(
        &mut self,
        depth: usize,
        write: impl FnOnce(&mut Self, usize, &String) -> Expr,
    ) -> Option<Expr> {
        let free = VARIABLES.iter().find(|v| self.scope.iter().all(|used| used != *v))?;
        let variable = (*free).to_owned();
        self.scope.push(variable.clone());
        let written = write(self, depth, &variable);
        self.scope.pop();
        Some(written)
    }

    /// Returns the expression, extended by an access if it does not contain the variable.
    pub(super) fn with(&mut self, expr: Expr, variable: &String, dtype: Dtype) -> Expr {
        if has(&expr, variable) {
            return expr;
        }
        let op = self.chosen(&[Binary::Sum, Binary::Product, Binary::Product]);
        let other = self.access(dtype, Some(variable));
        Expr::binary(op, expr, other)
    }

    fn leaf(&mut self, dtype: Dtype) -> Expr {
        if self.random.chance(0.8) {
            return self.access(dtype, None);
        }
        if self.is_plain && !self.scope.is_empty() && self.random.chance(0.3) {
            let variable = self.random.below(self.scope.len());
            return Expr::Variable(self.scope[variable].clone());
        }
        let number = self.random.below(4);
        if dtype == self.base && self.is_real() && number == 3 {
            return Expr::Number(Number::Real(0.5));
        }
        Expr::Number(Number::Whole(number as i128))
    }

    /// Returns an access to an operand that contains the variable.
    fn access(&mut self, dtype: Dtype, variable: Option<&String>) -> Expr {
        let fits = |operand: &&Operand| {
            let is_indexed = operand.order > 0;
            operand.dtype == dtype
                && (is_indexed || variable.is_none())
                && (!is_indexed || !self.scope.is_empty())
        };
        let candidates: Vec<&Operand> = self.operands.iter().filter(fits).collect();
        let Some(last) = candidates.len().checked_sub(1) else {
            // Without variables in scope, only scalars can be read, and there may be none of this
            // type.
            return Expr::Number(Number::Whole(2));
        };
        let operand = candidates[self.random.below(last + 1)];
        let mut variables: Vec<String> = Vec::new();
        for _ in 0..operand.order {
            let fresh: Vec<String> =
                self.scope.iter().filter(|known| !variables.contains(known)).cloned().collect();
            let from = if fresh.is_empty() { &self.scope } else { &fresh };
            variables.push(from[self.random.below(from.len())].clone());
        }
        if let Some(variable) = variable
            && !variables.contains(variable)
        {
            let place = self.random.below(operand.order);
            variables[place].clone_from(variable);
        }
        Expr::Access(Access { tensor: operand.name.clone(), variables })
    }
}
