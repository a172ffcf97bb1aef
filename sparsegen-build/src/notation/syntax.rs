//! The syntax tree of a statement: every node has a place, and names are not resolved.

mod display;

use crate::coordinate::Affine;
use crate::error::{Name, Span};

use super::schedule;

pub use crate::manifest::tokens::Number;
pub use crate::operator::{BinaryOp, UnaryOp};

/// `access assign expr`
#[derive(Clone, Debug)]
pub struct Statement {
    /// The result.
    pub left: Access,
    /// The operator that combines the value with the contents of the result; `None` for `=`.
    pub update: Option<BinaryOp>,
    /// The place of the assignment operator.
    pub assign_span: Span,
    /// The value.
    pub right: Expr,
    /// The place of the whole statement.
    pub span: Span,
    /// The commands of its schedule; `None` for a command with errors.
    pub schedule: Vec<Option<Command>>,
    /// The variable whose coordinates are divided among ranks: of the key or of the command.
    pub distribute: Option<Name>,
    /// The variables that represent indices which are expressions, and the expressions.
    pub computed: Vec<(String, String)>,
}

/// A parsed command of a schedule.
pub type Command = schedule::Command<Name, Name, Expr>;

/// `A[i,j]`, or a bare name, which may be a scalar, a variable or a parameter.
#[derive(Clone, Debug)]
pub struct Access {
    /// The tensor's name.
    pub name: Name,
    /// The indices between the brackets; empty without brackets.
    pub indices: Vec<Index>,
    /// The place of the name and the brackets.
    pub span: Span,
}

/// The index of one mode of an access.
#[derive(Clone, Debug)]
pub struct Index {
    /// The kind of index.
    pub kind: IndexKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of index.
#[derive(Clone, Debug)]
pub enum IndexKind {
    /// A bare name: a variable, or a parameter for a fixed coordinate.
    Name(Name),
    /// `i in 2..12 step 2 shift 1`: a variable over a slice of the mode.
    Slice(Slice),
    /// `i in {2, 3}` or `i in rows`: a variable over listed coordinates.
    Set(Name, Set),
    /// `3`
    Fixed(i64),
    /// `2*i + k - 1`
    Affine(Affine<Name>),
    /// `word[i]`
    Gather(Access),
    /// `i / 2`: any other expression.
    Computed(Box<Expr>),
}

/// `i in 2..12 step 2 shift 1`
#[derive(Clone, Debug)]
pub struct Slice {
    /// The variable that ranges over the slice.
    pub variable: Name,
    /// The first coordinate.
    pub start: Bound,
    /// The coordinate after the last one.
    pub end: Bound,
    /// The distance of consecutive coordinates, if given.
    pub step: Option<i64>,
    /// The offset of the coordinates, if given.
    pub shift: Option<i64>,
}

/// The begin or the end of a slice.
#[derive(Clone, Debug)]
pub enum Bound {
    /// `2`
    Number(i64),
    /// `n`
    Parameter(Name),
}

/// The coordinates of an index set.
#[derive(Clone, Debug)]
pub enum Set {
    /// `{2, 3}`
    Listed(Vec<i64>),
    /// `rows`
    Parameter(Name),
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The place, including parentheses.
    pub span: Span,
    /// The depth of nested operations, including its own.
    pub depth: usize,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `2` or `0.5`
    Number(Number),
    /// `pi`
    Constant(Constant),
    /// `A[i,j]` or a bare name.
    Access(Access),
    /// `-a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, and the place of the operator.
    Binary(BinaryOp, Span, Box<Expr>, Box<Expr>),
    /// `f(a, b)`, of a function or a type.
    Call(Name, Vec<Expr>),
    /// `sum[i, j](a)`: the reduction, its variables, its body.
    Reduce(Name, Vec<Name>, Box<Expr>),
}

/// A named constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// Infinity.
    Inf,
    /// Not a number.
    Nan,
    /// The number π.
    Pi,
    /// The truth value.
    True,
    /// The truth value.
    False,
}

impl Slice {
    /// Returns the parameters among its bounds.
    pub fn parameters(&self) -> impl Iterator<Item = &Name> {
        [&self.start, &self.end].into_iter().filter_map(|bound| match bound {
            Bound::Number(_) => None,
            Bound::Parameter(name) => Some(name),
        })
    }
}

impl Index {
    /// Calls `visit` with every name that may be a variable or a fixed coordinate, including those
    /// in gathers, in the order of the text.
    pub fn for_each_variable<'s>(&'s self, visit: &mut dyn FnMut(&'s Name)) {
        match &self.kind {
            IndexKind::Name(name) | IndexKind::Set(name, _) => visit(name),
            IndexKind::Slice(slice) => visit(&slice.variable),
            IndexKind::Fixed(_) => {}
            IndexKind::Affine(sum) => sum.variables().for_each(visit),
            IndexKind::Gather(access) => access.for_each_variable(visit),
            IndexKind::Computed(expr) => {
                expr.for_each_access(&mut |access| match &access.indices[..] {
                    [] => visit(&access.name),
                    _ => access.for_each_variable(visit),
                });
            }
        }
    }
}

impl Access {
    /// Calls `visit` with every name that may be a variable or a fixed coordinate, including those
    /// in gathers, in the order of the text.
    pub fn for_each_variable<'s>(&'s self, visit: &mut dyn FnMut(&'s Name)) {
        for index in &self.indices {
            index.for_each_variable(visit);
        }
    }
}

impl Access {
    /// Calls `visit` with every name that may be a parameter, including those in gathers, in the
    /// order of the text.
    pub fn for_each_bound<'s>(&'s self, visit: &mut dyn FnMut(&'s Name)) {
        for index in &self.indices {
            match &index.kind {
                IndexKind::Name(name) | IndexKind::Set(_, Set::Parameter(name)) => visit(name),
                IndexKind::Slice(slice) => slice.parameters().for_each(&mut *visit),
                IndexKind::Affine(sum) => sum.variables().for_each(&mut *visit),
                IndexKind::Gather(access) => access.for_each_bound(visit),
                IndexKind::Computed(expr) => {
                    expr.for_each_access(&mut |access| access.for_each_bound(visit));
                }
                IndexKind::Set(_, Set::Listed(_)) | IndexKind::Fixed(_) => {}
            }
        }
    }

    /// Calls `visit` with every gather in this access, including nested ones.
    pub fn for_each_gather<'s>(&'s self, visit: &mut dyn FnMut(&'s Access)) {
        for index in &self.indices {
            if let IndexKind::Gather(access) = &index.kind {
                visit(access);
                access.for_each_gather(visit);
            }
        }
    }
}

impl Expr {
    /// Returns the direct subexpressions.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Access(_) => Vec::new(),
            ExprKind::Unary(_, a) | ExprKind::Reduce(_, _, a) => vec![a],
            ExprKind::Binary(_, _, a, b) => vec![a, b],
            ExprKind::Call(_, arguments) => arguments.iter().collect(),
        }
    }

    /// Calls `visit` with this expression and all its subexpressions, in the order of the text.
    pub fn for_each<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        visit(self);
        for child in self.children() {
            child.for_each(visit);
        }
    }

    /// Calls `visit` with every access, in the order of the text.
    pub fn for_each_access<'s>(&'s self, visit: &mut impl FnMut(&'s Access)) {
        self.for_each(&mut |expr| {
            if let ExprKind::Access(access) = &expr.kind {
                visit(access);
            }
        });
    }
}
