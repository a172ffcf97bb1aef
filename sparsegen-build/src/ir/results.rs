//! The results of a kernel: their assembly and their properties.

use super::{Array, Dtype, Expr, Extent, Function, List, Rearrange, Stmt};

impl Function {
    /// Returns all results.
    pub fn computed(&self) -> impl Iterator<Item = &Result> {
        std::iter::once(&self.result).chain(&self.others)
    }

    /// Returns the results that are tensors.
    pub fn results(&self) -> impl Iterator<Item = &TensorResult> {
        self.computed().filter_map(|result| match result {
            Result::Tensor(result) => Some(result),
            Result::Scalar { .. } => None,
        })
    }

    /// Returns the results that are scalars: the type of each, and the expression after the body.
    pub fn scalars(&self) -> impl Iterator<Item = (Dtype, &Expr)> {
        self.computed().filter_map(|result| match result {
            Result::Scalar { dtype, value, .. } => Some((*dtype, value)),
            Result::Tensor(_) => None,
        })
    }

    /// Returns whether the extents of the results follow from the operands, so that new results can
    /// be allocated.
    pub fn allocates(&self) -> bool {
        let is_known = |size: &usize| {
            let size = &self.sizes[*size];
            size.constant.is_some() || !size.operands.is_empty() || !size.parts.is_empty()
        };
        self.updated_scalar().is_none()
            && self.results().all(|result| !result.updates && result.shape.iter().all(is_known))
    }

    /// Returns the caller's scalar that is updated, if the result is one.
    pub fn updated_scalar(&self) -> Option<&UpdatedScalar> {
        match &self.result {
            Result::Scalar { updates, .. } => updates.as_ref(),
            Result::Tensor(_) => None,
        }
    }

    /// Returns whether the loops can run together with those of other statements.
    pub fn may_share(&self) -> bool {
        self.updated_scalar().is_none()
    }

    /// Returns whether the loops may return an error.
    pub fn fails(&self) -> bool {
        self.may_be_full() || self.grows()
    }

    /// Returns whether the arrays of results may exceed memory, which is an error of the loops or of
    /// joining their parts.
    pub fn may_exceed_memory(&self) -> bool {
        let mut joined = self.parallel.iter().flat_map(|parallel| &parallel.joined);
        self.grows() || joined.any(|by| by.padding.is_some())
    }

    /// Returns whether the loops return an error if arrays of results grow beyond memory.
    fn grows(&self) -> bool {
        let mut exceeds = false;
        for stmt in &self.body {
            stmt.for_each(&mut |stmt| {
                exceeds |=
                    matches!(stmt, Stmt::Grow { .. } | Stmt::Rearrange(Rearrange::Widen { .. }));
            });
        }
        exceeds
    }

    /// Returns whether a level of a result may have no position for an entry, which is an error of
    /// the loops.
    pub fn may_be_full(&self) -> bool {
        let mut is_full = false;
        for stmt in &self.body {
            stmt.for_each(&mut |stmt| {
                is_full |= matches!(stmt, Stmt::Refuse { error: Some(_), .. });
            });
        }
        is_full
    }

    /// Returns whether any result has values, and a structure that follows from the operands.
    pub fn has_structure(&self) -> bool {
        self.results().filter(|result| !result.pattern).any(|result| match result.assembly {
            Assembly::Assembled { .. } => true,
            Assembly::Computed { .. } => result.packed.is_some(),
        })
    }
}

/// The operation that combines duplicates when a result is packed.
#[derive(Clone, Debug, PartialEq)]
pub struct Combining {
    /// The names of the earlier and the later value.
    pub values: [String; 2],
    /// The combined value, in terms of these.
    pub combined: Expr,
}
/// The result of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Result {
    /// A scalar: the expression after the body.
    Scalar {
        /// The type.
        dtype: Dtype,
        /// The value, in terms of the variables of the body.
        value: Expr,
        /// The caller's scalar that is updated, if the value is not returned.
        updates: Option<UpdatedScalar>,
    },
    /// A tensor.
    Tensor(TensorResult),
}

/// A scalar that is passed by reference and updated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatedScalar {
    /// The operand with its previous value.
    pub name: String,
    /// `true` if the result is added to that value instead of replacing it.
    pub adds: bool,
}

