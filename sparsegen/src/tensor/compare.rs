//! Comparing tensors, by storage and by value.

use alloc::vec::Vec;

use crate::{Format, Stored, Tensor, Value};

/// Compares shape, structure and values. The structure takes constant time if the tensors share it.
impl<V: Stored, F: Format> PartialEq for Tensor<V, F> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.levels() == other.levels() && self.vals() == other.vals()
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns whether two tensors have the same shape and, at every coordinate, the same value up
    /// to a tolerance, as defined by [`Value::is_close`].
    ///
    /// ```
    /// use sparsegen::{Csc, Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 1.0), ([1, 1], 1e-12)])?;
    /// let b = Tensor::<f64, Csc>::from_triplets([2, 2], [([0, 1], 1.0 + 1e-12)])?;
    /// assert!(a.approx_eq(&b, 1e-9));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn approx_eq<W, G>(&self, other: &Tensor<W, G>, tolerance: f64) -> bool
    where
        W: Stored<Value = V::Value>,
        G: Format<Shape = F::Shape>,
    {
        if self.shape != other.shape {
            return false;
        }
        let fills = [V::Value::filled(F::FILL), V::Value::filled(G::FILL)];
        let ours = self.iter().map(|(at, value)| (at, [Some(value.value()), None]));
        let theirs = other.iter().map(|(at, value)| (at, [None, Some(value.value())]));
        let mut entries: Vec<_> = ours.chain(theirs).collect();
        entries.sort_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
        entries.chunk_by(|(a, _), (b, _)| a == b).all(|same| {
            let sum = |side: usize| {
                let values = same.iter().filter_map(|(_, pair)| pair[side]);
                values.reduce(V::Value::sum).unwrap_or(fills[side])
            };
            sum(0).is_close(sum(1), tolerance)
        })
    }
}
