//! Fill values that a result must not store: tests where a value may equal the fill value.

use super::Assembler;
use crate::format::Places;
use crate::iteration::must_execute::MustExecute;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::{Access, BinaryOp, Expr, VariableId};

impl Assembler<'_> {
    /// Returns whether an entry with this value is dropped if it equals the fill value: some level
    /// is unpadded, or stores only coordinates with entries below them, and the value may equal it.
    pub(in crate::lower) fn filters(&self, value: &Expr) -> bool {
        let is_entry = self.result.unassigned.is_zero() && self.is_nonzero(value);
        let format = &self.program.tensor(self.target.tensor).format;
        // Stored fill values would take the few positions of entries, and are padding anyway.
        let has_few = matches!(format.placed(), Some((_, Places::Fixed)));
        let is_unpadded = self.levels().iter().any(|spec| !spec.properties.padded);
        (is_unpadded || has_few) && !is_entry
    }

    /// Returns whether a body of a loop always stores an entry into the result, so that no test is
    /// needed.
    pub(in crate::lower) fn stores_for_certain(&self, outer: &Loop, outcome: usize) -> bool {
        let counts = |target: &Access, value: &_| target == self.target && !self.filters(value);
        let stores = MustExecute { program: self.program, ranges_count: false, counts: &counts };
        stores.holds_in(outer, outcome)
    }

    /// Returns whether the loops over a variable store an entry at each of their coordinates.
    pub(super) fn stores_at_each(&self, plan: &Plan, v: VariableId) -> bool {
        let (mut any, mut all) = (false, true);
        plan.for_each_loop(&mut |inner| {
            if inner.variable == v && inner.bodies.iter().any(|body| body.assigns(self.tensor())) {
                any = true;
                let mut run = 1..inner.bodies.len();
                all &= inner.rest.is_none() && run.all(|body| self.stores_for_certain(inner, body));
            }
        });
        any && all
    }

    /// Returns whether every coordinate of the result must be stored, even if a mask excludes its
    /// value.
    pub(in crate::lower) fn must_store(&self) -> bool {
        self.levels().last().is_some_and(super::must_fill)
    }

    /// Returns whether a value is known to be nonzero. A product of nonzero values may underflow or
    /// wrap to zero.
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
            Expr::Neg(a) => self.is_nonzero(a),
            Expr::Binary(..) if !usual => false,
            Expr::Binary(BinaryOp::Mul, a, b) => self.is_enlarged(a, b) || self.is_enlarged(b, a),
            Expr::Binary(BinaryOp::Div, a, b) => {
                let divisor = self.constant(b);
                self.is_nonzero(a) && divisor.is_some_and(|c| c != 0.0 && c.abs() <= 1.0)
            }
            Expr::Call(..)
            | Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Binary(..)
            | Expr::Reduce(_) => false,
        }
    }

    /// Returns whether a nonzero value remains nonzero if it is multiplied by `times`. Integers may
    /// wrap unless the factor is 1 or -1.
    fn is_enlarged(&self, times: &Expr, value: &Expr) -> bool {
        let is_integer = self.program.tensor(self.target.tensor).dtype.is_integer();
        let enlarges = |c: f64| if is_integer { c.abs() == 1.0 } else { c.abs() >= 1.0 };
        self.constant(times).is_some_and(enlarges) && self.is_nonzero(value)
    }

    /// Returns the number that a value equals wherever it is stored.
    fn constant(&self, value: &Expr) -> Option<f64> {
        match value {
            Expr::Literal(literal) => literal.as_real(),
            Expr::Access(access) => {
                let tensor = self.program.tensor(access.tensor);
                let is_one = tensor.pattern
                    && tensor.format.levels.last().is_some_and(|spec| spec.properties.unique);
                is_one.then_some(1.0)
            }
            Expr::Neg(a) => self.constant(a).map(|c| -c),
            Expr::Constant(_)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Reduce(_) => None,
        }
    }
}
