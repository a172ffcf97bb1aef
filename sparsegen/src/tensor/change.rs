//! Changing the values of a tensor, and removing small ones.

use alloc::sync::Arc;

use crate::{Error, Format, Pattern, Stored, Tensor, Value};

use super::build::Merge;
use super::pack::combined;
use super::{Arrays, check_values, is_fill, pads};

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Applies a function to every stored value, separately to each entry of a repeated coordinate.
    /// Entries that are not stored, and padding, keep the fill value. In a format with an
    /// `unpadded` level, call [`Tensor::prune`] if the function may return zero.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// assert_eq!(a.map_vals(|value| value as i32 * 10).vals(), [20, 30]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn map_vals<W: Stored>(mut self, mut function: impl FnMut(V) -> W) -> Tensor<W, F> {
        check_values::<W, F>();
        let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
        let map = |value: V| match pads && is_fill(value.value(), fill) {
            true => W::filler(F::FILL),
            false => function(value),
        };
        self.merge_pending();
        let vals = self.arrays.vals.into_iter().map(map).collect();
        Tensor::sharing(self.shape, self.arrays.structure, vals)
    }

    /// Removes the entries whose magnitude is at most `tolerance`, after adding entries with the
    /// same coordinate. A tolerance of 0 removes stored zeros.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let entries = [([0, 1], 2.0), ([1, 0], -0.001), ([1, 2], 0.0)];
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 3], entries)?;
    /// a.prune(0.01)?;
    /// assert!(a.iter().eq([([0, 1], 2.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Level`] if an `unpadded` level would need padding in place of a removed entry, and
    /// [`Error::Duplicate`] if entries of a pattern have the same coordinate. The tensor is then
    /// unchanged.
    pub fn prune(&mut self, tolerance: f64) -> Result<(), Error> {
        // A NaN compares as neither, and is kept.
        let is_small = |value: V| value.value().magnitude() <= tolerance;
        let mut entries = combined::<V, F>(self.shape, self.iter().collect(), Merge::SUM)?;
        entries.retain(|(_, value)| !is_small(*value));
        *self = Tensor::from_triplets(self.shape, entries)?;
        Ok(())
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// Returns the structure of the tensor without its values. Every stored entry has the value 1,
    /// including stored zeros, which [`Tensor::prune`] removes. Does not compile for formats that
    /// pad.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let pattern = a.pattern();
    /// assert!(pattern.contains([0, 1]) && !pattern.contains([0, 0]));
    /// assert_eq!(pattern.get([1, 2]), Some(1.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn pattern(&self) -> Tensor<Pattern<V>, F> {
        check_values::<Pattern<V>, F>();
        let Arrays { structure, vals } = self.arrays();
        Tensor::sharing(self.shape, Arc::clone(structure), vec![Pattern::ONE; vals.len()])
    }
}
