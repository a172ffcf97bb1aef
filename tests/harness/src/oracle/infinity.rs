//! Sums with terms that are infinite where an operand is not stored.

use super::arithmetic::Op;
use super::meaning::{Kind, Node};
use crate::number::Number;
use crate::statement::Reduction;

/// Returns the infinity that absorbs a sum or difference of terms of which the others are finite.
pub fn absorbing(op: Op, [a, b]: [&Node; 2]) -> Option<Number> {
    let of_b = infinity(b).map(|b| if op == Op::Subtract { -b } else { b });
    let absorbs = match (infinity(a), of_b) {
        (Some(a), Some(b)) => (a == b).then_some(a),
        (Some(a), None) => is_finite(b).then_some(a),
        (None, b) => b.filter(|_| is_finite(a)),
    };
    absorbs.filter(|_| a.dtype.is_rounded()).map(Number::Real)
}

/// Returns the infinity that a term is where an operand is not stored.
fn infinity(term: &Node) -> Option<f64> {
    let of = |number: Number| match number {
        Number::Real(x) if x.is_infinite() => Some(x),
        _ => None,
    };
    match &term.kind {
        Kind::Element(_, variables, fill) if !variables.is_empty() => of(*fill),
        Kind::Apply(Op::Negate, parts) => infinity(&parts[0]).map(|x| -x),
        Kind::Decided(Op::Add | Op::Subtract, by, _) => of(*by),
        Kind::Select(parts) => match parts[2].kind {
            Kind::Constant(number) => of(number),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a term is finite if all elements are.
fn is_finite(term: &Node) -> bool {
    let is_infinite = match &term.kind {
        Kind::Constant(Number::Real(x)) => x.is_infinite(),
        Kind::Element(_, _, Number::Real(fill)) => fill.is_infinite(),
        Kind::Reduce(reduction, ..) => matches!(reduction, Reduction::Min | Reduction::Max),
        _ => false,
    };
    !is_infinite && term.parts().iter().all(is_finite)
}
