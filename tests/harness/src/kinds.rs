//! The numbers of operands, which their types can represent and on which functions are defined.

use std::collections::BTreeMap;

use crate::corpus::Choice;
use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Semiring;
use crate::random::Random;
use crate::statement::{Expr, Function, Reduction, Statement};

/// The kinds of numbers of a statement's operands.
#[derive(Clone, Debug)]
pub struct Kinds {
    of: BTreeMap<String, Kind>,
    patterns: Vec<String>,
    /// `true` if an entry may be split into two duplicates.
    pub splits: bool,
    /// The operands that may have infinities and NaN.
    pub unbounded: Vec<String>,
}

/// The kind of numbers of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers with a sign, as reals or integers.
    Signed,
    /// Nonnegative integers.
    Unsigned,
    /// Multiples of 1/4.
    Quarters,
    /// Multiples of 1/8 between -1 and 1.
    Unit,
    /// Complex numbers.
    Complex,
    /// The value true.
    True,
}

impl Kinds {
    /// Returns the kinds of a statement's operands.
    pub fn of(statement: &Statement, choice: &Choice<'_>) -> Kinds {
        let real = domain(statement, choice.semiring());
        let kind = |tensor: &str| {
            let dtype = choice.dtype(tensor);
            let is_pattern = choice.storage(tensor).is_some_and(|storage| storage.is_pattern);
            match dtype {
                _ if is_pattern => Kind::True,
                Dtype::Bool => Kind::True,
                Dtype::C32 | Dtype::C64 => Kind::Complex,
                Dtype::Integer(_, false) | Dtype::Usize => Kind::Unsigned,
                Dtype::Integer(_, true) | Dtype::Exact => match real {
                    Kind::Unsigned => Kind::Unsigned,
                    Kind::Signed | Kind::Quarters | Kind::Unit | Kind::Complex | Kind::True => {
                        Kind::Signed
                    }
                },
                Dtype::F32 | Dtype::F16 | Dtype::Bf16 | Dtype::F64 => real,
            }
        };
        let of = statement.operands().into_iter().map(|name| (name.to_owned(), kind(name)));
        // Duplicates are combined by ordinary addition.
        let is_pattern =
            |name: &&str| choice.storage(name).is_some_and(|storage| storage.is_pattern);
        let patterns = statement.operands().into_iter().filter(is_pattern).map(str::to_owned);
        let is_unbounded = |name: &&str| {
            let dtype = choice.dtype(name);
            let is_real = matches!(dtype, Dtype::F64 | Dtype::F32) && !is_pattern(name);
            // If the fill value is the identity element, loops cannot know whether all other values
            // are NaN.
            let has_fill = choice.storage(name).is_some_and(|storage| storage.fill.is_some());
            is_real && !has_fill && choice.semiring() == Semiring::PlusTimes && compares(statement)
        };
        let unbounded = statement.operands().into_iter().filter(is_unbounded).map(str::to_owned);
        Kinds {
            unbounded: unbounded.collect(),
            of: of.collect(),
            patterns: patterns.collect(),
            splits: choice.semiring() == Semiring::PlusTimes,
        }
    }

    /// Returns the kind of an operand.
    pub fn kind(&self, operand: &str) -> Kind {
        self.of.get(operand).copied().unwrap_or(Kind::Signed)
    }
}

impl Kinds {
    /// Returns whether an operand may store zeros.
    pub fn has_zeros(&self, operand: &str) -> bool {
        self.patterns.iter().all(|pattern| pattern != operand)
    }
}

/// Returns whether a statement is a reduction whose result for infinities and NaN is defined.
fn compares(statement: &Statement) -> bool {
    let Expr::Reduce(reduction, _, body) = &statement.value else { return false };
    let mut reduces = false;
    // Loops skip identity elements, so they do not know whether all other values are NaN.
    body.visit(&mut |expr| {
        reduces |= matches!(expr, Expr::Reduce(..) | Expr::Call(Function::Select, _));
    });
    match reduction {
        Reduction::Min
        | Reduction::Max
        | Reduction::Prod
        | Reduction::Argmin
        | Reduction::Argmax => !reduces,
        Reduction::Sum | Reduction::Any | Reduction::All => false,
    }
}

/// Returns the kind of reals on which all functions of a statement are defined and not constant.
fn domain(statement: &Statement, semiring: Semiring) -> Kind {
    let mut kind = if semiring == Semiring::MaxTimes { Kind::Unsigned } else { Kind::Signed };
    statement.value.visit(&mut |expr| match expr {
        Expr::Call(Function::Asin | Function::Acos | Function::Atanh, _) => kind = Kind::Unit,
        Expr::Call(
            Function::Ln
            | Function::Ln1p
            | Function::Log2
            | Function::Log10
            | Function::Sqrt
            | Function::Acosh
            | Function::Pow,
            _,
        ) if kind != Kind::Unit => kind = Kind::Unsigned,
        Expr::Call(Function::Floor | Function::Ceil | Function::Round | Function::Trunc, _)
        | Expr::Convert(Dtype::Integer(..) | Dtype::Usize, _)
            if kind == Kind::Signed =>
        {
            kind = Kind::Quarters;
        }
        Expr::Number(_)
        | Expr::Access(_)
        | Expr::Variable(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Own(..)
        | Expr::Convert(..)
        | Expr::Reduce(..) => {}
    });
    kind
}

impl Kind {
    /// Returns a nonzero number that is small enough for sums to be exact in any order.
    pub fn value(self, random: &mut Random) -> Number {
        let mut whole = |limit: usize| (1 + random.below(limit)) as f64;
        match self {
            Kind::True => Number::Whole(1),
            Kind::Unsigned => Number::Real(whole(3)),
            Kind::Signed => {
                let magnitude = whole(4);
                Number::Real(if whole(2) == 1.0 { magnitude } else { -magnitude })
            }
            Kind::Quarters | Kind::Unit => {
                let (most, part) = if self == Kind::Unit { (7, 8.0) } else { (15, 4.0) };
                let magnitude = whole(most) / part;
                Number::Real(if whole(2) == 1.0 { magnitude } else { -magnitude })
            }
            Kind::Complex => Number::Complex(whole(4) - 2.0, whole(3)),
        }
    }

    /// Returns whether a number of this kind may be split into two.
    pub fn is_arithmetic(self) -> bool {
        match self {
            Kind::Signed | Kind::Quarters | Kind::Unit | Kind::Complex => true,
            Kind::Unsigned | Kind::True => false,
        }
    }
}
