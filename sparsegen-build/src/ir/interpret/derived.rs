//! The derivation of structures.

use std::collections::BTreeMap;

use super::entry::Done;
use super::frame::Frame;
use crate::ir::{Argument, Derivation};

/// The kernel that has determined the structure of a tensor, and the structures of its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    by: Derivation,
    operands: Vec<Structure>,
}

/// The extents and the arrays of a tensor.
type Structure = (Vec<usize>, BTreeMap<(usize, String), Vec<usize>>);

impl Frame {
    /// Returns the derivation of the structure of a result.
    pub(super) fn derived(&self, by: &Derivation) -> Done<Derived> {
        let structure = |operand: &Argument| {
            let tensor = self.tensor(operand.name())?;
            Ok((tensor.shape.clone(), tensor.arrays.clone()))
        };
        let operands = by.operands.iter().map(structure).collect::<Done<_>>()?;
        Ok(Derived { by: by.clone(), operands })
    }
}
