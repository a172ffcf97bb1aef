//! Semirings: what `+` and `*` mean.
//!
//! A kernel of a semiring is written down with **symbols**: 0 and 1 stand for the semiring's zero and
//! one, sums and products are its own. So all that holds of sums and products holds there too: zero
//! annihilates, one makes no difference. Functions see **numbers**; what stands between the two are
//! [`Function::Number`](super::Function) and [`Function::Symbol`](super::Function).
//!
//! The numbers that zero and one are may be constants of the user's, of which nothing is known but
//! their paths. Nothing need be: what is known of zero and one is known of the symbols.

use crate::types::{Dtype, Literal};

use super::call::{Function, are_same};
use super::{Expr, PathId, RustPath};

/// What `+` and `*` mean, and their zero and one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Semiring {
    /// The meaning of `+`, and of sums.
    pub add: Operator,
    /// The meaning of `*`.
    pub mul: Operator,
    /// What makes no difference to sums, annihilates products, and is not stored.
    pub zero: Constant,
    /// What makes no difference to products.
    pub one: Constant,
}

/// A number that is the same wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// One that is written down.
    Literal(Literal),
    /// One of the user's, of which its path alone is known.
    Own(PathId),
}

impl Constant {
    /// The number, where it is known.
    pub fn as_literal(self) -> Option<Literal> {
        match self {
            Constant::Literal(literal) => Some(literal),
            Constant::Own(_) => None,
        }
    }

    /// Whether it is known to be this number.
    pub fn is(self, literal: Literal) -> bool {
        self.as_literal().is_some_and(|known| is_same(known, literal))
    }

    /// As an expression.
    pub fn expr(self) -> Expr {
        match self {
            Constant::Literal(literal) => Expr::Literal(literal),
            Constant::Own(path) => Expr::Constant(path),
        }
    }

    /// As it is written, where constants have these paths.
    pub fn show(self, paths: &[RustPath]) -> String {
        match self {
            Constant::Literal(literal) => literal.to_string(),
            Constant::Own(path) => paths[path.0].path.clone(),
        }
    }
}

/// An operator that is associative; one that makes sums is commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `*`
    Mul,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `|`
    Or,
    /// `&`
    And,
    /// A function of the user's.
    Own(PathId),
}

impl Operator {
    /// Every operator of the language, as it is written.
    pub const ALL: [(&'static str, Operator); 6] = [
        ("+", Operator::Add),
        ("*", Operator::Mul),
        ("min", Operator::Min),
        ("max", Operator::Max),
        ("|", Operator::Or),
        ("&", Operator::And),
    ];

    /// The operator that is written so.
    pub fn of(text: &str) -> Option<Operator> {
        Operator::ALL.iter().find(|(known, _)| *known == text).map(|(_, operator)| *operator)
    }

    /// What its reduction is called.
    pub fn name_of_sum(self) -> &'static str {
        match self {
            Operator::Add => "sum",
            Operator::Mul => "prod",
            Operator::Min => "min",
            Operator::Max => "max",
            Operator::Or => "any",
            Operator::And => "all",
            Operator::Own(_) => "total",
        }
    }

    /// As it is written, where functions have these paths.
    pub fn symbol(self, paths: &[RustPath]) -> &str {
        if let Operator::Own(path) = self {
            return &paths[path.0].path;
        }
        Operator::ALL.iter().find(|(_, known)| *known == self).map_or("", |(symbol, _)| symbol)
    }
}

impl Semiring {
    /// Numbers as usual.
    pub const PLUS_TIMES: Semiring = Semiring {
        add: Operator::Add,
        mul: Operator::Mul,
        zero: Constant::Literal(Literal::Int(0)),
        one: Constant::Literal(Literal::Int(1)),
    };

    /// The semirings that need no declaration.
    pub const ALL: [(&'static str, Semiring); 6] = [
        ("plus_times", Semiring::PLUS_TIMES),
        (
            "min_plus",
            Semiring {
                add: Operator::Min,
                mul: Operator::Add,
                zero: Constant::Literal(Literal::Greatest),
                one: Constant::Literal(Literal::Int(0)),
            },
        ),
        (
            "max_plus",
            Semiring {
                add: Operator::Max,
                mul: Operator::Add,
                zero: Constant::Literal(Literal::Least),
                one: Constant::Literal(Literal::Int(0)),
            },
        ),
        (
            "max_times",
            Semiring {
                add: Operator::Max,
                mul: Operator::Mul,
                zero: Constant::Literal(Literal::Int(0)),
                one: Constant::Literal(Literal::Int(1)),
            },
        ),
        (
            "min_max",
            Semiring {
                add: Operator::Min,
                mul: Operator::Max,
                zero: Constant::Literal(Literal::Greatest),
                one: Constant::Literal(Literal::Least),
            },
        ),
        (
            "or_and",
            Semiring {
                add: Operator::Or,
                mul: Operator::And,
                zero: Constant::Literal(Literal::Bool(false)),
                one: Constant::Literal(Literal::Bool(true)),
            },
        ),
    ];

    /// Whether it is that of numbers as usual, in which symbols are numbers.
    pub fn is_usual(self) -> bool {
        self == Semiring::PLUS_TIMES
    }

    /// Returns whether its sums of a type are the plain ones, as tensors add up duplicates: of truth
    /// values, whether one of them holds.
    pub fn adds_up(self, dtype: Dtype) -> bool {
        self.add == Operator::Add || self.add == Operator::Or && dtype == Dtype::Bool
    }

    /// The number that a symbol stands for.
    pub fn number(self, symbol: Literal) -> Constant {
        match symbol {
            Literal::Int(0) => self.zero,
            Literal::Int(1) => self.one,
            other => Constant::Literal(other),
        }
    }

    /// The symbol that stands for a number, where one does.
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

    /// A symbolic expression as a number.
    pub fn to_number(self, symbolic: Expr) -> Expr {
        if self.is_usual() {
            return symbolic;
        }
        Expr::call(Function::Number(self), vec![symbolic])
    }

    /// A number as a symbol.
    pub fn to_symbol(self, number: Expr) -> Expr {
        if self.is_usual() {
            return number;
        }
        Expr::call(Function::Symbol(self), vec![number])
    }
}

/// Whether two constants are the same number.
pub fn is_same(a: Literal, b: Literal) -> bool {
    let truths = || Some(a.as_bool()? == b.as_bool()?);
    match (a.as_real(), b.as_real()) {
        (Some(x), Some(y)) => x == y,
        (_, _) => truths().unwrap_or(false),
    }
}
