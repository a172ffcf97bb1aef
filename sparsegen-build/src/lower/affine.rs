//! Affine functions of indices, as differences of two sums, so that no intermediate value is
//! negative.

use crate::coordinate::Affine;
use crate::ir::Expr;
use crate::notation::{self, BinaryOp, Function};
use crate::types::Dtype;

use super::Lowering;
use super::scope::Scope;

/// `plus - minus`
pub(super) struct Difference {
    pub(super) plus: Expr,
    pub(super) minus: Expr,
}

impl From<Expr> for Difference {
    fn from(plus: Expr) -> Difference {
        Difference { plus, minus: Expr::Index(0) }
    }
}

impl Difference {
    /// Returns an affine function of variables with these values.
    pub(super) fn of<V: Clone + PartialEq>(
        function: &Affine<V>,
        value: impl Fn(&V) -> Expr,
    ) -> Difference {
        let sum = Difference::with_parameters(function, |_| false, |v| Some(value(v)));
        sum.expect("every variable has a value")
    }

    /// Returns an affine function of variables and parameters, unless one of them has no value.
    /// Sums with parameters saturate to the largest index, which exceeds every coordinate.
    pub(super) fn with_parameters<V: Clone + PartialEq>(
        function: &Affine<V>,
        has_parameter: impl Fn(&V) -> bool,
        value: impl Fn(&V) -> Option<Expr>,
    ) -> Option<Difference> {
        let mut sum = Difference::from(Expr::Index(0));
        let (given, known): (Vec<_>, Vec<_>) =
            function.terms().iter().partition(|term| has_parameter(&term.of));
        for term in known {
            sum.add(term.times, value(&term.of)?, Expr::add);
        }
        sum.add(function.offset(), Expr::Index(1), Expr::add);
        for term in given {
            sum.add(term.times, value(&term.of)?, Expr::saturating_add);
        }
        Some(sum)
    }

    /// Adds a term to the sum in which it is not negative.
    fn add(&mut self, times: i64, value: Expr, add: fn(Expr, Expr) -> Expr) {
        let term = Expr::mul(value, Expr::Index(times.unsigned_abs() as usize));
        let side = if times < 0 { &mut self.minus } else { &mut self.plus };
        *side = add(side.clone(), term);
    }

    /// Returns the distance to a coordinate that is not before this one.
    pub(super) fn ahead(self, coordinate: Expr) -> Expr {
        Expr::sub(Expr::add(coordinate, self.minus), self.plus)
    }

    /// Returns the coordinate, or 0 if it is negative.
    pub(super) fn coordinate(&self) -> Expr {
        Expr::saturating_sub(self.plus.clone(), self.minus.clone())
    }

    /// Returns the coordinate, if it is never negative.
    pub(super) fn certain(self) -> Option<Expr> {
        (self.minus == Expr::Index(0)).then_some(self.plus)
    }

    /// Returns the predicate that it is a coordinate of a mode of this size.
    pub(super) fn is_within(&self, size: Expr) -> Expr {
        let Difference { plus, minus } = self;
        Expr::and(self.is_reached(), Expr::lt(plus.clone(), Expr::add(size, minus.clone())))
    }

    /// Returns the predicate that it is not negative.
    pub(super) fn is_reached(&self) -> Expr {
        match &self.minus {
            Expr::Index(0) => Expr::Bool(true),
            minus => Expr::le(minus.clone(), self.plus.clone()),
        }
    }
}

impl Lowering<'_> {
    /// Returns the two sides of a comparison of index expressions.
    pub(super) fn places(
        &self,
        a: &notation::Expr,
        b: &notation::Expr,
        scope: &Scope,
    ) -> [Expr; 2] {
        let difference = notation::Expr::difference(a, b);
        match difference.and_then(|difference| self.compared(&difference, scope)) {
            Some(Difference { plus, minus }) => [plus, minus],
            None => {
                let dtype = match a.is_place() && b.is_place() {
                    true => Dtype::I64,
                    false => self.type_of_literals(),
                };
                [a, b].map(|side| self.number(side, dtype, scope))
            }
        }
    }

    /// Returns the type in which fill values and other literals are compared, which have none of
    /// their own.
    pub(super) fn type_of_literals(&self) -> Dtype {
        let result = self.program.tensor(self.program.kernel.result()).dtype;
        if result.is_float() { result } else { Dtype::F64 }
    }

    /// Returns the difference of the two sides of a comparison, unless a factor in it may be
    /// negative.
    pub(super) fn compared(
        &self,
        difference: &Affine<notation::Expr>,
        scope: &Scope,
    ) -> Option<Difference> {
        let factor = |of: &notation::Expr| self.factor(of, scope);
        Difference::with_parameters(difference, notation::Expr::has_parameter, factor)
    }

    /// Returns a variable of an affine index expression: an index, a parameter, or a product, quotient
    /// or remainder of index expressions that are never negative.
    fn factor(&self, of: &notation::Expr, scope: &Scope) -> Option<Expr> {
        match of {
            notation::Expr::Index(v) => Some(scope.coordinate(*v)),
            notation::Expr::Parameter(id) => Some(Expr::var(self.names.argument(*id))),
            notation::Expr::Binary(BinaryOp::Mul, a, b) => {
                let certain =
                    |side: &notation::Expr| self.compared(&side.as_affine()?, scope)?.certain();
                Some(Expr::mul(certain(a)?, certain(b)?))
            }
            notation::Expr::Call(function, _) => {
                let (dividend, by) = of.divided()?;
                let dividend = self.compared(&dividend, scope)?.certain()?;
                let by = Expr::Index(usize::try_from(by).ok()?);
                Some(match function {
                    Function::Quotient => Expr::div(dividend, by),
                    _ => Expr::rem(dividend, by),
                })
            }
            notation::Expr::Literal(_)
            | notation::Expr::Constant(_)
            | notation::Expr::Access(_)
            | notation::Expr::Neg(_)
            | notation::Expr::Binary(..)
            | notation::Expr::Reduce(_) => None,
        }
    }
}
