//! `batch`: every coordinate, outermost, each with a tensor of its own below it.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Axis, Dense, DenseView, Fault, Kind, Level, LevelView, Listing, Node, Parents};

/// A level that stores every coordinate, like [`Dense`], and is outermost in a manifest's maps.
///
/// The levels below store a tensor for each coordinate, one after another in the same arrays, whose
/// positions count through all coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Batch {
    /// The number of coordinates, which is the dimension's extent.
    pub size: usize,
}

/// A borrowed [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchView {
    /// The number of coordinates, which is the dimension's extent.
    pub size: usize,
}

impl BatchView {
    fn dense(self) -> DenseView {
        DenseView { size: self.size }
    }
}

impl Batch {
    fn of(level: Dense) -> Batch {
        Batch { size: level.size }
    }
}

// SAFETY: the storage, its positions and its view are those of `Dense`.
unsafe impl Level for Batch {
    const KIND: Kind = Kind { name: "batch", ..Dense::KIND };

    type View<'a> = BatchView;

    fn view(&self) -> BatchView {
        BatchView { size: self.size }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let (level, positions) = Dense::build(axis, parents, nodes)?;
        Ok((Batch::of(level), positions))
    }

    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        Dense::insert(axis, parents, positions, coords).map(|level| level.map(Batch::of))
    }
}

// SAFETY: all functions are those of `DenseView` for the same storage.
unsafe impl LevelView for BatchView {
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize> {
        self.dense().children(axis, parents)
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        self.dense().grown(axis, parents, added)
    }

    fn expand(&self, axis: &Axis, parent: Node<'_>) -> Range<usize> {
        self.dense().expand(axis, parent)
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        self.dense().child(axis, parent, slot)
    }

    fn listing(&self, _: &Axis) -> Option<Listing<'_>> {
        Some(Listing::Every(self.size))
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> Range<usize> {
        self.dense().locate(axis, parent, coordinate)
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        self.dense().validate(axis, parents)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        self.dense().arrays()
    }
}
