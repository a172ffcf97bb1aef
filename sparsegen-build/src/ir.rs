//! The imperative intermediate representation, between lowering and Rust source.
//!
//! Each variant is a Rust construct: loops, conditions, scalars and arrays; nothing is sparse.
//! Expressions have no effects and are built by folding constructors, so that `0 * n + i` never
//! exists; effects are statements. Levels and lattices are not visible here.

mod bodies;
mod bound;
pub mod comment;
mod demand;
mod display;
mod distribution;
mod divided;
mod entry;
mod fold;
mod function;
mod growth;
mod instruction;
#[cfg(any(test, feature = "interpret"))]
pub mod interpret;
mod kernel;
mod module;
mod parallel;
mod part;
mod rearrange;
mod rename;
mod results;
#[cfg(test)]
pub(crate) mod samples;
mod time;
mod traits;
mod uses;
mod walk;

pub use bound::{Bound, Ground, Unchecked};
pub use comment::Comment;
pub use demand::Demand;
pub use distribution::{Contribution, Distribution, Indexed, Scheme};
pub use divided::{Counted, Divided, Divisible, Measure, Steps, Work};
pub use entry::{Binding, Entry, Kept, Loops, Meaning, Parameter, TensorType, Type};
pub use function::{
    Array, Bounds, Conversion, ConversionKind, Element, EntryType, Extent, Function, Given,
    Operand, Place, Simd, Size, Source, TensorOperand, Unroll,
};
pub use instruction::{
    Argument, Assembled, Call, Check, Derivation, Field, Instruction, Join, Joined, Joining,
    Listing, Mode, Ordered, Own, Parts, Replacement, Shape, Share, Storage, Tables, Taken, Target,
    Value, Vector,
};
pub use kernel::{Group, Kernel, Step, may_share};
pub use module::{FormatDeclaration, FormatKind, LevelDeclaration, Module};
pub use parallel::{
    Buckets, ByParent, Contents, Copies, Count, Descent, DescentStep, Intervals, Parallel, Reduced,
    Returned, Traced, key_of,
};
pub use part::{Gather, Limit, List, Part, Reads};
pub use rearrange::Rearrange;
pub use results::{Assembly, Combining, Cover, Fit, Follows, Result, TensorResult, UpdatedScalar};
pub use time::{Factor, Term, Time};
pub use traits::Trait;
pub use uses::{Use, Uses, breaks, for_each_use, leaves};
pub use walk::{replace, substitute};

pub use crate::math;
pub use crate::operator::{BinaryOp, UnaryOp};
pub use crate::types::{Dtype, Literal, Width};

