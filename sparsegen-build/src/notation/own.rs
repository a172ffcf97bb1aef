//! User functions: the regions in which they may differ from the fill value, and folding.
//!
//! A function is called only within its region, which depends on the presence of its arguments: an
//! argument is present if it differs from its fill value. A call is lowered to a selection by the
//! region between the value of the function and the fill value. Loops follow from it as from any
//! other expression: where an operand is not stored, the selection is folded, and with it the call
//! (Henry et al. 2021).

use crate::types::Literal;

use super::BinaryOp;
use super::Expr;
use super::call::{Function, are_same};
use super::semiring::Constant;

/// An index into [`Kernel::paths`](super::Kernel::paths).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathId(pub usize);

/// A Rust function or constant that expressions use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustPath {
    /// The name in index notation.
    pub name: String,
    /// The path in generated code.
    pub path: String,
}

/// The algebraic properties of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Laws {
    /// The annihilator: if an argument has this value, so has the function.
    pub annihilator: Option<Literal>,
    /// The identity element: an argument of this value can be dropped.
    pub identity: Option<Literal>,
    /// The value does not depend on the order of the arguments.
    pub commutative: bool,
    /// The value does not depend on the order in which values are combined.
    pub associative: bool,
    /// The value for equal arguments is that argument.
    pub idempotent: bool,
}

/// A call of a user function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own {
    /// The function.
    pub path: PathId,
    /// The algebraic properties.
    pub laws: Laws,
}

impl Own {
    /// Folds a call by the algebraic properties, if possible.
    pub(super) fn fold(self, arguments: &[Expr]) -> Option<Expr> {
        let Laws { annihilator, identity, idempotent, .. } = self.laws;
        let is = |argument: &Expr, constant: Option<Literal>| {
            let same = argument.as_literal().zip(constant).map(|(a, b)| a.is_same(b));
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

/// A user function of the manifest.
#[derive(Clone, Debug)]
pub struct UserFunction {
    /// The name in statements.
    pub name: String,
    /// The number of arguments.
    pub arity: usize,
    /// The function for places in no region with a separate function.
    pub path: Option<PathId>,
    /// The region in which the value may differ from the fill value, if it is declared.
    pub stores: Option<Region>,
    /// The regions with separate functions; the first one that holds applies.
    pub regions: Vec<(Region, PathId)>,
    /// The algebraic properties.
    pub laws: Laws,
}

/// Iteration algebra: a set of coordinates, given by the arguments that are present there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// All coordinates: `all`.
    All,
    /// The coordinates at which an argument, counted from 0, is present.
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
    /// The fill value.
    pub(super) fill: Expr,
    /// The value that is passed to the function.
    pub(super) number: Expr,
}

impl UserFunction {
    /// Returns a call: within the region the value of the function, converted by `symbol` to a
    /// symbol of the semiring, and elsewhere `zero`, the fill value.
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
        // Algebraic properties are about values, whether stored or not.
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

    /// Returns the region in which the value may differ from the fill value according to the
    /// algebraic properties.
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
    /// Returns the predicate of the region, given the predicates for the presence of arguments.
    fn condition(&self, is_in: &impl Fn(usize) -> Expr) -> Expr {
        let join = |op: BinaryOp, parts: &[Region]| {
            let conditions = parts.iter().map(|part| part.condition(is_in));
            conditions.reduce(|a, b| Expr::binary(op, a, b))
        };
        let truth = |truth: bool| Expr::Literal(Literal::Bool(truth));
        match self {
            Region::All => truth(true),
            Region::Argument(k) => is_in(*k),
            Region::Not(region) => Expr::call(Function::Not, vec![region.condition(is_in)]),
            Region::And(parts) => join(BinaryOp::And, parts).unwrap_or(truth(true)),
            Region::Or(parts) => join(BinaryOp::Or, parts).unwrap_or(truth(false)),
        }
    }
}
