//! `ndarray`: dense arrays of orders 1 to 6, whose strides are values.

use ndarray_0_17::{Array, ArrayBase, ArrayView, Data, Dim, Dimension};

use super::layout;
use crate::level::{Dense as DenseLevel, DenseView};
use crate::{Dense, DenseCol, Error, Tensor, Value, View};

/// The reason why an array cannot be borrowed in row-major order.
const BY_ROWS: &str = "it is not contiguous in row-major order; pass \
                       `&array.as_standard_layout()`, or an array in column-major order to a \
                       kernel for `dense_col`";

/// The reason why an array cannot be borrowed in column-major order.
const BY_COLUMNS: &str = "it is not contiguous in column-major order; pass an array in row-major \
                          order to a kernel for `dense`";

/// Returns the error that an array has other strides than a format.
fn strides(format: &str, reason: &str) -> Error {
    layout("an array of `ndarray`", &format!("a `{format}` tensor"), reason)
}

/// Returns the error that `ndarray` cannot represent the extents.
fn too_large() -> Error {
    let reason = "`ndarray` has arrays only if the product of the extents that are not 0 is at most \
                  `isize::MAX`";
    layout("a `dense` tensor", "an array of `ndarray`", reason)
}

/// Returns the extents of an array of order `N`.
fn shape<const N: usize>(extents: &[usize]) -> [usize; N] {
    std::array::from_fn(|dimension| extents[dimension])
}

/// Returns the values of an array in row-major order, without a copy if they are stored so.
fn values<V: Value, D: Dimension>(array: Array<V, D>) -> Vec<V> {
    if !array.is_standard_layout() {
        return array.iter().copied().collect();
    }
    let count = array.len();
    let (mut vals, first) = array.into_raw_vec_and_offset();
    // A slice of a larger array owns the values of all of it.
    vals.drain(..first.unwrap_or(0));
    vals.truncate(count);
    vals
}

/// Implements the conversions of arrays of one order: its dimensions forwards and backwards.
macro_rules! arrays {
    ($($order:literal: $($dimension:literal)*, $($reverse:literal)*;)*) => {$(
        /// Borrows an array in row-major order.
        ///
        /// # Errors
        /// [`Error::Layout`] if the array has other strides.
        impl<'a, V: Value> TryFrom<ArrayView<'a, V, Dim<[usize; $order]>>>
            for View<'a, V, Dense<$order>>
        {
            type Error = Error;

            fn try_from(array: ArrayView<'a, V, Dim<[usize; $order]>>) -> Result<Self, Error> {
                let shape = shape(array.shape());
                let vals = array.to_slice().ok_or_else(|| strides("dense", BY_ROWS))?;
                View::from_parts(shape, ($(DenseView { size: shape[$dimension] },)*), vals)
            }
        }

        /// Borrows an array in column-major order.
        ///
        /// # Errors
        /// [`Error::Layout`] if the array has other strides.
        impl<'a, V: Value> TryFrom<ArrayView<'a, V, Dim<[usize; $order]>>>
            for View<'a, V, DenseCol<$order>>
        {
            type Error = Error;

            fn try_from(array: ArrayView<'a, V, Dim<[usize; $order]>>) -> Result<Self, Error> {
                let shape = shape(array.shape());
                let reversed = array.reversed_axes();
                let vals = reversed.to_slice().ok_or_else(|| strides("dense_col", BY_COLUMNS))?;
                View::from_parts(shape, ($(DenseView { size: shape[$reverse] },)*), vals)
            }
        }

        /// Borrows an array in row-major order.
        ///
        /// # Errors
        /// [`Error::Layout`] if the array has other strides.
        impl<'a, V: Value, S: Data<Elem = V>> TryFrom<&'a ArrayBase<S, Dim<[usize; $order]>>>
            for View<'a, V, Dense<$order>>
        {
            type Error = Error;

            fn try_from(array: &'a ArrayBase<S, Dim<[usize; $order]>>) -> Result<Self, Error> {
                array.view().try_into()
            }
        }

        /// Borrows an array in column-major order.
        ///
        /// # Errors
        /// [`Error::Layout`] if the array has other strides.
        impl<'a, V: Value, S: Data<Elem = V>> TryFrom<&'a ArrayBase<S, Dim<[usize; $order]>>>
            for View<'a, V, DenseCol<$order>>
        {
            type Error = Error;

            fn try_from(array: &'a ArrayBase<S, Dim<[usize; $order]>>) -> Result<Self, Error> {
                array.view().try_into()
            }
        }

        /// Takes the values of an array in row-major order, and copies those of an array with other
        /// strides.
        impl<V: Value> From<Array<V, Dim<[usize; $order]>>> for Tensor<V, Dense<$order>> {
            fn from(array: Array<V, Dim<[usize; $order]>>) -> Self {
                let shape = shape(array.shape());
                let levels = ($(DenseLevel { size: shape[$dimension] },)*);
                Tensor::from_parts(shape, levels, values(array))
                    .expect("an array has a value for each coordinate")
            }
        }

        /// Hands the values to `ndarray`, without a copy.
        ///
        /// # Errors
        /// [`Error::Layout`] if the product of the extents that are not 0 exceeds an `isize`.
        impl<V: Value> TryFrom<Tensor<V, Dense<$order>>> for Array<V, Dim<[usize; $order]>> {
            type Error = Error;

            fn try_from(tensor: Tensor<V, Dense<$order>>) -> Result<Self, Error> {
                let (shape, _, vals) = tensor.into_parts();
                Array::from_shape_vec(shape, vals).map_err(|_| too_large())
            }
        }

        /// Lends the values to `ndarray`.
        ///
        /// # Errors
        /// [`Error::Layout`] if the product of the extents that are not 0 exceeds an `isize`.
        impl<'a, V: Value> TryFrom<View<'a, V, Dense<$order>>>
            for ArrayView<'a, V, Dim<[usize; $order]>>
        {
            type Error = Error;

            fn try_from(view: View<'a, V, Dense<$order>>) -> Result<Self, Error> {
                ArrayView::from_shape(view.shape(), view.vals()).map_err(|_| too_large())
            }
        }
    )*};
}

arrays! {
    1: 0, 0;
    2: 0 1, 1 0;
    3: 0 1 2, 2 1 0;
    4: 0 1 2 3, 3 2 1 0;
    5: 0 1 2 3 4, 4 3 2 1 0;
    6: 0 1 2 3 4 5, 5 4 3 2 1 0;
}
