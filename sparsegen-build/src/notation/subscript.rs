//! Computed subscripts: coordinates that are not index variables but follow from some.

use crate::coordinate::Affine;

use super::{Access, Kernel, Reads, Slice, TensorId, VariableId};

/// An index into [`Kernel::subscripts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptId(pub usize);

/// A coordinate that is computed from variables, parameters and elements of tensors.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// `2*i + k - 1`: an affine subscript. It may lie outside of the mode, where it reads the fill
    /// value.
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
    /// Returns whether the coordinate is an element of `tensor`.
    pub fn reads(&self, tensor: TensorId) -> bool {
        match self {
            Subscript::Element(access) => access.tensor == tensor,
            Subscript::Affine(_) | Subscript::Listed(..) => false,
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
    /// Returns the computed subscript with this id.
    pub fn subscript(&self, id: SubscriptId) -> &Subscript {
        &self.subscripts[id.0]
    }

    /// Returns whether the coordinates of a slice's variable may lie outside of the mode, where the
    /// fill value is read. Elements of tensors and lists are checked before the loops.
    pub fn may_leave(&self, slice: &Slice) -> bool {
        match slice.reads {
            Reads::Range(range) => range.shift.is_some(),
            Reads::Window(_) => true,
            Reads::Subscript(subscript) => match self.subscript(subscript) {
                Subscript::Affine(_) => true,
                Subscript::Listed(list, _) => list.has_losers(),
                // Outside of its tensor an element is 0, which need not be a coordinate.
                Subscript::Element(access) => {
                    let slice = |v: &VariableId| self.variable(*v).role.slice();
                    let mut slices = access.indices.iter().filter_map(slice);
                    slices.any(|slice| self.may_leave(&slice))
                }
            },
            Reads::Fixed(_) | Reads::Variable(_) => false,
        }
    }

    /// Returns the variables of a computed subscript, except those of modes.
    pub fn variables_of_subscript(&self, id: SubscriptId) -> Vec<VariableId> {
        match self.subscript(id) {
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
    fn variables_of_index(&self, v: VariableId) -> Vec<VariableId> {
        let Some(slice) = self.variable(v).role.slice() else { return vec![v] };
        match slice.reads {
            Reads::Range(_) => vec![slice.of],
            Reads::Window(_) | Reads::Fixed(_) | Reads::Variable(_) | Reads::Subscript(_) => {
                match slice.subscript() {
                    Some(subscript) => self.variables_of_subscript(subscript),
                    None => slice.follows().map_or_else(Vec::new, |v| self.variables_of_index(v)),
                }
            }
        }
    }

    /// Prints `2*i + k - 1`, `word[i]`, `rows[i]`.
    pub fn show_subscript(&self, id: SubscriptId) -> String {
        match self.subscript(id) {
            Subscript::Affine(sum) => sum.show(|symbol| self.show_symbol(*symbol)),
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

    fn show_symbol(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Variable(v) => &self.variable(v).name,
            Symbol::Parameter(id) => &self.tensor(id).name,
        }
    }
}
