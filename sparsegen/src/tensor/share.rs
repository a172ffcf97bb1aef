//! Tensors with the same structure, which share the arrays of their levels.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{Error, Format, Stored, Tensor, Value};

use super::validate::validate;
use super::{Arrays, check_values, is_fill, pads};

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns whether two tensors have the same shape and the same levels.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// let b = a.map(|_, value| value as i32);
    /// assert!(a.same_structure(&b));
    /// assert!(!a.same_structure(&Tensor::<f64, Csr>::eye(2)?));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes constant time if they share the arrays, as clones, mapped tensors and those of one
    /// [`Assembly`](crate::Assembly) do, and a pass over the arrays otherwise.
    pub fn same_structure<W: Stored>(&self, other: &Tensor<W, F>) -> bool {
        let (own, others) = (&self.arrays().structure, &other.arrays().structure);
        self.shape == other.shape && (Arc::ptr_eq(own, others) || ***own == ***others)
    }

    /// Returns the tensor with the same structure and other values, by position in the last level.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let b = a.with_vals(vec![5_i32, 7])?;
    /// assert!(b.iter().eq([([0, 1], 5), ([1, 0], 7)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes constant time; the tensors share the arrays of their structure, and each copies them
    /// before it changes them. In a format with an `unpadded` level, takes a pass over the values.
    ///
    /// # Errors
    /// [`Error::Parts`] if the number of values differs from that of [`Tensor::vals`], and
    /// [`Error::Level`] if an `unpadded` level would store the fill value.
    pub fn with_vals<W: Stored>(&self, vals: Vec<W>) -> Result<Tensor<W, F>, Error> {
        check_values::<W, F>();
        let Arrays { structure, vals: before } = self.arrays();
        if vals.len() != before.len() {
            let (found, count) = (vals.len(), before.len());
            let reason =
                format!("there are {found} values for {count} positions of the last level");
            return Err(Error::Parts { format: F::NAME, reason });
        }
        let tensor = Tensor::sharing(self.shape, Arc::clone(structure), vals);
        if super::Declared::of::<F>().is_unpadded() {
            validate(&tensor.view())?;
        }
        Ok(tensor)
    }

    /// Combines the values of two tensors with the same structure by a function, in one loop over
    /// the values. The result shares the structure of `self`.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let b = a.map(|_, value| 10.0 * value);
    /// let sum = a.zip_vals(&b, |a, b| a + b)?;
    /// assert!(sum.iter().eq([([0, 1], 22.0), ([1, 0], 33.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The function also combines a value with the padding of the other tensor; padding of both
    /// stays padding. In a format with an `unpadded` level, call [`Tensor::prune`] if the function
    /// may return the fill value. Takes a pass over the values, and one over the levels if the
    /// tensors do not share them.
    ///
    /// # Errors
    /// [`Error::Argument`] if the structures differ.
    pub fn zip_vals<W: Stored, X: Stored>(
        &self,
        other: &Tensor<W, F>,
        mut function: impl FnMut(V, W) -> X,
    ) -> Result<Tensor<X, F>, Error> {
        check_values::<X, F>();
        self.check_structure("zip_vals", other)?;
        let Arrays { structure, vals } = self.arrays();
        let fills = (V::Value::filled(F::FILL), W::Value::filled(F::FILL));
        let pairs = vals.iter().zip(other.vals());
        let combined = pairs.map(|(a, b)| {
            let is_padding =
                pads::<F>() && is_fill(a.value(), fills.0) && is_fill(b.value(), fills.1);
            if is_padding { X::filler(F::FILL) } else { function(*a, *b) }
        });
        Ok(Tensor::sharing(self.shape, Arc::clone(structure), combined.collect()))
    }

    /// Combines the values of two tensors that share the arrays of their structure like
    /// [`Tensor::zip_vals`]. Returns `None` if they do not, or if a coordinate may be repeated.
    #[cfg(feature = "operators")]
    pub(crate) fn zip_shared(
        &self,
        other: &Tensor<V, F>,
        function: impl FnMut(V, V) -> V,
    ) -> Option<Tensor<V, F>> {
        let is_shared = Arc::ptr_eq(&self.arrays().structure, &other.arrays().structure);
        if !is_shared || super::Declared::of::<F>().keeps_entries() {
            return None;
        }
        self.zip_vals(other, function).ok()
    }

    /// Changes the values by those of a tensor with the same structure, in one loop over the values;
    /// see [`Tensor::zip_vals`].
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let b = a.clone();
    /// a.update_vals(&b, |a, b| *a += b)?;
    /// assert_eq!(a.vals(), [4.0, 6.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if the structures differ. The tensor is then unchanged.
    pub fn update_vals<W: Stored>(
        &mut self,
        other: &Tensor<W, F>,
        mut function: impl FnMut(&mut V, W),
    ) -> Result<(), Error> {
        self.check_structure("update_vals", other)?;
        let fills = (V::Value::filled(F::FILL), W::Value::filled(F::FILL));
        for (a, b) in self.vals_mut().iter_mut().zip(other.vals()) {
            let is_padding =
                pads::<F>() && is_fill(a.value(), fills.0) && is_fill(b.value(), fills.1);
            if !is_padding {
                function(a, *b);
            }
        }
        Ok(())
    }

    /// Returns the structure. Tensors that share it have the same shape.
    #[cfg(feature = "std")]
    pub(crate) fn structure(&self) -> &Arc<super::Structure<F>> {
        &self.arrays().structure
    }

    fn check_structure<W: Stored>(
        &self,
        function: &'static str,
        other: &Tensor<W, F>,
    ) -> Result<(), Error> {
        if self.same_structure(other) {
            return Ok(());
        }
        let reason = if self.shape == other.shape {
            "the tensors store different coordinates; a kernel of their sum merges them".to_owned()
        } else {
            format!("the shapes {:?} and {:?} differ", self.shape, other.shape)
        };
        Err(Error::Argument { function, reason })
    }
}
