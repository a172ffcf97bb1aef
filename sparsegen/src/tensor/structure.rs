//! Structures, which tensors share, and the kernels that have computed them.
//!
//! The structure of many results depends on nothing but the structure of the operands. A kernel records
//! with such a result what has determined it. If a later call computes values for operands of the same
//! structure, it needs no comparison with the structure that it would compute.

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::any::Any;
use core::ops::Deref;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::{Format, Stored, Tensor, View};

use super::about::is_dense;

/// The levels of a tensor, and what has determined them, if it is known. They never change, so that the
/// `Arc` of a structure is its identity.
pub(crate) struct Structure<F: Format> {
    levels: F::Levels,
    derivation: Option<Derivation>,
}

impl<F: Format> Structure<F> {
    pub(super) fn of(levels: F::Levels) -> Arc<Self> {
        Arc::new(Structure { levels, derivation: None })
    }

    /// Returns the levels, which are copied if the structure is shared.
    pub(super) fn into_levels(self: Arc<Self>) -> F::Levels {
        match Arc::try_unwrap(self) {
            Ok(structure) => structure.levels,
            Err(shared) => shared.levels.clone(),
        }
    }
}

impl<F: Format> Deref for Structure<F> {
    type Target = F::Levels;

    #[inline]
    fn deref(&self) -> &F::Levels {
        &self.levels
    }
}

/// The result of a kernel: the module and the name of the kernel, and the name of the result.
pub type ResultOf = (&'static str, &'static str, &'static str);

/// The kernel and the operands that have determined the structure of a result.
struct Derivation {
    result: ResultOf,
    operands: Box<[Identity]>,
}

// The structures that identify operands are never read.
impl UnwindSafe for Derivation {}
impl RefUnwindSafe for Derivation {}

/// The identity of the structure of an operand.
pub enum Identity {
    /// A structure that tensors share, for as long as it exists.
    Shared(Weak<dyn Any + Send + Sync>),
    /// The extents of an operand that stores every element.
    Dense(Box<[usize]>),
}

/// An operand of any format.
pub trait Operand {
    /// Returns the identity of its structure, or `None` if it has none.
    fn identity(&self) -> Option<Identity>;

    /// Returns whether its structure has this identity.
    fn is(&self, identity: &Identity) -> bool;
}

impl<V: Stored, F: Format> Operand for View<'_, V, F> {
    fn identity(&self) -> Option<Identity> {
        if const { is_dense::<F>() } {
            return Some(Identity::Dense(self.shape().as_ref().into()));
        }
        let shared: Weak<Structure<F>> = Arc::downgrade(self.structure?);
        Some(Identity::Shared(shared))
    }

    fn is(&self, identity: &Identity) -> bool {
        match identity {
            Identity::Dense(shape) => is_dense::<F>() && **shape == *self.shape().as_ref(),
            Identity::Shared(shared) => self
                .structure
                .is_some_and(|own| core::ptr::addr_eq(Arc::as_ptr(own), shared.as_ptr())),
        }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Records that a kernel has computed the structure of this new tensor for these operands, if all of
    /// them have an identity.
    pub(crate) fn derive(&mut self, result: ResultOf, operands: &[&dyn Operand]) {
        let operands: Option<Vec<_>> = operands.iter().map(|operand| operand.identity()).collect();
        let Some(structure) = Arc::get_mut(&mut self.arrays_mut().structure) else { return };
        structure.derivation =
            operands.map(|operands| Derivation { result, operands: operands.into() });
    }

    /// Returns whether the kernel has computed this structure for these operands.
    pub(crate) fn is_derived(&self, result: ResultOf, operands: &[&dyn Operand]) -> bool {
        self.arrays().structure.derivation.as_ref().is_some_and(|derivation| {
            let are_same = || operands.iter().zip(&derivation.operands).all(|(a, b)| a.is(b));
            derivation.result == result && derivation.operands.len() == operands.len() && are_same()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Dense};

    const C: ResultOf = ("kernels", "spgemm", "C");

    fn matrix() -> Tensor<f64, Csr> {
        Tensor::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap()
    }

    fn derived(operands: &[&dyn Operand]) -> Tensor<f64, Csr> {
        let mut c = matrix();
        c.derive(C, operands);
        c
    }

    #[test]
    fn a_result_for_operands_of_the_same_structure_is_derived() {
        let (a, b) = (matrix(), matrix());
        let c = derived(&[&a.view(), &b.view()]);
        // Tensors that share a structure are alike, whatever their values are.
        let other = a.map(|_, value| value as f32);
        let mut sum = c.clone();
        sum.vals_mut()[0] = 5.0;
        for c in [&c, &sum] {
            assert!(c.is_derived(C, &[&a.view(), &b.view()]));
            assert!(c.is_derived(C, &[&other.view(), &b.view()]));
        }
    }

    #[test]
    fn other_results_and_operands_are_told_apart() {
        let (a, b) = (matrix(), matrix());
        let c = derived(&[&a.view(), &b.view()]);
        assert!(!c.is_derived(C, &[&b.view(), &a.view()]), "in another order");
        assert!(!c.is_derived(C, &[&a.view()]), "fewer operands");
        assert!(!c.is_derived(("kernels", "spgemm", "D"), &[&a.view(), &b.view()]));
        assert!(!matrix().is_derived(C, &[&a.view(), &b.view()]), "an equal structure");
        // Changed operands and results have another structure.
        let (mut changed, mut result) = (a.clone(), c.clone());
        changed.insert([0, 0], 1.0).unwrap();
        result.insert([0, 0], 1.0).unwrap();
        assert!(!c.is_derived(C, &[&changed.view(), &b.view()]));
        assert!(!result.is_derived(C, &[&a.view(), &b.view()]));
    }

    #[test]
    fn a_structure_of_operands_that_are_gone_is_never_derived() {
        let b = matrix();
        let c = {
            let a = matrix();
            derived(&[&a.view(), &b.view()])
        };
        // A new operand may have the memory of the first one.
        let new: Vec<_> = (0..100).map(|_| matrix()).collect();
        assert!(!new.iter().any(|a| c.is_derived(C, &[&a.view(), &b.view()])));
    }

    #[test]
    fn a_dense_operand_is_identified_by_its_extents() {
        let x = |vals: &'static [f64]| View::<f64, Dense<1>>::from(vals);
        let a = matrix();
        let c = derived(&[&a.view(), &x(&[1.0, 2.0])]);
        assert!(c.is_derived(C, &[&a.view(), &x(&[3.0, 4.0])]));
        assert!(!c.is_derived(C, &[&a.view(), &x(&[3.0])]));
        // Borrowed arrays of other formats have no identity.
        let parts = a.view();
        let view =
            View::<f64, Csr>::from_parts(parts.shape(), parts.levels(), parts.vals()).unwrap();
        let c = derived(&[&view]);
        assert!(!c.is_derived(C, &[&view]) && !c.is_derived(C, &[&a.view()]));
    }
}
