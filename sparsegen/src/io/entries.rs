//! The entries of a text file, of either format.

use super::lines::Lines;
use crate::Error;

/// The entries of a text file or of a part of it, with coordinates from 0: an iterator that reads
/// one line at a time and ends after the first error.
pub(crate) trait Entries<'r, S, V>: Iterator<Item = Result<(S, V), Error>> {
    /// Returns the lines, for errors of the line that was read last.
    fn lines(&self) -> &Lines<'r>;

    /// Returns the shape of the tensor: given in the header or by the caller, or else the smallest one
    /// that contains the entries so far.
    fn shape(&self) -> S;
}

/// Entries that are read from any line of the file on.
#[cfg(feature = "mpi")]
pub(crate) trait Resumed<'r, S, V>: Entries<'r, S, V> {
    /// The byte that begins a comment.
    const COMMENT: u8;

    /// Reads another part of the same file, before which there are `done` entries. Only the last part
    /// checks that the file is complete.
    fn resumed(self, lines: Lines<'r>, done: usize, is_last: bool) -> Self;

    /// Returns the side of the diagonal that the file lists, once an entry has determined it: in a
    /// file with a symmetry.
    fn triangle(&self) -> Option<Triangle>;

    /// Checks that the entries lie on the side of the diagonal on which those of earlier parts lie.
    fn check_triangle(&self, earlier: Triangle) -> Result<(), Error>;
}

/// A side of the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Triangle {
    Lower,
    Upper,
}

impl Triangle {
    /// Returns the position relative to the diagonal.
    pub(super) fn name(self) -> &'static str {
        match self {
            Triangle::Lower => "below",
            Triangle::Upper => "above",
        }
    }
}
