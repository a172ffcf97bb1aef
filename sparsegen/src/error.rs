//! The errors of the runtime, with the tensors, modes and sizes that they concern.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::kernel::Mode;

/// The reason why a tensor could not be made, read or passed to a kernel.
///
/// Levels count from 1, outermost first; modes and array indices count from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Two modes that share an index variable of a kernel have different sizes.
    Shape {
        /// The kernel that was called.
        kernel: &'static str,
        /// The index variable.
        variable: &'static str,
        /// The mode whose size the others must have.
        expected: Mode,
        /// The first mode of a different size.
        found: Mode,
    },
    /// The size of a mode differs from the one that the kernel's `sizes` declare.
    Extent {
        /// The kernel that was called.
        kernel: &'static str,
        /// The index variable.
        variable: &'static str,
        /// The size that the manifest declares.
        expected: usize,
        /// The mode of a different size.
        found: Mode,
    },
    /// A slice that a kernel reads is not contained in its mode.
    Slice {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode.
        mode: Mode,
        /// The first coordinate.
        start: usize,
        /// The coordinate after the last one.
        end: usize,
    },
    /// A coordinate that a kernel reads is not below the extent of its mode.
    Index {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode.
        mode: Mode,
        /// The coordinate.
        coordinate: usize,
    },
    /// A kernel computes `argmin` or `argmax` over a variable without coordinates.
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
    /// An element of a tensor that a kernel uses as coordinates is not below the extent of the
    /// mode.
    Gather {
        /// The kernel that was called.
        kernel: &'static str,
        /// The mode that the element indexes.
        mode: Mode,
        /// The tensor of the element.
        by: &'static str,
        /// The element.
        element: i128,
    },
    /// A result whose values were to be recomputed has a different structure from the one that the
    /// operands determine.
    Structure {
        /// The kernel that was called.
        kernel: &'static str,
        /// The result.
        tensor: &'static str,
    },
    /// A tensor of this shape needs more positions than memory can hold.
    Size {
        /// The format's name.
        format: &'static str,
        /// The requested extents.
        shape: Vec<usize>,
    },
    /// A position or coordinate does not fit the integer type that stores it.
    Width {
        /// The owner of the number: a format, or a kernel and a tensor.
        of: String,
        /// The array: "positions of level 2".
        what: String,
        /// The name of the integer type that is too narrow.
        width: &'static str,
        /// The number that does not fit.
        largest: i128,
        /// The narrowest type that holds all numbers of the array.
        choose: &'static str,
    },
    /// A coordinate is not contained in the shape of a tensor.
    Coordinate {
        /// The format's name.
        format: &'static str,
        /// The coordinate, one number per mode.
        coordinate: Vec<usize>,
        /// The tensor's extents.
        shape: Vec<usize>,
    },
    /// A coordinate occurs twice, and the builder refuses duplicates.
    Duplicate {
        /// The format's name.
        format: &'static str,
        /// The coordinate, one number per mode.
        coordinate: Vec<usize>,
    },
    /// A format cannot store an entry.
    Pack {
        /// The format's name.
        format: &'static str,
        /// The level that cannot store the entry.
        level: usize,
        /// The coordinate of the entry.
        coordinate: Vec<usize>,
        /// The reason.
        reason: String,
    },
    /// The arrays of a level break an invariant of the format.
    Level {
        /// The format's name.
        format: &'static str,
        /// The level.
        level: usize,
        /// The index in the level's arrays.
        index: usize,
        /// The invariant that does not hold there.
        reason: String,
    },
    /// An argument of a function of tensors does not suit the tensor.
    Argument {
        /// The function's name: `"reshape"`.
        function: &'static str,
        /// The mismatch.
        reason: String,
    },
    /// The parts of a tensor do not match.
    Parts {
        /// The format's name.
        format: &'static str,
        /// The mismatch.
        reason: String,
    },
    /// A matrix or an array cannot be converted from or to a type of another crate.
    Layout {
        /// The value that was to be converted: "a matrix of `sprs`".
        from: String,
        /// The type or format to convert it to: "a `csr` tensor".
        to: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// A rank has an error, which all ranks return.
    Rank {
        /// The first rank with an error, counted from 0.
        rank: usize,
        /// The message of its error.
        reason: String,
    },
    /// A file is not valid.
    Parse {
        /// The file's name.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The expected and the actual content.
        message: String,
    },
    /// An array of a file is not valid.
    Array {
        /// The file's name.
        file: String,
        /// The array's name.
        array: String,
        /// The expected and the actual content.
        message: String,
    },
    /// The format cannot store the tensor of a file.
    File {
        /// The file's name.
        file: String,
        /// The reason.
        reason: Box<Error>,
    },
    /// A tensor whose format has a fill value other than zero cannot be written to a file, because
    /// unlisted entries of a file are zero.
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
        /// The message of the operating system.
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
            Error::Argument { function, reason } => write!(f, "`{function}`: {reason}"),
            Error::Parts { format, reason } => write!(f, "invalid `{format}` tensor: {reason}"),
            Error::Layout { from, to, reason } => {
                write!(f, "{from} cannot be used as {to}: {reason}")
            }
            Error::Rank { rank, reason } => write!(f, "rank {rank}: {reason}"),
            Error::Parse { file, line, message } => write!(f, "{file}:{line}: {message}"),
            Error::Array { file, array, message } => {
                write!(f, "{file}: array `{array}`: {message}")
            }
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

impl core::error::Error for Error {}
