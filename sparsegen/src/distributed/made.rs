//! The structures that plans have computed.

use std::sync::{Arc, Weak};

use super::Distributed;
use crate::{Format, Stored};

/// The structure of a result that an earlier run of a plan has computed. All operands of a plan have
/// the same structure in each run, and so has the result.
#[doc(hidden)]
pub struct Made<F: Format> {
    structure: Weak<F::Levels>,
}

impl<F: Format> Default for Made<F> {
    fn default() -> Self {
        Made { structure: Weak::new() }
    }
}

impl<F: Format> Made<F> {
    /// Keeps the structure of a result, but not its memory.
    pub fn keep<V: Stored>(&mut self, result: &Distributed<V, F>) {
        self.structure = Arc::downgrade(result.local.structure());
    }

    /// Returns whether a result has this structure: whether it shares its arrays.
    pub fn is_of<V: Stored>(&self, result: &Distributed<V, F>) -> bool {
        self.structure.as_ptr() == Arc::as_ptr(result.local.structure())
    }
}
