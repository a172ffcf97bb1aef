//! The inspector: which coordinates a rank needs, by the rule of the design, without communication.
//!
//! The rank's part of the operands with the distributed variable determines which coordinates of the
//! other variables it visits; those of the operands that are distributed along them are fetched, and
//! may determine more.

use std::ops::Range;
use std::sync::Arc;

use super::Layout;
use super::scheme::Scheme;
use crate::Error;

/// The coordinates of entries of a tensor, numbered as in the whole tensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entries {
    /// The number of modes.
    order: usize,
    /// Shared, as all pretended ranks have the same whole operands.
    coordinates: Arc<Vec<usize>>,
}

impl Entries {
    pub(super) fn new(order: usize, coordinates: Vec<usize>) -> Entries {
        Entries { order, coordinates: Arc::new(coordinates) }
    }

    /// Returns the number of modes.
    pub(super) fn order(&self) -> usize {
        self.order
    }

    /// Returns the coordinates of all entries one after another.
    pub(super) fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.coordinates.len().checked_div(self.order).unwrap_or(0)
    }

    /// Returns the coordinates of each entry.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.coordinates.chunks_exact(self.order.max(1))
    }
}

/// Entries in the order of their coordinates in one mode.
pub(super) struct Grouped {
    entries: Entries,
    mode: usize,
    /// The numbers of the entries.
    order: Vec<usize>,
}

impl Grouped {
    pub(super) fn by(mode: usize, entries: Entries) -> Grouped {
        let coordinate = |number: usize| entries.coordinates[number * entries.order + mode];
        let mut order: Vec<usize> = (0..entries.len()).collect();
        if !order.is_sorted_by_key(|number| coordinate(*number)) {
            order.sort_by_key(|number| coordinate(*number));
        }
        Grouped { entries, mode, order }
    }

    pub(super) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Returns the coordinates of an entry.
    pub(super) fn entry(&self, number: usize) -> &[usize] {
        let order = self.entries.order;
        &self.entries.coordinates[number * order..(number + 1) * order]
    }

    /// Returns the numbers of the entries whose coordinates are within a range.
    pub(super) fn within(&self, range: Range<usize>) -> &[usize] {
        let first = |coordinate| {
            self.order.partition_point(|number| self.entry(*number)[self.mode] < coordinate)
        };
        &self.order[first(range.start)..first(range.end)]
    }

    /// Returns some of the entries.
    pub(super) fn select(&self, numbers: impl IntoIterator<Item = usize>) -> Entries {
        let coordinates = numbers.into_iter().flat_map(|number| self.entry(number)).copied();
        Entries::new(self.entries.order, coordinates.collect())
    }
}

/// The coordinates of a variable that a rank needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Needed {
    /// All, with their numbers in the whole mode.
    All,
    /// Those of a range, numbered from its start.
    Range(Range<usize>),
    /// Those of an ascending list, numbered by their positions in it.
    Listed(Vec<usize>),
}

impl Needed {
    /// Returns the number of a coordinate in the local problem, if the rank needs it.
    pub(super) fn number(&self, coordinate: usize) -> Option<usize> {
        match self {
            Needed::All => Some(coordinate),
            Needed::Range(range) => range.contains(&coordinate).then(|| coordinate - range.start),
            Needed::Listed(list) => list.binary_search(&coordinate).ok(),
        }
    }

    /// Returns the coordinate with a number.
    pub(super) fn coordinate(&self, number: usize) -> usize {
        match self {
            Needed::All => number,
            Needed::Range(range) => range.start + number,
            Needed::Listed(list) => list[number],
        }
    }

    /// Returns the number of coordinates, given the extent of the mode.
    pub(super) fn extent(&self, all: usize) -> usize {
        match self {
            Needed::All => all,
            Needed::Range(range) => range.len(),
            Needed::Listed(list) => list.len(),
        }
    }

    /// Returns the number of coordinates within a range.
    pub(super) fn count(&self, range: Range<usize>) -> usize {
        match self {
            Needed::All => range.len(),
            Needed::Range(own) => (range.start.max(own.start)..range.end.min(own.end)).len(),
            Needed::Listed(list) => {
                let before = |coordinate| list.partition_point(|one| *one < coordinate);
                before(range.end) - before(range.start)
            }
        }
    }

    /// Returns the coordinates within a range, ascending.
    pub(super) fn within(&self, range: Range<usize>) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Needed::All => Box::new(range),
            Needed::Range(own) => Box::new(range.start.max(own.start)..range.end.min(own.end)),
            Needed::Listed(list) => {
                let at = |coordinate| list.partition_point(|one| *one < coordinate);
                Box::new(list[at(range.start)..at(range.end)].iter().copied())
            }
        }
    }
}

