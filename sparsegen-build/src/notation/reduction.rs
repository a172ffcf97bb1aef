//! Reduction operators.

use crate::types::Literal;

use super::Expr;

/// An operator that combines all values of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// `+`, with the identity element 0.
    Sum,
    /// `*`, with the identity element 1.
    Prod,
    /// Minimum, with the greatest value as identity element.
    Min,
    /// Maximum, with the least value as identity element.
    Max,
    /// `|`, with the identity element false.
    Any,
    /// `&`, with the identity element true.
    All,
    /// The first coordinate of the minimum.
    ArgMin,
    /// The first coordinate of the maximum.
    ArgMax,
}

impl ReduceOp {
    /// All reductions, with their names in a statement.
    pub const ALL: [(&'static str, ReduceOp); 8] = [
        ("sum", ReduceOp::Sum),
        ("prod", ReduceOp::Prod),
        ("min", ReduceOp::Min),
        ("max", ReduceOp::Max),
        ("any", ReduceOp::Any),
        ("all", ReduceOp::All),
        ("argmin", ReduceOp::ArgMin),
        ("argmax", ReduceOp::ArgMax),
    ];

    /// Returns the reduction with this name.
    pub fn of(name: &str) -> Option<ReduceOp> {
        ReduceOp::ALL.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
    }

    /// Returns the name in a statement.
    pub fn name(self) -> &'static str {
        ReduceOp::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Returns the identity element.
    pub fn identity(self) -> Literal {
        match self {
            ReduceOp::Sum => Literal::Int(0),
            ReduceOp::Prod => Literal::Int(1),
            ReduceOp::Min | ReduceOp::ArgMin => Literal::Greatest,
            ReduceOp::Max | ReduceOp::ArgMax => Literal::Least,
            ReduceOp::Any => Literal::Bool(false),
            ReduceOp::All => Literal::Bool(true),
        }
    }

    /// Returns the value of a reduction of identity elements only. An arg-reduction then returns
    /// coordinate 0, which exists, because an empty range is an error of the call.
    pub fn of_nothing(self) -> Literal {
        if self.tells_where() { Literal::Int(0) } else { self.identity() }
    }

    /// Returns whether this is an arg-reduction, which returns a coordinate.
    pub fn tells_where(self) -> bool {
        match self {
            ReduceOp::ArgMin | ReduceOp::ArgMax => true,
            ReduceOp::Sum
            | ReduceOp::Prod
            | ReduceOp::Min
            | ReduceOp::Max
            | ReduceOp::Any
            | ReduceOp::All => false,
        }
    }

    /// Returns the reduction of a constant, if it does not depend on the number of values.
    pub fn of_constant(self, value: &Expr) -> Option<Expr> {
        let value = value.is_constant().then_some(value)?;
        match self {
            ReduceOp::Min | ReduceOp::Max | ReduceOp::Any | ReduceOp::All => Some(value.clone()),
            ReduceOp::ArgMin | ReduceOp::ArgMax => Some(Expr::Literal(self.of_nothing())),
            ReduceOp::Prod => value.is_zero().then(|| value.clone()),
            ReduceOp::Sum => None,
        }
    }

    /// Returns whether a value at unstored operands determines the reduction, whatever the other
    /// values are, including infinities and NaN.
    pub fn is_annihilated_by(self, value: &Expr) -> bool {
        self == ReduceOp::Prod && (value.is_zero() || value.is_masked())
    }

    /// Returns whether a value is the identity element.
    pub fn ignores(self, value: &Expr) -> bool {
        let Some(literal) = value.as_literal() else { return false };
        match self {
            ReduceOp::Sum => literal.is_zero(),
            ReduceOp::Prod => literal.is_one(),
            ReduceOp::Min | ReduceOp::Max | ReduceOp::ArgMin | ReduceOp::ArgMax => {
                literal == self.identity()
            }
            ReduceOp::Any => literal.as_bool() == Some(false),
            ReduceOp::All => literal.as_bool() == Some(true),
        }
    }
}
