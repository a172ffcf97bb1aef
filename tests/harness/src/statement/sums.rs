//! Makes implicit sums explicit.

use crate::statement::{Binary, Expr, Unary};

/// Sums each top-level additive term over its variables that the left-hand side does not have.
pub fn with_sums(expr: Expr, left: &[String]) -> Expr {
    let inside = |expr: Box<Expr>| Box::new(with_sums(*expr, left));
    match expr {
        Expr::Binary(op @ (Binary::Sum | Binary::Difference), a, b) => {
            Expr::Binary(op, inside(a), inside(b))
        }
        Expr::Unary(Unary::Negative, a) => Expr::Unary(Unary::Negative, inside(a)),
        term => {
            let mut summed = term.free();
            summed.retain(|variable| !left.contains(variable));
            if summed.is_empty() { term } else { Expr::sum(summed, term) }
        }
    }
}
