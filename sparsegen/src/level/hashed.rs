//! `hashed`: a hash table per parent.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing, repeated, widened,
};
use crate::Width;

/// A level that stores the coordinates of the children of each parent in a bucket of `width` slots
/// of `crd`. The coordinate `i` is in the first slot that was empty when it was inserted, from `i
/// mod width` on, wrapping at the end of the bucket. The position of a child is its slot.
///
/// Every bucket has an empty slot, at which a search ends. Values at the positions of empty slots
/// are ignored.
///
/// Building sizes the buckets for the parent with the most children: their width is the smallest
/// power of two that is at least twice that number, or 1 if no parent has children.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : hashed)`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map =
///         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "hashed")]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Hashed);
/// }
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 3], entries)?;
/// let columns = &a.levels().1;
/// assert_eq!((columns.width, columns.crd.len()), (4, 8));
/// assert!(columns.crd[4..].contains(&2) && columns.crd[4..].contains(&u32::MAX));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hashed<C = u32> {
    /// The number of slots per parent.
    pub width: usize,
    /// The coordinate in each slot: `parent * width..(parent + 1) * width` are the slots of
    /// `parent`. The largest number of the integer type marks an empty slot.
    pub crd: Vec<C>,
}

/// A borrowed [`Hashed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashedView<'a, C = u32> {
    /// The number of slots per parent.
    pub width: usize,
    /// The coordinate in each slot: `parent * width..(parent + 1) * width` are the slots of
    /// `parent`. The largest number of the integer type marks an empty slot.
    pub crd: &'a [C],
}

// SAFETY: `build` inserts each node into the first empty slot of its probe sequence, in a bucket
// with at least twice as many slots as nodes, and checks that coordinates differ from the mark.
unsafe impl<C: Width> Level for Hashed<C> {
    const KIND: Kind = Kind::new("hashed").nonordered().list();

    type View<'a> = HashedView<'a, C>;

    fn view(&self) -> HashedView<'_, C> {
        HashedView { width: self.width, crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        fits_beside_mark::<C>(axis)?;
        let nodes: Vec<(usize, usize)> = nodes.collect();
        let siblings = || nodes.chunk_by(|(a, _), (b, _)| a == b);
        let fullest = if axis.properties.full && parents > 0 { axis.size } else { 0 };
        let fullest = siblings().map(<[_]>::len).max().unwrap_or(0).max(fullest);
        let slots = fullest.checked_mul(2).and_then(usize::checked_next_power_of_two);
        let width = slots.ok_or(Fault::Size)?;
        let crd = repeated(C::MAX, parents.checked_mul(width).ok_or(Fault::Size)?)?;
        let mut level = Hashed { width, crd };
        let mut positions = Vec::with_capacity(nodes.len());
        for &(parent, coordinate) in &nodes {
            positions.push(level.insert(axis, parent, coordinate)?);
        }
        if axis.properties.full {
            level.fill(axis, parents)?;
        }
        Ok((level, positions))
    }
}

impl<C: Width> Hashed<C> {
    /// Inserts a coordinate into the first empty slot of its probe sequence; returns its position.
    fn insert(&mut self, axis: &Axis, parent: usize, coordinate: usize) -> Result<usize, Fault> {
        let probes = self.view().probes(axis, parent, coordinate);
        let position = parent * self.width + probes.end % self.width;
        self.crd[position] = axis.stored(coordinate)?;
        Ok(position)
    }

    /// Adds the missing coordinates of each parent.
    fn fill(&mut self, axis: &Axis, parents: usize) -> Result<(), Fault> {
        for parent in 0..parents {
            for coordinate in 0..axis.size {
                let view = self.view();
                let mut probes = view.probes(axis, parent, coordinate);
                if probes.all(|slot| view.coordinate(axis, parent, slot) != Some(coordinate)) {
                    self.insert(axis, parent, coordinate)?;
                }
            }
        }
        Ok(())
    }
}

/// Checks that the integer type holds every coordinate and a larger number, the mark of empty
/// slots.
fn fits_beside_mark<C: Width>(axis: &Axis) -> Result<(), Fault> {
    axis.fits::<C>()?;
    let mark = axis.first as i128 + axis.size as i128;
    if axis.size == 0 || axis.counted || mark <= C::LARGEST as i128 {
        return Ok(());
    }
    let what = "coordinates and the mark of an empty slot";
    Err(Fault::width::<C>(what, mark, axis.first as i128, mark))
}

