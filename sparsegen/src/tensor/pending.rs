//! Changes of single entries, which are collected and merged into the arrays together.

use alloc::vec::Vec;

use crate::memory::HashMap;
use crate::memory::OnceLock;

use crate::level::{LevelViews, Levels};
use crate::memory::has_room;
use crate::{Error, Format, Stored, View};

use super::build::{Duplicates, Merge};
use super::declared::Declared;
use super::pack::pack;
use super::{Arrays, Tensor};

/// A change of the entry at a coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<V> {
    /// Stores the value, or combines it with the one that is stored.
    Put(V, Duplicates),
    Remove,
}

/// The changes since the arrays of a tensor were made.
///
/// [`Pending::has_bounds`] holds for the changes if they were not merged at once, so that merging
/// them cannot fail later.
#[derive(Clone)]
pub(super) struct Pending<V, F: Format> {
    /// The changes, in order.
    changes: Vec<(F::Shape, Change<V>)>,
    /// The arrays with all changes, once they have been read.
    merged: OnceLock<Arrays<V, F>>,
    /// The size of the merged arrays, in bytes, for which there was memory.
    room: usize,
}

impl<V: Stored, F: Format> Pending<V, F> {
    pub(super) fn new() -> Self {
        Pending { changes: Vec::new(), merged: OnceLock::new(), room: 0 }
    }

    /// Returns whether the changes have been merged.
    pub(super) fn is_merged(&self) -> bool {
        self.merged.get().is_some()
    }

    /// Adds changes to the list. If there is no certainty that they can be merged later, they are
    /// merged at once; if that fails, the list stays as it was.
    pub(super) fn add(
        &mut self,
        shape: F::Shape,
        arrays: &Arrays<V, F>,
        changes: impl Iterator<Item = (F::Shape, Change<V>)>,
    ) -> Result<(), Error> {
        let before = self.changes.len();
        self.changes.extend(changes);
        let is_checked = |change: &Change<V>| match change {
            Change::Put(_, duplicates) => Merge::<V::Value>::As(*duplicates).refuses(V::IS_PATTERN),
            Change::Remove => false,
        };
        let mut added = self.changes[before..].iter();
        if !added.any(|(_, change)| is_checked(change)) && self.has_bounds(shape, arrays) {
            return Ok(());
        }
        match self.merge(shape, arrays) {
            Ok(merged) => {
                self.merged = OnceLock::from(merged);
                Ok(())
            }
            Err(error) => {
                self.changes.truncate(before);
                Err(error)
            }
        }
    }

    /// Returns whether the format accepts all sets of as many more entries as there are changes, and
    /// there is memory for the largest of the resulting tensors.
    fn has_bounds(&mut self, shape: F::Shape, arrays: &Arrays<V, F>) -> bool {
        let format = Declared::of::<F>();
        if format.may_refuse(V::IS_PATTERN) {
            return false;
        }
        let Some(size) = largest::<V, F>(shape, arrays, self.changes.len()) else { return false };
        if size > self.room {
            // Twice the size, so that the question is not asked for each change.
            let sizes = [size.saturating_mul(2), size];
            self.room = sizes.into_iter().find(|size| has_room::<u8>(*size)).unwrap_or(0);
        }
        size <= self.room
    }

    /// Returns the arrays with all changes.
    pub(super) fn merged(&self, shape: F::Shape, arrays: &Arrays<V, F>) -> &Arrays<V, F> {
        self.merged.get_or_init(|| self.merge_deferred(shape, arrays))
    }

    /// Returns the arrays with all changes.
    pub(super) fn into_merged(mut self, shape: F::Shape, arrays: &Arrays<V, F>) -> Arrays<V, F> {
        self.merged.take().unwrap_or_else(|| self.merge_deferred(shape, arrays))
    }

    fn merge_deferred(&self, shape: F::Shape, arrays: &Arrays<V, F>) -> Arrays<V, F> {
        self.merge(shape, arrays).unwrap_or_else(|error| {
            panic!("the memory that was there for a change was used before it was read: {error}")
        })
    }

