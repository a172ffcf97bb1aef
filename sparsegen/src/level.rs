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
//! [`LevelView::locate`], checking of [`LevelView::validate`].
//!
//! | level | children | arrays |
//! |---|---|---|
//! | [`Dense`] | every coordinate | none |
//! | [`Compressed`] | a segment of a list | `pos`, `crd` |
//! | [`LooseCompressed`] | a segment of a list with gaps | `lo`, `hi`, `crd` |
//! | [`Singleton`] | one | `crd` |
//! | [`Hashed`] | a hash table | `crd` |
//! | [`Bitmap`] | those whose bit is set | `bits` |
//! | [`Structured`] | as many as declared | `crd` |
//! | [`Range`] | those on a diagonal | none |
//! | [`Offset`] | the one on a diagonal | none |
//!
//! # A level of one's own
//!
//! A crate can add levels by implementing the two traits; formats then name them like any other. How
//! the compiler learns of a level, so that kernels can read and write it, is on one page with a whole
//! example: the module `level` of the crate `sparsegen-build`.
//!
//! This one stores, for each parent, one run of neighbouring coordinates. With it a triangular
//! matrix whose rows are filled from their first entry to the diagonal (a *skyline*) needs a number
//! and an end per row.
//!
//! ```
//! use std::ops::Range;
//!
//! use sparsegen::level::{Axis, Dense, Fault, Kind, Level, LevelView, Node, Parents};
//! use sparsegen::{Csr, Format, LevelMap, Map, Tensor};
//!
//! /// The children of `parent` are at `pos[parent]..pos[parent + 1]`; the first one's coordinate is
//! /// `start[parent]`, and each other's is 1 more than that of the one before.
//! #[derive(Clone, Debug, PartialEq)]
//! pub struct Run {
//!     pub pos: Vec<u32>,
//!     pub start: Vec<u32>,
//! }
//!
//! #[derive(Clone, Copy, Debug)]
//! pub struct RunView<'a> {
//!     pub pos: &'a [u32],
//!     pub start: &'a [u32],
//! }
//!
//! // SAFETY: `build` closes a run after each parent, from its first node to its last, whose
//! // coordinates are below the size; clones and views have the same arrays.
//! unsafe impl Level for Run {
//!     // Between a run's first and last coordinate there may be others that nobody asked for.
//!     const KIND: Kind = Kind::new("run").compact().pads();
//!
//!     type View<'a> = RunView<'a>;
//!
//!     fn view(&self) -> RunView<'_> {
//!         RunView { pos: &self.pos, start: &self.start }
//!     }
//!
//!     fn build(
//!         axis: &Axis,
//!         parents: usize,
//!         nodes: impl ExactSizeIterator<Item = (usize, usize)>,
//!     ) -> Result<(Self, Vec<usize>), Fault> {
//!         axis.fits::<u32>()?;
//!         let mut run = Run { pos: vec![0], start: Vec::new() };
//!         let mut positions = Vec::new();
//!         let mut nodes = nodes.peekable();
//!         for parent in 0..parents {
//!             let begin = run.pos[parent];
//!             let (mut end, mut start) = (begin, None);
//!             while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
//!                 let stored = axis.stored::<u32>(coordinate)?;
//!                 let length = stored - *start.get_or_insert(stored) + 1;
//!                 end = begin.checked_add(length).ok_or(Fault::Size)?;
//!                 positions.push(end as usize - 1);
//!             }
//!             run.pos.push(end);
//!             run.start.push(start.unwrap_or(0));
//!         }
//!         Ok((run, positions))
//!     }
//! }
//!
//! // SAFETY: `validate` checks that the runs lie one after the other, and that each ends within
//! // the size of the axis; positions are below the end of the last run.
//! unsafe impl LevelView for RunView<'_> {
//!     fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
//!         Some(self.pos[parents] as usize)
//!     }
//!
//!     fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
//!         self.pos[parent.position] as usize..self.pos[parent.position + 1] as usize
//!     }
//!
//!     fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
//!         let first = axis.coordinate(self.start[parent.position]);
//!         Some((first + (slot - self.pos[parent.position] as usize), slot))
//!     }
//!
//!     fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
//!         axis.fits::<u32>()?;
//!         let count = parents.count();
//!         if self.start.len() != count || self.pos.len() != count + 1 || self.pos[0] != 0 {
//!             return Err(Fault::broken(0, format!("there are not {count} runs from 0 on")));
//!         }
//!         for parent in 0..count {
//!             let (begin, end) = (self.pos[parent], self.pos[parent + 1]);
//!             let first = axis.coordinate(self.start[parent]);
//!             if begin > end || begin < end && first + (end - begin) as usize > axis.size {
//!                 return Err(Fault::broken(parent, "the run leaves the dimension"));
//!             }
//!         }
//!         Ok(self.pos[count] as usize)
//!     }
//!
//!     fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
//!         let widened = |array: &[u32]| array.iter().map(|number| *number as usize).collect();
//!         vec![("pos", widened(self.pos)), ("start", widened(self.start))]
//!     }
//! }
//!
//! /// `(i, j) -> (i : dense, j : run)`
//! #[derive(Clone, Copy, Debug)]
//! pub struct Skyline;
//!
//! impl Format for Skyline {
//!     const NAME: &'static str = "skyline";
//!     const MAP: Map =
//!         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "run")]);
//!     type Shape = [usize; 2];
//!     type Levels = (Dense, Run);
//! }
//!
//! let entries = [([0, 0], 4.0), ([1, 1], 5.0), ([2, 0], 1.0), ([2, 2], 6.0)];
//! let a = Tensor::<f64, Skyline>::from_triplets([3, 3], entries)?;
//! assert_eq!(a.levels().1.pos, [0, 1, 2, 5]);
//! assert_eq!(a.levels().1.start, [0, 1, 0]);
//! assert_eq!(a.vals(), [4.0, 5.0, 1.0, 0.0, 6.0]);
//! assert_eq!((a.get([2, 2]), a.get([1, 0])), (Some(6.0), Some(0.0)));
//! assert!(a.to::<Csr>()?.iter().eq(entries));
//!
//! let (shape, mut levels, vals) = a.into_parts();
//! levels.1.start[2] = 1;
//! let error = Tensor::<f64, Skyline>::from_parts(shape, levels, vals).unwrap_err();
//! let expected = "invalid `skyline` tensor: level 2, index 2: the run leaves the dimension";
//! assert_eq!(error.to_string(), expected);
//! # Ok::<(), sparsegen::Error>(())
//! ```

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
mod kind;
mod listing;
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
pub use kind::Kind;
pub use listing::Listing;
pub use loose_compressed::{LooseCompressed, LooseCompressedView};
pub use offset::Offset;
pub use parents::Parents;
pub use range::Range;
pub use singleton::{Singleton, SingletonView};
pub use structured::{Structured, StructuredView};
pub use tuple::{LevelSource, LevelViews, Levels, MAX_LEVELS};

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
/// Tensors are validated when they are made from raw parts and at no other time, and kernels index
/// without checks on the strength of it. So, beside what [`LevelView`] demands of [`Level::View`]:
///
/// - What [`Level::build`], [`Level::build_list`] and [`Level::empty`] return must pass
///   [`LevelView::validate`] with the axis that they were called with and, as far as they are told
///   them, with parents of that number that have children as listed. The positions that `build`
///   returns, and those of a list, must be below the number of children, and the child there must
///   be the node.
/// - `clone` and `clone_from` must make a storage with the same children, valid wherever the original
///   is valid.
/// - [`Level::view`] must borrow this very storage: whatever a view of the storage answered, all later
///   views answer as well, until somebody has had the storage by value or by `&mut`. No storage
///   changes behind a shared reference, or by being moved.
/// - [`Level::KIND`] must hold for every storage that is valid.
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

    /// Stores nodes as [`Level::build`] does, from whole arrays, where the level is a list whose
    /// children stand at the positions that these arrays give them. It takes the arrays out of
    /// `list`, to keep those that are as it would have them.
    ///
    /// `None` where it is not, and `list` is left as it was: a level need not know of this. The
    /// promise of [`Level`] extends to what this returns: it must be valid for the list's parents.
    fn build_list(axis: &Axis, list: &mut Listing<'_>) -> Option<Result<Self, Fault>> {
        let _ = (axis, list);
        None
    }

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
/// Kernels index without checks on the strength of [`LevelView::validate`].
///
/// - It must refuse whatever would let a position reach the number of children that it returns, or
///   a coordinate the size of the axis, by way of any function of the level, here or in the compiler.
/// - It must refuse what breaks a property of the axis or of [`Level::KIND`]: coordinates of one parent
///   that decrease if the level is ordered, that are repeated if it is unique, that are missing if it
///   is full; positions that two parents share.
/// - On storage that it has accepted, all functions must describe the same children, which are those
///   that the level functions of the compiler lead to: [`LevelView::children`] returns the number that
///   it returned, and [`LevelView::listing`] lists them one for one.
/// - Answers must not change as long as the storage is borrowed, and copies must answer alike.
pub unsafe trait LevelView {
    /// How many positions the level has under so many parents, used or not, or `None` where that
    /// overflows.
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize>;

    /// The slots of a parent's children, in storage order.
    fn expand(&self, axis: &Axis, parent: Node<'_>) -> ops::Range<usize>;

    /// The coordinate and the position of the child in one of a parent's slots, or `None` where
    /// the slot is unused.
    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)>;

    /// The children of all parents as whole arrays, where the level is a list without gaps whose
    /// coordinates fit 32 bits. A level need not know of this.
    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        let _ = axis;
        None
    }

    /// As [`LevelView::child`], for a caller that goes through a parent's slots one after the other:
    /// `carried` is 0 at the first, and at each other whatever the call for the one before left in
    /// it. A level whose slots do not tell their coordinates by themselves carries along what they
    /// count from.
    fn next_child(
        &self,
        axis: &Axis,
        parent: Node<'_>,
        slot: usize,
        carried: &mut usize,
    ) -> Option<(usize, usize)> {
        let _ = carried;
        self.child(axis, parent, slot)
    }

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
