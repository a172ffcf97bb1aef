//! Packing: a fold of `build` over the levels.

use crate::format::{Format, Shape};
use crate::level::{Axis, Fault, Level, LevelSource, LevelView, Levels};
use crate::memory::filled;
use crate::{Error, Tensor, Value};

use super::validate::validate_unpadded;
use super::{Duplicates, axis, level_coords};

/// The tensor that stores only what full levels force it to.
pub(super) fn empty<V: Value, F: Format>(shape: F::Shape) -> Result<Tensor<V, F>, Error> {
    let mut source = Empty::<F> { shape, level: 0, parents: 1 };
    let levels = F::Levels::collect(&mut source)?;
    let vals = zeros::<V, F>(shape, source.parents)?;
    Ok(Tensor { shape, levels, vals })
}

/// The tensor that stores these entries, in whatever order they come.
pub(super) fn pack<V: Value, F: Format>(
    shape: F::Shape,
    mut entries: Vec<(F::Shape, V)>,
    duplicates: Duplicates,
) -> Result<Tensor<V, F>, Error> {
    if let Some((coordinate, _)) = entries.iter().find(|(c, _)| !shape.contains(c)) {
        let coordinate = coordinate.as_ref().to_vec();
        let shape = shape.as_ref().to_vec();
        return Err(Error::Coordinate { format: F::NAME, coordinate, shape });
    }
    entries.sort_by(|(a, _), (b, _)| level_coords::<F>(a).cmp(level_coords::<F>(b)));
    combine::<V, F>(&mut entries, duplicates)?;
    let is_unpadded = F::MAP.levels.iter().any(|map| !map.properties.padded);
    if is_unpadded {
        entries.retain(|(_, value)| !value.is_zero());
    }
    let mut source = Packing::<V, F>::new(shape, &entries);
    let levels = F::Levels::collect(&mut source)?;
    let Packing { positions, parents, .. } = source;
    let mut vals = zeros::<V, F>(shape, parents)?;
    for (&position, (_, value)) in positions.iter().zip(&entries) {
        vals[position] = *value;
    }
    let tensor = Tensor { shape, levels, vals };
    if is_unpadded {
        validate_unpadded(&tensor.view())?;
    }
    Ok(tensor)
}

/// Combines neighbours that share their coordinate into one entry.
fn combine<V: Value, F: Format>(
    entries: &mut Vec<(F::Shape, V)>,
    duplicates: Duplicates,
) -> Result<(), Error> {
    let repeated = entries.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let (Duplicates::Error, Some(pair)) = (duplicates, repeated) {
        let coordinate = pair[0].0.as_ref().to_vec();
        return Err(Error::Duplicate { format: F::NAME, coordinate });
    }
    entries.dedup_by(|next, kept| {
        let is_repeated = next.0 == kept.0;
        if is_repeated {
            kept.1 = duplicates.combine(kept.1, next.1);
        }
        is_repeated
    });
    Ok(())
}

fn zeros<V: Value, F: Format>(shape: F::Shape, count: usize) -> Result<Vec<V>, Error> {
    let too_large = || Error::Size { format: F::NAME, shape: shape.as_ref().to_vec() };
    filled(V::zero(), count).ok_or_else(too_large)
}

/// A source of levels without entries.
struct Empty<F: Format> {
    shape: F::Shape,
    level: usize,
    parents: usize,
}

impl<F: Format> LevelSource for Empty<F> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let fault = |fault: Fault| fault.at(F::NAME, self.level, self.shape.as_ref());
        let level = L::empty(&axis::<F>(&self.shape, self.level), self.parents).map_err(fault)?;
        let children = level.view().children(self.parents);
        self.parents = children.ok_or(Fault::Size).map_err(fault)?;
        self.level += 1;
        Ok(level)
    }
}

/// A source of levels for entries that are sorted and distinct.
struct Packing<'e, V, F: Format> {
    shape: F::Shape,
    entries: &'e [(F::Shape, V)],
    /// For each entry, how many levels' coordinates it shares with the entry before; 0 for the
    /// first one.
    shared: Vec<u8>,
    /// The next level.
    level: usize,
    /// How many coordinates tell the nodes of the level above apart: two entries are below one
    /// node if they share so many.
    depth: usize,
    /// The position of each node of the level above that has entries below it.
    positions: Vec<usize>,
    /// How many positions the level above has.
    parents: usize,
}

