//! Coordinates of an entry at all levels as two numbers: one for the outer levels, whose nodes are
//! few enough to be counted one by one, and one for the others.

use std::borrow::Cow;

use crate::format::{LevelExpr, Map};
use crate::level::{Axes, Kind, MAX_LEVELS};

/// The largest number that fits 32 bits.
const LARGEST: usize = u32::MAX as usize;

/// How the coordinates of an entry make up two numbers. Nodes of the outer levels are *buckets*.
pub(super) struct Radix {
    /// How many levels there are.
    pub(super) count: usize,
    /// How many levels are outer ones.
    pub(super) outer: usize,
    /// How many buckets there are.
    pub(super) buckets: usize,
    digits: [Digit; MAX_LEVELS],
}

/// How a level's coordinate stands in its number.
#[derive(Clone, Copy)]
struct Digit {
    /// Which function of an entry the coordinate is.
    expr: LevelExpr,
    /// What a coordinate counts for; 0 where it follows from those of other levels.
    weight: usize,
    /// The number that stands for the coordinate 0.
    first: usize,
    /// How many coordinates there are, or 1 where they follow from others.
    size: usize,
    /// There is nothing else in the number.
    is_lone: bool,
}

impl Radix {
    /// The most outer levels that have no more than `most` nodes together; `None` where the other
    /// number does not fit 32 bits then.
    pub(super) fn of(map: &Map, kinds: &[Kind], axes: &Axes, most: usize) -> Option<Radix> {
        let size = |level: usize| if kinds[level].is_derived() { 1 } else { axes[level].size };
        // The number of a bucket fits 32 bits too.
        let most = most.min(LARGEST);
        let (mut outer, mut buckets) = (0, 1_usize);
        while outer < kinds.len() {
            match buckets.checked_mul(size(outer)).filter(|count| *count <= most) {
                Some(count) => buckets = count,
                None => break,
            }
            outer += 1;
        }
        let expr = LevelExpr::Dimension(0);
        let mut digits = [Digit { expr, weight: 0, first: 0, size: 1, is_lone: false }; MAX_LEVELS];
        let mut counts = [1_usize; 2];
        for level in (0..kinds.len()).rev() {
            let (digit, count) = (&mut digits[level], &mut counts[usize::from(level >= outer)]);
            (digit.first, digit.size) = (axes[level].first as usize, size(level));
            digit.expr = map.levels[level].expr;
            if !kinds[level].is_derived() {
                digit.weight = *count;
            }
            *count = count.checked_mul(digit.size)?;
        }
        for (level, digit) in digits.iter_mut().enumerate() {
            let count = counts[usize::from(level >= outer)];
            digit.is_lone = digit.weight == 1 && digit.size == count;
        }
        let count = kinds.len();
        (counts[1].saturating_sub(1) <= LARGEST).then_some(Radix { count, outer, buckets, digits })
    }

    /// The bucket of an entry, and the number of its coordinates at the other levels.
    pub(super) fn numbers(&self, entry: &[usize]) -> (u32, u32) {
        let number = |digits: &[Digit]| {
            digits.iter().filter(|digit| digit.weight > 0).fold(0, |number, digit| {
                number * digit.size + digit.expr.number(entry, 0).wrapping_sub(digit.first)
            }) as u32
        };
        (number(&self.digits[..self.outer]), number(&self.digits[self.outer..self.count]))
    }

    /// The numbers of entries whose coordinates in each dimension are in arrays.
    pub(super) fn columns<'a>(&self, mut dimensions: Vec<Cow<'a, [u32]>>) -> [Cow<'a, [u32]>; 2] {
        if let Some(pair) = self.pair() {
            return pair.map(|dimension| std::mem::take(&mut dimensions[dimension]));
        }
        let mut entry = vec![0; dimensions.len()];
        let entries = 0..dimensions.first().map_or(0, |column| column.len());
        let numbers = entries.map(|index| {
            for (coordinate, column) in entry.iter_mut().zip(&dimensions) {
                *coordinate = column[index] as usize;
            }
            self.numbers(&entry)
        });
        let (buckets, low): (Vec<u32>, Vec<u32>) = numbers.unzip();
        [buckets.into(), low.into()]
    }

    /// The dimensions that are the two numbers as they are, as in most matrices.
    pub(super) fn pair(&self) -> Option<[usize; 2]> {
        let [bucket, low] = &self.digits[..self.count] else { return None };
        match (bucket.expr, low.expr) {
            (LevelExpr::Dimension(first), LevelExpr::Dimension(second))
                if self.outer == 1 && bucket.is_lone && low.is_lone =>
            {
                Some([first, second])
            }
            _ => None,
        }
    }

    /// A level's coordinate. It does not follow from others'.
    #[inline]
    pub(super) fn coordinate(&self, level: usize, bucket: u32, low: u32) -> u32 {
        let number = if level < self.outer { bucket } else { low };
        let Digit { weight, size, is_lone, .. } = self.digits[level];
        if is_lone { number } else { (number as usize / weight % size) as u32 }
    }

    /// Whether a number is nothing but the coordinate of this level, as all others that it is made of
    /// have a single coordinate.
    pub(super) fn is_lone(&self, level: usize) -> bool {
        self.digits[level].is_lone
    }

    /// What the number of an entry is divided by to tell the nodes of a level apart. Those of a level
    /// whose coordinates follow from others' are told apart as those of the level above are.
    pub(super) fn unit(&self, level: usize) -> usize {
        let weights = self.digits[..=level].iter().rev().map(|digit| digit.weight);
        weights.into_iter().find(|weight| *weight > 0).unwrap_or(1)
    }
}
