//! The functions that generated kernels call: checks of shapes and widths, slices and vectors
//! without bounds checks, workspaces, and parallel loops.
//!
//! This is the plumbing of generated code, not an interface for callers: its items change with the
//! compiler, whose version [`assert_version`] checks.

mod buckets;
mod checks;
mod division;
mod intervals;
mod join;
mod lists;
mod ones;
mod parallel;
mod places;
pub mod prelude;
#[cfg(target_arch = "x86_64")]
mod processor;
mod proven;
mod sort;
mod version;
mod widen;
mod workspace;
mod workspaces;

use alloc::vec::Vec;
use core::ops::{Index, Mul, Range};

use num_traits::{Float, NumCast, Signed, ToPrimitive};

use crate::level::Levels;
use crate::tensor::{Merge, Operand, ResultOf};
use crate::{Error, Format, Stored, Tensor, Width};

pub use buckets::Buckets;
pub use checks::{
    Mode, agree, choice, demand, fits, gather, grow, index, indices, known, resize, room, slice,
};
pub use division::Division;
pub use intervals::{parent, split_intervals};
pub use join::Order;
pub use lists::{inverse, last_of_each};
pub use ones::ones;
#[cfg(feature = "std")]
pub use parallel::in_parts;
pub use parallel::{
    Parts, chunks, chunks_below, combine, combined, copies, each, each_with, few_parts, join,
    join_bits, join_ends, join_positions, join_shifted, parts, reduced, split, thread_parts, total,
    vectors, with_copies,
};
pub use places::{Known, Places};
#[cfg(target_arch = "x86_64")]
pub use processor::has_avx2;
pub use proven::{Proven, ProvenMut, Reserved};
pub(crate) use sort::Distributed;
pub use sort::{sort, sort_by, sort_values};
pub use version::assert_version;
pub use widen::{Widened, widen, wrap};
pub use workspace::{Accumulator, Workspace};
pub use workspaces::{Kept, Workspaces, keep, kept_vector};

/// Returns 1 for positive and -1 for negative values, and zeros and NaN unchanged.
pub fn sign<V: Signed>(value: V) -> V {
    if value.is_zero() { value } else { value.signum() }
}

/// Converts a number to an element type that the caller of a generic kernel chooses.
///
/// # Panics
/// Panics if the type cannot represent the number, for example 300 in an `i8`.
pub fn number<V: NumCast>(number: impl ToPrimitive) -> V {
    V::from(number).expect("the elements' type holds the numbers of the kernel's statement")
}

/// Returns the absolute value.
pub fn abs<V: Signed>(value: V) -> V {
    value.abs()
}

/// Returns `value * value`.
pub fn square<V: Mul<Output = V> + Copy>(value: V) -> V {
    value * value
}

/// Returns `value * value * value`.
pub fn cube<V: Mul<Output = V> + Copy>(value: V) -> V {
    value * value * value
}

/// Returns whether two values differ, where NaN does not differ from NaN.
#[allow(clippy::eq_op, reason = "NaN alone differs from itself")]
pub fn differs<V: PartialEq>(a: V, b: V) -> bool {
    a != b && (a == a || b == b)
}

/// Combines `count` equal values by an associative operation; `count` is at least 1.
///
/// Takes O(log `count`) steps: the values are combined in pairs, pairs of pairs and so on, so that
/// the result may differ from that of one after another by rounding.
pub fn repeated<V: Copy>(value: V, count: usize, combine: impl Fn(V, V) -> V) -> V {
    let (mut all, mut power, mut left) = (value, value, count.saturating_sub(1));
    while left > 0 {
        if left % 2 == 1 {
            all = combine(all, power);
        }
        left /= 2;
        if left > 0 {
            power = combine(power, power);
        }
    }
    all
}

/// Returns the argument of a real number as a complex one: 0, or π if it is negative.
pub fn arg<V: Float>(value: V) -> V {
    if value.is_nan() { value } else { V::zero().atan2(value) }
}

