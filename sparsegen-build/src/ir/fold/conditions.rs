//! Folding constructors of comparisons and conditions.

use super::node;
use crate::ir::{BinaryOp, Dtype, Expr, Literal, ToIndex, UnaryOp};

#[allow(clippy::should_implement_trait, reason = "operands side by side read as the formula does")]
impl Expr {
    /// `a == b`
    pub fn eq(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, b) if a.is_nan() || b.is_nan() => Expr::Bool(false),
            (Expr::Index(m), Expr::Index(n)) => Expr::Bool(m == n),
            (a, b) if a == b && a.is_index() => Expr::Bool(true),
            (a, Expr::Bool(truth)) | (Expr::Bool(truth), a) => {
                if truth {
                    a
                } else {
                    Expr::not(a)
                }
            }
            (a, b) => node(BinaryOp::Eq, a, b),
        }
    }

    /// `a != b`
    pub fn ne(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, b) if a.is_nan() || b.is_nan() => Expr::Bool(true),
            (Expr::Index(m), Expr::Index(n)) => Expr::Bool(m != n),
            (a, b) if a == b && a.is_index() => Expr::Bool(false),
            (a, Expr::Bool(truth)) | (Expr::Bool(truth), a) => {
                if truth {
                    Expr::not(a)
                } else {
                    a
                }
            }
            (a, b) => node(BinaryOp::Ne, a, b),
        }
    }

    /// `a < b`
    pub fn lt(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, b) if a.is_nan() || b.is_nan() => Expr::Bool(false),
            (Expr::Index(m), Expr::Index(n)) => Expr::Bool(m < n),
            (_, least) if least.is_least() => Expr::Bool(false),
            (a, b) if a == b => Expr::Bool(false),
            (a, b) => node(BinaryOp::Lt, a, b),
        }
    }

    /// `a <= b`
    pub fn le(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, b) if a.is_nan() || b.is_nan() => Expr::Bool(false),
            (Expr::Index(m), Expr::Index(n)) => Expr::Bool(m <= n),
            (least, _) if least.is_least() => Expr::Bool(true),
            (a, b) if a == b && a.is_index() => Expr::Bool(true),
            (a, b) => node(BinaryOp::Le, a, b),
        }
    }

    /// Returns whether this is the constant NaN, whose comparison rustc refuses.
    fn is_nan(&self) -> bool {
        matches!(self, Expr::Value(Literal::Nan, _))
    }

    /// Returns whether this is a constant and the least number of its type.
    fn is_least(&self) -> bool {
        let is_unsigned = |(_, dtype): (_, Dtype)| dtype.is_unsigned();
        self.is_zero() && self.constant().is_none_or(is_unsigned)
    }

    /// `a && b`
    pub fn and(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Bool(true), x) | (x, Expr::Bool(true)) => x,
            (Expr::Bool(false), _) | (_, Expr::Bool(false)) => Expr::Bool(false),
            (a, b) if a == b => a,
            (a, Expr::Binary(BinaryOp::And, b, c)) => Expr::and(Expr::and(a, *b), *c),
            (a, b) => node(BinaryOp::And, a, b),
        }
    }

    /// `a || b`
    pub fn or(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Bool(false), x) | (x, Expr::Bool(false)) => x,
            (Expr::Bool(true), _) | (_, Expr::Bool(true)) => Expr::Bool(true),
            (a, b) if a == b => a,
            (a, b) => node(BinaryOp::Or, a, b),
        }
    }

    /// `!a`; a comparison of indices is inverted, but one of values is not, since they may be NaN.
    pub fn not(a: Expr) -> Expr {
        match a {
            Expr::Bool(b) => Expr::Bool(!b),
            Expr::Unary(UnaryOp::Not, inner) => *inner,
            Expr::Binary(BinaryOp::Eq, a, b) => node(BinaryOp::Ne, *a, *b),
            Expr::Binary(BinaryOp::Ne, a, b) => node(BinaryOp::Eq, *a, *b),
            Expr::Binary(BinaryOp::Lt, a, b) if a.is_index() || b.is_index() => Expr::le(*b, *a),
            Expr::Binary(BinaryOp::Le, a, b) if a.is_index() || b.is_index() => Expr::lt(*b, *a),
            a => Expr::Unary(UnaryOp::Not, Box::new(a)),
        }
    }

    /// `usize::from(a)`
    pub fn from_bool(a: Expr) -> Expr {
        match a {
            Expr::Bool(b) => Expr::Index(usize::from(b)),
            a => Expr::ToIndex(ToIndex::FromBool, Box::new(a)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Literal;

    #[test]
    fn conditions_fold() {
        let (p, q) = (Expr::var("p"), Expr::var("q"));
        assert_eq!(Expr::and(Expr::Bool(true), p.clone()), p);
        assert_eq!(Expr::or(p.clone(), Expr::Bool(true)), Expr::Bool(true));
        assert_eq!(Expr::or(p.clone(), p.clone()), p);
        assert_eq!(Expr::not(Expr::not(p.clone())), p);
        assert_eq!(Expr::not(Expr::eq(p.clone(), q.clone())), Expr::ne(p.clone(), q.clone()));
        // Either value may be NaN.
        assert_eq!(Expr::not(Expr::lt(p.clone(), q.clone())).to_string(), "!(p < q)");
        assert_eq!(Expr::not(Expr::lt(p.clone(), Expr::len("a"))).to_string(), "a.len() <= p");
        assert_eq!(Expr::lt(p.clone(), p), Expr::Bool(false));
        let zero = |dtype| Expr::value(Literal::Int(0), dtype);
        assert_eq!(Expr::lt(q.clone(), zero(Dtype::U8)), Expr::Bool(false));
        assert_eq!(Expr::lt(q, zero(Dtype::I8)).to_string(), "q < 0");
        assert_eq!(Expr::from_bool(Expr::Bool(true)), Expr::Index(1));
    }
}
