//! Inverse maps: from the coordinates of an entry at every level to its coordinates.

use super::{LevelExpr, LevelMap};
use crate::level::{Kind, MAX_LEVELS};

/// The inverse of a map. It is linear: each coordinate of an entry is a weighted sum of its
/// coordinates at the levels. `i` is computed from `i / 4` and `i % 4` with the weights 4 and 1,
/// and `j` from `j - i` and `i` with 1 and 1.
///
/// Negative weights wrap, like the numbers that they multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inverse {
    /// The weight of each level, for each dimension.
    rows: [Row; MAX_LEVELS],
    /// `true` if each level stores a dimension unchanged.
    pub(crate) is_permutation: bool,
}

type Row = [usize; MAX_LEVELS];

impl Inverse {
    /// Inverts the map of a tensor of this order. Fails to compile if the map is not invertible, or
    /// if a level is redundant.
    pub(crate) const fn of(levels: &'static [LevelMap], kinds: &[Kind], order: usize) -> Inverse {
        let mut known = [None; MAX_LEVELS];
        let mut dimension = 0;
        while dimension < order {
            known[dimension] = row(levels, kinds, &LevelExpr::Dimension(dimension));
            dimension += 1;
        }
        // Every round finds at least one more dimension while one can be found.
        let mut round = 0;
        while round < order {
            known = with_diagonals(levels, kinds, known);
            round += 1;
        }
        let mut rows = [[0; MAX_LEVELS]; MAX_LEVELS];
        dimension = 0;
        while dimension < order {
            match known[dimension] {
                Some(row) => rows[dimension] = row,
                None => panic!("the coordinates of an entry do not follow from what levels store"),
            }
            dimension += 1;
        }
        let mut is_permutation = levels.len() == order;
        let mut level = 0;
        while level < levels.len() {
            let expr = &levels[level].expr;
            assert!(
                kinds[level].is_derived()
                    || expr.is_counted()
                    || matches!(expr, LevelExpr::Mod(_, 1))
                    || is_needed(&rows, level),
                "a level stores what follows from other levels"
            );
            is_permutation &= matches!(expr, LevelExpr::Dimension(_));
            level += 1;
        }
        Inverse { rows, is_permutation }
    }

    /// Returns the levels that determine a dimension, each with the weight of its coordinate.
    pub(crate) fn terms(&self, dimension: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
        let weights = self.rows[dimension].iter().copied().enumerate();
        weights.filter(|(_, weight)| *weight != 0)
    }

    /// Returns the coordinate of an entry in one dimension, given its coordinates at all levels.
    #[inline]
    pub(crate) fn coordinate(&self, dimension: usize, numbers: &[usize]) -> usize {
        let terms = self.rows[dimension].iter().zip(numbers);
        terms.fold(0, |sum, (weight, number)| sum.wrapping_add(weight.wrapping_mul(*number)))
    }
}

/// Returns the weighted sum of levels that equals `whole`, if levels store it unchanged or in
/// blocks.
const fn row(levels: &'static [LevelMap], kinds: &[Kind], whole: &LevelExpr) -> Option<Row> {
    let mut level = 0;
    while level < levels.len() {
        if levels[level].expr.same(whole) && !kinds[level].is_derived() {
            let mut row = [0; MAX_LEVELS];
            row[level] = 1;
            return Some(row);
        }
        level += 1;
    }
    let Some(whole) = found(levels, whole) else { return None };
    level = 0;
    while level < levels.len() {
        let mut part = &levels[level].expr;
        while let LevelExpr::Div(of, _) | LevelExpr::Mod(of, _) = part {
            if let Some(block) = part.blocks_of(whole)
                && let Some(blocks) = row(levels, kinds, part)
                && let Some(rest) = row(levels, kinds, &LevelExpr::Mod(whole, block))
            {
                return Some(sum(rest, blocks, block));
            }
            part = of;
        }
        level += 1;
    }
    None
}

