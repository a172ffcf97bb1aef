//! Index notation: `y[i] = A[i,j] * x[j]`.
//!
//! Two trees: [`syntax`] is the statement as written, with a span on every node, for messages;
//! this module holds the canonical tree that all later stages work on, with names resolved, sums
//! explicit and constants folded.
//!
//! AFTER [`check`]: every tensor has a format of its order, every variable has an extent, every
//! sum is explicit, and what is not supported was refused.

mod call;
mod check;
mod declared;
mod display;
mod expr;
pub mod functions;
mod mask;
mod own;
mod parse;
mod part;
mod place;
mod reduction;
mod role;
pub mod schedule;
mod semiring;
pub mod syntax;

use crate::error::Span;
use crate::format::Format;
use crate::ir::Bounds;
use crate::types::{Dtype, Literal};

pub use call::{Function, count_of};
pub use check::check;
pub use declared::{DeclaredFormat, DeclaredKind, declare};
pub use own::{Laws, Own, PathId, Region, RustPath, UserFunction};
pub use parse::parse;
pub use part::{Bound, Coordinate, Range, Reads, Slice, Window};
pub use place::{Factor, List, Place, PlaceId, Term, sum_of};
pub use reduction::ReduceOp;
pub use role::{Choice, Converted, Diagonal, Parameter, TensorRole, VariableRole};
pub use semiring::{Constant, Operator, Semiring};

use schedule::Schedule;

/// What a manifest declares, in canonical form.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The formats for which the generated module declares a name, in the order of the file.
    pub formats: Vec<DeclaredFormat>,
    /// The kernels, in the order of the file, one for each statement.
    pub kernels: Vec<Kernel>,
    /// Which of them are the statements of one kernel.
    pub several: Vec<Several>,
}

impl Module {
    /// The kernels that are statements of the same kernel as this one.
    pub fn steps(&self, kernel: usize) -> std::ops::Range<usize> {
        let several = self.several.iter().find(|several| several.steps.contains(&kernel));
        several.map_or(kernel..kernel + 1, |several| several.steps.clone())
    }
}

/// A kernel of several statements.
#[derive(Clone, Debug)]
pub struct Several {
    /// A Rust identifier in snake case.
    pub name: String,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
    /// Its statements: indices into [`Module::kernels`].
    pub steps: std::ops::Range<usize>,
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
    /// The tensors. The arguments stand in the order in which they are passed.
    pub tensors: Vec<Tensor>,
    /// The variables. The index variables of the statement stand in order of first appearance.
    pub variables: Vec<Variable>,
    /// The coordinates at which modes are read that follow from variables.
    pub places: Vec<Place>,
    /// The statement.
    pub assignment: Assignment,
    /// Whether the value is added to what the result holds, which nothing else reads.
    pub in_place: bool,
    /// The format of the caller's result, where the loops list its entries to be packed into it.
    pub packed: Option<Format>,
    /// Every access of the right-hand side as written, in the order of the text. Extents are taken
    /// from these: folding may have removed some of them from the statement's value.
    pub accesses: Vec<Access>,
    /// The functions and constants of Rust that the statement may use.
    pub paths: Vec<RustPath>,
    /// The variables that must have a coordinate, each with the reduction that tells of one.
    pub chosen_from: Vec<(VariableId, ReduceOp)>,
    /// What `+` and `*` mean.
    pub semiring: Semiring,
    /// Whether proven bounds are checked.
    pub bounds: Bounds,
    /// Whether the outermost loop is to be run on several threads.
    pub parallel: bool,
    /// What is demanded of the loops.
    pub schedule: Schedule,
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
    /// How it is stored; its order is the tensor's.
    pub format: Format,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Whether it is passed and returned by value: a scalar.
    pub by_value: bool,
    /// Whether only its structure is stored, and each entry counts 1.
    pub pattern: bool,
    /// What it is for.
    pub role: TensorRole,
    /// Where it first stands in the statement.
    pub span: Span,
}

/// A variable that indexes tensors.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the statement.
    pub name: String,
    /// Its extent, where the manifest's `sizes` gives it.
    pub size: Option<u64>,
    /// What it is for.
    pub role: VariableRole,
}

/// `result = value`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What is computed.
    pub result: Access,
    /// What it becomes.
    pub value: Expr,
}

