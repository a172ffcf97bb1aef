//! General packing: a fold of `build` over the levels.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::format::{Format, Shape};
use crate::level::{Axes, Axis, Fault, Level, LevelSource, LevelView, Levels};
use crate::memory::filled;
use crate::{Error, Stored, Tensor, Value};

use super::build::Merge;
use super::columns::of_triplets;
use super::declared::Declared;
use super::order;
use super::place;
use super::validate::Structure;
use super::{check_values, is_fill};

/// Returns the tensor that stores only the entries that full levels require.
pub(super) fn empty<V: Stored, F: Format>(shape: F::Shape) -> Result<Tensor<V, F>, Error> {
    check_values::<V, F>();
    let format = Declared::of::<F>();
    let mut axes = format.axes(shape.as_ref())?;
    order::set_counted_sizes(&format.map, &mut axes, &[]);
    let mut source = Empty { format, shape: shape.as_ref(), axes, level: 0, parents: 1 };
    let levels = F::Levels::collect(&mut source)?;
    let vals = filler(&format, shape.as_ref(), source.parents)?;
    let views = levels.views();
    let structure =
        Structure { format: &format, shape: shape.as_ref(), levels: &views, axes: &axes };
    structure.validate_padding()?;
    Ok(Tensor::of(shape, levels, vals))
}

/// Packs entries in any order.
pub(crate) fn pack<V: Stored, F: Format>(
    shape: F::Shape,
    entries: impl IntoIterator<Item = (F::Shape, V)>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, F>, Error> {
    check_values::<V, F>();
    if !place::suits::<F>(merge.may_keep()) {
        return pack_listed(shape, entries.into_iter().collect(), merge);
    }
    let entries = match of_triplets(&shape, entries) {
        Ok(columns) => match place::pack(shape, columns.borrowed(), merge) {
            Some(tensor) => return Ok(tensor),
            None => columns.into_entries(),
        },
        Err(entries) => entries,
    };
    pack_listed(shape, entries, merge)
}

/// Packs entries like [`pack`], for all formats and entries, and returns the error if it fails.
pub(super) fn pack_listed<V: Stored, F: Format>(
    shape: F::Shape,
    entries: Vec<(F::Shape, V)>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, F>, Error> {
    let format = Declared::of::<F>();
    let mut source = Packing::of(format, shape, entries, merge)?;
    let levels = F::Levels::collect(&mut source)?;
    let axes = source.axes;
    let vals = source.into_vals()?;
    let views = levels.views();
    let structure =
        Structure { format: &format, shape: shape.as_ref(), levels: &views, axes: &axes };
    structure.validate_padding()?;
    if format.is_unpadded() {
        structure.validate_unpadded(&vals)?;
    }
    Ok(Tensor::of(shape, levels, vals))
}

/// Returns entries in the order of packing, with entries of the same coordinate combined.
pub(super) fn combined<V: Stored, F: Format>(
    shape: F::Shape,
    entries: Vec<(F::Shape, V)>,
    merge: Merge<'_, V::Value>,
) -> Result<Vec<(F::Shape, V)>, Error> {
    let format = Declared::of::<F>();
    combined_by(&format, &format.axes(shape.as_ref())?, entries, merge)
}

/// Returns entries in the order of packing, with entries of the same coordinate combined.
fn combined_by<S: Shape, V: Stored>(
    format: &Declared,
    axes: &Axes,
    mut entries: Vec<(S, V)>,
    merge: Merge<'_, V::Value>,
) -> Result<Vec<(S, V)>, Error> {
    order::sort(&format.map, &mut entries, axes);
    let repeated = entries.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some(pair) = repeated.filter(|_| merge.refuses(V::IS_PATTERN)) {
        let coordinate = pair[0].0.as_ref().to_vec();
        return Err(Error::Duplicate { format: format.name, coordinate });
    }
    entries.dedup_by(|next, kept| {
        let is_repeated = next.0 == kept.0;
        if is_repeated {
            kept.1 = kept.1.combine(next.1, |a, b| merge.combine(a, b));
        }
        is_repeated
    });
    Ok(entries)
}

fn filler<V: Stored>(format: &Declared, shape: &[usize], count: usize) -> Result<Vec<V>, Error> {
    filled(V::filler(format.fill), count).ok_or_else(|| format.too_large(shape))
}

/// A source of levels without entries.
struct Empty<'s> {
    format: Declared,
    shape: &'s [usize],
    axes: Axes,
    level: usize,
    parents: usize,
}

impl LevelSource for Empty<'_> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let fault = |fault: Fault| fault.at(self.format.name, self.level, self.shape);
        let axis = &self.axes[self.level];
        let level = L::empty(axis, self.parents).map_err(fault)?;
        let children = level.view().children(axis, self.parents);
        self.parents = children.ok_or(Fault::Size).map_err(fault)?;
        self.level += 1;
        Ok(level)
    }
}

