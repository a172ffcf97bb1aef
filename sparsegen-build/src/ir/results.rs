//! What can be said of a kernel's results.

use super::{Assembly, Function, Result, TensorResult};

impl Function {
    /// The results that are tensors.
    pub fn results(&self) -> impl Iterator<Item = &TensorResult> {
        let result = match &self.result {
            Result::Tensor(result) => Some(result),
            Result::Scalar { .. } => None,
        };
        result.into_iter().chain(&self.others)
    }

    /// Whether the result's extents follow from the operands, so that a new one can be made.
    pub fn allocates(&self) -> bool {
        let is_known = |size: &usize| {
            let size = &self.sizes[*size];
            size.constant.is_some() || !size.operands.is_empty() || !size.parts.is_empty()
        };
        match &self.result {
            Result::Scalar { .. } => true,
            Result::Tensor(result) => !result.updates && result.shape.iter().all(is_known),
        }
    }

    /// Whether the result has a structure that follows from the operands.
    pub fn has_structure(&self) -> bool {
        match &self.result {
            Result::Scalar { .. } => false,
            Result::Tensor(result) => match result.assembly {
                Assembly::Assembled { .. } => true,
                Assembly::Computed { .. } => result.packed.is_some(),
            },
        }
    }
}
