//! Index notation: `y[i] = A[i,j] * x[j]`.
//!
//! There are two trees: [`syntax`] is the parsed statement, with a span for every node, for
//! messages; this module defines the canonical tree of all later stages, with resolved names,
//! explicit sums and folded constants.
//!
//! AFTER [`check`]: every tensor has a format of its order, every variable has an extent, every sum
//! is explicit, and every feature is supported.

mod call;
mod check;
mod children;
mod declared;
mod display;
mod distribution;
mod expr;
pub mod functions;
mod limit;
mod mask;
mod own;
mod parse;
mod reduction;
mod region;
mod role;
pub mod schedule;
mod semiring;
mod slice;
mod subscript;
pub mod syntax;

use std::sync::Arc;

use crate::error::{Name, Span, Warnings};
use crate::format::Format;
use crate::ir::{Bounds, Simd};
use crate::types::{Dtype, Literal};

pub use crate::operator::BinaryOp;
pub use call::Function;
pub use check::check;
pub use declared::{DeclaredFormat, DeclaredKind, declare};
pub use distribution::Distribution;
pub use limit::Determined;
pub(crate) use mask::are_opposite;
pub use own::{Laws, Own, PathId, Region, RustPath, UserFunction};
pub use parse::parse;
#[cfg(test)]
pub(crate) use parse::statement;
pub use reduction::ReduceOp;
pub use role::{
    Choice, Converted, Diagonal, Inverse, Listed, Parameter, Predicate, TensorRole, VariableRole,
};
pub use semiring::{Constant, Operator, Semiring};
pub use slice::{Bound, Domain, Range, Slice};
pub use subscript::{List, Subscript, Symbol};

use schedule::Schedule;

/// The content of a manifest in canonical form.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The formats for which the generated module declares a name, in the order of the file.
    pub formats: Vec<DeclaredFormat>,
    /// The kernels, in the order of the file, one for each statement.
    pub kernels: Vec<Kernel>,
    /// The kernels with several statements.
    pub several: Vec<Several>,
}

impl Module {
    /// The statements of each kernel of the manifest, in the order of the file.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut start = 0;
        while start < self.kernels.len() {
            let several = self.several.iter().find(|several| several.steps.contains(&start));
            let end = several.map_or(start + 1, |several| several.steps.end);
            blocks.push(Block { statements: &self.kernels[start..end], several });
            start = end;
        }
        blocks
    }

    /// Returns whether the name of some generated function begins with `name`.
    pub fn is_taken(&self, name: &str) -> bool {
        let of_several = self.several.iter().map(|several| &several.name);
        let mut names = self.kernels.iter().map(|kernel| &kernel.name).chain(of_several);
        names.any(|taken| taken.starts_with(name))
    }
}

/// The statements of a kernel of the manifest.
#[derive(Clone, Copy, Debug)]
pub struct Block<'m> {
    /// The statements, in order.
    pub statements: &'m [Kernel],
    /// The kernel that they are the statements of, if there are several.
    pub several: Option<&'m Several>,
}

impl Block<'_> {
    /// Returns the name of the kernel.
    pub fn name(&self) -> &str {
        self.several.map_or(&self.statements[0].name, |several| &several.name)
    }
}

/// A kernel with several statements.
#[derive(Clone, Debug)]
pub struct Several {
    /// A Rust identifier in snake case.
    pub name: String,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
    /// The statements, as indices into [`Module::kernels`].
    pub steps: std::ops::Range<usize>,
}

/// A kernel in canonical form.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// A Rust identifier in snake case.
    pub name: String,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
    /// The statement in the notation of the user, for documentation.
    pub text: String,
    /// The place of the statement in the manifest.
    pub span: Span,
    /// The tensors. Arguments are in the order in which they are passed.
    pub tensors: Vec<Tensor>,
    /// The variables. The index variables of the statement are in the order of their first use.
    pub variables: Vec<Variable>,
    /// The statement.
    pub assignment: Assignment,
    /// `true` if the value is added to the contents of the result, which nothing else reads.
    pub in_place: bool,
    /// The value that the result has wherever the loops assign nothing: zero, or the fill value of its
    /// format.
    pub unassigned: Literal,
    /// The format of the caller's result, if the loops compute a list of entries that is packed
    /// into it.
    pub packed: Option<Arc<Format>>,
    /// Every access of the right-hand side, in the order of the text. They determine extents, and
    /// include accesses that folding has removed from the value.
    pub accesses: Vec<Access>,
    /// The user functions and constants that the statement may use.
    pub paths: Vec<RustPath>,
    /// The variables that must have at least one coordinate, each with its arg-reduction.
    pub chosen_from: Vec<(VariableId, ReduceOp)>,
    /// The semiring of `+` and `*`.
    pub semiring: Semiring,
    /// The treatment of proven bounds.
    pub bounds: Bounds,
    /// `true` if the outermost loop may run on several threads.
    pub parallel: bool,
    /// `true` if sums may be pushed inwards.
    pub reassociate: bool,
    /// The variable that is divided among the ranks of an MPI program.
    pub distribute: Option<Name>,
    /// The instructions for which the loops are compiled.
    pub simd: Simd,
    /// The warnings that are not reported.
    pub allow: Warnings,
    /// The commands of the schedule.
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
    /// The name in the statement.
    pub name: String,
    /// The identifier of the argument: the name in snake case, with `r#` before a keyword.
    pub argument: String,
    /// The storage format, which has the order of the tensor.
    pub format: Arc<Format>,
    /// The element type.
    pub dtype: Dtype,
    /// `true` for a scalar, which is passed and returned by value.
    pub by_value: bool,
    /// `true` if only the structure is stored, and each entry has the value 1.
    pub pattern: bool,
    /// `true` for a temporary of which an element may be infinite although no element of an argument
    /// is.
    pub may_be_infinite: bool,
    /// The role in the kernel.
    pub role: TensorRole,
    /// The first place in the statement.
    pub span: Span,
}

