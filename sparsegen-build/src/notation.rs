//! Index notation: `y[i] = A[i,j] * x[j]`.
//!
//! Two trees: [`syntax`] is the statement as written, with a span on every node, for messages;
//! this module holds the canonical tree that all later stages work on, with names resolved, sums
//! explicit and constants folded.
//!
//! AFTER [`check`]: every tensor has a format of its order, every variable has an extent, every
//! sum is explicit, and what is not supported was refused.

mod check;
pub mod functions;
pub mod names;
mod parse;
pub mod syntax;

use std::fmt;

use crate::error::Span;
use crate::format::Format;
use crate::ir::Bounds;
use crate::types::{Dtype, Literal};

pub use check::check;
pub use parse::parse;

/// What a manifest declares, in canonical form.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The formats for which the generated module declares a name, in the order of the file.
    pub formats: Vec<DeclaredFormat>,
    /// The kernels, in the order of the file.
    pub kernels: Vec<Kernel>,
}

/// A format with a type of its own in the generated module.
#[derive(Clone, Debug)]
pub struct DeclaredFormat {
    /// The type's name with its parameters: `Blocks4`, `BigCoo<const N: usize>`.
    pub marker: String,
    /// What it is.
    pub kind: DeclaredKind,
}

/// How the generated module declares a format.
#[derive(Clone, Debug)]
pub enum DeclaredKind {
    /// A marker type for a map that the runtime crate does not know.
    Marker(Format),
    /// Another name for a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
}

/// A kernel in canonical form.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// A Rust identifier in snake case.
    pub name: String,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
    /// The statement as the user wrote it, for documentation.
    pub text: String,
    /// Where the statement stands in the manifest.
    pub span: Span,
    /// The results, then the operands in the order of the arguments.
    pub tensors: Vec<Tensor>,
    /// The variables, in order of first appearance.
    pub variables: Vec<Variable>,
    /// The statement.
    pub assignment: Assignment,
    /// Every access of the right-hand side as written, in the order of the text. Extents are taken
    /// from these: folding may have removed some of them from the statement's value.
    pub accesses: Vec<Access>,
    /// Whether proven bounds are checked.
    pub bounds: Bounds,
}

/// An index into [`Kernel::tensors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// An index into [`Kernel::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub usize);

/// A tensor of a kernel. A scalar is a tensor of order 0.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name in the statement.
    pub name: String,
    /// The argument's identifier: the name in snake case, `r#` before a keyword.
    pub argument: String,
    pub format: Format,
    pub dtype: Dtype,
    /// Whether it is passed and returned by value: a scalar.
    pub by_value: bool,
    /// Where it first stands in the statement.
    pub span: Span,
}

/// An index variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    /// Its extent, where the manifest's `sizes` gives it.
    pub size: Option<u64>,
}

/// `result = value`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub result: Access,
    pub value: Expr,
}

/// `A[i,j]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    pub tensor: TensorId,
    /// One variable a mode.
    pub indices: Vec<VariableId>,
}

/// An expression in canonical form: constants are folded and no sum is implicit.
///
/// Build it by the constructors; they keep it folded, so no pass cleans up afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Literal(Literal),
    Access(Access),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Reduce(Reduce),
}

/// `sum[i, j](body)`
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    pub op: ReduceOp,
    pub variables: Vec<VariableId>,
    pub body: Box<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Neg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    Sum,
}

impl Expr {
    pub const ZERO: Expr = Expr::Literal(Literal::Int(0));

    /// Whether the value is known to be zero: what is not stored.
    pub fn is_zero(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_zero())
    }

    fn is_one(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_one())
    }

    pub fn neg(operand: Expr) -> Expr {
        match operand {
            zero if zero.is_zero() => zero,
            Expr::Literal(Literal::Float(x)) => Expr::Literal(Literal::Float(-x)),
            Expr::Literal(Literal::Int(n)) if n != i64::MIN => Expr::Literal(Literal::Int(-n)),
            Expr::Unary(UnaryOp::Neg, inner) => *inner,
            operand => Expr::Unary(UnaryOp::Neg, Box::new(operand)),
        }
    }

    pub fn add(a: Expr, b: Expr) -> Expr {
        if a.is_zero() {
            return b;
        }
        if b.is_zero() {
            return a;
        }
        Expr::fold(BinaryOp::Add, a, b)
    }

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

    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        match op {
            UnaryOp::Neg => Expr::neg(operand),
        }
    }

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

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        }
    }

    fn precedence(self) -> u8 {
        match self {
            BinaryOp::Add | BinaryOp::Sub => 1,
            BinaryOp::Mul | BinaryOp::Div => 2,
        }
    }
}

impl Kernel {
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The result's tensor.
    pub fn result(&self) -> TensorId {
        self.assignment.result.tensor
    }

    /// An access in index notation.
    pub fn show_access(&self, access: &Access) -> String {
        let name = &self.tensor(access.tensor).name;
        if access.indices.is_empty() {
            return name.clone();
        }
        format!("{name}[{}]", self.show_variables(&access.indices))
    }

    /// Variables, separated by commas.
    pub fn show_variables(&self, variables: &[VariableId]) -> String {
        variables.iter().map(|v| self.variable(*v).name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// An expression in index notation, with as few parentheses as its meaning allows.
    pub fn show(&self, expr: &Expr) -> String {
        self.show_at(expr, 0)
    }

    fn show_at(&self, expr: &Expr, outer: u8) -> String {
        let (text, precedence) = match expr {
            Expr::Literal(literal) => (literal.to_string(), 4),
            Expr::Access(access) => (self.show_access(access), 4),
            Expr::Unary(UnaryOp::Neg, a) => (format!("-{}", self.show_at(a, 3)), 3),
            Expr::Binary(op, a, b) => {
                let p = op.precedence();
                let text =
                    format!("{} {} {}", self.show_at(a, p), op.symbol(), self.show_at(b, p + 1));
                (text, p)
            }
            Expr::Reduce(reduce) => {
                let name = match reduce.op {
                    ReduceOp::Sum => "sum",
                };
                let variables = self.show_variables(&reduce.variables);
                (format!("{name}[{variables}]({})", self.show(&reduce.body)), 4)
            }
        };
        if precedence < outer { format!("({text})") } else { text }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Assignment { result, value } = &self.assignment;
        writeln!(f, "{} = {}", self.show_access(result), self.show(value))?;
        for tensor in &self.tensors {
            writeln!(f, "    {}: {} of {}", tensor.name, tensor.format, tensor.dtype)?;
        }
        Ok(())
    }
}
