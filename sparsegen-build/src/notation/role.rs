//! The roles of tensors and variables of a kernel.
//!
//! Tensors and variables are identified by their roles, not by their positions in lists. The stages
//! that add them to a kernel assign the role.

use super::schedule::Accumulator;
use super::{Access, Kernel, Slice, TensorId, VariableId};

/// The role of a tensor of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorRole {
    /// The result of the kernel.
    Result,
    /// An argument that the expression reads.
    Operand,
    /// An argument that is an index or a list of indices, not a tensor of the expression.
    Parameter(Parameter),
    /// The contents of the result before the call, if the statement reads them.
    Previous,
    /// A tensor in another format than its argument.
    Converted(Converted),
    /// A comparison, merged like an operand with an entry where it holds.
    Predicate(Predicate),
    /// The inverse of a list of coordinates, an operand that the kernel builds before the loops.
    Inverse(Inverse),
    /// The scalar accumulator of a reduction.
    Temporary,
    /// The scalar that holds the coordinate of an arg-reduction.
    Choice(Choice),
    /// A temporary tensor with modes.
    Workspace(Accumulator),
}

/// The format conversion of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The tensor in the format of its argument.
    pub of: TensorId,
    /// `true` if every loop order needs the conversion, because elements are looked up as
    /// coordinates; otherwise it is for the chosen order.
    pub for_lookup: bool,
}

/// A comparison with one entry for each coordinate of all but one of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// `j == i + 1`
    Diagonal(Diagonal),
    /// `key[i] == b`
    Listed(Listed),
}

/// The predicate `to == from + ahead`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    /// The first variable.
    pub from: VariableId,
    /// The second variable.
    pub to: VariableId,
    /// The difference between the second and the first.
    pub ahead: i64,
}

/// The predicate `list[…] == coordinate + ahead`, for each element of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The operand that is the list.
    pub list: TensorId,
    /// The variable that its elements are compared with.
    pub coordinate: VariableId,
    /// The difference between the element and the coordinate.
    pub ahead: usize,
}

/// The inverse of a list: the pattern with an entry at `[c, j]` where the list has the coordinate `c`
/// at `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inverse {
    /// The parameter or the operand that is the list.
    pub of: TensorId,
    /// The variable of the mode at the coordinates of the list; that of the coordinates if these are
    /// not looked up, but compared.
    pub mode: VariableId,
    /// The variable of the coordinates in the list.
    pub coordinate: VariableId,
    /// The variable that counts the list.
    pub at: VariableId,
}

/// The coordinate of an arg-reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The temporary that holds the value at that coordinate.
    pub key: TensorId,
    /// The variable of the coordinate.
    pub variable: VariableId,
}

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A single index.
    Index,
    /// A list of coordinates.
    Indices,
}

impl Parameter {
    /// All kinds, with their names in a manifest.
    pub const ALL: [(&'static str, Parameter); 2] =
        [("index", Parameter::Index), ("indices", Parameter::Indices)];
}

/// The role of a variable of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableRole {
    /// An index variable of the statement, which ranges over whole modes.
    Index,
    /// The only coordinate of accesses at a fixed coordinate: its extent is 1.
    Fixed,
    /// The coordinate of a mode of which an index variable ranges over a slice.
    Mode(Slice),
    /// A variable that a command of the schedule defines.
    Scheduled,
    /// A variable that the level of a format stores, such as `i / 4` or `j - i`.
    Stored,
}

impl VariableRole {
    /// Returns whether the statement needs a loop over the variable, or over others that determine
    /// it.
    pub fn is_looped(&self) -> bool {
        match self {
            VariableRole::Index | VariableRole::Fixed => true,
            VariableRole::Mode(_) | VariableRole::Scheduled | VariableRole::Stored => false,
        }
    }

    /// Returns the slice of a mode whose coordinate the variable is, if it is one.
    pub fn slice(&self) -> Option<&Slice> {
        if let VariableRole::Mode(slice) = self { Some(slice) } else { None }
    }
}

impl TensorRole {
    /// Returns whether the tensor is an argument of the kernel, the result included.
    pub fn is_argument(self) -> bool {
        match self {
            TensorRole::Result | TensorRole::Operand | TensorRole::Parameter(_) => true,
            TensorRole::Previous
            | TensorRole::Converted(_)
            | TensorRole::Predicate(_)
            | TensorRole::Inverse(_)
            | TensorRole::Temporary
            | TensorRole::Choice(_)
            | TensorRole::Workspace(_) => false,
        }
    }

