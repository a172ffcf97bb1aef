//! The levels of a tensor as a tree.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter};

use crate::level::{Axes, Axis, LevelViews, MAX_LEVELS, Node};
use crate::{Format, Stored, Tensor, View};

use super::declared::Declared;
use super::{axes, level_count};

/// The largest number of nodes that are displayed.
const MOST_NODES: usize = 100;

/// Displays the levels of a tensor as a tree; created by [`Tensor::tree`] and [`View::tree`].
pub struct Tree<'a, V, F: Format> {
    view: View<'a, V, F>,
}

impl<'a, V: Stored, F: Format> View<'a, V, F> {
    /// Returns a value that displays the levels as a tree, like [`Tensor::tree`].
    ///
    /// ```
    /// use sparsegen::{SparseVector, Tensor};
    ///
    /// let x = Tensor::<f64, SparseVector>::from_triplets([4], [([2], 5.0)])?;
    /// let expected = "sparse_vector [4] (i) -> (i : compressed)\n└─ i = 2: 5";
    /// assert_eq!(x.view().tree().to_string(), expected);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn tree(&self) -> Tree<'a, V, F> {
        Tree { view: *self }
    }
}

impl<V: Stored, F: Format> Tensor<V, F> {
    /// Returns a value that displays the levels as a tree: a line for each node, with the
    /// coordinates that levels store and, at the last level, the values, padding included.
    ///
    /// ```
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 4], [([0, 1], 2.0), ([0, 3], 4.5)])?;
    /// let expected = "\
    /// csr [2, 4] (i, j) -> (i : dense, j : compressed)
    /// ├─ i = 0
    /// │  ├─ j = 1: 2
    /// │  └─ j = 3: 4.5
    /// └─ i = 1";
    /// assert_eq!(a.tree().to_string(), expected);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Only the first 100 nodes of a large tensor are displayed. A precision, as in `{:.2}`, applies
    /// to the values.
    pub fn tree(&self) -> Tree<'_, V, F> {
        self.view().tree()
    }
}

impl<V: Stored, F: Format> Display for Tree<'_, V, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let View { shape, levels, vals, .. } = self.view;
        write!(f, "{} {shape:?} {}", F::NAME, F::MAP)?;
        let Ok(axes) = axes::<F>(&shape) else { return Ok(()) };
        if level_count::<F>() == 0 {
            f.write_str(": ")?;
            return Display::fmt(&vals[0], f);
        }
        let format = Declared::of::<F>();
        let value = |position: usize, f: &mut Formatter<'_>| Display::fmt(&vals[position], f);
        let mut nodes =
            Nodes { format, levels: &levels, axes: &axes, value: &value, left: MOST_NODES };
        nodes.write_below(f, 0, 0, &mut [0; MAX_LEVELS], &mut String::from("\n"))
    }
}

/// The nodes of a tensor, independent of its type.
struct Nodes<'t> {
    format: Declared,
    levels: &'t dyn LevelViews,
    axes: &'t Axes,
    /// Writes the value at a position.
    value: &'t dyn Fn(usize, &mut Formatter<'_>) -> fmt::Result,
    /// The number of nodes that may still be displayed.
    left: usize,
}

impl Nodes<'_> {
    /// Writes the children of the node at a position, whose coordinates are the first ones of
    /// `coords`. Each line begins with `indent`.
    fn write_below(
        &mut self,
        f: &mut Formatter<'_>,
        level: usize,
        position: usize,
        coords: &mut [usize; MAX_LEVELS],
        indent: &mut String,
    ) -> fmt::Result {
        let (storage, axis): (_, &Axis) = (self.levels.level(level), &self.axes[level]);
        let parent = Node { position, coords: &coords[..level] };
        let slots = storage.expand(axis, parent);
        let mut carried = 0;
        let child = |slot: usize, carried: &mut usize, coords: &[usize]| {
            storage.next_child(axis, Node { position, coords }, slot, carried)
        };
        let mut children = slots.filter_map(|slot| {
            let found = child(slot, &mut carried, &parent.coords[..level]);
            found.map(|found| (slot, found))
        });
        let mut next = children.next();
        let mut listed = Vec::new();
        // One node more than may be displayed, to tell whether there is one.
        while let Some((_, found)) = next.filter(|_| listed.len() <= self.left) {
            listed.push(found);
            next = children.next();
        }
        drop(children);
        let expr = self.format.map.levels[level].expr;
        let last = listed.len().saturating_sub(1);
        for (index, (coordinate, child)) in listed.into_iter().enumerate() {
            if self.left == 0 {
                return write!(f, "{indent}└─ …");
            }
            self.left -= 1;
            let is_last = index == last;
            let number = coordinate as isize + axis.first;
            write!(f, "{indent}{} {expr} = {number}", if is_last { "└─" } else { "├─" })?;
            coords[level] = coordinate;
            if level + 1 == self.format.kinds.len() {
                f.write_str(": ")?;
                (self.value)(child, f)?;
                continue;
            }
            let length = indent.len();
            indent.push_str(if is_last { "   " } else { "│  " });
            self.write_below(f, level + 1, child, coords, indent)?;
            indent.truncate(length);
        }
        Ok(())
    }
}
