//! Reductions.

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::{Fault, Op};
use crate::oracle::cell::{Answer, Cell, Knowledge, precedes};
use crate::oracle::semiring::{Semiring, extremes};
use crate::statement::{Binary, Function, Reduction};

/// A partial reduction.
#[derive(Clone, Debug)]
pub struct Fold {
    how: How,
    dtype: Dtype,
    total: Answer,
    /// The least knowledge of all values.
    knowledge: Knowledge,
    is_empty: bool,
    /// `true` for `min` or `max` of the language, and not for the addition of a semiring.
    is_plain: bool,
}

#[derive(Clone, Debug)]
enum How {
    /// Combines values.
    Combine(Op),
    /// Combines values; a value known to equal this annihilator decides.
    Decide(Op, Number),
    /// An arg-reduction: the comparison by which a value is preferred, and the best value so far.
    Place(Binary, Option<(usize, Cell)>, bool),
}

impl Fold {
    /// Starts a reduction in a type.
    pub fn new(reduction: Reduction, semiring: Semiring, dtype: Dtype) -> Fold {
        let (least, greatest) = extremes(dtype);
        let number = |number| crate::oracle::arithmetic::literal(Number::Whole(number), dtype);
        let (how, start) = match reduction {
            Reduction::Sum => (How::Combine(semiring.plus()), semiring.zero(dtype)),
            Reduction::Prod => (
                How::Decide(Op::Multiply, number(0).unwrap_or(Number::ZERO)),
                number(1).unwrap_or(Number::ZERO),
            ),
            Reduction::Min => (How::Combine(Op::Function(Function::Min)), greatest),
            Reduction::Max => (How::Combine(Op::Function(Function::Max)), least),
            Reduction::Any => (How::Decide(Op::Or, Number::Bool(true)), Number::Bool(false)),
            Reduction::All => (How::Decide(Op::And, Number::Bool(false)), Number::Bool(true)),
            Reduction::Argmin => (How::Place(Binary::Less, None, true), Number::Whole(0)),
            Reduction::Argmax => (How::Place(Binary::Greater, None, true), Number::Whole(0)),
        };
        let total = Ok(Cell::known(start));
        Fold {
            how,
            dtype,
            total,
            knowledge: Knowledge::Known,
            is_empty: true,
            is_plain: reduction != Reduction::Sum,
        }
    }

    /// Adds a value; the coordinate is the result of `argmin` if it is chosen.
    pub fn add(&mut self, answer: Answer, coordinate: usize) {
        let is_first = std::mem::take(&mut self.is_empty);
        if let Ok(cell) = &answer {
            self.knowledge = self.knowledge.max(cell.knowledge);
        }
        match &mut self.how {
            How::Combine(op) => {
                // NaN is skipped, unless all values are NaN.
                let skips = matches!(op, Op::Function(_)) && is_first && self.is_plain;
                self.total = match (self.total, answer) {
                    (Ok(_), Ok(cell)) if skips => Ok(cell),
                    (Ok(total), Ok(cell)) => Cell::of(*op, &[total, cell], self.dtype),
                    (Err(fault), _) | (_, Err(fault)) => Err(fault),
                };
            }
            How::Decide(op, by) => {
                self.total = Cell::decided(*op, *by, [self.total, answer], self.dtype);
            }
            How::Place(op, best, is_certain) => {
                let cell = match answer {
                    Ok(cell) => cell,
                    Err(fault) => {
                        self.total = Err(fault);
                        return;
                    }
                };
                let Some((place, held)) = best else {
                    *best = Some((coordinate, cell));
                    return;
                };
                match precedes(*op, cell, *held) {
                    Ok((is_better, certain)) => {
                        *is_certain &= certain;
                        let is_first = cell.value == held.value && coordinate < *place;
                        let is_number = held.value.is_nan() && !cell.value.is_nan();
                        if is_better || is_first || is_number {
                            *best = Some((coordinate, cell));
                        }
                    }
                    Err(fault) => self.total = Err(fault),
                }
            }
        }
    }

    /// Returns the result.
    pub fn finish(self) -> Answer {
        let total = self.total?;
        match self.how {
            How::Combine(_) => Ok(total),
            // An unstored zero annihilates a product, whatever is stored.
            How::Decide(Op::Multiply, _) => Ok(total),
            // A deciding value may be found only where values are stored.
            How::Decide(..) => Ok(total.at_most(self.knowledge.min(Knowledge::Either))),
            How::Place(..) if self.is_empty => Err(Fault::Empty),
            How::Place(_, best, is_certain) => Ok(Cell {
                value: Number::Whole(best.map_or(0, |(place, _)| place as i128)),
                error: if is_certain { 0.0 } else { f64::INFINITY },
                knowledge: self.knowledge,
            }),
        }
    }
}
