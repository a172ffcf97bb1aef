//! Display of parsed statements in index notation.

use std::fmt::{self, Display, Formatter};

use crate::error::Name;

use super::{
    Access, Assign, BinaryOp, Bound, Comparison, Constant, Expr, ExprKind, Index, IndexKind,
    Number, Set, Slice, Statement, UnaryOp,
};

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.assign, self.right)
    }
}

impl Display for Assign {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Assign::Set => "=",
            Assign::Add => "+=",
            Assign::Sub => "-=",
            Assign::Mul => "*=",
            Assign::Min => "min=",
            Assign::Max => "max=",
        })
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
            IndexKind::Affine(terms) => {
                for (k, term) in terms.iter().enumerate() {
                    f.write_str(match (k, term.negative) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    })?;
                    match (&term.variable, term.factor) {
                        (Some(name), 1) => f.write_str(&name.text)?,
                        (Some(name), factor) => write!(f, "{factor}*{}", name.text)?,
                        (None, number) => number.fmt(f)?,
                    }
                }
                Ok(())
            }
            IndexKind::Gather(access) => access.fmt(f),
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
                f.write_str(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                })?;
                a.write(f, TIGHTEST)
            }
            ExprKind::Binary(op, _, a, b) => {
                let (sign, precedence) = operator(*op);
                let wrapped = precedence < outer;
                f.write_str(if wrapped { "(" } else { "" })?;
                // Comparisons do not chain, so an operand that is a comparison needs parentheses.
                let left = precedence + u8::from(matches!(op, BinaryOp::Compare(_)));
                a.write(f, left)?;
                write!(f, " {sign} ")?;
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

/// A precedence above that of every binary operator.
const TIGHTEST: u8 = 5;

/// Returns the symbol and the precedence of an operator.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("|", 0),
        BinaryOp::And => ("&", 1),
        BinaryOp::Compare(comparison) => {
            let sign = match comparison {
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
                Comparison::Equal => "==",
                Comparison::NotEqual => "!=",
            };
            (sign, 2)
        }
        BinaryOp::Add => ("+", 3),
        BinaryOp::Sub => ("-", 3),
        BinaryOp::Mul => ("*", 4),
        BinaryOp::Div => ("/", 4),
    }
}

fn list(items: &[impl Display], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
