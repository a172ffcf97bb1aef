//! Levels: how one storage dimension maps a parent's position to its children.
//!
//! A tensor is a hierarchy of coordinates. Each level stores, for every *node* of the level above,
//! the node's children: their coordinates, and the positions under which the next level (or, below
//! the last one, the array of values) finds them. Above the first level there is one node, the
//! root, at position 0.
//!
//! A level is a type that owns its arrays, [`Level`], and one that borrows them, [`LevelView`].
//! Everything that the crate does with a tensor is a fold of their methods over its levels:
//! packing of [`Level::build`], iterating of [`LevelView::expand`], looking up of
//! [`LevelView::locate`], checking of [`LevelView::validate`]. A crate of its own can add levels by
//! implementing both.

use std::fmt::Debug;
use std::ops::Range;

use crate::format::Properties;
use crate::memory::filled;
use crate::{Error, Width};

mod compressed;
mod dense;
mod singleton;
mod tuple;

pub use compressed::{Compressed, CompressedView};
pub use dense::{Dense, DenseView};
pub use singleton::{Singleton, SingletonView};
pub use tuple::{LevelSource, LevelViews, Levels, MAX_LEVELS};

/// What is the same for all levels of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The level's name in a manifest: `"compressed"`.
    pub name: &'static str,
    /// Every coordinate is there under each parent, whatever the declaration says.
    pub full: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
}

/// What a tensor's shape and its format's declaration say of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Coordinates are below this number.
    pub size: usize,
    /// The declared invariants.
    pub properties: Properties,
}

/// A node of the level above: the parent of the children in question.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The parent's position.
    pub position: usize,
    /// The coordinates on the way from the root to the parent, one per level above this one.
    pub coords: &'a [usize],
}

/// The storage of a level.
///
/// # Safety
/// What [`Level::build`] and [`Level::empty`] return must pass [`LevelView::validate`], with the
/// number of parents and the axis that they were called with.
pub unsafe trait Level: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// What holds for every level of this type.
    const KIND: Kind;

    /// The same storage, borrowed.
    type View<'a>: LevelView + Copy + Debug + Send + Sync + 'a;

    /// Borrows the storage.
    fn view(&self) -> Self::View<'_>;

    /// Stores nodes under a number of parents; returns the storage and each node's position.
    /// Where a level must store more than these nodes, it pads.
    ///
    /// Each node is its parent's position and its own coordinate. They come in order, by parents
    /// and then by coordinates, and are distinct unless the level is nonunique.
    ///
    /// # Errors
    /// A [`Fault`] whose index is a node's where there is no place for the node, and a fault of
    /// width or size where there is none for the level as a whole.
    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault>;

    /// Stores nothing under a number of parents, except for what the level must pad with.
    ///
    /// # Errors
    /// As [`Level::build`].
    fn empty(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        let (level, _) = Self::build(axis, parents, std::iter::empty())?;
        Ok(level)
    }
}

/// The borrowed storage of a level.
///
/// Children of a parent stand in *slots*, which are what iterating and searching go through. A
/// slot may turn out to be unused.
///
/// Other than [`LevelView::validate`], methods are only called on storage that is valid.
///
/// # Safety
/// [`LevelView::validate`] must refuse whatever would let a position reach the number of children
/// that it returns, or a coordinate the size of the axis, by way of any function of the level;
/// kernels index without checks on the strength of it.
pub unsafe trait LevelView {
    /// How many positions the level has under so many parents, used or not, or `None` where that
    /// overflows.
    fn children(&self, parents: usize) -> Option<usize>;