/// A source of levels for entries.
struct Packing<S, V> {
    format: Declared,
    axes: Axes,
    shape: S,
    /// The entries, in the order of the nodes of the level above.
    entries: Vec<(S, V)>,
    /// The count of each entry, if a level counts entries.
    counts: Vec<usize>,
    /// For each entry, the number of levels at which it has the coordinates of the previous entry;
    /// 0 if that entry is below another node of the level above.
    shared: Vec<u8>,
    /// The next level.
    level: usize,
    /// The number of coordinates that distinguish the nodes of the level above: entries that share
    /// this many are below one node.
    depth: usize,
    /// The position of each node of the level above that has entries below it, in increasing order.
    positions: Vec<usize>,
    /// The number of positions of the level above.
    parents: usize,
}

impl<S: Shape, V: Stored> Packing<S, V> {
    /// Creates a source of levels for entries in any order.
    fn of(
        format: Declared,
        shape: S,
        mut entries: Vec<(S, V)>,
        merge: Merge<'_, V::Value>,
    ) -> Result<Self, Error> {
        if let Some((coordinate, _)) = entries.iter().find(|(c, _)| !shape.contains(c)) {
            let (coordinate, shape) = (coordinate.as_ref().to_vec(), shape.as_ref().to_vec());
            return Err(Error::Coordinate { format: format.name, coordinate, shape });
        }
        let mut axes = format.axes(shape.as_ref())?;
        let keeps_entries = format.keeps_entries() && merge.may_keep();
        if !keeps_entries {
            entries = combined_by(&format, &axes, entries, merge)?;
        }
        if format.is_unpadded() {
            let fill = V::Value::filled(format.fill);
            entries.retain(|(_, value)| !is_fill(value.value(), fill));
        }
        let mut counts = order::count(&format.map, &entries);
        order::set_counted_sizes(&format.map, &mut axes, &counts);
        if !keeps_entries {
            order::sort_counted(&format.map, &mut entries, &mut counts, &axes);
        }
        let shared = vec![0; entries.len()];
        let (positions, parents) = (vec![0], 1);
        let mut packing = Packing {
            format,
            axes,
            shape,
            entries,
            counts,
            shared,
            level: 0,
            depth: 0,
            positions,
            parents,
        };
        // Entries are distinct, or each has nodes of its own.
        if !keeps_entries {
            packing.share_nodes();
            packing.check_unique()?;
        }
        Ok(packing)
    }

    /// Computes the number of levels at which each entry has the coordinates of the previous one.
    fn share_nodes(&mut self) {
        for entry in 1..self.entries.len() {
            let is_shared =
                |level: &usize| self.number(*level, entry - 1) == self.number(*level, entry);
            let shared = (0..self.format.kinds.len()).take_while(is_shared).count();
            self.shared[entry] = shared as u8;
        }
    }

    /// Returns the values, at the positions of their entries.
    fn into_vals(self) -> Result<Vec<V>, Error> {
        let mut vals = filler(&self.format, self.shape.as_ref(), self.parents)?;
        for (position, (_, value)) in self.positions.into_iter().zip(self.entries) {
            vals[position] = value;
        }
        Ok(vals)
    }

    /// Returns the value of a level's expression for an entry.
    #[inline]
    fn number(&self, level: usize, entry: usize) -> usize {
        let count = self.counts.get(entry).copied().unwrap_or(0);
        self.format.map.levels[level].expr.number(self.entries[entry].0.as_ref(), count)
    }

    /// Returns the coordinate of an entry at the next level.
    #[inline]
    fn coordinate(&self, entry: usize) -> usize {
        self.number(self.level, entry).wrapping_sub(self.axes[self.level].first as usize)
    }

    /// Returns the first entry of each node of the next level, which `depth` coordinates
    /// distinguish.
    fn firsts(&self, depth: usize) -> impl Iterator<Item = usize> {
        let shared = self.shared.iter().enumerate();
        shared.filter(move |(_, shared)| usize::from(**shared) < depth).map(|(first, _)| first)
    }

