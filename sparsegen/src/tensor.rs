//! Tensors, which own their storage, and views, which borrow it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::format::Format;
use crate::level::Levels;
use crate::{Error, Stored};

mod about;
mod assembly;
mod build;
mod change;
mod columns;
mod compare;
mod conversions;
mod convert;
mod declared;
mod display;
mod look;
mod make;
mod norms;
mod order;
mod pack;
#[cfg(feature = "parallel")]
mod parallel;
mod pending;
mod place;
mod repack;
mod reshape;
mod share;
mod structure;
mod table;
mod tree;
mod validate;
mod view;
mod walk;
mod write;

use about::{axis, check_values, entry, inverse, is_compact, is_fill, is_full, level_count, pads};
use declared::Declared;
use pending::Pending;

pub(crate) use about::axes;
#[cfg(feature = "mpi")]
pub(crate) use about::is_dense;
pub use assembly::Assembly;
pub(crate) use build::Merge;
pub use build::{Builder, Duplicates};
pub(crate) use conversions::convert;
#[cfg(feature = "mpi")]
pub(crate) use pack::pack;
#[cfg(feature = "parallel")]
pub use parallel::ParIter;
#[cfg(feature = "mpi")]
pub(crate) use repack::coordinates;
pub(crate) use repack::cover;
pub(crate) use structure::Structure;
pub use structure::{Operand, ResultOf};
pub use tree::Tree;
pub use view::{IntoView, View};
pub(crate) use walk::Walk;
pub use walk::{Iter, IterMut};
pub use write::{Entry, Vacant};

/// A tensor of values `V` in format `F` that owns its storage.
///
/// Entries that are not stored have the fill value of the format, which is zero by default. A
/// tensor is always valid: its levels uphold every invariant that its format declares, so that
/// kernels index without checks.
///
/// ```
/// use sparsegen::{Coo, Csr, Tensor};
///
/// let entries = [([0, 1], 2.0), ([2, 0], 3.0), ([2, 3], 4.0)];
/// let a = Tensor::<f64, Csr>::from_triplets([3, 4], entries)?;
/// assert_eq!(a.get([2, 3]), Some(4.0));
/// assert_eq!(a.get([1, 1]), Some(0.0));
/// assert_eq!(a.get([3, 0]), None);
///
/// let b = a.to::<Coo<2>>()?;
/// assert!(b.iter().eq(entries));
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// # Changes
/// [`Tensor::insert`], [`Tensor::add_at`], [`Tensor::remove`] and [`Tensor::extend`] change single
/// entries. Changes of the structure are kept in a list, which the next read merges into the
/// arrays, so that any number of writes between two reads cost one pass over the tensor. Reads take
/// `&self`, from any number of threads.
#[derive(Clone)]
pub struct Tensor<V, F: Format> {
    shape: F::Shape,
    /// The arrays without the pending changes.
    arrays: Arrays<V, F>,
    /// The changes since these arrays were made, if there are any.
    pending: Option<Box<Pending<V, F>>>,
}

/// The arrays of a tensor: its structure, which tensors may share, and its values.
struct Arrays<V, F: Format> {
    structure: Arc<Structure<F>>,
    vals: Vec<V>,
}

impl<V: Clone, F: Format> Clone for Arrays<V, F> {
    fn clone(&self) -> Self {
        Arrays { structure: Arc::clone(&self.structure), vals: self.vals.clone() }
    }
}

impl<V, F: Format> Tensor<V, F> {
    /// Creates a tensor from parts that are known to be valid.
    fn of(shape: F::Shape, levels: F::Levels, vals: Vec<V>) -> Self {
        Tensor::sharing(shape, Structure::of(levels), vals)
    }

