//! The provisional names of everything that a body uses.
//!
//! `‹a›2_crd`: tensor, level, array. `‹a›_vals`. `p_‹a›` is a position, `‹j›_‹a›` an operand's own
//! coordinate, `‹j›` the resolved one, `‹j›_size` an extent. What the user or a tensor is called
//! stands between `‹` and `›`, so names of different things differ whatever suffix a stage or a
//! level adds; [`Names::settle`] makes identifiers of them. Arguments alone are identifiers already.

use crate::concrete::Program;
use crate::ir::Function;
use crate::names::{Identifiers, provisional, provisional_of_several, snake_case};
use crate::notation::{Access, List, Place, PlaceId, TensorId, TensorRole, VariableId};

pub(super) struct Names {
    /// By tensor: the argument's identifier, or a temporary's name.
    arguments: Vec<String>,
    /// By tensor: the stem of its arrays and positions.
    stems: Vec<String>,
    /// By variable.
    variables: Vec<String>,
    /// By variable: whether a single letter is its identifier.
    is_short: Vec<bool>,
    sizes: Vec<String>,
    /// By place: the list of an index set, where it is no argument.
    lists: Vec<String>,
    /// By temporary: the flag that is set once anything goes into it.
    found: Vec<String>,
    /// By tensor: whether it is read in more than one way, so that positions need the indices.
    ambiguous: Vec<bool>,
    /// By tensor: the only level whose positions need a name, if there is just one.
    only_level: Vec<Option<usize>>,
}

impl Names {
    pub(super) fn of(program: &Program) -> Names {
        let kernel = &program.kernel;
        // What a scalar held before has the name of the scalar.
        let is_users = |id: usize| {
            let tensor = &kernel.tensors[id];
            let is_scalar = tensor.by_value && tensor.role == TensorRole::Previous;
            tensor.role.is_argument() || is_scalar
        };
        // Of several temporaries, or variables, with the same name each has a number.
        let wished: Vec<&str> =
            kernel.tensors.iter().map(|tensor| tensor.argument.as_str()).collect();
        let count =
            |id: usize| (0..=id).filter(|k| !is_users(*k) && wished[*k] == wished[id]).count();
        let stems: Vec<String> = (0..wished.len())
            .map(|id| match is_users(id) {
                true => provisional(wished[id]),
                false => provisional_of_several(wished[id], count(id)),
            })
            .collect();
        let arguments = (0..wished.len())
            .map(|id| if is_users(id) { wished[id].to_owned() } else { stems[id].clone() });
        let found = stems.iter().enumerate().map(|(id, stem)| match wished[id] {
            "sum" => stem.replacen("sum", "found", 1),
            _ => format!("{stem}_found"),
        });
        let spelt: Vec<&str> = kernel.variables.iter().map(|v| v.name.as_str()).collect();
        let variables: Vec<String> = (0..spelt.len())
            .map(|v| match spelt[..v].iter().filter(|other| **other == spelt[v]).count() {
                0 => provisional(spelt[v]),
                before => provisional_of_several(spelt[v], before + 1),
            })
            .collect();
        let lists = kernel.places.iter().enumerate().map(|(id, place)| match place {
            Place::Listed(List::Numbers(_), v) => {
                format!("{}_list", provisional_of_several(spelt[v.0], id))
            }
            Place::Listed(List::LastOfParameter(parameter), _) => {
                format!("{}_last", provisional_of_several(wished[parameter.0], id))
            }
            Place::Listed(List::Parameter(_), _) | Place::Sum(_) | Place::Element(_) => {
                String::new()
            }
        });
        let reads = program.body.reads();
        let ways = |id| reads.iter().filter(|access| access.tensor == TensorId(id)).count();
        Names {
            ambiguous: (0..wished.len()).map(|id| ways(id) > 1).collect(),
            only_level: kernel
                .tensors
                .iter()
                .map(|tensor| {
                    let levels = &tensor.format.levels;
                    let named = (0..levels.len()).filter(|k| {
                        let spec = &levels[*k];
                        let searched = spec.level.locate().is_none();
                        (searched && !spec.properties.branchless)
                            || (!searched && k + 1 == levels.len())
                    });
                    let named: Vec<usize> = named.collect();
                    if let [only] = named[..] { Some(only) } else { None }
                })
                .collect(),
            arguments: arguments.collect(),
            found: found.collect(),
            sizes: variables.iter().map(|name| format!("{name}_size")).collect(),
            is_short: spelt.iter().map(|name| snake_case(name).len() == 1).collect(),
            variables,
            lists: lists.collect(),
            stems,
        }
    }

