//! Levels: the storage of one dimension, which maps the position of a parent to its children.
//!
//! A tensor is a hierarchy of coordinates. Each level stores, for every *node* of the level above,
//! the node's children: their coordinates, and the positions under which the next level (or, below
//! the last one, the array of values) finds them. Above the first level there is one node, the
//! root, at position 0.
//!
//! A level is a type that owns its arrays, [`Level`], and one that borrows them, [`LevelView`].
//! Every operation on a tensor folds one of their methods over its levels: packing folds
//! [`Level::build`], iteration [`LevelView::expand`], lookup [`LevelView::locate`], and validation
//! [`LevelView::validate`].
//!
//! | level | children | arrays |
//! |---|---|---|
//! | [`Dense`] | every coordinate | none |
//! | [`Batch`] | every coordinate, outermost | none |
//! | [`Compressed`] | a segment of a list | `pos`, `crd` |
//! | [`LooseCompressed`] | a segment of a list with gaps | `lo`, `hi`, `crd` |
//! | [`BlockCompressed`] | a segment of a list of blocks with short coordinates | `pos`, `blocks`, `first`, `crd` |
//! | [`Singleton`] | one | `crd` |
//! | [`Hashed`] | a hash table | `crd` |
//! | [`Bitmap`] | the coordinates whose bits are set | `bits` |
//! | [`Structured`] | a declared number for each parent | `crd` |
//! | [`Range`] | the coordinates on a diagonal | none |
//! | [`Offset`] | the coordinate on a diagonal | none |
//!
//! # Custom levels
//!
//! A crate can add levels by implementing the two traits; formats then name them like built-in ones.
//! The module `level` of the crate `sparsegen-build` explains how kernels can read and write them.
//!
//! The following level stores one run of consecutive coordinates for each parent. A triangular
//! matrix whose rows are dense from their first entry to the diagonal (a *skyline* matrix) then
//! takes two numbers per row.
//!
//! ```
//! use std::ops::Range;
//!
//! use sparsegen::level::{Axis, Dense, Fault, Kind, Level, LevelView, Node, Parents};
//! use sparsegen::{Csr, Format, LevelMap, Map, Tensor};
//!
//! /// The children of `parent` are at `pos[parent]..pos[parent + 1]`. The coordinate of the first is
//! /// `start[parent]`, and each other coordinate is 1 more than the previous one.
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
//! // SAFETY: `build` closes a run after each parent, from its first to its last node, whose
//! // coordinates are below the size; clones and views have the same arrays.
//! unsafe impl Level for Run {
//!     // A run also covers the coordinates between its nodes.
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
//! // SAFETY: `validate` checks that the runs are contiguous, and that each ends within
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

use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops;

use crate::Width;
use crate::memory::filled;

mod axis;
mod batch;
mod bitmap;
mod block_compressed;
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
pub use batch::{Batch, BatchView};
pub use bitmap::{Bitmap, BitmapView};
pub use block_compressed::{BlockCompressed, BlockCompressedView};
pub use compressed::{Compressed, CompressedView};
pub use dense::{Dense, DenseView};
pub use fault::Fault;
pub use hashed::{Hashed, HashedView};
pub use kind::Kind;
pub use listing::Listing;
pub(crate) use listing::is_identity;
pub use loose_compressed::{LooseCompressed, LooseCompressedView};
pub use offset::Offset;
pub use parents::Parents;
pub use range::Range;
pub use singleton::{Singleton, SingletonView};
pub(crate) use structured::full;
pub use structured::{Structured, StructuredView};
pub use tuple::{LevelSource, LevelViews, Levels, MAX_LEVELS};

/// A node of the level above: the parent of some children.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The parent's position.
    pub position: usize,
    /// The coordinates of the ancestors of the parent and of the parent itself, one per level.
    pub coords: &'a [usize],
}

