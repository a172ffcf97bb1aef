//! Places: the coordinates at which modes are read that are no index variables themselves but follow
//! from some.

use super::{Access, Coordinate, Kernel, Reads, Slice, TensorId, VariableId};

/// An index into [`Kernel::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub usize);

/// A coordinate that follows from variables, parameters and what tensors hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `2*i + k - 1`: a stencil. It may lie outside of the mode, where nothing is stored.
    Sum(Vec<Term>),
    /// `word[i]`: a gather.
    Element(Access),
    /// `{2, 3}` or `rows`, at a variable: an index set.
    Listed(List, VariableId),
}

/// `2*i`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// How often it counts.
    pub times: i64,
    /// What counts.
    pub of: Factor,
}

/// What a term of a place has, beside a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// Nothing else.
    One,
    /// An index variable.
    Variable(VariableId),
    /// A parameter.
    Parameter(TensorId),
}

/// The coordinates of an index set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// `{2, 3}`; nothing for those that others win over.
    Numbers(Vec<Option<u64>>),
    /// `rows`, a parameter that lists coordinates.
    Parameter(TensorId),
    /// As the parameter, for a result, where of equal coordinates the last wins.
    LastOfParameter(TensorId),
}

impl List {
    /// The list of a result.
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

    /// Whether it may have coordinates that others win over.
    pub fn has_losers(&self) -> bool {
        match self {
            List::Numbers(numbers) => numbers.iter().any(Option::is_none),
            List::Parameter(_) => false,
            List::LastOfParameter(_) => true,
        }
    }
}

impl Place {
    /// Returns whether the coordinate is an element of `tensor`.
    pub fn reads(&self, tensor: TensorId) -> bool {
        match self {
            Place::Element(access) => access.tensor == tensor,
            Place::Sum(_) | Place::Listed(..) => false,
        }
    }
}

/// A sum in which each factor stands once, in the order of first appearance.
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
    /// The place of an id.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0]
    }

    /// Whether some of what the variable of a part counts may lie outside of the mode, where nothing is
    /// read. What tensors and lists name is looked at before.
    pub fn may_leave(&self, slice: &Slice) -> bool {
        match slice.reads {
            Reads::Range(range) => range.shift.is_some(),
            Reads::Window(_) => true,
            Reads::At(Coordinate::Place(place)) => match self.place(place) {
                Place::Sum(_) => true,
                Place::Listed(list, _) => list.has_losers(),
                // Outside of the tensor is 0, which need not be a coordinate.
                Place::Element(access) => {
                    let slice = |v: &VariableId| self.variable(*v).role.slice();
                    let mut slices = access.indices.iter().filter_map(slice);
                    slices.any(|slice| self.may_leave(&slice))
                }
            },
            Reads::At(Coordinate::Fixed(_) | Coordinate::Variable(_)) => false,
        }
    }

    /// The variables from which a place follows, those of modes left out.
    pub fn variables_of_place(&self, id: PlaceId) -> Vec<VariableId> {
        match self.place(id) {
            Place::Sum(terms) => {
                let variables = terms.iter().filter_map(|term| match term.of {
                    Factor::Variable(v) => Some(v),
                    Factor::One | Factor::Parameter(_) => None,
                });
                variables.collect()
            }
            Place::Element(access) => {
                access.indices.iter().flat_map(|v| self.variables_of_index(*v)).collect()
            }
            Place::Listed(_, v) => vec![*v],
        }
    }

    /// The index variables from which a mode's coordinate follows without any loop of its own.
    fn variables_of_index(&self, v: VariableId) -> Vec<VariableId> {
        let Some(slice) = self.variable(v).role.slice() else { return vec![v] };
        match slice.reads {
            Reads::Range(_) => vec![slice.of],
            Reads::Window(_) | Reads::At(_) => match slice.place() {
                Some(place) => self.variables_of_place(place),
                None => slice.follows().map_or_else(Vec::new, |v| self.variables_of_index(v)),
            },
        }
    }

    /// `2*i + k - 1`, `word[i]`, `rows[i]`
    pub fn show_place(&self, id: PlaceId) -> String {
        match self.place(id) {
            Place::Sum(terms) => self.show_sum(terms),
            Place::Element(access) => self.show_access(access),
            Place::Listed(List::Numbers(numbers), v) => {
                let numbers = numbers.iter().flatten().map(u64::to_string);
                let numbers: Vec<_> = numbers.collect();
                format!("{} in {{{}}}", self.variable(*v).name, numbers.join(", "))
            }
            Place::Listed(List::Parameter(list) | List::LastOfParameter(list), v) => {
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
