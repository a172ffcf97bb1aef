//! The value of an expression at a coordinate, with its error and knowledge.

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::{self, Fault, Op};
use crate::statement::{Binary, Function};

/// The knowledge of a value before stored values are examined, in decreasing order. An operation on
/// several values has the least knowledge of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// The value follows from unstored operands, constants and masks: if it is the fill value, it
    /// is not stored.
    Known,
    /// The value follows only by a more precise analysis: if it is the fill value, it may be stored
    /// or not.
    Either,
    /// The value depends on stored values, so it is stored.
    Unknown,
}

/// The value of an expression at a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The value.
    pub value: Number,
    /// A bound of its error from rounding and from the order of sums.
    pub error: f64,
    /// The knowledge of the value.
    pub knowledge: Knowledge,
}

/// A cell, or the fault of its evaluation.
pub type Answer = Result<Cell, Fault>;

impl Cell {
    /// Returns a value that follows from the statement alone.
    pub fn known(value: Number) -> Cell {
        Cell { value, error: 0.0, knowledge: Knowledge::Known }
    }

    /// Returns a stored value.
    pub fn stored(value: Number) -> Cell {
        Cell { knowledge: Knowledge::Unknown, ..Cell::known(value) }
    }

    /// Returns whether the cell is known to have this value.
    pub fn is_known(self, value: Number) -> bool {
        self.knowledge == Knowledge::Known && self.value.is_like(value, 0.0)
    }

    /// Returns the cell with at most this knowledge.
    pub fn at_most(self, knowledge: Knowledge) -> Cell {
        Cell { knowledge: self.knowledge.max(knowledge), ..self }
    }

    /// Returns a mask as a factor: where it excludes, the value is known to be zero.
    pub fn filtering(self, zero: Number) -> Cell {
        if self.value.is_like(zero, 0.0) { Cell::known(zero) } else { self }
    }

    /// Returns the result of an operator or a function.
    pub fn of(op: Op, cells: &[Cell], dtype: Dtype) -> Answer {
        let numbers: Vec<Number> = cells.iter().map(|cell| cell.value).collect();
        let value = op.apply(&numbers, dtype)?;
        let knowledge = cells.iter().map(|cell| cell.knowledge).max();
        Ok(Cell {
            value,
            error: error(op, cells, value, dtype),
            knowledge: knowledge.unwrap_or(Knowledge::Known),
        })
    }

    /// Returns the result of an operator with an annihilator `by`: an unstored zero annihilates a
    /// product, whatever the other factor is, and false a conjunction, even if the other operand
    /// has a fault.
    pub fn decided(op: Op, by: Number, [a, b]: [Answer; 2], dtype: Dtype) -> Answer {
        let decides = |answer: &Answer| answer.is_ok_and(|cell| cell.is_known(by));
        if decides(&a) || decides(&b) {
            return Ok(Cell::known(by));
        }
        let (a, b) = (a?, b?);
        let cell = Cell::of(op, &[a, b], dtype)?;
        let may_decide =
            |cell: Cell| cell.knowledge == Knowledge::Either && cell.value.is_like(by, cell.error);
        if may_decide(a) || may_decide(b) {
            // The product with an infinity is zero or NaN.
            let off = cell.value.distance(by);
            return Ok(Cell { knowledge: Knowledge::Either, error: cell.error + off, ..cell });
        }
        Ok(cell)
    }

    /// Returns a quotient, which has the sparsity pattern of its dividend: 0 / 0 is 0 if the
    /// dividend is not stored.
    pub fn quotient([a, b]: [Answer; 2], zero: Number, dtype: Dtype) -> Answer {
        let a = a?;
        if a.is_known(zero) {
            return Ok(a);
        }
        let cell = Cell::of(Op::Divide, &[a, b?], dtype)?;
        if a.knowledge == Knowledge::Either && a.value.is_zero() {
            let off = cell.value.distance(zero);
            return Ok(Cell { knowledge: Knowledge::Either, error: cell.error + off, ..cell });
        }
        Ok(cell)
    }

    /// Returns `select(condition, then, otherwise)`, without the faults of the operand that is not
    /// chosen.
    pub fn select(condition: Answer, then: Answer, otherwise: Answer) -> Answer {
        let condition = condition?;
        let (chosen, other) =
            if condition.value.holds() { (then, otherwise) } else { (otherwise, then) };
        if condition.knowledge == Knowledge::Known {
            return chosen;
        }
        let chosen = chosen?;
        let Ok(other) = other else { return Ok(chosen.at_most(condition.knowledge)) };
        if chosen.knowledge == Knowledge::Known && other.is_known(chosen.value) {
            return Ok(chosen);
        }
        // A choice by a mask determines the stored entries; a choice by a value may determine them
        // or not.
        let knowledge = match condition.knowledge {
            Knowledge::Known | Knowledge::Either => chosen.knowledge.max(Knowledge::Either),
            Knowledge::Unknown => Knowledge::Unknown,
        };
        let uncertain =
            if condition.error > 0.0 { chosen.value.distance(other.value) } else { 0.0 };
        Ok(Cell { error: chosen.error + uncertain, knowledge, ..chosen })
    }

