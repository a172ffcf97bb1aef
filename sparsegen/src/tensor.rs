//! Tensors, which own their storage, and views, which borrow it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::format::{Format, Inverse, LevelExpr, Shape};
use crate::level::{Axes, Axis, Levels, MAX_LEVELS};
use crate::{Error, Stored, Value};

mod assembly;
mod build;
mod change;
mod columns;
mod compare;
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
mod table;
mod tree;
mod validate;
mod view;
mod walk;
mod write;

use declared::Declared;
use pending::Pending;

pub use assembly::Assembly;
pub(crate) use build::Merge;
pub use build::{Builder, Duplicates};
#[cfg(feature = "mpi")]
pub(crate) use pack::pack;
#[cfg(feature = "parallel")]
pub use parallel::ParIter;
#[cfg(feature = "mpi")]
pub(crate) use repack::coordinates;
pub(crate) use repack::cover;
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
    levels: Arc<F::Levels>,
    vals: Vec<V>,
}

impl<V: Clone, F: Format> Clone for Arrays<V, F> {
    fn clone(&self) -> Self {
        Arrays { levels: Arc::clone(&self.levels), vals: self.vals.clone() }
    }
}

impl<V, F: Format> Tensor<V, F> {
    /// Creates a tensor from parts that are known to be valid.
    fn of(shape: F::Shape, levels: impl Into<Arc<F::Levels>>, vals: Vec<V>) -> Self {
        Tensor { shape, arrays: Arrays { levels: levels.into(), vals }, pending: None }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Creates a tensor of fill values. It stores only the entries that full levels require.
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
    pub fn into_parts(mut self) -> (F::Shape, F::Levels, Vec<V>) {
        self.merge_pending();
        let Arrays { levels, vals } = self.arrays;
        (self.shape, Arc::unwrap_or_clone(levels), vals)
    }

    /// Takes the levels and values, which keep the capacity of their buffers, and leaves a tensor
    /// of fill values with the same shape. Copies the arrays of the levels if another tensor shares
    /// them.
    pub fn take_parts(&mut self) -> (F::Levels, Vec<V>) {
        let zero = Tensor::zeros(self.shape)
            .expect("a shape that holds entries holds none, in no more memory");
        let (_, levels, vals) = core::mem::replace(self, zero).into_parts();
        (levels, vals)
    }

    /// Returns a view of the tensor, which kernels take as operand.
    #[inline]
    pub fn view(&self) -> View<'_, V, F> {
        let Arrays { levels, vals } = self.arrays();
        View { shape: self.shape, levels: levels.views(), vals }
    }

    /// Returns the extent of each mode.
    #[inline]
    pub fn shape(&self) -> F::Shape {
        self.shape
    }

    /// Returns the storage of the levels, outermost first.
    #[inline]
    pub fn levels(&self) -> &F::Levels {
        &self.arrays().levels
    }

    /// Returns the stored values, by position in the last level.
    #[inline]
    pub fn vals(&self) -> &[V] {
        &self.arrays().vals
    }

    /// Returns the structure and the values, which may be changed as with [`Tensor::vals_mut`].
    #[inline]
    pub fn structure_and_vals(&mut self) -> (<F::Levels as Levels>::Views<'_>, &mut [V]) {
        let Arrays { levels, vals } = self.arrays_mut();
        (levels.views(), vals)
    }

    /// Returns the stored values for modification; the structure stays the same. In a format with
    /// an `unpadded` level, the caller must not write fill values, which is not checked.
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

/// Returns the inverse of the format's map. Checks the constants of the format at compile time.
fn inverse<F: Format>() -> &'static Inverse {
    const { &F::MAP.check(F::Shape::ORDER, F::Levels::KINDS) }
}

/// Returns the axis of a level, counted from 0, or `None` if the number of its coordinates
/// overflows, which cannot happen for the shape of a tensor.
#[inline]
fn axis<F: Format>(shape: &F::Shape, level: usize) -> Option<Axis> {
    inverse::<F>();
    Axis::of(&F::MAP, &F::Levels::KINDS[level], level, shape.as_ref())
}

/// Returns the axes of all levels.
pub(crate) fn axes<F: Format>(shape: &F::Shape) -> Result<Axes, Error> {
    Declared::of::<F>().axes(shape.as_ref())
}

/// Returns the number of levels.
fn level_count<F: Format>() -> usize {
    inverse::<F>();
    F::Levels::KINDS.len()
}

/// Checks at compile time that entries of a pattern can be distinguished from padding.
fn check_values<V: Stored, F: Format>() {
    const {
        let is_told_apart = !V::IS_PATTERN || !fills::<F>();
        assert!(is_told_apart, "a pattern has no zeros for a format to pad with");
    }
}

/// Returns whether the format may store values that are not entries: whether its last level is full
/// or pads, or is branchless below a level that does.
const fn fills<F: Format>() -> bool {
    let mut fills = false;
    let mut level = 0;
    while level < F::Levels::KINDS.len() {
        let kind = F::Levels::KINDS[level];
        fills = kind.pads || is_full::<F>(level) || kind.branchless && fills;
        level += 1;
    }
    fills
}

/// Returns whether the format pads, so that stored fill values are padding and not entries. A
/// format whose levels are all full does not pad: each of its coordinates is an entry.
const fn pads<F: Format>() -> bool {
    fills::<F>() && !is_dense::<F>()
}

/// Returns whether a format stores every coordinate: whether all of its levels are full.
pub(crate) const fn is_dense<F: Format>() -> bool {
    let mut is_dense = true;
    let mut level = 0;
    while level < F::Levels::KINDS.len() {
        is_dense = is_dense && is_full::<F>(level);
        level += 1;
    }
    is_dense
}

/// Returns whether a value equals the fill value, which may be NaN.
#[inline]
fn is_fill<V: Value>(value: V, fill: V) -> bool {
    value == fill || fill.compare(fill).is_none() && value.compare(value).is_none()
}

/// Returns whether a level stores every coordinate under each parent.
const fn is_full<F: Format>(level: usize) -> bool {
    F::Levels::KINDS[level].full || F::MAP.levels[level].properties.full
}

/// Returns whether every value belongs to a coordinate within the shape: no level has unused
/// positions, and no block exceeds an extent.
fn is_compact<F: Format>(shape: &F::Shape) -> bool {
    let is_compact = F::Levels::KINDS.iter().all(|kind| kind.compact);
    is_compact && F::MAP.levels.iter().all(|map| map.expr.is_exact(shape.as_ref()))
}

/// Returns the coordinates of an entry, given its coordinates at every level, or `None` if they are
/// not within the shape, in the last block of a dimension that blocks do not divide.
#[inline]
fn entry<F: Format>(shape: &F::Shape, axes: &Axes, coords: &[usize]) -> Option<F::Shape> {
    let mut entry = F::Shape::splat(0);
    let inverse = inverse::<F>();
    if inverse.is_permutation {
        for (map, &coordinate) in F::MAP.levels.iter().zip(coords) {
            if let LevelExpr::Dimension(dimension) = map.expr {
                entry.as_mut()[dimension] = coordinate;
            }
        }
        return Some(entry);
    }
    let mut numbers = [0; MAX_LEVELS];
    for ((number, axis), coordinate) in numbers.iter_mut().zip(axes).zip(coords) {
        *number = coordinate.wrapping_add(axis.first as usize);
    }
    for (dimension, coordinate) in entry.as_mut().iter_mut().enumerate() {
        *coordinate = inverse.coordinate(dimension, &numbers[..coords.len()]);
    }
    shape.contains(&entry).then_some(entry)
}
