//! Quotients of scalars for which nothing may be found.
//!
//! `0 / 0` is 0 where the dividend is not stored. A sum over entries of which there are none is such a
//! dividend, though it stands in a variable that holds 0: whether anything was found tells the two
//! apart.

use super::found::{Unfound, asks_for};
use crate::concrete::Stmt;
use crate::notation::{Access, BinaryOp, Expr, Function, TensorId};

/// A statement in which quotients are 0 where nothing was found for their dividends.
pub(super) fn guarded(stmt: &Stmt, unfound: &[Unfound]) -> Stmt {
    match unfound {
        [] => stmt.clone(),
        unfound => stmt.map_values(&|value| guarded_value(value, unfound)),
    }
}

fn guarded_value(value: &Expr, unfound: &[Unfound]) -> Expr {
    let (dividend, divisor) = match value {
        Expr::Binary(BinaryOp::Div, a, b) => (&**a, &**b),
        Expr::Call(Function::Quotient, both) => (&both[0], &both[1]),
        Expr::Call(Function::Select, chosen)
            if unfound.iter().any(|(id, _)| asks_for(&chosen[0], *id)) =>
        {
            return value.clone();
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => {
            return value.map_children(&mut |child| guarded_value(child, unfound));
        }
    };
    let quotient = value.map_children(&mut |child| guarded_value(child, unfound));
    let may_be_zero = divisor.as_literal().is_none_or(|literal| literal.is_zero());
    match condition(dividend, unfound).filter(|_| may_be_zero) {
        Some(condition) => Expr::call(Function::Select, vec![condition, quotient, Expr::ZERO]),
        None => quotient,
    }
}

/// What must have been found for a dividend to be more than what is not stored.
fn condition(dividend: &Expr, unfound: &[Unfound]) -> Option<Expr> {
    let mut read: Vec<&Access> = Vec::new();
    dividend.for_each_access(&mut |access| {
        if !read.contains(&access) {
            read.push(access);
        }
    });
    let of = |id: TensorId| unfound.iter().find(|(known, _)| *known == id);
    let temporaries: Vec<&Access> =
        read.into_iter().filter(|access| of(access.tensor).is_some()).collect();
    // What it may be where nothing is found is always the same in a dividend, but for minima.
    let values = |access: &Access| of(access.tensor).map_or(&[][..], |(_, values)| values);
    let is_nothing = |known: &dyn Fn(&Access) -> Option<Expr>| {
        dividend.substitute(&|access| known(access)).is_zero()
    };
    let is_needed = |access: &&&Access| {
        let mut values = values(access).iter();
        values.all(|value| is_nothing(&|read| (read == **access).then(|| value.clone())))
    };
    let needed: Vec<&&Access> = temporaries.iter().filter(is_needed).collect();
    let found = |access: &Access| Expr::call(Function::Found, vec![Expr::Access(access.clone())]);
    let join = |a: Expr, b: Expr, function| Expr::call(function, vec![a, b]);
    if !needed.is_empty() {
        let found = needed.into_iter().map(|access| found(access));
        return found.reduce(|a, b| join(a, b, Function::And));
    }
    let first = |access: &Access| values(access).first().cloned();
    let is_certain = temporaries.iter().all(|access| values(access).len() == 1);
    let found = temporaries.iter().map(|access| found(access));
    let any = found.reduce(|a, b| join(a, b, Function::Or));
    any.filter(|_| is_certain && is_nothing(&first))
}
