//! Changing the values of a tensor, and leaving out the small ones.

use crate::{Error, Format, Pattern, Stored, Tensor, Value};

use super::build::Merge;
use super::pack::combined;
use super::{check_values, is_fill, pads};

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Replaces every stored value by a function of it, each one by itself where several share their
    /// coordinate. What is not stored stays the fill, padding too; in a format with an `unpadded` level,
    /// call [`Tensor::prune`] if the function can give zero.
    pub fn map_vals<W: Stored>(self, mut function: impl FnMut(V) -> W) -> Tensor<W, F> {
        check_values::<W, F>();
        let (pads, fill) = (pads::<F>(), V::Value::filled(F::FILL));
        let map = |value: V| match pads && is_fill(value.value(), fill) {
            true => W::filler(F::FILL),
            false => function(value),
        };
        let vals = self.vals.into_iter().map(map).collect();
        Tensor { shape: self.shape, levels: self.levels, vals }
    }

    /// Removes the entries whose magnitude is at most `tolerance`; with 0, the stored zeros.
    /// Entries that share their coordinate are added up before.
    ///
    /// # Errors
    /// [`Error::Level`] where an `unpadded` level would need padding in their place,
    /// [`Error::Duplicate`] where entries of a pattern share their coordinate. The tensor then
    /// stays as it was.
    pub fn prune(&mut self, tolerance: f64) -> Result<(), Error> {
        // A NaN compares with nothing, and stays.
        let is_small = |value: V| value.value().magnitude() <= tolerance;
        let mut entries = combined::<V, F>(self.shape, self.iter().collect(), Merge::SUM)?;
        entries.retain(|(_, value)| !is_small(*value));
        *self = Tensor::from_triplets(self.shape, entries)?;
        Ok(())
    }
}

impl<V: Value, F: Format> Tensor<V, F> {
    /// The same structure without values: every stored entry counts 1, also one that is zero, which
    /// [`Tensor::prune`] removes. Does not compile for formats that pad.
    pub fn pattern(&self) -> Tensor<Pattern<V>, F> {
        check_values::<Pattern<V>, F>();
        let vals = vec![Pattern::ONE; self.vals.len()];
        Tensor { shape: self.shape, levels: self.levels.clone(), vals }
    }
}
