//! Comparisons of the distance of two coordinates.

use super::{BinaryOp, Expr, Function};
use crate::math;
use crate::types::Literal;

/// Returns the comparison of a distance of indices, such as `abs(i - j) <= 3`, as one of each
/// direction: bounds limit loops, and a distance does not.
pub(super) fn distance(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let of = |side: &Expr| match side {
        Expr::Call(Function::Math(math::Function::Abs), of) if of[0].is_place() => {
            let back = match of[0].clone() {
                Expr::Binary(BinaryOp::Sub, a, b) => Expr::sub(*b, *a),
                of => Expr::neg(of),
            };
            Some([of[0].clone(), back])
        }
        _ => None,
    };
    let is_nonnegative = |side: &Expr| matches!(side, Expr::Literal(Literal::Int(n)) if *n >= 0);
    let both = |join: BinaryOp, op: BinaryOp, [ahead, behind]: [Expr; 2], bound: &Expr| {
        let [ahead, behind] = [ahead, behind].map(|side| Expr::binary(op, side, bound.clone()));
        Expr::binary(join, ahead, behind)
    };
    match (op, of(a), of(b)) {
        (BinaryOp::Lt | BinaryOp::Le, Some(sides), _) if b.is_place() => {
            Some(both(BinaryOp::And, op, sides, b))
        }
        (BinaryOp::Lt | BinaryOp::Le, _, Some(sides)) if a.is_place() => {
            let [ahead, behind] = sides.map(|side| Expr::binary(op, a.clone(), side));
            Some(Expr::binary(BinaryOp::Or, ahead, behind))
        }
        (BinaryOp::Eq, Some(sides), _) if is_nonnegative(b) => {
            Some(both(BinaryOp::Or, op, sides, b))
        }
        (BinaryOp::Ne, Some(sides), _) if is_nonnegative(b) => {
            Some(both(BinaryOp::And, op, sides, b))
        }
        _ => None,
    }
}
