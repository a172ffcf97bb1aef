//! A level defined outside the crate: a bitmap, which has unused positions.

mod common;

use std::ops::Range;

use common::{Random, check, declare, sums};
use sparsegen::level::{Axis, Compressed, Dense, Fault, Kind, Level, LevelView, Node, Parents};
use sparsegen::{Csr, Error, Tensor};

/// A flag per parent and coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Bitmap {
    size: usize,
    flags: Vec<bool>,
}

/// The borrowed flags.
#[derive(Clone, Copy, Debug)]
pub struct BitmapView<'a> {
    size: usize,
    flags: &'a [bool],
}

// SAFETY: `build` stores a flag for each parent and coordinate.
unsafe impl Level for Bitmap {
    const KIND: Kind = Kind::new("bitmap");

    type View<'a> = BitmapView<'a>;

    fn view(&self) -> BitmapView<'_> {
        BitmapView { size: self.size, flags: &self.flags }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let size = axis.size;
        let mut flags = vec![false; parents.checked_mul(size).ok_or(Fault::Size)?];
        let mut positions = Vec::new();
        for (parent, coordinate) in nodes {
            positions.push(parent * size + coordinate);
            flags[parent * size + coordinate] = true;
        }
        Ok((Bitmap { size, flags }, positions))
    }
}

// SAFETY: `validate` checks the number of flags, and positions are indices of flags.
unsafe impl LevelView for BitmapView<'_> {
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        Some(self.flags.len())
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        parent.position * self.size..(parent.position + 1) * self.size
    }

    fn child(&self, _: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        self.flags[slot].then_some((slot - parent.position * self.size, slot))
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        let (found, expected) = (self.flags.len(), parents.count().checked_mul(axis.size));
        if self.size != axis.size || Some(found) != expected {
            let reason = format!("{found} flags for {} parents", parents.count());
            return Err(Fault::Broken { index: found, reason });
        }
        Ok(found)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("flags", self.flags.iter().map(|&flag| usize::from(flag)).collect())]
    }
}

declare! {
    BitmapRows = "bitmap_rows", 2 { 0: "dense", Dense; 1: "bitmap", Bitmap; }
    BitmapOuter = "bitmap_outer", 2 { 1: "bitmap", Bitmap; 0: "compressed", Compressed; }
}

#[test]
fn tensors_store_it_like_any_other() {
    let mut random = Random(5);
    for round in 0..60 {
        let shape: [usize; 2] = random.shape();
        let entries = random.entries(shape, round);
        let sums = sums(&entries);
        let rows = Tensor::<i64, BitmapRows>::from_triplets(shape, entries).unwrap();
        let outer = rows.to::<BitmapOuter>().unwrap();
        for (coordinate, value) in &sums {
            let coordinate = [coordinate[0], coordinate[1]];
            assert_eq!((rows.get(coordinate), outer.get(coordinate)), (Some(*value), Some(*value)));
        }
        assert_eq!(rows.iter().count(), sums.len());
        check(&outer, &sums);
        check(&rows.to::<Csr>().unwrap(), &sums);
    }
}

#[test]
fn its_faults_name_the_level() {
    let levels = (Dense { size: 2 }, Bitmap { size: 2, flags: vec![true; 3] });
    let error = Tensor::<i64, BitmapRows>::from_parts([2, 2], levels, vec![1; 3]).unwrap_err();
    let (format, reason) = ("bitmap_rows", "3 flags for 2 parents".to_owned());
    assert_eq!(error, Error::Level { format, level: 2, index: 3, reason });
}

#[test]
fn entries_are_changed_at_once_without_a_bound_of_the_level() {
    let mut random = Random(6);
    for round in 0..30 {
        let shape: [usize; 2] = random.shape();
        let entries = random.entries(shape, round);
        let mut rows = Tensor::<i64, BitmapRows>::zeros(shape).unwrap();
        for (coordinate, value) in &entries {
            rows.add_at(*coordinate, *value).unwrap();
        }
        check(&rows, &sums(&entries));
    }
}