/// A variable that indexes tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the statement.
    pub name: String,
    /// The extent.
    pub extent: Extent,
    /// The role in the kernel.
    pub role: VariableRole,
    /// The index that the variable represents, `i / 2`, if the statement does not name the variable.
    pub expression: Option<String>,
}

/// The number of coordinates of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// That of the modes that it indexes.
    OfModes,
    /// The one that the manifest's `sizes` declare.
    Declared(u64),
    /// None: its coordinates are the elements of lists, whatever they are.
    Unbounded,
}

impl Variable {
    /// Returns the extent that the manifest declares.
    pub fn declared_size(&self) -> Option<u64> {
        match self.extent {
            Extent::Declared(size) => Some(size),
            Extent::OfModes | Extent::Unbounded => None,
        }
    }
}

/// `result = value`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The result.
    pub result: Access,
    /// The value.
    pub value: Expr,
}

/// `A[i,j]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorId,
    /// The index variable of each mode.
    pub indices: Vec<VariableId>,
}

/// An expression in canonical form: constants are folded, and sums are explicit. The constructors
/// keep it in this form, so that no pass needs to restore it.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// `2`
    Literal(Literal),
    /// `crate::ops::ZERO`
    Constant(PathId),
    /// `A[i,j]`
    Access(Access),
    /// `i`, as a value.
    Index(VariableId),
    /// A parameter, as a value.
    Parameter(TensorId),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b`, a sum, difference, product or quotient.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `sqrt(a)`, `a < b`
    Call(Function, Vec<Expr>),
    /// `sum[i](a)`
    Reduce(Reduce),
}

/// `sum[i, j](body)`
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// The operator that combines values.
    pub op: ReduceOp,
    /// The bound variables.
    pub variables: Vec<VariableId>,
    /// The operand.
    pub body: Box<Expr>,
    /// The type of an operand that has none of its own, unless it is that of the result.
    pub dtype: Option<Dtype>,
}

impl Kernel {
    /// Returns the tensor with this id.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// Returns the fill value of a tensor, which is the zero of the semiring unless that is the
    /// usual one.
    pub fn fill(&self, id: TensorId) -> Expr {
        Expr::Literal(self.fill_value(id))
    }

    /// Returns the fill value of a tensor as a literal of the semiring.
    pub fn fill_value(&self, id: TensorId) -> Literal {
        match self.semiring.is_usual() {
            true => self.tensor(id).format.fill,
            false => Literal::Int(0),
        }
    }

    /// Returns the distinct accesses in a value of tensors that may have no entry at a coordinate.
    pub fn sparse_accesses<'e>(&self, value: &'e Expr) -> Vec<&'e Access> {
        let mut sparse: Vec<&Access> = Vec::new();
        value.for_each_access(&mut |access| {
            let mut parts = access.indices.iter().filter_map(|v| self.variable(*v).role.slice());
            let is_sparse = self.tensor(access.tensor).format.is_sparse();
            if (is_sparse || parts.any(|part| self.may_leave(part))) && !sparse.contains(&access) {
                sparse.push(access);
            }
        });
        sparse
    }

    /// Returns a value where no sparse tensor has an entry.
    pub fn without_entries(&self, value: &Expr) -> Expr {
        let is_sparse = |access: &Access| self.tensor(access.tensor).format.is_sparse();
        value.substitute(&|access| is_sparse(access).then(|| self.fill(access.tensor)))
    }

    /// Returns whether a value is known to be zero where no sparse tensor has an entry.
    pub fn vanishes(&self, value: &Expr) -> bool {
        self.without_entries(value).is_zero()
    }

    /// Returns whether a value is known to be zero where one operand or workspace has no entry.
    pub fn vanishes_without(&self, access: &Access, value: &Expr) -> bool {
        let fill = |other: &Access| (other == access).then(|| self.fill(access.tensor));
        value.substitute(&fill).is_zero()
    }

    /// Returns the variable with this id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// Returns whether the extent of a variable is declared.
    pub fn is_declared(&self, id: VariableId) -> bool {
        self.variable(id).declared_size().is_some()
    }

    /// Returns the type of an expression, or `None` if it depends on the context.
    pub fn dtype_of(&self, expr: &Expr) -> Option<Dtype> {
        expr.dtype(self.result(), &|tensor| self.tensor(tensor).dtype)
    }

    /// Returns whether a value may be infinite although no element of an argument is.
    pub fn may_be_infinite(&self, value: &Expr) -> bool {
        value.may_be_infinite(&|tensor| self.tensor(tensor).may_be_infinite)
    }

    /// Records whether a temporary that holds a value may be infinite.
    pub fn note_infinities(&mut self, temporary: TensorId, value: &Expr) {
        let is_integer = self.tensor(temporary).dtype.is_integer();
        self.tensors[temporary.0].may_be_infinite = !is_integer && self.may_be_infinite(value);
    }

    /// Returns whether the kernel updates an existing result.
    pub fn is_update(&self) -> bool {
        self.previous().is_some() || self.in_place || self.is_partial()
    }

    /// Returns whether the kernel assigns a part of the result and keeps the rest.
    pub fn is_partial(&self) -> bool {
        let mut indices = self.assignment.result.indices.iter();
        indices.any(|v| self.variable(*v).role.slice().is_some())
    }

    /// Returns the tensor of the result.
    pub fn result(&self) -> TensorId {
        self.assignment.result.tensor
    }
}
