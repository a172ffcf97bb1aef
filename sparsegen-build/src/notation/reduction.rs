//! Reductions: how many values become one.

use crate::types::Literal;

use super::Expr;

/// An operator that combines all values of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// `+`, from 0.
    Sum,
    /// `*`, from 1.
    Prod,
    /// The least, from what nothing is greater than.
    Min,
    /// The greatest, from what nothing is less than.
    Max,
    /// `|`, from false.
    Any,
    /// `&`, from true.
    All,
    /// The least coordinate of the least.
    ArgMin,
    /// The least coordinate of the greatest.
    ArgMax,
}

impl ReduceOp {
    /// Every reduction, with its name in a statement.
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

    /// The reduction of a name.
    pub fn of(name: &str) -> Option<ReduceOp> {
        ReduceOp::ALL.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
    }

    /// Its name in a statement.
    pub fn name(self) -> &'static str {
        ReduceOp::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// What makes no difference to the others.
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

    /// What it comes to where no value made a difference: among equals, the first coordinate is the
    /// least, and there is one, as an empty range is an error of the call.
    pub fn of_nothing(self) -> Literal {
        if self.tells_where() { Literal::Int(0) } else { self.identity() }
    }

    /// Whether it tells where a value is, and not which.
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

    /// What it comes to where all values are the same constant, if that does not depend on how many
    /// there are.
    pub fn of_constant(self, value: &Expr) -> Option<Expr> {
        let value = value.is_constant().then_some(value)?;
        match self {
            ReduceOp::Min | ReduceOp::Max | ReduceOp::Any | ReduceOp::All => Some(value.clone()),
            ReduceOp::ArgMin | ReduceOp::ArgMax => Some(Expr::Literal(self.of_nothing())),
            ReduceOp::Prod => value.is_zero().then(|| value.clone()),
            ReduceOp::Sum => None,
        }
    }

    /// Returns whether a value that is known from what is not stored decides the reduction, whatever the
    /// other values are, infinite or no numbers.
    pub fn is_annihilated_by(self, value: &Expr) -> bool {
        self == ReduceOp::Prod && (value.is_zero() || value.is_masked())
    }

    /// Whether a value makes no difference to the others.
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
