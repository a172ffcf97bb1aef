//! Values: an expression at a point within the loops, in the required type.

use crate::ir::{BinaryOp, Expr, Stmt, UnaryOp};
use crate::notation::{
    self, Access, Constant, Function, Kernel, Operator, ReduceOp, Semiring, TensorId,
};
use crate::operator::Kind;
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::combine::Combine;
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers a value in a type. Literals, variables and parameters have the required type; 0 and 1
    /// denote the constants of the semiring.
    pub(super) fn value(&self, expr: &notation::Expr, dtype: Dtype, scope: &Scope) -> Expr {
        self.valued(expr, self.program.kernel.semiring, dtype, scope)
    }

    /// Lowers a value as a number, in which literals denote themselves.
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
            notation::Expr::Literal(literal) => {
                constant(&self.program.kernel, semiring.number(*literal), dtype)
            }
            notation::Expr::Constant(path) => {
                constant(&self.program.kernel, Constant::Own(*path), dtype)
            }
            notation::Expr::Access(access) => self.read(access, scope),
            notation::Expr::Index(v) => Expr::cast(scope.coordinate(*v), None, dtype),
            notation::Expr::Parameter(id) => {
                Expr::cast(Expr::var(self.names.argument(*id)), None, dtype)
            }
            notation::Expr::Neg(a) => {
                let value = self.valued(a, semiring, dtype, scope);
                // A negation is also defined for unsigned types, as 0 - 0.
                match dtype.is_unsigned() {
                    true => Expr::sub(literal(Literal::Int(0), dtype), value),
                    false => Expr::neg(value),
                }
            }
            notation::Expr::Binary(op, a, b) => {
                let [a, b] = [a, b].map(|side| self.valued(side, semiring, dtype, scope));
                let combine = match op {
                    BinaryOp::Add => self.operation(semiring.add, dtype),
                    BinaryOp::Mul => self.operation(semiring.mul, dtype),
                    op => Combine::Operator(*op),
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
        match function {
            Function::Math(function) => {
                let of = own_type().unwrap_or(dtype);
                Expr::call(function, of, (0..arguments.len()).map(|k| value(k, of)).collect())
            }
            Function::Complex(function, of) => {
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
            Function::Ratio => Combine::Operator(BinaryOp::Div).of(same(0), same(1)),
            Function::Own(own) => {
                let of = own_type().unwrap_or(dtype);
                let arguments = (0..arguments.len()).map(|k| value(k, of));
                Expr::run(&kernel.paths[own.path.0].path, of, arguments.collect())
            }
            Function::Not | Function::Complement => Expr::unary(UnaryOp::Not, value(0, dtype)),
            Function::Operator(op) if op.kind() == Kind::Logic => {
                Expr::binary(op.of_type(dtype), value(0, dtype), value(1, dtype))
            }
            Function::Operator(op) => {
                let [a, b] = match own_type() {
                    Some(of) => [value(0, of), value(1, of)],
                    None if op.compares() => self.places(&arguments[0], &arguments[1], scope),
                    None => [value(0, dtype), value(1, dtype)],
                };
                Expr::binary(op, a, b)
            }
            Function::Select => Expr::choose(truth(0), same(1), same(2)),
            Function::Mask => {
                // Where a mask excludes an entry, its value is the fill value.
                let fill = arguments[1].fill_of_entry().unwrap_or(&notation::Expr::ZERO);
                let excluded = self.valued(fill, semiring, dtype, scope);
                Expr::choose(truth(0), same(1), excluded)
            }
            Function::Entry => same(0),
            Function::Number(semiring) => self.valued(&arguments[0], semiring, dtype, scope),
            Function::Symbol(semiring) => {
                if dtype != Dtype::Bool && kernel.dtype_of(&arguments[0]) == Some(Dtype::Bool) {
                    let [one, zero] =
                        [semiring.one, semiring.zero].map(|c| constant(kernel, c, dtype));
                    return Expr::choose(truth(0), one, zero);
                }
                value(0, dtype)
            }
            Function::Present => {
                let is_nonzero =
                    self.assemblers.iter().all(|result| result.is_nonzero(&arguments[0]));
                if arguments[1].is_zero() && is_nonzero {
                    return Expr::Bool(true);
                }
                let of = own_type().unwrap_or_else(|| self.type_of_literals());
                let [value, fill] = [0, 1].map(|k| self.value(&arguments[k], of, scope));
                Expr::differs(of, value, fill)
            }
            // Where there is no entry, the predicate has been folded.
            Function::Stored => Expr::Bool(true),
            Function::Extent(v) => Expr::cast(self.extent(v), None, dtype),
            Function::Found(temporary) => Expr::var(&self.names.found(temporary)),
            Function::Convert(to) => match own_type() {
                Some(of) => Expr::cast(value(0, of), Some(of), to),
                None => value(0, to),
            },
        }
    }

    /// Returns the predicate under which a value is assigned, and the assigned value. A zero need
    /// not be added, unless it makes an entry: what a condition on values chooses is stored either
    /// way.
    pub(super) fn guarded<'v>(
        &self,
        target: TensorId,
        value: &'v notation::Expr,
        accumulate: Option<ReduceOp>,
        scope: &Scope,
    ) -> (Option<&'v notation::Expr>, &'v notation::Expr) {
        let makes_entry = || {
            !self.program.tensor(target).format.has_every_position()
                || scope.found(target, accumulate, value).is_some()
        };
        match value {
            notation::Expr::Call(Function::Mask, masked)
                if accumulate.is_none_or(|op| op == ReduceOp::SUM) =>
            {
                (Some(&masked[0]), &masked[1])
            }
            notation::Expr::Call(Function::Select, selected)
                if accumulate.is_some_and(|op| op.ignores(&selected[2]))
                    && (selected[0].is_mask() || !makes_entry()) =>
            {
                (Some(&selected[0]), &selected[1])
            }
            value => (None, value),
        }
    }

    fn operation(&self, operator: Operator, dtype: Dtype) -> Combine {
        Combine::by(&self.program.kernel, operator, dtype)
    }

    /// Returns the zero of the semiring.
    pub(super) fn zero(&self, dtype: Dtype) -> Expr {
        zero(&self.program.kernel, dtype)
    }

    /// Returns the value of a tensor where it has no entry.
    pub(super) fn fill(&self, id: TensorId) -> Expr {
        let kernel = &self.program.kernel;
        semiring_constant(kernel, kernel.fill_value(id), kernel.tensor(id).dtype)
    }

    fn read(&self, access: &Access, scope: &Scope) -> Expr {
        if access.indices.is_empty() && self.program.tensor(access.tensor).by_value {
            return match self.chosen_of_parts(access.tensor, scope) {
                Some(chosen) => chosen,
                None => Expr::var(self.names.argument(access.tensor)),
            };
        }
        match scope.values.get(access) {
            Some(name) => Expr::var(name),
            None => self.value_reached(access, scope),
        }
    }

    /// Returns the value at the first position that an access has reached.
    pub(super) fn value_reached(&self, access: &Access, scope: &Scope) -> Expr {
        let reached = scope.reached(access);
        let first = reached.segment().start.clone();
        reached.value(first, |position| self.value_at(access.tensor, position))
    }

    /// Returns the value at a position of a tensor.
    pub(super) fn value_at(&self, id: TensorId, position: Expr) -> Expr {
        let tensor = self.program.tensor(id);
        if tensor.pattern {
            return literal(Literal::Int(1), tensor.dtype);
        }
        Expr::load(&self.names.values(id), position)
    }

    /// Returns statements that run only if the mask of a value holds.
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

/// Returns a literal of the semiring in a type, in which 0 and 1 denote its constants.
pub(super) fn semiring_constant(kernel: &Kernel, literal: Literal, dtype: Dtype) -> Expr {
    constant(kernel, kernel.semiring.number(literal), dtype)
}

/// Returns the zero of a kernel's semiring.
pub(super) fn zero(kernel: &Kernel, dtype: Dtype) -> Expr {
    constant(kernel, kernel.semiring.zero, dtype)
}

/// Returns a constant in a type.
pub(super) fn constant(kernel: &Kernel, constant: Constant, dtype: Dtype) -> Expr {
    match constant {
        Constant::Literal(known) => literal(known, dtype),
        Constant::Own(path) => Expr::Constant(kernel.paths[path.0].path.clone(), dtype),
    }
}

/// Returns a literal in a type.
pub(super) fn literal(literal: Literal, dtype: Dtype) -> Expr {
    match (literal.as_bool(), dtype) {
        (Some(truth), Dtype::Bool) => Expr::Bool(truth),
        (_, Dtype::Bool) => Expr::Bool(!literal.is_zero()),
        (_, _) => Expr::value(literal, dtype),
    }
}
