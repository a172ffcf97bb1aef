//! What generated kernels call: checks of shapes and widths, slices whose indices are proven,
//! vectors whose room is, workspaces, loops in parts.

mod division;
mod parallel;
mod workspace;

use std::collections::HashSet;
use std::fmt;
use std::ops::{Index, IndexMut, Range};

use num_traits::{Float, NumAssign, NumCast, Signed, ToPrimitive};

use crate::width::narrowest;
use crate::{Error, Format, Stored, Tensor, Width};

pub use division::Division;
pub use parallel::{Parts, each, join_ends, join_positions, parts, split, total};
pub use workspace::Workspace;

/// 1 for what is above zero, -1 for what is below it, and what is neither as it is: zero, or not a
/// number.
pub fn sign<V: Signed>(value: V) -> V {
    if value.is_zero() { value } else { value.signum() }
}

/// A number of a type that the caller of a generic kernel chooses.
///
/// # Panics
/// Where the type cannot hold it, as an `i8` cannot hold 300.
pub fn number<V: NumCast>(number: impl ToPrimitive) -> V {
    V::from(number).expect("the elements' type holds the numbers of the kernel's statement")
}

/// The absolute value.
pub fn abs<V: Signed>(value: V) -> V {
    value.abs()
}

/// The product of a number with itself.
pub fn square<V: NumAssign + Copy>(value: V) -> V {
    value * value
}

/// The product of three times the same number.
pub fn cube<V: NumAssign + Copy>(value: V) -> V {
    value * value * value
}

/// The argument of a real number taken as a complex one: 0, or π where it is negative.
pub fn arg<V: Float>(value: V) -> V {
    if value.is_nan() { value } else { V::zero().atan2(value) }
}

/// One mode of one argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The tensor's name in the kernel's expression.
    pub tensor: &'static str,
    /// Which mode, counted from 0.
    pub mode: usize,
    /// The mode's extent.
    pub size: usize,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode {} of `{}`, of size {}", self.mode, self.tensor, self.size)
    }
}

