//! Norms of tensors, over all of their elements.

use alloc::vec::Vec;

#[cfg(not(feature = "std"))]
use num_traits::Float;

use crate::{Format, Stored, Tensor, Value};

use super::build::Merge;
use super::declared::Declared;
use super::pack::combined;

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns the sum of the magnitudes of all elements, stored or not.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    /// assert_eq!(a.norm_l1(), 7.0);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes a pass over the entries, after sorting them if coordinates may be repeated.
    pub fn norm_l1(&self) -> f64 {
        let (magnitudes, rest) = self.magnitudes();
        magnitudes.iter().sum::<f64>() + rest.map_or(0.0, |(count, magnitude)| count * magnitude)
    }

    /// Returns the square root of the sum of the squared magnitudes of all elements, stored or not:
    /// the Euclidean norm of a vector, and the Frobenius norm of a matrix.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    /// assert_eq!(a.norm_l2(), 5.0);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Squares neither overflow nor underflow. Takes two passes over the entries, after sorting them
    /// if coordinates may be repeated.
    pub fn norm_l2(&self) -> f64 {
        let (magnitudes, rest) = self.magnitudes();
        let largest = largest(&magnitudes, rest);
        if largest == 0.0 || !largest.is_finite() {
            return largest;
        }
        let square = |magnitude: f64| (magnitude / largest).powi(2);
        let sum: f64 = magnitudes.into_iter().map(square).sum();
        let rest = rest.map_or(0.0, |(count, magnitude)| count * square(magnitude));
        largest * (sum + rest).sqrt()
    }

    /// Returns the largest magnitude of all elements, stored or not, or 0 if there are none.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    /// assert_eq!(a.norm_max(), 4.0);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// It is NaN if an element is. Takes a pass over the entries, after sorting them if coordinates
    /// may be repeated.
    pub fn norm_max(&self) -> f64 {
        let (magnitudes, rest) = self.magnitudes();
        largest(&magnitudes, rest)
    }

    /// Returns the magnitude at each stored coordinate, and the number and magnitude of the other
    /// elements, if there are any that are not zero.
    fn magnitudes(&self) -> (Vec<f64>, Option<(f64, f64)>) {
        let entries = self.iter().map(|(coordinate, value)| (coordinate, value.value()));
        let magnitudes: Vec<f64> = if Declared::of::<F>().may_repeat() {
            combined::<V::Value, F>(self.shape, entries.collect(), Merge::SUM)
                .expect("the entries of a tensor can be sorted, and values added")
                .into_iter()
                .map(|(_, value)| value.magnitude())
                .collect()
        } else {
            entries.map(|(_, value)| value.magnitude()).collect()
        };
        let all: f64 = self.shape.as_ref().iter().map(|extent| *extent as f64).product();
        let (count, fill) = (all - magnitudes.len() as f64, V::Value::filled(F::FILL));
        let is_visible = count > 0.0 && fill.magnitude() != 0.0;
        (magnitudes, is_visible.then(|| (count, fill.magnitude())))
    }
}

/// Returns the largest of some magnitudes, or NaN if one is.
fn largest(magnitudes: &[f64], rest: Option<(f64, f64)>) -> f64 {
    let rest = rest.map_or(0.0, |(_, magnitude)| magnitude);
    let larger = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
    magnitudes.iter().copied().fold(rest, larger)
}