impl<'e, V: Value, F: Format> Packing<'e, V, F> {
    fn new(shape: F::Shape, entries: &'e [(F::Shape, V)]) -> Self {
        let mut shared = vec![0; entries.len()];
        for (shared, pair) in shared.iter_mut().skip(1).zip(entries.windows(2)) {
            let pairs = level_coords::<F>(&pair[0].0).zip(level_coords::<F>(&pair[1].0));
            *shared = pairs.take_while(|(before, here)| before == here).count() as u8;
        }
        Packing { shape, entries, shared, level: 0, depth: 0, positions: vec![0], parents: 1 }
    }

    /// How many coordinates tell the nodes of the next level apart. Its own is the last of them,
    /// unless it is nonunique and branchless levels follow: then each node has one child, and a
    /// coordinate is repeated for as many as there are.
    fn next_depth(&self) -> usize {
        let level = self.level;
        let below = if F::MAP.levels[level].properties.unique {
            0
        } else {
            F::Levels::KINDS[level + 1..].iter().take_while(|kind| kind.branchless).count()
        };
        self.depth.max(level + 1 + below)
    }

    /// The entries with which the nodes of the next level begin, if so many coordinates tell them
    /// apart.
    fn firsts(&self, depth: usize) -> impl Iterator<Item = usize> {
        let shared = self.shared.iter().enumerate();
        shared.filter(move |(_, shared)| usize::from(**shared) < depth).map(|(first, _)| first)
    }

    /// Refuses two nodes of a unique level that share all their coordinates. They have different
    /// parents, which a nonunique level above made for the sake of branchless ones.
    fn check_unique(&self, axis: &Axis, depth: usize) -> Result<(), Error> {
        let repeats = self.level + 1..depth;
        let repeated =
            self.shared.iter().position(|shared| repeats.contains(&usize::from(*shared)));
        match repeated {
            Some(entry) if axis.properties.unique => {
                let reason = "its coordinate is repeated for each of several entries that a \
                              singleton level below stores, but is declared unique; declare it \
                              nonunique";
                Err(self.refusal(entry, reason.to_owned()))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn refusal(&self, entry: usize, reason: String) -> Error {
        let coordinate = self.entries[entry].0.as_ref().to_vec();
        Error::Pack { format: F::NAME, level: self.level + 1, coordinate, reason }
    }

    fn error(&self, fault: Fault, depth: usize) -> Error {
        if let Fault::Broken { index, reason } = &fault
            && let Some(first) = self.firsts(depth).nth(*index)
        {
            return self.refusal(first, reason.clone());
        }
        fault.at(F::NAME, self.level, self.shape.as_ref())
    }
}

impl<V: Value, F: Format> LevelSource for Packing<'_, V, F> {
    fn next_level<L: Level>(&mut self) -> Result<L, Error> {
        let depth = self.next_depth();
        let axis = axis::<F>(&self.shape, self.level);
        self.check_unique(&axis, depth)?;
        let left = self.firsts(depth).count();
        let nodes = Nodes { packing: self, depth, entry: 0, above: 0, left };
        let built = L::build(&axis, self.parents, nodes).and_then(|(level, positions)| {
            let children = level.view().children(self.parents).ok_or(Fault::Size)?;
            Ok((level, positions, children))
        });
        let (level, positions, children) = built.map_err(|fault| self.error(fault, depth))?;
        (self.positions, self.parents) = (positions, children);
        (self.level, self.depth) = (self.level + 1, depth);
        Ok(level)
    }
}

/// The nodes of the next level, as their parents' positions and their own coordinates.
struct Nodes<'p, V, F: Format> {
    packing: &'p Packing<'p, V, F>,
    /// How many coordinates tell the nodes apart.
    depth: usize,
    /// The entry to go on with.
    entry: usize,
    /// Which node of the level above that entry's predecessor is below.
    above: usize,
    /// How many nodes are still to come.
    left: usize,
}

impl<V: Value, F: Format> Iterator for Nodes<'_, V, F> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let Packing { entries, shared, level, depth, positions, .. } = self.packing;
        let expr = F::MAP.levels[*level].expr;
        let begins = |shared: &u8| usize::from(*shared) < self.depth;
        let first = self.entry + shared[self.entry..].iter().position(begins)?;
        if first > 0 && usize::from(shared[first]) < *depth {
            self.above += 1;
        }
        self.entry = first + 1;
        self.left -= 1;
        Some((positions[self.above], expr.coordinate(entries[first].0.as_ref())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<V: Value, F: Format> ExactSizeIterator for Nodes<'_, V, F> {}
