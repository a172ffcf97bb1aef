//! Assembly of results: levels insert if their positions exist beforehand, and append if entries
//! are in order.
//!
//! Levels that append are filled in the loops over their variables. The coordinates of a branching
//! level and of the branchless levels below it are appended together, when the last of them is
//! known. A parent whose children are appended is appended after them, and only if it has any.

use crate::concrete::parted::{Parted, Stores};
use crate::concrete::{Program, Target};
use crate::format::{Format, LevelSpec};
use crate::ir::{
    Array, Assembly, Bound, Cover, Element, Expr, Ground, Stmt, TensorResult, Unchecked,
};
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::visits::{appends_distinct, covers, level_variables, visits_all};
use crate::level::{Segment, Storage};
use crate::notation::{Access, TensorId, VariableId};
use crate::types::Dtype;

use super::capacity::{fits, takes_one};
use super::combine::Combine;
use super::entries::{entries_of_part, most_entries};
use super::names::Names;
use super::parallel::within_chunk;
use super::scope::Scope;
use super::sizes;
use super::storages::{arrays, values_of};
use super::value::{literal, semiring_constant};
use divided::coordinates;
use placed::{Placement, placement};

mod append;
mod buckets;
mod divided;
mod ends;
mod insert;
mod joined;
mod known;
mod padding;
mod passes;
mod placed;
mod store;
mod structure;

/// The purpose of the loops of a result whose entries are appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To count the entries of each parent, before they are stored.
    Count,
    /// To store the entries after they have been counted.
    Fill,
    /// To assemble the result in one pass.
    Assemble,
    /// To compute only its values, and to check that it was assembled for operands of the same
    /// structure.
    Compute,
}

pub(super) struct Assembler<'p> {
    program: &'p Program,
    result: &'p Target,
    target: &'p Access,
    argument: String,
    position: String,
    vals: String,
    arrays: Vec<Array>,
    storages: Vec<Storage>,
    purpose: Purpose,
    /// The first coordinate of the part that is assembled, if a part has only the positions of its
    /// coordinates.
    part: Option<String>,
    /// The coordinates of the part whose values are computed, if the structure exists.
    divided: Option<Segment>,
    /// `true` if some level has arrays; otherwise all positions exist beforehand.
    has_structure: bool,
    /// `true` if a first pass of the loops assembles the structure, and a second one the values.
    has_structure_first: bool,
    /// The level whose coordinates are appended in any order for each parent, if they may be stored
    /// again.
    scattered: Option<usize>,
    /// The same level, if the loops store each coordinate once.
    distinct: Option<usize>,
    /// How each coordinate is stored at the next position of its parent, if they are.
    placement: Option<Placement>,
    /// For each level, `true` if the loops visit all its positions in order.
    contiguous: Vec<bool>,
    /// For each level, `true` if every coordinate that the loops visit has an entry below it.
    certain: Vec<bool>,
    /// `true` if every entry is stored exactly once, so that it need not be initialized.
    covers: bool,
    /// An upper bound of the number of entries.
    bound: Option<(Expr, Ground)>,
}

