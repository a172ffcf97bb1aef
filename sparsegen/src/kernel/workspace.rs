//! Workspaces: accumulators for entries that are not computed in order.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Add, Index, IndexMut};

use crate::{Value, Width, memory};

pub use accumulator::Accumulator;
use hashed::Hashed;

mod accumulator;
mod hashed;

/// The largest extent of a workspace with an array element for each coordinate; wider workspaces
/// use a hash table. Elements that are never touched take no memory if the system provides zeroed
/// pages.
const WIDEST: usize = 1 << 26;

/// The number of bits of a word of marks.
const WORD: usize = 64;

/// One row of a result while it is computed: values at any coordinates below an extent, and a list
/// of these coordinates, so that reading and clearing the entries takes time proportional to their
/// number (Gustavson 1978).
///
/// `w[j] += x` inserts `j` if it is absent, with the initial value, which is zero by default.
/// [`harvest`](Self::harvest) returns the entries in the order of their coordinates and empties the
/// workspace, so that one workspace serves all rows.
///
/// The fields that inner loops access are scalars of this struct, which compilers keep in registers
/// as long as no reference to them escapes; all others are behind a pointer.
#[derive(Debug)]
pub struct Workspace<V, C> {
    /// The value at each coordinate, the initial value if it is absent. Empty if entries are
    /// hashed.
    vals: Vec<V>,
    /// A bit for each coordinate, set if the coordinate is present.
    marks: Vec<u64>,
    /// The present coordinates in the order of insertion: the first `count` elements, which are
    /// initialized. The capacity suffices for every coordinate.
    entered: Vec<C>,
    count: usize,
    /// A bit for each word of marks, used by harvests.
    groups: Vec<u64>,
    /// The values that the last harvest returned.
    harvested: Vec<V>,
    /// The initial value of entries.
    initial: V,
    /// A hash table in place of these arrays, if there are too many coordinates.
    hashed: Option<Box<Hashed<V, C>>>,
}

impl<V: Value, C: Width> Workspace<V, C> {
    /// Creates an empty workspace for coordinates below `size`, which must fit `C`.
    ///
    /// Allocates memory for `size` values if there are at most 2^26, otherwise for as many as are
    /// present at a time.
    #[inline(always)]
    pub fn new(size: usize) -> Self {
        Self::of_widest(size, WIDEST, V::ZERO)
    }

    /// Creates a workspace like [`new`](Self::new), with another initial value than zero. Takes
    /// time proportional to `size` if entries are not hashed.
    #[inline(always)]
    pub fn starting(size: usize, initial: V) -> Self {
        Self::of_widest(size, WIDEST, initial)
    }

    /// Creates an empty workspace for any coordinates that fit `C`, which are hashed.
    ///
    /// Allocates memory for as many entries as are present at a time.
    pub fn hashed(initial: V) -> Self {
        Self::of_widest(usize::MAX, 0, initial)
    }

    #[inline(always)]
    fn of_widest(size: usize, widest: usize, initial: V) -> Self {
        let has_places = size <= widest && memory::has_room::<V>(size);
        let (places, hashed) =
            if has_places { (size, None) } else { (0, Some(Box::new(Hashed::new(initial)))) };
        let words = places.div_ceil(WORD);
        Workspace {
            vals: vec![initial; places],
            marks: vec![0; words],
            entered: Vec::with_capacity(places),
            count: 0,
            groups: vec![0; words.div_ceil(WORD)],
            harvested: Vec::new(),
            initial,
            hashed,
        }
    }

    /// Returns whether this workspace, which is empty, is one for coordinates below `size`.
    pub(super) fn fits(&self, size: usize, initial: V) -> bool {
        self.initial == initial
            && (size <= self.vals.len() || size > WIDEST && self.hashed.is_some())
    }

    /// Returns whether this workspace, which is empty, is a hash table.
    pub(super) fn is_hashed(&self, initial: V) -> bool {
        self.initial == initial && self.hashed.is_some()
    }