/// An expression without effects. Indices have the type `usize`, differences of indices `isize`;
/// values have a [`Dtype`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum Expr {
    /// A constant index.
    Index(usize),
    /// A constant of an element type.
    Value(Literal, Dtype),
    /// `crate::ops::ZERO`, of an element type.
    Constant(String, Dtype),
    Bool(bool),
    /// The largest index of a width, `u32::MAX`, widened to `usize`; it marks vacant slots.
    Largest(Width),
    /// `isize::MAX`, beyond every signed difference of indices.
    LargestOffset,
    Var(String),
    /// `array[index]`. An index element is widened to `usize`, or to `isize` if it is signed.
    Load {
        array: String,
        index: Box<Expr>,
    },
    /// `workspace.contains(index)`: whether the workspace has an entry at a coordinate.
    Contains {
        workspace: String,
        index: Box<Expr>,
    },
    /// `array.len()`.
    Len(String),
    /// `tensor.shape()[mode]`, in entry points and at the start of functions with loops.
    Extent(String, usize),
    /// `kernel::search(&array, start..end, index)`: the first position in the range whose element
    /// is at least `index`, or `end` if there is none. The elements in the range are sorted. If they
    /// are signed, so is `index`.
    Search {
        array: String,
        start: Box<Expr>,
        end: Box<Expr>,
        index: Box<Expr>,
    },
    /// `(i, j, value)`, which is only pushed to an array of entries.
    Entry(Vec<Expr>),
    /// `entries[p].1`: a field of an element of an array of entries. An index is widened to `usize`.
    Field(Box<Expr>, usize),
    /// An index from a condition or a signed index.
    ToIndex(ToIndex, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a.sqrt()`, `crate::ops::relu(a)`, with the type of the arguments.
    Call(Callee, Dtype, Vec<Expr>),
    /// `a as f32`; the original type is `None` for an index.
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

/// A called function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A mathematical function.
    Math(math::Function),
    /// A function with this path in Rust, from values of one type to a value of that type.
    Path(String),
    /// `division.quotient(a, b)` of integers; the entry point returns an error if `b` is 0.
    Quotient,
    /// `division.remainder(a, b)` of integers; the entry point returns an error if `b` is 0.
    Remainder,
    /// `kernel::repeated(a, n, |a, b| a * b)`: the product of `n` equal factors, where `n` is an
    /// index greater than 0.
    RepeatedOperator(BinaryOp),
    /// `kernel::differs(a, b)`: whether two values differ, where NaN does not differ from NaN.
    Differs,
    /// `kernel::repeated(a, n, path)`: `n` equal values, combined by a function.
    RepeatedPath(String),
}

/// The ways to get an index from another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToIndex {
    /// `usize::from(condition)`
    FromBool,
    /// `a.min(0).unsigned_abs()`: the magnitude of a negative index, and 0 for others.
    BelowZero,
}

/// The error that a level with a fixed number of positions for each parent has no free one.
#[derive(Clone, Debug, PartialEq)]
pub struct Full {
    /// The Rust type of the format marker.
    pub format: String,
    /// The level, starting at 0.
    pub level: usize,
    /// The coordinate of the entry, for each mode.
    pub coordinate: Vec<Expr>,
}

/// The progress of a loop over a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The loop variable.
    pub at: Expr,
    /// The start of the range.
    pub start: Expr,
    /// The end of the range.
    pub end: Expr,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the Rust construct of its name")]
pub enum Stmt {
    /// A comment, or a mark.
    Comment(Comment),
    /// `let name = value;` or `let mut name = value;`
    Let { name: String, mutable: bool, value: Expr },
    /// `name = value;` or `name op= value;`
    Assign { name: String, op: Option<BinaryOp>, value: Expr },
    /// `array[index] = value;` or `array[index] op= value;`
    Store { array: String, index: Expr, op: Option<BinaryOp>, value: Expr },
    /// `let mut name = Vec::new();`, a local vector.
    Scratch { name: String, element: Element },
    /// `let mut name = [initial; len];`, a few elements that rustc keeps in registers.
    Tile { name: String, dtype: Dtype, len: usize, initial: Expr },
    /// `kernel::sort(array);`, of coordinates.
    Sort { array: String },
    /// `let mut name = Workspace::<dtype, crd>::new(size);`, an array of `size` initial values that
    /// records where it is stored to.
    /// Without a size, the values are in a hash table.
    ///
    /// Unless `is_listed`, it is an `Accumulator`, which records nothing: the loops read each value and
    /// replace it by the initial value before they clear the workspace.
    Workspace {
        name: String,
        dtype: Dtype,
        crd: Width,
        size: Option<Expr>,
        initial: Expr,
        is_listed: bool,
    },
    /// `let (crd, vals) = workspace.harvest();`: the coordinates that were stored to, sorted, and
    /// their values, or only the coordinates without `vals`. Resets the workspace to initial
    /// values.
    Harvest { workspace: String, crd: String, vals: Option<String> },
    /// `let mut name = Places::new(size);`, an array of `size` zeros for the positions of coordinates
    /// plus 1.
    Places { name: String, size: Expr },
    /// Moves the elements of arrays together.
    Rearrange(Rearrange),
    /// `array.clear();`
    Clear { array: String },
    /// `kernel::reserve(array, additional);`: at most so many elements are appended afterwards.
    Reserve { array: String, additional: Expr },
    /// `array.push(value);`; an index is narrowed.
    Push { array: String, value: Expr },
    /// `kernel::append(array, of, i, 0..i_size);`: appends the elements of an array of the same type, in
    /// an iteration of the outermost loop, or `array.extend_from_slice(of);` outside of such a loop.
    Extend { array: String, of: String, within: Option<Progress> },
    /// `array.resize(len, value);`; an index is narrowed. For bits, `len` is their number and
    /// `value` is false.
    Resize { array: String, len: Expr, value: Expr },
    /// `kernel::grow(array, &[factors], value, …)?;`: resizes the array to the product of the factors,
    /// or returns an error if that exceeds memory.
    Grow { array: String, factors: Vec<Expr>, value: Expr },
    /// `if condition { return false; }`, or the return of an error.
    Refuse { condition: Expr, error: Option<Box<Full>> },
    /// `break;`
    Break,
    /// `for name in start..end { body }`
    For { name: String, start: Expr, end: Expr, body: Vec<Stmt> },
    /// `for name in kernel::ones(start..end, |word| …) { body }`: the positions at which the bits are
    /// set. `bits` combines elements of arrays of bits at `name`.
    ForOnes { name: String, start: Expr, end: Expr, bits: Expr, body: Vec<Stmt> },
    /// `while condition { body }`
    While { condition: Expr, body: Vec<Stmt> },
    /// `if … { … } else if … { … } else { … }`, with at least one arm.
    If { arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Vec<Stmt> },
}