/// How an operand is stored on the ranks.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The shape of the whole tensor.
    pub(super) shape: Vec<usize>,
    /// The division of its outermost mode, or `None` if every rank has the whole tensor.
    pub(super) layout: Option<Layout>,
    /// The size of a value in bytes.
    pub(super) value: usize,
}

impl Stored {
    /// Returns the number of bytes of entries with their coordinates.
    fn bytes_of_entries(&self, count: usize) -> usize {
        count * (self.value + self.shape.len() * size_of::<usize>())
    }

    /// Returns the number of bytes of values that are sent or received: a buffer, and their positions.
    pub(super) fn bytes_of_exchange(&self, count: usize) -> usize {
        count * (self.value + size_of::<usize>())
    }
}

/// The division of the variables of a kernel: the same on all ranks.
#[derive(Clone, Debug)]
pub(super) struct Division {
    pub(super) scheme: &'static Scheme,
    pub(super) operands: Vec<Stored>,
    /// The extent of each variable.
    pub(super) extents: Vec<usize>,
    /// For each variable along which operands or results are distributed, the layout.
    pub(super) layouts: Vec<Option<Layout>>,
}

/// A request for entries: the operand, and the coordinates of its outermost mode, or `None` for the
/// entries that the rank has.
pub(super) struct Request<'n> {
    pub(super) operand: usize,
    pub(super) outermost: Option<&'n Needed>,
}

/// The needs of a rank.
pub(super) struct Local {
    /// The coordinates of each variable.
    pub(super) needed: Vec<Needed>,
    /// The entries of each operand: the rank's own, or fetched ones.
    pub(super) entries: Vec<Entries>,
}

impl Local {
    /// Returns the number of entries of all operands at coordinates that the rank needs, and the number
    /// of their bytes.
    pub(super) fn used(&self, division: &Division) -> (usize, usize) {
        let (mut count, mut bytes) = (0, 0);
        let operands = division.scheme.operands.iter().zip(&self.entries);
        for ((indexed, entries), stored) in operands.zip(&division.operands) {
            let is_used = |entry: &&[usize]| {
                let mut modes = indexed.variables.iter().zip(*entry);
                modes.all(|(v, coordinate)| self.needed[*v].number(*coordinate).is_some())
            };
            let used = match indexed.variables.iter().all(|v| self.needed[*v] == Needed::All) {
                true => entries.len(),
                false => entries.iter().filter(is_used).count(),
            };
            count += used;
            bytes += stored.bytes_of_entries(used);
        }
        (count, bytes)
    }

    /// Returns the coordinates of an entry in the local problem, if it is needed.
    pub(super) fn numbered(&self, variables: &[usize], entry: &[usize]) -> Option<Vec<usize>> {
        let modes = variables.iter().zip(entry);
        modes.map(|(v, coordinate)| self.needed[*v].number(*coordinate)).collect()
    }
}

impl Division {
    /// Compares the extents and layouts of operands.
    pub(super) fn of(
        scheme: &'static Scheme,
        operands: Vec<Stored>,
        ranks: usize,
    ) -> Result<Division, Error> {
        let count = scheme.variables.len();
        let (mut extents, mut layouts) = (vec![None; count], vec![None; count]);
        for (indexed, stored) in scheme.operands.iter().zip(&operands) {
            for (variable, extent) in indexed.variables.iter().zip(&stored.shape) {
                match extents[*variable] {
                    None => extents[*variable] = Some((*extent, indexed.name)),
                    Some((known, _)) if known == *extent => {}
                    Some((known, by)) => {
                        let reason = format!(
                            "`{}` has the extent {known} in `{by}` and {extent} in `{}`",
                            scheme.variables[*variable], indexed.name
                        );
                        return Err(Error::Argument { function: scheme.kernel, reason });
                    }
                }
            }
            let Some((first, layout)) = indexed.first().zip(stored.layout.as_ref()) else {
                continue;
            };
            layout.check(scheme.kernel, stored.shape[indexed.outermost], ranks)?;
            match &layouts[first] {
                None => layouts[first] = Some((layout.clone(), indexed.name)),
                // Other modes than the distributed one are fetched, wherever they are.
                Some((known, _)) if known == layout || first != scheme.by => {}
                Some((_, by)) => {
                    let reason = format!(
                        "`{by}` and `{}` have different layouts; `redistribute` one of them",
                        indexed.name
                    );
                    return Err(Error::Argument { function: scheme.kernel, reason });
                }
            }
        }
        // The generator refuses results with variables that no operand has.
        let extents: Vec<usize> =
            extents.into_iter().map(|known| known.map_or(0, |(extent, _)| extent)).collect();
        let mut layouts: Vec<_> =
            layouts.into_iter().map(|known| known.map(|(layout, _)| layout)).collect();
        let firsts = scheme.results.iter().filter_map(|result| result.first());
        for variable in firsts.chain([scheme.by]) {
            let layout = &mut layouts[variable];
            layout.get_or_insert_with(|| Layout::equal(extents[variable], ranks));
        }
        Ok(Division { scheme, operands, extents, layouts })
    }