    /// Returns a workspace for coordinates below `size`, which is at most the present size.
    pub(super) fn shortened(mut self, size: usize) -> Self {
        if self.hashed.is_none() {
            self.groups.resize(size.div_ceil(WORD).div_ceil(WORD), 0);
        }
        self
    }

    /// Adds to the value at a coordinate, which is inserted with the initial value if it is absent.
    ///
    /// Unlike `w[j] += x`, this leaves `x` in a register: no code of the caller follows the call for
    /// entries that are hashed.
    #[inline(always)]
    pub fn add(&mut self, coordinate: usize, value: V)
    where
        V: Add<Output = V>,
    {
        if coordinate >= self.vals.len() {
            return add_beyond(self.hashed.as_deref_mut(), coordinate, value);
        }
        let sum = &mut self[coordinate];
        *sum = *sum + value;
    }

    /// Returns the number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.hashed.as_ref().map_or(self.count, |hashed| hashed.len())
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a coordinate is present.
    #[inline(always)]
    pub fn contains(&self, coordinate: usize) -> bool {
        if coordinate >= self.vals.len() {
            return hashed(self.hashed.as_deref(), coordinate).contains(coordinate);
        }
        // SAFETY: `of_widest` allocated a bit for each coordinate below the length of `vals`.
        let mark = unsafe { *self.marks.get_unchecked(coordinate / WORD) };
        mark >> (coordinate % WORD) & 1 != 0
    }

    /// Removes all entries, in time proportional to their number.
    #[inline(always)]
    pub fn clear(&mut self) {
        if let Some(hashed) = &mut self.hashed {
            return hashed.clear();
        }
        let count = core::mem::take(&mut self.count);
        debug_assert!(count <= self.entered.capacity());
        // SAFETY: `index_mut` has written the first `count` elements, which are within the
        // capacity.
        let entered = unsafe { core::slice::from_raw_parts(self.entered.as_ptr(), count) };
        let (vals, marks) = (&mut self.vals[..], &mut self.marks[..]);
        for coordinate in entered {
            let coordinate = coordinate.to_usize();
            debug_assert!(coordinate < vals.len());
            // SAFETY: `index_mut` has entered only coordinates below the length of `vals`, and
            // `of_widest` allocated a bit for each of them.
            unsafe {
                *vals.get_unchecked_mut(coordinate) = self.initial;
                *marks.get_unchecked_mut(coordinate / WORD) = 0;
            }
        }
    }

    /// Removes all entries and returns their coordinates, in increasing order, and their values.
    ///
    /// Sorts the coordinates, or scans the marks if that takes less time.
    #[inline(always)]
    pub fn harvest(&mut self) -> (&[C], &[V]) {
        if let Some(hashed) = &mut self.hashed {
            return hashed.harvest();
        }
        let count = core::mem::take(&mut self.count);
        debug_assert!(count <= self.entered.capacity());
        // SAFETY: `index_mut` has written the first `count` elements, which are within the
        // capacity.
        let entered = unsafe { core::slice::from_raw_parts_mut(self.entered.as_mut_ptr(), count) };
        self.harvested.clear();
        let places = (&mut self.vals[..], self.initial);
        collect(entered, places, &mut self.marks, &mut self.groups, &mut self.harvested);
        (entered, &self.harvested)
    }
}

/// Sorts the present coordinates, takes their values, and clears their marks.
#[inline(never)]
fn collect<V: Value, C: Width>(
    entered: &mut [C],
    (vals, initial): (&mut [V], V),
    marks: &mut [u64],
    groups: &mut [u64],
    harvested: &mut Vec<V>,
) {
    let count = entered.len();
    let Some(first) = entered.first() else { return };
    let ends = entered.iter().fold((*first, *first), |(least, largest), coordinate| {
        (least.min(*coordinate), largest.max(*coordinate))
    });
    let words = ends.0.to_usize() / WORD..ends.1.to_usize() / WORD + 1;
    let comparisons = count * count.ilog2() as usize;
    if words.len() <= count {
        list(words, marks, entered);
    } else if count < 24 || comparisons < groups.len() {
        entered.sort_unstable();
        entered.iter().for_each(|coordinate| marks[coordinate.to_usize() / WORD] = 0);
    } else {
        for coordinate in entered.iter() {
            let word = coordinate.to_usize() / WORD;
            groups[word / WORD] |= 1 << (word % WORD);
        }
        let words = groups.iter_mut().enumerate().flat_map(|(group, words)| {
            Bits(core::mem::take(words)).map(move |word| group * WORD + word)
        });
        list(words, marks, entered);
    }
    let take = |coordinate: &C| core::mem::replace(&mut vals[coordinate.to_usize()], initial);
    harvested.extend(entered.iter().map(take));
}

