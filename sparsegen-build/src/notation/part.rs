//! Parts of modes: slices and fixed coordinates.

use super::{Kernel, TensorId, VariableId};

/// What a variable of a kernel runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whole modes, or what a command or a format defines.
    Index,
    /// One coordinate only, for the sake of accesses at a fixed coordinate: its extent is 1.
    Fixed,
    /// A mode of which an index variable runs over a part.
    Mode(Slice),
}

/// `of in start..end step step`: the coordinates of a mode that an index variable runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slice {
    /// The variable that counts the coordinates of the part from 0.
    pub of: VariableId,
    /// The first coordinate.
    pub start: Bound,
    /// The coordinate after the last; nothing where there is just the first.
    pub end: Option<Bound>,
    /// The distance of neighbours.
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

impl Kernel {
    /// What stands in an access for a mode over which a variable runs: `i`, `i in 2..n`, `3`.
    pub fn show_index(&self, v: VariableId) -> String {
        let variable = self.variable(v);
        match variable.role {
            Role::Index | Role::Fixed => variable.name.clone(),
            Role::Mode(Slice { start, end: None, .. }) => self.show_bound(start),
            Role::Mode(Slice { of, start, end: Some(end), step }) => {
                let (start, end) = (self.show_bound(start), self.show_bound(end));
                let step = if step == 1 { String::new() } else { format!(" step {step}") };
                format!("{} in {start}..{end}{step}", self.variable(of).name)
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