/// The storage of a level.
///
/// # Safety
/// Tensors are validated only when they are made from raw parts, and kernels then index without
/// checks. Therefore, in addition to the requirements of [`LevelView`] on [`Level::View`]:
///
/// - The results of [`Level::build`], [`Level::build_list`], [`Level::insert`] and
///   [`Level::empty`] must pass
///   [`LevelView::validate`] with the axis that they were called with and, as far as the arguments
///   determine them, with parents of that number that have the given children. The positions that
///   `build` returns, and those of a list, must be below the number of children, and the child at
///   that position must be the node.
/// - `clone` and `clone_from` must make a storage with the same children, valid wherever the
///   original is valid.
/// - [`Level::view`] must borrow this very storage: all views must give the same answers until the
///   storage is next accessed by value or by `&mut`. No storage changes behind a shared reference,
///   or by being moved.
/// - [`Level::KIND`] must describe every valid storage.
pub unsafe trait Level: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The properties of every level of this type.
    const KIND: Kind;

    /// The borrowed storage.
    type View<'a>: LevelView + Copy + Debug + Send + Sync + 'a;

    /// Borrows the storage.
    fn view(&self) -> Self::View<'_>;

    /// Stores nodes under `parents` parents; returns the storage and the position of each node. A
    /// level that must store more than these nodes pads.
    ///
    /// Each node is the position of its parent and its own coordinate. Nodes are sorted by parents,
    /// then by coordinates, and are distinct unless the level is nonunique. Only the nodes of one
    /// parent in a nonordered and nonunique [list](Kind::list) may have any order.
    ///
    /// # Errors
    /// A [`Fault`] with the index of the first node that cannot be stored, or a fault of width or
    /// size of the level as a whole.
    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault>;

    /// Stores nodes like [`Level::build`], given as whole arrays, if the level is a list that
    /// stores children at the positions of these arrays. It takes the arrays out of `list`, so that
    /// it can keep arrays that already have the right form.
    ///
    /// Returns `None`, with `list` unchanged, if it is not such a list; this is the default. The
    /// requirements of [`Level`] also apply to the returned storage: it must be valid for the
    /// list's parents.
    fn build_list(axis: &Axis, list: &mut Listing<'_>) -> Option<Result<Self, Fault>> {
        let _ = (axis, list);
        None
    }

    /// Stores nodes given in any order, each any number of times, if their positions do not depend
    /// on other nodes. For each node, `positions` holds the position of its parent, which the level
    /// replaces by the position of the node, and `coords` its coordinate.
    ///
    /// Returns `None`, with `positions` unchanged, if the level needs sorted nodes, as for
    /// [`Level::build`]; this is the default. The requirements of [`Level`] also apply to the
    /// returned storage and positions.
    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        let _ = (axis, parents, positions, coords);
        None
    }

    /// Stores no nodes under `parents` parents, except the padding of the level.
    ///
    /// # Errors
    /// The same as [`Level::build`].
    fn empty(axis: &Axis, parents: usize) -> Result<Self, Fault> {
        let (level, _) = Self::build(axis, parents, core::iter::empty())?;
        Ok(level)
    }
}

/// The borrowed storage of a level.
///
/// The children of a parent are in *slots*, which iteration and search visit. A slot may be unused.
///
/// Methods other than [`LevelView::validate`] are only called on valid storage.
///
/// # Safety
/// Kernels index without checks because [`LevelView::validate`] has accepted the storage.
///
/// - It must refuse any storage from which a function of the level, here or in the compiler, could
///   compute a position that is not below the returned number of children, or a coordinate that is
///   not below the size of the axis.
/// - It must refuse any storage that violates a property of the axis or of [`Level::KIND`]:
///   coordinates of one parent that decrease if the level is ordered, that are repeated if it is
///   unique, or that are missing if it is full; and positions that two parents share.
/// - On storage that it has accepted, all functions must describe the same children as the level
///   functions of the compiler: [`LevelView::children`] returns the same number, and
///   [`LevelView::listing`] lists them one for one.
/// - Results must not change while the storage is borrowed, and copies must give the same results.
pub unsafe trait LevelView {
    /// Returns the number of positions under `parents` parents, used or unused, or `None` on
    /// overflow.
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize>;

    /// Returns the largest number of positions that the level can have if it is built again, under
    /// at most `parents` parents, from its present nodes and `added` more. Returns `None` if it may
    /// then refuse a node, for any reason but lack of memory; this is the default.
    ///
    /// [`Tensor::insert`](crate::Tensor::insert) defers the building of levels only within these
    /// bounds, so that it can report errors.
    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        let _ = (axis, parents, added);
        None
    }

    /// Returns the slots of the children of a parent, in storage order.
    fn expand(&self, axis: &Axis, parent: Node<'_>) -> ops::Range<usize>;

    /// Returns the coordinate and the position of the child in a slot of a parent, or `None` if the
    /// slot is unused.
    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)>;

    /// Returns the children of all parents as whole arrays, if the level has one of the forms of a
    /// [`Listing`] and coordinates fit 32 bits. A [relative](Kind::relative) level may also list
    /// children outside of its dimension. The default returns `None`.
    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        let _ = axis;
        None
    }

    /// Returns the same as [`LevelView::child`], for a caller that visits the slots of a parent in
    /// order. `carried` is 0 at the first slot; at each other slot it is the value that the
    /// previous call left in it. It serves levels that compute coordinates from those of earlier
    /// slots.
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

    /// Returns slots of a parent that include all its children with this coordinate. The caller
    /// checks their contents.
    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> ops::Range<usize> {
        let _ = coordinate;
        self.expand(axis, parent)
    }

    /// Checks every invariant of the children of one parent, and that there is storage for all
    /// parents; returns the number of children.
    ///
    /// The caller checks the order and uniqueness of children of *different* parents with the same
    /// coordinates. For each parent of a branchless level, it also checks that the child lies
    /// within the dimension if the level is relative or the dimension has size 0.
    ///
    /// # Errors
    /// A [`Fault`] with the index of the first mistake.
    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault>;

    /// Returns the arrays by name, widened to `usize`, with negative numbers wrapped: for display
    /// and comparison, not for computation.
    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)>;
}

/// Converts a position to the type that stores it.
fn narrowed<W: Width>(position: usize) -> Result<W, Fault> {
    let number = position as i128;
    W::try_from_usize(position).ok_or_else(|| Fault::width::<W>("positions", number, 0, number))
}

/// Returns an array of `count` copies of a number, or a fault if memory does not suffice.
fn repeated<T: Clone>(number: T, count: usize) -> Result<Vec<T>, Fault> {
    filled(number, count).ok_or(Fault::Size)
}

/// Returns the numbers of an array as `usize`, with negative numbers wrapped.
fn widened<W: Width>(array: &[W]) -> Vec<usize> {
    array.iter().map(|number| number.to_usize()).collect()
}