/// Returns the expression of the map that stores `whole`, unchanged or divided into blocks.
const fn found(levels: &'static [LevelMap], whole: &LevelExpr) -> Option<&'static LevelExpr> {
    let mut level = 0;
    while level < levels.len() {
        let mut part = &levels[level].expr;
        loop {
            if part.same(whole) {
                return Some(part);
            }
            let (LevelExpr::Div(of, _) | LevelExpr::Mod(of, _)) = part else { break };
            part = of;
        }
        level += 1;
    }
    None
}

/// Adds the dimensions that follow from a diagonal and its other dimension.
const fn with_diagonals(
    levels: &'static [LevelMap],
    kinds: &[Kind],
    mut known: [Option<Row>; MAX_LEVELS],
) -> [Option<Row>; MAX_LEVELS] {
    const MINUS: usize = usize::MAX;
    let mut level = 0;
    while level < levels.len() {
        let whole = levels[level].expr.whole();
        let diagonal = row(levels, kinds, whole);
        level += 1;
        let Some(diagonal) = diagonal else { continue };
        match *whole {
            LevelExpr::Sub(a, b) => match (known[a], known[b]) {
                (None, Some(other)) => known[a] = Some(sum(diagonal, other, 1)),
                (Some(other), None) => known[b] = Some(sum(other, diagonal, MINUS)),
                (None, None) | (Some(_), Some(_)) => {}
            },
            LevelExpr::Add(a, b) => match (known[a], known[b]) {
                (None, Some(other)) => known[a] = Some(sum(diagonal, other, MINUS)),
                (Some(other), None) => known[b] = Some(sum(diagonal, other, MINUS)),
                (None, None) | (Some(_), Some(_)) => {}
            },
            LevelExpr::Dimension(_)
            | LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Count(_) => {}
        }
    }
    known
}

/// Returns `row + times * other`.
const fn sum(mut row: Row, other: Row, times: usize) -> Row {
    let mut level = 0;
    while level < MAX_LEVELS {
        row[level] = row[level].wrapping_add(other[level].wrapping_mul(times));
        level += 1;
    }
    row
}

const fn is_needed(rows: &[Row; MAX_LEVELS], level: usize) -> bool {
    let mut dimension = 0;
    while dimension < MAX_LEVELS {
        if rows[dimension][level] != 0 {
            return true;
        }
        dimension += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED: Kind = Kind::new("stored");
    const I: LevelExpr = LevelExpr::Dimension(0);
    const J: LevelExpr = LevelExpr::Dimension(1);

    /// Checks that the inverse maps the coordinates at the levels back to the entry.
    #[track_caller]
    fn check(levels: &'static [LevelMap], order: usize) {
        let inverse = Inverse::of(levels, &[STORED; MAX_LEVELS], order);
        for entry in [[0, 0, 0], [5, 3, 2], [3, 17, 11], [100, 1, 63]] {
            let entry = &entry[..order];
            let numbers: Vec<usize> = levels.iter().map(|l| l.expr.number(entry, 7)).collect();
            for (dimension, coordinate) in entry.iter().enumerate() {
                assert_eq!(inverse.coordinate(dimension, &numbers), *coordinate, "{entry:?}");
            }
        }
    }

    macro_rules! levels {
        ($($expr:expr),*) => {
            const { &[$(LevelMap::new($expr, "stored")),*] }
        };
    }

    #[test]
    fn maps_are_inverted() {
        use LevelExpr::{Div, Mod};
        check(levels![J, I], 2);
        check(levels![Div(&I, 2), J, Mod(&I, 2)], 2);
        check(levels![Div(&Div(&I, 2), 4), J, Mod(&Div(&I, 2), 4), Mod(&I, 2)], 2);
        check(levels![Div(&I, 8), J, Mod(&Div(&I, 2), 4), Mod(&I, 2)], 2);
        check(levels![Div(&I, 8), J, Div(&Mod(&I, 8), 2), Mod(&I, 2)], 2);
        check(levels![Div(&I, 6), J, Div(&Mod(&I, 6), 4), Mod(&Mod(&I, 6), 4)], 2);
        check(levels![Div(&I, 1), J, Mod(&I, 1)], 2);
    }

    #[test]
    fn diagonals_are_inverted() {
        use LevelExpr::{Add, Count, Div, Mod, Sub};
        check(levels![Sub(1, 0), I], 2);
        check(levels![Sub(1, 0), J], 2);
        check(levels![Add(0, 1), J], 2);
        check(levels![Count(0), Add(0, 1), I], 2);
        check(levels![Div(&Sub(1, 0), 3), I, Mod(&Sub(1, 0), 3)], 2);
        check(levels![Sub(2, 1), Sub(1, 0), Div(&I, 4), Mod(&I, 4)], 3);
    }
}
