//! `bitmap`: a bit for every coordinate under every parent.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, listing, repeated};

/// A level with a position for every coordinate, like a dense one, and a bit for each position.
/// `parent` has a child with coordinate `i`, at position `p = parent * size + i`, if bit `p % 64`
/// of `bits[p / 64]` is set, counted from the least significant bit.
///
/// Values at positions whose bit is not set are ignored.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : bitmap)`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map =
///         Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "bitmap")]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::Bitmap);
/// }
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 3], entries)?;
/// let columns = &a.levels().1;
/// // Columns 1 of row 0, and 0 and 2 of row 1.
/// assert_eq!(columns.bits, [0b101_010]);
/// assert_eq!(a.get([1, 2]), Some(4.0));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bitmap {
    /// The number of coordinates: the dimension's extent, or the largest count of a level over
    /// `#i`.
    pub size: usize,
    /// A bit per position, followed by zeros up to a multiple of 64.
    pub bits: Vec<u64>,
}

/// A borrowed [`Bitmap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapView<'a> {
    /// The number of coordinates: the dimension's extent, or the largest count of a level over
    /// `#i`.
    pub size: usize,
    /// A bit per position, followed by zeros up to a multiple of 64.
    pub bits: &'a [u64],
}

// SAFETY: `build` makes as many bits as there are parents times coordinates, and sets only those of
// nodes.
unsafe impl Level for Bitmap {
    const KIND: Kind = Kind::new("bitmap");

    type View<'a> = BitmapView<'a>;

    fn view(&self) -> BitmapView<'_> {
        BitmapView { size: self.size, bits: &self.bits }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let size = axis.size;
        let count = parents.checked_mul(size).ok_or(Fault::Size)?;
        let mut bits = repeated(0, count.div_ceil(64))?;
        let set = |(parent, coordinate)| {
            let position: usize = parent * size + coordinate;
            bits[position / 64] |= 1 << (position % 64);
            position
        };
        let positions = nodes.map(set).collect();
        Ok((Bitmap { size, bits }, positions))
    }

    fn insert(
        axis: &Axis,
        parents: usize,
        positions: &mut [u32],
        coords: &[u32],
    ) -> Option<Result<Self, Fault>> {
        let inserted = listing::number(axis, parents, positions, coords).and_then(|()| {
            let mut bits = repeated(0, (parents * axis.size).div_ceil(64))?;
            for position in positions {
                bits[*position as usize / 64] |= 1 << (*position % 64);
            }
            Ok(Bitmap { size: axis.size, bits })
        });
        Some(inserted)
    }
}

// SAFETY: coordinates are below `size`, which is the size of the axis, and so positions are below
// the number of parents times `size`; `validate` checks that there is a bit for each.
unsafe impl LevelView for BitmapView<'_> {
    fn children(&self, _: &Axis, parents: usize) -> Option<usize> {
        parents.checked_mul(self.size)
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        let counted = if axis.counted { added } else { 0 };
        parents.checked_mul(self.size.checked_add(counted)?)
    }

    fn expand(&self, _: &Axis, _: Node<'_>) -> Range<usize> {
        0..self.size
    }

    fn child(&self, _: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let position = parent.position * self.size + slot;
        let is_set = self.bits[position / 64] >> (position % 64) & 1 == 1;
        is_set.then_some((slot, position))
    }

    fn listing(&self, _: &Axis) -> Option<Listing<'_>> {
        let slots = self.bits.len() * 64;
        u32::try_from(slots).ok()?;
        let coordinate = |slot: usize| match self.bits[slot / 64] >> (slot % 64) & 1 {
            1 => (slot % self.size) as u32,
            _ => u32::MAX,
        };
        Some(Listing::Slots { count: self.size, crd: (0..slots).map(coordinate).collect() })
    }

    fn locate(&self, _: &Axis, _: Node<'_>, coordinate: usize) -> Range<usize> {
        if coordinate < self.size { coordinate..coordinate + 1 } else { 0..0 }
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.is_size(self.size)?;
        let count = self.children(axis, parents.count()).ok_or(Fault::Size)?;
        let (words, expected) = (self.bits.len(), count.div_ceil(64));
        if words != expected {
            let reason = format!("`bits` has {words} elements, {count} positions need {expected}");
            return Err(Fault::broken(words, reason));
        }
        match self.bits.last() {
            Some(last) if count % 64 > 0 && last >> (count % 64) != 0 => {
                let reason = format!("a bit is set beyond the last of {count} positions");
                Err(Fault::broken(words - 1, reason))
            }
            Some(_) | None => Ok(count),
        }
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        let bits = self.bits.iter().map(|word| *word as usize).collect();
        vec![("size", vec![self.size]), ("bits", bits)]
    }
}
