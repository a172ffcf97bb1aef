//! The direct subexpressions of an expression, without an allocation: the search asks for them more
//! often than for anything else.

use super::Expr;

/// The direct subexpressions of an expression.
pub struct Children<'e> {
    first: Option<&'e Expr>,
    second: Option<&'e Expr>,
    others: std::slice::Iter<'e, Expr>,
}

impl<'e> Iterator for Children<'e> {
    type Item = &'e Expr;

    fn next(&mut self) -> Option<&'e Expr> {
        match self.first {
            None => self.others.next(),
            first => {
                (self.first, self.second) = (self.second, None);
                first
            }
        }
    }
}

impl Expr {
    /// Returns the direct subexpressions.
    pub fn children(&self) -> Children<'_> {
        let (first, second, others): (_, _, &[Expr]) = match self {
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_) => (None, None, &[]),
            Expr::Neg(a) => (Some(&**a), None, &[]),
            Expr::Binary(_, a, b) => (Some(&**a), Some(&**b), &[]),
            Expr::Call(_, arguments) => (None, None, arguments),
            Expr::Reduce(reduce) => (Some(&*reduce.body), None, &[]),
        };
        Children { first, second, others: others.iter() }
    }
}
