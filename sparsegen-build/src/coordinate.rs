//! Coordinates as functions of others: `2*i + k - 1`, `i / 4`.
//!
//! A function is generic over its variables: the names of a statement, the variables and parameters
//! of a kernel, the index expressions of a comparison, the level expressions of a format.

use std::fmt::{Display, Write};

/// A coordinate as a function of others; `B` is the type of a block size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordinate<V, B = u64> {
    /// `j - i`
    Affine(Affine<V>),
    /// `i / 4`: the number of a block.
    Div(V, B),
    /// `i % 4`: the offset within a block.
    Mod(V, B),
}

impl<V: Clone + PartialEq, B: Copy> Coordinate<V, B> {
    /// Returns the name of a variable with these coordinates: `io`, `ii` or `d`.
    pub fn name(&self, name: impl Fn(&V) -> String) -> String {
        match self {
            Coordinate::Div(of, _) => format!("{}o", name(of)),
            Coordinate::Mod(of, _) => format!("{}i", name(of)),
            Coordinate::Affine(_) => "d".to_owned(),
        }
    }

    /// Returns the variables, in the order of their first use.
    pub fn variables(&self) -> impl Iterator<Item = &V> {
        let (sum, divided) = match self {
            Coordinate::Affine(sum) => (Some(sum), None),
            Coordinate::Div(of, _) | Coordinate::Mod(of, _) => (None, Some(of)),
        };
        sum.into_iter().flat_map(Affine::variables).chain(divided)
    }

    /// Returns the function with other variables and block sizes, or `None` if a variable has no
    /// replacement.
    pub fn map<W: Clone + PartialEq, C>(
        &self,
        mut variable: impl FnMut(&V) -> Option<W>,
        size: impl Fn(B) -> C,
    ) -> Option<Coordinate<W, C>> {
        Some(match self {
            Coordinate::Affine(sum) => {
                Coordinate::Affine(sum.substitute(|of| variable(of).map(Affine::variable))?)
            }
            Coordinate::Div(of, by) => Coordinate::Div(variable(of)?, size(*by)),
            Coordinate::Mod(of, by) => Coordinate::Mod(variable(of)?, size(*by)),
        })
    }

    /// Returns whether the coordinate may be negative, given whether a variable may be.
    pub fn may_be_negative(&self, is_signed: impl Fn(&V) -> bool) -> bool {
        match self {
            Coordinate::Affine(sum) => sum.may_be_negative(is_signed),
            Coordinate::Div(of, _) => is_signed(of),
            Coordinate::Mod(..) => false,
        }
    }

    /// Prints `2*i + k - 1`, `i / 4` or `i % 4`.
    pub fn show<'n, N: Display>(&'n self, name: impl Fn(&'n V) -> N) -> String
    where
        B: Display,
    {
        match self {
            Coordinate::Affine(sum) => sum.show(name),
            Coordinate::Div(of, by) => format!("{} / {by}", name(of)),
            Coordinate::Mod(of, by) => format!("{} % {by}", name(of)),
        }
    }
}

/// A sum of variables with factors, and a constant: `2*i + k - 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine<V> {
    /// The terms, of distinct variables and with factors other than 0, in the order of their first
    /// use.
    terms: Vec<Term<V>>,
    constant: i64,
}

/// `2*i`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<V> {
    /// The factor.
    pub times: i64,
    /// The variable.
    pub of: V,
}

impl<V: Clone + PartialEq> Affine<V> {
    /// Returns a constant.
    pub fn constant(constant: i64) -> Affine<V> {
        Affine { terms: Vec::new(), constant }
    }

    /// Returns a variable.
    pub fn variable(of: V) -> Affine<V> {
        Affine::term(1, of)
    }

    /// Returns a variable with a factor.
    pub fn term(times: i64, of: V) -> Affine<V> {
        let terms = if times == 0 { Vec::new() } else { vec![Term { times, of }] };
        Affine { terms, constant: 0 }
    }

