//! The meaning of `+`, `*` and sums.

use std::collections::BTreeMap;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::{Op, literal};
use crate::own::{FAR, WHOLE_FAR};
use crate::statement::Function;

/// A semiring of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semiring {
    /// The usual arithmetic.
    PlusTimes,
    /// Shortest paths.
    MinPlus,
    /// Longest paths.
    MaxPlus,
    /// The most probable paths.
    MaxTimes,
    /// The paths with the smallest largest edge.
    MinMax,
    /// The existence of a path.
    OrAnd,
    /// Shortest paths, with user constants as zero and one.
    ByConstants,
}

/// Returns the infinity of a type, or its extreme value if it has none.
fn infinity(dtype: Dtype, sign: f64) -> Number {
    match dtype.range() {
        Some((_, most)) if sign > 0.0 => Number::Whole(most),
        Some((least, _)) => Number::Whole(least),
        None => Number::Real(sign * f64::INFINITY),
    }
}

/// Returns the least and the greatest value, which are the maximum and the minimum of an empty
/// range.
pub fn extremes(dtype: Dtype) -> (Number, Number) {
    (infinity(dtype, -1.0), infinity(dtype, 1.0))
}

impl Semiring {
    /// Returns the semiring with this name.
    pub fn named(name: &str) -> Option<Semiring> {
        match name {
            "plus_times" => Some(Semiring::PlusTimes),
            // The same semiring with user functions.
            "min_plus" | "by_paths" => Some(Semiring::MinPlus),
            "max_plus" => Some(Semiring::MaxPlus),
            "max_times" => Some(Semiring::MaxTimes),
            "min_max" => Some(Semiring::MinMax),
            "or_and" => Some(Semiring::OrAnd),
            "by_constants" | "by_whole_constants" => Some(Semiring::ByConstants),
            _ => None,
        }
    }

    /// Returns the operation of `+`.
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

    /// Returns the sum of two numbers of a type, or their ordinary sum if the semiring does not
    /// support the type.
    pub fn sum(self, a: Number, b: Number, dtype: Dtype) -> Number {
        self.plus().apply(&[a, b], dtype).unwrap_or(a + b)
    }

    /// Returns entries of a type with duplicates combined.
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

    /// Returns the operation of `*`.
    pub fn times(self) -> Op {
        match self {
            Semiring::PlusTimes | Semiring::MaxTimes => Op::Multiply,
            Semiring::MinPlus | Semiring::MaxPlus | Semiring::ByConstants => Op::Add,
            Semiring::MinMax => Op::Function(Function::Max),
            Semiring::OrAnd => Op::And,
        }
    }

    /// Returns the identity element of `+`, which is the default fill value.
    pub fn zero(self, dtype: Dtype) -> Number {
        match self {
            // A truth value is a number of two values, unless the semiring defines more.
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

    /// Returns the identity element of `*`.
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
