//! The expressions of levels, and the recovery of coordinates from their values.

use super::Axis;

/// The expression of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A dimension.
    Dimension(usize),
    /// `i / b`
    Div(Box<Expr>, usize),
    /// `i % b`
    Mod(Box<Expr>, usize),
    /// `j - i`
    Sub(usize, usize),
    /// `i + j`
    Add(usize, usize),
    /// `#i`, the number of the entry within the row `i`.
    Count(usize),
}

impl Expr {
    /// Returns the dimension, if the expression is one.
    pub fn dimension(&self) -> Option<usize> {
        match self {
            Expr::Dimension(dimension) => Some(*dimension),
            Expr::Div(..) | Expr::Mod(..) | Expr::Sub(..) | Expr::Add(..) | Expr::Count(_) => None,
        }
    }

    /// Returns the dimension whose entries are counted, if they are.
    pub fn counted(&self) -> Option<usize> {
        match self {
            Expr::Count(dimension) => Some(*dimension),
            Expr::Div(of, _) | Expr::Mod(of, _) => of.counted(),
            Expr::Dimension(_) | Expr::Sub(..) | Expr::Add(..) => None,
        }
    }

    /// Returns whether the value may be negative.
    pub fn is_signed(&self) -> bool {
        match self {
            Expr::Sub(..) => true,
            Expr::Div(of, _) => of.is_signed(),
            Expr::Dimension(_) | Expr::Mod(..) | Expr::Add(..) | Expr::Count(_) => false,
        }
    }

    /// Evaluates the expression for an entry; `count` is the number of entries before it.
    pub fn number(&self, at: &[usize], count: usize) -> i64 {
        match self {
            Expr::Dimension(dimension) => at[*dimension] as i64,
            Expr::Div(of, block) => of.number(at, count).div_euclid(*block as i64),
            Expr::Mod(of, block) => of.number(at, count).rem_euclid(*block as i64),
            Expr::Sub(a, b) => at[*a] as i64 - at[*b] as i64,
            Expr::Add(a, b) => (at[*a] + at[*b]) as i64,
            Expr::Count(_) => count as i64,
        }
    }

    /// Returns the range of values for a tensor of this shape; the number of counted entries is
    /// unbounded.
    pub fn axis(&self, shape: &[usize]) -> Axis {
        let from_zero = |size| Axis { first: 0, size };
        let diagonals = |a: &usize, b: &usize| match (shape[*a], shape[*b]) {
            (0, _) | (_, 0) => 0,
            (a, b) => a + b - 1,
        };
        match self {
            Expr::Dimension(dimension) => from_zero(shape[*dimension]),
            Expr::Div(of, block) => {
                let Axis { first, size } = of.axis(shape);
                if size == 0 {
                    return from_zero(0);
                }
                let last = (first + size as i64 - 1).div_euclid(*block as i64);
                let first = first.div_euclid(*block as i64);
                Axis { first, size: (last - first + 1) as usize }
            }
            Expr::Mod(_, block) => from_zero(*block),
            Expr::Sub(a, b) => {
                let size = diagonals(a, b);
                let first = if size == 0 { 0 } else { 1 - shape[*b] as i64 };
                Axis { first, size }
            }
            Expr::Add(a, b) => from_zero(diagonals(a, b)),
            Expr::Count(_) => from_zero(usize::MAX),
        }
    }

    /// Returns the other dimension of a sum or difference, and its coordinate if the given
    /// dimension has the coordinate `here` and the value is `number`.
    pub fn other(&self, dimension: usize, here: i64, number: i64) -> Option<(usize, i64)> {
        match self {
            Expr::Sub(a, b) if *a == dimension => Some((*b, here - number)),
            Expr::Sub(a, b) if *b == dimension => Some((*a, here + number)),
            Expr::Add(a, b) if *a == dimension => Some((*b, number - here)),
            Expr::Add(a, b) if *b == dimension => Some((*a, number - here)),
            Expr::Sub(..)
            | Expr::Add(..)
            | Expr::Dimension(_)
            | Expr::Div(..)
            | Expr::Mod(..)
            | Expr::Count(_) => None,
        }
    }

