//! The provisional names of everything that a body uses.
//!
//! `‹a›2_crd` consists of tensor, level and array. `‹a›_vals` are values, `p_‹a›` is a position,
//! `‹j›_‹a›` an operand's own coordinate, `‹j›` the resolved one, and `‹j›_size` an extent. Names
//! of the user and of tensors are enclosed in `‹` and `›`, so that different names stay different
//! with any suffix that a stage or a level adds; [`Names::assign_identifiers`] assigns identifiers to them.
//! Names of the compiler's own, such as `division‹›`, have them at the end.
//! Only arguments have identifiers from the beginning.

use std::collections::BTreeMap;

use crate::concrete::Program;
use crate::concrete::parted::{Divides, Parted};
use crate::ir::Function;
use crate::names::{Identifiers, provisional, provisional_of_several, snake_case};
use crate::notation::{Access, List, TensorId, TensorRole, VariableId};

pub(super) struct Names {
    /// By tensor: the identifier of the argument, or the name of the temporary.
    arguments: Vec<String>,
    /// By tensor: the prefix of its arrays and positions.
    stems: Vec<String>,
    /// By variable.
    variables: Vec<String>,
    /// By variable: `true` if its identifier is a single letter.
    is_short: Vec<bool>,
    sizes: Vec<String>,
    /// By variable of a mode: the list of its index set, unless it is an argument.
    lists: BTreeMap<VariableId, String>,
    /// By temporary: the flag that records whether a value was stored.
    found: Vec<String>,
    /// By tensor: `true` if it has several accesses, so that the names of positions include the
    /// indices.
    ambiguous: Vec<bool>,
    /// By tensor: the only level whose positions have a name, if there is just one.
    only_level: Vec<Option<usize>>,
    /// By tensor: `true` if it is a workspace that is looked up, whose entries have its own name.
    looked_up: Vec<bool>,
    /// The tensor with the previous values of a result that overwrites them, and the result.
    overwritten: Option<[TensorId; 2]>,
}

