//! Values: an expression at a place within the loops, in the type that is wanted there.

use crate::ir::{BinaryOp, Expr, Stmt, UnaryOp};
use crate::notation::{self, Access, Function, Operator, ReduceOp, Semiring, TensorId};
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::combine::Combine;
use super::scope::Scope;

impl Lowering<'_> {
    /// A value in a type. Literals, variables and parameters are of whatever type is wanted; 0 and 1
    /// stand for those of the semiring.
    pub(super) fn value(&self, expr: &notation::Expr, dtype: Dtype, scope: &Scope) -> Expr {
        self.valued(expr, self.program.kernel.semiring, dtype, scope)
    }

    /// A value as functions see it, in which literals are what they are.
    pub(super) fn number(&self, expr: &notation::Expr, dtype: Dtype, scope: &Scope) -> Expr {
        self.valued(expr, Semiring::PLUS_TIMES, dtype, scope)
    }

    fn valued(
        &self,
        expr: &notation::Expr,
        semiring: Semiring,
        dtype: Dtype,
        scope: &Scope,
    ) -> Expr {
        match expr {
            notation::Expr::Literal(literal) => constant(semiring.number(*literal), dtype),
            notation::Expr::Access(access) => self.read(access, scope),
            notation::Expr::Index(v) => Expr::cast(scope.coordinate(*v), None, dtype),
            notation::Expr::Parameter(id) => {
                Expr::cast(Expr::var(self.names.argument(*id)), None, dtype)
            }
            notation::Expr::Unary(notation::UnaryOp::Neg, a) => {
                Expr::neg(self.valued(a, semiring, dtype, scope))
            }
            notation::Expr::Binary(op, a, b) => {
                let [a, b] = [a, b].map(|side| self.valued(side, semiring, dtype, scope));
                let combine = match op {
                    notation::BinaryOp::Add => self.operation(semiring.add, dtype),
                    notation::BinaryOp::Sub => Combine::Operator(BinaryOp::Sub),
                    notation::BinaryOp::Mul => self.operation(semiring.mul, dtype),
                    notation::BinaryOp::Div => Combine::Operator(BinaryOp::Div),
                };
                combine.of(a, b)
            }
            notation::Expr::Call(function, arguments) => {
                self.call(*function, arguments, semiring, dtype, scope)
            }
            notation::Expr::Reduce(_) => {
                unreachable!("every reduction became a loop when the loops were made explicit")
            }
        }
    }

    fn call(
        &self,
        function: Function,
        arguments: &[notation::Expr],
        semiring: Semiring,
        dtype: Dtype,
        scope: &Scope,
    ) -> Expr {
        let kernel = &self.program.kernel;
        let own_type = || arguments.iter().find_map(|argument| kernel.dtype_of(argument));
        let value = |k: usize, dtype: Dtype| self.number(&arguments[k], dtype, scope);
        let same = |k: usize| self.valued(&arguments[k], semiring, dtype, scope);
        let truth = |k: usize| self.number(&arguments[k], Dtype::Bool, scope);
        let is_truth = dtype == Dtype::Bool;
        match function {
            Function::Math(function) => {
                let of = own_type().unwrap_or(dtype);
                Expr::call(function, of, (0..arguments.len()).map(|k| value(k, of)).collect())
            }
            Function::Quotient | Function::Remainder => {
                let of = own_type().unwrap_or(dtype);
                let [a, b] = [0, 1].map(|k| value(k, of));
                match function == Function::Quotient {
                    true => Expr::quotient(of, a, b),
                    false => Expr::remainder(of, a, b),
                }
            }
            Function::Own(own) => {
                let of = own_type().unwrap_or(dtype);
                let arguments = (0..arguments.len()).map(|k| value(k, of));
                Expr::run(&kernel.paths[own.path.0].path, of, arguments.collect())
            }
            Function::Not => Expr::unary(UnaryOp::Not, value(0, dtype)),
            Function::And | Function::Or | Function::Xor => {
                let op = match (function, is_truth) {
                    (Function::And, true) => BinaryOp::And,
                    (Function::And, false) => BinaryOp::BitAnd,
                    (Function::Or, true) => BinaryOp::Or,
                    (Function::Or, false) => BinaryOp::BitOr,
                    (_, _) => BinaryOp::Xor,
                };
                Expr::binary(op, value(0, dtype), value(1, dtype))
            }
            Function::Less | Function::LessEqual | Function::Equal | Function::NotEqual => {
                let op = match function {
                    Function::Less => BinaryOp::Lt,
                    Function::LessEqual => BinaryOp::Le,
                    Function::Equal => BinaryOp::Eq,
                    _ => BinaryOp::Ne,
                };
                let [a, b] = match own_type() {
                    Some(of) => [value(0, of), value(1, of)],
                    None => self.places(&arguments[0], &arguments[1], scope),
                };
                Expr::binary(op, a, b)
            }
            Function::Select => Expr::choose(truth(0), same(1), same(2)),
            Function::Mask => {
                let zero = constant(semiring.zero, dtype);
                Expr::choose(truth(0), same(1), zero)
            }
            Function::Number(semiring) => self.valued(&arguments[0], semiring, dtype, scope),
            Function::Symbol(semiring) => {
                if dtype != Dtype::Bool && kernel.dtype_of(&arguments[0]) == Some(Dtype::Bool) {
                    let [one, zero] = [semiring.one, semiring.zero].map(|c| constant(c, dtype));
                    return Expr::choose(truth(0), one, zero);
                }
                value(0, dtype)
            }
            Function::Present => {
                if arguments[1].is_zero() && self.assembler.is_nonzero(&arguments[0]) {
                    return Expr::Bool(true);
                }
                let of = own_type().unwrap_or(dtype);
                let [value, fill] = [0, 1].map(|k| self.value(&arguments[k], of, scope));
                Expr::ne(value, fill)
            }
            Function::Convert(to) => match own_type() {
                Some(of) => Expr::cast(value(0, of), Some(of), to),
                None => value(0, to),
            },
        }
    }

    /// The two sides of a comparison of places. What is subtracted on one side is added on the other:
    /// indices are never negative.
    fn places(&self, a: &notation::Expr, b: &notation::Expr, scope: &Scope) -> [Expr; 2] {
        let sides = self.place_sides(a, b, scope);
        sides.unwrap_or_else(|| [a, b].map(|side| self.number(side, Dtype::I64, scope)))
    }

    /// The two sides as sums of indices, if they can be brought into that form.
    pub(super) fn place_sides(
        &self,
        a: &notation::Expr,
        b: &notation::Expr,
        scope: &Scope,
    ) -> Option<[Expr; 2]> {
        let mut sides = [Expr::Index(0), Expr::Index(0)];
        let are_sums =
            self.add_place(a, 0, &mut sides, scope) && self.add_place(b, 1, &mut sides, scope);
        are_sums.then_some(sides)
    }

    /// Adds to one of two sides, or to the other what is negative; not where that cannot be told.
    fn add_place(
        &self,
        place: &notation::Expr,
        side: usize,
        sides: &mut [Expr; 2],
        scope: &Scope,
    ) -> bool {
        let mut add = |side: usize, index: Expr| {
            let before = std::mem::replace(&mut sides[side], Expr::Index(0));
            sides[side] = Expr::add(before, index);
        };
        match place {
            notation::Expr::Literal(Literal::Int(n)) => {
                let side = if *n < 0 { 1 - side } else { side };
                let Ok(n) = usize::try_from(n.unsigned_abs()) else { return false };
                add(side, Expr::Index(n));
                true
            }
            notation::Expr::Index(v) => {
                add(side, scope.coordinate(*v));
                true
            }
            notation::Expr::Parameter(id) => {
                add(side, Expr::var(self.names.argument(*id)));
                true
            }
            notation::Expr::Unary(notation::UnaryOp::Neg, a) => {
                self.add_place(a, 1 - side, sides, scope)
            }
            notation::Expr::Binary(notation::BinaryOp::Add, a, b) => {
                self.add_place(a, side, sides, scope) && self.add_place(b, side, sides, scope)
            }
            notation::Expr::Binary(notation::BinaryOp::Sub, a, b) => {
                self.add_place(a, side, sides, scope) && self.add_place(b, 1 - side, sides, scope)
            }
            notation::Expr::Binary(notation::BinaryOp::Mul, a, b) => {
                let mut factors =
                    [[Expr::Index(0), Expr::Index(0)], [Expr::Index(0), Expr::Index(0)]];
                let [of_a, of_b] = &mut factors;
                let is_known =
                    self.add_place(a, 0, of_a, scope) && self.add_place(b, 0, of_b, scope);
                let [[a, less_a], [b, less_b]] = factors;
                let is_natural = is_known && less_a.is_zero() && less_b.is_zero();
                if is_natural {
                    add(side, Expr::mul(a, b));
                }
                is_natural
            }
            notation::Expr::Literal(_)
            | notation::Expr::Access(_)
            | notation::Expr::Binary(notation::BinaryOp::Div, ..)
            | notation::Expr::Call(..)
            | notation::Expr::Reduce(_) => false,
        }
    }

    /// The condition under which a value is assigned at all, and what is assigned then. What is not
    /// stored need not be added.
    pub(super) fn guarded(
        value: &notation::Expr,
        accumulate: Option<ReduceOp>,
    ) -> (Option<&notation::Expr>, &notation::Expr) {
        match value {
            notation::Expr::Call(Function::Mask, masked)
                if accumulate.is_none_or(|op| op == ReduceOp::Sum) =>
            {
                (Some(&masked[0]), &masked[1])
            }
            notation::Expr::Call(Function::Select, selected)
                if accumulate.is_some_and(|op| op.ignores(&selected[2])) =>
            {
                (Some(&selected[0]), &selected[1])
            }
            value => (None, value),
        }
    }

    fn operation(&self, operator: Operator, dtype: Dtype) -> Combine {
        Combine::by(&self.program.kernel, operator, dtype)
    }

    /// What is not stored.
    pub(super) fn zero(&self, dtype: Dtype) -> Expr {
        constant(self.program.kernel.semiring.zero, dtype)
    }

    fn read(&self, access: &Access, scope: &Scope) -> Expr {
        if access.indices.is_empty() && self.program.tensor(access.tensor).by_value {
            return Expr::var(self.names.argument(access.tensor));
        }
        match scope.summed.get(access) {
            Some(name) => Expr::var(name),
            None => self.value_at(access.tensor, scope.position(access)),
        }
    }

    /// The value at a position of a tensor.
    pub(super) fn value_at(&self, id: TensorId, position: Expr) -> Expr {
        let tensor = self.program.tensor(id);
        if tensor.pattern {
            return constant(Literal::Int(1), tensor.dtype);
        }
        Expr::load(&self.names.values(id), position)
    }

    /// Statements that are run only where a value is not masked.
    pub(super) fn under(
        &self,
        condition: Option<&notation::Expr>,
        stmts: Vec<Stmt>,
        scope: &Scope,
    ) -> Vec<Stmt> {
        match condition {
            Some(condition) => Stmt::when(self.number(condition, Dtype::Bool, scope), stmts),
            None => stmts,
        }
    }
}

/// A constant in a type.
pub(super) fn constant(literal: Literal, dtype: Dtype) -> Expr {
    match (literal.as_bool(), dtype) {
        (Some(truth), Dtype::Bool) => Expr::Bool(truth),
        (_, Dtype::Bool) => Expr::Bool(!literal.is_zero()),
        (_, _) => Expr::value(literal, dtype),
    }
}
