//! Makes implicit sums explicit.

use crate::statement::Expr;

/// Sums each top-level additive term over its variables that the left side does not have.
pub fn with_sums(expr: Expr, left: &[String]) -> Expr {
    let inside = |expr: Box<Expr>| Box::new(with_sums(*expr, left));
    match expr {
        Expr::Sum(a, b) => Expr::Sum(inside(a), inside(b)),
        Expr::Difference(a, b) => Expr::Difference(inside(a), inside(b)),
        Expr::Negative(a) => Expr::Negative(inside(a)),
        Expr::Number(_)
        | Expr::Access(_)
        | Expr::Product(..)
        | Expr::Quotient(..)
        | Expr::Total(..) => {
            let mut summed = expr.free();
            summed.retain(|variable| !left.contains(variable));
            if summed.is_empty() { expr } else { Expr::Total(summed, Box::new(expr)) }
        }
    }
}
