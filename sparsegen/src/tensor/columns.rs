//! The entries of a tensor as one array for each dimension, computed level by level, so that the
//! code is compiled once and not for each format.

use std::borrow::Cow;

use crate::format::{LevelExpr, Map};
use crate::level::{Axes, LevelViews, Listing};
use crate::{Format, Stored, Value, View};

use super::{axes, inverse, is_fill, level_count, pads};

/// Entries as an array of coordinates for each dimension and an array of values.
pub(super) struct Columns<'a, V: Clone> {
    pub(super) dimensions: Vec<Cow<'a, [u32]>>,
    pub(super) vals: Cow<'a, [V]>,
}

/// Returns the entries of `tensor`, or `None` if a level is not a list.
pub(super) fn columns<'a, V: Stored, F: Format>(
    tensor: &'a View<'_, V, F>,
) -> Option<Columns<'a, V>> {
    if !inverse::<F>().is_permutation {
        return None;
    }
    let axes = axes::<F>(&tensor.shape).ok()?;
    let (nodes, vals) = entries(tensor.vals, pads::<F>(), V::Value::filled(F::FILL))?;
    let dimensions = dimensions(&F::MAP, level_count::<F>(), &axes, &tensor.levels, nodes)?;
    Some(Columns { dimensions, vals })
}

/// Returns the nodes of the last level that hold entries, in increasing order, and their values.
fn entries<V: Stored>(vals: &[V], pads: bool, fill: V::Value) -> Option<(Nodes, Cow<'_, [V]>)> {
    let count = u32::try_from(vals.len()).ok()?;
    if !pads {
        return Some((Nodes::All(count), Cow::Borrowed(vals)));
    }
    let positions = (0..count).zip(vals).filter(|(_, value)| !is_fill(value.value(), fill));
    let (positions, vals): (Vec<u32>, Vec<V>) = positions.unzip();
    Some((Nodes::Some(positions), Cow::Owned(vals)))
}

/// The node of a level above each entry, in increasing order.
enum Nodes {
    /// Every node below this number, each above one entry.
    All(u32),
    Some(Vec<u32>),
}

/// Computes the coordinates of entries in each dimension from their nodes at the last level.
fn dimensions<'a>(
    map: &Map,
    count: usize,
    axes: &Axes,
    levels: &'a dyn LevelViews,
    mut nodes: Nodes,
) -> Option<Vec<Cow<'a, [u32]>>> {
    let mut dimensions = vec![Cow::default(); count];
    for level in (0..count).rev() {
        let LevelExpr::Dimension(dimension) = map.levels[level].expr else { return None };
        let listing = levels.level(level).listing(&axes[level])?;
        (dimensions[dimension], nodes) = match listing {
            Listing::Every(size) => nodes.split(size, level == 0)?,
            Listing::Segments { pos, crd } => {
                let crd = nodes.pick(crd);
                (crd, if level == 0 { Nodes::All(1) } else { nodes.parents(&pos) })
            }
            Listing::Single { crd } => (nodes.pick(crd), nodes),
        };
    }
    Some(dimensions)
}

impl Nodes {
    /// Returns the elements of an array at these nodes.
    fn pick<'a>(&self, array: Cow<'a, [u32]>) -> Cow<'a, [u32]> {
        match self {
            Nodes::All(_) => array,
            Nodes::Some(nodes) => nodes.iter().map(|node| array[*node as usize]).collect(),
        }
    }

    /// Returns the coordinates of nodes whose parents have `size` children each, and these parents.
    fn split(self, size: usize, is_outermost: bool) -> Option<(Cow<'static, [u32]>, Nodes)> {
        let nodes = match self {
            Nodes::All(count) => (0..count).collect(),
            Nodes::Some(nodes) => nodes,
        };
        if is_outermost {
            return Some((nodes.into(), Nodes::All(1)));
        }
        // Without nodes, `size` may be 0 or too large for 32 bits.
        let size = if nodes.is_empty() { 1 } else { u32::try_from(size).ok()? };
        let coordinates: Vec<u32> = nodes.iter().map(|node| node % size).collect();
        let parents = nodes.into_iter().map(|node| node / size).collect();
        Some((coordinates.into(), Nodes::Some(parents)))
    }

    /// Returns the parents of nodes in segments.
    fn parents(self, pos: &[u32]) -> Nodes {
        let ends = (0..).zip(&pos[1..]);
        let mut parents = Vec::new();
        match self {
            Nodes::All(count) => {
                parents.reserve_exact(count as usize);
                ends.for_each(|(parent, end)| parents.resize(*end as usize, parent));
            }
            Nodes::Some(mut nodes) => {
                let mut start = 0;
                for (parent, end) in ends {
                    let below = nodes[start..].iter_mut().take_while(|node| **node < *end);
                    start += below.map(|node| *node = parent).count();
                }
                parents = nodes;
            }
        }
        Nodes::Some(parents)
    }
}