    /// Returns whether a value differs from its value at unstored operands.
    pub fn present(self, background: Number) -> Cell {
        let off = self.value.distance(background);
        Cell {
            value: Number::Bool(off > 0.0),
            error: f64::from(u8::from(self.error > 0.0 && off <= self.error)),
            knowledge: self.knowledge.min(Knowledge::Either),
        }
    }
}

/// Returns the error bound of a result.
fn error(op: Op, cells: &[Cell], value: Number, dtype: Dtype) -> f64 {
    let largest = cells.iter().map(|cell| cell.error).fold(0.0, f64::max);
    let carried = match (op, cells) {
        _ if largest == 0.0 => 0.0,
        _ if largest.is_infinite() => f64::INFINITY,
        (Op::Add | Op::Subtract, [a, b]) => a.error + b.error,
        (Op::Multiply, [a, b]) => {
            let (x, y) = (a.value.magnitude(), b.value.magnitude());
            if value.magnitude().is_finite() {
                x * b.error + y * a.error + a.error * b.error
            } else {
                0.0
            }
        }
        (Op::Compare(_), [a, b]) => {
            f64::from(u8::from(a.value.distance(b.value) <= a.error + b.error))
        }
        (
            Op::Negate
            | Op::Not
            | Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::And
            | Op::Or
            | Op::Compare(_)
            | Op::Function(_)
            | Op::Own(..)
            | Op::Convert
            | Op::Count(..),
            cells,
        ) => deviation(op, cells, value, dtype),
    };
    let operands: Vec<Number> = cells.iter().map(|cell| cell.value).collect();
    carried + rounding(op, &operands, largest, value, dtype)
}

/// Returns the change of the result if each operand changes by its error bound.
fn deviation(op: Op, cells: &[Cell], value: Number, dtype: Dtype) -> f64 {
    let mut sum = 0.0;
    for (k, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.error > 0.0) {
        let mut numbers: Vec<Number> = cells.iter().map(|cell| cell.value).collect();
        let ways = match cell.value {
            Number::Bool(holds) => vec![Number::Bool(!holds)],
            Number::Whole(n) => {
                let error = cell.error.ceil() as i128;
                vec![Number::Whole(n - error), Number::Whole(n + error)]
            }
            Number::Real(x) => vec![Number::Real(x - cell.error), Number::Real(x + cell.error)],
            Number::Complex(re, im) => vec![
                Number::Complex(re - cell.error, im),
                Number::Complex(re + cell.error, im),
                Number::Complex(re, im - cell.error),
                Number::Complex(re, im + cell.error),
            ],
        };
        let off = ways.into_iter().map(|way| {
            numbers[k] = way;
            op.apply(&numbers, dtype).map_or(f64::INFINITY, |other| value.distance(other))
        });
        sum += off.fold(0.0, f64::max);
    }
    sum
}

/// Returns the rounding error of a result, or 0 if it and the operands have few digits: a number with many
/// digits times another may be rounded to one with few.
fn rounding(op: Op, operands: &[Number], error: f64, value: Number, dtype: Dtype) -> f64 {
    if !dtype.is_rounded() || !value.magnitude().is_finite() {
        return 0.0;
    }
    let (finest, largest, relative): (f64, f64, f64) = match dtype {
        Dtype::F16 => (8.0, 128.0, 4e-3),
        Dtype::Bf16 => (2.0, 64.0, 3e-2),
        dtype if dtype.is_single() => (256.0, 32768.0, 1e-5),
        _ => (65536.0, 4e9, 1e-10),
    };
    let is_short = |x: f64| (x * finest).fract() == 0.0 && x.abs() < largest;
    let has_few_digits = |number: &Number| is_short(number.re()) && is_short(number.im());
    let are_short = operands.iter().chain([&value]).all(has_few_digits);
    if error == 0.0 && op.is_exact() && are_short {
        return 0.0;
    }
    let operands: f64 = operands.iter().map(|operand| operand.magnitude()).sum();
    match op {
        // Other orders of a sum have other partial sums.
        Op::Add | Op::Subtract => relative * operands,
        // An operation that returns an operand does not round.
        Op::Negate
        | Op::Count(..)
        | Op::Function(
            Function::Min | Function::Max | Function::Abs | Function::Re | Function::Im,
        ) => 0.0,
        Op::Not
        | Op::Multiply
        | Op::Divide
        | Op::And
        | Op::Or
        | Op::Compare(_)
        | Op::Function(_)
        | Op::Own(..)
        | Op::Convert => relative * value.magnitude(),
    }
}

/// Returns whether one of two values with errors precedes the other, and whether that is certain.
pub fn precedes(op: Binary, a: Cell, b: Cell) -> Result<(bool, bool), Fault> {
    let off = a.value.distance(b.value);
    let is_certain = a.error + b.error == 0.0 || off > a.error + b.error;
    Ok((arithmetic::compare(op, a.value, b.value)?, is_certain))
}
