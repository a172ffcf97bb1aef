//! Packing: a fold of `build` over the levels.

use crate::format::{Format, Map, Shape};
use crate::level::{Axes, Axis, Fault, Kind, Level, LevelSource, LevelView, Levels};
use crate::memory::filled;
use crate::{Error, Stored, Tensor, Value};

use super::distribute::{self, Source};
use super::order;
use super::validate::{validate_branchless, validate_unpadded};
use super::{Duplicates, axes, check_values};

/// The tensor that stores only what full levels force it to.
pub(super) fn empty<V: Stored, F: Format>(shape: F::Shape) -> Result<Tensor<V, F>, Error> {
    check_values::<V, F>();
    let mut axes = axes::<F>(&shape)?;
    order::set_counted_sizes::<F>(&mut axes, &[]);
    let mut source = Empty::<F> { shape, axes, level: 0, parents: 1 };
    let levels = F::Levels::collect(&mut source)?;
    let vals = filler::<V, F>(shape, source.parents)?;
    let tensor = Tensor { shape, levels, vals };
    validate_branchless(&tensor.view(), &axes)?;
    Ok(tensor)
}

/// The tensor that stores these entries, in whatever order they come.
pub(super) fn pack<V: Stored, F: Format>(
    shape: F::Shape,
    entries: Vec<(F::Shape, V)>,
    duplicates: Duplicates,
) -> Result<Tensor<V, F>, Error> {
    check_values::<V, F>();
    if distribute::suits::<F>(duplicates)
        && let Some(tensor) = distribute::pack(shape, Source::Triplets(&entries), duplicates)
    {
        return Ok(tensor);
    }
    pack_listed(shape, entries, duplicates)
}

/// As [`pack`], for all formats and entries, with the reason where that is not possible.
pub(super) fn pack_listed<V: Stored, F: Format>(
    shape: F::Shape,
    mut entries: Vec<(F::Shape, V)>,
    duplicates: Duplicates,
) -> Result<Tensor<V, F>, Error> {
    if let Some((coordinate, _)) = entries.iter().find(|(c, _)| !shape.contains(c)) {
        let coordinate = coordinate.as_ref().to_vec();
        let shape = shape.as_ref().to_vec();
        return Err(Error::Coordinate { format: F::NAME, coordinate, shape });
    }
    let mut axes = axes::<F>(&shape)?;
    let keeps_entries = order::keeps_entries::<F>() && duplicates == Duplicates::Sum;
    if !keeps_entries {
        entries = combined_by::<V, F>(&axes, entries, duplicates)?;
    }
    let is_unpadded = F::MAP.levels.iter().any(|map| !map.properties.padded);
    if is_unpadded {
        let fill = V::Value::filled(F::FILL);
        entries.retain(|(_, value)| value.value() != fill);
    }
    let mut counts = order::count::<F, V>(&entries);
    order::set_counted_sizes::<F>(&mut axes, &counts);
    if !keeps_entries {
        order::sort_counted::<F, V>(&mut entries, &mut counts, &axes);
    }
    let mut source = Packing::<V, F>::new(axes, shape, entries, counts, !keeps_entries)?;
    let levels = F::Levels::collect(&mut source)?;
    let Packing { positions, parents, entries, .. } = source;
    let mut vals = filler::<V, F>(shape, parents)?;
    for (position, (_, value)) in positions.into_iter().zip(entries) {
        vals[position] = value;
    }
    let tensor = Tensor { shape, levels, vals };
    validate_branchless(&tensor.view(), &axes)?;
    if is_unpadded {
        validate_unpadded(&tensor.view(), &axes)?;
    }
    Ok(tensor)
}

/// Entries in the order of packing, those that share their coordinate added up.
pub(super) fn combined<V: Stored, F: Format>(
    shape: F::Shape,
    entries: Vec<(F::Shape, V)>,
) -> Result<Vec<(F::Shape, V)>, Error> {
    combined_by::<V, F>(&axes::<F>(&shape)?, entries, Duplicates::Sum)
}

/// Entries in the order of packing, those that share their coordinate combined into one.
fn combined_by<V: Stored, F: Format>(
    axes: &Axes,
    mut entries: Vec<(F::Shape, V)>,
    duplicates: Duplicates,
) -> Result<Vec<(F::Shape, V)>, Error> {
    order::sort::<F, V>(&mut entries, axes);
    // A pattern has no number for two entries that add up.
    let is_one = V::IS_PATTERN && duplicates == Duplicates::Sum;
    let duplicates = if is_one { Duplicates::Error } else { duplicates };
    let repeated = entries.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let (Duplicates::Error, Some(pair)) = (duplicates, repeated) {
        let coordinate = pair[0].0.as_ref().to_vec();
        return Err(Error::Duplicate { format: F::NAME, coordinate });
    }
    entries.dedup_by(|next, kept| {
        let is_repeated = next.0 == kept.0;
        if is_repeated {
            kept.1 = kept.1.combine(next.1, |a, b| duplicates.combine(a, b));
        }
        is_repeated
    });
    Ok(entries)
}

fn filler<V: Stored, F: Format>(shape: F::Shape, count: usize) -> Result<Vec<V>, Error> {
    let too_large = || Error::Size { format: F::NAME, shape: shape.as_ref().to_vec() };
    filled(V::filler(F::FILL), count).ok_or_else(too_large)
}