impl<C: Width> HashedView<'_, C> {
    /// Returns the first slot of the probe sequence of a coordinate.
    fn home(&self, axis: &Axis, coordinate: usize) -> usize {
        // The slot depends on the stored number, not on its distance from the first one.
        if axis.first == 0 {
            return crate::kernel::wrap(coordinate, self.width);
        }
        (coordinate as isize + axis.first).rem_euclid(self.width as isize) as usize
    }

    /// Returns the slots of the probe sequence of a coordinate up to the first empty one. They
    /// continue beyond the end of the bucket, modulo its width.
    fn probes(&self, axis: &Axis, parent: usize, coordinate: usize) -> Range<usize> {
        let bucket = &self.crd[parent * self.width..][..self.width];
        let home = self.home(axis, coordinate);
        let used = bucket[home..].iter().chain(&bucket[..home]).take_while(|c| **c != C::MAX);
        home..home + used.count()
    }

    /// Returns the coordinate in a slot, if it is used.
    fn coordinate(&self, axis: &Axis, parent: usize, slot: usize) -> Option<usize> {
        let stored = self.crd[parent * self.width + slot % self.width];
        (stored != C::MAX).then(|| axis.coordinate(stored))
    }

    /// Checks the bucket of a parent; `scratch` is a buffer for its coordinates.
    fn validate_bucket(
        &self,
        axis: &Axis,
        parent: usize,
        scratch: &mut Vec<C>,
    ) -> Result<(), Fault> {
        let (width, start) = (self.width, parent * self.width);
        let bucket = &self.crd[start..][..width];
        let Some(empty) = bucket.iter().position(|c| *c == C::MAX) else {
            let reason = format!("none of the {width} slots are empty, so a search cannot end");
            return Err(Fault::broken(start, reason));
        };
        // Starting at an empty slot and wrapping at the end, a search passes the entries since the
        // last empty slot.
        let mut passed = 0;
        for slot in (empty..width).chain(0..empty) {
            let stored = bucket[slot];
            if stored == C::MAX {
                passed = 0;
                continue;
            }
            axis.contains(stored, start + slot)?;
            let home = self.home(axis, axis.coordinate(stored));
            if (slot + width - home) % width > passed {
                let reason = format!(
                    "a search for coordinate {stored:?} begins in slot {home} of {width} and ends \
                     before this one, as a slot between is empty"
                );
                return Err(Fault::broken(start + slot, reason));
            }
            passed += 1;
        }
        scratch.clear();
        scratch.extend(bucket.iter().filter(|c| **c != C::MAX));
        if axis.properties.unique || axis.properties.full {
            scratch.sort_unstable();
        }
        if axis.properties.unique
            && let Some(pair) = scratch.windows(2).find(|pair| pair[0] == pair[1])
        {
            let copies = bucket.iter().enumerate().filter(|(_, c)| **c == pair[0]);
            let second = copies.map(|(slot, _)| slot).nth(1).unwrap_or(0);
            let reason = format!("coordinate {:?} is repeated in a unique level", pair[0]);
            return Err(Fault::broken(start + second, reason));
        }
        if axis.properties.full {
            scratch.dedup();
            axis.is_full(scratch.len(), start)?;
        }
        Ok(())
    }
}

// SAFETY: `validate` checks that there is a bucket for each parent, that coordinates are below the
// size of the axis and in their probe sequence, and that every search ends.
unsafe impl<C: Width> LevelView for HashedView<'_, C> {
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        Some(self.crd.len())
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        // Twice the number of children, rounded up to a power of two.
        let width = self.width.checked_add(added)?.checked_mul(4)?;
        let most = axis.size.max(1).saturating_mul(4);
        if axis.counted { None } else { parents.checked_mul(width.min(most)) }
    }

    fn expand(&self, _: &Axis, _: Node<'_>) -> Range<usize> {
        0..self.width
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let coordinate = self.coordinate(axis, parent.position, slot)?;
        Some((coordinate, parent.position * self.width + slot % self.width))
    }

    fn listing(&self, axis: &Axis) -> Option<Listing<'_>> {
        let crd = listing::narrow_slots(axis, self.crd)?;
        Some(Listing::Slots { count: self.width, crd })
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> Range<usize> {
        self.probes(axis, parent.position, coordinate)
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        fits_beside_mark::<C>(axis)?;
        let (slots, count, width) = (self.crd.len(), parents.count(), self.width);
        if width == 0 {
            return Err(Fault::broken(0, "buckets have no slots, and need one that is empty"));
        }
        if count.checked_mul(width) != Some(slots) {
            let reason = format!("`crd` has {slots} elements for {count} buckets of {width} slots");
            return Err(Fault::broken(slots, reason));
        }
        let mut scratch = Vec::new();
        for parent in 0..count {
            self.validate_bucket(axis, parent, &mut scratch)?;
        }
        Ok(slots)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("width", vec![self.width]), ("crd", widened(self.crd))]
    }
}