impl<'p> Assembler<'p> {
    pub(super) fn of(
        program: &'p Program,
        result: &'p Target,
        plan: &Plan,
        names: &Names,
        storages: &[Vec<Storage>],
        purpose: Purpose,
        parted: Option<(&Parted, Stores)>,
    ) -> Assembler<'p> {
        let target = &result.access;
        let format = &program.tensor(target.tensor).format;
        let levels = &format.levels;
        let entries = |access: &Access| match parted {
            None => Some(Expr::len(&names.values(access.tensor))),
            Some((parted, _)) => {
                entries_of_part(program, names, &storages[access.tensor.0], parted, access)
            }
        };
        let mut own = storages[target.tensor.0].clone();
        // A part has positions for its own coordinates only.
        let is_known = purpose == Purpose::Compute;
        let is_chunk = levels.first().is_some_and(|spec| spec.level.insert().is_some());
        let chunk = parted.filter(|_| is_chunk && !is_known);
        let part = chunk.and_then(|(parted, stores)| match stores {
            Stores::Apart => Some(names.divided(parted)),
            Stores::Intervals => Some(names.own(program.level_variable(target, 0)?)),
            Stores::Joined | Stores::Merged | Stores::Copies | Stores::Reductions => None,
        });
        if let (Some((begin, end)), Some(outermost)) = (&part, own.first_mut()) {
            outermost.size = within_chunk(Expr::var(end), begin);
        }
        let variables = level_variables(program, target);
        let last = levels.len().saturating_sub(1);
        let is_joined = parted.is_some_and(|(_, stores)| stores == Stores::Joined);
        let placement = placement(program, result, plan, names, is_joined);
        let ends = placement.as_ref().and_then(|of| of.ends.clone());
        let is_distinct = purpose == Purpose::Assemble && appends_distinct(program, result, plan);
        let distinct = format.scattered().filter(|_| is_distinct);
        let scattered = format.scattered().filter(|_| distinct.is_none());
        let mut assembler = Assembler {
            program,
            result,
            target,
            argument: names.stem(target.tensor).to_owned(),
            position: names.position(target, last),
            vals: names.values(target.tensor),
            arrays: arrays(program, names, target.tensor).into_iter().chain(ends).collect(),
            storages: own,
            purpose,
            part: part.map(|(begin, _)| begin),
            divided: parted.filter(|_| is_known).map(|(of, _)| coordinates(program, names, of)),
            has_structure: !program.tensor(target.tensor).format.has_every_position(),
            has_structure_first: format.has_structure_first(),
            scattered,
            distinct,
            placement,
            contiguous: variables.iter().map(|v| visits_all(program, result, plan, *v)).collect(),
            certain: Vec::new(),
            // A part covers only some of the entries of its copy.
            covers: parted
                .is_none_or(|(_, stores)| !matches!(stores, Stores::Copies | Stores::Intervals))
                && covers(program, result, plan),
            // It is too small for a full level.
            bound: match levels.iter().any(must_fill) {
                false
                    if !program.has_versions
                        && format.placed().is_none()
                        && scattered.is_none() =>
                {
                    most_entries(program, target, plan, &entries)
                }
                true | false => None,
            },
        };
        assembler.certain = variables.iter().map(|v| assembler.stores_at_each(plan, *v)).collect();
        assembler
    }

    /// Returns the result of the function's signature, or `None` for a scalar.
    pub(super) fn result(&self, cover: Option<Cover>) -> Option<TensorResult> {
        let tensor = self.program.tensor(self.target.tensor);
        if self.target.indices.is_empty() {
            return None;
        }
        let assembly = if self.purpose == Purpose::Compute {
            self.computed()
        } else if self.has_structure {
            Assembly::Assembled {
                arrays: self.arrays.clone(),
                extents: self.extents(),
                fits: fits(self.levels(), &self.storages, &self.vals),
            }
        } else {
            let vals = Array {
                name: self.vals.clone(),
                element: self.element(),
                place: crate::ir::Place::Values,
            };
            let zeroed = !self.covers && !self.result.in_place && !self.result.is_partial;
            Assembly::Computed { vals, zeroed, structure: Vec::new(), numbers: Vec::new() }
        };
        let fill = self.unassigned(tensor.dtype);
        let is_new_filled = fill == literal(tensor.format.fill, tensor.dtype);
        Some(TensorResult {
            name: tensor.argument.clone(),
            tensor: tensor.name.clone(),
            dtype: tensor.dtype,
            pattern: tensor.pattern,
            fill: Box::new(fill),
            is_new_filled,
            format: tensor.format.marker(),
            shape: self.target.indices.iter().map(|v| sizes::place(self.program, *v)).collect(),
            assembly,
            packed: self.result.packed.as_deref().map(Format::marker),
            combining: Combine::packing(&self.program.kernel, tensor.dtype),
            updates: self.result.is_update,
            cover: cover.map(Box::new),
        })
    }

    /// Returns the type of the elements of the values.
    fn element(&self) -> Element {
        values_of(self.program.tensor(self.target.tensor))
    }

    /// Returns the tensor of the result.
    pub(super) fn tensor(&self) -> TensorId {
        self.target.tensor
    }

    /// Returns the position of the innermost level of the result that is known.
    fn parent(&self, scope: &Scope) -> Expr {
        let known = scope.results.get(&self.target.tensor).and_then(|known| known.last());
        known.cloned().unwrap_or(Expr::Index(0))
    }

    /// Records the position of the next level of the result.
    fn descend(&self, scope: &mut Scope, position: Expr) {
        scope.results.entry(self.target.tensor).or_default().push(position);
    }

    /// Returns the levels of the result.
    pub(super) fn storages(&self) -> &[Storage] {
        &self.storages
    }

    /// Returns the bounds of appended arrays, for which capacity is reserved.
    pub(super) fn reserved(&self) -> Vec<Bound> {
        let Some((most, ground)) = &self.bound else { return Vec::new() };
        let levels = self.entry_levels().into_iter().flatten();
        let arrays = levels.flat_map(|level| {
            takes_one(self.levels()[level].level.as_ref(), &self.storages[level])
        });
        // Values below a level that appends are added in blocks.
        let vals = self.entry_levels().map(|_| self.vals.as_str());
        let bound = |array: &str| Bound {
            array: array.to_owned(),
            of: Unchecked::Append,
            most: most.clone(),
            ground: *ground,
        };
        arrays.chain(vals).map(bound).collect()
    }

    /// Returns the level of the result that a loop over `v` assembles, if any: the last one that
    /// appends in order, or one above. The coordinates of the others are stored with the values.
    pub(super) fn level_of(&self, v: VariableId) -> Option<usize> {
        if self.placement.is_some() {
            return None;
        }
        let variables = level_variables(self.program, self.target);
        let level = variables.iter().position(|variable| *variable == v)?;
        let last = (0..variables.len()).rev().find(|level| self.is_assembled_by_append(*level))?;
        (level < last || level == last && self.scattered.is_none()).then_some(level)
    }

    /// Returns the statements at the start of a body whose coordinate belongs to `level`: they
    /// allocate the levels below, and record the position of the first child.
    pub(super) fn open(&self, level: usize, scope: &mut Scope) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let spec = &self.levels()[level];
        let parent = self.parent(scope);
        if spec.level.insert().is_some() {
            let name = format!("p_{}{}", self.argument, level + 1);
            let found = self.insert(level, parent, &name, scope);
            stmts.extend(found.prelude);
            let position = found.value;
            if self.is_walked() && self.is_appended(level + 1) {
                stmts.extend(self.enter(level + 1, position.clone()));
            } else if self.scattered.or(self.distinct) == Some(level + 1) {
                stmts.push(Stmt::bind(&self.begin_name(level + 1), self.count(level + 1)));
            }
            self.descend(scope, position);
            return stmts;
        }
        if self.is_walked() {
            stmts.extend(self.open_known(level, scope));
            return stmts;
        }
        if !self.closes_chain(level) {
            // The coordinate is appended together with that of the branchless level below.
            self.descend(scope, parent);
            return stmts;
        }
        let position = self.count(level);
        if self.is_appended(level + 1) {
            stmts.push(Stmt::bind(&self.begin_name(level + 1), self.count(level + 1)));
            self.descend(scope, position);
        } else if level + 1 < self.levels().len() {
            let name = format!("p_{}{}", self.argument, level + 1);
            stmts.push(Stmt::bind(&name, position));
            self.descend(scope, Expr::var(&name));
            match self.waits(level) {
                true => stmts.push(Stmt::bind_mut(&self.found_name(level), Expr::Bool(false))),
                false => stmts.extend(self.extend_below(level, next(Expr::var(&name)))),
            }
            let awaited = self.awaits(level).into_iter();
            stmts.extend(awaited.map(|k| Stmt::bind(&self.begin_name(k), self.count(k))));
        }
        stmts
    }

    /// Returns the statements at the end of a body whose coordinate belongs to `level`: they append
    /// the coordinate and the edges to its children. They test whether there are any, unless the
    /// plan always stores one.
    pub(super) fn close(
        &self,
        level: usize,
        (outer, outcome): (&Loop, usize),
        scope: &Scope,
    ) -> Vec<Stmt> {
        if self.is_walked() {
            return self.close_known(level, scope);
        }
        let has_children = level + 1 < self.levels().len();
        if self.levels()[level].level.insert().is_some() {
            if !self.is_appended(level + 1) {
                return Vec::new();
            }
            let skipped_to = (!self.follows_on(level + 1)).then(|| self.parent(scope));
            return self.edges(level + 1, skipped_to);
        }
        if !has_children || !self.closes_chain(level) {
            return Vec::new();
        }
        let mut stmts = self.append_coordinates(level, scope);
        if self.waits(level) {
            return Stmt::when(Expr::var(&self.found_name(level)), stmts);
        }
        if let Some(awaited) = self.awaits(level) {
            return Stmt::when(self.has_grown(awaited), stmts);
        }
        if !self.is_appended(level + 1) {
            return stmts;
        }
        stmts.extend(self.edges(level + 1, None));
        if self.levels()[level].properties.full || self.stores_for_certain(outer, outcome) {
            return stmts;
        }
        Stmt::when(self.has_grown(level + 1), stmts)
    }

    /// Returns the predicate that a level has coordinates below the current one of a level above.
    fn has_grown(&self, level: usize) -> Expr {
        Expr::lt(Expr::var(&self.begin_name(level)), self.count(level))
    }

    /// Returns the coordinate at which a level inserts, relative to the first coordinate of the
    /// part in the outermost level.
    fn inserted_at(&self, level: usize, scope: &Scope) -> Expr {
        self.within_part(level, scope.coordinate(self.variable(level)))
    }

    /// Returns a coordinate of a level relative to the first one of the part.
    pub(super) fn within_part(&self, level: usize, coordinate: Expr) -> Expr {
        match &self.part {
            Some(begin) if level == 0 => within_chunk(coordinate, begin),
            Some(_) | None => coordinate,
        }
    }

    /// Returns the value of the result where the loops assign nothing.
    fn unassigned(&self, dtype: Dtype) -> Expr {
        semiring_constant(&self.program.kernel, self.result.unassigned, dtype)
    }

    /// Returns the condition that a variable differs from the value of unstored entries.
    fn differs_from_fill(&self, name: &str, dtype: Dtype) -> Expr {
        Expr::differs(dtype, Expr::var(name), self.unassigned(dtype))
    }
}

/// Returns the position after another.
fn next(position: Expr) -> Expr {
    Expr::add(position, Expr::Index(1))
}

/// Returns whether a level has entries at coordinates where no operand has one.
fn must_fill(spec: &LevelSpec) -> bool {
    spec.properties.full && spec.level.insert().is_none()
}
