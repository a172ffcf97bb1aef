//! The imperative intermediate representation between lowering and Rust source.
//!
//! One variant per Rust construct and nothing sparse: loops, conditions, scalars and arrays.
//! Expressions are pure and built by folding constructors, so `0 * n + i` never exists; effects
//! are statements. Whoever reads this module needs to know nothing about levels or lattices.

mod display;
mod fold;
#[cfg(any(test, feature = "interpret"))]
pub mod interpret;
#[cfg(test)]
pub(crate) mod samples;
mod walk;

pub use fold::does_nothing;
pub use walk::{Uses, substitute};

pub use crate::types::{Dtype, Literal, Width};

/// A generated file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The manifest's file name, such as `kernels.toml`; never a path.
    pub manifest: String,
    /// The generator's version.
    pub version: String,
    /// The formats that have types of their own.
    pub formats: Vec<FormatDeclaration>,
    /// The kernels, in the order of the manifest.
    pub functions: Vec<Function>,
}

/// A format with a type of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatDeclaration {
    /// The type with its parameters, such as `Blocks4` or `BigCoo<const N: usize>`.
    pub name: String,
    /// Documentation of the type, markdown, one line an element.
    pub docs: Vec<String>,
    /// What the type is.
    pub kind: FormatKind,
}

/// What the type of a declared format is.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatKind {
    /// Another name for a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
    /// A marker type.
    Marker {
        /// The format's name in the manifest, such as `blocks4`.
        key: String,
        /// The number of modes.
        order: usize,
        /// The storage levels, outermost first.
        levels: Vec<LevelDeclaration>,
    },
}

/// A level of a declared format, as the runtime crate's `LevelMap` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelDeclaration {
    /// The dimension that the level stores, counted from 0.
    pub dimension: usize,
    /// The level's name in a format map, such as `compressed`.
    pub level: String,
    /// The properties that the map sets on it, such as `nonunique`.
    pub properties: Vec<String>,
    /// The type of the level's storage, such as `sparsegen::level::Compressed<u32, u32>`.
    pub storage: String,
}

/// A generated kernel: what its signature, its checks and its documentation say, and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The kernel's name, a Rust identifier in snake case.
    pub name: String,
    /// Documentation of the public function, markdown, one line an element.
    pub docs: Vec<String>,
    /// The operands, in the order of the arguments.
    pub operands: Vec<Operand>,
    /// The extents that the body reads or that must agree, each with every mode that has it.
    pub sizes: Vec<Size>,
    /// What the kernel computes.
    pub result: Result,
    /// Whether indices that validation proves are emitted without a check.
    pub bounds: Bounds,
    /// The loops.
    pub body: Vec<Stmt>,
}

/// Whether array accesses that validation proves are checked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bounds {
    /// No check where a tensor's validity proves the bound.
    #[default]
    Proven,
    /// No `unsafe` in the generated code at all.
    Checked,
}

/// An argument that the body reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A tensor, borrowed as a view.
    Tensor(TensorOperand),
    /// A scalar, passed by value; the body reads it as a variable of this name.
    Scalar {
        /// The argument's identifier.
        name: String,
        /// Its type.
        dtype: Dtype,
    },
}

/// A tensor that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorOperand {
    /// The argument's identifier, such as `a` or `r#type`.
    pub name: String,
    /// The tensor's name in the manifest, such as `A`, for messages.
    pub tensor: String,
    /// The type of its values.
    pub dtype: Dtype,
    /// The Rust type of its format marker, such as `Csr` or `Dense<2>`, in scope where the code is
    /// emitted.
    pub format: String,
    /// The arrays that the body reads, in storage order, values last.
    pub arrays: Vec<Array>,
}

/// An array and where it is found in its tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The variable that the body uses, such as `a2_crd`.
    pub name: String,
    /// What it holds.
    pub element: Element,
    /// Where it is found.
    pub place: Place,
}

/// Where an array lives within a tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The values.
    Values,
    /// A field of a level's storage: `levels().LEVEL.field`.
    Level {
        /// Which level, counted from 0.
        level: usize,
        /// The field's name, such as `crd`.
        field: String,
    },
}

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Positions or coordinates: loads widen them to `usize`, pushes and stores narrow.
    Index(Width),
    /// Values.
    Value(Dtype),
}

