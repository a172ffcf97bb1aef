//! The coordinates that a rank needs.

use std::ops::Range;

/// The coordinates of a variable that a rank needs.
#[derive(Clone, Debug)]
pub(super) enum Needed {
    /// All, with their numbers in the whole mode.
    All,
    /// Those of a range, numbered from its start.
    Range(Range<usize>),
    /// Those of an ascending list, numbered by their places in it.
    Listed(Listed),
}

/// Ascending coordinates.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    coordinates: Vec<usize>,
    /// The number of each coordinate from the first one on, or [`MISSING`], if they are dense enough.
    numbers: Option<Vec<u32>>,
}

/// The mark of a coordinate that is not needed.
const MISSING: u32 = u32::MAX;

/// The number of a coordinate that is not needed, in arrays of numbers.
pub(super) const UNUSED: usize = usize::MAX;

impl Needed {
    /// Creates needed coordinates of ascending ones.
    pub(super) fn of(coordinates: Vec<usize>) -> Needed {
        let (Some(first), Some(last)) = (coordinates.first(), coordinates.last()) else {
            return Needed::Range(0..0);
        };
        let (first, span) = (*first, last - first + 1);
        if span == coordinates.len() {
            return Needed::Range(first..first + span);
        }
        let is_dense = span < 16 * coordinates.len() && coordinates.len() < MISSING as usize;
        let numbers = is_dense.then(|| {
            let mut numbers = vec![MISSING; span];
            for (number, coordinate) in (0..).zip(&coordinates) {
                numbers[coordinate - first] = number;
            }
            numbers
        });
        Needed::Listed(Listed { coordinates, numbers })
    }

    /// Returns whether all coordinates below an extent are needed, each with its own number.
    pub(super) fn are_all(&self, extent: usize) -> bool {
        match self {
            Needed::All => true,
            Needed::Range(range) => *range == (0..extent),
            Needed::Listed(_) => false,
        }
    }

    /// Returns the number of a coordinate in the local problem, or [`UNUSED`] if it is not needed.
    pub(super) fn number(&self, coordinate: usize) -> usize {
        match self {
            Needed::All => coordinate,
            Needed::Range(range) if range.contains(&coordinate) => coordinate - range.start,
            Needed::Range(_) => UNUSED,
            Needed::Listed(listed) => listed.number(coordinate),
        }
    }

    /// Returns the coordinate with a number.
    pub(super) fn coordinate(&self, number: usize) -> usize {
        match self {
            Needed::All => number,
            Needed::Range(range) => range.start + number,
            Needed::Listed(listed) => listed.coordinates[number],
        }
    }

    /// Returns the number of coordinates, given the extent of the mode.
    pub(super) fn extent(&self, all: usize) -> usize {
        match self {
            Needed::All => all,
            Needed::Range(range) => range.len(),
            Needed::Listed(listed) => listed.coordinates.len(),
        }
    }

    /// Returns the number of coordinates within a range.
    pub(super) fn count(&self, range: Range<usize>) -> usize {
        match self {
            Needed::All => range.len(),
            Needed::Range(own) => common(own, &range).len(),
            Needed::Listed(listed) => listed.within(&range).len(),
        }
    }

    /// Returns the runs of consecutive coordinates within a range, ascending.
    pub(super) fn runs(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let listed = match self {
            Needed::All => return vec![range],
            Needed::Range(own) => return vec![common(own, &range)],
            Needed::Listed(listed) => listed.within(&range),
        };
        let runs = listed.chunk_by(|before, after| before + 1 == *after);
        runs.map(|run| run[0]..run[0] + run.len()).collect()
    }
}

/// Returns the coordinates that two ranges have in common.
fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl Listed {
    fn number(&self, coordinate: usize) -> usize {
        let Listed { coordinates, numbers } = self;
        match numbers {
            Some(numbers) => {
                let place = coordinate.wrapping_sub(coordinates[0]);
                match numbers.get(place) {
                    Some(&MISSING) | None => UNUSED,
                    Some(number) => *number as usize,
                }
            }
            None => coordinates.binary_search(&coordinate).unwrap_or(UNUSED),
        }
    }

    fn within(&self, range: &Range<usize>) -> &[usize] {
        let before = |coordinate| self.coordinates.partition_point(|one| *one < coordinate);
        &self.coordinates[before(range.start)..before(range.end)]
    }
}

/// Returns distinct coordinates, ascending.
pub(super) fn distinct(coordinates: impl Iterator<Item = usize> + Clone) -> Vec<usize> {
    let (mut first, mut last, mut count) = (usize::MAX, 0, 0);
    for coordinate in coordinates.clone() {
        (first, last, count) = (first.min(coordinate), last.max(coordinate), count + 1);
    }
    if count == 0 {
        return Vec::new();
    }
    let span = last - first + 1;
    if span / 64 > count {
        let mut listed: Vec<usize> = coordinates.collect();
        listed.sort_unstable();
        listed.dedup();
        return listed;
    }
    let mut words = vec![0_u64; span / 64 + 1];
    coordinates.for_each(|at| words[(at - first) / 64] |= 1 << ((at - first) % 64));
    let mut listed = Vec::with_capacity(words.iter().map(|word| word.count_ones() as usize).sum());
    for (base, mut word) in (first..).step_by(64).zip(words) {
        while word != 0 {
            listed.push(base + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
    listed
}