    /// Makes identifiers of all names of a function, those of variables first.
    pub(super) fn settle(&self, function: &mut Function, identifiers: &mut Identifiers) {
        for variable in &self.variables {
            identifiers.identifier(variable);
        }
        function.rename(&mut |name| identifiers.identifier(name));
    }

    /// What the names of a tensor's arrays and positions are made of.
    pub(super) fn stem(&self, id: TensorId) -> &str {
        &self.stems[id.0]
    }

    /// A tensor's argument, or a temporary's variable.
    pub(super) fn argument(&self, id: TensorId) -> &str {
        &self.arguments[id.0]
    }

    /// `a2_crd`
    pub(super) fn array(&self, id: TensorId, level: usize, field: &str) -> String {
        format!("{}{}_{field}", self.stems[id.0], level + 1)
    }

    /// The number of slots of a tensor whose level counts entries.
    pub(super) fn slots(&self, id: TensorId) -> String {
        format!("{}_slots", self.stems[id.0])
    }

    /// `a_vals`
    pub(super) fn values(&self, id: TensorId) -> String {
        format!("{}_vals", self.stems[id.0])
    }

    /// `j`
    pub(super) fn variable(&self, v: VariableId) -> &str {
        &self.variables[v.0]
    }

    /// `j_list`: the coordinates of an index set.
    pub(super) fn list(&self, place: PlaceId) -> &str {
        &self.lists[place.0]
    }

    /// `j_size`
    pub(super) fn size(&self, v: VariableId) -> &str {
        &self.sizes[v.0]
    }

    /// `i_begin` and `i_end`: the part of a variable's coordinates that a thread has.
    pub(super) fn part(&self, v: VariableId) -> (String, String) {
        let name = self.variable(v);
        (format!("{name}_begin"), format!("{name}_end"))
    }

    /// `p_a`, or `p_a2` where several levels of the tensor have positions of their own.
    pub(super) fn position(&self, access: &Access, level: usize) -> String {
        let stem = self.reader(access);
        match self.only_level[access.tensor.0] {
            Some(only) if only == level => format!("p_{stem}"),
            Some(_) | None => format!("p_{}", self.numbered(access, level)),
        }
    }

    /// `j_a`
    pub(super) fn coordinate(&self, v: VariableId, access: &Access) -> String {
        format!("{}_{}", self.variable(v), self.reader(access))
    }

    /// `a2_sorted`: a level's entries, copied and sorted.
    pub(super) fn sorted(&self, access: &Access, level: usize) -> String {
        format!("{}_sorted", self.numbered(access, level))
    }

    /// What an operand's duplicates at one place add up to.
    pub(super) fn summed(&self, access: &Access) -> String {
        format!("{}_sum", self.reader(access))
    }

    /// A value that is compared with the best so far.
    pub(super) fn candidate(&self) -> &'static str {
        "‹value›"
    }

    /// What divides integers, and notes divisions by zero.
    pub(super) fn division(&self) -> &'static str {
        "‹division›"
    }

    /// Whether anything went into a temporary.
    pub(super) fn found(&self, temporary: TensorId) -> String {
        self.found[temporary.0].clone()
    }

    fn reader(&self, access: &Access) -> String {
        let stem = &self.stems[access.tensor.0];
        if self.ambiguous[access.tensor.0] {
            format!("{stem}_{}", self.indices(access))
        } else {
            stem.clone()
        }
    }

    fn numbered(&self, access: &Access, level: usize) -> String {
        let stem = &self.stems[access.tensor.0];
        if self.ambiguous[access.tensor.0] {
            format!("{stem}{}_{}", level + 1, self.indices(access))
        } else {
            format!("{stem}{}", level + 1)
        }
    }

    fn indices(&self, access: &Access) -> String {
        let names = access.indices.iter().map(|v| self.variable(*v));
        let are_short = access.indices.iter().all(|v| self.is_short[v.0]);
        names.collect::<Vec<_>>().join(if are_short { "" } else { "_" })
    }
}
