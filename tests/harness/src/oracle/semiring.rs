//! What `+`, `*` and sums mean.

use std::collections::BTreeMap;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::{Op, literal};
use crate::own::{FAR, WHOLE_FAR};
use crate::statement::Function;

/// A semiring of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semiring {
    /// The numbers as everybody knows them.
    PlusTimes,
    /// Shortest paths.
    MinPlus,
    /// Longest paths.
    MaxPlus,
    /// The most probable paths.
    MaxTimes,
    /// The paths whose largest step is the smallest.
    MinMax,
    /// Whether there is a path.
    OrAnd,
    /// Shortest paths, of which constants say what is far and what is here.
    ByConstants,
}

/// The least upper bound of a type is its largest number where it has no infinity.
fn infinity(dtype: Dtype, sign: f64) -> Number {
    match dtype.range() {
        Some((_, most)) if sign > 0.0 => Number::Whole(most),
        Some((least, _)) => Number::Whole(least),
        None => Number::Real(sign * f64::INFINITY),
    }
}

/// The least and the greatest of all, which are the greatest and the least of none.
pub fn extremes(dtype: Dtype) -> (Number, Number) {
    (infinity(dtype, -1.0), infinity(dtype, 1.0))
}

impl Semiring {
    /// The semiring of a name.
    pub fn named(name: &str) -> Option<Semiring> {
        match name {
            "plus_times" => Some(Semiring::PlusTimes),
            // By the paths of functions that do the same.
            "min_plus" | "by_paths" => Some(Semiring::MinPlus),
            "max_plus" => Some(Semiring::MaxPlus),
            "max_times" => Some(Semiring::MaxTimes),
            "min_max" => Some(Semiring::MinMax),
            "or_and" => Some(Semiring::OrAnd),
            "by_constants" | "by_whole_constants" => Some(Semiring::ByConstants),
            _ => None,
        }
    }

    /// What `+` does.
    pub fn plus(self) -> Op {
        match self {
            Semiring::PlusTimes => Op::Add,
            Semiring::MinPlus | Semiring::MinMax | Semiring::ByConstants => {
                Op::Function(Function::Min)
            }
            Semiring::MaxPlus | Semiring::MaxTimes => Op::Function(Function::Max),
            Semiring::OrAnd => Op::Or,
        }
    }

    /// Returns the sum of two numbers of a type; the plain one where they have none in this semiring.
    pub fn sum(self, a: Number, b: Number, dtype: Dtype) -> Number {
        self.plus().apply(&[a, b], dtype).unwrap_or(a + b)
    }

    /// Returns entries of a type with those that share their coordinate summed, each coordinate once.
    pub fn united(
        self,
        entries: &[(Vec<usize>, Number)],
        dtype: Option<Dtype>,
    ) -> Vec<(Vec<usize>, Number)> {
        let dtype = dtype.unwrap_or(Dtype::F64);
        let mut united: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
        for (at, value) in entries {
            let sum = united.get(at).map_or(*value, |sum| self.sum(*sum, *value, dtype));
            united.insert(at, sum);
        }
        united.into_iter().map(|(at, value)| (at.clone(), value)).collect()
    }

    /// What `*` does.
    pub fn times(self) -> Op {
        match self {
            Semiring::PlusTimes | Semiring::MaxTimes => Op::Multiply,
            Semiring::MinPlus | Semiring::MaxPlus | Semiring::ByConstants => Op::Add,
            Semiring::MinMax => Op::Function(Function::Max),
            Semiring::OrAnd => Op::And,
        }
    }

    /// What is added without effect, which what is not stored counts as.
    pub fn zero(self, dtype: Dtype) -> Number {
        match self {
            // A bool is a number of two values where no semiring makes it more.
            Semiring::PlusTimes | Semiring::MaxTimes | Semiring::OrAnd => {
                whole(dtype, 0).unwrap_or(Number::Bool(false))
            }
            Semiring::MinPlus | Semiring::MinMax => extremes(dtype).1,
            Semiring::MaxPlus => extremes(dtype).0,
            Semiring::ByConstants => match dtype.range() {
                Some(_) => Number::Whole(WHOLE_FAR.into()),
                None => Number::Real(FAR),
            },
        }
    }

    /// What is multiplied without effect.
    pub fn one(self, dtype: Dtype) -> Number {
        match self {
            Semiring::PlusTimes | Semiring::MaxTimes | Semiring::OrAnd => {
                whole(dtype, 1).unwrap_or(Number::Bool(true))
            }
            Semiring::MinPlus | Semiring::MaxPlus | Semiring::ByConstants => {
                whole(dtype, 0).unwrap_or(Number::ZERO)
            }
            Semiring::MinMax => extremes(dtype).0,
        }
    }
}

fn whole(dtype: Dtype, number: i128) -> Option<Number> {
    literal(Number::Whole(number), dtype)
}
