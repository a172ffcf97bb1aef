//! Windows: modes that are read at a few coordinates around that of another loop.

use super::{Time, Trips};
use crate::concrete::Program;
use crate::iteration::iterator::LevelIterator;
use crate::notation::{Slice, Subscript, VariableId};

impl Time<'_> {
    /// Returns the variable around which a mode is read, and the one within it, if it is read in windows:
    /// `i` and `b` of `x[2*i + b]`.
    pub(super) fn window(&self, mode: VariableId) -> Option<(VariableId, VariableId)> {
        let slice = self.program.space.slice(mode).filter(|slice| slice.is_window())?;
        let Subscript::Affine(sum) = &slice.at else { return None };
        let mut others =
            sum.variables().filter_map(|of| of.as_variable()).filter(|v| *v != slice.of);
        let outer = others.next()?;
        others.next().is_none().then_some((outer, slice.of))
    }

    /// Returns whether an iterator visits a window of levels that store all coordinates: of its own
    /// level, or of one below that the enclosing loops determine.
    pub(super) fn is_window_of_full(&self, iterator: &LevelIterator) -> bool {
        let program = self.program;
        let levels = &program.tensor(iterator.access.tensor).format.levels;
        let is_window = |level| {
            let mode = program.level_variable(&iterator.access, level);
            mode.and_then(|mode| program.space.slice(mode)).is_some_and(Slice::is_window)
        };
        (iterator.level..=iterator.through).any(is_window)
            && levels[iterator.level..=iterator.through].iter().all(|spec| spec.properties.full)
    }

    /// Returns a variable for each of whose coordinates a mode is at another one. In a window, that is
    /// any of its variables: one with many coordinates if possible.
    pub(super) fn varied(&self, mode: VariableId, around: &Trips) -> VariableId {
        let Program { kernel, space, .. } = self.program;
        if !space.slice(mode).is_some_and(Slice::is_window) {
            return mode;
        }
        let result = kernel.assignment.result.indices.iter().map(|v| space.counted(*v));
        let mut long = result.filter(|v| around.dimensions.contains(v));
        let of_window = long.find(|v| space.needs(mode).contains(v));
        of_window.unwrap_or(mode)
    }
}