/// Returns the error that a level, counted from 0, keeps a fixed number of coordinates for each
/// parent, and has no position for an entry.
pub fn full<F: Format>(level: usize, coordinate: &[usize]) -> Error {
    let kind = &F::Levels::KINDS[level];
    let reason = match *kind.parameters {
        [kept, block] => crate::level::full(kept, block),
        _ => format!("`{}` has no position left", kind.name),
    };
    Error::Pack { format: F::NAME, level: level + 1, coordinate: coordinate.to_vec(), reason }
}

/// Replaces a part of a tensor: returns the entries of `old` outside of the part, and the entries
/// that the kernel listed for it.
///
/// # Errors
/// The same as [`Tensor::from_triplets`].
pub fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &Tensor<V, F>,
    listed: &Tensor<V, G>,
    inside: impl Fn(&F::Shape) -> bool,
) -> Result<Tensor<V, F>, Error> {
    crate::tensor::cover(&old.view(), &listed.view(), inside, Merge::SUM)
}

/// Replaces a part of a tensor like [`cover`], and combines listed entries with the same coordinate
/// by a function instead of adding them.
///
/// # Errors
/// The same as [`Tensor::from_triplets`].
pub fn cover_by<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &Tensor<V, F>,
    listed: &Tensor<V, G>,
    inside: impl Fn(&F::Shape) -> bool,
    combine: impl Fn(V::Value, V::Value) -> V::Value,
) -> Result<Tensor<V, F>, Error> {
    crate::tensor::cover(&old.view(), &listed.view(), inside, Merge::By(&combine))
}

/// Returns the first of `positions` whose coordinate is at least `coordinate`, or their end. The
/// coordinates at these positions must be sorted.
#[inline]
pub fn search<C>(crd: &C, positions: Range<usize>, coordinate: usize) -> usize
where
    C: Index<usize, Output: Width> + ?Sized,
{
    first_from(positions, |position| crd[position].to_usize() < coordinate)
}

/// Like [`search`], for coordinates that may be negative.
#[inline]
pub fn search_signed<C>(crd: &C, positions: Range<usize>, coordinate: isize) -> usize
where
    C: Index<usize, Output: Width> + ?Sized,
{
    first_from(positions, |position| (crd[position].to_usize() as isize) < coordinate)
}

/// Returns the first of `positions` that is not below what is searched for, or their end.
#[inline]
pub(crate) fn first_from(positions: Range<usize>, is_below: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = positions;
    while start < end {
        let middle = start + (end - start) / 2;
        if is_below(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

/// Reserves capacity for more elements, in huge pages if that takes much new memory.
#[inline(always)]
pub fn reserve<T>(array: &mut Vec<T>, additional: usize) {
    crate::memory::reserve(array, additional);
}

/// Appends an element for each number of a range.
#[inline(always)]
pub fn extend<T>(array: &mut Vec<T>, range: Range<usize>, element: impl Fn(usize) -> T) {
    array.extend(range.map(element));
}

/// Appends entries in an iteration of a loop over a range.
///
/// If memory does not suffice, reserves as much as the remaining iterations need if they append as many
/// entries as those before, so that a large array grows a few times and is backed by huge pages.
#[inline(always)]
pub fn append<T: Copy>(array: &mut Vec<T>, entries: &[T], at: usize, range: Range<usize>) {
    if array.capacity() - array.len() < entries.len() {
        let iterations = (at - range.start + 1, range.len());
        crate::memory::reserve_ahead(array, entries.len(), iterations);
    }
    array.extend_from_slice(entries);
}

/// Records that a kernel has computed the structure of a new tensor for these operands; see
/// [`is_derived`].
pub fn derive<V: Stored, F: Format>(
    tensor: &mut Tensor<V, F>,
    result: ResultOf,
    operands: &[&dyn Operand],
) {
    tensor.derive(result, operands);
}

/// Returns whether the kernel is known to compute this structure for these operands: whether the tensor
/// shares its structure with an earlier result, whose operands shared theirs with these.
pub fn is_derived<V: Stored, F: Format>(
    tensor: &Tensor<V, F>,
    result: ResultOf,
    operands: &[&dyn Operand],
) -> bool {
    tensor.is_derived(result, operands)
}

/// Replaces the values of a result by those of a tensor with the same structure.
///
/// # Errors
/// [`Error::Structure`] if the two tensors store different coordinates.
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

#[cfg(test)]
mod tests;
