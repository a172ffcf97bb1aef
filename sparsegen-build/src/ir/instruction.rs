//! The instructions of entry points.

mod join;
mod names;

pub use join::{Join, Joined, Joining, Ordered, Own, Share, Tables};

use super::{
    Array, Combining, Count, Cover, Divided, Dtype, Element, Expr, Intervals, List, TensorType,
};

/// An instruction of an entry point. Errors are returned to the caller.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the parts of the Rust code that each comment shows")]
pub enum Instruction {
    /// Ignores an argument: `let _ = a;`
    Ignore(String),
    /// Creates views of arguments: `let (a, x) = (a.into_view()?, x.into_view()?);`
    View(Vec<String>),
    /// Returns an error if a condition does not hold; messages name the kernel.
    Check(Check),
    /// Defines a number: `let i_size = y.shape()[0];`
    Let { name: String, value: Expr },
    /// Converts a tensor to another format: `let a_csc = a.to::<Csc>()?;`
    Convert { name: String, of: String, ty: TensorType },
    /// Marks repeated coordinates: `let last = kernel::last_of_each(rows);`
    LastOfEach { name: String, of: String },
    /// Inverts a list, whose coordinates are below an extent:
    /// `let cols_inverse = kernel::inverse(cols.iter().copied(), a.shape()[1])?;`
    Invert { name: String, of: Listing, extent: Expr, ty: TensorType },
    /// Records divisions by zero: `let division = kernel::Division::default();`
    Divide(String),
    /// Creates working memory for one call: `let workspaces = Workspaces::new();`
    Workspaces { name: String, is_mutable: bool },
    /// Creates a tensor without entries: `let mut y = Tensor::zeros([a.shape()[0]])?;`
    New { name: String, ty: TensorType, shape: Shape },
    /// Copies a tensor: `let mut unpacked = y.clone();`
    Copy { name: String, of: String },
    /// Sets all values: `y.vals_mut().fill(0.0);`
    Fill { values: Argument, value: Expr },
    /// Takes the storage of a tensor, which is left empty.
    Take { of: Taken, storage: Storage },
    /// Borrows the structure and the values: `let (levels, vals) = y.structure_and_vals();`
    Borrow { of: String, storage: Storage },
    /// Assembles a tensor from storage, with validation if `is_checked` is `true`.
    Assemble { into: Assembled, storage: Storage, is_checked: bool },
    /// Records what has determined the structure of a result:
    /// `kernel::derive(c, (module_path!(), "spgemm", "C"), &[&a, &b]);`
    Derive(Derivation),
    /// Finds out whether results have the structure that the kernel would compute:
    /// `let is_known = kernel::is_derived(c, (module_path!(), "spgemm", "C"), &[&a, &b]);`
    Derived { name: String, all: Vec<Derivation> },
    /// Replaces a tensor by a separate result: `*y = unpacked.to()?;`
    Put { into: String, value: Replacement },
    /// Divides a range into parts of equal work:
    /// `let parts = kernel::parts(n, |i| i + a.levels().1.pos[i] as usize);` The parts may
    /// have copies of tensors, or other arrays of given lengths. Each begins at a multiple of `block`.
    Parts {
        name: String,
        range: Box<Divided<(String, Array)>>,
        block: Expr,
        copies: Vec<String>,
        lengths: Vec<Expr>,
        count: Count,
    },
    /// Calls loops for each part of a range, each with its part of the values.
    Split { parts: Parts, tensor: String, vals: String, call: Call },
    /// Calls loops for each part of a range of positions, each with the values at the coordinates of
    /// its positions.
    SplitIntervals {
        parts: Parts,
        tensor: String,
        vals: String,
        /// The name of the coordinates of a part.
        own: String,
        /// The name of a position.
        variable: String,
        intervals: Box<Intervals<(String, Array)>>,
        call: Call,
    },
    /// Calls loops for each part of a range, and joins what they have stored.
    Join(Join),
    /// Computes values, and declares variables or sets extents of levels.
    Run { into: Vec<Target>, value: Value },
    /// Updates a scalar: `*t += value;`
    Change { name: String, is_reference: bool, adds: bool, value: Value },
    /// Replaces the values of a tensor by those of another tensor of the same structure.
    Replace { into: String, by: String, tensor: String },
    /// Returns values.
    Return(Vec<Value>),
}

/// The derivation of a structure: the kernel that computes it, and the operands that determine it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The result.
    pub result: String,
    /// Its name in the statement.
    pub tensor: String,
    /// The operands: arguments, or views of other results.
    pub operands: Vec<Argument>,
}

/// The coordinates that an instruction inverts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A list of indices.
    Indices(String),
    /// The values of a tensor.
    Values(String),
}