/// A mode in short: the tensor's name, which mode, and its extent.
impl From<(&'static str, usize, usize)> for Mode {
    fn from((tensor, mode, size): (&'static str, usize, usize)) -> Mode {
        Mode { tensor, mode, size }
    }
}

/// The size of an index variable: the one that all modes it runs over share, each of which is given
/// as its tensor's name, its number and its extent.
///
/// # Errors
/// [`Error::Shape`] where two of them differ. Without any mode the size is 0.
pub fn agree(
    kernel: &'static str,
    variable: &'static str,
    modes: &[(&'static str, usize, usize)],
) -> Result<usize, Error> {
    let Some(&first) = modes.first() else { return Ok(0) };
    let expected = Mode::from(first);
    match modes.iter().find(|(.., size)| *size != expected.size) {
        None => Ok(expected.size),
        Some(&found) => Err(Error::Shape { kernel, variable, expected, found: found.into() }),
    }
}

/// Checks that an index variable has the size that the kernel was generated for, in modes given as
/// for [`agree`].
///
/// # Errors
/// [`Error::Extent`] where a mode has another size.
pub fn demand(
    kernel: &'static str,
    variable: &'static str,
    constant: usize,
    modes: &[(&'static str, usize, usize)],
) -> Result<(), Error> {
    match modes.iter().find(|(.., size)| *size != constant) {
        None => Ok(()),
        Some(&found) => {
            Err(Error::Extent { kernel, variable, expected: constant, found: found.into() })
        }
    }
}

/// Checks that a slice lies within a mode, which is given as for [`agree`].
///
/// # Errors
/// [`Error::Slice`] where it ends beyond the mode, or before it begins.
pub fn slice(
    kernel: &'static str,
    mode: (&'static str, usize, usize),
    slice: Range<usize>,
) -> Result<(), Error> {
    let Range { start, end } = slice;
    if start <= end && end <= mode.2 {
        return Ok(());
    }
    Err(Error::Slice { kernel, mode: mode.into(), start, end })
}

/// The result of a kernel that computes a part of it: what it held outside of that part, and in it the
/// entries that the kernel listed.
///
/// # Errors
/// As [`Tensor::from_triplets`].
pub fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &Tensor<V, F>,
    listed: &Tensor<V, G>,
    inside: impl Fn(&F::Shape) -> bool,
) -> Result<Tensor<V, F>, Error> {
    crate::tensor::cover(&old.view(), &listed.view(), inside)
}

/// Checks that a coordinate lies within a mode, which is given as for [`agree`].
///
/// # Errors
/// [`Error::Index`] where it lies beyond.
pub fn index(
    kernel: &'static str,
    mode: (&'static str, usize, usize),
    coordinate: usize,
) -> Result<(), Error> {
    if coordinate < mode.2 {
        return Ok(());
    }
    Err(Error::Index { kernel, mode: mode.into(), coordinate })
}

/// Checks that a reduction that tells where a value is has any to choose from.
///
/// # Errors
/// [`Error::Choice`] where the extent of its variable is 0.
pub fn choice(
    kernel: &'static str,
    reduction: &'static str,
    variable: &'static str,
    extent: usize,
) -> Result<(), Error> {
    if extent > 0 { Ok(()) } else { Err(Error::Choice { kernel, reduction, variable }) }
}

/// Checks that every coordinate of a list lies within a mode, which is given as for [`agree`].
///
/// # Errors
/// [`Error::Index`] with the first that lies beyond.
pub fn indices(
    kernel: &'static str,
    mode: (&'static str, usize, usize),
    list: &[usize],
) -> Result<(), Error> {
    list.iter().try_for_each(|coordinate| index(kernel, mode, *coordinate))
}

/// A list of coordinates in which of equal ones the last stays, and the others become the largest index,
/// which is no coordinate. It takes time in the order of the list's length, on average.
pub fn last_of_each(list: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut last = list.to_vec();
    for coordinate in last.iter_mut().rev() {
        if !seen.insert(*coordinate) {
            *coordinate = usize::MAX;
        }
    }
    last
}

/// Checks that every element of the tensor `by` is a coordinate of a mode, which is given as for
/// [`agree`].
///
/// # Errors
/// [`Error::Gather`] with the first that is negative or lies beyond.
pub fn gather<V: Copy + TryInto<usize> + TryInto<i128>>(
    kernel: &'static str,
    mode: (&'static str, usize, usize),
    by: &'static str,
    elements: &[V],
) -> Result<(), Error> {
    let lies_beyond = |element: &&V| (**element).try_into().map_or(true, |at: usize| at >= mode.2);
    match elements.iter().find(lies_beyond) {
        None => Ok(()),
        Some(element) => {
            let element = (*element).try_into().unwrap_or(i128::MAX);
            Err(Error::Gather { kernel, mode: mode.into(), by, element })
        }
    }
}

/// The first of the positions whose stored coordinate is not below the one that is searched for, or
/// their end. The coordinates there are in order.
#[inline]
pub fn search<C>(crd: &C, positions: Range<usize>, coordinate: usize) -> usize
where
    C: Index<usize, Output: Width> + ?Sized,
{
    let Range { mut start, mut end } = positions;
    while start < end {
        let middle = start + (end - start) / 2;
        if crd[middle].to_usize() < coordinate {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

/// Checks that the numbers a kernel is going to store fit their width; `what` names the array, as
/// in `"positions of level 2"`.
///
/// # Errors
/// [`Error::Width`] where the largest one does not fit.
pub fn fits<W: Width>(
    kernel: &'static str,
    tensor: &'static str,
    what: &'static str,
    largest: usize,
) -> Result<(), Error> {
    if largest <= W::LARGEST {
        return Ok(());
    }
    let of = format!("kernel `{kernel}`, tensor `{tensor}`");
    let (what, width, largest) = (what.to_owned(), W::NAME, largest as i128);
    Err(Error::Width { of, what, width, largest, choose: narrowest(0, largest) })
}

/// Whether a result has the structure that its operands lead to, as a kernel found out that computes
/// values only.
///
/// # Errors
/// [`Error::Structure`] where it has not.
pub fn known(is_known: bool, kernel: &'static str, tensor: &'static str) -> Result<(), Error> {
    if is_known { Ok(()) } else { Err(Error::Structure { kernel, tensor }) }
}

/// Replaces the values of a result by those of one that was computed anew.
///
/// # Errors
/// [`Error::Structure`] where the two store other coordinates.
pub fn replace_values<V: Stored, F: Format>(
    result: &mut Tensor<V, F>,
    computed: &Tensor<V, F>,
    kernel: &'static str,
    tensor: &'static str,
) -> Result<(), Error> {
    known(result.levels() == computed.levels(), kernel, tensor)?;
    result.vals_mut().copy_from_slice(computed.vals());
    Ok(())
}

/// A slice that is only ever indexed within its length, so that indexing needs no check.
///
/// Debug builds check every index all the same.
#[derive(Debug)]
pub struct Proven<'a, T>(&'a [T]);

impl<'a, T> Proven<'a, T> {
    /// Wraps a slice.
    ///
    /// # Safety
    /// Every index used on the result must be below the slice's length.
    #[inline(always)]
    pub unsafe fn new(slice: &'a [T]) -> Self {
        Proven(slice)
    }
}

impl<T> Proven<'_, T> {
    /// The slice's length.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the slice is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Clone for Proven<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Proven<'_, T> {}

impl<T> Index<usize> for Proven<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

/// As [`Proven`], for a slice that is written.
#[derive(Debug)]
pub struct ProvenMut<'a, T>(&'a mut [T]);

impl<'a, T> ProvenMut<'a, T> {
    /// Wraps a slice.
    ///
    /// # Safety
    /// Every index used on the result must be below the slice's length.
    #[inline(always)]
    pub unsafe fn new(slice: &'a mut [T]) -> Self {
        ProvenMut(slice)
    }
}

impl<T> Index<usize> for ProvenMut<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked(index) }
    }
}

impl<T> IndexMut<usize> for ProvenMut<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.0.len(), "index {index} of {} elements", self.0.len());
        // SAFETY: whoever called `new` promised that every index is below the length.
        unsafe { self.0.get_unchecked_mut(index) }
    }
}

/// A vector to which no more is appended than was reserved for, so that appending needs no check.
///
/// It is as long as what was appended once this is dropped. Debug builds check its room all the same.
#[derive(Debug)]
pub struct Reserved<'a, T> {
    vector: &'a mut Vec<T>,
    len: usize,
}

impl<'a, T: Copy> Reserved<'a, T> {
    /// Makes room for so many elements more.
    ///
    /// # Safety
    /// No more than `additional` elements may be pushed.
    #[inline(always)]
    pub unsafe fn new(vector: &'a mut Vec<T>, additional: usize) -> Self {
        vector.reserve(additional);
        let len = vector.len();
        Reserved { vector, len }
    }

    /// Appends an element.
    #[inline(always)]
    pub fn push(&mut self, element: T) {
        debug_assert!(self.len < self.vector.capacity(), "no room behind {} elements", self.len);
        // SAFETY: whoever called `new` promised that there are no more elements than there is room.
        unsafe { self.vector.as_mut_ptr().add(self.len).write(element) };
        self.len += 1;
    }

    /// The number of elements, with those that were appended.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T> Drop for Reserved<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: all elements below `len` were there before or have been written by `push`.
        unsafe { self.vector.set_len(self.len) };
    }
}

#[cfg(test)]
mod tests;