    /// Returns the terms that are not constant.
    pub fn terms(&self) -> &[Term<V>] {
        &self.terms
    }

    /// Returns the constant term.
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// Returns the variables, in the order of their first use.
    pub fn variables(&self) -> impl Iterator<Item = &V> {
        self.terms.iter().map(|term| &term.of)
    }

    /// Returns the variable, if the value is that of one.
    pub fn as_variable(&self) -> Option<&V> {
        match &self.terms[..] {
            [Term { times: 1, of }] if self.constant == 0 => Some(of),
            _ => None,
        }
    }

    /// Returns the value, if it does not depend on variables.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the distance of the values at consecutive values of a variable.
    pub fn stride(&self, of: &V) -> i64 {
        self.terms.iter().find(|term| term.of == *of).map_or(0, |term| term.times)
    }

    /// Returns whether the value may be negative, given whether a variable may be.
    pub fn may_be_negative(&self, is_signed: impl Fn(&V) -> bool) -> bool {
        let mut terms = self.terms.iter();
        self.constant < 0 || terms.any(|term| term.times < 0 || is_signed(&term.of))
    }

    /// Returns the sum of two functions, or `None` if a factor overflows.
    pub fn plus(self, other: &Affine<V>) -> Option<Affine<V>> {
        self.plus_times(other, 1)
    }

    /// Returns the difference of two functions, or `None` if a factor overflows.
    pub fn minus(self, other: &Affine<V>) -> Option<Affine<V>> {
        self.plus_times(other, -1)
    }

    /// Returns the product with a constant, or `None` if a factor overflows.
    pub fn times(&self, factor: i64) -> Option<Affine<V>> {
        Affine::constant(0).plus_times(self, factor)
    }