    /// Returns the layout of the distributed variable.
    pub(super) fn layout(&self) -> &Layout {
        self.layouts[self.scheme.by].as_ref().expect("the division has one")
    }

    /// Returns the variable along which an operand is fetched from other ranks, if it is.
    pub(super) fn fetched(&self, operand: usize) -> Option<usize> {
        self.operands[operand].layout.as_ref()?;
        self.scheme.operands[operand].first().filter(|first| *first != self.scheme.by)
    }

    /// Returns what a rank needs, given the entries that it requests.
    pub(super) fn inspect(
        &self,
        rank: usize,
        request: &mut dyn FnMut(Request<'_>) -> Result<Entries, Error>,
    ) -> Result<Local, Error> {
        let scheme = self.scheme;
        let own = Needed::Range(self.layout().range(rank));
        let mut needed: Vec<Option<Needed>> = (0..scheme.variables.len())
            .map(|v| match v == scheme.by {
                true => Some(own.clone()),
                // All coordinates of a variable along which nothing is distributed are here.
                false => self.layouts[v].is_none().then_some(Needed::All),
            })
            .collect();
        let mut entries: Vec<Option<Entries>> = vec![None; scheme.operands.len()];
        for (operand, own) in entries.iter_mut().enumerate() {
            if self.fetched(operand).is_none() {
                *own = Some(request(Request { operand, outermost: None })?);
            }
        }
        while let Some(variable) = self.next(&needed, &entries) {
            let found = self.needed(variable, scheme.needed[variable], &needed, &entries);
            let mut fetched = Vec::new();
            for operand in (0..entries.len()).filter(|of| self.fetched(*of) == Some(variable)) {
                let read = scheme.operands[operand].read;
                let read = self.needed(variable, read, &needed, &entries);
                let outermost = Some(&read);
                fetched.push((operand, request(Request { operand, outermost })?));
            }
            for (operand, found) in fetched {
                entries[operand] = Some(found);
            }
            needed[variable] = Some(found);
        }
        let needed = needed.into_iter().flatten().collect();
        Ok(Local { needed, entries: entries.into_iter().flatten().collect() })
    }

    /// Returns the variable whose coordinates are determined next: one of whose operands none is
    /// still to be fetched, or the first one. The order is the same on all ranks.
    fn next(&self, needed: &[Option<Needed>], entries: &[Option<Entries>]) -> Option<usize> {
        let open = || (0..needed.len()).filter(|v| needed[*v].is_none());
        let is_ready = |v: &usize| {
            let others = |operand: &&usize| self.fetched(**operand) != Some(*v);
            let mut sets = self.scheme.needed[*v].iter();
            sets.all(|set| set.iter().filter(others).all(|operand| entries[*operand].is_some()))
        };
        open().find(is_ready).or_else(|| open().next())
    }

    /// Returns the coordinates of a variable at which all known operands of some set have entries.
    fn needed(
        &self,
        variable: usize,
        sets: &[&[usize]],
        needed: &[Option<Needed>],
        entries: &[Option<Entries>],
    ) -> Needed {
        let mut all: Vec<usize> = Vec::new();
        for set in sets {
            let mut known =
                set.iter().filter_map(|operand| Some((*operand, entries[*operand].as_ref()?)));
            let Some((operand, first)) = known.next() else { return Needed::All };
            let mut coordinates = self.coordinates(operand, variable, first, needed);
            for (operand, other) in known {
                let others = self.coordinates(operand, variable, other, needed);
                coordinates.retain(|coordinate| others.binary_search(coordinate).is_ok());
            }
            all.append(&mut coordinates);
        }
        all.sort_unstable();
        all.dedup();
        Needed::Listed(all)
    }

    /// Returns the coordinates of a variable in the entries of an operand that the rank uses,
    /// ascending.
    fn coordinates(
        &self,
        operand: usize,
        variable: usize,
        entries: &Entries,
        needed: &[Option<Needed>],
    ) -> Vec<usize> {
        let variables = self.scheme.operands[operand].variables;
        let mode = variables.iter().position(|v| *v == variable);
        let mode = mode.expect("the operands of a set have the variable");
        let is_used = |entry: &&[usize]| {
            variables.iter().zip(entry.iter()).all(|(v, coordinate)| {
                needed[*v].as_ref().is_none_or(|needed| needed.number(*coordinate).is_some())
            })
        };
        let mut found: Vec<usize> =
            entries.iter().filter(is_used).map(|entry| entry[mode]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
