//! The checks of entry points.

use super::Number;
use super::entry::{Done, Session, Stop};
use super::frame::{Frame, Object};
use crate::ir::{Check, Mode, Value};

impl Session<'_> {
    /// Checks a condition.
    pub(super) fn check(&self, check: &Check, frame: &mut Frame) -> Done<()> {
        let extent = |mode: &Mode, frame: &Frame| frame.index(&mode.extent);
        let (holds, error) = match check {
            Check::Agree { modes, .. } => {
                let extents: Vec<usize> =
                    modes.iter().map(|mode| extent(mode, frame)).collect::<Result<_, _>>()?;
                (extents.windows(2).all(|pair| pair[0] == pair[1]), "Shape")
            }
            Check::Demand { extent: demanded, modes, .. } => {
                let extents: Vec<usize> =
                    modes.iter().map(|mode| extent(mode, frame)).collect::<Result<_, _>>()?;
                (extents.iter().all(|extent| *extent as u64 == *demanded), "Extent")
            }
            Check::Choice { extent, .. } => (frame.index(extent)? > 0, "Choice"),
            Check::Room { factors, .. } => {
                let factors: Vec<usize> =
                    factors.iter().map(|factor| frame.index(factor)).collect::<Result<_, _>>()?;
                let product =
                    factors.iter().try_fold(1_usize, |all, factor| all.checked_mul(*factor));
                (product.is_some() || factors.contains(&0), "Size")
            }
            Check::Index { mode, at } => (frame.index(at)? < extent(mode, frame)?, "Index"),
            Check::Slice { mode, start, end } => {
                let (start, end) = (frame.index(start)?, frame.index(end)?);
                (start <= end && end <= extent(mode, frame)?, "Slice")
            }
            Check::Indices { mode, list } => {
                let extent = extent(mode, frame)?;
                (frame.coordinates(list)?.iter().all(|at| *at < extent), "Index")
            }
            Check::Gather { mode, tensor, .. } => {
                let extent = extent(mode, frame)?;
                let is_within = |number: &Number| match number {
                    Number::Integer(n) => usize::try_from(*n).is_ok_and(|n| n < extent),
                    Number::Float(_) | Number::Complex(..) => false,
                };
                (frame.tensor(tensor)?.vals.iter().all(is_within), "Gather")
            }
            Check::Fits { width, vector, .. } => {
                let len = frame.len(vector)?;
                (frame.fits(len, *width), "Width")
            }
            // The interpreter stops at a division by zero.
            Check::Division(name) => (frame.get(name).is_ok(), "Division"),
            Check::Known { answer, .. } => {
                (self.value(answer, frame)?.contains(&Object::Bool(true)), "Structure")
            }
            Check::Entry(call) => {
                self.value(&Value::Call(call.clone()), frame)?;
                (true, "")
            }
        };
        if holds { Ok(()) } else { Err(Stop::Error(error)) }
    }
}
