//! A kernel's results: how they come to be, and what is known of them.

use super::{Array, Dtype, Expr, Extent, Function, List};

impl Function {
    /// All that is computed.
    pub fn computed(&self) -> impl Iterator<Item = &Result> {
        std::iter::once(&self.result).chain(&self.others)
    }

    /// The results that are tensors.
    pub fn results(&self) -> impl Iterator<Item = &TensorResult> {
        self.computed().filter_map(|result| match result {
            Result::Tensor(result) => Some(result),
            Result::Scalar { .. } => None,
        })
    }

    /// The results that are plain values: the type of each, and the expression after the body.
    pub fn scalars(&self) -> impl Iterator<Item = (Dtype, &Expr)> {
        self.computed().filter_map(|result| match result {
            Result::Scalar { dtype, value, .. } => Some((*dtype, value)),
            Result::Tensor(_) => None,
        })
    }

    /// Whether the results' extents follow from the operands, so that new ones can be made.
    pub fn allocates(&self) -> bool {
        let is_known = |size: &usize| {
            let size = &self.sizes[*size];
            size.constant.is_some() || !size.operands.is_empty() || !size.parts.is_empty()
        };
        self.updated_scalar().is_none()
            && self.results().all(|result| !result.updates && result.shape.iter().all(is_known))
    }

    /// The scalar of the caller that is changed, if the result is one.
    pub fn updated_scalar(&self) -> Option<&UpdatedScalar> {
        match &self.result {
            Result::Scalar { updates, .. } => updates.as_ref(),
            Result::Tensor(_) => None,
        }
    }

    /// Whether any result has a structure that follows from the operands.
    pub fn has_structure(&self) -> bool {
        self.results().any(|result| match result.assembly {
            Assembly::Assembled { .. } => true,
            Assembly::Computed { .. } => result.packed.is_some(),
        })
    }
}

/// What two values at one coordinate are combined into where a result is packed.
#[derive(Clone, Debug, PartialEq)]
pub struct Combining {
    /// Names for the earlier and the later value.
    pub values: [String; 2],
    /// The combined value, in terms of these.
    pub combined: Expr,
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
        /// The scalar of the caller that it changes, if it is not returned.
        updates: Option<UpdatedScalar>,
    },
    /// A tensor.
    Tensor(TensorResult),
}

/// A scalar that is passed by reference and changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatedScalar {
    /// The operand that holds its value before.
    pub name: String,
    /// Whether the result is added to that value, instead of replacing it.
    pub adds: bool,
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
    /// What is not stored: a constant of that type.
    pub fill: Box<Expr>,
    /// The Rust type of its format marker.
    pub format: String,
    /// The Rust type of the format marker that callers see, if the body computes the result in
    /// `format` only to pack it into this one.
    pub packed: Option<String>,
    /// What entries that share their coordinate are combined into when the result is packed, if they
    /// are not added up.
    pub combining: Option<Box<Combining>>,
    /// Whether what the caller's tensor holds counts, so that no function makes a new one.
    pub updates: bool,
    /// The extent of each mode: index into [`Function::sizes`].
    pub shape: Vec<usize>,
    /// How its arrays come to be.
    pub assembly: Assembly,
    /// The part of the caller's tensor that is computed, if it is not all of it; the rest stays.
    pub cover: Option<Box<Cover>>,
}

/// A part of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// Names for a coordinate, one a mode.
    pub coordinate: Vec<String>,
    /// Whether it lies within the part, in terms of these and of the arguments.
    pub inside: Expr,
    /// The modes of which the part has what a list names: which of the coordinates, and the list.
    pub listed: Vec<(usize, List)>,
}

impl TensorResult {
    /// The arrays that the body fills.
    pub fn arrays(&self) -> &[Array] {
        match &self.assembly {
            Assembly::Computed { vals, .. } => std::slice::from_ref(vals),
            Assembly::Assembled { arrays, .. } => arrays,
        }
    }

    /// Whether what is not stored is the zero that new tensors hold.
    pub fn is_filled_with_zeros(&self) -> bool {
        self.fill.is_zero() || *self.fill == Expr::Bool(false)
    }

    /// The arrays of levels that the body reads.
    pub fn structure(&self) -> &[Array] {
        match &self.assembly {
            Assembly::Computed { structure, .. } => structure,
            Assembly::Assembled { .. } => &[],
        }
    }

    /// The extents that the body makes up.
    pub fn extents(&self) -> &[Extent] {
        match &self.assembly {
            Assembly::Computed { .. } => &[],
            Assembly::Assembled { extents, .. } => extents,
        }
    }
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
        /// The arrays of levels that the body reads to find where values go. Where there are any,
        /// the function answers whether they are those that it would have assembled.
        structure: Vec<Array>,
    },
    /// The body fills vectors, starting from whatever they held.
    Assembled {
        /// The vectors, in storage order, values last.
        arrays: Vec<Array>,
        /// The extents that levels keep. The body binds each at its top level, and what it ends
        /// with is what the level keeps.
        extents: Vec<Extent>,
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
