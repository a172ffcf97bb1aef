//! Modes that are read at a function of the variables of loops: slices, windows, fixed coordinates,
//! gathers.

use crate::coordinate::Affine;

use super::subscript::{List, Subscript, Symbol};
use super::{Kernel, TensorId, VariableId, VariableRole};

/// The coordinates of a mode that an access reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The variable of the loop, which counts the coordinates from 0.
    pub of: VariableId,
    /// The coordinate of the mode, as a function of this variable and of others.
    pub at: Subscript,
    /// The values of the function.
    pub domain: Domain,
}

/// The values of the function of a [`Slice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Any number: the value of a sum may lie outside of the mode, where it reads the fill value.
    Any,
    /// Coordinates of the mode, which is checked before the loops.
    Mode,
    /// Coordinates of a range of the mode, which the loop is restricted to.
    Range(Range),
}

/// `start..end step step`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first coordinate.
    pub start: Bound,
    /// The coordinate after the last one.
    pub end: Bound,
    /// The distance of consecutive coordinates.
    pub step: u64,
    /// `true` if the variable ranges over the whole mode and not only over the slice.
    pub is_shifted: bool,
}

/// The begin or the end of a slice, or a coordinate that does not depend on the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `2`
    Number(u64),
    /// `n`, a parameter: a scalar argument of the kernel.
    Parameter(TensorId),
}

impl Slice {
    /// Returns the coordinate, if it is an affine function.
    fn affine(&self) -> Option<&Affine<Symbol>> {
        match &self.at {
            Subscript::Affine(sum) => Some(sum),
            Subscript::Element(_) | Subscript::Listed(..) => None,
        }
    }

    /// Returns whether consecutive iterations of the loop have different coordinates. Otherwise,
    /// the loop has a single iteration.
    pub fn varies(&self) -> bool {
        self.stride() != 0
    }

    fn stride(&self) -> i64 {
        self.affine().map_or(0, |sum| sum.stride(&Symbol::Variable(self.of)))
    }

    /// Returns whether the mode is read at the values of a sum of variables while one of them
    /// varies, which may begin before the mode and end after it.
    pub fn is_window(&self) -> bool {
        self.varies() && self.domain == Domain::Any
    }

    /// Returns the single coordinate at which the mode is read, if it does not depend on the loops.
    pub fn fixed(&self) -> Option<Bound> {
        let sum = self.affine().filter(|_| self.domain == Domain::Mode)?;
        match sum.as_constant() {
            Some(number) => u64::try_from(number).ok().map(Bound::Number),
            None => match sum.as_variable()? {
                Symbol::Parameter(id) => Some(Bound::Parameter(*id)),
                Symbol::Variable(_) => None,
            },
        }
    }

    /// Returns the variable at whose coordinate the mode is read, if it is that of another mode:
    /// `A[i,i]`.
    pub fn follows(&self) -> Option<VariableId> {
        let sum = self.affine().filter(|_| self.domain == Domain::Mode)?;
        sum.as_variable()?.as_variable()
    }

    /// Returns whether the coordinates are computed by the loops, which includes elements of tensors
    /// and of lists. Others are those of a range, of another mode, or fixed.
    pub fn is_computed(&self) -> bool {
        self.range().is_none() && self.fixed().is_none() && self.follows().is_none()
    }

    /// Returns whether the variable ranges only over coordinates of the mode that are part of the
    /// slice.
    pub fn keeps_to_mode(&self) -> bool {
        !self.is_computed() && self.shift().is_none()
    }

    /// Returns the range that the loop is restricted to, if it is.
    pub fn range(&self) -> Option<&Range> {
        match &self.domain {
            Domain::Range(range) => Some(range),
            Domain::Any | Domain::Mode => None,
        }
    }

    /// Returns the offset of the variable's coordinates from those of the mode, if it ranges over
    /// the whole mode.
    pub fn shift(&self) -> Option<i64> {
        self.range().filter(|range| range.is_shifted)?;
        self.affine().map(|sum| -sum.offset())
    }

