//! `window` for the program: a fixed number of consecutive coordinates under each parent.

use std::ops::Range;

use sparsegen::Width;
use sparsegen::level::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// The coordinates of `parent` are `start[parent]..start[parent] + W`, limited by the dimension,
/// and their positions `parent * W..(parent + 1) * W`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window<C, const W: usize> {
    pub start: Vec<C>,
}

/// A borrowed [`Window`].
#[derive(Clone, Copy, Debug)]
pub struct WindowView<'a, C, const W: usize> {
    pub start: &'a [C],
}

// SAFETY: `build` stores a window for each parent, whose start fits its type and the dimension.
unsafe impl<C: Width, const W: usize> Level for Window<C, W> {
    // A window stores all of its coordinates, even if they are not nodes.
    const KIND: Kind = Kind::new("window").parameters(&[W]).pads();

    type View<'a> = WindowView<'a, C, W>;

    fn view(&self) -> WindowView<'_, C, W> {
        WindowView { start: &self.start }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        let mut start = vec![C::default(); parents];
        let mut positions = Vec::with_capacity(nodes.len());
        let mut begun = None;
        for (index, (parent, coordinate)) in nodes.enumerate() {
            if begun != Some(parent) {
                start[parent] = axis.stored(coordinate)?;
                begun = Some(parent);
            }
            let ahead = coordinate - axis.coordinate(start[parent]);
            if ahead >= W {
                let reason = format!("the window of {W} coordinates ends before this one");
                return Err(Fault::broken(index, reason));
            }
            positions.push(parent * W + ahead);
        }
        Ok((Window { start }, positions))
    }
}

// SAFETY: `validate` checks that there is a window for each parent, and that it starts inside the
// dimension, or at 0 if the dimension is empty.
unsafe impl<C: Width, const W: usize> LevelView for WindowView<'_, C, W> {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(W)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        parent.position * W..(parent.position + 1) * W
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let ahead = slot - parent.position * W;
        let coordinate = axis.coordinate(self.start[parent.position]) + ahead;
        (coordinate < axis.size).then_some((coordinate, slot))
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        if self.start.len() != parents.count() {
            let reason = format!("{} windows for {} parents", self.start.len(), parents.count());
            return Err(Fault::broken(self.start.len(), reason));
        }
        for (parent, start) in self.start.iter().enumerate() {
            if axis.coordinate(*start) > axis.size.saturating_sub(1) {
                return Err(Fault::broken(parent, "the window starts outside the dimension"));
            }
        }
        parents.count().checked_mul(W).ok_or(Fault::Size)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("start", self.start.iter().map(|number| number.to_usize()).collect())]
    }
}
