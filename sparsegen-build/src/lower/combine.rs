//! Combining two values, by an operator of Rust or a user function.

use crate::ir::{BinaryOp, Callee, Combining, Expr, Stmt};
use crate::notation::{Kernel, Operator, ReduceOp};
use crate::operator::Monoid;
use crate::types::Dtype;

/// The operation that combines two values.
pub(super) enum Combine {
    /// `a + b`
    Operator(BinaryOp),
    /// `crate::ops::join(a, b)`, for values of a type.
    Path(String, Dtype),
}

impl Combine {
    /// Returns the operation of a semiring's operator.
    pub(super) fn by(kernel: &Kernel, operator: Operator, dtype: Dtype) -> Combine {
        match operator {
            Operator::Monoid(monoid) => Combine::Operator(monoid.op().of_type(dtype)),
            Operator::Own(path) => Combine::Path(kernel.paths[path.0].path.clone(), dtype),
        }
    }

    /// Returns the operation that combines the values of a reduction.
    pub(super) fn reducing(kernel: &Kernel, op: ReduceOp, dtype: Dtype) -> Combine {
        match op {
            ReduceOp::SUM => Combine::by(kernel, kernel.semiring.add, dtype),
            op => Combine::Operator(op.monoid.op()),
        }
    }

    /// Returns the operation that combines duplicates when tensors are packed, the addition of the
    /// kernel's semiring, or `None` if that is ordinary addition.
    pub(super) fn packing(kernel: &Kernel, dtype: Dtype) -> Option<Box<Combining>> {
        if kernel.semiring.adds_up(dtype) {
            return None;
        }
        let values = ["earlier", "later"].map(str::to_owned);
        let [earlier, later] = values.each_ref().map(|name| Expr::var(name));
        let combined = Combine::by(kernel, kernel.semiring.add, dtype).of(earlier, later);
        Some(Box::new(Combining { values, combined }))
    }

    /// Combines two values.
    pub(super) fn of(&self, a: Expr, b: Expr) -> Expr {
        match self {
            Combine::Operator(op) => Expr::binary(*op, a, b),
            Combine::Path(path, dtype) => Expr::run(path, *dtype, vec![a, b]),
        }
    }

    /// Combines a value with itself, `count` times in all, where `count` is not 0.
    pub(super) fn repeated(&self, value: Expr, count: Expr, dtype: Dtype) -> Expr {
        match self {
            Combine::Operator(op) if Monoid::from(*op).is_some_and(Monoid::is_idempotent) => value,
            Combine::Operator(BinaryOp::Add)
                if dtype.is_integer() || dtype.is_float() && !dtype.is_half() =>
            {
                Expr::mul(value, Expr::cast(count, None, dtype))
            }
            Combine::Operator(op) => {
                Expr::repeated(Callee::RepeatedOperator(*op), dtype, value, count)
            }
            Combine::Path(path, _) => {
                Expr::repeated(Callee::RepeatedPath(path.clone()), dtype, value, count)
            }
        }
    }

    /// Combines a value into a variable.
    pub(super) fn assign(&self, name: &str, value: Expr) -> Stmt {
        match self {
            Combine::Operator(op) => Stmt::combine(name, *op, value),
            Combine::Path(..) => Stmt::assign(name, self.of(Expr::var(name), value)),
        }
    }

    /// Combines a value into an element of an array.
    pub(super) fn store(&self, array: &str, index: Expr, value: Expr) -> Stmt {
        match self {
            Combine::Operator(op) => Stmt::combine_at(array, index, *op, value),
            Combine::Path(..) => {
                let before = Expr::load(array, index.clone());
                Stmt::store(array, index, self.of(before, value))
            }
        }
    }
}
