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
use std::ops;

use crate::Width;
use crate::memory::filled;

mod axis;
mod bitmap;
mod compressed;
mod dense;
mod fault;
mod hashed;
mod loose_compressed;
mod offset;
mod parents;
mod range;
mod segments;
mod singleton;
mod structured;
mod tuple;

pub(crate) use axis::Axes;
pub use axis::{Axis, Diagonal};
pub use bitmap::{Bitmap, BitmapView};
pub use compressed::{Compressed, CompressedView};
pub use dense::{Dense, DenseView};
pub use fault::Fault;
pub use hashed::{Hashed, HashedView};
pub use loose_compressed::{LooseCompressed, LooseCompressedView};
pub use offset::Offset;
pub use parents::Parents;
pub use range::Range;
pub use singleton::{Singleton, SingletonView};
pub use structured::{Structured, StructuredView};
pub use tuple::{LevelSource, LevelViews, Levels, MAX_LEVELS};

/// What is the same for all levels of one type.
///
/// ```
/// use sparsegen::level::Kind;
///
/// const DENSE: Kind = Kind::new("dense").full().compact();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kind {
    /// The level's name in a manifest: `"compressed"`.
    pub name: &'static str,
    /// The numbers that the level is declared with: 2 and 4 of `structured(2, 4)`.
    pub parameters: &'static [usize],
    /// Every coordinate is there under each parent, whatever the declaration says.
    pub full: bool,
    /// Children may stand in an order that the declaration can ask for.
    pub ordered: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// Every position belongs to a child.
    pub compact: bool,
    /// Building makes children that were not among the nodes, whatever the declaration says.
    pub pads: bool,
    /// Children are a list, which can be in any order and hold a coordinate several times where
    /// the level is declared nonordered and nonunique.
    pub list: bool,
    /// Coordinates follow from those of outer levels, or are bounded by them, as
    /// [`Axis::diagonal`] says.
    pub relative: bool,
}

impl Kind {
    /// A level that keeps the order it is asked to keep, and has none of the other properties.
    pub const fn new(name: &'static str) -> Kind {
        Kind {
            name,
            parameters: &[],
            full: false,
            ordered: true,
            branchless: false,
            compact: false,
            pads: false,
            list: false,
            relative: false,
        }
    }

    /// Declared with these numbers.
    pub const fn parameters(self, parameters: &'static [usize]) -> Kind {
        Kind { parameters, ..self }
    }

    /// Every coordinate is there under each parent, so that there may be children that were not
    /// asked for.
    pub const fn full(self) -> Kind {
        Kind { full: true, pads: true, ..self }
    }

    /// Children stand in an order of their own.
    pub const fn nonordered(self) -> Kind {
        Kind { ordered: false, ..self }
    }

    /// Each parent has exactly one child.
    pub const fn branchless(self) -> Kind {
        Kind { branchless: true, ..self }
    }

    /// Every position belongs to a child.
    pub const fn compact(self) -> Kind {
        Kind { compact: true, ..self }
    }

    /// Building makes children that were not among the nodes.
    pub const fn pads(self) -> Kind {
        Kind { pads: true, ..self }
    }

    /// Children can be in any order and repeated, where declared so.
    pub const fn list(self) -> Kind {
        Kind { list: true, ..self }
    }

    /// Coordinates follow from those of outer levels, or are bounded by them.
    pub const fn relative(self) -> Kind {
        Kind { relative: true, ..self }
    }

    /// Whether coordinates follow from those of outer levels, so that nothing is stored for them.
    pub(crate) const fn is_derived(&self) -> bool {
        self.relative && self.branchless
    }
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
    /// and then by coordinates, and are distinct unless the level is nonunique; only below one
    /// parent of a nonordered and nonunique level, if it is a [list](Kind::list), do they come in
    /// any order.
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
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize>;

    /// The slots of a parent's children, in storage order.
    fn expand(&self, axis: &Axis, parent: Node<'_>) -> ops::Range<usize>;

    /// The coordinate and the position of the child in one of a parent's slots, or `None` where
    /// the slot is unused.
    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)>;

    /// Those slots of a parent among which all its children of this coordinate are. The caller
    /// checks what is in them.
    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> ops::Range<usize> {
        let _ = coordinate;
        self.expand(axis, parent)
    }

    /// Checks every invariant that concerns the children of one parent, and that there is storage
    /// for all parents; returns the number of children.
    ///
    /// Whether children of *several* parents that share their coordinates keep order and differ is
    /// checked by the caller, as is that the child of each parent of a branchless level lies inside
    /// the dimension if it is relative or the dimension has size 0.
    ///
    /// # Errors
    /// A [`Fault`] that names the index of the first mistake.
    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault>;

    /// The arrays by name, their contents widened, negative numbers wrapped: for showing and
    /// comparing, not for computing.
    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)>;
}

/// A position in the width in which it is stored.
fn narrowed<W: Width>(position: usize) -> Result<W, Fault> {
    let number = position as i128;
    W::try_from_usize(position).ok_or_else(|| Fault::width::<W>("positions", number, 0, number))
}

/// An array of copies of a number, if memory reaches.
fn repeated<T: Clone>(number: T, count: usize) -> Result<Vec<T>, Fault> {
    filled(number, count).ok_or(Fault::Size)
}

/// The numbers of an array, widened; negative ones are wrapped.
fn widened<W: Width>(array: &[W]) -> Vec<usize> {
    array.iter().map(|number| number.to_usize()).collect()
}