    /// Returns whether the kernel computes the tensor for its own use.
    pub fn is_temporary(self) -> bool {
        match self {
            TensorRole::Temporary | TensorRole::Choice(_) | TensorRole::Workspace(_) => true,
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Previous
            | TensorRole::Converted(_)
            | TensorRole::Predicate(_)
            | TensorRole::Inverse(_) => false,
        }
    }
}

impl Kernel {
    /// Returns the name of an argument that no tensor has: the given one, or that with a number.
    pub fn unused_argument(&self, name: &str) -> String {
        let is_unused = |name: &String| self.tensors.iter().all(|tensor| tensor.argument != *name);
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(is_unused).unwrap_or_else(|| name.to_owned())
    }

    /// Returns the ids of the tensors, in order.
    pub fn tensor_ids(&self) -> impl Iterator<Item = TensorId> + use<> {
        (0..self.tensors.len()).map(TensorId)
    }

    /// Returns the variables over which the statement needs loops.
    pub fn looped_variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        let variables = (0..self.variables.len()).map(VariableId);
        variables.filter(|v| self.variable(*v).role.is_looped())
    }

    /// Returns whether the kernel computes a tensor for its own use.
    pub fn is_temporary(&self, id: TensorId) -> bool {
        self.tensor(id).role.is_temporary()
    }

    /// Returns the tensor of the contents of the result before the call, if the statement reads
    /// them.
    pub fn previous(&self) -> Option<TensorId> {
        let is_previous = |id: &TensorId| self.tensor(*id).role == TensorRole::Previous;
        self.tensor_ids().find(is_previous)
    }

    /// Returns the tensors in other formats than their arguments, each with its conversion.
    pub fn converted(&self) -> impl Iterator<Item = (TensorId, Converted)> + '_ {
        self.tensor_ids().filter_map(|id| {
            let TensorRole::Converted(converted) = self.tensor(id).role else { return None };
            Some((id, converted))
        })
    }

    /// Returns the tensor whose format the caller passes: the same, unless it was converted.
    pub fn passed_as(&self, id: TensorId) -> TensorId {
        let TensorRole::Converted(converted) = self.tensor(id).role else { return id };
        converted.of
    }

    /// Returns the tensors that represent comparisons.
    pub fn predicates(&self) -> impl Iterator<Item = (TensorId, Predicate)> + '_ {
        self.tensor_ids().filter_map(|id| Some((id, self.predicate(id)?)))
    }

    /// Returns the comparison that a tensor represents, if any.
    pub fn predicate(&self, id: TensorId) -> Option<Predicate> {
        let TensorRole::Predicate(predicate) = self.tensor(id).role else { return None };
        Some(predicate)
    }

    /// Returns the tensors that are inverses of lists.
    pub fn inverses(&self) -> impl Iterator<Item = (TensorId, Inverse)> + '_ {
        self.tensor_ids().filter_map(|id| Some((id, self.inverse(id)?)))
    }

    /// Returns the inverse that a tensor is, if it is one.
    pub fn inverse(&self, id: TensorId) -> Option<Inverse> {
        let TensorRole::Inverse(inverse) = self.tensor(id).role else { return None };
        Some(inverse)
    }

    /// Returns whether a tensor is a pattern that is no argument: a predicate or an inverse.
    pub fn is_made(&self, id: TensorId) -> bool {
        self.predicate(id).is_some() || self.inverse(id).is_some()
    }

    /// Returns the variable of a comparison or an inverse whose coordinate follows from known ones
    /// where the pattern has an entry.
    pub fn determined(&self, access: &Access, known: &[VariableId]) -> Option<VariableId> {
        let has = |v: &VariableId| known.contains(v);
        match self.tensor(access.tensor).role {
            TensorRole::Inverse(Inverse { at, coordinate, .. }) => has(&at).then_some(coordinate),
            TensorRole::Predicate(Predicate::Listed(Listed { coordinate, .. })) => {
                let mut elements = access.indices.iter().filter(|v| **v != coordinate);
                elements.all(has).then_some(coordinate)
            }
            TensorRole::Predicate(Predicate::Diagonal(Diagonal { from, to, .. })) => {
                has(&from).then_some(to).or_else(|| has(&to).then_some(from))
            }
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Previous
            | TensorRole::Converted(_)
            | TensorRole::Temporary
            | TensorRole::Choice(_)
            | TensorRole::Workspace(_) => None,
        }
    }

    /// Returns the choice of an arg-reduction that a tensor represents, if any.
    pub fn choice(&self, id: TensorId) -> Option<Choice> {
        let TensorRole::Choice(choice) = self.tensor(id).role else { return None };
        Some(choice)
    }
}

impl Inverse {
    /// Returns the access of the tensor that is the inverse.
    pub fn access(self, tensor: TensorId) -> Access {
        Access { tensor, indices: vec![self.coordinate, self.at] }
    }
}
