//! Building and walking canonical expressions.

use crate::types::Literal;

use super::{Access, BinaryOp, Expr, Reduce, ReduceOp, UnaryOp, VariableId};

impl Expr {
    /// The value of what is not stored.
    pub const ZERO: Expr = Expr::Literal(Literal::Int(0));

    /// Whether the value is known to be zero: what is not stored.
    pub fn is_zero(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_zero())
    }

    fn is_one(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_one())
    }

    /// A negated value.
    pub fn neg(operand: Expr) -> Expr {
        match operand {
            zero if zero.is_zero() => zero,
            Expr::Literal(Literal::Float(x)) => Expr::Literal(Literal::Float(-x)),
            Expr::Literal(Literal::Int(n)) if n != i64::MIN => Expr::Literal(Literal::Int(-n)),
            Expr::Unary(UnaryOp::Neg, inner) => *inner,
            operand => Expr::Unary(UnaryOp::Neg, Box::new(operand)),
        }
    }

    /// A sum of two values.
    pub fn add(a: Expr, b: Expr) -> Expr {
        if a.is_zero() {
            return b;
        }
        if b.is_zero() {
            return a;
        }
        Expr::fold(BinaryOp::Add, a, b)
    }

    /// A difference.
    pub fn sub(a: Expr, b: Expr) -> Expr {
        if b.is_zero() {
            return a;
        }
        if a.is_zero() {
            return Expr::neg(b);
        }
        Expr::fold(BinaryOp::Sub, a, b)
    }

    /// A product; an unstored zero annihilates it, whatever the other factor.
    pub fn mul(a: Expr, b: Expr) -> Expr {
        if a.is_zero() || b.is_one() {
            return a;
        }
        if b.is_zero() || a.is_one() {
            return b;
        }
        Expr::fold(BinaryOp::Mul, a, b)
    }

    /// A quotient; it has the pattern of its dividend.
    pub fn div(a: Expr, b: Expr) -> Expr {
        if a.is_zero() || b.is_one() {
            return a;
        }
        Expr::fold(BinaryOp::Div, a, b)
    }

    /// An operator's value.
    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        match op {
            UnaryOp::Neg => Expr::neg(operand),
        }
    }

    /// An operator's value.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Add => Expr::add(a, b),
            BinaryOp::Sub => Expr::sub(a, b),
            BinaryOp::Mul => Expr::mul(a, b),
            BinaryOp::Div => Expr::div(a, b),
        }
    }

    /// A sum over variables; of zero it is zero, and a sum directly below joins it.
    pub fn sum(mut variables: Vec<VariableId>, body: Expr) -> Expr {
        if body.is_zero() || variables.is_empty() {
            return body;
        }
        match body {
            Expr::Reduce(Reduce { op: ReduceOp::Sum, variables: inner, body }) => {
                variables.extend(inner);
                Expr::Reduce(Reduce { op: ReduceOp::Sum, variables, body })
            }
            body => Expr::Reduce(Reduce { op: ReduceOp::Sum, variables, body: Box::new(body) }),
        }
    }

    fn fold(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        if let (Expr::Literal(x), Expr::Literal(y)) = (&a, &b)
            && let Some(folded) = fold_literals(op, *x, *y)
        {
            return Expr::Literal(folded);
        }
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// This expression with every access for which `replace` has an answer replaced by it, folded.
    pub fn substitute(&self, replace: &impl Fn(&Access) -> Option<Expr>) -> Expr {
        match self {
            Expr::Literal(_) => self.clone(),
            Expr::Access(access) => replace(access).unwrap_or_else(|| self.clone()),
            Expr::Unary(op, a) => Expr::unary(*op, a.substitute(replace)),
            Expr::Binary(op, a, b) => {
                Expr::binary(*op, a.substitute(replace), b.substitute(replace))
            }
            Expr::Reduce(reduce) => match reduce.op {
                ReduceOp::Sum => {
                    Expr::sum(reduce.variables.clone(), reduce.body.substitute(replace))
                }
            },
        }
    }

    /// Calls `visit` on every access, in the order of the text.
    pub fn for_each_access<'e>(&'e self, visit: &mut impl FnMut(&'e Access)) {
        match self {
            Expr::Literal(_) => {}
            Expr::Access(access) => visit(access),
            Expr::Unary(_, a) => a.for_each_access(visit),
            Expr::Binary(_, a, b) => {
                a.for_each_access(visit);
                b.for_each_access(visit);
            }
            Expr::Reduce(reduce) => reduce.body.for_each_access(visit),
        }
    }
}

/// Folds constants where the result is the same in every element type that can hold them;
/// integers are left alone where an integer type would wrap or truncate.
fn fold_literals(op: BinaryOp, a: Literal, b: Literal) -> Option<Literal> {
    match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div => None,
        }
        .map(Literal::Int),
        (Literal::Float(a), Literal::Float(b)) => {
            let folded = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
            };
            // An infinity has no literal in Rust.
            folded.is_finite().then_some(Literal::Float(folded))
        }
        (Literal::Int(_), Literal::Float(_)) | (Literal::Float(_), Literal::Int(_)) => None,
    }
}
