//! Workspaces: where a kernel adds up entries that do not come in order.

use std::ops::{Index, IndexMut};

use crate::{Value, Width};

/// The largest extent for which a workspace has a place for every coordinate; beyond it, entries are
/// hashed. Places that are never touched cost no memory where the system hands out zeroed pages.
const WIDEST: usize = 1 << 26;

/// Bits of a word of marks.
const WORD: usize = 64;

/// One row of a result while it is computed: values at any coordinates below an extent, and a list
/// of those coordinates, so that neither finding nor clearing them takes longer than there are
/// entries (Gustavson 1978).
///
/// `w[j] += x` enters `j` where it was not there, starting from zero. [`harvest`](Self::harvest)
/// gives what was entered in the order of the coordinates and leaves the workspace empty, so that
/// one serves for all rows.
#[derive(Clone, Debug)]
pub struct Workspace<V, C> {
    entries: Entries<V>,
    /// The coordinates that were entered, in the order in which they were.
    entered: Vec<C>,
    /// What the last harvest handed out.
    harvested: (Vec<C>, Vec<V>),
    zero: V,
}

/// Where the values are.
#[derive(Clone, Debug)]
enum Entries<V> {
    /// At their coordinates, each with a bit that tells whether it was entered.
    Places { vals: Vec<V>, marks: Vec<u64> },
    /// In the order in which they were entered, found through a hash table.
    Hashed { vals: Vec<V>, table: Table },
}

impl<V: Value, C: Width> Workspace<V, C> {
    /// An empty workspace for coordinates below `size`, which have to fit `C`.
    ///
    /// It takes memory for `size` values where there are no more than 2^26, otherwise for as many
    /// as are entered at a time.
    pub fn new(size: usize) -> Self {
        Self::of_widest(size, WIDEST)
    }

    fn of_widest(size: usize, widest: usize) -> Self {
        let zero = V::zero();
        let entries = if size <= widest {
            Entries::Places { vals: vec![zero; size], marks: vec![0; size.div_ceil(WORD)] }
        } else {
            Entries::Hashed { vals: Vec::new(), table: Table::empty(16) }
        };
        Workspace { entries, entered: Vec::new(), harvested: (Vec::new(), Vec::new()), zero }
    }

    /// Takes out what was entered: the coordinates in increasing order, and their values.
    ///
    /// Takes time for sorting the coordinates, or for looking at all marks where that is less.
    pub fn harvest(&mut self) -> (&[C], &[V]) {
        let (crd, harvested) = &mut self.harvested;
        harvested.clear();
        match &mut self.entries {
            Entries::Places { vals, marks } => {
                let count = self.entered.len();
                let comparisons = count * count.checked_ilog2().unwrap_or(0) as usize;
                if comparisons > marks.len() {
                    self.entered.clear();
                    for (k, word) in marks.iter_mut().enumerate() {
                        let mut left = std::mem::take(word);
                        while left != 0 {
                            let coordinate = k * WORD + left.trailing_zeros() as usize;
                            left &= left - 1;
                            self.entered.push(narrow(coordinate));
                            harvested.push(vals[coordinate]);
                        }
                    }
                } else {
                    self.entered.sort_unstable();
                    for coordinate in &self.entered {
                        let coordinate = coordinate.to_usize();
                        harvested.push(vals[coordinate]);
                        marks[coordinate / WORD] = 0;
                    }
                }
            }
            Entries::Hashed { vals, table } => {
                let mut order: Vec<(C, usize)> =
                    self.entered.iter().enumerate().map(|(slot, crd)| (*crd, slot)).collect();
                order.sort_unstable();
                self.entered.clear();
                for (coordinate, slot) in order {
                    self.entered.push(coordinate);
                    harvested.push(vals[slot]);
                }
                vals.clear();
                table.clear();
            }
        }
        std::mem::swap(crd, &mut self.entered);
        self.entered.clear();
        (crd, harvested)
    }
}

/// The value at a coordinate: zero where none was entered.
impl<V: Value, C: Width> Index<usize> for Workspace<V, C> {
    type Output = V;

