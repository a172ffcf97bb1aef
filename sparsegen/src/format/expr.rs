//! Level expressions: functions from the coordinates of an entry to its coordinate at a level.

use core::fmt::{self, Display};

/// A function from the coordinates of an entry, one per dimension, to its coordinate at a level.
///
/// Numbers that may be negative are `usize` in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelExpr {
    /// The coordinate of a dimension.
    Dimension(usize),
    /// `i / 4`: the number of the block, rounded towards negative infinity.
    Div(&'static LevelExpr, usize),
    /// `i % 4`: the offset within the block; never negative.
    Mod(&'static LevelExpr, usize),
    /// `j - i` is `Sub(1, 0)`: the number of the diagonal.
    Sub(usize, usize),
    /// `i + j` is `Add(0, 1)`: the number of the antidiagonal.
    Add(usize, usize),
    /// `#i`: the number of preceding entries, in the order of packing, with the same `i`.
    Count(usize),
}

/// The integers `first..first + size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) first: isize,
    pub(crate) size: usize,
}

impl LevelExpr {
    /// Returns the values of the function for a tensor of these extents, or `None` if they, or the
    /// coordinates of a whole number of blocks, overflow.
    ///
    /// The interval of an entry count is unbounded here, since it depends on the entries.
    pub(crate) fn interval(&self, shape: &[usize]) -> Option<Interval> {
        let from_zero = |size| Some(Interval { first: 0, size });
        match *self {
            LevelExpr::Dimension(dimension) => from_zero(shape[dimension]),
            LevelExpr::Div(of, block) if !of.is_counted() => {
                let Interval { first, size } = of.interval(shape)?;
                if size == 0 {
                    return from_zero(0);
                }
                // No operation overflows in 128 bits.
                let (low, block) = (first as i128, block as i128);
                let first = low.div_euclid(block);
                let end = (low + size as i128 - 1).div_euclid(block) + 1;
                // Coordinates of the last block may exceed the extent, but must not overflow.
                usize::try_from((end * block).max(0)).ok()?;
                Some(Interval {
                    first: isize::try_from(first).ok()?,
                    size: usize::try_from(end - first).ok()?,
                })
            }
            LevelExpr::Mod(_, block) => from_zero(block),
            LevelExpr::Sub(minuend, subtrahend) => {
                let (above, below) = (shape[minuend], shape[subtrahend]);
                let size = diagonals(above, below)?;
                let first = if size == 0 { 0 } else { -(below as isize - 1) };
                Some(Interval { first, size })
            }
            LevelExpr::Add(a, b) => from_zero(diagonals(shape[a], shape[b])?),
            LevelExpr::Count(_) | LevelExpr::Div(..) => from_zero(usize::MAX),
        }
    }

    /// Returns whether every value of the function belongs to a coordinate within the extents, that
    /// is, whether blocks divide them. Sums and differences never do: some of them do not occur
    /// with every coordinate.
    pub(crate) fn is_exact(&self, shape: &[usize]) -> bool {
        match *self {
            LevelExpr::Div(of, block) | LevelExpr::Mod(of, block) => {
                let divides = |interval: Interval| interval.size.is_multiple_of(block);
                let is_whole = of.interval(shape).is_some_and(divides);
                of.is_exact(shape) && (is_whole || of.is_counted())
            }
            LevelExpr::Dimension(_) | LevelExpr::Count(_) => true,
            LevelExpr::Sub(..) | LevelExpr::Add(..) => false,
        }
    }

    /// Returns the value for an entry; `count` is the value of [`LevelExpr::Count`].
    #[inline]
    pub(crate) fn number(&self, entry: &[usize], count: usize) -> usize {
        // Fast path: most levels store a dimension unchanged.
        match *self {
            LevelExpr::Dimension(dimension) => entry[dimension],
            LevelExpr::Div(of, block) => of.divided_number(entry, count, block).0,
            LevelExpr::Mod(of, block) => of.divided_number(entry, count, block).1,
            LevelExpr::Sub(minuend, subtrahend) => entry[minuend].wrapping_sub(entry[subtrahend]),
            LevelExpr::Add(a, b) => entry[a].wrapping_add(entry[b]),
            LevelExpr::Count(_) => count,
        }
    }

    /// Returns the block of the value for an entry, and the offset within the block.
    fn divided_number(&self, entry: &[usize], count: usize, block: usize) -> (usize, usize) {
        let number = self.number(entry, count);
        if self.is_signed() {
            let (number, block) = (number as isize, block as isize);
            return (number.div_euclid(block) as usize, number.rem_euclid(block) as usize);
        }
        (number / block, number % block)
    }