impl Names {
    pub(super) fn of(program: &Program) -> Names {
        let kernel = &program.kernel;
        // The previous value of a scalar has the name of the scalar.
        let is_users = |id: usize| {
            let tensor = &kernel.tensors[id];
            let is_scalar = tensor.by_value && tensor.role == TensorRole::Previous;
            tensor.role.is_argument() || is_scalar
        };
        // Temporaries or variables with the same name are numbered.
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
        let lists = kernel.slices().filter_map(|(mode, slice)| {
            let name = match slice.list()? {
                (List::Numbers(_), v) => {
                    format!("{}_list", provisional_of_several(spelt[v.0], mode.0))
                }
                (List::LastOfParameter(parameter), _) => {
                    format!("{}_last", provisional_of_several(wished[parameter.0], mode.0))
                }
                (List::Parameter(_), _) => return None,
            };
            Some((mode, name))
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
            looked_up: kernel.tensor_ids().map(|id| program.is_looked_up(id)).collect(),
            overwritten: program.targets.iter().find_map(|target| {
                Some([kernel.previous().filter(|_| target.overwrites)?, target.access.tensor])
            }),
            stems,
        }
    }

    /// Assigns identifiers to all names of a function, first to those of variables.
    pub(super) fn assign_identifiers(
        &self,
        function: &mut Function,
        identifiers: &mut Identifiers,
    ) {
        for variable in &self.variables {
            identifiers.identifier(variable);
        }
        function.rename(&mut |name| identifiers.identifier(name));
    }

    /// Returns the prefix of the names of a tensor's arrays and positions.
    pub(super) fn stem(&self, id: TensorId) -> &str {
        &self.stems[id.0]
    }

    /// Returns the argument of a tensor, or the variable of a temporary.
    pub(super) fn argument(&self, id: TensorId) -> &str {
        &self.arguments[id.0]
    }

    /// Returns `a2_crd`, or `w` for the entries of a workspace that is looked up.
    pub(super) fn array(&self, id: TensorId, level: usize, field: &str) -> String {
        if self.looked_up[id.0] {
            return self.arguments[id.0].clone();
        }
        format!("{}{}_{field}", self.stems[id.0], level + 1)
    }

    /// Returns the name of the number of slots of a tensor with a level that counts entries.
    pub(super) fn slots(&self, id: TensorId) -> String {
        format!("{}_slots", self.stems[id.0])
    }

    /// Returns `a_vals`, or `w` for a workspace that is looked up.
    pub(super) fn values(&self, id: TensorId) -> String {
        if self.looked_up[id.0] {
            return self.arguments[id.0].clone();
        }
        let id = self.overwritten.map_or(id, |[old, new]| if id == old { new } else { id });
        format!("{}_vals", self.stems[id.0])
    }

    /// Returns `j`.
    pub(super) fn variable(&self, v: VariableId) -> &str {
        &self.variables[v.0]
    }

    /// Returns `j_list`, the name of the coordinates of the index set of a mode, or an empty name if
    /// it is an argument.
    pub(super) fn list(&self, mode: VariableId) -> &str {
        self.lists.get(&mode).map_or("", String::as_str)
    }

    /// Returns `j_size`.
    pub(super) fn size(&self, v: VariableId) -> &str {
        &self.sizes[v.0]
    }

    /// Returns `i_begin` and `i_end`, the bounds of the part of a variable's coordinates for a
    /// thread.
    pub(super) fn part(&self, v: VariableId) -> (String, String) {
        let name = self.variable(v);
        (format!("{name}_begin"), format!("{name}_end"))
    }

    /// Returns the bounds of a part of the coordinates that are divided: `i_begin` and `i_end`, or
    /// `i_first` and `i_after` if these are not the coordinates of the loop.
    pub(super) fn divided(&self, parted: &Parted) -> (String, String) {
        match parted.divides {
            Divides::Own => self.part(parted.variable),
            Divides::Blocks(..) | Divides::Slice(_) => self.own(parted.divided()),
        }
    }

    /// Returns `j_rest`, the number of a variable's coordinates that have not been visited.
    pub(super) fn rest(&self, v: VariableId) -> String {
        format!("{}_rest", self.variable(v))
    }

    /// Returns `j_gap`, the first of a variable's coordinates that has not been visited.
    pub(super) fn gap(&self, v: VariableId) -> String {
        format!("{}_gap", self.variable(v))
    }

    /// Returns `i_first` and `i_after`, the bounds of the coordinates of which a thread has the values of
    /// the result.
    pub(super) fn own(&self, v: VariableId) -> (String, String) {
        let name = self.variable(v);
        (format!("{name}_first"), format!("{name}_after"))
    }

    /// Returns `p_a`, or `p_a2` if positions of several levels of the tensor have names.
    pub(super) fn position(&self, access: &Access, level: usize) -> String {
        let stem = self.reader(access);
        match self.only_level[access.tensor.0] {
            Some(only) if only == level => format!("p_{stem}"),
            Some(_) | None => format!("p_{}", self.numbered(access, level)),
        }
    }

    /// Returns `j_a`.
    pub(super) fn coordinate(&self, v: VariableId, access: &Access) -> String {
        format!("{}_{}", self.variable(v), self.reader(access))
    }

    /// Returns `a2_sorted`, the name of the sorted copy of the entries of a level, or `a_sorted` for a
    /// copy of the entries of all levels.
    pub(super) fn sorted(&self, access: &Access, level: Option<usize>) -> String {
        let of = level.map_or_else(|| self.reader(access), |level| self.numbered(access, level));
        format!("{of}_sorted")
    }

    /// Returns the name of the value of an operand at a coordinate at which it may have no entry.
    pub(super) fn value(&self, access: &Access) -> String {
        format!("{}_value", self.reader(access))
    }

    /// Returns the name of the sum of an operand's duplicates at one coordinate.
    pub(super) fn summed(&self, access: &Access) -> String {
        format!("{}_sum", self.reader(access))
    }

    /// Returns the name of a value that is compared with the best one so far.
    pub(super) fn candidate(&self) -> &'static str {
        "value‹›"
    }

    /// Returns the name of the object that divides integers and records divisions by zero.
    pub(super) fn division(&self) -> &'static str {
        "division‹›"
    }

    /// Returns the name of the flag that records whether a value was stored into a temporary.
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