impl Listing {
    /// Returns the name of the list or the tensor.
    pub fn name(&self) -> &str {
        match self {
            Listing::Indices(name) | Listing::Values(name) => name,
        }
    }
}

/// A condition on the arguments.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the arguments of the function of the runtime crate")]
pub enum Check {
    /// The modes of a variable have the same extent.
    Agree { variable: String, modes: Vec<Mode> },
    /// The modes of a variable have this extent.
    Demand { variable: String, extent: u64, modes: Vec<Mode> },
    /// The range of an arg-reduction is not empty.
    Choice { reduction: String, variable: String, extent: Expr },
    /// A product of extents fits in `usize`, and memory for that many elements is available.
    Room { factors: Vec<Expr>, element: Option<Element> },
    /// A coordinate is within a mode.
    Index { mode: Mode, at: Expr },
    /// A range is within a mode.
    Slice { mode: Mode, start: Expr, end: Expr },
    /// The coordinates of a list are within a mode.
    Indices { mode: Mode, list: List },
    /// The elements of a tensor are within a mode. The tensor has the name `by` in messages.
    Gather { mode: Mode, by: String, tensor: String },
    /// The length of a vector fits the width of positions.
    Fits { width: Element, tensor: String, what: String, vector: Vector },
    /// No integer was divided by zero.
    Division(String),
    /// The loops found the structure that they compute values for.
    Known { answer: Value, tensors: String },
    /// The checks of another entry point.
    Entry(Call),
}

/// A mode of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The name of the tensor or the access in messages.
    pub tensor: String,
    /// The mode.
    pub mode: usize,
    /// The extent.
    pub extent: Expr,
}

/// The shape of a new tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The extents of its modes.
    Extents(Vec<Expr>),
    /// The shape of another tensor.
    Of(String),
}

/// A tensor whose storage is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The tensor of the caller.
    Caller(String),
    /// A new tensor with the shape of another one.
    New {
        /// The other tensor.
        like: String,
        /// The type of the new tensor.
        ty: TensorType,
    },
}

/// The names of the storage taken or borrowed from a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The shape.
    pub shape: String,
    /// The levels.
    pub levels: String,
    /// The values.
    pub vals: String,
    /// `true` if the levels are modified.
    pub fills_levels: bool,
}

/// A tensor that is assembled from storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// The tensor of the caller.
    Caller(String),
    /// A separate tensor.
    New {
        /// Its name.
        name: String,
        /// Its type.
        ty: TensorType,
    },
}

/// A tensor that replaces another one.
#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// A tensor of the same type.
    Moved(String),
    /// A tensor that is packed; duplicates are combined, or added without a combining function.
    Packed(String, Option<Box<Combining>>),
    /// A tensor that is packed together with the entries of the old tensor outside of a slice.
    Covered(String, Option<Box<Combining>>, Box<Cover>),
}

/// The names of the parts of a range, and of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// All parts.
    pub all: String,
    /// One part.
    pub one: String,
}

/// A vector of storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vector {
    /// `vals`
    Values(String),
    /// `levels.1.crd`
    Field(Field),
}

/// A field of a level: `levels.1.crd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the levels.
    pub levels: String,
    /// The level.
    pub level: usize,
    /// The field.
    pub field: String,
}

/// The destination of a computed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `let name`
    Let {
        /// The name.
        name: String,
        /// `true` if it is assigned again.
        is_mutable: bool,
    },
    /// `levels.1.width`
    Field(Field),
}

/// One or several values.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the parts of the Rust code that each comment shows")]
pub enum Value {
    /// `s`
    Name(String),
    /// `*s`
    Deref(String),
    /// `spmv_kernel(y.vals_mut(), a, x)`
    Call(Call),
    /// `if is_known { known_kernel(…) } else { compute_kernel(…) }`
    Either { condition: String, holds: Call, otherwise: Call },
    /// `sum.sqrt()`, of this type.
    Computed(Expr, Dtype),
    /// The values that loops return for the parts of a range, combined in order.
    Total(Parts, Call, Vec<Combining>),
}

/// A call of loops or of an entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// `true` if it may return an error.
    pub is_fallible: bool,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `a`
    Name(String),
    /// `*t`
    Deref(String),
    /// `&division`
    Ref(String),
    /// `&mut y`
    Mut(String),
    /// `a.view()`
    View(String),
    /// `y.vals_mut()`
    Values(String),
    /// `&mut levels.1.crd`
    Vector(Vector),
    /// `levels.1.crd`
    Field(Field),
    /// `part.start`
    Start(String),
    /// `part.end`
    End(String),
}
