//! The coordinates of entries, as arrays.

use std::ops::Range;
use std::sync::Arc;

use super::column::{Column, of_array};
use crate::Width;
use crate::kernel::first_from;

/// The entries of a tensor: an array of coordinates for each mode. The arrays are shared, as pretended
/// ranks have the same whole operands.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    count: usize,
    columns: Vec<Arc<Column>>,
}

impl Entries {
    /// Creates entries of their coordinates in each mode.
    pub(super) fn new(columns: Vec<Arc<Column>>) -> Entries {
        let count = columns.first().map_or(0, |column| column.len());
        Entries { count, columns }
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the coordinates of all entries in each mode.
    pub(super) fn columns(&self) -> &[Arc<Column>] {
        &self.columns
    }

    /// Returns the coordinates in each mode in 32 bits, if all are.
    pub(super) fn narrow(&self) -> Option<Vec<&[u32]>> {
        let narrow = self.columns.iter().map(|column| match &**column {
            Column::Narrow(array) => Some(&array[..]),
            Column::Wide(_) => None,
        });
        narrow.collect()
    }

    /// Writes the coordinate of an entry, one number for each mode.
    pub(super) fn coordinate(&self, number: usize, places: &mut [usize]) {
        places.iter_mut().zip(&self.columns).for_each(|(place, column)| *place = column.at(number));
    }

    /// Returns some of the entries.
    pub(super) fn select(&self, numbers: &Numbers) -> Entries {
        if numbers.are_all(self.count) {
            return self.clone();
        }
        let picked = |column: &Arc<Column>| Arc::new(column.pick(numbers));
        Entries::new(self.columns.iter().map(picked).collect())
    }
}

/// Numbers of entries, or of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Numbers {
    /// Consecutive ones.
    Range(Range<usize>),
    Listed(Vec<usize>),
}

impl Numbers {
    /// Creates numbers of a list.
    pub(super) fn of(list: Vec<usize>) -> Numbers {
        match consecutive(list.iter().copied()) {
            Some(range) => Numbers::Range(range),
            None => Numbers::Listed(list),
        }
    }

    /// Creates numbers in the order of an iterator.
    pub(super) fn listed(numbers: impl Iterator<Item = usize> + Clone) -> Numbers {
        match consecutive(numbers.clone()) {
            Some(range) => Numbers::Range(range),
            None => Numbers::Listed(numbers.collect()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Numbers::Range(range) => range.len(),
            Numbers::Listed(list) => list.len(),
        }
    }

    /// Returns whether these are the numbers of so many entries, in order.
    pub(super) fn are_all(&self, count: usize) -> bool {
        *self == Numbers::Range(0..count)
    }

    /// Returns the number at a place.
    pub(super) fn at(&self, place: usize) -> usize {
        match self {
            Numbers::Range(range) => range.start + place,
            Numbers::Listed(list) => list[place],
        }
    }

    /// Returns the elements of a list at these numbers.
    pub(super) fn map(&self, list: &[usize]) -> Numbers {
        Numbers::of(self.pick(list))
    }

    /// Returns the elements of an array with these numbers.
    pub(super) fn pick<T: Copy>(&self, array: &[T]) -> Vec<T> {
        let mut picked = Vec::new();
        self.pick_into(array, &mut picked);
        picked
    }

    /// Appends the elements of an array with these numbers.
    pub(super) fn pick_into<T: Copy>(&self, array: &[T], picked: &mut Vec<T>) {
        crate::memory::reserve(picked, self.len());
        match self {
            Numbers::Range(range) => picked.extend_from_slice(&array[range.clone()]),
            Numbers::Listed(list) => picked.extend(list.iter().map(|number| array[*number])),
        }
    }
}

/// Returns the range of numbers, if they are consecutive.
fn consecutive(mut numbers: impl Iterator<Item = usize>) -> Option<Range<usize>> {
    let Some(first) = numbers.next() else { return Some(0..0) };
    let mut end = first + 1;
    let are_consecutive = numbers.all(|number| {
        end += 1;
        number + 1 == end
    });
    are_consecutive.then_some(first..end)
}

/// Entries by their coordinates in one mode.
pub(super) struct Grouped {
    entries: Entries,
    mode: usize,
    /// The numbers of the entries in the order of their coordinates; `None` if they are ordered.
    order: Option<Vec<usize>>,
    /// The place of the first entry of each coordinate from `first` on, if the coordinates are dense
    /// enough.
    starts: Option<Vec<usize>>,
    first: usize,
}

impl Grouped {
    /// Groups entries.
    pub(super) fn by(mode: usize, entries: Entries) -> Grouped {
        match entries.columns.get(mode) {
            None => Grouped::by_array(mode, entries, &[0_usize; 0]),
            Some(column) => {
                let column = Arc::clone(column);
                of_array!(&*column, array => Grouped::by_array(mode, entries, array))
            }
        }
    }

    fn by_array<C: Width>(mode: usize, entries: Entries, column: &[C]) -> Grouped {
        let is_ordered = column.is_sorted();
        let (first, last) = match is_ordered {
            true => (column.first(), column.last()),
            false => (column.iter().min(), column.iter().max()),
        };
        let [first, last] = [first, last].map(|at| at.map_or(0, |at| at.to_usize()));
        let starts = (last - first < 4 * entries.count + 1024).then(|| {
            let mut starts = vec![0; last - first + 2];
            column.iter().for_each(|at| starts[at.to_usize() - first + 1] += 1);
            for place in 1..starts.len() {
                starts[place] += starts[place - 1];
            }
            starts
        });
        let order = (!is_ordered).then(|| match &starts {
            Some(starts) => {
                let (mut next, mut order) = (starts.clone(), vec![0; entries.count]);
                for (number, at) in column.iter().enumerate() {
                    let next = &mut next[at.to_usize() - first];
                    order[*next] = number;
                    *next += 1;
                }
                order
            }
            None => {
                let mut order: Vec<usize> = (0..entries.count).collect();
                order.sort_by_key(|number| column[*number]);
                order
            }
        });
        Grouped { entries, mode, order, starts, first }
    }

    pub(super) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Appends the numbers of the entries whose coordinates are within a range; returns how many they
    /// are.
    pub(super) fn extend_with(&self, numbers: &mut Vec<usize>, coordinates: Range<usize>) -> usize {
        let places = self.places(coordinates);
        match &self.order {
            Some(order) => numbers.extend_from_slice(&order[places.clone()]),
            None => numbers.extend(places.clone()),
        }
        places.len()
    }

    /// Returns the numbers of the entries whose coordinates are within a range.
    pub(super) fn within(&self, coordinates: Range<usize>) -> Numbers {
        let places = self.places(coordinates);
        match &self.order {
            Some(order) => Numbers::of(order[places].to_vec()),
            None => Numbers::Range(places),
        }
    }

    /// Returns the places of coordinates within a range, in their order.
    fn places(&self, coordinates: Range<usize>) -> Range<usize> {
        let place = |coordinate: usize| match &self.starts {
            Some(starts) => {
                let at = coordinate.saturating_sub(self.first);
                starts[at.min(starts.len() - 1)]
            }
            None => {
                let column = &self.entries.columns[self.mode];
                let number = |place: usize| self.order.as_ref().map_or(place, |order| order[place]);
                let at = |place: usize| column.at(number(place));
                first_from(0..self.entries.count, |place| at(place) < coordinate)
            }
        };
        place(coordinates.start)..place(coordinates.end)
    }
}
