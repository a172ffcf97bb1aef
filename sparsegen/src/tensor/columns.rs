//! The entries of a tensor as one array for each dimension, computed level by level, so that the
//! code is compiled once and not for each format.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::format::{Format, Inverse, LevelExpr, Shape};
use crate::level::{Axes, LevelViews, Listing};
use crate::memory::{collect, reserve, try_reserve};
use crate::{Stored, Value, View};

use super::declared::Declared;
use super::{is_fill, pads};

/// The number that marks an unused slot of a [`Listing::Slots`].
const UNUSED: u32 = u32::MAX;

/// Entries as an array of coordinates for each dimension and an array of values.
pub(super) struct Columns<'a, V: Clone> {
    pub(super) dimensions: Vec<Cow<'a, [u32]>>,
    pub(super) vals: Cow<'a, [V]>,
    /// `false` if all entries have different coordinates.
    pub(super) may_repeat: bool,
}

/// Stores entries as columns.
///
/// # Errors
/// All entries, if a coordinate is not within the shape or does not fit 32 bits.
pub(super) fn of_triplets<'a, S: Shape, V: Stored>(
    shape: &S,
    entries: impl IntoIterator<Item = (S, V)>,
) -> Result<Columns<'a, V>, Vec<(S, V)>> {
    /// The number of entries that are stored together, which remain in cache.
    const CHUNK: usize = 256;
    let mut entries = entries.into_iter().fuse();
    let fits = |extent: &usize| u32::try_from(extent.saturating_sub(1)).is_ok();
    if !shape.as_ref().iter().all(fits) {
        return Err(entries.collect());
    }
    let expected = entries.size_hint().0;
    let mut dimensions = vec![Vec::new(); S::ORDER];
    dimensions.iter_mut().for_each(|column| reserve(column, expected));
    let mut vals = Vec::new();
    reserve(&mut vals, expected);
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        chunk.extend(entries.by_ref().take(CHUNK));
        let is_last = chunk.len() < CHUNK;
        let are_inside = chunk.iter().all(|(entry, _)| shape.contains(entry));
        if !are_inside {
            let mut all = listed(&dimensions, &vals);
            all.append(&mut chunk);
            all.extend(entries);
            return Err(all);
        }
        for (dimension, column) in dimensions.iter_mut().enumerate() {
            column.extend(chunk.iter().map(|(entry, _)| entry.as_ref()[dimension] as u32));
        }
        vals.extend(chunk.drain(..).map(|(_, value)| value));
        if is_last {
            let dimensions = dimensions.into_iter().map(Cow::Owned).collect();
            return Ok(Columns { dimensions, vals: vals.into(), may_repeat: true });
        }
    }
}

/// Returns the entries of columns.
fn listed<S: Shape, V: Stored>(dimensions: &[impl AsRef<[u32]>], vals: &[V]) -> Vec<(S, V)> {
    let entry = |(number, value): (usize, &V)| {
        let mut coordinate = S::splat(0);
        let modes = coordinate.as_mut().iter_mut().zip(dimensions);
        modes.for_each(|(index, column)| *index = column.as_ref()[number] as usize);
        (coordinate, *value)
    };
    vals.iter().enumerate().map(entry).collect()
}

/// Returns the entries of `tensor`, or `None` if a level cannot be listed.
pub(super) fn columns<'a, V: Stored, F: Format>(
    tensor: &'a View<'_, V, F>,
) -> Option<Columns<'a, V>> {
    let format = Declared::of::<F>();
    let (shape, levels) = (tensor.shape.as_ref(), &tensor.levels);
    let axes = format.axes(shape).ok()?;
    let may_repeat = format.may_repeat();
    let (nodes, vals) = entries(tensor.vals, pads::<F>(), V::Value::filled(F::FILL))?;
    let Listed { coords, nodes } = Listed::of(&format, &axes, levels, nodes)?;
    let vals = match nodes {
        Some(nodes) => nodes.into_iter().map(|node| vals[node as usize]).collect(),
        None => vals,
    };
    of_levels(&format, shape, &axes, coords, vals, may_repeat)
}

