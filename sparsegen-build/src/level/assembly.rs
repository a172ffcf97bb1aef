//! The functions of levels that store results: by insert, by append, and in any order.

use super::code::{Expr, Stmt};
use super::{Found, Storage};

/// Assembly in any order: a coordinate has the same position each time that it is inserted.
pub trait Insert {
    /// Returns the local arrays that the assembly needs, by which [`Storage::array`] refers to them.
    fn scratch(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the number of positions, given the number of positions of the level above.
    fn size(&self, storage: &Storage, parents: Expr) -> Expr;

    /// Returns statements that clear the storage, and declare local arrays and numbers. The default
    /// returns none.
    fn insert_init(&self, _storage: &Storage) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns statements that extend the storage to a number of positions of the level above. If
    /// it is known, they run once before the first coordinate, and otherwise for each position that
    /// is added to the level above. The default returns none.
    fn insert_parents(&self, _storage: &Storage, _parents: Expr) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns the local arrays and the arrays of the storage that have as many elements for each
    /// parent, each with its initial element. If there are others, [`Insert::insert_parents`] of a
    /// level above must not move parents.
    fn each_parent(&self, _storage: &Storage) -> Vec<(String, Expr)> {
        Vec::new()
    }

    /// Returns the position of a coordinate, and the statements that store it there. Statements may
    /// bind `name`, and `name` with a suffix. They may move other coordinates, with what is below
    /// them.
    fn insert_coord(
        &self,
        storage: &Storage,
        parent: Expr,
        coordinate: Expr,
        below: &Below,
        name: &str,
    ) -> Found;

    /// Returns where the coordinates are stored, if the positions of each parent are the slots of a
    /// bucket. The buckets of two threads are then joined; a level with arrays that returns `None` is
    /// assembled by one thread.
    fn buckets(&self) -> Option<Buckets> {
        None
    }

    /// Returns statements that complete the storage after the last coordinate, given the number of
    /// positions of the level above. The default returns none.
    fn insert_finalize(&self, _storage: &Storage, _parents: Expr) -> Vec<Stmt> {
        Vec::new()
    }
}

/// A level whose positions are slots: a bucket of them for each parent, all of the same width. The
/// slot of a coordinate is the first one that was empty when it was inserted, from its remainder by
/// the width on, wrapping at the end of the bucket. The width doubles when a bucket is half full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The array with the coordinate in each slot: the largest number of its type if it is empty.
    pub slots: &'static str,
    /// The number with the width.
    pub width: &'static str,
}

/// What is stored below the positions of a level.
#[derive(Clone, Debug)]
pub struct Below {
    /// The values, as many for each position.
    pub vals: String,
    /// The number of values for each position.
    pub each: Expr,
    /// The arrays with as many elements for each position, and the element of each where nothing was
    /// computed: those of the levels below, and the values.
    pub arrays: Vec<(String, Expr)>,
}

/// Assembly in order: parents in the order of their positions, and the coordinates of each as the
/// properties of the level demand.
pub trait Append {
    /// Returns statements that clear the storage.
    fn append_init(&self, storage: &Storage) -> Vec<Stmt>;
    /// Returns statements that store a coordinate at the next position.
    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt>;
    /// Returns statements that assign the children appended since the last call to the next parent.
    /// If parents may be skipped, `skipped_to` is the position of this parent.
    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt>;
    /// Returns statements that complete the storage. If the last parents may be skipped, `parents`
    /// is their total number.
    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt>;
    /// Returns the number of positions so far, which is the position of the next coordinate.
    fn count(&self, storage: &Storage) -> Expr;
    /// Returns whether that is the length of one of the level's arrays. If it is not, the level
    /// must be the last one of a format to be assembled.
    fn counts_by_length(&self) -> bool {
        true
    }
    /// Returns how the arrays of positions or indices of two threads are joined. A level that has
    /// such arrays and returns `None` is assembled by one thread.
    fn joins(&self) -> Option<Joins> {
        None
    }

    /// Returns how the coordinates of each parent are stored in any order, if they are. It then
    /// replaces [`Append::append_coord`].
    fn scatter(&self) -> Option<&dyn Scatter> {
        None
    }
}

/// How arrays of positions are joined: by what they contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// 0, and the end of each segment, where the next one begins.
    Ends,
    /// The begin or the end of each segment.
    Bounds,
}

