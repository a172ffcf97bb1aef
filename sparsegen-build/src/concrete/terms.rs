//! Decomposition of sums and products: terms, factors, and the reductions among them.

use crate::format::{Format, LevelSpec};
use crate::notation::{BinaryOp, Expr, Function, Kernel, Reduce, ReduceOp, VariableId};

/// Calls `visit` with the outermost reductions of an expression.
pub fn outermost_reductions(expr: &Expr, visit: &mut impl FnMut(&Reduce)) {
    match expr {
        Expr::Reduce(reduce) => visit(reduce),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..) => {
            expr.children().for_each(|child| outermost_reductions(child, visit));
        }
    }
}

/// Returns the terms of a sum, with their signs.
pub fn additive_terms(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::Binary(BinaryOp::Add, a, b) => {
            let mut terms = additive_terms(*a);
            terms.extend(additive_terms(*b));
            terms
        }
        Expr::Binary(BinaryOp::Sub, a, b) => {
            let mut terms = additive_terms(*a);
            terms.extend(additive_terms(*b).into_iter().map(Expr::neg));
            terms
        }
        Expr::Neg(a) => additive_terms(*a).into_iter().map(Expr::neg).collect(),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_)
        | Expr::Binary(..) => vec![expr],
    }
}

/// Moves the factors of a product into the sum among them; returns the term itself if there is
/// none, if factors have sums over the same variable, or if a factor may be infinite, which times
/// each term may add up to NaN.
pub fn pull_reduction(kernel: &Kernel, term: Expr) -> Result<Reduce, Expr> {
    match term {
        Expr::Reduce(reduce) if reduce.op == ReduceOp::SUM => Ok(reduce),
        Expr::Neg(a) => {
            pull_reduction(kernel, *a).map(|reduce| within(reduce, Expr::neg)).map_err(Expr::neg)
        }
        Expr::Binary(BinaryOp::Mul, a, b) if reduces_over_same(&a, &b) => {
            Err(Expr::Binary(BinaryOp::Mul, a, b))
        }
        Expr::Binary(BinaryOp::Mul, a, b) => match pull_beside(kernel, *a, &b) {
            Ok(reduce) => Ok(within(reduce, |body| Expr::mul(body, *b))),
            Err(a) => pull_beside(kernel, *b, &a)
                .map(|reduce| within(reduce, |body| Expr::mul(a.clone(), body)))
                .map_err(|b| Expr::mul(a.clone(), b)),
        },
        // Division by zero is excluded: a sum of quotients by zero differs from the quotient of the
        // sum.
        Expr::Binary(BinaryOp::Div, a, b) if b.as_literal().is_some_and(|b| !b.is_zero()) => {
            match pull_reduction(kernel, *a) {
                Ok(reduce) => Ok(within(reduce, |body| Expr::div(body, *b))),
                Err(a) => Err(Expr::div(a, *b)),
            }
        }
        // Where a mask does not hold, nothing is added.
        Expr::Call(Function::Mask, mut masked) => {
            let value = masked.pop().unwrap_or(Expr::ZERO);
            let mask = |value: Expr| {
                let arguments = masked.iter().cloned().chain([value]).collect();
                Expr::call(Function::Mask, arguments)
            };
            pull_reduction(kernel, value).map(|reduce| within(reduce, mask)).map_err(mask)
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_)
        | Expr::Binary(..) => Err(term),
    }
}

/// Returns the sum in a factor into which the other factor may be moved.
fn pull_beside(kernel: &Kernel, factor: Expr, other: &Expr) -> Result<Reduce, Expr> {
    match kernel.may_be_infinite(other) {
        true => Err(factor),
        false => pull_reduction(kernel, factor),
    }
}

/// Returns whether two expressions have reductions over the same variable.
fn reduces_over_same(a: &Expr, b: &Expr) -> bool {
    let of_b = reduced(b);
    reduced(a).iter().any(|v| of_b.contains(v))
}

/// Returns whether a sum can be split off some term of a value.
pub fn has_sum(kernel: &Kernel, value: &Expr) -> bool {
    let mut terms = additive_terms(value.clone()).into_iter();
    terms.any(|term| pull_reduction(kernel, term).is_ok())
}

/// Returns whether the reductions of a value are all equal, and one of them cannot be split off its
/// term, as in `s + s * s` for `s` a sum.
pub fn needs_sum_twice(kernel: &Kernel, value: &Expr) -> bool {
    let mut sums: Vec<Reduce> = Vec::new();
    outermost_reductions(value, &mut |reduce| sums.push(reduce.clone()));
    let mut terms = additive_terms(value.clone()).into_iter();
    let stays =
        |term: Expr| pull_reduction(kernel, term).is_err_and(|term| !reduced(&term).is_empty());
    sums.windows(2).all(|pair| pair[0] == pair[1]) && terms.any(stays)
}

/// Returns the variables of all reductions of an expression.
pub fn reduced(expr: &Expr) -> Vec<VariableId> {
    let mut over: Vec<VariableId> = expr.children().flat_map(reduced).collect();
    if let Expr::Reduce(reduce) = expr {
        over.extend(&reduce.variables);
    }
    over
}

fn within(reduce: Reduce, wrap: impl FnOnce(Expr) -> Expr) -> Reduce {
    Reduce { body: Box::new(wrap(*reduce.body)), ..reduce }
}

/// Returns the part of a value that goes through a workspace, its only sum or all of its terms that
/// are sums, and a function that replaces it in the value.
pub fn gathered(kernel: &Kernel, value: Expr) -> (Expr, impl FnOnce(Expr) -> Expr + use<>) {
    let mut sums = Vec::new();
    outermost_reductions(&value, &mut |reduce| {
        let reduce = Expr::Reduce(reduce.clone());
        if !sums.contains(&reduce) {
            sums.push(reduce);
        }
    });
    let (mut summed, mut plain) = (Expr::ZERO, Expr::ZERO);
    for term in additive_terms(value.clone()) {
        match pull_reduction(kernel, term) {
            Ok(reduce) => summed = Expr::add(summed, Expr::Reduce(reduce)),
            Err(term) => plain = Expr::add(plain, term),
        }
    }
    let together = sums.len() > 1 && !summed.is_zero();
    let first = sums.into_iter().next().unwrap_or(Expr::ZERO);
    let gathered = if together { summed } else { first.clone() };
    let rest = move |workspace: Expr| {
        if together { Expr::add(plain, workspace) } else { replace(&value, &first, &workspace) }
    };
    (gathered, rest)
}

/// Returns whether a result accepts entries in any order, including duplicates. A level below one
/// with a position for each coordinate does not accept duplicates.
pub fn takes_duplicates(kernel: &Kernel) -> bool {
    let format = &kernel.tensor(kernel.result()).format;
    let Format { levels, .. } = &**format;
    if format.scattered().is_some() {
        return format.last_in_order().is_none();
    }
    let appended = |spec: &&LevelSpec| spec.level.insert().is_none();
    let from_first = levels.first().is_none_or(|first| appended(&first));
    let mut appended = levels.iter().filter(appended).peekable();
    (from_first || appended.peek().is_none())
        && appended.all(|spec| !spec.properties.ordered && !spec.properties.unique)
}

/// Replaces every occurrence of a part of an expression, also within reductions.
pub fn replace(expr: &Expr, old: &Expr, new: &Expr) -> Expr {
    if expr == old {
        return new.clone();
    }
    expr.map_children(&mut |child| replace(child, old, new))
}
