//! The imperative intermediate representation between lowering and Rust source.
//!
//! One variant per Rust construct and nothing sparse: loops, conditions, scalars and arrays.
//! Expressions are pure and built by folding constructors, so `0 * n + i` never exists; effects
//! are statements. Whoever reads this module needs to know nothing about levels or lattices.

mod bound;
mod demand;
mod display;
mod fold;
mod function;
#[cfg(any(test, feature = "interpret"))]
pub mod interpret;
mod module;
mod part;
pub(crate) mod precedence;
mod rename;
mod results;
#[cfg(test)]
pub(crate) mod samples;
mod several;
mod traits;
mod walk;

pub use bound::{Bound, Ground, Unchecked};
pub use demand::Demand;
pub use fold::does_nothing;
pub use function::{
    Array, Bounds, Conversion, Element, Extent, Function, Operand, Parallel, Place, Size, Source,
    TensorOperand, Unroll,
};
pub use module::{FormatDeclaration, FormatKind, LevelDeclaration, Module};
pub use part::{Gather, Limit, List, Part, Reads};
pub use results::{Assembly, Combining, Cover, Fit, Result, TensorResult, UpdatedScalar};
pub use several::{Callers, Group, Kernel, Several, Shared, Step, needed, read};
pub use traits::Trait;
pub use walk::{Uses, substitute};

pub use crate::math;
pub use crate::types::{Dtype, Literal, Width};

/// An expression without effects. Index arithmetic is in `usize`, that of differences of indices in
/// `isize`; values are of a [`Dtype`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum Expr {
    /// An index.
    Index(usize),
    /// A constant of an element type.
    Value(Literal, Dtype),
    /// `crate::ops::ZERO`, of an element type.
    Constant(String, Dtype),
    Bool(bool),
    /// The largest index of a width, `u32::MAX`, widened to `usize`: what marks an empty slot.
    Largest(Width),
    Var(String),
    /// `array[index]`; an index element is widened to `usize`, or `isize` if it is signed.
    Load {
        array: String,
        index: Box<Expr>,
    },
    /// `array.len()`.
    Len(String),
    /// `kernel::search(&array, start..end, index)`: the first of these positions whose element is not
    /// below an index; `end` where all are. The elements there are in order.
    Search {
        array: String,
        start: Box<Expr>,
        end: Box<Expr>,
        index: Box<Expr>,
    },
    /// `(a, b)`, of indices.
    Pair(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a.sqrt()`, `crate::ops::relu(a)`, of arguments of a type.
    Call(Callee, Dtype, Vec<Expr>),
    /// `a as f32`, from a type, or from an index.
    Cast {
        value: Box<Expr>,
        from: Option<Dtype>,
        to: Dtype,
    },
    /// `if condition { holds } else { otherwise }`
    Choose {
        condition: Box<Expr>,
        holds: Box<Expr>,
        otherwise: Box<Expr>,
    },
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of numbers.
    Math(math::Function),
    /// What has this path in Rust: a function from values of one type to a value of that type.
    Path(String),
    /// `division.quotient(a, b)`, of integers: an error of the call where `b` is 0.
    Quotient,
    /// `division.remainder(a, b)`, of integers: an error of the call where `b` is 0.
    Remainder,
}

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum UnaryOp {
    Neg,
    Not,
    /// `usize::from(bool)`, for advancing by a flag.
    FromBool,
    /// `a.min(0).unsigned_abs()`: how far a signed index lies below zero, as an index.
    BelowZero,
    /// `pair.0`
    First,
    /// `pair.1`
    Second,
}

/// An operation on two operands, of one type but for [`BinaryOp::Offset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// `a.div_ceil(b)`, of indices.
    DivCeil,
    /// `a.saturating_add(b)`, of indices.
    SaturatingAdd,
    /// `a.saturating_sub(b)`, of indices.
    SaturatingSub,
    /// `a.wrapping_add_signed(b)`: an index and a signed index make an index, which lies within
    /// bounds although what it is computed from may not.
    Offset,
    /// `a as isize - b as isize`: two indices make a signed index.
    Difference,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
    /// `a & b`, of integers.
    BitAnd,
    /// `a | b`, of integers.
    BitOr,
    /// `a ^ b`, of integers or of conditions.
    Xor,
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
            | BinaryOp::DivCeil
            | BinaryOp::SaturatingAdd
            | BinaryOp::SaturatingSub
            | BinaryOp::Offset
            | BinaryOp::Difference
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::BitAnd
            | BinaryOp::BitOr => true,
            BinaryOp::Xor
            | BinaryOp::Eq
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
    /// `let mut name = Vec::new();`, a vector that the body alone knows.
    Scratch { name: String, element: Element },
    /// `array.sort_unstable();`
    Sort { array: String },
    /// `let mut name = Workspace::<dtype, crd>::new(size);`, which is stored to like an array of
    /// `size` zeros, or of another initial value, and remembers where.
    Workspace { name: String, dtype: Dtype, crd: Width, size: Expr, initial: Expr },
    /// `let (crd, vals) = workspace.harvest();`: where was stored to, in order, and what; from here
    /// on the workspace holds zeros again. Without `vals` only where.
    Harvest { workspace: String, crd: String, vals: Option<String> },
    /// `array.clear();`
    Clear { array: String },
    /// `array.reserve(additional);`: no more than that is appended from here on.
    Reserve { array: String, additional: Expr },
    /// `array.push(value);`, narrowing an index.
    Push { array: String, value: Expr },
    /// `array.resize(len, value);`, narrowing an index. Of bits, `len` is how many there are and
    /// `value` is false.
    Resize { array: String, len: Expr, value: Expr },
    /// `if condition { return false; }`: the function's answer is no.
    Refuse { condition: Expr },
    /// `break;`
    Break,
    /// `for name in start..end { body }`
    For { name: String, start: Expr, end: Expr, body: Vec<Stmt> },
    /// `while condition { body }`
    While { condition: Expr, body: Vec<Stmt> },
    /// `if … { … } else if … { … } else { … }`; at least one arm.
    If { arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Vec<Stmt> },
}
