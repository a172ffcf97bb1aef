//! A kernel's signature, and what its body's names stand for.

use super::{Bound, Callers, Dtype, Gather, Part, Result, Stmt, Trait, Width};

/// A generated kernel: what its signature, its checks and its documentation say, and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The kernel's name, a Rust identifier in snake case.
    pub name: String,
    /// Who calls it, beside those who have its name.
    pub callers: Callers,
    /// Documentation of the public function, markdown, one line an element.
    pub docs: Vec<String>,
    /// The operands, in the order of the arguments.
    pub operands: Vec<Operand>,
    /// The operands that the body reads in another format than they are passed in.
    pub conversions: Vec<Conversion>,
    /// The extents that the body reads or that must agree, each with every mode that has it.
    pub sizes: Vec<Size>,
    /// The parts of modes that are read, each of which must lie within its mode.
    pub parts: Vec<Part>,
    /// The tensors whose elements are coordinates, each of which must lie within a mode.
    pub gathers: Vec<Gather>,
    /// What the kernel computes.
    pub result: Result,
    /// What the same loops compute beside it, for a kernel of several statements.
    pub others: Vec<Result>,
    /// Whether indices that validation proves are emitted without a check.
    pub bounds: Bounds,
    /// The bound of everything that is emitted without a check.
    pub unchecked: Vec<Bound>,
    /// What the type parameter for elements must be able to do; none where there is none.
    pub traits: Vec<Trait>,
    /// The loops of which several iterations are to be written one after the other.
    pub unroll: Vec<Unroll>,
    /// Where the outermost loop is run in parts.
    pub parallel: Option<Parallel>,
    /// What divides integers, and notes whether any is divided by zero, if the body does.
    pub division: Option<String>,
    /// The loops.
    pub body: Vec<Stmt>,
    /// The same with values alone computed, into a result that was assembled before, where the loops
    /// can tell whether it was assembled for the same operands.
    pub compute: Option<Box<Function>>,
}

impl Function {
    /// Makes every access checked.
    pub fn check_all(&mut self) {
        self.bounds = Bounds::Checked;
        self.unchecked.clear();
        if let Some(compute) = &mut self.compute {
            compute.check_all();
        }
    }

    /// The tensors that the body reads: the operands, then what operands were converted into.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorOperand> {
        let operands = self.operands.iter().filter_map(|operand| match operand {
            Operand::Tensor(tensor) => Some(tensor),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
        });
        operands.chain(self.conversions.iter().map(|conversion| &conversion.into))
    }
}

/// Loops of which several iterations are to be written one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unroll {
    /// The variable that counts the iterations, such as `p_a`.
    pub variable: String,
    /// How many iterations.
    pub by: usize,
}

/// An outermost loop that is run in parts, each of which writes to what is its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// The extent of the loop: index into [`Function::sizes`].
    pub size: usize,
    /// The variable of the loop, such as `i`.
    pub variable: String,
    /// The variable that holds where a part begins, such as `i_begin`.
    pub begin: String,
    /// The variable that holds where it ends.
    pub end: String,
    /// The arrays of positions that tell how much there is to do before a coordinate.
    pub work: Vec<String>,
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
    /// A parameter, passed by value; the body reads it as an index of this name.
    Index {
        /// The argument's identifier.
        name: String,
    },
    /// A parameter that lists coordinates, borrowed; the body reads it as an array of this name.
    Indices {
        /// The argument's identifier.
        name: String,
    },
}

impl Operand {
    /// The argument's identifier.
    pub fn name(&self) -> &str {
        match self {
            Operand::Tensor(tensor) => &tensor.name,
            Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => {
                name
            }
        }
    }
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
    /// Whether it stores no values: each entry counts 1.
    pub pattern: bool,
    /// The arrays that the body reads, in storage order, values last.
    pub arrays: Vec<Array>,
    /// The extents of its levels that the body reads, which its shape does not give.
    pub extents: Vec<Extent>,
}

/// A tensor that is converted before the loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// What is converted.
    pub of: Source,
    /// What it becomes: a tensor with a name of its own, such as `a_csc`, and for messages the name
    /// of what is converted.
    pub into: TensorOperand,
}

/// Where the loops have a tensor from that is not an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An operand: index into [`Function::operands`].
    Operand(usize),
    /// What the result that is passed in holds before.
    Result,
}

/// An extent that a level's storage keeps: `levels().LEVEL.field`, such as a hash table's width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The variable that the body uses, such as `a2_width`.
    pub name: String,
    /// Which level, counted from 0.
    pub level: usize,
    /// The field's name, such as `width`.
    pub field: String,
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
    /// Differences of coordinates, in the signed type of a width: loads widen them to `isize`.
    Signed(Width),
    /// One bit for each position, in words of 64: a load is a condition. They grow by zeros, and
    /// have no length of their own.
    Bits,
    /// Pairs of indices, for scratch.
    Pair,
    /// Values.
    Value(Dtype),
}

impl Element {
    /// The Rust type of an element of the array.
    pub fn rust_type(self) -> &'static str {
        match self {
            Element::Index(width) => width.name(),
            Element::Signed(width) => width.signed_name(),
            Element::Bits => "u64",
            Element::Pair => "(usize, usize)",
            Element::Value(dtype) => dtype.rust_name(),
        }
    }
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
    /// The operands' modes of this extent: (index into `operands`, mode). Never empty unless parts of
    /// modes or the result alone give the size.
    pub operands: Vec<(usize, usize)>,
    /// The parts of modes of this extent: indices into [`Function::parts`].
    pub parts: Vec<usize>,
    /// The result's modes of this extent.
    pub result: Vec<usize>,
    /// The reduction that chooses one of the coordinates, of which there must be one: `argmin`.
    pub chosen_from: Option<String>,
    /// Whether the body reads the variable.
    pub used: bool,
}
