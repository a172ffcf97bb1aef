//! Every identifier of the generated code is invented here.
//!
//! `a2_crd`: tensor, level, array. `a_vals`. `p_a` is a position, `j_a` an operand's own
//! coordinate, `j` the resolved one, `j_size` an extent.

use std::collections::BTreeSet;

use crate::concrete::Program;
use crate::notation::names::{is_keyword, snake_case};
use crate::notation::{Access, List, Place, PlaceId, TensorId, TensorRole, VariableId};

pub(super) struct Names {
    /// By tensor: the argument's identifier.
    arguments: Vec<String>,
    /// By tensor: the stem of its arrays and positions.
    stems: Vec<String>,
    /// By variable.
    variables: Vec<String>,
    sizes: Vec<String>,
    /// What may be chosen next.
    candidate: String,
    /// What divides integers.
    division: String,
    /// By place: the list of an index set, where it is no argument.
    lists: Vec<String>,
    /// By tensor: whether it is read in more than one way, so that positions need the indices.
    ambiguous: Vec<bool>,
    /// By tensor: the only level whose positions need a name, if there is just one.
    only_level: Vec<Option<usize>>,
}

impl Names {
    pub(super) fn of(program: &Program) -> Names {
        let kernel = &program.kernel;
        let mut taken = BTreeSet::new();
        let arguments: Vec<String> = kernel
            .tensors
            .iter()
            .map(|tensor| {
                // Arguments are the user's choice and were found to differ. What a scalar held before
                // has the name of the scalar.
                let is_scalar = tensor.by_value && tensor.role == TensorRole::Previous;
                if tensor.role.is_argument() || is_scalar {
                    taken.insert(tensor.argument.clone());
                    tensor.argument.clone()
                } else {
                    fresh(&mut taken, &tensor.argument)
                }
            })
            .collect();
        let variables: Vec<String> =
            kernel.variables.iter().map(|v| fresh(&mut taken, &snake_case(&v.name))).collect();
        for name in &variables {
            taken.extend([format!("{name}_begin"), format!("{name}_end")]);
        }
        let lists = kernel.places.iter().map(|place| match place {
            Place::Listed(List::Numbers(_), v) => {
                fresh(&mut taken, &format!("{}_list", variables[v.0]))
            }
            Place::Listed(List::LastOfParameter(id), _) => {
                fresh(&mut taken, &format!("{}_last", arguments[id.0]))
            }
            Place::Listed(List::Parameter(_), _) | Place::Sum(_) | Place::Element(_) => {
                String::new()
            }
        });
        let lists = lists.collect();
        let sizes =
            variables.iter().map(|name| fresh(&mut taken, &format!("{name}_size"))).collect();
        let stems = arguments
            .iter()
            .enumerate()
            .map(|(id, argument)| {
                let mut stem = argument.trim_start_matches("r#").to_owned();
                while derived(program, &variables, TensorId(id), &stem)
                    .iter()
                    .any(|name| taken.contains(name))
                {
                    stem.push('_');
                }
                taken.extend(derived(program, &variables, TensorId(id), &stem));
                stem
            })
            .collect();
        let candidate = fresh(&mut taken, "value");
        let division = fresh(&mut taken, "division");
        let reads = program.body.reads();
        let ways = |id| reads.iter().filter(|access| access.tensor == TensorId(id)).count();
        Names {
            ambiguous: (0..arguments.len()).map(|id| ways(id) > 1).collect(),
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
            arguments,
            stems,
            variables,
            sizes,
            candidate,
            division,
            lists,
        }
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
    pub(super) fn candidate(&self) -> &str {
        &self.candidate
    }

    /// What divides integers, and notes divisions by zero.
    pub(super) fn division(&self) -> &str {
        &self.division
    }

    /// Whether anything went into a temporary.
    pub(super) fn found(&self, temporary: TensorId) -> String {
        match self.argument(temporary) {
            "sum" => "found".to_owned(),
            other => format!("{other}_found"),
        }
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
        let separator =
            if access.indices.iter().all(|v| self.variable(*v).len() == 1) { "" } else { "_" };
        names.collect::<Vec<_>>().join(separator)
    }
}

/// The names that begin with or end in a tensor's stem.
fn derived(program: &Program, variables: &[String], id: TensorId, stem: &str) -> Vec<String> {
    let levels = &program.tensor(id).format.levels;
    let mut names = vec![
        format!("{stem}_vals"),
        format!("{stem}_slots"),
        format!("{stem}_sum"),
        format!("{stem}_sum_each"),
        format!("{stem}_value"),
    ];
    let mut positions = vec![format!("p_{stem}")];
    for (level, spec) in levels.iter().enumerate() {
        let level = level + 1;
        let arrays = spec.level.arrays().iter().map(|array| array.field);
        let fields = arrays
            .chain(spec.level.numbers().iter().copied())
            .chain(["begin", "found", "seen", "sorted"]);
        for field in fields {
            names.push(format!("{stem}{level}_{field}"));
            names.push(format!("{stem}{level}_{field}_at"));
        }
        positions.push(format!("p_{stem}{level}"));
    }
    for position in positions {
        names.extend(
            [
                "_end",
                "_next",
                "_slot",
                "_each",
                "_leap",
                "_begin",
                "_block",
                "_share",
                "_at",
                "_is_there",
            ]
            .map(|suffix| format!("{position}{suffix}")),
        );
        let iterations = levels.iter().filter_map(|spec| spec.level.position_iteration());
        let carried = iterations.flat_map(|iteration| iteration.all_carried());
        names.extend(carried.map(|name| format!("{position}_{name}")));
        names.push(position);
    }
    names.extend(variables.iter().map(|variable| format!("{variable}_{stem}")));
    names
}

/// The name, or the first variation of it that is free.
fn fresh(taken: &mut BTreeSet<String>, name: &str) -> String {
    let mut candidate = name.to_owned();
    while is_keyword(&candidate) || !taken.insert(candidate.clone()) {
        candidate.push('_');
    }
    candidate
}
