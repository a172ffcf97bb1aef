//! `run_length` for the program: runs of consecutive coordinates.

use std::ops::Range;

use sparsegen::Width;
use sparsegen::level::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// The runs of `parent` are `pos[parent]..pos[parent + 1]`. Run `r` begins with the coordinate
/// `start[r]`, and its positions are `first[r]..first[r + 1]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLength<P = u32, C = u32> {
    pub pos: Vec<P>,
    pub start: Vec<C>,
    pub first: Vec<P>,
}

/// A borrowed [`RunLength`].
#[derive(Clone, Copy, Debug)]
pub struct RunLengthView<'a, P, C> {
    pub pos: &'a [P],
    pub start: &'a [C],
    pub first: &'a [P],
}

// SAFETY: `build` closes the runs of each parent in order, and checks that numbers fit their types.
unsafe impl<P: Width, C: Width> Level for RunLength<P, C> {
    const KIND: Kind = Kind::new("run_length").compact();

    type View<'a> = RunLengthView<'a, P, C>;

    fn view(&self) -> RunLengthView<'_, P, C> {
        RunLengthView { pos: &self.pos, start: &self.start, first: &self.first }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        let (mut pos, mut start, mut first) = (vec![P::default()], Vec::new(), vec![P::default()]);
        let mut positions = Vec::with_capacity(nodes.len());
        let mut nodes = nodes.peekable();
        for parent in 0..parents {
            let mut before = None;
            while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
                let position = positions.len();
                positions.push(position);
                if before.is_none_or(|before| before + 1 != coordinate) {
                    start.push(axis.stored(coordinate)?);
                    first.push(P::default());
                }
                // The current run ends after this position.
                if let Some(end) = first.last_mut() {
                    *end = narrowed(position + 1)?;
                }
                before = Some(coordinate);
            }
            pos.push(narrowed(start.len())?);
        }
        Ok((RunLength { pos, start, first }, positions))
    }
}

fn narrowed<P: Width>(number: usize) -> Result<P, Fault> {
    let fault = || Fault::width::<P>("positions", number as i128, 0, number as i128);
    P::try_from_usize(number).ok_or_else(fault)
}

impl<P: Width, C: Width> RunLengthView<'_, P, C> {
    fn positions(&self, run: usize) -> Range<usize> {
        self.first[run].to_usize()..self.first[run + 1].to_usize()
    }

    fn runs(&self, parent: usize) -> Range<usize> {
        self.pos[parent].to_usize()..self.pos[parent + 1].to_usize()
    }

    /// Returns the coordinates of a run, or a fault if they are not within the dimension.
    fn coordinates(&self, axis: &Axis, run: usize) -> Result<Range<usize>, Fault> {
        let (start, length) = (axis.coordinate(self.start[run]), self.positions(run).len());
        if length == 0 || start >= axis.size || length > axis.size - start {
            return Err(Fault::broken(run, "the run is empty or leaves the dimension"));
        }
        Ok(start..start + length)
    }
}

// SAFETY: `validate` checks that runs are contiguous and not empty, that each is within
// the dimension, and that the runs of a parent are not adjacent.
unsafe impl<P: Width, C: Width> LevelView for RunLengthView<'_, P, C> {
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        self.first.last().map(|end| end.to_usize())
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        let runs = self.runs(parent.position);
        self.first[runs.start].to_usize()..self.first[runs.end].to_usize()
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let runs = self.runs(parent.position);
        let behind = self.first[runs.start..runs.end].partition_point(|at| at.to_usize() <= slot);
        let run = runs.start + behind - 1;
        Some((axis.coordinate(self.start[run]) + slot - self.first[run].to_usize(), slot))
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        let (count, runs) = (parents.count(), self.start.len());
        if self.pos.len() != count + 1 || self.first.len() != runs + 1 {
            return Err(Fault::broken(count, "`pos` or `first` is too short or too long"));
        }
        let (from, to) = (self.pos[0].to_usize(), self.pos[count].to_usize());
        if (from, to) != (0, runs) || !self.pos.is_sorted() || self.first[0].to_usize() != 0 {
            return Err(Fault::broken(count, "the runs of the parents are not all runs in order"));
        }
        if let Some(at) = self.first.windows(2).position(|ends| ends[0] >= ends[1]) {
            return Err(Fault::broken(at, "the run is empty or leaves the dimension"));
        }
        for parent in 0..count {
            let mut end = None;
            for run in self.runs(parent) {
                let coordinates = self.coordinates(axis, run)?;
                if end.is_some_and(|end| end >= coordinates.start) {
                    return Err(Fault::broken(run, "the run meets the one before"));
                }
                end = Some(coordinates.end);
            }
        }
        Ok(self.first[runs].to_usize())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        let widened = |array: &[P]| array.iter().map(|number| number.to_usize()).collect();
        let start = self.start.iter().map(|number| number.to_usize()).collect();
        vec![("pos", widened(self.pos)), ("start", start), ("first", widened(self.first))]
    }
}
