//! Tensors that borrow their storage.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;

use crate::formats::Dense;
use crate::level::{DenseView, Levels};
use crate::{Error, Format, Stored, Tensor, Value};

use super::structure::Structure;
use super::{check_values, validate};

/// A tensor of values `V` in format `F` that borrows its storage.
///
/// Kernels take views as operands. Like a [`Tensor`], a view is always valid. It is obtained
/// without a copy from a [`Tensor`] or, as a dense vector, from a slice:
///
/// ```
/// use sparsegen::{Dense, View};
///
/// let x = View::<f64, Dense<1>>::from(&[1.0, 2.0, 3.0]);
/// assert_eq!(x.get([2]), Some(3.0));
/// ```
pub struct View<'a, V, F: Format> {
    pub(super) shape: F::Shape,
    pub(super) levels: <F::Levels as Levels>::Views<'a>,
    pub(super) vals: &'a [V],
    /// The structure of a tensor, which identifies it.
    pub(super) structure: Option<&'a Arc<Structure<F>>>,
}

impl<V, F: Format> Clone for View<'_, V, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, F: Format> Copy for View<'_, V, F> {}

impl<'a, V: Stored, F: Format> View<'a, V, F> {
    /// Creates a view from borrowed parts and checks every invariant of the format.
    ///
    /// ```
    /// use sparsegen::{Csr, View, level};
    ///
    /// let columns = level::CompressedView { pos: &[0, 1, 2], crd: &[1, 2] };
    /// let levels = (level::DenseView { size: 2 }, columns);
    /// let a = View::<f64, Csr>::from_parts([2, 3], levels, &[2.0, 3.0])?;
    /// assert_eq!(a.get([1, 2]), Some(3.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`Tensor::from_parts`].
    pub fn from_parts(
        shape: F::Shape,
        levels: <F::Levels as Levels>::Views<'a>,
        vals: &'a [V],
    ) -> Result<Self, Error> {
        let view = View { shape, levels, vals, structure: None };
        validate::validate(&view)?;
        Ok(view)
    }

    /// Creates a view from borrowed parts without checking them.
    ///
    /// Debug builds check them and panic if they are not valid.
    ///
    /// ```
    /// use sparsegen::{Csr, View, level};
    ///
    /// let columns = level::CompressedView { pos: &[0, 1, 2], crd: &[1, 2] };
    /// let levels = (level::DenseView { size: 2 }, columns);
    /// // SAFETY: Both rows have one column, which is below 3.
    /// let a = unsafe { View::<f64, Csr>::from_parts_unchecked([2, 3], levels, &[2.0, 3.0]) };
    /// assert_eq!(a.get([1, 2]), Some(3.0));
    /// ```
    ///
    /// # Safety
    /// [`View::from_parts`] must accept these parts.
    pub unsafe fn from_parts_unchecked(
        shape: F::Shape,
        levels: <F::Levels as Levels>::Views<'a>,
        vals: &'a [V],
    ) -> Self {
        check_values::<V, F>();
        let view = View { shape, levels, vals, structure: None };
        debug_assert_eq!(validate::validate(&view), Ok(()));
        view
    }

    /// Creates a view from borrowed parts without checking them, also in debug builds.
    ///
    /// # Safety
    /// [`View::from_parts`] must accept these parts.
    #[cfg(feature = "mmap")]
    pub(crate) unsafe fn of_valid(
        shape: F::Shape,
        levels: <F::Levels as Levels>::Views<'a>,
        vals: &'a [V],
    ) -> Self {
        check_values::<V, F>();
        View { shape, levels, vals, structure: None }
    }

    /// Returns the extent of each mode.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// assert_eq!(Tensor::<f64, Csr>::zeros([2, 3])?.view().shape(), [2, 3]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn shape(&self) -> F::Shape {
        self.shape
    }

    /// Returns the storage of the levels, outermost first.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let (_, columns) = a.view().levels();
    /// assert_eq!((columns.pos, columns.crd), (&[0, 1, 2][..], &[1, 2][..]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn levels(&self) -> <F::Levels as Levels>::Views<'a> {
        self.levels
    }

    /// Returns the stored values, by position in the last level.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// assert_eq!(a.view().vals(), [2.0, 3.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn vals(&self) -> &'a [V] {
        self.vals
    }
}

impl<'a, V: Stored, F: Format> From<&'a Tensor<V, F>> for View<'a, V, F> {
    #[inline]
    fn from(tensor: &'a Tensor<V, F>) -> Self {
        tensor.view()
    }
}

/// An operand of a kernel: a [`View`], or a value that converts into one, such as a reference to a
/// [`Tensor`] or, as a dense vector, a reference to a slice, vector or array.
///
/// Types of other crates convert with [`TryFrom`] if they guarantee less than the format does. A
/// kernel that takes such a type checks it in each call, and returns the error. To check it once,
/// convert it before the calls: `View::<f64, Csr<usize, usize>>::try_from(&matrix)?`.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{V}` in the format `{F}` is expected, not `{Self}`",
    label = "expected a reference to a tensor of `{V}` in the format `{F}`",
    note = "for a tensor in another format, pass `&tensor.to::<{F}>()?`, or declare its format in the \
            manifest",
    note = "for a tensor of other elements, pass `&tensor.map_vals(|value| value as {V})`, or declare \
            its `dtype` in the manifest",
    note = "for a tensor by value, pass a reference: `&tensor`",
    note = "for a type of another crate, enable the feature of `sparsegen` for it (see \
            `sparsegen::bridge`), and declare its integer types in the manifest, for example \
            `{{ map = \"csr\", pos = \"usize\", crd = \"usize\" }}`"
)]
pub trait IntoView<'a, V: Stored, F: Format> {
    /// Borrows the tensor.
    ///
    /// # Errors
    /// The error of the conversion, which checks the invariants that the type does not guarantee.
    /// The types of this crate guarantee all of them.
    fn into_view(self) -> Result<View<'a, V, F>, Error>;
}

#[diagnostic::do_not_recommend]
impl<'a, V: Stored, F: Format, T> IntoView<'a, V, F> for T
where
    T: TryInto<View<'a, V, F>, Error: ConversionError>,
{
    #[inline]
    fn into_view(self) -> Result<View<'a, V, F>, Error> {
        self.try_into().map_err(ConversionError::into_error)
    }
}

/// The error of a conversion into a [`View`]. It is not [`Into<Error>`], because a second type that
/// converts into [`Error`] would make the type of `?` in closures ambiguous.
#[doc(hidden)]
pub trait ConversionError {
    fn into_error(self) -> Error;
}

impl ConversionError for Error {
    fn into_error(self) -> Error {
        self
    }
}

impl ConversionError for Infallible {
    #[inline]
    fn into_error(self) -> Error {
        match self {}
    }
}

impl<'a, V: Value> From<&'a [V]> for View<'a, V, Dense<1>> {
    #[inline]
    fn from(vals: &'a [V]) -> Self {
        View {
            shape: [vals.len()],
            levels: (DenseView { size: vals.len() },),
            vals,
            structure: None,
        }
    }
}

impl<'a, V: Value> From<&'a Vec<V>> for View<'a, V, Dense<1>> {
    #[inline]
    fn from(vals: &'a Vec<V>) -> Self {
        View::from(vals.as_slice())
    }
}

impl<'a, V: Value, const N: usize> From<&'a [V; N]> for View<'a, V, Dense<1>> {
    #[inline]
    fn from(vals: &'a [V; N]) -> Self {
        View::from(vals.as_slice())
    }
}
