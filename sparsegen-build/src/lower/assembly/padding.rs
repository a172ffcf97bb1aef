//! Zeros that a result must not store: a test exactly where one could arise.

use super::Assembler;
use crate::iteration::certain::Certain;
use crate::iteration::plan::Plan;
use crate::notation::{Access, BinaryOp, Expr, Function};

impl Assembler<'_> {
    /// Whether an entry of this value is left out where it turns out zero: some level holds nonzeros
    /// only, or what has some below it, and it does not follow from the operands that the value is one.
    pub(in crate::lower) fn filters(&self, value: &Expr) -> bool {
        self.levels().iter().any(|spec| !spec.properties.padded) && !self.is_nonzero(value)
    }

    /// Whether a plan is certain to store something into the result, so that nobody need ask whether
    /// it did.
    pub(in crate::lower) fn stores_for_certain(&self, plan: &Plan) -> bool {
        let counts = |target: &_, value: &_| target == self.target && !self.filters(value);
        Certain { program: self.program, ranges_count: false, counts: &counts }.happens(plan)
    }

    /// Whether every coordinate of what is assigned to must be stored, be its value masked.
    pub(in crate::lower) fn must_store(&self, target: &Access) -> bool {
        let last = self.levels().last();
        target == self.target && last.is_some_and(super::must_fill)
    }

    /// Whether a value cannot be zero. A product of two that are not may: it underflows, or wraps.
    pub(in crate::lower) fn is_nonzero(&self, value: &Expr) -> bool {
        let usual = self.program.kernel.semiring.is_usual();
        match value {
            Expr::Literal(literal) => !literal.is_zero(),
            Expr::Access(access) => {
                let tensor = self.program.tensor(access.tensor);
                let leaf = tensor.format.levels.last();
                leaf.is_some_and(|spec| {
                    (tensor.pattern || !spec.properties.padded) && spec.properties.unique
                })
            }
            Expr::Unary(_, a) => self.is_nonzero(a),
            Expr::Binary(..) if !usual => false,
            Expr::Binary(BinaryOp::Mul, a, b) => self.is_enlarged(a, b) || self.is_enlarged(b, a),
            Expr::Binary(BinaryOp::Div, a, b) => {
                let divisor = self.constant(b);
                self.is_nonzero(a) && divisor.is_some_and(|c| c != 0.0 && c.abs() <= 1.0)
            }
            Expr::Call(Function::Mask, masked) => self.is_nonzero(&masked[1]),
            Expr::Call(..)
            | Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..)
            | Expr::Reduce(_) => false,
        }
    }

    /// Whether a value that is not zero is taken so many times that it cannot become zero. Integers
    /// may wrap unless it is taken once.
    fn is_enlarged(&self, times: &Expr, value: &Expr) -> bool {
        let is_integer = self.program.tensor(self.target.tensor).dtype.is_integer();
        let enlarges = |c: f64| if is_integer { c.abs() == 1.0 } else { c.abs() >= 1.0 };
        self.constant(times).is_some_and(enlarges) && self.is_nonzero(value)
    }

    /// The number that a value is, wherever it is stored.
    fn constant(&self, value: &Expr) -> Option<f64> {
        match value {
            Expr::Literal(literal) => literal.as_real(),
            Expr::Access(access) => {
                let tensor = self.program.tensor(access.tensor);
                let is_one = tensor.pattern
                    && tensor.format.levels.last().is_some_and(|spec| spec.properties.unique);
                is_one.then_some(1.0)
            }
            Expr::Unary(_, a) => self.constant(a).map(|c| -c),
            Expr::Constant(_)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Reduce(_) => None,
        }
    }
}