/// Lists the coordinates that are marked in words, and clears these.
#[inline(always)]
fn list<C: Width>(words: impl Iterator<Item = usize>, marks: &mut [u64], entered: &mut [C]) {
    let mut places = entered.iter_mut();
    for word in words {
        for (bit, place) in Bits(core::mem::take(&mut marks[word])).zip(&mut places) {
            *place = narrow(word * WORD + bit);
        }
    }
}

/// An iterator over the numbers of the set bits, in increasing order.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

/// Returns the value at a coordinate, or zero if it is absent.
impl<V: Value, C: Width> Index<usize> for Workspace<V, C> {
    type Output = V;

    #[inline(always)]
    fn index(&self, coordinate: usize) -> &V {
        match self.vals.get(coordinate) {
            Some(value) => value,
            None => hashed(self.hashed.as_deref(), coordinate).value(coordinate),
        }
    }
}

/// Returns the value at a coordinate, and inserts the coordinate if it is absent.
impl<V: Value, C: Width> IndexMut<usize> for Workspace<V, C> {
    #[inline(always)]
    fn index_mut(&mut self, coordinate: usize) -> &mut V {
        if coordinate >= self.vals.len() {
            return beyond(self.hashed.as_deref_mut(), coordinate);
        }
        // SAFETY: `of_widest` allocated an element and a bit for each coordinate below the length
        // of `vals`, and capacity for all of them in `entered`. Each coordinate is inserted once,
        // and this one is not marked, so `count` is below the capacity.
        unsafe {
            let mark = self.marks.get_unchecked_mut(coordinate / WORD);
            let bit = 1 << (coordinate % WORD);
            if *mark & bit == 0 {
                *mark |= bit;
                self.entered.as_mut_ptr().add(self.count).write(narrow(coordinate));
                self.count += 1;
            }
            self.vals.get_unchecked_mut(coordinate)
        }
    }
}

/// Returns the hash table with the entries of a coordinate that has no array element.
#[cold]
#[inline(never)]
fn hashed<V, C>(hashed: Option<&Hashed<V, C>>, coordinate: usize) -> &Hashed<V, C> {
    let outside = || panic!("coordinate {coordinate} lies outside the extent of the workspace");
    hashed.unwrap_or_else(outside)
}

/// Returns the value at a coordinate that has no array element.
#[cold]
#[inline(never)]
fn beyond<V: Value, C: Width>(hashed: Option<&mut Hashed<V, C>>, coordinate: usize) -> &mut V {
    match hashed {
        Some(hashed) => hashed.enter(coordinate),
        None => panic!("coordinate {coordinate} lies outside the extent of the workspace"),
    }
}

/// Adds to the value at a coordinate that has no array element.
#[cold]
#[inline(never)]
fn add_beyond<V: Value + Add<Output = V>, C: Width>(
    hashed: Option<&mut Hashed<V, C>>,
    coordinate: usize,
    value: V,
) {
    let sum = beyond(hashed, coordinate);
    *sum = *sum + value;
}

/// Converts a coordinate to its type, which holds every coordinate of the workspace.
#[inline(always)]
fn narrow<C: Width>(coordinate: usize) -> C {
    C::try_from_usize(coordinate).unwrap_or(C::MAX)
}

#[cfg(test)]
mod tests;
