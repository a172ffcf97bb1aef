//! Entry points: functions that check arguments, convert operands, own results and call the loops.

use super::{Array, Dtype, Element, Expr, Function, Instruction, List, Place, Trait};

/// A function that calls loops or other entry points.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name, a Rust identifier in snake case.
    pub name: String,
    /// The name of its kernel in messages.
    pub kernel: String,
    /// Documentation in Markdown, by lines.
    pub docs: Vec<String>,
    /// `true` if the function is public.
    pub is_public: bool,
    /// The trait bounds of the type parameter of elements; empty if there is no such parameter.
    pub traits: Vec<Trait>,
    /// The arguments.
    pub parameters: Vec<Parameter>,
    /// The types of the values that it returns in addition to errors.
    pub returns: Vec<Type>,
    /// The instructions.
    pub body: Vec<Instruction>,
}

/// A function with loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops {
    /// Its name.
    pub name: String,
    /// Documentation.
    pub docs: Vec<String>,
    /// The arguments.
    pub parameters: Vec<Parameter>,
    /// The variables that the body uses in addition to the parameters.
    pub head: Vec<Binding>,
    /// The working memory that the loops keep for later calls.
    pub kept: Option<Kept>,
    /// The returned values and their types.
    pub returns: Vec<(Type, Expr)>,
    /// All extents in terms of the caller's tensors; bounds may mention those that the body does not read.
    pub extents: Vec<(String, Expr)>,
    /// The loops.
    pub function: Function,
}

/// The working memory of loops that outlives a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The parameter from which the memory is taken, and to which it returns at the end.
    pub by: String,
    /// The workspaces, places and local vectors, which are declared by statements of the body.
    pub names: Vec<String>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its identifier, or `_`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The type of an argument or of a returned value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `Tensor<f64, Csr>`
    Tensor(TensorType),
    /// `&Tensor<f64, Csr>`
    TensorRef(TensorType),
    /// `&mut Tensor<f64, Csr>`
    TensorMut(TensorType),
    /// `impl IntoView<'a, f64, Csr>`
    IntoView(TensorType),
    /// `View<'_, f64, Csr>`
    View(TensorType),
    /// `f64`
    Scalar(Dtype),
    /// `&mut f64`
    ScalarMut(Dtype),
    /// `bool`
    Bool,
    /// `usize`
    Index,
    /// `&[u32]`
    Slice(Element),
    /// `&mut [f64]`
    SliceMut(Element),
    /// `&mut Vec<u32>`
    Vector(Element),
    /// `&kernel::Division`
    Division,
    /// `&Workspaces`
    Workspaces,
    /// `&mut Workspaces`
    WorkspacesMut,
}

/// The type of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// The type of its values.
    pub dtype: Dtype,
    /// `true` if it stores no values; the value of every entry is 1.
    pub pattern: bool,
    /// The Rust type of its format.
    pub format: String,
}

/// A variable at the start of a function with loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Meaning,
    /// `true` if its elements are accessed without bounds checks.
    pub is_unchecked: bool,
}

/// The value of a variable of a function with loops.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A number: `a.shape()[0]`.
    Number(Expr),
    /// An extent of a level: `a.levels().1.width`.
    Extent(String, Place),
    /// An array of a tensor: `a.levels().1.crd`.
    Array(String, Array),
    /// A list of coordinates.
    List(List),
    /// The parameter of this name.
    Argument {
        /// `true` if its elements are written.
        is_mutable: bool,
    },
}
