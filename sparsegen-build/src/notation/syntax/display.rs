//! Display of parsed statements in index notation.

use std::fmt::{self, Display, Formatter};

use crate::error::Name;
use crate::operator::UnaryOp;

use super::{
    Access, BinaryOp, Bound, Constant, Expr, ExprKind, Index, IndexKind, Number, Set, Slice,
    Statement,
};

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = self.update.and_then(BinaryOp::update_sign).unwrap_or("=");
        write!(f, "{} {sign} {}", self.left, self.right)
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        if self.indices.is_empty() { Ok(()) } else { write!(f, "[{}]", list(&self.indices, ",")) }
    }
}

impl Display for Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            IndexKind::Name(name) => f.write_str(&name.text),
            IndexKind::Slice(slice) => slice.fmt(f),
            IndexKind::Set(name, Set::Listed(listed)) => {
                write!(f, "{} in {{{}}}", name.text, list(listed, ", "))
            }
            IndexKind::Set(name, Set::Parameter(set)) => write!(f, "{} in {}", name.text, set.text),
            IndexKind::Fixed(coordinate) => coordinate.fmt(f),
            IndexKind::Affine(sum) => f.write_str(&sum.show(|name| &name.text)),
            IndexKind::Gather(access) => access.fmt(f),
            IndexKind::Computed(expr) => expr.fmt(f),
        }
    }
}

impl Display for Slice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}..{}", self.variable.text, self.start, self.end)?;
        if let Some(step) = self.step {
            write!(f, " step {step}")?;
        }
        if let Some(shift) = self.shift {
            write!(f, " shift {shift}")?;
        }
        Ok(())
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Number(number) => number.fmt(f),
            Bound::Parameter(name) => f.write_str(&name.text),
        }
    }
}

/// Prints an expression with as few parentheses as possible.
impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Expr {
    /// Prints an expression, in parentheses if its precedence is below `outer`.
    fn write(&self, f: &mut Formatter<'_>, outer: u8) -> fmt::Result {
        match &self.kind {
            ExprKind::Number(Number::Int(n)) => n.fmt(f),
            ExprKind::Number(Number::Float(x)) => x.fmt(f),
            ExprKind::Constant(constant) => f.write_str(match constant {
                Constant::Inf => "inf",
                Constant::Nan => "nan",
                Constant::Pi => "pi",
                Constant::True => "true",
                Constant::False => "false",
            }),
            ExprKind::Access(access) => access.fmt(f),
            ExprKind::Unary(op, a) => {
                f.write_str(op.symbol())?;
                a.write(f, UnaryOp::PRECEDENCE)
            }
            ExprKind::Binary(op, _, a, b) => {
                let precedence = op.precedence().unwrap_or(UnaryOp::PRECEDENCE);
                let wrapped = precedence < outer;
                f.write_str(if wrapped { "(" } else { "" })?;
                // Comparisons do not chain, so an operand that is a comparison needs parentheses.
                let left = precedence + u8::from(op.compares());
                a.write(f, left)?;
                write!(f, " {} ", op.name())?;
                b.write(f, precedence + 1)?;
                f.write_str(if wrapped { ")" } else { "" })
            }
            ExprKind::Call(name, arguments) => {
                write!(f, "{}({})", name.text, list(arguments, ", "))
            }
            ExprKind::Reduce(name, variables, body) => {
                let variables: Vec<_> = variables.iter().map(|Name { text, .. }| text).collect();
                write!(f, "{}[{}]({body})", name.text, list(&variables, ","))
            }
        }
    }
}

fn list(items: &[impl Display], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
