//! The checks of kernels before their loops: shapes, slices, coordinates and widths.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::width::narrowest;
use crate::{Error, Width, memory};

/// A mode of an argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The tensor's name in the kernel's expression.
    pub tensor: &'static str,
    /// The number of the mode, counted from 0.
    pub mode: usize,
    /// The mode's extent.
    pub size: usize,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode {} of `{}`, of size {}", self.mode, self.tensor, self.size)
    }
}

/// Builds a mode from the tensor's name, the number of the mode, and its extent.
impl From<(&'static str, usize, usize)> for Mode {
    fn from((tensor, mode, size): (&'static str, usize, usize)) -> Mode {
        Mode { tensor, mode, size }
    }
}

/// Returns the size of an index variable, which is the extent of all modes that it indexes. Each
/// mode is given by its tensor's name, its number and its extent.
///
/// # Errors
/// [`Error::Shape`] if two extents differ. The size is 0 if there are no modes.
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

/// Checks that all modes of an index variable have the size that the kernel was generated for. The
/// modes are given as for [`agree`].
///
/// # Errors
/// [`Error::Extent`] if a mode has another size.
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

/// Checks that a mode, given as for [`agree`], contains a slice.
///
/// # Errors
/// [`Error::Slice`] if the slice ends beyond the mode, or before it begins.
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

/// Checks that a mode, given as for [`agree`], contains a coordinate.
///
/// # Errors
/// [`Error::Index`] if it does not.
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

/// Checks that `argmin` or `argmax` has at least one coordinate to choose from.
///
/// # Errors
/// [`Error::Choice`] if the extent of its variable is 0.
pub fn choice(
    kernel: &'static str,
    reduction: &'static str,
    variable: &'static str,
    extent: usize,
) -> Result<(), Error> {
    if extent > 0 { Ok(()) } else { Err(Error::Choice { kernel, reduction, variable }) }
}

/// Checks that a mode, given as for [`agree`], contains every coordinate of a list.
///
/// # Errors
/// [`Error::Index`] with the first coordinate that it does not contain.
pub fn indices(
    kernel: &'static str,
    mode: (&'static str, usize, usize),
    list: &[usize],
) -> Result<(), Error> {
    list.iter().try_for_each(|coordinate| index(kernel, mode, *coordinate))
}

/// Checks that the product of some extents does not overflow, and that memory suffices for that
/// many elements. Elements of type `()` take no memory.
///
/// # Errors
/// [`Error::Size`] if the product overflows or the memory is not available.
pub fn room<T>(what: &'static str, extents: &[usize]) -> Result<(), Error> {
    // One factor of zero makes the product zero, even if the others overflow.
    let count = match extents.contains(&0) {
        true => Some(0),
        false => extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent)),
    };
    match count.filter(|count| memory::has_room::<T>(*count)) {
        Some(_) => Ok(()),
        None => Err(Error::Size { format: what, shape: extents.to_vec() }),
    }
}

/// Resizes an array to the product of some numbers, as [`Vec::resize`] does. `what` names the array
/// in errors.
///
/// If the value is zero, an empty array that must grow is allocated anew as zeroed pages, which take
/// memory only once they are written.
///
/// # Errors
/// [`Error::Size`] if the product overflows or the memory is not available.
pub fn grow<T: Clone>(
    array: &mut Vec<T>,
    factors: &[usize],
    value: T,
    what: &'static str,
) -> Result<(), Error> {
    let too_large = || Error::Size { format: what, shape: factors.to_vec() };
    let len = factors.iter().try_fold(1_usize, |len, factor| len.checked_mul(*factor));
    let len = len.ok_or_else(too_large)?;
    if array.is_empty() && array.capacity() < len {
        *array = memory::filled(value, len).ok_or_else(too_large)?;
        return Ok(());
    }
    memory::try_reserve(array, len.saturating_sub(array.len())).map_err(|_| too_large())?;
    array.resize(len, value);
    Ok(())
}

/// Resizes an array as [`Vec::resize`] does. If the value is zero, an empty array that must grow is
/// allocated anew as zeroed pages, which are first touched where they are stored to.
pub fn resize<T: Clone>(array: &mut Vec<T>, len: usize, value: T) {
    match array.is_empty() && array.capacity() < len {
        true => *array = memory::array(value, len),
        false => array.resize(len, value),
    }
}

/// Checks that a mode, given as for [`agree`], contains every element of the tensor `by` as a
/// coordinate.
///
/// # Errors
/// [`Error::Gather`] with the first element that is negative or not below the extent.
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

/// Checks that the numbers that a kernel will store fit their integer type; `what` names the array,
/// as in `"positions of level 2"`.
///
/// # Errors
/// [`Error::Width`] if the largest number does not fit.
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

/// Checks that a result has the structure that its operands determine; `is_known` is the finding of
/// a kernel that only computes values.
///
/// # Errors
/// [`Error::Structure`] if `is_known` is false.
pub fn known(is_known: bool, kernel: &'static str, tensor: &'static str) -> Result<(), Error> {
    if is_known { Ok(()) } else { Err(Error::Structure { kernel, tensor }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_grow_to_what_memory_holds() {
        let mut numbers = vec![3];
        resize(&mut numbers, 2, 7);
        assert_eq!(numbers, [3, 7]);
        numbers.clear();
        resize(&mut numbers, 5, 0);
        assert_eq!(numbers, [0; 5]);
        let mut array = vec![1.0];
        assert_eq!(grow(&mut array, &[2, 3], 0.5, "a"), Ok(()));
        assert_eq!(array, [1.0, 0.5, 0.5, 0.5, 0.5, 0.5]);
        for factors in [[usize::MAX, 2], [1 << 32, 1 << 28]] {
            let expected = Error::Size { format: "a", shape: factors.to_vec() };
            assert_eq!(grow(&mut array, &factors, 0.5, "a"), Err(expected));
        }
        assert_eq!(array.len(), 6);
        assert_eq!(grow(&mut array, &[0, usize::MAX], 0.5, "a"), Ok(()));
        assert_eq!(array, []);
    }
}
