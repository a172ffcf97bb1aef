//! The coordinates of an entry at all levels as two numbers: one for the outer levels, whose nodes
//! are few enough to be counted individually, and one for the inner levels.

use std::borrow::Cow;

use crate::format::{LevelExpr, Map};
use crate::level::{Axes, Kind, MAX_LEVELS};

/// The largest number that fits 32 bits.
const LARGEST: usize = u32::MAX as usize;

/// The positional notation of the two numbers. Nodes of the outer levels are *buckets*.
pub(super) struct Radix {
    /// The number of levels.
    pub(super) count: usize,
    /// The number of outer levels.
    pub(super) outer: usize,
    /// The number of buckets.
    pub(super) buckets: usize,
    digits: [Digit; MAX_LEVELS],
}

/// The digit of a level's coordinate.
#[derive(Clone, Copy)]
struct Digit {
    /// The expression of the coordinate.
    expr: LevelExpr,
    /// The weight of the digit; 0 if the coordinate follows from those of other levels.
    weight: usize,
    /// The value of the expression for coordinate 0.
    first: usize,
    /// The number of coordinates, or 1 if they follow from others.
    size: usize,
    /// `true` if the number has no other digit.
    is_lone: bool,
}

impl Radix {
    /// Chooses the most outer levels that have at most `most` nodes together. Returns `None` if the
    /// inner number then does not fit 32 bits.
    pub(super) fn of(map: &Map, kinds: &[Kind], axes: &Axes, most: usize) -> Option<Radix> {
        let size = |level: usize| if kinds[level].is_derived() { 1 } else { axes[level].size };
        // The number of a bucket also fits 32 bits.
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

    /// Returns the bucket of an entry, and the number of its coordinates at the inner levels.
    pub(super) fn numbers(&self, entry: &[usize]) -> (u32, u32) {
        let number = |digits: &[Digit]| {
            digits.iter().filter(|digit| digit.weight > 0).fold(0, |number, digit| {
                number * digit.size + digit.expr.number(entry, 0).wrapping_sub(digit.first)
            }) as u32
        };
        (number(&self.digits[..self.outer]), number(&self.digits[self.outer..self.count]))
    }

    /// Returns the two numbers of entries, given an array of coordinates for each dimension.
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

    /// Returns the two dimensions that equal the two numbers, as in most matrices.
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

    /// Returns a level's coordinate, which must not follow from those of other levels.
    #[inline]
    pub(super) fn coordinate(&self, level: usize, bucket: u32, low: u32) -> u32 {
        let number = if level < self.outer { bucket } else { low };
        let Digit { weight, size, is_lone, .. } = self.digits[level];
        if is_lone { number } else { (number as usize / weight % size) as u32 }
    }

    /// Returns whether a number equals the coordinate of this level, because every other digit has
    /// a single value.
    pub(super) fn is_lone(&self, level: usize) -> bool {
        self.digits[level].is_lone
    }

    /// Returns the divisor that maps the number of an entry to its node at a level. A level whose
    /// coordinates follow from others has the divisor of the level above.
    pub(super) fn unit(&self, level: usize) -> usize {
        let weights = self.digits[..=level].iter().rev().map(|digit| digit.weight);
        weights.into_iter().find(|weight| *weight > 0).unwrap_or(1)
    }
}