/// Returns entries, given their coordinates at each level that is not derived or counted.
pub(super) fn of_levels<'a, V: Stored>(
    format: &Declared,
    shape: &[usize],
    axes: &Axes,
    mut coords: Vec<Cow<'a, [u32]>>,
    vals: Cow<'a, [V]>,
    may_repeat: bool,
) -> Option<Columns<'a, V>> {
    if format.inverse.is_permutation {
        let mut dimensions = vec![Cow::default(); shape.len()];
        for (map, coords) in format.map.levels.iter().zip(&mut coords) {
            if let LevelExpr::Dimension(dimension) = map.expr {
                dimensions[dimension] = core::mem::take(coords);
            }
        }
        return Some(Columns { dimensions, vals, may_repeat });
    }
    let (columns, is_inside) = invert(format.inverse, shape, axes, &coords, vals.len())?;
    drop(coords);
    let columns = columns.into_iter().map(Cow::Owned);
    let columns = Columns { dimensions: columns.collect(), vals, may_repeat };
    Some(if is_inside { columns } else { columns.inside(shape) })
}

impl<V: Stored> Columns<'_, V> {
    /// Returns the same entries, borrowed.
    pub(super) fn borrowed(&self) -> Columns<'_, V> {
        let dimensions = self.dimensions.iter().map(|column| Cow::Borrowed(&**column)).collect();
        let vals = Cow::Borrowed(&*self.vals);
        Columns { dimensions, vals, may_repeat: self.may_repeat }
    }

    /// Returns the entries one by one.
    pub(super) fn into_entries<S: Shape>(self) -> Vec<(S, V)> {
        listed(&self.dimensions, &self.vals)
    }

    /// Returns the entries within the shape.
    fn inside(self, shape: &[usize]) -> Self {
        let Columns { dimensions, vals, may_repeat } = self;
        let is_inside = |entry: usize| {
            dimensions.iter().zip(shape).all(|(column, extent)| (column[entry] as usize) < *extent)
        };
        let inside: Vec<usize> = (0..vals.len()).filter(|entry| is_inside(*entry)).collect();
        let dimensions = dimensions.iter();
        let kept = |column: &Cow<'_, [u32]>| inside.iter().map(|entry| column[*entry]).collect();
        let dimensions = dimensions.map(kept).collect();
        let vals = inside.iter().map(|entry| vals[*entry]).collect();
        Columns { dimensions, vals, may_repeat }
    }
}

/// Returns the coordinates of entries in each dimension from those at each level, and whether all
/// are within the shape.
fn invert(
    inverse: &Inverse,
    shape: &[usize],
    axes: &Axes,
    levels: &[Cow<'_, [u32]>],
    count: usize,
) -> Option<(Vec<Vec<u32>>, bool)> {
    /// The number of entries computed together, whose numbers remain in cache.
    const CHUNK: usize = 1024;
    shape.iter().try_for_each(|extent| u32::try_from(*extent).map(drop)).ok()?;
    let mut is_inside = true;
    let mut dimensions = Vec::with_capacity(shape.len());
    for (dimension, extent) in shape.iter().enumerate() {
        let mut column = Vec::new();
        try_reserve(&mut column, count).ok()?;
        let terms = inverse.terms(dimension);
        let mut numbers = [0_usize; CHUNK];
        for start in (0..count).step_by(CHUNK) {
            let numbers = &mut numbers[..CHUNK.min(count - start)];
            numbers.fill(0);
            for (level, weight) in terms.clone() {
                let first = axes[level].first as usize;
                for (number, coordinate) in numbers.iter_mut().zip(&levels[level][start..]) {
                    let stored = (*coordinate as usize).wrapping_add(first);
                    *number = number.wrapping_add(stored.wrapping_mul(weight));
                }
            }
            for number in numbers {
                is_inside &= *number < *extent;
                column.push(if *number < *extent { *number as u32 } else { UNUSED });
            }
        }
        dimensions.push(column);
    }
    Some((dimensions, is_inside))
}

/// Returns the nodes of the last level that may hold entries, in increasing order, and the values
/// of all nodes.
fn entries<V: Stored>(vals: &[V], pads: bool, fill: V::Value) -> Option<(Nodes, Cow<'_, [V]>)> {
    let count = u32::try_from(vals.len()).ok()?;
    if !pads {
        return Some((Nodes::All(count), Cow::Borrowed(vals)));
    }
    let positions = (0..count).zip(vals).filter(|(_, value)| !is_fill(value.value(), fill));
    Some((Nodes::Some(positions.map(|(position, _)| position).collect()), Cow::Borrowed(vals)))
}

/// The node of a level above each entry, in increasing order.
enum Nodes {
    /// Every node below this number, each above one entry.
    All(u32),
    Some(Vec<u32>),
}

/// The entries of a tensor by their coordinates at the levels.
struct Listed<'a> {
    /// The coordinates of the entries at each level.
    coords: Vec<Cow<'a, [u32]>>,
    /// The position of the value of each entry; `None` if every value belongs to an entry.
    nodes: Option<Vec<u32>>,
}