    fn index(&self, coordinate: usize) -> &V {
        match &self.entries {
            Entries::Places { vals, marks } => {
                let is_there = marks[coordinate / WORD] >> (coordinate % WORD) & 1 != 0;
                if is_there { &vals[coordinate] } else { &self.zero }
            }
            Entries::Hashed { vals, table } => match table.find(&self.entered, coordinate) {
                Ok(slot) => &vals[slot],
                Err(_) => &self.zero,
            },
        }
    }
}

/// The value at a coordinate, which is entered where it was not yet.
impl<V: Value, C: Width> IndexMut<usize> for Workspace<V, C> {
    #[inline(always)]
    fn index_mut(&mut self, coordinate: usize) -> &mut V {
        match &mut self.entries {
            Entries::Places { vals, marks } => {
                let value = &mut vals[coordinate];
                let (word, bit) = (&mut marks[coordinate / WORD], 1 << (coordinate % WORD));
                if *word & bit == 0 {
                    *word |= bit;
                    *value = self.zero;
                    self.entered.push(narrow(coordinate));
                }
                value
            }
            Entries::Hashed { vals, table } => {
                hashed(vals, table, &mut self.entered, coordinate, self.zero)
            }
        }
    }
}

/// The value of a coordinate that is hashed.
#[cold]
#[inline(never)]
fn hashed<'v, V: Value, C: Width>(
    vals: &'v mut Vec<V>,
    table: &mut Table,
    entered: &mut Vec<C>,
    coordinate: usize,
    zero: V,
) -> &'v mut V {
    let slot = table.find(entered, coordinate).unwrap_or_else(|place| {
        entered.push(narrow(coordinate));
        vals.push(zero);
        table.places[place] = entered.len();
        table.grow(entered);
        entered.len() - 1
    });
    &mut vals[slot]
}

/// A table of slots, one more each, at the first free place behind the hash of what they hold; 0 is
/// a free place. Its length is a power of two, and half of it is free.
#[derive(Clone, Debug)]
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

/// A coordinate in its width, which whoever made the workspace knows to hold it.
#[inline(always)]
fn narrow<C: Width>(coordinate: usize) -> C {
    C::try_from_usize(coordinate).unwrap_or(C::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Enters the same in a workspace and in a map, several times over.
    fn check(size: usize, widest: usize, counts: &[usize]) {
        let mut workspace = Workspace::<i64, u32>::of_widest(size, widest);
        let mut state = 7_usize;
        for count in counts {
            let mut expected: BTreeMap<u32, i64> = BTreeMap::new();
            for k in 0..*count {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let coordinate = (state >> 33) % size;
                workspace[coordinate] += k as i64;
                *expected.entry(coordinate as u32).or_default() += k as i64;
                assert_eq!(workspace[coordinate], expected[&(coordinate as u32)]);
            }
            let absent = (0..size).find(|c| !expected.contains_key(&(*c as u32)));
            assert_eq!(absent.map_or(0, |absent| workspace[absent]), 0);
            let (crd, vals) = workspace.harvest();
            let harvested: Vec<_> = crd.iter().copied().zip(vals.iter().copied()).collect();
            assert_eq!(harvested, expected.into_iter().collect::<Vec<_>>());
        }
        assert_eq!(workspace.harvest(), (&[][..], &[][..]));
    }

    #[test]
    fn a_harvest_is_in_order_and_leaves_nothing() {
        for widest in [0, usize::MAX] {
            check(5, widest, &[0, 1, 20, 3]);
            check(1000, widest, &[3, 0, 5000, 4, 70]);
            check(70_000, widest, &[300, 20_000, 1]);
        }
    }

    #[test]
    fn wide_extents_take_no_memory() {
        let mut workspace = Workspace::<f64, u64>::new(1 << 50);
        for coordinate in [1 << 49, 3, 1 << 40, 3] {
            workspace[coordinate] += 1.0;
        }
        assert_eq!(workspace.harvest(), (&[3, 1 << 40, 1 << 49][..], &[2.0, 1.0, 1.0][..]));
    }

    #[test]
    fn what_cancels_is_there_all_the_same() {
        let mut workspace = Workspace::<f64, u32>::new(4);
        workspace[2] += 1.0;
        workspace[2] += -1.0;
        assert_eq!(workspace.harvest(), (&[2][..], &[0.0][..]));
    }
}
