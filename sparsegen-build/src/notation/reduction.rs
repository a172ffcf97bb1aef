//! Reduction operators.

use crate::operator::Monoid;
use crate::types::{Dtype, Literal};

use super::{BinaryOp, Expr, Function, Kernel};

/// An operator that combines all values of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceOp {
    /// The operator that combines two values; `+` is the addition of the kernel's semiring.
    pub monoid: Monoid,
    /// `true` for an arg-reduction, which returns the coordinate of the value.
    pub tells_where: bool,
}

impl ReduceOp {
    /// The sum.
    pub const SUM: ReduceOp = ReduceOp::of_values(Monoid::ADD);
    /// The product.
    pub const PROD: ReduceOp = ReduceOp::of_values(Monoid::MUL);
    /// The minimum.
    pub const MIN: ReduceOp = ReduceOp::of_values(Monoid::MIN);
    /// The maximum.
    pub const MAX: ReduceOp = ReduceOp::of_values(Monoid::MAX);
    /// The disjunction.
    pub const ANY: ReduceOp = ReduceOp::of_values(Monoid::OR);
    /// The conjunction.
    pub const ALL: ReduceOp = ReduceOp::of_values(Monoid::AND);
    /// The first coordinate of the minimum.
    pub const ARG_MIN: ReduceOp = ReduceOp { tells_where: true, ..ReduceOp::MIN };
    /// The first coordinate of the maximum.
    pub const ARG_MAX: ReduceOp = ReduceOp { tells_where: true, ..ReduceOp::MAX };

    const fn of_values(monoid: Monoid) -> ReduceOp {
        ReduceOp { monoid, tells_where: false }
    }

    /// Returns the reduction with this name.
    pub fn of(name: &str) -> Option<ReduceOp> {
        let all = [
            ReduceOp::SUM,
            ReduceOp::PROD,
            ReduceOp::MIN,
            ReduceOp::MAX,
            ReduceOp::ANY,
            ReduceOp::ALL,
            ReduceOp::ARG_MIN,
            ReduceOp::ARG_MAX,
        ];
        all.into_iter().find(|op| op.name() == name)
    }

    /// Returns the name in a statement.
    pub fn name(self) -> &'static str {
        match self {
            ReduceOp::ARG_MIN => "argmin",
            ReduceOp::ARG_MAX => "argmax",
            op => op.monoid.reduction(),
        }
    }

    /// Returns whether the values are compared with each other.
    pub fn orders(self) -> bool {
        matches!(self.monoid, Monoid::MIN | Monoid::MAX)
    }

    /// Returns the identity element.
    pub fn identity(self) -> Literal {
        self.monoid.identity()
    }

    /// Returns the value of a reduction of identity elements only. An arg-reduction then returns
    /// coordinate 0, which exists, because an empty range is an error of the call.
    pub fn of_nothing(self) -> Literal {
        if self.tells_where { Literal::Int(0) } else { self.identity() }
    }

    /// Returns whether the reduction over an empty range is infinite, if its type has infinities.
    pub fn is_infinite_of_nothing(self) -> bool {
        matches!(self.of_nothing(), Literal::Greatest | Literal::Least)
    }

    /// Returns the reduction of a constant, if it does not depend on the number of values, or if
    /// there is one value.
    pub fn of_constant(self, value: &Expr, is_one: bool) -> Option<Expr> {
        let value = value.is_constant().then_some(value)?;
        if self.tells_where {
            return Some(Expr::Literal(self.of_nothing()));
        }
        let annihilator = self.monoid.annihilator().zip(value.as_literal());
        let annihilates = annihilator.is_some_and(|(zero, literal)| literal.is_same(zero));
        (is_one || annihilates || self.monoid.is_idempotent()).then(|| value.clone())
    }

    /// Returns whether a value at unstored operands determines the reduction, whatever the other
    /// values are, including infinities and NaN.
    pub fn is_annihilated_by(self, value: &Expr) -> bool {
        self == ReduceOp::PROD && (value.is_zero() || value.is_masked())
    }

    /// Returns whether a value is the identity element.
    pub fn ignores(self, value: &Expr) -> bool {
        value.as_literal().is_some_and(|literal| literal.is_same(self.identity()))
    }
}

impl Kernel {
    /// Returns the conditions without which a value that a reduction combines is its identity element, and the
    /// value where all of them hold: `x[j]` where `c` holds in `max[j](select(c, x[j], -inf))`.
    pub fn chosen(&self, op: ReduceOp, value: &Expr) -> Option<(Vec<Expr>, Expr)> {
        let truth = |holds: bool| Expr::Literal(Literal::Bool(holds));
        match value {
            Expr::Call(Function::Select, chosen) if op.ignores(&chosen[2]) => {
                Some((chosen[0].conjuncts().into_iter().cloned().collect(), chosen[1].clone()))
            }
            _ if op == ReduceOp::ANY => {
                Some((value.conjuncts().into_iter().cloned().collect(), truth(true)))
            }
            _ if op == ReduceOp::ALL => {
                let disjuncts = value.disjuncts().into_iter();
                Some((disjuncts.map(|of| self.opposite(of)).collect(), truth(false)))
            }
            _ => None,
        }
    }

    /// Returns the value that a reduction combines where all conditions hold, and its identity element
    /// elsewhere.
    pub fn choose(&self, op: ReduceOp, conditions: Vec<Expr>, value: Expr) -> Expr {
        let all = |conditions: Vec<Expr>, by: BinaryOp| {
            conditions.into_iter().reduce(|a, b| Expr::binary(by, a, b))
        };
        let is = |truth: bool| value == Expr::Literal(Literal::Bool(truth));
        if op == ReduceOp::ANY && is(true) {
            return all(conditions, BinaryOp::And).unwrap_or(value);
        }
        if op == ReduceOp::ALL && is(false) {
            let opposite = conditions.iter().map(|of| self.opposite(of)).collect();
            return all(opposite, BinaryOp::Or).unwrap_or(value);
        }
        match all(conditions, BinaryOp::And) {
            Some(all) => {
                Expr::call(Function::Select, vec![all, value, Expr::Literal(op.identity())])
            }
            None => value,
        }
    }

    /// Returns the condition that holds where another does not. Both orders of values are false if one is NaN.
    fn opposite(&self, condition: &Expr) -> Expr {
        let is_ordered = |side: &Expr| self.dtype_of(side).is_none_or(Dtype::is_integer);
        match condition {
            Expr::Call(Function::Operator(BinaryOp::Lt | BinaryOp::Le), sides)
                if !sides.iter().all(is_ordered) =>
            {
                Expr::call(Function::Not, vec![condition.clone()])
            }
            condition => condition.opposite(),
        }
    }
}
