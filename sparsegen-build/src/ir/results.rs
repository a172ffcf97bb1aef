//! What can be said of a kernel's results.

use super::{Assembly, Dtype, Expr, Function, Result, TensorResult, UpdatedScalar};

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
