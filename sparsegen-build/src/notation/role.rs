//! Roles: what each tensor and each variable of a kernel is for.
//!
//! Nothing is found by its position in a list. The stages that add tensors and variables to a kernel
//! give them a role, and later stages ask for it.

use super::{Access, Kernel, Slice, TensorId, VariableId};

/// What a tensor of a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorRole {
    /// What the kernel computes.
    Result,
    /// An argument that the expression reads.
    Operand,
    /// An argument that is an index or a list of indices, not a tensor of the expression.
    Parameter(Parameter),
    /// The contents of the result before the call, where the statement reads them.
    Previous,
    /// A tensor in another format than it is passed in.
    Converted(Converted),
    /// A comparison of two variables, merged like an operand that has an entry where it holds.
    Predicate(Diagonal),
    /// The scalar in which a reduction accumulates.
    Temporary,
    /// The scalar in which a reduction such as `argmin` keeps the coordinate that it chose.
    Choice(Choice),
    /// A temporary with modes.
    Workspace,
}

/// The format conversion of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The tensor in the format that it is passed in.
    pub of: TensorId,
    /// Whether every order of the loops needs it, because the elements are coordinates that are looked
    /// up; otherwise it serves the order that was chosen.
    pub for_lookup: bool,
}

/// The predicate `to == from + ahead`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    /// The two variables, in the order of the tensor's modes.
    pub from: VariableId,
    /// The second of them.
    pub to: VariableId,
    /// The distance of the second from the first.
    pub ahead: i64,
}

/// The coordinate that an arg-reduction chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The temporary that holds the value at that coordinate.
    pub key: TensorId,
    /// The variable whose coordinate it is.
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
    /// Every kind, with its name in a manifest.
    pub const ALL: [(&'static str, Parameter); 2] =
        [("index", Parameter::Index), ("indices", Parameter::Indices)];
}

/// What a variable of a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableRole {
    /// An index variable of the statement, which runs over whole modes.
    Index,
    /// The only coordinate of accesses at a fixed coordinate: its extent is 1.
    Fixed,
    /// The coordinate of a mode of which an index variable runs over a part.
    Mode(Slice),
    /// A variable that a command of the schedule defines.
    Scheduled,
    /// A variable that the level of a format stores, such as `i / 4` or `j - i`.
    Stored,
}

impl VariableRole {
    /// Returns whether the statement needs a loop over the variable, or over others from which it
    /// follows.
    pub fn is_looped(self) -> bool {
        match self {
            VariableRole::Index | VariableRole::Fixed => true,
            VariableRole::Mode(_) | VariableRole::Scheduled | VariableRole::Stored => false,
        }
    }

    /// The part of a mode of which the variable is the coordinate, if it is one.
    pub fn slice(self) -> Option<Slice> {
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
            | TensorRole::Temporary
            | TensorRole::Choice(_)
            | TensorRole::Workspace => false,
        }
    }

    /// Returns whether the kernel computes the tensor for its own use.
    pub fn is_temporary(self) -> bool {
        match self {
            TensorRole::Temporary | TensorRole::Choice(_) | TensorRole::Workspace => true,
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Previous
            | TensorRole::Converted(_)
            | TensorRole::Predicate(_) => false,
        }
    }
}

impl Kernel {
    /// The tensors with their ids, in order.
    pub fn tensor_ids(&self) -> impl Iterator<Item = TensorId> + use<> {
        (0..self.tensors.len()).map(TensorId)
    }

    /// The variables over which the statement runs.
    pub fn looped_variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        let variables = (0..self.variables.len()).map(VariableId);
        variables.filter(|v| self.variable(*v).role.is_looped())
    }

    /// Returns whether the kernel computes a tensor for its own use.
    pub fn is_temporary(&self, id: TensorId) -> bool {
        self.tensor(id).role.is_temporary()
    }

    /// The contents of the result before the call, if the statement reads them.
    pub fn previous(&self) -> Option<TensorId> {
        let is_previous = |id: &TensorId| self.tensor(*id).role == TensorRole::Previous;
        self.tensor_ids().find(is_previous)
    }

    /// The tensors in other formats than they are passed in, each with its conversion.
    pub fn converted(&self) -> impl Iterator<Item = (TensorId, Converted)> + '_ {
        self.tensor_ids().filter_map(|id| {
            let TensorRole::Converted(converted) = self.tensor(id).role else { return None };
            Some((id, converted))
        })
    }

    /// The tensor that the caller passes where the loops read this one: the same, unless it was
    /// converted.
    pub fn passed_as(&self, id: TensorId) -> TensorId {
        let TensorRole::Converted(converted) = self.tensor(id).role else { return id };
        converted.of
    }

    /// The tensors that stand for comparisons of two variables.
    pub fn predicates(&self) -> impl Iterator<Item = (TensorId, Diagonal)> + '_ {
        self.tensor_ids().filter_map(|id| Some((id, self.predicate(id)?)))
    }

    /// The comparison that a tensor stands for, if it is one.
    pub fn predicate(&self, id: TensorId) -> Option<Diagonal> {
        let TensorRole::Predicate(diagonal) = self.tensor(id).role else { return None };
        Some(diagonal)
    }

    /// The choice of an arg-reduction, if a tensor holds one.
    pub fn choice(&self, id: TensorId) -> Option<Choice> {
        let TensorRole::Choice(choice) = self.tensor(id).role else { return None };
        Some(choice)
    }
}

impl Diagonal {
    /// The access of the tensor that stands for the comparison.
    pub fn access(self, tensor: TensorId) -> Access {
        Access { tensor, indices: vec![self.from, self.to] }
    }
}