    /// Creates a tensor from parts that are known to be valid, and whose structure others may share.
    fn sharing(shape: F::Shape, structure: Arc<Structure<F>>, vals: Vec<V>) -> Self {
        Tensor { shape, arrays: Arrays { structure, vals }, pending: None }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Creates a tensor of fill values. It stores only the entries that full levels require.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::zeros([2, 3])?;
    /// assert_eq!((a.stored(), a.get([1, 2])), (0, Some(0.0)));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Size`] if the tensor exceeds memory, [`Error::Width`] if a coordinate does not fit
    /// its integer type, and [`Error::Level`] if a branchless level needs a coordinate and its
    /// dimension has none.
    pub fn zeros(shape: F::Shape) -> Result<Self, Error> {
        pack::empty(shape)
    }

    /// Creates a tensor from its parts and checks every invariant of the format.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor, level};
    ///
    /// let columns = level::Compressed { pos: vec![0, 1, 3], crd: vec![1, 0, 2] };
    /// let levels = (level::Dense { size: 2 }, columns);
    /// let a = Tensor::<f64, Csr>::from_parts([2, 3], levels, vec![2.0, 3.0, 4.0])?;
    /// assert_eq!(a.get([1, 2]), Some(4.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Level`] with the level and the index of the first invalid element, [`Error::Parts`]
    /// if the number of values differs from the number of positions of the last level, and
    /// [`Error::Size`] and [`Error::Width`] as for [`Tensor::zeros`].
    pub fn from_parts(shape: F::Shape, levels: F::Levels, vals: Vec<V>) -> Result<Self, Error> {
        View::<V, F>::from_parts(shape, levels.views(), &vals)?;
        Ok(Tensor::of(shape, levels, vals))
    }

    /// Creates a tensor from its parts without checking them.
    ///
    /// Debug builds check them and panic if they are not valid.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor, level};
    ///
    /// let columns = level::Compressed { pos: vec![0, 1, 2], crd: vec![1, 2] };
    /// let levels = (level::Dense { size: 2 }, columns);
    /// // SAFETY: Both rows have one column, which is below 3.
    /// let a = unsafe { Tensor::<f64, Csr>::from_parts_unchecked([2, 3], levels, vec![2.0, 3.0]) };
    /// assert_eq!(a.get([1, 2]), Some(3.0));
    /// ```
    ///
    /// # Safety
    /// [`Tensor::from_parts`] must accept these parts.
    pub unsafe fn from_parts_unchecked(shape: F::Shape, levels: F::Levels, vals: Vec<V>) -> Self {
        check_values::<V, F>();
        let tensor = Tensor::of(shape, levels, vals);
        debug_assert_eq!(validate::validate(&tensor.view()), Ok(()));
        tensor
    }

    /// Decomposes the tensor into its shape, levels and values. Copies the arrays of the levels if
    /// another tensor shares them.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let (shape, (rows, columns), vals) = a.into_parts();
    /// assert_eq!((shape, rows.size), ([2, 3], 2));
    /// assert_eq!((columns.pos, columns.crd, vals), (vec![0, 1, 2], vec![1, 2], vec![2.0, 3.0]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn into_parts(mut self) -> (F::Shape, F::Levels, Vec<V>) {
        self.merge_pending();
        let Arrays { structure, vals } = self.arrays;
        (self.shape, structure.into_levels(), vals)
    }

    /// Takes the levels and values, which keep the capacity of their buffers, and leaves a tensor
    /// of fill values with the same shape. Copies the arrays of the levels if another tensor shares
    /// them.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let ((_, columns), vals) = a.take_parts();
    /// assert_eq!((columns.crd, vals), (vec![1, 2], vec![2.0, 3.0]));
    /// assert_eq!((a.shape(), a.stored()), ([2, 3], 0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn take_parts(&mut self) -> (F::Levels, Vec<V>) {
        let zero = Tensor::zeros(self.shape)
            .expect("a shape that holds entries holds none, in no more memory");
        let (_, levels, vals) = core::mem::replace(self, zero).into_parts();
        (levels, vals)
    }

    /// Returns a view of the tensor, which kernels take as operand.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor, View};
    ///
    /// fn sum(a: View<'_, f64, Csr>) -> f64 {
    ///     a.vals().iter().sum()
    /// }
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// assert_eq!(sum(a.view()), 5.0);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn view(&self) -> View<'_, V, F> {
        let Arrays { structure, vals } = self.arrays();
        View { shape: self.shape, levels: structure.views(), vals, structure: Some(structure) }
    }

    /// Returns the extent of each mode.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// assert_eq!(Tensor::<f64, Csr>::zeros([2, 3])?.shape(), [2, 3]);
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
    /// let (rows, columns) = a.levels();
    /// assert_eq!((rows.size, &*columns.pos, &*columns.crd), (2, &[0, 1, 2][..], &[1, 2][..]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn levels(&self) -> &F::Levels {
        &self.arrays().structure
    }

    /// Returns the stored values, by position in the last level.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// assert_eq!(a.vals(), [2.0, 3.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn vals(&self) -> &[V] {
        &self.arrays().vals
    }

    /// Returns the structure and the values, which may be changed as with [`Tensor::vals_mut`].
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// // The values of each row, divided by their number.
    /// let entries = [([0, 0], 2.0), ([0, 1], 4.0), ([1, 2], 3.0)];
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 3], entries)?;
    /// let ((_, columns), vals) = a.structure_and_vals();
    /// for row in columns.pos.windows(2) {
    ///     let count = row[1] - row[0];
    ///     vals[row[0] as usize..row[1] as usize].iter_mut().for_each(|value| *value /= f64::from(count));
    /// }
    /// assert_eq!(a.vals(), [1.0, 2.0, 3.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn structure_and_vals(&mut self) -> (<F::Levels as Levels>::Views<'_>, &mut [V]) {
        let Arrays { structure, vals } = self.arrays_mut();
        (structure.views(), vals)
    }

    /// Returns the stored values for modification; the structure stays the same. In a format with
    /// an `unpadded` level, the caller must not write fill values, which is not checked.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let mut a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// a.vals_mut()[0] = 5.0;
    /// assert_eq!(a.get([0, 1]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    #[inline]
    pub fn vals_mut(&mut self) -> &mut [V] {
        &mut self.arrays_mut().vals
    }

    /// Returns the arrays with all changes.
    #[inline]
    fn arrays(&self) -> &Arrays<V, F> {
        match &self.pending {
            None => &self.arrays,
            Some(pending) => pending.merged(self.shape, &self.arrays),
        }
    }

    /// Returns the arrays with all changes, for modification.
    #[inline]
    fn arrays_mut(&mut self) -> &mut Arrays<V, F> {
        self.merge_pending();
        &mut self.arrays
    }

    /// Merges the pending changes into the arrays.
    #[inline]
    fn merge_pending(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.arrays = pending.into_merged(self.shape, &self.arrays);
        }
    }
}
