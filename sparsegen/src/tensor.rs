//! Tensors that own their storage, and views that borrow it.

use crate::format::{Format, Inverse, LevelExpr, Shape};
use crate::level::{Axes, Axis, Levels, MAX_LEVELS};
use crate::{Error, Stored, Value};

mod build;
mod change;
mod columns;
mod compare;
mod convert;
mod declared;
mod display;
mod distribute;
mod look;
mod order;
mod pack;
mod radix;
mod repack;
mod validate;
mod view;
mod walk;

use declared::Declared;

pub(crate) use build::Merge;
pub use build::{Builder, Duplicates};
pub(crate) use repack::cover;
pub use view::{IntoView, View};
pub use walk::Iter;
pub(crate) use walk::Walk;

/// A tensor of values `V` in format `F`, which owns its storage.
///
/// What is not stored is zero. A tensor is valid at all times: its levels keep every invariant
/// that its format declares, which is what lets kernels index without checks.
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
#[derive(Clone)]
pub struct Tensor<V, F: Format> {
    shape: F::Shape,
    levels: F::Levels,
    vals: Vec<V>,
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// The zero tensor. It stores only what the format's full levels force it to.
    ///
    /// # Errors
    /// [`Error::Size`] where it would not fit into memory, [`Error::Width`] where a coordinate
    /// would not fit its width, [`Error::Level`] where the format has a branchless level that would
    /// need a coordinate that its dimension does not have.
    pub fn zeros(shape: F::Shape) -> Result<Self, Error> {
        pack::empty(shape)
    }

    /// Puts a tensor together from its parts, checking every invariant of the format.
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
    /// [`Error::Level`] names the level and the index of the first mistake; [`Error::Parts`] tells
    /// that the number of values is not the number of positions of the last level; [`Error::Size`]
    /// and [`Error::Width`] as for [`Tensor::zeros`].
    pub fn from_parts(shape: F::Shape, levels: F::Levels, vals: Vec<V>) -> Result<Self, Error> {
        View::<V, F>::from_parts(shape, levels.views(), &vals)?;
        Ok(Tensor { shape, levels, vals })
    }

    /// Puts a tensor together from its parts without checking them.
    ///
    /// Debug builds check all the same, and panic.
    ///
    /// # Safety
    /// [`Tensor::from_parts`] would have to accept these parts.
    pub unsafe fn from_parts_unchecked(shape: F::Shape, levels: F::Levels, vals: Vec<V>) -> Self {
        check_values::<V, F>();
        let tensor = Tensor { shape, levels, vals };
        debug_assert_eq!(validate::validate(&tensor.view()), Ok(()));
        tensor
    }

    /// Takes the tensor apart into its shape, its levels and its values.
    pub fn into_parts(self) -> (F::Shape, F::Levels, Vec<V>) {
        (self.shape, self.levels, self.vals)
    }

    /// Takes the levels and values out, with the capacity of their buffers, and leaves the zero
    /// tensor of the same shape.
    pub fn take_parts(&mut self) -> (F::Levels, Vec<V>) {
        let zero = Tensor::zeros(self.shape)
            .expect("a shape that holds entries holds none, in no more memory");
        let Tensor { levels, vals, .. } = std::mem::replace(self, zero);
        (levels, vals)
    }

    /// The same tensor, borrowed: what kernels take.
    #[inline]
    pub fn view(&self) -> View<'_, V, F> {
        View { shape: self.shape, levels: self.levels.views(), vals: &self.vals }
    }

    /// The extent of each mode.
    #[inline]
    pub fn shape(&self) -> F::Shape {
        self.shape
    }

    /// The storage of the levels, outermost first.
    #[inline]
    pub fn levels(&self) -> &F::Levels {
        &self.levels
    }

    /// The stored values, by position in the last level.
    #[inline]
    pub fn vals(&self) -> &[V] {
        &self.vals
    }

    /// The structure, borrowed, beside the values, to be changed as in [`Tensor::vals_mut`].
    #[inline]
    pub fn structure_and_vals(&mut self) -> (<F::Levels as Levels>::Views<'_>, &mut [V]) {
        (self.levels.views(), &mut self.vals)
    }

    /// The stored values, to be changed where they are. The structure stays as it is; in a format
    /// with an `unpadded` level, to write a zero is a mistake that nothing checks.
    #[inline]
    pub fn vals_mut(&mut self) -> &mut [V] {
        &mut self.vals
    }
}

/// The inverse of the format's map; refuses at compile time a format whose constants contradict
/// each other.
fn inverse<F: Format>() -> &'static Inverse {
    const { &F::MAP.check(F::Shape::ORDER, F::Levels::KINDS) }
}

/// What the declaration and the shape say of one level, counted from 0; `None` where coordinates
/// cannot be counted, which no tensor's shape leads to.
#[inline]
fn axis<F: Format>(shape: &F::Shape, level: usize) -> Option<Axis> {
    inverse::<F>();
    Axis::of(&F::MAP, &F::Levels::KINDS[level], level, shape.as_ref())
}

/// What the declaration and the shape say of every level.
fn axes<F: Format>(shape: &F::Shape) -> Result<Axes, Error> {
    Declared::of::<F>().axes(shape.as_ref())
}

/// The number of levels.
fn level_count<F: Format>() -> usize {
    inverse::<F>();
    F::Levels::KINDS.len()
}

/// Refuses at compile time values that cannot be told from what the format pads with.
fn check_values<V: Stored, F: Format>() {
    const {
        let is_told_apart = !V::IS_PATTERN || !fills::<F>();
        assert!(is_told_apart, "a pattern has no zeros for a format to pad with");
    }
}

/// Returns whether the format stores values that nobody gave to it: its last level is full or pads, or is
/// branchless below one that does.
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

/// Returns whether the format pads, so that a stored value equal to the fill is padding and not an entry.
/// A format of which all levels are full does not: every coordinate of it is an entry.
const fn pads<F: Format>() -> bool {
    let mut is_dense = true;
    let mut level = 0;
    while level < F::Levels::KINDS.len() {
        is_dense = is_dense && is_full::<F>(level);
        level += 1;
    }
    fills::<F>() && !is_dense
}

/// Returns whether a value is the fill, which may be no number.
#[inline]
fn is_fill<V: Value>(value: V, fill: V) -> bool {
    value == fill || fill.compare(fill).is_none() && value.compare(value).is_none()
}

/// Returns whether a level has every coordinate under each parent.
const fn is_full<F: Format>(level: usize) -> bool {
    F::Levels::KINDS[level].full || F::MAP.levels[level].properties.full
}

/// Whether every value stands for a coordinate of a tensor of this shape: no level has unused
/// positions, no block reaches beyond an extent.
fn is_compact<F: Format>(shape: &F::Shape) -> bool {
    let is_compact = F::Levels::KINDS.iter().all(|kind| kind.compact);
    is_compact && F::MAP.levels.iter().all(|map| map.expr.is_exact(shape.as_ref()))
}

/// The coordinates of an entry, from its coordinates at every level; `None` where that is beyond
/// the extents, in the last block of a dimension that its size does not divide.
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
