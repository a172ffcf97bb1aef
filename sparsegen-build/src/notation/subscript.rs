//! Subscripts: the coordinates of modes as functions of variables, parameters and elements of
//! tensors.

use crate::coordinate::Affine;

use super::{Access, Kernel, TensorId, VariableId};

/// A coordinate as a function of variables, parameters and elements of tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// `2*i + k - 1`, `3` or `n`.
    Affine(Affine<Symbol>),
    /// `word[i]`: a gather.
    Element(Access),
    /// `{2, 3}` or `rows` at a variable: an index set.
    Listed(List, VariableId),
}

/// A variable or parameter of an affine subscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An index variable.
    Variable(VariableId),
    /// A parameter.
    Parameter(TensorId),
}

/// The coordinates of an index set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// `{2, 3}`; `None` for a coordinate that a later one overrides.
    Numbers(Vec<Option<u64>>),
    /// `rows`, a parameter.
    Parameter(TensorId),
    /// A parameter of a result, in which the last of equal coordinates takes effect.
    LastOfParameter(TensorId),
}

impl List {
    /// Returns the list for a result.
    pub fn last_of_each(self) -> List {
        match self {
            List::Numbers(numbers) => {
                let is_last = |k: usize| !numbers[k + 1..].contains(&numbers[k]);
                let last = (0..numbers.len()).map(|k| numbers[k].filter(|_| is_last(k)));
                List::Numbers(last.collect())
            }
            List::Parameter(id) | List::LastOfParameter(id) => List::LastOfParameter(id),
        }
    }

    /// Returns whether a coordinate may be overridden by a later one.
    pub fn has_losers(&self) -> bool {
        match self {
            List::Numbers(numbers) => numbers.iter().any(Option::is_none),
            List::Parameter(_) => false,
            List::LastOfParameter(_) => true,
        }
    }
}

impl Subscript {
    /// Returns the access of whose tensor the coordinate is an element, if it is one.
    pub fn element(&self) -> Option<&Access> {
        match self {
            Subscript::Element(access) => Some(access),
            Subscript::Affine(_) | Subscript::Listed(..) => None,
        }
    }
}

impl Symbol {
    /// Returns the index variable, if it is one.
    pub fn as_variable(self) -> Option<VariableId> {
        match self {
            Symbol::Variable(v) => Some(v),
            Symbol::Parameter(_) => None,
        }
    }
}

impl Kernel {
    /// Returns whether some subscript is an element of `tensor`.
    pub fn is_subscript(&self, tensor: TensorId) -> bool {
        let mut elements = self.slices().filter_map(|(_, slice)| slice.at.element());
        elements.any(|access| access.tensor == tensor)
    }

    /// Prints `2*i + k - 1`, `word[i]`, `rows[i]`.
    pub fn show_subscript(&self, at: &Subscript) -> String {
        match at {
            Subscript::Affine(sum) => self.show_sum(sum),
            Subscript::Element(access) => self.show_access(access),
            Subscript::Listed(List::Numbers(numbers), v) => {
                let numbers = numbers.iter().flatten().map(u64::to_string);
                let numbers: Vec<_> = numbers.collect();
                format!("{} in {{{}}}", self.variable(*v).name, numbers.join(", "))
            }
            Subscript::Listed(List::Parameter(list) | List::LastOfParameter(list), v) => {
                format!("{} in {}", self.variable(*v).name, self.tensor(*list).name)
            }
        }
    }

    pub(super) fn show_sum(&self, sum: &Affine<Symbol>) -> String {
        sum.show(|symbol| match symbol {
            Symbol::Variable(v) => &self.variable(*v).name,
            Symbol::Parameter(id) => &self.tensor(*id).name,
        })
    }
}