/// A source of levels without entries.
struct Empty<F: Format> {
    shape: F::Shape,
    axes: Axes,
    level: usize,
    parents: usize,
}

impl<F: Format> LevelSource for Empty<F> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let fault = |fault: Fault| fault.at(F::NAME, self.level, self.shape.as_ref());
        let axis = &self.axes[self.level];
        let level = L::empty(axis, self.parents).map_err(fault)?;
        let children = level.view().children(axis, self.parents);
        self.parents = children.ok_or(Fault::Size).map_err(fault)?;
        self.level += 1;
        Ok(level)
    }
}

/// A source of levels for entries.
struct Packing<V, F: Format> {
    axes: Axes,
    shape: F::Shape,
    /// The entries, in the order of the nodes of the level above.
    entries: Vec<(F::Shape, V)>,
    /// Each entry's number, where a level counts.
    counts: Vec<usize>,
    /// For each entry, how many levels' coordinates it shares with the entry before; 0 where that
    /// is below another node of the level above.
    shared: Vec<u8>,
    /// The next level.
    level: usize,
    /// How many coordinates tell the nodes of the level above apart: two entries are below one
    /// node if they share so many.
    depth: usize,
    /// The position of each node of the level above that has entries below it; they increase.
    positions: Vec<usize>,
    /// How many positions the level above has.
    parents: usize,
}

impl<V: Stored, F: Format> Packing<V, F> {
    /// Entries are sorted and distinct, or nodes are not shared.
    fn new(
        axes: Axes,
        shape: F::Shape,
        entries: Vec<(F::Shape, V)>,
        counts: Vec<usize>,
        shares_nodes: bool,
    ) -> Result<Self, Error> {
        let shared = vec![0; entries.len()];
        let (positions, parents) = (vec![0], 1);
        let mut packing = Packing {
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
        if shares_nodes {
            for entry in 1..packing.entries.len() {
                let is_shared = |level: &usize| {
                    packing.number(*level, entry - 1) == packing.number(*level, entry)
                };
                packing.shared[entry] =
                    (0..F::MAP.levels.len()).take_while(is_shared).count() as u8;
            }
            packing.check_unique()?;
        }
        Ok(packing)
    }

    /// What a level stores of an entry.
    #[inline]
    fn number(&self, level: usize, entry: usize) -> usize {
        let count = self.counts.get(entry).copied().unwrap_or(0);
        F::MAP.levels[level].expr.number(self.entries[entry].0.as_ref(), count)
    }

    /// The coordinate of an entry at the next level.
    #[inline]
    fn coordinate(&self, entry: usize) -> usize {
        self.number(self.level, entry).wrapping_sub(self.axes[self.level].first as usize)
    }

    /// The entries with which the nodes of the next level begin, if so many coordinates tell them
    /// apart.
    fn firsts(&self, depth: usize) -> impl Iterator<Item = usize> {
        let shared = self.shared.iter().enumerate();
        shared.filter(move |(_, shared)| usize::from(**shared) < depth).map(|(first, _)| first)
    }

    /// Refuses two nodes of a unique level that share all their coordinates. They have different
    /// parents, which a nonunique level above made for the sake of branchless ones.
    fn check_unique(&self) -> Result<(), Error> {
        let mut depth = 0;
        for level in 0..F::MAP.levels.len() {
            depth = node_depth(&F::MAP, F::Levels::KINDS, level, depth);
            let repeats = level + 1..depth;
            let is_repeated = |shared: &u8| repeats.contains(&usize::from(*shared));
            if let Some(entry) = self.shared.iter().position(is_repeated)
                && F::MAP.levels[level].properties.unique
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
        Error::Pack { format: F::NAME, level: level + 1, coordinate, reason }
    }

    fn error(&self, fault: Fault, depth: usize) -> Error {
        if let Fault::Broken { index, reason } = &fault
            && let Some(first) = self.firsts(depth).nth(*index)
        {
            return self.refusal(self.level, first, reason.clone());
        }
        fault.at(F::NAME, self.level, self.shape.as_ref())
    }

    /// Brings the entries into the order of their nodes' positions, which a level may choose as it
    /// likes.
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

/// How many coordinates tell the nodes of a level apart, if `above` do one level further out. Its
/// own is the last of them, unless it is nonunique and branchless levels follow: then each node has
/// one child, and a coordinate is repeated for as many as there are.
pub(super) fn node_depth(map: &Map, kinds: &[Kind], level: usize, above: usize) -> usize {
    let below = if map.levels[level].properties.unique {
        0
    } else {
        kinds[level + 1..].iter().take_while(|kind| kind.branchless).count()
    };
    above.max(level + 1 + below)
}

impl<V: Stored, F: Format> LevelSource for Packing<V, F> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let depth = node_depth(&F::MAP, F::Levels::KINDS, self.level, self.depth);
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

/// The nodes of the next level, as their parents' positions and their own coordinates.
struct Nodes<'p, V, F: Format> {
    packing: &'p Packing<V, F>,
    /// How many coordinates tell the nodes apart.
    depth: usize,
    /// The entry to go on with.
    entry: usize,
    /// Which node of the level above that entry's predecessor is below.
    above: usize,
    /// How many nodes are still to come.
    left: usize,
}

impl<V: Stored, F: Format> Iterator for Nodes<'_, V, F> {
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

impl<V: Stored, F: Format> ExactSizeIterator for Nodes<'_, V, F> {}