    fn plus_times(mut self, other: &Affine<V>, factor: i64) -> Option<Affine<V>> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for Term { times, of } in &other.terms {
            let times = times.checked_mul(factor)?;
            match self.terms.iter_mut().find(|known| known.of == *of) {
                Some(known) => known.times = known.times.checked_add(times)?,
                None => self.terms.push(Term { times, of: of.clone() }),
            }
        }
        self.terms.retain(|term| term.times != 0);
        Some(self)
    }

    /// Returns the function with every variable replaced by a function of others, or `None` if one
    /// of them has no replacement or a factor overflows.
    pub fn substitute<W: Clone + PartialEq>(
        &self,
        mut by: impl FnMut(&V) -> Option<Affine<W>>,
    ) -> Option<Affine<W>> {
        self.terms.iter().try_fold(Affine::constant(self.constant), |sum, Term { times, of }| {
            sum.plus_times(&by(of)?, *times)
        })
    }

    /// Returns the value of a variable for which the function is 0, as a function of the others, if
    /// its factor is 1 or -1.
    pub fn solve_for(&self, of: &V) -> Option<Affine<V>> {
        let times = self.stride(of);
        let rest = self.clone().plus_times(&Affine::variable(of.clone()), times.checked_neg()?)?;
        match times {
            1 => rest.times(-1),
            -1 => Some(rest),
            _ => None,
        }
    }

    /// Prints `2*i + k - 1`, or `3 - i`.
    pub fn show<'n, N: Display>(&'n self, name: impl Fn(&'n V) -> N) -> String {
        let is_shown = self.constant != 0 || self.terms.is_empty();
        let constant = is_shown.then_some((self.constant, None));
        let terms = self.terms.iter().map(|Term { times, of }| (*times, Some(name(of))));
        let begins_negative = self.terms.first().is_some_and(|term| term.times < 0);
        let (before, after) = match begins_negative && self.constant > 0 {
            true => (constant, None),
            false => (None, constant),
        };
        let mut text = String::new();
        for (times, name) in before.into_iter().chain(terms).chain(after) {
            text.push_str(match (text.is_empty(), times < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let _ = match (times.unsigned_abs(), name) {
                (times, None) => write!(text, "{times}"),
                (1, Some(name)) => write!(text, "{name}"),
                (times, Some(name)) => write!(text, "{times}*{name}"),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: std::ops::RangeInclusive<i64> = -3..=3;

    /// Returns functions of the variables 0 and 1.
    fn functions() -> Vec<Affine<usize>> {
        let mut functions = Vec::new();
        for a in VALUES {
            for b in VALUES {
                for constant in [-2, 0, 5] {
                    let sum = Affine::term(a, 0).plus(&Affine::term(b, 1)).unwrap();
                    functions.push(sum.plus(&Affine::constant(constant)).unwrap());
                }
            }
        }
        functions
    }

    fn value(function: &Affine<usize>, at: [i64; 2]) -> i64 {
        function.substitute::<usize>(|v| Some(Affine::constant(at[*v]))).unwrap().offset()
    }

    #[test]
    fn substitution_composes() {
        for f in functions() {
            for g in functions().into_iter().step_by(5) {
                let h = Affine::term(2, 1);
                let composed = f.substitute(|v| Some([g.clone(), h.clone()][*v].clone())).unwrap();
                for at in [[0, 0], [1, -2], [3, 4]] {
                    let inner = [value(&g, at), value(&h, at)];
                    assert_eq!(value(&composed, at), value(&f, inner), "{f:?} of {g:?}");
                }
            }
        }
    }

    #[test]
    fn a_solution_is_a_zero() {
        for f in functions() {
            for v in [0, 1] {
                let solution = f.solve_for(&v);
                assert_eq!(solution.is_some(), f.stride(&v).abs() == 1, "{f:?}");
                let Some(solution) = solution else { continue };
                assert_eq!(solution.stride(&v), 0);
                let by = |of: &usize| {
                    Some(if *of == v { solution.clone() } else { Affine::variable(*of) })
                };
                assert_eq!(f.substitute(by), Some(Affine::constant(0)), "{f:?}");
            }
        }
    }

    #[test]
    fn sums_and_products_are_those_of_the_values() {
        for f in functions() {
            for g in functions().into_iter().step_by(7) {
                let (sum, difference) = (f.clone().plus(&g).unwrap(), f.clone().minus(&g).unwrap());
                for at in [[0, 0], [1, -2], [3, 4]] {
                    assert_eq!(value(&sum, at), value(&f, at) + value(&g, at));
                    assert_eq!(value(&difference, at), value(&f, at) - value(&g, at));
                    assert_eq!(value(&f.times(-3).unwrap(), at), -3 * value(&f, at));
                    let next = [at[0] + 1, at[1]];
                    assert_eq!(value(&f, next) - value(&f, at), f.stride(&0));
                }
            }
        }
        assert_eq!(Affine::term(i64::MAX, 0).plus(&Affine::variable(0)), None);
    }

    #[test]
    fn negative_coordinates_are_foreseen() {
        let extents = [4, 3];
        let grid = || (0..extents[0]).flat_map(|i| (0..extents[1]).map(move |j| [i, j]));
        for f in functions() {
            let may_be_negative = |of: &Coordinate<usize>| of.may_be_negative(|v| extents[*v] < 0);
            let is_negative = grid().any(|at| value(&f, at) < 0);
            assert!(!is_negative || may_be_negative(&Coordinate::Affine(f.clone())), "{f:?}");
        }
    }

    #[test]
    fn a_sum_is_printed_with_few_signs() {
        let show = |f: &Affine<usize>| f.show(|v| ["i", "k"][*v]);
        let sum = Affine::constant(-1).plus(&Affine::term(2, 0)).unwrap();
        assert_eq!(show(&sum.clone().plus(&Affine::variable(1)).unwrap()), "2*i + k - 1");
        assert_eq!(show(&sum.clone().minus(&Affine::term(3, 1)).unwrap()), "2*i - 3*k - 1");
        assert_eq!(show(&sum.times(-1).unwrap()), "1 - 2*i");
        assert_eq!(show(&Affine::constant(0)), "0");
    }
}