/// A tensor that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorResult {
    /// The identifier of the argument.
    pub name: String,
    /// The name of the tensor in the manifest, for messages.
    pub tensor: String,
    /// The type of the values.
    pub dtype: Dtype,
    /// `true` for a pattern, which stores no values.
    pub pattern: bool,
    /// The value where the body assigns nothing: a constant of the element type.
    pub fill: Box<Expr>,
    /// `true` if a new tensor of the format has that value everywhere.
    pub is_new_filled: bool,
    /// The Rust type of the format marker.
    pub format: String,
    /// The Rust type of the format marker for callers, if the body computes the result in `format`
    /// and packs it into this one.
    pub packed: Option<String>,
    /// The operation that combines duplicates when the result is packed, unless they are added.
    pub combining: Option<Box<Combining>>,
    /// `true` if the result depends on its previous contents, so that no function allocates it.
    pub updates: bool,
    /// The extent of each mode, as an index into [`Function::sizes`].
    pub shape: Vec<usize>,
    /// The assembly of the arrays.
    pub assembly: Assembly,
    /// The part of the caller's tensor that is assigned, unless it is the whole; the rest is kept.
    pub cover: Option<Box<Cover>>,
}

/// A part of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// The names of a coordinate, one per mode.
    pub coordinate: Vec<String>,
    /// The predicate that the coordinate is in the part, in terms of these names and the arguments.
    pub inside: Expr,
    /// The modes with an index set, each with its coordinate's index and the list.
    pub listed: Vec<(usize, List)>,
}

impl TensorResult {
    /// Returns the arrays that the body writes.
    pub fn arrays(&self) -> &[Array] {
        match &self.assembly {
            Assembly::Computed { vals, .. } => std::slice::from_ref(vals),
            Assembly::Assembled { arrays, .. } => arrays,
        }
    }

    /// Returns the arrays of levels that the body reads.
    pub fn structure(&self) -> &[Array] {
        match &self.assembly {
            Assembly::Computed { structure, .. } => structure,
            Assembly::Assembled { .. } => &[],
        }
    }

    /// Returns the numbers of levels that the body reads.
    pub fn numbers(&self) -> &[Extent] {
        match &self.assembly {
            Assembly::Computed { numbers, .. } => numbers,
            Assembly::Assembled { .. } => &[],
        }
    }

    /// Returns the extents that the body computes.
    pub fn extents(&self) -> &[Extent] {
        match &self.assembly {
            Assembly::Computed { .. } => &[],
            Assembly::Assembled { extents, .. } => extents,
        }
    }
}

/// The assembly of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Assembly {
    /// All levels exist beforehand: the body stores into `vals`, a mutable slice.
    Computed {
        /// The values.
        vals: Array,
        /// `true` if the values must be initialized, because the body accumulates or does not store
        /// all of them.
        zeroed: bool,
        /// The arrays of levels that the body reads to locate values. If there are any, the
        /// function returns whether they equal those that it would have assembled.
        structure: Vec<Array>,
        /// The numbers of levels that the body reads to locate values.
        numbers: Vec<Extent>,
    },
    /// The body fills vectors, whatever their previous contents.
    Assembled {
        /// The vectors, in storage order, with the values last.
        arrays: Vec<Array>,
        /// The extents of levels. The body binds each at its top level; the final value is the
        /// extent.
        extents: Vec<Extent>,
        /// The checks before the vectors become a tensor: the type of each vector of positions must
        /// be large enough. Coordinates fit, because the extents of an existing tensor do.
        fits: Vec<Fit>,
    },
}

/// Positions that must fit their integer type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The vector of the positions, such as `c2_pos`.
    pub array: String,
    /// The vector whose length is the largest position, such as `c2_crd`.
    pub length_of: String,
    /// How the positions of parts of the result are joined.
    pub follows: Follows,
    /// A description for messages: `positions of level 2`.
    pub what: String,
}

/// How the positions of parts of a result follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// They are the ends of segments, after a 0 that is not repeated.
    Ends,
    /// They are the begin and the end of the segment of the only parent.
    Segment,
    /// They are those of the joined result, less the number of entries of the parts before.
    Shifted,
}