/// `A[i,j]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// What is accessed.
    pub tensor: TensorId,
    /// One variable a mode.
    pub indices: Vec<VariableId>,
}

/// An expression in canonical form: constants are folded and no sum is implicit.
///
/// Build it by the constructors; they keep it folded, so no pass cleans up afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// `2`
    Literal(Literal),
    /// `crate::ops::ZERO`
    Constant(PathId),
    /// `A[i,j]`
    Access(Access),
    /// `i`, as a number.
    Index(VariableId),
    /// A parameter, as a number.
    Parameter(TensorId),
    /// `-a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `sqrt(a)`, `a < b`
    Call(Function, Vec<Expr>),
    /// `sum[i](a)`
    Reduce(Reduce),
}

/// `sum[i, j](body)`
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// How values are combined.
    pub op: ReduceOp,
    /// The variables that it binds.
    pub variables: Vec<VariableId>,
    /// What is reduced.
    pub body: Box<Expr>,
}

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl Kernel {
    /// The tensor of an id.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// The value of what a tensor does not store; in a semiring that is its zero.
    pub fn fill(&self, id: TensorId) -> Expr {
        match self.semiring.is_usual() {
            true => Expr::Literal(self.tensor(id).format.fill),
            false => Expr::ZERO,
        }
    }

    /// The accesses in a value of tensors that may have no entry at a coordinate, each once.
    pub fn sparse_accesses<'e>(&self, value: &'e Expr) -> Vec<&'e Access> {
        let mut sparse: Vec<&Access> = Vec::new();
        value.for_each_access(&mut |access| {
            if self.tensor(access.tensor).format.is_sparse() && !sparse.contains(&access) {
                sparse.push(access);
            }
        });
        sparse
    }

    /// Returns whether a value is known to be zero where no sparse tensor has an entry.
    pub fn vanishes(&self, value: &Expr) -> bool {
        let is_sparse = |access: &Access| self.tensor(access.tensor).format.is_sparse();
        value.substitute(&|access| is_sparse(access).then(|| self.fill(access.tensor))).is_zero()
    }

    /// The variable of an id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The type of an expression; nothing where it takes that of what stands around it.
    pub fn dtype_of(&self, expr: &Expr) -> Option<Dtype> {
        let first = |parts: &[Expr]| parts.iter().find_map(|part| self.dtype_of(part));
        match expr {
            Expr::Literal(Literal::Bool(_)) => Some(Dtype::Bool),
            // What a constant may stand for is of one type.
            Expr::Constant(_) => Some(self.tensor(self.result()).dtype),
            Expr::Literal(_) | Expr::Index(_) | Expr::Parameter(_) => None,
            Expr::Access(access) => Some(self.tensor(access.tensor).dtype),
            Expr::Unary(_, a) => self.dtype_of(a),
            Expr::Binary(_, a, b) => self.dtype_of(a).or_else(|| self.dtype_of(b)),
            Expr::Call(Function::Math(function), arguments) => {
                first(arguments).map(|dtype| function.result(dtype))
            }
            Expr::Call(Function::Complex(function, dtype), _) => Some(function.result(*dtype)),
            Expr::Call(Function::Convert(dtype), _) => Some(*dtype),
            Expr::Call(Function::Select | Function::Mask, arguments) => first(&arguments[1..]),
            Expr::Call(function, _) if function.compares() => Some(Dtype::Bool),
            Expr::Call(_, arguments) => first(arguments),
            Expr::Reduce(reduce) if reduce.op.tells_where() => Some(Dtype::Usize),
            Expr::Reduce(reduce) => self.dtype_of(&reduce.body),
        }
    }

    /// Whether the result that is passed in counts for what it is afterwards.
    pub fn is_update(&self) -> bool {
        self.previous().is_some() || self.in_place || self.is_partial()
    }

    /// Whether only a part of the result is computed, and the rest of it stays.
    pub fn is_partial(&self) -> bool {
        let roles = self.assignment.result.indices.iter().map(|v| self.variable(*v).role);
        roles.into_iter().any(|role| matches!(role, VariableRole::Mode(_)))
    }

    /// The result's tensor.
    pub fn result(&self) -> TensorId {
        self.assignment.result.tensor
    }
}