    /// Returns the distance of consecutive coordinates.
    pub fn step(&self) -> u64 {
        let own = self.stride().unsigned_abs().max(1);
        self.range().map_or(own, |range| range.step)
    }

    /// Returns the index set that the coordinates are taken from, with the variable that counts it.
    pub fn list(&self) -> Option<(&List, VariableId)> {
        match &self.at {
            Subscript::Listed(list, v) => Some((list, *v)),
            Subscript::Affine(_) | Subscript::Element(_) => None,
        }
    }
}

impl Bound {
    /// Returns the bound as a function.
    pub fn affine(self) -> Affine<Symbol> {
        match self {
            Bound::Number(number) => Affine::constant(number.try_into().unwrap_or(i64::MAX)),
            Bound::Parameter(id) => Affine::variable(Symbol::Parameter(id)),
        }
    }
}

impl Kernel {
    /// Returns the variables of modes that are read in part, and how they are read.
    pub fn slices(&self) -> impl Iterator<Item = (VariableId, &Slice)> {
        let variables = self.variables.iter().enumerate();
        variables.filter_map(|(id, variable)| Some((VariableId(id), variable.role.slice()?)))
    }

    /// Returns the variable of the loop that counts the coordinates of a mode that is read in part,
    /// and other variables unchanged.
    pub fn counted(&self, v: VariableId) -> VariableId {
        self.variable(v).role.slice().map_or(v, |slice| slice.of)
    }

    /// Returns whether the coordinates of a slice's variable may lie outside of the mode, where the
    /// fill value is read.
    pub fn may_leave(&self, slice: &Slice) -> bool {
        match (&slice.domain, &slice.at) {
            (Domain::Any, _) => true,
            (Domain::Range(range), _) => range.is_shifted,
            (Domain::Mode, Subscript::Affine(_)) => false,
            (Domain::Mode, Subscript::Listed(list, _)) => list.has_losers(),
            // Outside of its tensor an element is 0, which need not be a coordinate.
            (Domain::Mode, Subscript::Element(access)) => {
                let slice = |v: &VariableId| self.variable(*v).role.slice();
                access.indices.iter().filter_map(slice).any(|slice| self.may_leave(slice))
            }
        }
    }

    /// Returns the variables that determine a coordinate, except those of modes.
    pub fn variables_of(&self, at: &Subscript) -> Vec<VariableId> {
        match at {
            Subscript::Affine(sum) => {
                sum.variables().filter_map(|symbol| symbol.as_variable()).collect()
            }
            Subscript::Element(access) => {
                access.indices.iter().flat_map(|v| self.variables_of_index(*v)).collect()
            }
            Subscript::Listed(_, v) => vec![*v],
        }
    }

    /// Returns the index variables that determine the coordinate of a mode without a separate loop.
    pub fn variables_of_index(&self, v: VariableId) -> Vec<VariableId> {
        let Some(slice) = self.variable(v).role.slice() else { return vec![v] };
        match (slice.range(), slice.follows()) {
            (Some(_), _) => vec![slice.of],
            (None, Some(followed)) => self.variables_of_index(followed),
            (None, None) => self.variables_of(&slice.at),
        }
    }

    /// Prints the subscript of a variable's mode: `i`, `i in 2..n`, `3`.
    pub fn show_index(&self, v: VariableId) -> String {
        let variable = self.variable(v);
        let VariableRole::Mode(slice) = &variable.role else { return variable.name.clone() };
        match (slice.range(), slice.follows()) {
            (Some(Range { start, end, step, .. }), _) => {
                let [start, end] = [start, end].map(|bound| self.show_sum(&bound.affine()));
                let step = if *step == 1 { String::new() } else { format!(" step {step}") };
                let shift = slice.shift().map_or_else(String::new, |by| format!(" shift {by}"));
                format!("{} in {start}..{end}{step}{shift}", self.variable(slice.of).name)
            }
            (None, Some(followed)) => self.show_index(followed),
            (None, None) => self.show_subscript(&slice.at),
        }
    }
}