    /// Returns the canonical form of the expression: `i / 8` for `(i / 2) / 4`, and `i % 4` for `(i
    /// % 8) % 4`.
    fn reduced(&self) -> Expr {
        match self {
            Expr::Div(of, block) => match of.reduced() {
                Expr::Div(inner, by) => Expr::Div(inner, by * block),
                reduced => Expr::Div(Box::new(reduced), *block),
            },
            Expr::Mod(of, block) => match of.reduced() {
                Expr::Mod(inner, by) if by % block == 0 => Expr::Mod(inner, *block),
                reduced => Expr::Mod(Box::new(reduced), *block),
            },
            Expr::Dimension(_) | Expr::Sub(..) | Expr::Add(..) | Expr::Count(_) => self.clone(),
        }
    }
}

/// Computes the coordinates of an entry from the values of all levels, or returns `None` if these
/// do not determine them. The coordinates may be outside of the shape.
pub fn inverse(order: usize, levels: &[(&Expr, i64)]) -> Option<Vec<i64>> {
    let mut known: Vec<(Expr, i64)> =
        levels.iter().map(|(expr, number)| (expr.reduced(), *number)).collect();
    let find = |known: &[(Expr, i64)], expr: &Expr| {
        known.iter().find(|(other, _)| other == expr).map(|(_, number)| *number)
    };
    loop {
        let mut found: Vec<(Expr, i64)> = Vec::new();
        for (expr, number) in &known {
            match expr {
                Expr::Div(whole, block) => {
                    // A remainder may be split into blocks itself: `i / 4` and `(i / 2) % 2`
                    // determine `i / 2`.
                    for (rest, of_rest) in &known {
                        let Expr::Mod(of, by) = rest else { continue };
                        let of_blocks = match &**of {
                            Expr::Div(inner, inner_by) if inner == whole => inner_by * by == *block,
                            _ => false,
                        };
                        if of == whole && by == block {
                            found.push(((**whole).clone(), number * *block as i64 + of_rest));
                        } else if of_blocks {
                            found.push(((**of).clone(), number * *by as i64 + of_rest));
                        }
                    }
                }
                Expr::Mod(of, block) => {
                    // `(i % 4) / 2` and `i % 2` determine `i % 4`.
                    for (quotient, of_quotient) in &known {
                        let Expr::Div(whole, by) = quotient else { continue };
                        let Expr::Mod(inner, outer) = &**whole else { continue };
                        if inner == of && by == block && outer % by == 0 {
                            found.push(((**whole).clone(), of_quotient * *by as i64 + number));
                        }
                    }
                }
                Expr::Sub(..) | Expr::Add(..) => {
                    for dimension in 0..order {
                        let here = find(&known, &Expr::Dimension(dimension));
                        let other = here.and_then(|here| expr.other(dimension, here, *number));
                        found.extend(other.map(|(mode, at)| (Expr::Dimension(mode), at)));
                    }
                }
                Expr::Dimension(_) | Expr::Count(_) => {}
            }
        }
        found.retain(|(expr, _)| find(&known, expr).is_none());
        if found.is_empty() {
            break;
        }
        known.extend(found);
    }
    (0..order).map(|dimension| find(&known, &Expr::Dimension(dimension))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_follow_from_blocks_and_diagonals() {
        let i = || Box::new(Expr::Dimension(0));
        let maps = [
            vec![Expr::Div(i(), 8), Expr::Mod(Box::new(Expr::Div(i(), 2)), 4), Expr::Mod(i(), 2)],
            vec![Expr::Div(i(), 4), Expr::Div(Box::new(Expr::Mod(i(), 4)), 2), Expr::Mod(i(), 2)],
            vec![Expr::Dimension(0)],
        ];
        for mut map in maps {
            for diagonal in [Expr::Sub(1, 0), Expr::Sub(0, 1), Expr::Add(0, 1)] {
                map.push(diagonal);
                for at in [[0, 0], [5, 3], [13, 29]] {
                    let numbers: Vec<_> = map.iter().map(|e| (e, e.number(&at, 0))).collect();
                    let expected = at.iter().map(|c| *c as i64).collect();
                    assert_eq!(inverse(2, &numbers), Some(expected), "{map:?}");
                }
                map.pop();
            }
        }
    }
}
