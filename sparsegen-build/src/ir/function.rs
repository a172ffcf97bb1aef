//! Functions: the signature of a kernel, and the variables of its body.

use crate::names::beside;

use super::{Bound, Dtype, Gather, Parallel, Part, Result, Stmt, Time, Trait, Width};

/// A kernel: the contents of its signature, checks and documentation, and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The kernel's name, a Rust identifier in snake case.
    pub name: String,
    /// Documentation in Markdown, by lines.
    pub docs: Vec<String>,
    /// The time complexity of the loops.
    pub time: Time,
    /// The operands, in the order of the arguments.
    pub operands: Vec<Operand>,
    /// The operands that the body reads in another format.
    pub conversions: Vec<Conversion>,
    /// The extents that the body reads or that must agree, each with its modes.
    pub sizes: Vec<Size>,
    /// The slices that are read, which must be within their modes.
    pub parts: Vec<Part>,
    /// The tensors with coordinates as elements, which must be within a mode.
    pub gathers: Vec<Gather>,
    /// The result.
    pub result: Result,
    /// Other results of the same loops, for a kernel with several statements.
    pub others: Vec<Result>,
    /// The bounds checks of proven accesses.
    pub bounds: Bounds,
    /// The bounds of unchecked accesses.
    pub unchecked: Vec<Bound>,
    /// The trait bounds of the type parameter of elements; empty if there is no such parameter.
    pub traits: Vec<Trait>,
    /// The loops to unroll.
    pub unroll: Vec<Unroll>,
    /// `true` if sums may be computed in another order, and over fewer factors.
    pub reassociates: bool,
    /// The instructions for which the loops are compiled.
    pub simd: Simd,
    /// `true` if loops are written for vectors of the processor.
    pub is_vectorized: bool,
    /// The outermost loop, if it is divided into parts.
    pub parallel: Option<Parallel>,
    /// The name of the helper that records integer divisions by zero, if the body divides integers.
    pub division: Option<String>,
    /// Loops over whole tensors that compute scalars. They run before the loops of this function, and
    /// before its loops for values only, each on all threads.
    pub phases: Vec<Function>,
    /// The scalars of phases that these loops may read.
    pub given: Vec<Given>,
    /// The loops.
    pub body: Vec<Stmt>,
    /// The same loops for values only, with a result that has been assembled. `None` if they could
    /// not detect a result with a different structure.
    pub compute: Option<Box<Function>>,
}

impl Function {
    /// Checks the bounds of all accesses.
    pub fn check_all(&mut self) {
        self.bounds = Bounds::Checked;
        self.unchecked.clear();
        let compute = self.compute.iter_mut().map(|compute| &mut **compute);
        compute.chain(&mut self.phases).for_each(Function::check_all);
    }

    /// Names the functions of phases after this one and a scalar of each. `is_taken` returns whether a
    /// function of another kernel may have names that start with this one.
    pub fn name_phases(&mut self, is_taken: &dyn Fn(&str) -> bool) {
        for phase in &mut self.phases {
            let scalar = phase.returned().first().map_or("scalar", |of| &of.name);
            let name = beside(&self.name, scalar);
            let numbered = (2..).map(|number| format!("{name}{number}"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            phase.name = free.find(|name| !is_taken(name)).unwrap_or(name);
        }
    }

    /// Returns whether the loops, or the results that are computed from them, read a scalar that was
    /// computed before.
    pub fn reads_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.name == name)
            && (self.uses().reads(name) > 0
                || self.scalars().any(|(_, value)| value.mentions(name)))
    }

    /// Returns whether the loops are also compiled for wider vectors than those of the target, which
    /// takes an unsafe call.
    pub fn dispatches(&self) -> bool {
        self.is_vectorized && self.simd == Simd::Auto && self.bounds == Bounds::Proven
    }

    /// Returns the tensors that the body reads: operands, then converted operands.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorOperand> {
        let operands = self.operands.iter().filter_map(|operand| match operand {
            Operand::Tensor(tensor) => Some(tensor),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
        });
        operands.chain(self.conversions.iter().map(|conversion| &conversion.into))
    }
}

/// A scalar that a function before this one has computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The variable.
    pub name: String,
    /// Its type.
    pub dtype: Dtype,
}

/// A loop to unroll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unroll {
    /// The loop variable, such as `p_a`.
    pub variable: String,
    /// The number of iterations per unrolled iteration.
    pub by: usize,
}

/// The bounds checks of proven array accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bounds {
    /// No bounds checks where the validity of a tensor proves the bound.
    #[default]
    Proven,
    /// Bounds checks for all accesses, without `unsafe` code.
    Checked,
}

/// The instructions for which loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Simd {
    /// Those of the target, and wider vectors where the processor has them and loops gain by them.
    #[default]
    Auto,
    /// Those of the target.
    Portable,
}

/// An operand of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A tensor, passed as a view.
    Tensor(TensorOperand),
    /// A scalar, passed by value. The body reads it as a variable of this name.
    Scalar {
        /// The argument's identifier.
        name: String,
        /// Its type.
        dtype: Dtype,
    },
    /// An index parameter, passed by value. The body reads it as an index of this name.
    Index {
        /// The argument's identifier.
        name: String,
    },
    /// A list of coordinates, passed by reference. The body reads it as an array of this name.
    Indices {
        /// The argument's identifier.
        name: String,
    },
}