    /// Refuses two nodes of a unique level with the same coordinates. They have different parents,
    /// because a nonunique level above repeats coordinates for the branchless levels below it.
    fn check_unique(&self) -> Result<(), Error> {
        let mut depth = 0;
        for level in 0..self.format.kinds.len() {
            depth = self.format.node_depth(level, depth);
            let repeats = level + 1..depth;
            let is_repeated = |shared: &u8| repeats.contains(&usize::from(*shared));
            if let Some(entry) = self.shared.iter().position(is_repeated)
                && self.format.map.levels[level].properties.unique
            {
                let reason = "its coordinate is repeated for each of several entries that a \
                              singleton level below stores, but is declared unique; declare it \
                              nonunique";
                return Err(self.refusal(level, entry, reason.to_owned()));
            }
        }
        Ok(())
    }

    fn refusal(&self, level: usize, entry: usize, reason: String) -> Error {
        let coordinate = self.entries[entry].0.as_ref().to_vec();
        Error::Pack { format: self.format.name, level: level + 1, coordinate, reason }
    }

    fn error(&self, fault: Fault, depth: usize) -> Error {
        if let Fault::Broken { index, reason } = &fault
            && let Some(first) = self.firsts(depth).nth(*index)
        {
            return self.refusal(self.level, first, reason.clone());
        }
        fault.at(self.format.name, self.level, self.shape.as_ref())
    }

    /// Sorts the entries by the positions of their nodes, which a level may assign in any order.
    fn sort_by_positions(&mut self) {
        if self.positions.is_sorted() {
            return;
        }
        let mut nodes: Vec<(usize, usize, usize)> = Vec::with_capacity(self.positions.len());
        let ends = self.firsts(self.depth).skip(1).chain([self.entries.len()]);
        let mut start = 0;
        for (&position, end) in self.positions.iter().zip(ends) {
            nodes.push((position, start, end));
            start = end;
        }
        nodes.sort_unstable();
        let order = || nodes.iter().flat_map(|(_, start, end)| *start..*end);
        self.entries = order().map(|entry| self.entries[entry]).collect();
        if !self.counts.is_empty() {
            self.counts = order().map(|entry| self.counts[entry]).collect();
        }
        let mut shared = Vec::with_capacity(self.shared.len());
        for (_, start, end) in &nodes {
            shared.push(0);
            shared.extend_from_slice(&self.shared[start + 1..*end]);
        }
        self.shared = shared;
        self.positions.sort_unstable();
    }
}

impl<S: Shape, V: Stored> LevelSource for Packing<S, V> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let depth = self.format.node_depth(self.level, self.depth);
        let axis: &Axis = &self.axes[self.level];
        let left = self.firsts(depth).count();
        let nodes = Nodes { packing: self, depth, entry: 0, above: 0, left };
        let built = L::build(axis, self.parents, nodes).and_then(|(level, positions)| {
            let children = level.view().children(axis, self.parents).ok_or(Fault::Size)?;
            Ok((level, positions, children))
        });
        let (level, positions, children) = built.map_err(|fault| self.error(fault, depth))?;
        (self.positions, self.parents) = (positions, children);
        (self.level, self.depth) = (self.level + 1, depth);
        self.sort_by_positions();
        Ok(level)
    }
}

/// The nodes of the next level, as positions of their parents and coordinates.
struct Nodes<'p, S, V> {
    packing: &'p Packing<S, V>,
    /// The number of coordinates that distinguish the nodes.
    depth: usize,
    /// The entry of the next node.
    entry: usize,
    /// The node of the level above that contains the previous entry.
    above: usize,
    /// The number of remaining nodes.
    left: usize,
}

impl<S: Shape, V: Stored> Iterator for Nodes<'_, S, V> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let Packing { shared, depth, positions, .. } = self.packing;
        let begins = |shared: &u8| usize::from(*shared) < self.depth;
        let first = self.entry + shared[self.entry..].iter().position(begins)?;
        if first > 0 && usize::from(shared[first]) < *depth {
            self.above += 1;
        }
        self.entry = first + 1;
        self.left -= 1;
        Some((positions[self.above], self.packing.coordinate(first)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<S: Shape, V: Stored> ExactSizeIterator for Nodes<'_, S, V> {}
