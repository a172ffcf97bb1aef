//! The promise of a level that lets kernels index without checks.

/// A promise that kernels may index without checks at the positions and coordinates that the level
/// functions return.
///
/// A level makes it with [`Level::promise`](super::Level::promise). Kernels that use a level
/// without a promise check every index and validate their results, as with `bounds = "checked"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise(());

impl Promise {
    /// Makes the promise.
    ///
    /// # Safety
    /// Let a storage be of the type that [`Level::storage`](super::Level::storage) names, and let
    /// its `validate` have accepted it for an axis of some size and a number of parents, and
    /// returned a number of children. For each such storage, and for arguments in range (parents
    /// below the number of parents, coordinates below the size, positions within the segments that
    /// the level returns, coordinates of ancestors of the parent), the following must hold:
    ///
    /// - The expressions and statements of every level function access the level's arrays within
    ///   their lengths. Code that is evaluated whether an entry is present or not, such as a
    ///   prelude or the condition of a [`Found`](super::Found), does so for every argument in
    ///   range.
    /// - Coordinates from iteration are below the size. Positions from iteration and from a
    ///   successful `locate` are below the number of children; ends of segments do not exceed it.
    /// - The properties from [`Level::properties`](super::Level::properties) and the map hold:
    ///   coordinates of one parent increase if the level is ordered, differ if it is unique, and
    ///   are complete if it is full; a branchless level has one child at each parent's position.
    /// - Each position is a child of at most one parent, and the segments of consecutive parents
    ///   are contiguous.
    /// - The functions of `Append` and `Insert` leave a storage that `validate` accepts, if they
    ///   are called in the order that these traits describe. `append_coord` appends at most one
    ///   element to each array, and `append_edges` one element to each array for the parent and for
    ///   each parent that it skips. `count` and `size` return the number of positions.
    /// - The type's implementations of the runtime's `Level` and `LevelView` meet the requirements
    ///   of those traits.
    pub const unsafe fn new() -> Promise {
        Promise(())
    }
}