impl<'a> Listed<'a> {
    /// Computes the coordinates of entries at each level from their nodes at the last level.
    fn of(
        format: &Declared,
        axes: &Axes,
        levels: &'a dyn LevelViews,
        mut nodes: Nodes,
    ) -> Option<Listed<'a>> {
        let count = format.kinds.len();
        let leaves = match &nodes {
            Nodes::All(_) => None,
            Nodes::Some(nodes) => Some(nodes.clone()),
        };
        let mut listed = Listed { coords: vec![Cow::default(); count], nodes: leaves };
        for level in (0..count).rev() {
            if format.kinds[level].is_derived() {
                continue;
            }
            let listing = levels.level(level).listing(&axes[level])?;
            let is_outermost = level == 0;
            (listed.coords[level], nodes) = match listing {
                Listing::Every(size) => nodes.split(size, is_outermost)?,
                Listing::Segments { pos, crd } => {
                    let crd = nodes.pick(crd);
                    (crd, if is_outermost { Nodes::All(1) } else { nodes.parents(&pos) })
                }
                Listing::Single { crd } => (nodes.pick(crd), nodes),
                Listing::Slots { count, crd } => {
                    let nodes = listed.used(nodes, &crd);
                    (nodes.pick(crd), nodes.split(count, is_outermost)?.1)
                }
            };
        }
        Some(listed)
    }

    /// Removes the entries below nodes whose slots are not used; returns the remaining nodes.
    fn used(&mut self, nodes: Nodes, slots: &[u32]) -> Nodes {
        let nodes = match nodes {
            Nodes::All(count) => (0..count).collect(),
            Nodes::Some(nodes) => nodes,
        };
        let is_used = |node: &u32| slots[*node as usize] != UNUSED;
        if nodes.iter().all(is_used) {
            return Nodes::Some(nodes);
        }
        let kept: Vec<u32> =
            (0..).zip(&nodes).filter(|(_, node)| is_used(node)).map(|(entry, _)| entry).collect();
        for coords in self.coords.iter_mut().filter(|coords| !coords.is_empty()) {
            *coords = kept.iter().map(|entry| coords[*entry as usize]).collect();
        }
        let pick = |array: &[u32]| kept.iter().map(|entry| array[*entry as usize]).collect();
        let nodes: Vec<u32> = pick(&nodes);
        self.nodes = Some(match &self.nodes {
            Some(leaves) => pick(leaves),
            None => kept,
        });
        Nodes::Some(nodes)
    }
}

impl Nodes {
    /// Returns the elements of an array at these nodes.
    fn pick<'a>(&self, array: Cow<'a, [u32]>) -> Cow<'a, [u32]> {
        match self {
            Nodes::All(_) => array,
            Nodes::Some(nodes) => collect(nodes.iter().map(|node| array[*node as usize])).into(),
        }
    }

    /// Returns the coordinates of nodes whose parents have `size` children each, and these parents.
    fn split(&self, size: usize, is_outermost: bool) -> Option<(Cow<'static, [u32]>, Nodes)> {
        // Without nodes, `size` may be 0 or too large for 32 bits.
        let all = |count: u32| collect((0..count as usize).map(|node| node as u32));
        let nodes = match self {
            Nodes::All(count) => all(*count),
            Nodes::Some(nodes) => nodes.clone(),
        };
        if is_outermost {
            return Some((nodes.into(), Nodes::All(1)));
        }
        let size = if nodes.is_empty() { 1 } else { u32::try_from(size).ok()? };
        let (mut coords, mut parents) = (nodes.clone(), nodes);
        // Fast path: a shift takes a fraction of the time of a division.
        if size.is_power_of_two() {
            coords.iter_mut().for_each(|node| *node &= size - 1);
            parents.iter_mut().for_each(|node| *node >>= size.trailing_zeros());
        } else {
            coords.iter_mut().for_each(|node| *node %= size);
            parents.iter_mut().for_each(|node| *node /= size);
        }
        Some((coords.into(), Nodes::Some(parents)))
    }

    /// Returns the parents of nodes in segments.
    fn parents(self, pos: &[u32]) -> Nodes {
        let ends = (0..).zip(&pos[1..]);
        let mut parents = Vec::new();
        match self {
            Nodes::All(count) => {
                reserve(&mut parents, count as usize);
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
