//! What generated kernels call: checks of shapes and widths, slices whose indices are proven,
//! vectors whose room is, workspaces, loops in parts.

mod checks;
mod division;
mod parallel;
mod proven;
mod workspace;

use std::ops::{Index, Range};

use num_traits::{Float, NumAssign, NumCast, Signed, ToPrimitive};

use crate::tensor::Merge;
use crate::{Error, Format, Stored, Tensor, Width};

pub use checks::{
    Mode, agree, choice, demand, fits, gather, index, indices, known, last_of_each, room, slice,
};
pub use division::Division;
pub use parallel::{Parts, each, in_parts, join_ends, join_positions, parts, split, total};
pub use proven::{Proven, ProvenMut, Reserved};
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
    crate::tensor::cover(&old.view(), &listed.view(), inside, Merge::SUM)
}

/// As [`cover`], but listed entries that share their coordinate are combined by a function instead of
/// added up.
///
/// # Errors
/// As [`Tensor::from_triplets`].
pub fn cover_by<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &Tensor<V, F>,
    listed: &Tensor<V, G>,
    inside: impl Fn(&F::Shape) -> bool,
    combine: impl Fn(V::Value, V::Value) -> V::Value,
) -> Result<Tensor<V, F>, Error> {
    crate::tensor::cover(&old.view(), &listed.view(), inside, Merge::By(&combine))
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

#[cfg(test)]
mod tests;
