//! What kernels check before their loops: shapes, parts of modes, coordinates, widths.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use crate::width::narrowest;
use crate::{Error, Width, memory};

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

/// Checks that a kernel can count as many elements as the product of some extents, and that there is
/// memory for them: of type `()`, they take none.
///
/// # Errors
/// [`Error::Size`] where the product is no index, or the memory cannot be had.
pub fn room<T>(what: &'static str, extents: &[usize]) -> Result<(), Error> {
    // A factor of zero makes the product zero, whatever the others.
    let count = match extents.contains(&0) {
        true => Some(0),
        false => extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent)),
    };
    match count.filter(|count| memory::has_room::<T>(*count)) {
        Some(_) => Ok(()),
        None => Err(Error::Size { format: what, shape: extents.to_vec() }),
    }
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
