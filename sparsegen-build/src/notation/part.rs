//! Parts of modes: slices, and single coordinates.

use super::{Kernel, PlaceId, TensorId, VariableId, VariableRole};

/// The coordinates of a mode that an index variable runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slice {
    /// The variable that counts the coordinates of the part from 0.
    pub of: VariableId,
    /// Which coordinates of the mode these are.
    pub reads: Reads,
}

/// Which coordinates of a mode are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// Those of a range.
    Range(Range),
    /// Those at which a sum of variables arrives while one of them runs.
    Window(Window),
    /// A single one.
    At(Coordinate),
}

/// `start..end step step shift shift`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The first coordinate.
    pub start: Bound,
    /// The coordinate after the last.
    pub end: Bound,
    /// The distance of neighbours.
    pub step: u64,
    /// By how much coordinates move, where the variable runs over all of the mode and not over the
    /// part alone.
    pub shift: Option<i64>,
}

/// `2*i + k - 1`, over which one of the variables runs. It may begin before the mode does, and end
/// behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// The sum, a [`Place::Sum`](super::Place::Sum), in which the variable is a term.
    pub at: PlaceId,
    /// How often the variable counts in it: the distance of neighbours.
    pub step: u64,
}

/// Where a part of a mode begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// `2`
    Number(u64),
    /// `n`, a parameter: a scalar that is passed to the kernel.
    Parameter(TensorId),
}

/// The single coordinate at which a mode is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coordinate {
    /// The same one wherever the loops are.
    Fixed(Bound),
    /// That of a variable, which another mode of the tensor has as well: `A[i,i]`.
    Variable(VariableId),
    /// One that follows from variables: `word[i]`.
    Place(PlaceId),
}

impl Slice {
    /// The variable whose coordinate a mode is read at, where it is at that of one.
    pub fn follows(&self) -> Option<VariableId> {
        match self.reads {
            Reads::At(Coordinate::Variable(v)) => Some(v),
            Reads::At(Coordinate::Fixed(_) | Coordinate::Place(_))
            | Reads::Range(_)
            | Reads::Window(_) => None,
        }
    }

    /// The place at which a mode is read, or by which a window lies.
    pub fn place(&self) -> Option<PlaceId> {
        match self.reads {
            Reads::Window(Window { at, .. }) | Reads::At(Coordinate::Place(at)) => Some(at),
            Reads::At(Coordinate::Fixed(_) | Coordinate::Variable(_)) | Reads::Range(_) => None,
        }
    }

    /// Whether the variable runs over coordinates of the mode alone, each of which is one of the part.
    pub fn keeps_to_mode(&self) -> bool {
        match self.reads {
            Reads::Range(range) => range.shift.is_none(),
            Reads::At(Coordinate::Fixed(_) | Coordinate::Variable(_)) => true,
            Reads::Window(_) | Reads::At(Coordinate::Place(_)) => false,
        }
    }

    /// By how much coordinates move, where the variable runs over all of the mode.
    pub fn shift(&self) -> Option<i64> {
        match self.reads {
            Reads::Range(range) => range.shift,
            Reads::Window(_) | Reads::At(_) => None,
        }
    }

    /// How far neighbours of the part lie apart.
    pub fn step(&self) -> u64 {
        match self.reads {
            Reads::Range(range) => range.step,
            Reads::Window(window) => window.step,
            Reads::At(_) => 1,
        }
    }
}

impl Kernel {
    /// What stands in an access for a mode over which a variable runs: `i`, `i in 2..n`, `3`.
    pub fn show_index(&self, v: VariableId) -> String {
        let variable = self.variable(v);
        match variable.role {
            VariableRole::Index
            | VariableRole::Fixed
            | VariableRole::Scheduled
            | VariableRole::Stored => variable.name.clone(),
            VariableRole::Mode(Slice { reads: Reads::At(Coordinate::Fixed(at)), .. }) => {
                self.show_bound(at)
            }
            VariableRole::Mode(Slice { reads: Reads::At(Coordinate::Variable(v)), .. }) => {
                self.show_index(v)
            }
            VariableRole::Mode(Slice {
                reads: Reads::Window(Window { at, .. }) | Reads::At(Coordinate::Place(at)),
                ..
            }) => self.show_place(at),
            VariableRole::Mode(Slice {
                of,
                reads: Reads::Range(Range { start, end, step, shift }),
            }) => {
                let (start, end) = (self.show_bound(start), self.show_bound(end));
                let step = if step == 1 { String::new() } else { format!(" step {step}") };
                let shift = shift.map_or_else(String::new, |shift| format!(" shift {shift}"));
                format!("{} in {start}..{end}{step}{shift}", self.variable(of).name)
            }
        }
    }

    fn show_bound(&self, bound: Bound) -> String {
        match bound {
            Bound::Number(number) => number.to_string(),
            Bound::Parameter(id) => self.tensor(id).name.clone(),
        }
    }
}
