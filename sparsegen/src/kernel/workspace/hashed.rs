//! The entries of a workspace that has too many coordinates for a place each.

use crate::{Value, Width};

use super::narrow;

/// Values in the order in which they were entered, found through a hash table.
#[derive(Debug)]
pub(super) struct Hashed<V, C> {
    /// The coordinates that were entered, and their values.
    entered: (Vec<C>, Vec<V>),
    table: Table,
    /// What the last harvest handed out.
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

    /// The value at a coordinate, which is entered where it was not yet.
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

    /// Takes out what was entered, in the order of the coordinates.
    pub(super) fn harvest(&mut self) -> (&[C], &[V]) {
        let (crd, vals) = &mut self.entered;
        let mut order: Vec<(C, usize)> =
            crd.iter().enumerate().map(|(slot, crd)| (*crd, slot)).collect();
        order.sort_unstable();
        self.harvested.0.clear();
        self.harvested.1.clear();
        for (coordinate, slot) in order {
            self.harvested.0.push(coordinate);
            self.harvested.1.push(vals[slot]);
        }
        crd.clear();
        vals.clear();
        self.table.clear();
        (&self.harvested.0, &self.harvested.1)
    }
}

/// A table of slots, one more each, at the first free place behind the hash of what they hold; 0 is
/// a free place. Its length is a power of two, and half of it is free.
#[derive(Debug)]
struct Table {
    places: Vec<usize>,
}

impl Table {
    fn empty(places: usize) -> Table {
        Table { places: vec![0; places] }
    }

    /// The slot that holds a coordinate, or the place that is free for it.
    fn find<C: Width>(&self, entered: &[C], coordinate: usize) -> Result<usize, usize> {
        let mask = self.places.len() - 1;
        // The golden ratio spreads neighbours (Knuth, volume 3, section 6.4).
        let mut place = (coordinate.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) & mask;
        loop {
            match self.places[place].checked_sub(1) {
                None => return Err(place),
                Some(slot) if entered[slot].to_usize() == coordinate => return Ok(slot),
                Some(_) => place = (place + 1) & mask,
            }
        }
    }

    /// Makes room where half of the table is taken.
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

    fn clear(&mut self) {
        self.places.fill(0);
    }
}
