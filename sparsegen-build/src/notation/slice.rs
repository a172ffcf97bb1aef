//! Subranges of modes: slices, windows and fixed coordinates.

use super::{Kernel, SubscriptId, TensorId, VariableId, VariableRole};

/// The coordinates of a mode that an index variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slice {
    /// The variable that counts these coordinates from 0.
    pub of: VariableId,
    /// The coordinates of the mode.
    pub reads: Reads,
}

/// The coordinates of a mode that an access reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// A range.
    Range(Range),
    /// The values of a sum of variables while one of them varies.
    Window(Window),
    /// A single coordinate that does not depend on the loops.
    Fixed(Bound),
    /// The coordinate of a variable that also indexes another mode of the tensor: `A[i,i]`.
    Variable(VariableId),
    /// The coordinate of a computed subscript: `word[i]`.
    Subscript(SubscriptId),
}

/// `start..end step step shift shift`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The first coordinate.
    pub start: Bound,
    /// The coordinate after the last one.
    pub end: Bound,
    /// The distance of consecutive coordinates.
    pub step: u64,
    /// The offset of the coordinates, if the variable ranges over the whole mode and not only over
    /// the slice.
    pub shift: Option<i64>,
}

/// `2*i + k - 1`, in which one of the variables varies. It may begin before the mode and end after
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// The sum, a [`Subscript::Affine`](super::Subscript::Affine) with a term in the variable.
    pub at: SubscriptId,
    /// The factor of the variable in the sum, which is the distance of consecutive coordinates.
    pub step: u64,
}

/// The begin or the end of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// `2`
    Number(u64),
    /// `n`, a parameter: a scalar argument of the kernel.
    Parameter(TensorId),
}

impl Slice {
    /// Returns the variable at whose coordinate the mode is read, if it is a variable's.
    pub fn follows(&self) -> Option<VariableId> {
        match self.reads {
            Reads::Variable(v) => Some(v),
            Reads::Fixed(_) | Reads::Subscript(_) | Reads::Range(_) | Reads::Window(_) => None,
        }
    }

    /// Returns the computed subscript at which the mode is read, or that bounds a window.
    pub fn subscript(&self) -> Option<SubscriptId> {
        match self.reads {
            Reads::Window(Window { at, .. }) | Reads::Subscript(at) => Some(at),
            Reads::Fixed(_) | Reads::Variable(_) | Reads::Range(_) => None,
        }
    }

    /// Returns whether the variable ranges only over coordinates of the mode that are part of the
    /// slice.
    pub fn keeps_to_mode(&self) -> bool {
        match self.reads {
            Reads::Range(range) => range.shift.is_none(),
            Reads::Fixed(_) | Reads::Variable(_) => true,
            Reads::Window(_) | Reads::Subscript(_) => false,
        }
    }

    /// Returns the offset of the coordinates, if the variable ranges over the whole mode.
    pub fn shift(&self) -> Option<i64> {
        match self.reads {
            Reads::Range(range) => range.shift,
            Reads::Window(_) | Reads::Fixed(_) | Reads::Variable(_) | Reads::Subscript(_) => None,
        }
    }

    /// Returns the distance of consecutive coordinates.
    pub fn step(&self) -> u64 {
        match self.reads {
            Reads::Range(range) => range.step,
            Reads::Window(window) => window.step,
            Reads::Fixed(_) | Reads::Variable(_) | Reads::Subscript(_) => 1,
        }
    }
}

impl Kernel {
    /// Prints the subscript of a variable's mode: `i`, `i in 2..n`, `3`.
    pub fn show_index(&self, v: VariableId) -> String {
        let variable = self.variable(v);
        match variable.role {
            VariableRole::Index
            | VariableRole::Fixed
            | VariableRole::Scheduled
            | VariableRole::Stored => variable.name.clone(),
            VariableRole::Mode(Slice { reads: Reads::Fixed(at), .. }) => self.show_bound(at),
            VariableRole::Mode(Slice { reads: Reads::Variable(v), .. }) => self.show_index(v),
            VariableRole::Mode(Slice {
                reads: Reads::Window(Window { at, .. }) | Reads::Subscript(at),
                ..
            }) => self.show_subscript(at),
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
