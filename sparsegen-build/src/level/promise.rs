//! What the author of a level promises, so that kernels need not check indices.

/// A promise that kernels may index without checks wherever the functions of a level lead them.
///
/// A level gives it with [`Level::promise`](super::Level::promise). Kernels that use a level without
/// a promise check every index and validate their results, as with `bounds = "checked"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise(());

impl Promise {
    /// Gives the promise.
    ///
    /// # Safety
    /// Let a storage be of the type that [`Level::storage`](super::Level::storage) names, and let its
    /// `validate` have accepted it for an axis of some size and a number of parents, and returned a
    /// number of children. For each such storage, and for arguments in range (parents below the number
    /// of parents, coordinates below the size, positions within the segments that the level gives,
    /// coordinates of ancestors that lead to the parent):
    ///
    /// - The expressions and statements of every level function read and write the level's arrays
    ///   within their lengths. What is evaluated whether a child is there or not, such as a prelude or
    ///   the condition of a [`Found`](super::Found), does so for every argument in range.
    /// - Coordinates that iteration gives are below the size. Positions that iteration gives or that
    ///   `locate` finds are below the number of children; ends of segments do not exceed it.
    /// - What [`Level::properties`](super::Level::properties) and the properties of the map say holds:
    ///   coordinates below one parent increase if the level is ordered, differ if it is unique, and are
    ///   all there if it is full; a branchless level has one child at each parent's position.
    /// - Each position is a child of at most one parent, and segments of neighbouring parents lie one
    ///   behind the other.
    /// - The functions of `Append` and `Insert` leave a storage that `validate` accepts, if they are
    ///   called in the order that these traits describe. `append_coord` appends at most one element to
    ///   each array, `append_edges` one to each array besides those of the parents that it skips.
    ///   `count` and `size` return the number of positions.
    /// - The type's implementations of the runtime's `Level` and `LevelView` keep the promises of those
    ///   traits.
    pub const unsafe fn new() -> Promise {
        Promise(())
    }
}