    /// Returns the expression without its divisions into blocks.
    pub(crate) const fn whole(&self) -> &LevelExpr {
        match self {
            LevelExpr::Div(of, _) | LevelExpr::Mod(of, _) => of.whole(),
            LevelExpr::Dimension(_)
            | LevelExpr::Sub(..)
            | LevelExpr::Add(..)
            | LevelExpr::Count(_) => self,
        }
    }

    /// Returns the dimension of `#i`, if the expression counts entries.
    pub(crate) const fn counted(&self) -> Option<usize> {
        match self.whole() {
            LevelExpr::Count(dimension) => Some(*dimension),
            LevelExpr::Dimension(_)
            | LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Sub(..)
            | LevelExpr::Add(..) => None,
        }
    }

    /// Returns whether the value counts entries, and so does not depend on the entry's coordinates
    /// alone.
    pub(crate) const fn is_counted(&self) -> bool {
        self.counted().is_some()
    }

    fn is_signed(&self) -> bool {
        matches!(self, LevelExpr::Sub(..))
            || matches!(self, LevelExpr::Div(of, _) if of.is_signed())
    }

    /// Returns whether two expressions have the same normal form: `(i / 2) / 4` is `i / 8`, and `(i
    /// % 8) % 4` is `i % 4`.
    pub(crate) const fn same(&self, other: &LevelExpr) -> bool {
        let ((a, by), (b, by_too)) = (self.divided(), other.divided());
        if by != by_too {
            return false;
        }
        match (a.reduced(), b.reduced()) {
            (LevelExpr::Dimension(a), LevelExpr::Dimension(b))
            | (LevelExpr::Count(a), LevelExpr::Count(b)) => a == b,
            (LevelExpr::Mod(a, m), LevelExpr::Mod(b, n)) => m == n && a.same(b),
            (LevelExpr::Sub(a, b), LevelExpr::Sub(c, d))
            | (LevelExpr::Add(a, b), LevelExpr::Add(c, d)) => a == c && b == d,
            (
                LevelExpr::Dimension(_)
                | LevelExpr::Div(..)
                | LevelExpr::Mod(..)
                | LevelExpr::Sub(..)
                | LevelExpr::Add(..)
                | LevelExpr::Count(_),
                _,
            ) => false,
        }
    }

    /// Checks at compile time that the expression uses only existing dimensions, and that its
    /// blocks are not empty.
    pub(super) const fn check(&self, order: usize) {
        assert!(self.order() <= order, "a level stores a dimension that the shape does not have");
        let mut part = self;
        while let LevelExpr::Div(of, block) | LevelExpr::Mod(of, block) = part {
            assert!(
                *block > 0 && *block <= isize::MAX as usize,
                "a block has 1 coordinate or more"
            );
            part = of;
        }
    }

    /// Returns the smallest number of dimensions of a tensor that the expression applies to.
    pub(super) const fn order(&self) -> usize {
        match *self.whole() {
            LevelExpr::Dimension(dimension) | LevelExpr::Count(dimension) => dimension + 1,
            LevelExpr::Sub(a, b) | LevelExpr::Add(a, b) => 1 + if a > b { a } else { b },
            LevelExpr::Div(of, _) | LevelExpr::Mod(of, _) => of.order(),
        }
    }

    /// Returns the other dimension, if the expression is a sum or difference of `dimension` and
    /// another one.
    pub(super) const fn partner(&self, dimension: usize) -> Option<usize> {
        match *self {
            LevelExpr::Sub(a, b) | LevelExpr::Add(a, b) if a == dimension => Some(b),
            LevelExpr::Sub(a, b) | LevelExpr::Add(a, b) if b == dimension => Some(a),
            LevelExpr::Dimension(_)
            | LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Sub(..)
            | LevelExpr::Add(..)
            | LevelExpr::Count(_) => None,
        }
    }

    /// Returns the block size if the expression numbers blocks of `whole`.
    pub(crate) const fn blocks_of(&self, whole: &LevelExpr) -> Option<usize> {
        let ((a, by), (b, of)) = (self.divided(), whole.divided());
        let is_finer = by > of && by.is_multiple_of(of);
        if is_finer && a.same(b) { Some(by / of) } else { None }
    }

    /// Returns the dividend and the block size if the expression is a quotient; otherwise the
    /// expression itself, and 1.
    const fn divided(&self) -> (&LevelExpr, usize) {
        let (mut of, mut by) = (self, 1_usize);
        while let LevelExpr::Div(inner, block) = of {
            (of, by) = (inner, by.saturating_mul(*block));
        }
        (of, by)
    }

