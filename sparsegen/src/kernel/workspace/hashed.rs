//! The hash table of workspaces that have too many coordinates for an array.

use alloc::vec::Vec;

use crate::kernel::sort_by;
use crate::{Value, Width};

use super::narrow;

/// Values in the order of insertion, with a hash table of their coordinates.
#[derive(Debug)]
pub(super) struct Hashed<V, C> {
    /// The present coordinates, and their values.
    entered: (Vec<C>, Vec<V>),
    table: Table,
    /// The coordinates and values that the last harvest returned.
    harvested: (Vec<C>, Vec<V>),
    zero: V,
}

impl<V: Value, C: Width> Hashed<V, C> {
    pub(super) fn new(initial: V) -> Self {
        let none = || (Vec::new(), Vec::new());
        Hashed { entered: none(), table: Table::empty(16), harvested: none(), zero: initial }
    }

    pub(super) fn value(&self, coordinate: usize) -> &V {
        let (crd, vals) = &self.entered;
        self.table.find(crd, coordinate).map_or(&self.zero, |slot| &vals[slot])
    }

    pub(super) fn len(&self) -> usize {
        self.entered.0.len()
    }

    pub(super) fn contains(&self, coordinate: usize) -> bool {
        self.table.find(&self.entered.0, coordinate).is_ok()
    }

    /// Removes all entries, in time proportional to their number.
    pub(super) fn clear(&mut self) {
        let (crd, vals) = &mut self.entered;
        self.table.clear(crd);
        crd.clear();
        vals.clear();
    }

    /// Returns the value at a coordinate, and inserts the coordinate if it is absent.
    pub(super) fn enter(&mut self, coordinate: usize) -> &mut V {
        let (crd, vals) = &mut self.entered;
        let slot = self.table.find(crd, coordinate).unwrap_or_else(|place| {
            crd.push(narrow(coordinate));
            vals.push(self.zero);
            self.table.places[place] = crd.len();
            self.table.grow(crd);
            crd.len() - 1
        });
        &mut vals[slot]
    }

    /// Removes all entries and returns them in the order of their coordinates.
    pub(super) fn harvest(&mut self) -> (&[C], &[V]) {
        let (crd, vals) = &mut self.entered;
        let entries = crd.iter().copied().zip(vals.iter().copied());
        let mut entries: Vec<(C, V)> = entries.collect();
        sort_by(&mut entries, |entry| [entry.0]);
        self.harvested.0.clear();
        self.harvested.1.clear();
        for (coordinate, value) in entries {
            self.harvested.0.push(coordinate);
            self.harvested.1.push(value);
        }
        self.table.clear(crd);
        crd.clear();
        vals.clear();
        (&self.harvested.0, &self.harvested.1)
    }
}

/// A hash table with linear probing. Each place holds the number of an entry plus 1, or 0 if it is
/// free. The number of places is a power of two, and at least half of them are free.
#[derive(Debug)]
struct Table {
    places: Vec<usize>,
}

impl Table {
    fn empty(places: usize) -> Table {
        Table { places: vec![0; places] }
    }

    /// Returns the entry of a coordinate, or the free place for it.
    fn find<C: Width>(&self, entered: &[C], coordinate: usize) -> Result<usize, usize> {
        let place = self.place(coordinate, |slot| entered[slot].to_usize() == coordinate);
        self.places[place].checked_sub(1).ok_or(place)
    }

    /// Returns the place of the entry of a coordinate, or the free place for it.
    fn place(&self, coordinate: usize, is_it: impl Fn(usize) -> bool) -> usize {
        let mask = self.places.len() - 1;
        // The golden ratio spreads neighbours (Knuth, volume 3, section 6.4).
        let mut place =
            ((coordinate as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.places[place].checked_sub(1).is_some_and(|slot| !is_it(slot)) {
            place = (place + 1) & mask;
        }
        place
    }

    /// Doubles the table when half of its places are taken.
    fn grow<C: Width>(&mut self, entered: &[C]) {
        if 2 * entered.len() <= self.places.len() {
            return;
        }
        let mut wider = Table::empty(2 * self.places.len());
        for (slot, coordinate) in entered.iter().enumerate() {
            if let Err(place) = wider.find(entered, coordinate.to_usize()) {
                wider.places[place] = slot + 1;
            }
        }
        *self = wider;
    }

    /// Removes all entries, one by one if the table has many more places.
    fn clear<C: Width>(&mut self, entered: &[C]) {
        if 8 * entered.len() > self.places.len() {
            return self.places.fill(0);
        }
        // In reverse order, because the search for an entry passes places of earlier ones.
        for slot in (0..entered.len()).rev() {
            let place = self.place(entered[slot].to_usize(), |held| held == slot);
            self.places[place] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_entries_of_a_large_table_are_removed_one_by_one() {
        let mut hashed = Hashed::<i64, u32>::new(0);
        (0..1000).for_each(|coordinate| *hashed.enter(coordinate) = 1);
        assert_eq!(hashed.harvest().0.len(), 1000);
        let places = hashed.table.places.len();
        for round in 0..20 {
            // Coordinates whose search starts at the same places.
            let coordinates: Vec<usize> = (0..100).map(|k| (k % 7) * 4096 + k + round).collect();
            coordinates.iter().for_each(|coordinate| *hashed.enter(*coordinate) += 1);
            assert!(coordinates.iter().all(|coordinate| hashed.contains(*coordinate)));
            match round % 2 {
                0 => hashed.clear(),
                _ => assert!(hashed.harvest().1.iter().sum::<i64>() == 100),
            }
            assert!(hashed.table.places.iter().all(|place| *place == 0));
        }
        assert_eq!(hashed.table.places.len(), places);
        // One that is not cleared whole keeps a place that no entry has taken.
        hashed.enter(3);
        let other = hashed.table.places.iter().position(|place| *place == 0).unwrap_or(0);
        hashed.table.places[other] = usize::MAX;
        hashed.clear();
        assert_eq!(hashed.table.places[other], usize::MAX);
    }
}