    /// The slots of a parent's children, in storage order.
    fn expand(&self, parent: Node<'_>) -> Range<usize>;

    /// The coordinate and the position of the child in one of a parent's slots, or `None` where
    /// the slot is unused.
    fn child(&self, parent: Node<'_>, slot: usize) -> Option<(usize, usize)>;

    /// Those slots of a parent among which all its children of this coordinate are. The caller
    /// checks what is in them.
    fn locate(&self, parent: Node<'_>, coordinate: usize, axis: &Axis) -> Range<usize> {
        let _ = (coordinate, axis);
        self.expand(parent)
    }

    /// Checks every invariant that concerns the children of one parent, and that there is storage
    /// for all parents; returns the number of children.
    ///
    /// Whether children of *several* parents that share their coordinates keep order and differ is
    /// checked by the caller.
    ///
    /// # Errors
    /// A [`Fault`] that names the index of the first mistake.
    fn validate(&self, parents: &Parents<'_>, axis: &Axis) -> Result<usize, Fault>;

    /// The arrays by name, their contents widened: for showing and comparing, not for computing.
    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)>;
}

/// The nodes above a level that is being validated. They are valid themselves.
#[derive(Clone, Copy)]
pub struct Parents<'a> {
    levels: &'a dyn LevelViews,
    depth: usize,
    count: usize,
}

impl<'a> Parents<'a> {
    /// The nodes of the last of the outermost `depth` levels, which has `count` positions.
    pub(crate) fn new(levels: &'a dyn LevelViews, depth: usize, count: usize) -> Parents<'a> {
        Parents { levels, depth, count }
    }

    /// How many positions the level above has; parents' positions are below this.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls a function with each parent, in storage order.
    pub fn for_each(&self, mut visit: impl FnMut(Node<'_>)) {
        let mut walk = crate::tensor::Walk::new(self.levels, self.depth);
        while let Some(position) = walk.next(self.levels) {
            visit(Node { position, coords: walk.coords() });
        }
    }
}

/// Why a level cannot be built, or is not valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// An invariant is broken.
    Broken {
        /// Where: an index into the level's arrays, or a node's where it is being built.
        index: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A number does not fit the width in which it would be stored.
    Width {
        /// What the number is one of: "positions", "coordinates".
        what: &'static str,
        /// The width's name.
        width: &'static str,
        /// The largest number that must fit.
        largest: usize,
    },
    /// There are more positions than memory can hold.
    Size,
}

impl Fault {
    /// The error that this is at a level, counted from 0, of a format, for a tensor being checked.
    pub(crate) fn at(self, format: &'static str, level: usize, shape: &[usize]) -> Error {
        let level = level + 1;
        match self {
            Fault::Broken { index, reason } => Error::Level { format, level, index, reason },
            Fault::Width { what, width, largest } => Error::Width {
                of: format!("format `{format}`"),
                what: format!("{what} of level {level}"),
                width,
                largest,
            },
            Fault::Size => Error::Size { format, shape: shape.to_vec() },
        }
    }

    fn broken(index: usize, reason: impl Into<String>) -> Fault {
        Fault::Broken { index, reason: reason.into() }
    }
}

impl Axis {
    /// Checks that a width holds every coordinate of the axis, whichever of them are stored.
    fn fits<C: Width>(&self) -> Result<(), Fault> {
        let largest = self.size.saturating_sub(1);
        if largest <= C::LARGEST { Ok(()) } else { Err(too_wide::<C>("coordinates", largest)) }
    }

    /// Checks a stored coordinate against the size.
    fn contains(&self, coordinate: usize, index: usize) -> Result<(), Fault> {
        if coordinate < self.size {
            return Ok(());
        }
        let size = self.size;
        let reason = format!("coordinate {coordinate} is not below the dimension's size {size}");
        Err(Fault::broken(index, reason))
    }
}

fn too_wide<W: Width>(what: &'static str, largest: usize) -> Fault {
    Fault::Width { what, width: W::NAME, largest }
}

/// A position or coordinate in the width in which it is stored.
fn narrowed<W: Width>(what: &'static str, number: usize) -> Result<W, Fault> {
    W::try_from_usize(number).ok_or_else(|| too_wide::<W>(what, number))
}

/// An array of zeros, if memory reaches.
fn zeros<W: Width>(count: usize) -> Result<Vec<W>, Fault> {
    filled(W::default(), count).ok_or(Fault::Size)
}

/// The numbers of an array, widened.
fn widened<W: Width>(array: &[W]) -> Vec<usize> {
    array.iter().map(|number| number.to_usize()).collect()
}