/// Assembly of parents in any order, and of the coordinates of each in order: the positions of each
/// parent exist first, and each coordinate is then stored at the next position of its parent.
pub trait Fill {
    /// Returns the number of positions of each parent, if it is the same for all.
    fn capacity(&self) -> Option<Expr> {
        None
    }

    /// Returns statements that fill the positions of a parent that are left, given the number of its
    /// coordinates. Statements may bind `name` with a suffix. The default returns none.
    fn fill_rest(
        &self,
        _storage: &Storage,
        _parent: Expr,
        _count: Expr,
        _below: &Below,
        _name: &str,
    ) -> Vec<Stmt> {
        Vec::new()
    }

    /// Returns statements that assign the positions up to `end`, and from the end of the previous
    /// parent, to the next parent.
    fn fill_edges(&self, storage: &Storage, end: Expr) -> Vec<Stmt>;

    /// Returns statements that extend the storage to a number of positions.
    fn fill_positions(&self, storage: &Storage, count: Expr) -> Vec<Stmt>;

    /// Returns statements that store the coordinate of a position.
    fn fill_coord(&self, storage: &Storage, position: Expr, coordinate: Expr) -> Vec<Stmt>;

    /// Returns statements that sort the coordinates of the outermost level.
    fn fill_sort(&self, storage: &Storage) -> Vec<Stmt>;
}

/// Assembly in the order of the parents, and in any order of the coordinates of each: they are
/// appended at their first occurrence, and sorted at the end of the parent.
pub trait Scatter {
    /// Returns the local arrays that the assembly needs, by which [`Storage::array`] refers to them.
    fn scratch(&self) -> &'static [&'static str];

    /// Returns statements that declare them.
    fn scatter_init(&self, storage: &Storage) -> Vec<Stmt>;

    /// Returns the position of a coordinate, after appending it unless the current parent has it.
    /// `extend` returns the statements that extend the levels below to a number of positions.
    /// Statements may bind `name`, and `name` with a suffix.
    fn scatter_coord(
        &self,
        storage: &Storage,
        coordinate: Expr,
        extend: &dyn Fn(Expr) -> Vec<Stmt>,
        name: &str,
    ) -> Found;

    /// Returns statements that put the coordinates of the current parent into their order, before
    /// [`Append::append_edges`]; `begin` is the position of the first of them.
    fn scatter_edges(&self, storage: &Storage, begin: Expr, below: &Below) -> Vec<Stmt>;

    /// Like [`scatter_edges`](Self::scatter_edges), if each coordinate has been appended once, by
    /// [`Append::append_coord`]. The local arrays do not exist then.
    fn distinct_edges(&self, storage: &Storage, begin: Expr, below: &Below) -> Vec<Stmt>;

    /// Returns statements that make the stored coordinates of a parent known.
    fn scatter_known(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt>;

    /// Returns the position of a coordinate of that parent, and a predicate for its presence.
    fn scatter_locate(&self, storage: &Storage, coordinate: Expr, name: &str) -> Found;

    /// Returns statements that forget the coordinates of a parent.
    fn scatter_forget(&self, storage: &Storage, parent: Expr, name: &str) -> Vec<Stmt>;
}

/// Returns statements that append the end of the next parent's segment to `pos`. If parents may be
/// skipped, `skipped_to` is the position of this parent; the skipped ones end where the last one did.
pub(super) fn close_segment(pos: &str, end: Expr, skipped_to: Option<Expr>) -> Vec<Stmt> {
    let mut edges = Vec::new();
    if let Some(parent) = skipped_to {
        let previous = Expr::load(pos, Expr::sub(Expr::len(pos), Expr::Index(1)));
        edges.push(Stmt::resize(pos, Expr::add(parent, Expr::Index(1)), previous));
    }
    edges.push(Stmt::push(pos, end));
    edges
}

/// Returns statements that append the ends of the last parents' segments, which are empty, if there
/// may be such parents.
pub(super) fn close_rest(pos: &str, end: Expr, parents: Option<Expr>) -> Vec<Stmt> {
    let bounds = parents.map(|parents| Expr::add(parents, Expr::Index(1)));
    bounds.map(|bounds| Stmt::resize(pos, bounds, end)).into_iter().collect()
}
