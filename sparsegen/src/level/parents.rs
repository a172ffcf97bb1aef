//! The nodes above a level.

use super::{Axes, LevelViews, Node};
use crate::tensor::Walk;

/// The nodes above a level that is being validated, which are valid.
#[derive(Clone, Copy)]
pub struct Parents<'a> {
    levels: &'a dyn LevelViews,
    axes: &'a Axes,
    depth: usize,
    count: usize,
}

impl<'a> Parents<'a> {
    /// Returns the nodes of the last of the outermost `depth` levels, which has `count` positions.
    pub(crate) fn new(
        levels: &'a dyn LevelViews,
        axes: &'a Axes,
        depth: usize,
        count: usize,
    ) -> Parents<'a> {
        Parents { levels, axes, depth, count }
    }

    /// Returns the number of positions of the level above; positions of parents are below it.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `visit` with each parent, in storage order.
    pub fn for_each(&self, mut visit: impl FnMut(Node<'_>)) {
        let mut walk = Walk::new(self.levels, *self.axes, self.depth);
        while let Some(position) = walk.next(self.levels) {
            visit(Node { position, coords: walk.coords() });
        }
    }
}