/// An extent: `i_size`, and the modes that must have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The variable that the body uses, such as `i_size`.
    pub name: String,
    /// The index variable, for messages.
    pub variable: String,
    /// The extent demanded by the manifest's `sizes`, if any.
    pub constant: Option<u64>,
    /// The operands' modes of this extent: (index into `operands`, mode). Never empty unless the
    /// result alone gives the size.
    pub operands: Vec<(usize, usize)>,
    /// The result's modes of this extent.
    pub result: Vec<usize>,
    /// Whether the body reads the variable.
    pub used: bool,
}

/// What a kernel returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Result {
    /// A plain value: the expression after the body.
    Scalar {
        /// Its type.
        dtype: Dtype,
        /// The value, in terms of the body's variables.
        value: Expr,
    },
    /// A tensor.
    Tensor(TensorResult),
}

/// A tensor that is written.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorResult {
    /// The argument's identifier.
    pub name: String,
    /// The tensor's name in the manifest, for messages.
    pub tensor: String,
    /// The type of its values.
    pub dtype: Dtype,
    /// The Rust type of its format marker.
    pub format: String,
    /// The extent of each mode: index into [`Function::sizes`].
    pub shape: Vec<usize>,
    /// How its arrays come to be.
    pub assembly: Assembly,
}

/// How a result comes to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Assembly {
    /// Every level is there beforehand: the body stores into `vals`, a mutable slice.
    Computed {
        /// The values.
        vals: Array,
        /// Whether the body relies on values that are zero at first, because it accumulates or does
        /// not store to all of them.
        zeroed: bool,
    },
    /// The body fills vectors, starting from whatever they held.
    Assembled {
        /// The vectors, in storage order, values last.
        arrays: Vec<Array>,
        /// What must fit its width before the vectors become a tensor: each vector of positions.
        /// Coordinates fit, because the extents of a tensor that exists do.
        fits: Vec<Fit>,
    },
}

/// Positions that must fit their width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The vector that holds them, such as `c2_pos`.
    pub array: String,
    /// The vector whose length is the largest of them, such as `c2_crd`.
    pub length_of: String,
    /// What they are, for messages: `positions of level 2`.
    pub what: String,
}

/// An expression without effects. Index arithmetic is in `usize`; values are of a [`Dtype`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum Expr {
    /// An index.
    Index(usize),
    /// A constant of an element type.
    Value(Literal, Dtype),
    Bool(bool),
    Var(String),
    /// `array[index]`; an index element is widened to `usize`.
    Load {
        array: String,
        index: Box<Expr>,
    },
    /// `array.len()`.
    Len(String),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum UnaryOp {
    Neg,
    Not,
    /// `usize::from(bool)`, for advancing by a flag.
    FromBool,
}

/// An operation on two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
}

impl BinaryOp {
    /// Whether both operands and the result are numbers.
    pub fn is_arithmetic(self) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max => true,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::And
            | BinaryOp::Or => false,
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum Stmt {
    /// A comment line, in words of the tensors.
    Comment(String),
    /// `let name = value;` or `let mut name = value;`
    Let { name: String, mutable: bool, value: Expr },
    /// `name = value;` or `name op= value;`
    Assign { name: String, op: Option<BinaryOp>, value: Expr },
    /// `array[index] = value;` or `array[index] op= value;`
    Store { array: String, index: Expr, op: Option<BinaryOp>, value: Expr },
    /// `array.clear();`
    Clear { array: String },
    /// `array.reserve(additional);`
    Reserve { array: String, additional: Expr },
    /// `array.push(value);`, narrowing an index.
    Push { array: String, value: Expr },
    /// `array.resize(len, value);`, narrowing an index.
    Resize { array: String, len: Expr, value: Expr },
    /// `for name in start..end { body }`
    For { name: String, start: Expr, end: Expr, body: Vec<Stmt> },
    /// `while condition { body }`
    While { condition: Expr, body: Vec<Stmt> },
    /// `if … { … } else if … { … } else { … }`; at least one arm.
    If { arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Vec<Stmt> },
}
