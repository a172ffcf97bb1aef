//! Semirings: the meaning of `+` and `*`.
//!
//! Expressions of a kernel with a semiring consist of **symbols**: 0 and 1 denote the zero and one
//! of the semiring, and sums and products are its operations. The rules of sums and products
//! therefore apply: zero annihilates, and one is the identity element. Functions apply to
//! **numbers**; [`Function::Number`](super::Function) and [`Function::Symbol`](super::Function)
//! convert between the two.
//!
//! The numbers of zero and one may be user constants, which the compiler knows only by their paths.
//! It does not need their values: the rules are about symbols.

use crate::operator::Monoid;
use crate::types::{Dtype, Literal};

use super::call::{Function, are_same};
use super::{Expr, PathId, RustPath};

/// The meaning of `+` and `*`, and their identity elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Semiring {
    /// The operator of `+` and of sums.
    pub add: Operator,
    /// The operator of `*`.
    pub mul: Operator,
    /// The identity element of sums, annihilator of products, and fill value.
    pub zero: Constant,
    /// The identity element of products.
    pub one: Constant,
}

/// A constant number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A literal.
    Literal(Literal),
    /// A user constant, known only by its path.
    Own(PathId),
}

impl Constant {
    /// Returns the number, if it is a literal.
    pub fn as_literal(self) -> Option<Literal> {
        match self {
            Constant::Literal(literal) => Some(literal),
            Constant::Own(_) => None,
        }
    }

    /// Returns whether this is the literal.
    pub fn is(self, literal: Literal) -> bool {
        self.as_literal().is_some_and(|known| known.is_same(literal))
    }

    /// Returns the constant as an expression.
    pub fn expr(self) -> Expr {
        match self {
            Constant::Literal(literal) => Expr::Literal(literal),
            Constant::Own(path) => Expr::Constant(path),
        }
    }

    /// Prints the constant; `paths` are the paths of user constants.
    pub fn show(self, paths: &[RustPath]) -> String {
        match self {
            Constant::Literal(literal) => literal.to_string(),
            Constant::Own(path) => paths[path.0].path.clone(),
        }
    }
}

/// An associative operator; an operator of sums is also commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// An operator of the language.
    Monoid(Monoid),
    /// A user function.
    Own(PathId),
}

impl Operator {
    /// `+`
    pub const ADD: Operator = Operator::Monoid(Monoid::ADD);

    /// Returns the name of the corresponding reduction.
    pub fn name_of_sum(self) -> &'static str {
        match self {
            Operator::Monoid(monoid) => monoid.reduction(),
            Operator::Own(_) => "total",
        }
    }

    /// Returns the symbol or, for a user function, the path.
    pub fn symbol(self, paths: &[RustPath]) -> &str {
        match self {
            Operator::Monoid(monoid) => monoid.op().name(),
            Operator::Own(path) => &paths[path.0].path,
        }
    }
}

impl Semiring {
    /// The usual arithmetic.
    pub const PLUS_TIMES: Semiring = Semiring {
        add: Operator::Monoid(Monoid::ADD),
        mul: Operator::Monoid(Monoid::MUL),
        zero: Constant::Literal(Literal::Int(0)),
        one: Constant::Literal(Literal::Int(1)),
    };

    /// The built-in semirings.
    pub const ALL: [(&'static str, Semiring); 6] = [
        ("plus_times", Semiring::PLUS_TIMES),
        (
            "min_plus",
            Semiring {
                add: Operator::Monoid(Monoid::MIN),
                mul: Operator::Monoid(Monoid::ADD),
                zero: Constant::Literal(Literal::Greatest),
                one: Constant::Literal(Literal::Int(0)),
            },
        ),
        (
            "max_plus",
            Semiring {
                add: Operator::Monoid(Monoid::MAX),
                mul: Operator::Monoid(Monoid::ADD),
                zero: Constant::Literal(Literal::Least),
                one: Constant::Literal(Literal::Int(0)),
            },
        ),
        (
            "max_times",
            Semiring {
                add: Operator::Monoid(Monoid::MAX),
                mul: Operator::Monoid(Monoid::MUL),
                zero: Constant::Literal(Literal::Int(0)),
                one: Constant::Literal(Literal::Int(1)),
            },
        ),
        (
            "min_max",
            Semiring {
                add: Operator::Monoid(Monoid::MIN),
                mul: Operator::Monoid(Monoid::MAX),
                zero: Constant::Literal(Literal::Greatest),
                one: Constant::Literal(Literal::Least),
            },
        ),
        (
            "or_and",
            Semiring {
                add: Operator::Monoid(Monoid::OR),
                mul: Operator::Monoid(Monoid::AND),
                zero: Constant::Literal(Literal::Bool(false)),
                one: Constant::Literal(Literal::Bool(true)),
            },
        ),
    ];

    /// Returns whether this is the usual arithmetic, in which symbols are numbers.
    pub fn is_usual(self) -> bool {
        self == Semiring::PLUS_TIMES
    }

    /// Returns whether sums of this type are the same as those by which tensors combine duplicates:
    /// addition, or disjunction of truth values.
    pub fn adds_up(self, dtype: Dtype) -> bool {
        self.add == Operator::ADD
            || self.add == Operator::Monoid(Monoid::OR) && dtype == Dtype::Bool
    }

    /// Returns the number of a symbol.
    pub fn number(self, symbol: Literal) -> Constant {
        match symbol {
            Literal::Int(0) => self.zero,
            Literal::Int(1) => self.one,
            other => Constant::Literal(other),
        }
    }

    /// Returns the symbol of a number, if there is one.
    pub fn symbol(self, number: &Expr) -> Option<Literal> {
        if let Some(Literal::Bool(truth)) = number.as_literal() {
            return Some(Literal::Int(truth.into()));
        }
        let is = |constant: Constant| are_same(number, &constant.expr());
        match (is(self.zero), is(self.one)) {
            (true, _) => Some(Literal::Int(0)),
            (false, true) => Some(Literal::Int(1)),
            (false, false) => None,
        }
    }

    /// Converts a symbolic expression to a number.
    pub fn to_number(self, symbolic: Expr) -> Expr {
        if self.is_usual() {
            return symbolic;
        }
        Expr::call(Function::Number(self), vec![symbolic])
    }

    /// Converts a number to a symbol.
    pub fn to_symbol(self, number: Expr) -> Expr {
        if self.is_usual() {
            return number;
        }
        Expr::call(Function::Symbol(self), vec![number])
    }
}
