//! Canonical values of statements.

use crate::notation::own::Argument;
use crate::notation::syntax::{self, BinaryOp, Constant, ExprKind, Number, UnaryOp};
use crate::notation::{Access, Expr, Function, ReduceOp, Semiring, TensorId, VariableId};
use crate::operator::Kind;
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::is_parameter;
use super::bounds::parameters;
use super::names::{Names, Operand};
use super::sums::summed;
use super::types::{argument_types, compared_type, conversion, dtype_of, reduced_type};

/// Returns a number in the required type.
fn literal(number: Number, dtype: Dtype) -> Literal {
    match number {
        Number::Int(n) if dtype == Dtype::Bool => Literal::Bool(n != 0),
        Number::Float(x) if dtype == Dtype::Bool => Literal::Bool(x != 0.0),
        Number::Int(n) if dtype.is_integer() || dtype.is_opaque() => Literal::Int(n),
        Number::Int(n) => Literal::Float(n as f64),
        Number::Float(x) if dtype.is_integer() => Literal::Int(x as i64),
        Number::Float(x) => Literal::Float(x),
    }
}

/// Returns a quotient in a type, whose division of integers or by zero differs from that of real
/// numbers.
fn quotient(a: Expr, b: Expr, dtype: Dtype) -> Expr {
    let divides_safely = b.as_literal().is_some_and(|divisor| !divisor.is_zero());
    if dtype.is_integer() {
        Expr::call(Function::Quotient, vec![a, b])
    } else if dtype.is_complex() && !divides_safely {
        Expr::call(Function::Ratio, vec![a, b])
    } else {
        Expr::div(a, b)
    }
}

/// Returns whether a tensor may have coordinates without an entry.
pub(super) fn is_stored(access: &Access) -> bool {
    !access.indices.is_empty()
}

pub(super) struct Builder<'m, 'n> {
    pub(super) context: Context<'m>,
    pub(super) names: &'n Names<'m>,
    /// The type of the whole expression.
    pub(super) dtype: Dtype,
    /// The contents of the result before the statement.
    pub(super) old: Option<TensorId>,
    /// The semiring of sums and products.
    pub(super) semiring: Semiring,
}

