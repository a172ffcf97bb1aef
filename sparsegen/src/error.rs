//! Everything that can go wrong, with the tensors, modes and sizes it went wrong with.

use std::fmt;

use crate::kernel::Mode;

/// Why a tensor could not be made, read or handed to a kernel.
///
/// Levels count from 1, outermost first; modes and array indices count from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Two modes that one index variable of a kernel runs over have different sizes.
    Shape {
        /// The kernel that was called.
        kernel: &'static str,
        /// The index variable.
        variable: &'static str,
        /// The mode that gave the variable its size.
        expected: Mode,
        /// The first mode that disagrees.
        found: Mode,
    },
    /// A mode's size is not the one that the kernel's `sizes` fix.
    Extent {
        /// The kernel that was called.
        kernel: &'static str,
        /// The index variable.
        variable: &'static str,
        /// The size that the manifest promises.
        expected: usize,
        /// The mode that disagrees.
        found: Mode,
    },
    /// A slice that a kernel reads does not lie within its mode.
    Slice {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode.
        mode: Mode,
        /// The first coordinate.
        start: usize,
        /// The coordinate after the last.
        end: usize,
    },
    /// A coordinate that a kernel reads lies beyond its mode.
    Index {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode.
        mode: Mode,
        /// The coordinate.
        coordinate: usize,
    },
    /// A kernel is to tell the place of the least or the greatest of no values.
    Choice {
        /// The kernel that was called.
        kernel: &'static str,
        /// The reduction: `argmin` or `argmax`.
        reduction: &'static str,
        /// The index variable that has no coordinates.
        variable: &'static str,
    },
    /// A kernel divides an integer by zero.
    Division {
        /// The kernel that was called.
        kernel: &'static str,
    },
    /// An element of a tensor that gives coordinates of another is none of its mode.
    Gather {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode that is read there.
        mode: Mode,
        /// The tensor that has the element.
        by: &'static str,
        /// The element.
        element: i128,
    },
    /// A result whose values were to be computed stores other coordinates than the operands lead to.
    Structure {
        /// The kernel that was called.
        kernel: &'static str,
        /// The result.
        tensor: &'static str,
    },
    /// A tensor of this shape would need more positions than memory can hold.
    Size {
        /// The format's name.
        format: &'static str,
        /// The extents asked for.
        shape: Vec<usize>,
    },
    /// A position or coordinate does not fit the width in which it would be stored.
    Width {
        /// What it belongs to: a format, or a kernel and a tensor.
        of: String,
        /// Which array: "positions of level 2".
        what: String,
        /// The width that is too narrow.
        width: &'static str,
        /// The number that must fit.
        largest: i128,
        /// The narrowest width for all the numbers that must fit.
        choose: &'static str,
    },
    /// A coordinate lies outside a tensor's shape.
    Coordinate {
        /// The format's name.
        format: &'static str,
        /// The coordinate, one number per mode.
        coordinate: Vec<usize>,
        /// The tensor's extents.
        shape: Vec<usize>,
    },
    /// A coordinate was given twice, and the builder was told to refuse that.
    Duplicate {
        /// The format's name.
        format: &'static str,
        /// The coordinate, one number per mode.
        coordinate: Vec<usize>,
    },
    /// A format has no place for an entry.
    Pack {
        /// The format's name.
        format: &'static str,
        /// The level that has no place.
        level: usize,
        /// The coordinate of the entry.
        coordinate: Vec<usize>,
        /// Why there is no place.
        reason: String,
    },
    /// The arrays of a level break an invariant of the format.
    Level {
        /// The format's name.
        format: &'static str,
        /// The level.
        level: usize,
        /// Where in the level's arrays.
        index: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The parts of a tensor do not belong together.
    Parts {
        /// The format's name.
        format: &'static str,
        /// What does not match.
        reason: String,
    },
    /// A file does not say what its format demands.
    Parse {
        /// The file's name.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What was expected and what was found.
        message: String,
    },
    /// The format has no place for the tensor that a file describes.
    File {
        /// The file's name.
        file: String,
        /// Why there is no place.
        reason: Box<Error>,
    },
    /// A tensor whose format has a fill other than zero was to be written to a file, of which what is
    /// not listed is zero.
    Fill {
        /// The file's name.
        file: String,
        /// The format's name.
        format: &'static str,
    },
    /// A file could not be read or written.
    Io {
        /// The file's name.
        file: String,
        /// The system's words.
        source: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Shape { kernel, variable, expected, found } => write!(
                f,
                "kernel `{kernel}`: index variable `{variable}` runs over {expected}, and over \
                 {found}; the two sizes must be equal (modes count from 0)"
            ),
            Error::Extent { kernel, variable, expected, found } => write!(
                f,
                "kernel `{kernel}`: index variable `{variable}` runs over {found}, but the kernel \
                 was generated for size {expected}; pass a tensor of that size or change `sizes` \
                 in the manifest (modes count from 0)"
            ),
            Error::Slice { kernel, mode, start, end } if start > end => write!(
                f,
                "kernel `{kernel}`: the slice {start}..{end} of {mode}, ends before it begins \
                 (modes count from 0)"
            ),
            Error::Slice { kernel, mode, start, end } => write!(
                f,
                "kernel `{kernel}`: the slice {start}..{end} does not lie within {mode} (modes count \
                 from 0)"
            ),
            Error::Index { kernel, mode, coordinate } => write!(
                f,
                "kernel `{kernel}`: the coordinate {coordinate} lies beyond {mode} (modes and \
                 coordinates count from 0)"
            ),
            Error::Choice { kernel, reduction, variable } => write!(
                f,
                "kernel `{kernel}`: index variable `{variable}` runs over modes of size 0, so that \
                 `{reduction}` has nothing to choose from"
            ),
            Error::Division { kernel } => write!(f, "kernel `{kernel}` divides an integer by zero"),
            Error::Gather { kernel, mode, by, element } => write!(
                f,
                "kernel `{kernel}`: the element {element} of `{by}` is no coordinate of {mode} (modes \
                 and coordinates count from 0)"
            ),
            Error::Structure { kernel, tensor } => write!(
                f,
                "kernel `{kernel}`: the structure of `{tensor}` is not that of these operands; \
                 assemble it for them, or call the kernel that replaces it"
            ),
            Error::Size { format, shape } => write!(
                f,
                "a tensor of shape {shape:?} does not fit into memory in format `{format}`; choose \
                 a format with fewer dense levels"
            ),
            Error::Width { of, what, width, largest, choose } => write!(
                f,
                "{of}: {what} reach {largest}, which does not fit `{width}`; choose `{choose}`"
            ),
            Error::Coordinate { format, coordinate, shape } => write!(
                f,
                "coordinate {coordinate:?} lies outside shape {shape:?} of a `{format}` tensor; \
                 coordinates count from 0"
            ),
            Error::Duplicate { format, coordinate } => write!(
                f,
                "coordinate {coordinate:?} of a `{format}` tensor is given twice; choose another \
                 policy for duplicates to combine its values"
            ),
            Error::Pack { format, level, coordinate, reason } => write!(
                f,
                "format `{format}` cannot store the entry at {coordinate:?}: level {level}: \
                 {reason}"
            ),
            Error::Level { format, level, index, reason } => {
                write!(f, "invalid `{format}` tensor: level {level}, index {index}: {reason}")
            }
            Error::Parts { format, reason } => write!(f, "invalid `{format}` tensor: {reason}"),
            Error::Parse { file, line, message } => write!(f, "{file}:{line}: {message}"),
            Error::File { file, reason } => write!(f, "{file}: {reason}"),
            Error::Fill { file, format } => write!(
                f,
                "{file}: what a file does not list is zero, and what a `{format}` tensor does not \
                 store is not; bring it into a format without a fill, as `tensor.to::<Coo<2>>()` \
                 does, and write that"
            ),
            Error::Io { file, source } => write!(f, "{file}: {source}"),
        }
    }
}

impl std::error::Error for Error {}
