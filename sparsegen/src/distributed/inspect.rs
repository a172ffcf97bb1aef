//! The inspector: which coordinates a rank needs, by the rule of the design, without communication.
//!
//! The rank's part of the operands with the distributed variable determines which coordinates of the
//! other variables it visits; those of the operands that are distributed along them are fetched, and
//! may determine more.

use std::sync::Arc;

use super::Layout;
use super::column::Column;
use super::entries::{Entries, Numbers};
use super::needed::{Needed, UNUSED, distinct};
use super::scheme::Scheme;
use crate::Error;

/// How an operand is stored on the ranks.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The shape of the whole tensor.
    pub(super) shape: Vec<usize>,
    /// The division of its outermost mode, or `None` if every rank has the whole tensor.
    pub(super) layout: Option<Layout>,
    /// The size of a value in bytes.
    pub(super) value: usize,
}

impl Storage {
    /// Returns the number of bytes of entries with their coordinates.
    fn bytes_of_entries(&self, count: usize) -> usize {
        count * (self.value + self.shape.len() * size_of::<usize>())
    }

    /// Returns whether values are sent. Those of patterns are all the same.
    pub(super) fn is_sent(&self) -> bool {
        self.value > 0
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
    pub(super) operands: Vec<Storage>,
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
    /// The entries of each operand that the rank uses.
    pub(super) operands: Vec<Used>,
}

/// The entries of an operand that a rank uses: those whose coordinates it needs.
pub(super) struct Used {
    /// Their coordinates in the local problem.
    pub(super) entries: Entries,
    /// Their numbers among the entries that the rank has, or has fetched.
    pub(super) numbers: Numbers,
    /// `true` if these are all of them, at the same coordinates.
    pub(super) are_same: bool,
}

impl Used {
    /// Takes the entries, so that a plan does not keep them.
    pub(super) fn take(&mut self) -> Used {
        let none = Entries::default();
        let rest = Used { entries: none, numbers: Numbers::Range(0..0), are_same: false };
        std::mem::replace(self, rest)
    }
}

impl Local {
    /// Returns the number of entries of all operands that the rank uses, and the number of their bytes.
    pub(super) fn used(&self, division: &Division) -> (usize, usize) {
        let counts = self.operands.iter().map(|used| used.entries.len());
        let counts = counts.zip(&division.operands);
        counts.fold((0, 0), |(all, bytes), (count, stored)| {
            (all + count, bytes + stored.bytes_of_entries(count))
        })
    }
}

impl Division {
    /// Compares the extents and layouts of operands.
    pub(super) fn of(
        scheme: &'static Scheme,
        operands: Vec<Storage>,
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
        let needed: Vec<Needed> = needed.into_iter().flatten().collect();
        let operands = entries.into_iter().flatten().enumerate();
        let operands = operands.map(|(operand, entries)| self.used(operand, &entries, &needed));
        let operands = operands.collect();
        Ok(Local { needed, operands })
    }

    /// Returns whether the rank needs the coordinates of all its entries in a mode of an operand: it
    /// needs every coordinate, or the mode is divided among the ranks.
    pub(super) fn are_needed(&self, operand: usize, mode: usize, needed: &Needed) -> bool {
        let indexed = &self.scheme.operands[operand];
        let variable = indexed.variables[mode];
        let is_divided = variable == self.scheme.by && mode == indexed.outermost;
        needed.are_all(self.extents[variable])
            || is_divided && self.operands[operand].layout.is_some()
    }

    /// Returns the entries of an operand that a rank uses.
    fn used(&self, operand: usize, entries: &Entries, needed: &[Needed]) -> Used {
        let variables = self.scheme.operands[operand].variables;
        let are_all = |v: &usize| needed[*v].are_all(self.extents[*v]);
        if variables.iter().all(are_all) {
            let (entries, numbers) = (entries.clone(), Numbers::Range(0..entries.len()));
            return Used { entries, numbers, are_same: true };
        }
        let numbered = |(column, v): (&Arc<Column>, &usize)| match are_all(v) {
            true => Arc::clone(column),
            false => Arc::new(column.numbered(&needed[*v], self.extents[*v])),
        };
        let columns: Vec<_> = entries.columns().iter().zip(variables).map(numbered).collect();
        let partial = columns.iter().zip(variables).enumerate();
        let partial =
            partial.filter(|(mode, (_, v))| !self.are_needed(operand, *mode, &needed[**v]));
        let partial: Vec<_> = partial.map(|(_, (column, _))| column).collect();
        let is_used = |number: &usize| !partial.iter().any(|column| column.is_unused(*number));
        let numbers = match partial.iter().any(|column| column.has_unused()) {
            true => Numbers::of((0..entries.len()).filter(is_used).collect()),
            false => Numbers::Range(0..entries.len()),
        };
        Used { entries: Entries::new(columns).select(&numbers), numbers, are_same: false }
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
            match all.is_empty() {
                true => all = coordinates,
                false => all = distinct(all.iter().chain(&coordinates).copied()),
            }
        }
        Needed::of(all)
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
        let column = &entries.columns()[mode];
        let modes = variables.iter().zip(entries.columns()).enumerate();
        let known = modes.filter_map(|(mode, (v, column))| {
            let needed = needed[*v].as_ref()?;
            (!self.are_needed(operand, mode, needed)).then_some((column, needed))
        });
        let known: Vec<_> = known.collect();
        if known.is_empty() {
            return column.distinct();
        }
        let is_used = |number: &usize| {
            known.iter().all(|(column, needed)| needed.number(column.at(*number)) != UNUSED)
        };
        distinct((0..entries.len()).filter(is_used).map(|number| column.at(number)))
    }
}