impl Builder<'_, '_> {
    /// Returns the value with the implicit sums of its top-level additive terms.
    pub(super) fn terms(&self, expr: &syntax::Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Add, _, a, b) => {
                Some(self.sum(BinaryOp::Add, self.dtype, self.terms(a)?, self.terms(b)?))
            }
            ExprKind::Binary(BinaryOp::Sub, _, a, b) => {
                Some(self.sum(BinaryOp::Sub, self.dtype, self.terms(a)?, self.terms(b)?))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => Some(Expr::neg(self.terms(a)?)),
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(..)
            | ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Access(_)
            | ExprKind::Call(..)
            | ExprKind::Reduce(..) => {
                let variables = summed(self.context, expr);
                let variables = variables.into_iter().map(|name| self.variable(name));
                Some(Expr::sum(variables.collect::<Option<_>>()?, self.expr(expr, self.dtype)?))
            }
        }
    }

    /// Returns an expression in the required type, as a symbol of the semiring. Truth values among
    /// numbers are converted.
    pub(super) fn expr(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Expr> {
        let own = dtype_of(self.context, self.names, expr);
        if own == Some(Dtype::Bool) && dtype != Dtype::Bool {
            let condition = self.number(expr, Dtype::Bool)?;
            return Some(match self.semiring.is_usual() {
                true => Expr::call(Function::Convert(dtype), vec![condition]),
                false => self.semiring.to_symbol(condition),
            });
        }
        let symbol = |number: Expr| self.semiring.to_symbol(number);
        Some(match &expr.kind {
            ExprKind::Number(number) => symbol(Expr::Literal(literal(*number, dtype))),
            ExprKind::Constant(constant) => symbol(Expr::Literal(match constant {
                Constant::Pi => Literal::Float(std::f64::consts::PI),
                Constant::Inf => Literal::Greatest,
                Constant::Nan => Literal::Nan,
                Constant::True => Literal::Bool(true),
                Constant::False => Literal::Bool(false),
            })),
            ExprKind::Access(access) => self.operand(access)?,
            ExprKind::Unary(UnaryOp::Neg, a) => match self.semiring.is_usual() {
                true => Expr::neg(self.expr(a, dtype)?),
                false => symbol(Expr::neg(self.number(a, dtype)?)),
            },
            ExprKind::Unary(UnaryOp::Not, a) => {
                let of = own.unwrap_or(dtype);
                let not = if of.is_integer() { Function::Complement } else { Function::Not };
                symbol(Expr::call(not, vec![self.number(a, of)?]))
            }
            ExprKind::Binary(op, _, a, b) => self.binary(*op, a, b, dtype)?,
            ExprKind::Call(name, arguments) => self.call(&name.text, arguments, dtype)?,
            ExprKind::Reduce(name, variables, body) => {
                let variables = variables.iter().map(|name| self.variable(&name.text));
                let variables = variables.collect::<Option<_>>()?;
                let dtype = reduced_type(self.context, self.names, &name.text, body, dtype);
                match ReduceOp::of(&name.text)? {
                    ReduceOp::SUM => Expr::sum(variables, self.expr(body, dtype)?).typed(dtype),
                    op => {
                        let reduced = Expr::reduce(op, variables, self.number(body, dtype)?);
                        symbol(reduced.typed(dtype))
                    }
                }
            }
        })
    }

    /// Returns an expression as a number, not a symbol of the semiring.
    fn number(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Expr> {
        Some(self.semiring.to_number(self.expr(expr, dtype)?))
    }

    fn binary(
        &self,
        op: BinaryOp,
        a: &syntax::Expr,
        b: &syntax::Expr,
        dtype: Dtype,
    ) -> Option<Expr> {
        let is_usual = self.semiring.is_usual();
        match (op, op.kind()) {
            (_, Kind::Comparison) => Some(self.semiring.to_symbol(self.comparison(op, a, b)?)),
            (_, Kind::Logic) => {
                let [a, b] = [self.number(a, dtype)?, self.number(b, dtype)?];
                Some(self.semiring.to_symbol(Expr::binary(op, a, b)))
            }
            (BinaryOp::Mul, _) if is_usual && dtype == Dtype::Bool => {
                Some(Expr::mul(self.truth(a)?, self.truth(b)?))
            }
            (BinaryOp::Div, _) if is_usual => {
                Some(quotient(self.expr(a, dtype)?, self.expr(b, dtype)?, dtype))
            }
            (BinaryOp::Add | BinaryOp::Sub, _) => {
                Some(self.sum(op, dtype, self.expr(a, dtype)?, self.expr(b, dtype)?))
            }
            (_, Kind::Arithmetic) => {
                Some(Expr::binary(op, self.expr(a, dtype)?, self.expr(b, dtype)?))
            }
        }
    }

    /// Returns the value of an update; `A op= e` is `A = A op e`. `min=` and `max=` compare numbers.
    pub(super) fn updated(&self, op: BinaryOp, before: Expr, value: Expr) -> Expr {
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.sum(op, self.dtype, before, value),
            BinaryOp::Min | BinaryOp::Max => {
                let [before, value] = [before, value].map(|symbol| self.semiring.to_number(symbol));
                self.semiring.to_symbol(Expr::binary(op, before, value))
            }
            op => Expr::binary(op, before, value),
        }
    }

    /// Returns a factor of a product of truth values, which may be a mask, as in a product of
    /// numbers.
    fn truth(&self, expr: &syntax::Expr) -> Option<Expr> {
        let factor = self.expr(expr, Dtype::Bool)?;
        Some(match factor.is_condition() && factor.as_literal().is_none() {
            true => Expr::call(Function::Convert(Dtype::Bool), vec![factor]),
            false => factor,
        })
    }

    fn comparison(&self, op: BinaryOp, a: &syntax::Expr, b: &syntax::Expr) -> Option<Expr> {
        let [a, b] = match compared_type(self.context, self.names, [a, b]) {
            Some(dtype) => [self.number(a, dtype)?, self.number(b, dtype)?],
            // Comparisons of indices do not use the semiring.
            None => {
                let usual = Builder { semiring: Semiring::PLUS_TIMES, ..*self };
                [usual.expr(a, Dtype::I64)?, usual.expr(b, Dtype::I64)?]
            }
        };
        Some(match op {
            BinaryOp::Gt => Expr::binary(BinaryOp::Lt, b, a),
            BinaryOp::Ge => Expr::binary(BinaryOp::Le, b, a),
            op => Expr::binary(op, a, b),
        })
    }

    fn call(&self, name: &str, arguments: &[syntax::Expr], dtype: Dtype) -> Option<Expr> {
        let types = argument_types(self.context, self.names, name, arguments, dtype);
        let mut typed = arguments.iter().zip(types);
        let symbol = |number: Expr| self.semiring.to_symbol(number);
        Some(match name {
            "select" => {
                let (condition, of) = typed.next()?;
                let condition = self.number(condition, of)?;
                let values = typed.map(|(value, of)| self.expr(value, of));
                let values = values.collect::<Option<Vec<_>>>()?;
                Expr::call(Function::Select, [vec![condition], values].concat())
            }
            "replace" => {
                let values = typed.map(|(value, of)| self.expr(value, of));
                let mut values = values.collect::<Option<Vec<_>>>()?;
                let (by, of) = (values.pop()?, values.pop()?);
                Expr::call(Function::Select, vec![self.present(by.clone()), by, of])
            }
            "present" | "absent" => {
                let (value, of) = typed.next()?;
                let present = self.present(self.expr(value, of)?);
                symbol(match name {
                    "present" => present,
                    _ => Expr::call(Function::Not, vec![present]),
                })
            }
            _ if let Some(function) = self.context.functions.find(name) => {
                let values = typed.map(|(argument, of)| self.argument(argument, of));
                let values = values.collect::<Option<Vec<_>>>()?;
                function.call(&values, self.semiring.zero, symbol)
            }
            _ => {
                let of = typed.clone().next().map(|(_, of)| of);
                let is_whole = of.is_some_and(Dtype::is_integer);
                let complex = of.filter(|of| of.is_complex());
                let numbers = typed.map(|(argument, of)| self.number(argument, of));
                let numbers = numbers.collect::<Option<Vec<_>>>()?;
                let function = match conversion(name) {
                    Some(to) => Function::Convert(to),
                    None => match (Function::of(name)?, complex) {
                        (Function::Operator(BinaryOp::Rem), _) if is_whole => Function::Remainder,
                        (Function::Math(function), Some(of)) => Function::Complex(function, of),
                        (function, _) => function,
                    },
                };
                symbol(Expr::call(function, numbers))
            }
        })
    }

    /// Returns an argument of a user function. An argument that reads no tensor is present if it
    /// differs from the default fill value.
    fn argument(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Argument> {
        let value = self.expr(expr, dtype)?;
        let mut reads = false;
        value.for_each_access(&mut |access| reads |= is_stored(access));
        let fill = if reads { self.fill_of(&value) } else { Expr::ZERO };
        let number = self.semiring.to_number(value.clone());
        Some(Argument { value, fill, number })
    }

    /// Returns the predicate that a value differs from its value at unstored operands.
    fn present(&self, value: Expr) -> Expr {
        let fill = self.fill_of(&value);
        Expr::call(Function::Present, vec![value, fill])
    }

    /// Returns the value of an expression at unstored operands.
    fn fill_of(&self, value: &Expr) -> Expr {
        match value {
            Expr::Access(access) if is_stored(access) => {
                let format = self.tensor(access.tensor).and_then(|operand| operand.format.as_ref());
                let fill = format.filter(|_| self.semiring.is_usual()).map(|format| format.fill);
                Expr::Literal(fill.unwrap_or(Literal::Int(0)))
            }
            Expr::Reduce(reduce) => {
                let fill = reduce.of(self.fill_of(&reduce.body));
                let dtype_of = |id| self.tensor(id).map_or(self.dtype, |operand| operand.dtype);
                let dtype = value.dtype(TensorId(0), &dtype_of);
                let is_infinite = reduce.op.is_infinite_of_nothing();
                match dtype {
                    // The minimum of an empty range of integers is their greatest.
                    Some(dtype) if dtype.is_integer() && is_infinite => {
                        Expr::call(Function::Convert(dtype), vec![fill])
                    }
                    Some(dtype) => fill.typed(dtype),
                    None => fill,
                }
            }
            value => value.map_children(&mut |child| self.fill_of(child)),
        }
    }

    /// Returns a tensor; that of the previous contents, which follows all others, is the result.
    pub(super) fn tensor(&self, id: TensorId) -> Option<&Operand<'_>> {
        self.names.tensors.get(id.0).or(self.names.tensors.first())
    }

    /// Resolves a name on the right-hand side: a variable, a parameter or an access.
    fn operand(&self, access: &syntax::Access) -> Option<Expr> {
        if access.indices.is_empty() {
            let name = &access.name;
            if is_parameter(self.context, name) {
                let mut parameters = parameters(self.context).into_iter();
                let at = parameters.position(|parameter| parameter.text == name.text)?;
                let parameter = Expr::Parameter(TensorId(self.names.tensors.len() + at));
                return Some(self.semiring.to_symbol(parameter));
            }
            if let Some(v) = self.variable(&name.text) {
                return Some(self.semiring.to_symbol(Expr::Index(v)));
            }
        }
        Some(Expr::Access(self.read(access)?))
    }

    /// Resolves an access on the right-hand side, where the result denotes its previous contents.
    pub(super) fn read(&self, access: &syntax::Access) -> Option<Access> {
        let Access { tensor, indices } = self.access(access)?;
        let tensor = self.old.filter(|_| tensor == TensorId(0)).unwrap_or(tensor);
        Some(Access { tensor, indices })
    }

    pub(super) fn access(&self, access: &syntax::Access) -> Option<Access> {
        self.names.parts.access(self.names.known(self.context), access)
    }

    fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.variables.iter().position(|known| *known == name).map(VariableId)
    }
}