    /// Merges the changes into the arrays, in one pass over the stored entries and one over the
    /// changes.
    fn merge(&self, shape: F::Shape, arrays: &Arrays<V, F>) -> Result<Arrays<V, F>, Error> {
        count_merge();
        let mut numbers = HashMap::new();
        let mut changed: Vec<(F::Shape, Option<V>)> = Vec::new();
        for (coordinate, _) in &self.changes {
            numbers.entry(*coordinate).or_insert_with(|| {
                changed.push((*coordinate, None));
                changed.len() - 1
            });
        }
        let view = View::<V, F> {
            shape,
            levels: arrays.structure.views(),
            vals: &arrays.vals,
            structure: None,
        };
        let mut entries = Vec::new();
        for (coordinate, value) in view.iter() {
            match numbers.get(&coordinate) {
                None => entries.push((coordinate, value)),
                Some(number) => {
                    let place = &mut changed[*number].1;
                    let sum = |a, b| Merge::SUM.combine(a, b);
                    *place = Some(place.map_or(value, |before| before.combine(value, sum)));
                }
            }
        }
        for (coordinate, change) in &self.changes {
            let place = &mut changed[numbers[coordinate]].1;
            *place = match (*change, *place) {
                (Change::Remove, _) => None,
                (Change::Put(value, _), None) => Some(value),
                (Change::Put(value, duplicates), Some(before)) => {
                    let merge = Merge::As(duplicates);
                    if merge.refuses(V::IS_PATTERN) {
                        let coordinate = coordinate.as_ref().to_vec();
                        return Err(Error::Duplicate { format: F::NAME, coordinate });
                    }
                    Some(before.combine(value, |a, b| merge.combine(a, b)))
                }
            };
        }
        let changed = changed.into_iter();
        entries.extend(changed.filter_map(|(coordinate, value)| Some((coordinate, value?))));
        let Tensor { arrays, .. } = pack::<V, F>(shape, entries, Merge::SUM)?;
        Ok(arrays)
    }
}

/// Returns the largest number of bytes that the arrays may have after `added` changes, or `None` if
/// a level may refuse an entry or the number overflows.
fn largest<V, F: Format>(shape: F::Shape, arrays: &Arrays<V, F>, added: usize) -> Option<usize> {
    let format = Declared::of::<F>();
    let axes = format.axes(shape.as_ref()).ok()?;
    let views = arrays.structure.views();
    let (mut positions, mut bytes) = (1, 0_usize);
    for (level, axis) in axes.iter().enumerate().take(format.kinds.len()) {
        positions = views.level(level).grown(axis, positions, added)?;
        // A position and a coordinate.
        bytes = bytes.checked_add(positions.checked_mul(2 * size_of::<usize>())?)?;
    }
    bytes.checked_add(positions.checked_mul(size_of::<V>())?)
}

#[cfg(test)]
thread_local! {
    /// The number of merges of this thread.
    static MERGES: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

#[cfg(test)]
fn count_merge() {
    MERGES.set(MERGES.get() + 1);
}

#[cfg(not(test))]
fn count_merge() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;

    /// Returns the number of merges of the writes and of two reads after them.
    fn merges<F: Format<Shape = [usize; 2]>>(entries: usize) -> usize {
        let mut tensor = Tensor::<f64, F>::zeros([entries, entries]).unwrap();
        let before = MERGES.get();
        for number in 0..entries {
            tensor.insert([number, (7 * number) % entries], 1.0).unwrap();
            tensor.add_at([(3 * number) % entries, number], 1.0).unwrap();
            tensor.remove([number, (number + 1) % entries]).unwrap();
        }
        assert!(tensor.nnz() > entries);
        assert!(tensor.get([0, 0]) > Some(0.0));
        MERGES.get() - before
    }

    #[test]
    fn scattered_writes_cost_one_merge() {
        for entries in [50, 200] {
            assert_eq!(merges::<Csr>(entries), 1);
            assert_eq!(merges::<Csc>(entries), 1);
            assert_eq!(merges::<Dcsr>(entries), 1);
            assert_eq!(merges::<Dcsc>(entries), 1);
            assert_eq!(merges::<Coo<2>>(entries), 1);
            assert_eq!(merges::<CooUnordered<2>>(entries), 1);
            assert_eq!(merges::<Csf<2>>(entries), 1);
            assert_eq!(merges::<Dia>(entries), 1);
            assert_eq!(merges::<Ell>(entries), 1);
            assert_eq!(merges::<HashRows>(entries), 1);
            // Every entry has its place.
            assert_eq!(merges::<Dense<2>>(entries), 0);
            assert_eq!(merges::<DenseCol<2>>(entries), 0);
        }
    }

    #[test]
    fn stored_entries_are_changed_in_place() {
        let entries = (0..100).map(|i| ([i, i], 1.0));
        let mut tensor = Tensor::<f64, Csr>::from_triplets([100, 100], entries).unwrap();
        let before = MERGES.get();
        (0..100).for_each(|i| tensor.add_at([i, i], 1.0).unwrap());
        tensor.remove([0, 1]).unwrap();
        assert_eq!(tensor.vals(), [2.0; 100]);
        assert_eq!(MERGES.get(), before);
    }

    #[test]
    fn an_extension_of_a_format_that_may_refuse_it_costs_one_merge() {
        let mut narrow = Tensor::<f64, Csr<u8, u8>>::zeros([30, 30]).unwrap();
        let before = MERGES.get();
        let entries = (0..300).map(|number| ([number % 15, number % 17], 1.0));
        narrow.extend(entries, Duplicates::Sum).unwrap();
        assert_eq!(MERGES.get() - before, 1);
        assert_eq!(narrow.nnz(), 255);
        assert_eq!(MERGES.get() - before, 1);
    }
}