    /// Returns the expression without remainders that an outer, smaller remainder makes redundant.
    const fn reduced(&self) -> LevelExpr {
        let mut reduced = *self;
        while let LevelExpr::Mod(LevelExpr::Mod(inner, large), small) = reduced
            && large.is_multiple_of(small)
        {
            reduced = LevelExpr::Mod(inner, small);
        }
        reduced
    }
}

/// Returns the number of sums, or differences, of a coordinate below `a` and one below `b`, or
/// `None` if a signed number cannot hold each of them.
fn diagonals(a: usize, b: usize) -> Option<usize> {
    if a == 0 || b == 0 {
        return Some(0);
    }
    a.checked_add(b - 1).filter(|size| *size <= isize::MAX as usize)
}

/// Formats the expression in the notation of a manifest.
impl Display for LevelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LevelExpr::Dimension(dimension) => match "ijklmnopqrstuvw".get(dimension..=dimension) {
                Some(name) => f.write_str(name),
                None => write!(f, "i{dimension}"),
            },
            LevelExpr::Div(of, block) => write!(f, "{} / {block}", Operand(of)),
            LevelExpr::Mod(of, block) => write!(f, "{} % {block}", Operand(of)),
            LevelExpr::Sub(a, b) => {
                write!(f, "{} - {}", LevelExpr::Dimension(a), LevelExpr::Dimension(b))
            }
            LevelExpr::Add(a, b) => {
                write!(f, "{} + {}", LevelExpr::Dimension(a), LevelExpr::Dimension(b))
            }
            LevelExpr::Count(dimension) => write!(f, "#{}", LevelExpr::Dimension(dimension)),
        }
    }
}

/// The operand of a division, in parentheses unless it is a dimension.
struct Operand(&'static LevelExpr);

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            LevelExpr::Dimension(_) => self.0.fmt(f),
            LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Sub(..)
            | LevelExpr::Add(..)
            | LevelExpr::Count(_) => write!(f, "({})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I: LevelExpr = LevelExpr::Dimension(0);
    const DIAGONAL: LevelExpr = LevelExpr::Sub(1, 0);

    fn check(expr: LevelExpr, shape: [usize; 2], expected: Option<(isize, usize)>) {
        let found = expr.interval(&shape).map(|Interval { first, size }| (first, size));
        assert_eq!(found, expected, "{expr} of {shape:?}");
        // Every value lies in the interval, and for small extents every number of it is a value.
        let Some((first, size)) = found.filter(|_| shape.iter().all(|extent| *extent < 100)) else {
            return;
        };
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                let number = expr.number(&[i, j], 0) as isize;
                assert!(number >= first && number < first + size as isize, "{expr} of {i}, {j}");
            }
        }
    }

    #[test]
    fn numbers_lie_inside_their_interval() {
        check(I, [5, 3], Some((0, 5)));
        check(LevelExpr::Div(&I, 4), [5, 3], Some((0, 2)));
        check(LevelExpr::Div(&I, 4), [8, 3], Some((0, 2)));
        check(LevelExpr::Div(&I, 4), [0, 3], Some((0, 0)));
        check(LevelExpr::Mod(&I, 4), [3, 3], Some((0, 4)));
        check(LevelExpr::Mod(&LevelExpr::Div(&I, 2), 4), [17, 1], Some((0, 4)));
        check(LevelExpr::Div(&LevelExpr::Div(&I, 2), 4), [17, 1], Some((0, 3)));
        check(DIAGONAL, [3, 4], Some((-2, 6)));
        check(DIAGONAL, [0, 4], Some((0, 0)));
        check(LevelExpr::Add(0, 1), [3, 4], Some((0, 6)));
        check(LevelExpr::Div(&DIAGONAL, 4), [6, 4], Some((-2, 3)));
        check(LevelExpr::Mod(&DIAGONAL, 4), [6, 4], Some((0, 4)));
        check(LevelExpr::Div(&LevelExpr::Div(&DIAGONAL, 2), 2), [6, 4], Some((-2, 3)));
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        check(DIAGONAL, [usize::MAX, 4], None);
        check(LevelExpr::Add(0, 1), [usize::MAX, 4], None);
        check(LevelExpr::Div(&I, 2), [usize::MAX, 1], None);
        check(LevelExpr::Div(&I, 5), [usize::MAX, 1], Some((0, usize::MAX / 5)));
        check(I, [usize::MAX, 1], Some((0, usize::MAX)));
    }
}
