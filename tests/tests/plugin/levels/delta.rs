//! `delta` for the program: coordinates as the bytes by which they exceed the previous one.

use std::ops::Range;

use sparsegen::Width;
use sparsegen::level::{Axis, Fault, Kind, Level, LevelView, Node, Parents};

/// The byte of a position without an entry, and the number of coordinates that it skips.
const NONE: u8 = 255;

/// The positions of `parent` are `pos[parent]..pos[parent + 1]`. A coordinate is `gap[p]` more than
/// the least possible one, which is 0 at first and then one more than the previous coordinate. The
/// byte 255 marks a position without an entry: it skips the next 255 coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta<P = u32> {
    pub pos: Vec<P>,
    pub gap: Vec<u8>,
}

/// A borrowed [`Delta`].
#[derive(Clone, Copy, Debug)]
pub struct DeltaView<'a, P> {
    pub pos: &'a [P],
    pub gap: &'a [u8],
}

// SAFETY: `build` closes a segment after each parent; it skips only coordinates before a coordinate
// of the dimension.
unsafe impl<P: Width> Level for Delta<P> {
    const KIND: Kind = Kind::new("delta");

    type View<'a> = DeltaView<'a, P>;

    fn view(&self) -> DeltaView<'_, P> {
        DeltaView { pos: &self.pos, gap: &self.gap }
    }

    fn build(
        _: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let (mut pos, mut gap) = (vec![P::default()], Vec::new());
        let mut positions = Vec::with_capacity(nodes.len());
        let mut nodes = nodes.peekable();
        for parent in 0..parents {
            let mut least = 0;
            while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
                while coordinate - least >= usize::from(NONE) {
                    gap.push(NONE);
                    least += usize::from(NONE);
                }
                positions.push(gap.len());
                gap.push((coordinate - least) as u8);
                least = coordinate + 1;
            }
            let end = gap.len();
            let fault = || Fault::width::<P>("positions", end as i128, 0, end as i128);
            pos.push(P::try_from_usize(end).ok_or_else(fault)?);
        }
        Ok((Delta { pos, gap }, positions))
    }
}

impl<P: Width> DeltaView<'_, P> {
    /// Returns the coordinate in a slot, if it is used, and the least coordinate that can follow.
    fn read(&self, slot: usize, least: usize) -> (Option<usize>, usize) {
        match self.gap[slot] {
            NONE => (None, least + usize::from(NONE)),
            gap => (Some(least + usize::from(gap)), least + usize::from(gap) + 1),
        }
    }
}

// SAFETY: `validate` checks that segments are contiguous, and that coordinates, including skipped
// ones, are below the size of the axis.
unsafe impl<P: Width> LevelView for DeltaView<'_, P> {
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        Some(self.gap.len())
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        self.pos[parent.position].to_usize()..self.pos[parent.position + 1].to_usize()
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let before = self.expand(axis, parent).start..slot;
        let least = before.fold(0, |least, before| self.read(before, least).1);
        self.read(slot, least).0.map(|coordinate| (coordinate, slot))
    }

    fn next_child(
        &self,
        _: &Axis,
        _: Node<'_>,
        slot: usize,
        least: &mut usize,
    ) -> Option<(usize, usize)> {
        let (coordinate, next) = self.read(slot, *least);
        *least = next;
        coordinate.map(|coordinate| (coordinate, slot))
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        let count = parents.count();
        let ends = self.pos.first().zip(self.pos.last());
        let all = ends
            .is_some_and(|(start, end)| start.to_usize() == 0 && end.to_usize() == self.gap.len());
        if self.pos.len() != count + 1 || !all || !self.pos.is_sorted() {
            return Err(Fault::broken(count, format!("`pos` does not make {count} segments")));
        }
        for ends in self.pos.windows(2) {
            let mut least = 0;
            for slot in ends[0].to_usize()..ends[1].to_usize() {
                least = self.read(slot, least).1;
                if least > axis.size {
                    return Err(Fault::broken(slot, "the coordinate leaves the dimension"));
                }
            }
        }
        Ok(self.gap.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        let pos = self.pos.iter().map(|number| number.to_usize()).collect();
        vec![("pos", pos), ("gap", self.gap.iter().map(|gap| usize::from(*gap)).collect())]
    }
}