impl Operand {
    /// Returns the argument's identifier.
    pub fn name(&self) -> &str {
        match self {
            Operand::Tensor(tensor) => &tensor.name,
            Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => {
                name
            }
        }
    }
}

/// A tensor operand.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorOperand {
    /// The argument's identifier, such as `a` or `r#type`.
    pub name: String,
    /// The name of the tensor in the manifest, such as `A`, for messages.
    pub tensor: String,
    /// The element type.
    pub dtype: Dtype,
    /// The Rust type of its format, such as `Csr` or `Dense<2>`, which must be in scope in the
    /// generated code.
    pub format: String,
    /// `true` if it stores no values; the value of every entry is 1.
    pub pattern: bool,
    /// The arrays that the body reads, in storage order, values last.
    pub arrays: Vec<Array>,
    /// The extents of its levels that the body reads and its shape does not determine.
    pub extents: Vec<Extent>,
}

/// An operand that is converted before the loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The original tensor or list.
    pub of: Source,
    /// The kind of the conversion.
    pub kind: ConversionKind,
    /// The converted tensor, which has its own name, such as `a_csc`. Messages use the name of the
    /// original tensor.
    pub into: TensorOperand,
}

/// The kind of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionKind {
    /// To another format.
    Format,
    /// To the inverse of a list: a pattern with an entry at `[c, j]` where the list has the coordinate
    /// `c` at `j`. All coordinates are below the extent of this name.
    Inverse(String),
}

/// The origin of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An operand, as an index into [`Function::operands`].
    Operand(usize),
    /// The previous value of the result.
    Result,
}

/// An extent stored in a level: `levels().LEVEL.field`, such as the width of a hash table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The variable that the body uses, such as `a2_width`.
    pub name: String,
    /// The level, starting at 0.
    pub level: usize,
    /// The field's name, such as `width`.
    pub field: String,
}

/// An array of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The variable that the body uses, such as `a2_crd`.
    pub name: String,
    /// The element type.
    pub element: Element,
    /// The location of the array.
    pub place: Place,
}

/// The location of an array within a tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The values.
    Values,
    /// A field of a level's storage: `levels().LEVEL.field`.
    Level {
        /// The level, starting at 0.
        level: usize,
        /// The field's name, such as `crd`.
        field: String,
    },
}

/// The element type of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Positions or coordinates. Loads convert them to `usize`, stores and pushes convert back.
    Index(Width),
    /// Differences of coordinates, in the signed type of a width. Loads convert them to `isize`.
    Signed(Width),
    /// One bit for each position, in words of 64 bits; a load returns a Boolean. They grow with
    /// zeros, and have no length.
    Bits,
    /// Entries of a tensor, in scratch arrays.
    Entry(EntryType),
    /// Values.
    Value(Dtype),
    /// The entries of a pattern, which take no memory and are the number 1. Whatever is stored, is
    /// that.
    Pattern(Dtype),
}

impl Element {
    /// Returns the Rust type of the elements.
    pub fn rust_type(self) -> String {
        let name = match self {
            Element::Index(width) => width.name(),
            Element::Signed(width) => width.signed_name(),
            Element::Bits => "u64",
            Element::Entry(entry) => return entry.rust_type(),
            Element::Value(dtype) => dtype.rust_name(),
            Element::Pattern(dtype) => return format!("Pattern<{dtype}>"),
        };
        name.to_owned()
    }
}

/// The type of a copied entry: `(u32, u32, f64)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryType {
    /// The number of coordinates.
    pub coordinates: usize,
    /// The type of each of them.
    pub width: Width,
    /// The type of the value; without one, the position follows the coordinates.
    pub value: Option<Dtype>,
}

impl EntryType {
    /// Returns the number of fields.
    pub fn fields(self) -> usize {
        self.coordinates + 1
    }

    /// Returns the type of a field.
    pub fn field(self, field: usize) -> Element {
        match self.value {
            _ if field < self.coordinates => Element::Index(self.width),
            Some(dtype) => Element::Value(dtype),
            None => Element::Index(Width::Usize),
        }
    }

    fn rust_type(self) -> String {
        let fields: Vec<String> =
            (0..self.fields()).map(|field| self.field(field).rust_type()).collect();
        format!("({})", fields.join(", "))
    }
}

/// An extent, such as `i_size`, and the modes that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The variable that the body uses, such as `i_size`.
    pub name: String,
    /// The index variable, for messages.
    pub variable: String,
    /// The extent in the `sizes` of the manifest, if there is one.
    pub constant: Option<u64>,
    /// The modes of operands with this extent, as indices into [`Function::operands`] and modes.
    /// Empty only if slices or the result define the extent.
    pub operands: Vec<(usize, usize)>,
    /// The slices with this extent, as indices into [`Function::parts`].
    pub parts: Vec<usize>,
    /// The modes of the result with this extent; none if there are several results, whose extents
    /// are checked for each statement.
    pub result: Vec<usize>,
    /// The first result with this extent, 0 for [`Function::result`] and others counted from 1, and
    /// the mode.
    pub of_result: Option<(usize, usize)>,
    /// The arg-reduction over this range, which must not be empty: `argmin`.
    pub chosen_from: Option<String>,
    /// `true` if the body reads the variable.
    pub used: bool,
}
