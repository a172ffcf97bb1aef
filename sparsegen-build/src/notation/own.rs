//! Functions of the user's: where they can differ from what is not stored, and what folds them.
//!
//! A function is run only within its region, which the arguments decide: an argument is in where it
//! differs from its fill. A call is the choice that the region makes between the function's value
//! and what is not stored, so that loops follow from it as from any other expression: where an
//! operand is not stored the choice folds, and with it the call (Henry et al. 2021).

use crate::types::Literal;

use super::Expr;
use super::call::{Function, are_same};
use super::semiring::{Constant, is_same};

/// An index into [`Kernel::paths`](super::Kernel::paths).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathId(pub usize);

/// A function or a constant of Rust that expressions use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustPath {
    /// What it is called in index notation.
    pub name: String,
    /// The path to it, as generated code writes it.
    pub path: String,
}

/// What is known of a function's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Laws {
    /// The value is this where an argument is.
    pub annihilator: Option<Literal>,
    /// An argument of this value makes no difference to the others.
    pub identity: Option<Literal>,
    /// The order of the arguments makes no difference.
    pub commutative: bool,
    /// It makes no difference what of several values is combined first.
    pub associative: bool,
    /// The value for equal arguments is what they are.
    pub idempotent: bool,
}

/// A call of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own {
    /// What is called.
    pub path: PathId,
    /// What is known of its values.
    pub laws: Laws,
}

impl Own {
    /// The value that follows from the laws, where one does.
    pub(super) fn fold(self, arguments: &[Expr]) -> Option<Expr> {
        let Laws { annihilator, identity, idempotent, .. } = self.laws;
        let is = |argument: &Expr, constant: Option<Literal>| {
            let same = argument.as_literal().zip(constant).map(|(a, b)| is_same(a, b));
            same.unwrap_or(false)
        };
        if let Some(annihilated) = arguments.iter().find(|argument| is(argument, annihilator)) {
            return Some((*annihilated).clone());
        }
        let (first, others) = arguments.split_first()?;
        if idempotent && !others.is_empty() && others.iter().all(|other| are_same(first, other)) {
            return Some(first.clone());
        }
        let mut left = arguments.iter().filter(|argument| !is(argument, identity));
        match (left.next(), left.next()) {
            (Some(only), None) if identity.is_some() => Some(only.clone()),
            (None, _) => Some(first.clone()),
            (Some(_), _) => None,
        }
    }
}

/// A function of the manifest.
#[derive(Clone, Debug)]
pub struct UserFunction {
    /// Its name in statements.
    pub name: String,
    /// How many arguments it has.
    pub arity: usize,
    /// What is called where no region has a function of its own.
    pub path: Option<PathId>,
    /// Where it can differ from the fill, where that is said.
    pub stores: Option<Region>,
    /// Regions that have functions of their own; the first that fits wins.
    pub regions: Vec<(Region, PathId)>,
    /// What is known of its values.
    pub laws: Laws,
}

/// Iteration algebra: a set of places, by which arguments are in there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Everywhere: `all`.
    All,
    /// Where an argument is in, counted from 0.
    Argument(usize),
    /// `!a`
    Not(Box<Region>),
    /// `a & b`
    And(Vec<Region>),
    /// `a | b`
    Or(Vec<Region>),
}

/// An argument of a call.
pub(super) struct Argument {
    /// The value, as a symbol of the semiring.
    pub(super) value: Expr,
    /// What it is where nothing is stored.
    pub(super) fill: Expr,
    /// The value as the function sees it.
    pub(super) number: Expr,
}

impl UserFunction {
    /// A call: within the region the function's value, which `symbol` makes a symbol of the semiring,
    /// and elsewhere what is not stored, which is `zero`.
    pub(super) fn call(
        &self,
        arguments: &[Argument],
        zero: Constant,
        symbol: impl Fn(Expr) -> Expr,
    ) -> Expr {
        let run = |path: PathId| {
            let own = Own { path, laws: self.laws };
            let numbers = arguments.iter().map(|argument| argument.number.clone());
            symbol(Expr::call(Function::Own(own), numbers.collect()))
        };
        let choose = |condition: Expr, value: Expr, otherwise: Expr| {
            Expr::call(Function::Select, vec![condition, value, otherwise])
        };
        let is_in = |k: usize| {
            let Argument { value, fill, .. } = &arguments[k];
            Expr::call(Function::Present, vec![value.clone(), fill.clone()])
        };
        // What follows from laws is told by values, wherever they come from.
        let is_nonzero =
            |k: usize| Expr::call(Function::Present, vec![arguments[k].value.clone(), Expr::ZERO]);
        let otherwise = self.path.map_or(Expr::ZERO, run);
        let regions = self.regions.iter().rev();
        let value = regions.fold(otherwise, |otherwise, (region, path)| {
            choose(region.condition(&is_in), run(*path), otherwise)
        });
        let within = match &self.stores {
            Some(region) => region.condition(&is_in),
            None => self.implied(zero).condition(&is_nonzero),
        };
        choose(within, value, Expr::ZERO)
    }

    /// Where the function can differ from what is not stored, by what is known of its values.
    fn implied(&self, zero: Constant) -> Region {
        let is_zero = |constant: Option<Literal>| constant.is_some_and(|c| zero.is(c));
        let arguments = (0..self.arity).map(Region::Argument).collect();
        if is_zero(self.laws.annihilator) {
            Region::And(arguments)
        } else if is_zero(self.laws.identity) || self.laws.idempotent {
            Region::Or(arguments)
        } else {
            Region::All
        }
    }
}

impl Region {
    /// The condition that a place is in the region, by the conditions that arguments are in there.
    fn condition(&self, is_in: &impl Fn(usize) -> Expr) -> Expr {
        let join = |function: Function, parts: &[Region]| {
            let conditions = parts.iter().map(|part| part.condition(is_in));
            conditions.reduce(|a, b| Expr::call(function, vec![a, b]))
        };
        let truth = |truth: bool| Expr::Literal(Literal::Bool(truth));
        match self {
            Region::All => truth(true),
            Region::Argument(k) => is_in(*k),
            Region::Not(region) => Expr::call(Function::Not, vec![region.condition(is_in)]),
            Region::And(parts) => join(Function::And, parts).unwrap_or(truth(true)),
            Region::Or(parts) => join(Function::Or, parts).unwrap_or(truth(false)),
        }
    }
}
