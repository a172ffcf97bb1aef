//! Computed subscripts: coordinates that are not index variables but follow from some.

use super::{Access, Coordinate, Kernel, Reads, Slice, TensorId, VariableId};

/// An index into [`Kernel::subscripts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptId(pub usize);

/// A coordinate that is computed from variables, parameters and elements of tensors.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// `2*i + k - 1`: an affine subscript. It may lie outside of the mode, where it reads the fill
    /// value.
    Sum(Vec<Term>),
    /// `word[i]`: a gather.
    Element(Access),
    /// `{2, 3}` or `rows` at a variable: an index set.
    Listed(List, VariableId),
}

/// `2*i`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The factor.
    pub times: i64,
    /// The variable or parameter.
    pub of: Factor,
}

/// The variable or parameter of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// None: the term is a constant.
    One,
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
            Subscript::Sum(_) | Subscript::Listed(..) => false,
        }
    }
}

/// Returns a sum with the terms of equal variables combined, in the order of their first use.
pub fn sum_of(terms: Vec<Term>) -> Vec<Term> {
    let mut sum: Vec<Term> = Vec::new();
    for term in terms {
        match sum.iter_mut().find(|known| known.of == term.of) {
            Some(known) => known.times += term.times,
            None => sum.push(term),
        }
    }
    sum.retain(|term| term.times != 0);
    sum
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
            Reads::At(Coordinate::Subscript(subscript)) => match self.subscript(subscript) {
                Subscript::Sum(_) => true,
                Subscript::Listed(list, _) => list.has_losers(),
                // Outside of its tensor an element is 0, which need not be a coordinate.
                Subscript::Element(access) => {
                    let slice = |v: &VariableId| self.variable(*v).role.slice();
                    let mut slices = access.indices.iter().filter_map(slice);
                    slices.any(|slice| self.may_leave(&slice))
                }
            },
            Reads::At(Coordinate::Fixed(_) | Coordinate::Variable(_)) => false,
        }
    }

    /// Returns the variables of a computed subscript, except those of modes.
    pub fn variables_of_subscript(&self, id: SubscriptId) -> Vec<VariableId> {
        match self.subscript(id) {
            Subscript::Sum(terms) => {
                let variables = terms.iter().filter_map(|term| match term.of {
                    Factor::Variable(v) => Some(v),
                    Factor::One | Factor::Parameter(_) => None,
                });
                variables.collect()
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
            Reads::Window(_) | Reads::At(_) => match slice.subscript() {
                Some(subscript) => self.variables_of_subscript(subscript),
                None => slice.follows().map_or_else(Vec::new, |v| self.variables_of_index(v)),
            },
        }
    }

    /// Prints `2*i + k - 1`, `word[i]`, `rows[i]`.
    pub fn show_subscript(&self, id: SubscriptId) -> String {
        match self.subscript(id) {
            Subscript::Sum(terms) => self.show_sum(terms),
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

    fn show_sum(&self, terms: &[Term]) -> String {
        let mut text = String::new();
        for Term { times, of } in terms {
            text.push_str(match (text.is_empty(), *times < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let times = times.unsigned_abs();
            let name = match of {
                Factor::One => None,
                Factor::Variable(v) => Some(&self.variable(*v).name),
                Factor::Parameter(id) => Some(&self.tensor(*id).name),
            };
            text.push_str(&match (times, name) {
                (times, None) => times.to_string(),
                (1, Some(name)) => name.clone(),
                (times, Some(name)) => format!("{times}*{name}"),
            });
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
