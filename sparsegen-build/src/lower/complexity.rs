//! The time complexity of a kernel in terms of its operands, for its documentation.
//!
//! A loop has as many iterations as the enclosing loops, times its own trip count. If it continues
//! a traversal of the enclosing loops, both together traverse the stored entries of one tensor: `i
//! + nnz(A)`, not `i · nnz(A)`.

mod filled;
mod named;
mod roots;
mod trips;
mod windows;

use std::collections::BTreeMap;

use crate::concrete::space::{BlockSize, Definition};
use crate::concrete::{Program, Target};
use crate::coordinate::Coordinate;
use crate::format::{Format, LevelExpr, LevelSpec, Places};
use crate::ir;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::{Access, TensorId, VariableId};

use filled::Filled;
pub(super) use roots::extents;
use roots::root;
pub(super) use trips::Trips;
use trips::is_within;

/// Returns the time as a sum of products, such as `i + nnz(A)`.
pub fn time(program: &Program, plan: &Plan) -> ir::Time {
    let mut time = Time::of_loops(program, plan);
    program.targets.iter().for_each(|target| time.add_result(target));
    time.add_conversions();
    // Hash tables grow with their entries.
    let arrays =
        program.workspaces().into_iter().filter(|access| !program.is_hashed(access.tensor));
    arrays.for_each(|access| time.push_extents(&access.indices));
    let terms = time.terms.clone();
    let is_covered = |k: usize| {
        terms.iter().enumerate().any(|(other, term)| {
            // Of several terms that are within each other, the first is kept.
            let is_first = other < k || !is_within(program, term, &terms[k]);
            other != k && is_first && is_within(program, &terms[k], term)
        })
    };
    let kept = (0..terms.len()).filter(|k| !is_covered(*k));
    let mut named: Vec<ir::Term> = Vec::new();
    for term in kept.map(|k| time.named(&terms[k])) {
        if !named.contains(&term) {
            named.push(term);
        }
    }
    ir::Time { terms: named }
}

/// Returns the number of iterations of each loop that has a number.
pub fn iterations(program: &Program, plan: &Plan) -> BTreeMap<usize, ir::Time> {
    let time = Time::of_loops(program, plan);
    let mut all: BTreeMap<usize, ir::Time> = BTreeMap::new();
    for (number, trips) in &time.loops {
        let terms = &mut all.entry(*number).or_default().terms;
        let term = time.named(trips);
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    all
}

/// Returns the numbers of iterations of a loop and of those within it.
pub(super) fn trips_of(program: &Program, inner: &Loop) -> Vec<Trips> {
    Time::of_loops(program, &Plan::Loop(inner.clone())).terms
}

struct Time<'p> {
    program: &'p Program,
    terms: Vec<Trips>,
    /// The iterations of the loops that have a number.
    loops: Vec<(usize, Trips)>,
    filled: BTreeMap<TensorId, Filled>,
    /// The iterations around the enclosing loops, for loops that resume.
    around: Vec<(VariableId, Trips)>,
}

impl<'p> Time<'p> {
    /// Returns the time of the loops of a plan.
    fn of_loops(program: &'p Program, plan: &Plan) -> Time<'p> {
        let (terms, loops, filled) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut time = Time { program, terms, loops, filled, around: Vec::new() };
        time.add(plan, &Trips { visited: Some(Vec::new()), ..Trips::default() }, &[]);
        time
    }

    /// Adds the time of a plan within loops with `around` iterations. The operands in `elsewhere`
    /// are merged with this one and have terms of their own.
    fn add(&mut self, plan: &Plan, around: &Trips, elsewhere: &[Access]) {
        match plan {
            Plan::Loop(inner) => {
                // All iterations of a loop that resumes are those of one loop.
                let resumed = inner.resumes.map(|resumed| resumed.around);
                let resumed = resumed.and_then(|v| self.around.iter().find(|of| of.0 == v));
                let around = resumed.map_or_else(|| around.clone(), |(_, around)| around.clone());
                self.around.push((inner.variable, around.clone()));
                self.add_loop(inner, &around, elsewhere);
                self.around.pop();
            }
            Plan::Where { temporaries, consumer, producer } => {
                for temporary in temporaries {
                    self.clear(temporary.tensor, around);
                    let filled = Filled { around: around.clone(), assignments: Vec::new() };
                    self.filled.insert(temporary.tensor, filled);
                }
                self.add(producer, around, elsewhere);
                self.add(consumer, around, elsewhere);
            }
            Plan::Assign { target, .. } => {
                if let Some(filled) = self.filled.get_mut(&target.tensor) {
                    filled.assignments.push(around.clone());
                }
                self.push(around.clone());
            }
            Plan::Visit(_) => {}
            Plan::If { body, .. } => {
                self.push(around.clone());
                self.add(body, around, elsewhere);
            }
            Plan::Sequence(plans) => {
                let plans = match self.program.has_versions && plan.versions().is_some() {
                    true => &plans[..1],
                    false => plans,
                };
                plans.iter().for_each(|plan| self.add(plan, around, elsewhere));
            }
        }
    }

    /// Adds the time to clear a workspace with an element for each coordinate.
    fn clear(&mut self, workspace: TensorId, around: &Trips) {
        let program = self.program;
        let found = program.workspaces().into_iter().find(|access| access.tensor == workspace);
        let is_array = !program.is_listed(workspace) && !program.is_looked_up(workspace);
        if let Some(access) = found.filter(|_| is_array) {
            let mut trips = around.clone();
            trips.dimensions.extend(&access.indices);
            self.push(trips);
        }
    }

    /// Adds the initialization of a result, and packing it, which rebuilds one that is changed.
    fn add_result(&mut self, target: &Target) {
        let access = &target.access;
        if !target.is_update && !target.is_partial {
            self.add_storage(access, &self.program.tensor(access.tensor).format, false);
        }
        if let Some(packed) = &target.packed {
            self.add_storage(access, packed, true);
        }
        // The places of coordinates that come in any order are in an array over all of them.
        let format = &self.program.tensor(access.tensor).format;
        let counted = format.placed().filter(|(_, places)| *places == Places::Counted);
        let above = counted.and_then(|(leaf, _)| leaf.checked_sub(1));
        for level in above.into_iter().chain(format.scattered()) {
            let Some(v) = self.program.level_variable(access, level) else { continue };
            match self.program.space.definition(v) {
                // There are as many diagonals as rows and columns.
                Some(Definition::Computed(Coordinate::Affine(sum))) => {
                    sum.variables().for_each(|of| self.push_extents(&[*of]));
                }
                _ => self.push_extents(&[v]),
            }
        }
    }

    /// Adds the conversions of operands.
    fn add_conversions(&mut self) {
        let Program { kernel, precomputed, .. } = self.program;
        let mut converted: Vec<Access> = Vec::new();
        let mut find = |access: &Access| {
            if kernel.converted().any(|(into, _)| into == access.tensor) {
                converted.push(access.clone());
            }
        };
        kernel.assignment.value.for_each_access(&mut find);
        precomputed.iter().for_each(|part| part.value.for_each_access(&mut find));
        for (_, inverse) in kernel.inverses() {
            self.push_extents(&[inverse.at]);
            self.push_extents(&[inverse.coordinate]);
        }
        for access in &converted {
            self.add_storage(access, &kernel.tensor(access.tensor).format, true);
        }
    }

    /// Adds the parts of a tensor's storage that are proportional to extents, and, if they are
    /// packed or have elements that loops do not assign, its entries.
    fn add_storage(&mut self, access: &Access, format: &Format, is_packed: bool) {
        let is_full = |level: &usize| format.levels[*level].properties.full;
        let count = format.levels.len();
        let prefix = (0..count).take_while(is_full).count();
        let modes = format.levels[..prefix].iter().flat_map(|spec| spec.expr.modes());
        let parents: Vec<VariableId> = modes.map(|mode| access.indices[mode]).collect();
        self.push_extents(&parents);
        // Positions that are no entries, which are initialized.
        let is_vacant = |level: &LevelSpec| level.properties.full || !level.properties.compact;
        let is_counted = |level: &LevelSpec| matches!(level.expr, LevelExpr::Count(_));
        let has_vacant =
            format.levels[prefix..].iter().any(is_vacant) || format.levels.iter().any(is_counted);
        if prefix < count && (is_packed || has_vacant) {
            let walked = BTreeMap::from([(access.clone(), count - 1)]);
            self.push(Trips { walked, ..Trips::default() });
        }
    }

    /// Adds the product of the extents of variables.
    fn push_extents(&mut self, variables: &[VariableId]) {
        let mut dimensions: Vec<VariableId> = Vec::new();
        for v in variables.iter().flat_map(|v| extents(self.program, *v)) {
            let is_fixed = matches!(self.program.space.definition(v), Some(Definition::Fixed));
            let is_constant = is_fixed || self.program.kernel.is_declared(v);
            if !is_constant && !dimensions.contains(&v) {
                dimensions.push(v);
            }
        }
        if !dimensions.is_empty() {
            self.push(Trips { dimensions, ..Trips::default() });
        }
    }

    fn push(&mut self, term: Trips) {
        let term = Trips { visited: None, ..term };
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    fn add_loop(&mut self, inner: &Loop, around: &Trips, elsewhere: &[Access]) {
        if let Some(rest) = inner.rest {
            self.add(&inner.bodies[rest], around, elsewhere);
        }
        // The first merge point has all iterators, and its first case the whole statement.
        let Some(point) = inner.points.first() else { return };
        let mut drivers: Vec<&LevelIterator> =
            point.drivers.members().map(|member| &inner.iterators[member]).collect();
        let is_full = |it: &&LevelIterator| it.is_full(self.program) || self.is_window_of_full(it);
        let visits_all =
            |it: &&LevelIterator| it.visits_all(self.program) || self.is_window_of_full(it);
        // A predicate has one entry for all coordinates of its full levels.
        let is_predicate =
            |it: &&LevelIterator| self.program.kernel.predicate(it.access.tensor).is_some();
        let has_predicate = drivers.iter().any(is_predicate);
        let is_full_of_predicate =
            |it: &&LevelIterator| is_predicate(it) && it.spec(self.program).properties.full;
        let whole = point.by_dimension
            || drivers.iter().any(visits_all)
            || drivers.iter().any(is_full_of_predicate);
        let is_temporary = |it: &&LevelIterator| self.program.kernel.is_temporary(it.access.tensor);
        let workspaces: Vec<TensorId> =
            drivers.iter().filter(|it| is_temporary(it)).map(|it| it.access.tensor).collect();
        drivers.retain(|iterator| {
            let is_counted = is_temporary(iterator) || is_predicate(iterator) || is_full(iterator);
            !is_counted && !elsewhere.contains(&iterator.access)
        });
        let beside = |own: Option<&Access>| {
            let others = drivers.iter().map(|iterator| &iterator.access);
            let others = others.filter(|access| Some(*access) != own).cloned();
            elsewhere.iter().cloned().chain(others).collect::<Vec<_>>()
        };
        let mut ways: Vec<(Trips, Vec<Access>)> = Vec::new();
        if whole {
            ways.push((self.over_dimension(inner, around), beside(None)));
        } else {
            let filled = workspaces.iter().filter_map(|workspace| self.filled.get(workspace));
            let entries = filled.flat_map(|filled| filled.trips(around));
            ways.extend(entries.map(|trips| (trips, beside(None))));
        }
        if has_predicate && !whole {
            ways.push((around.clone(), beside(None)));
        }
        for iterator in &drivers {
            ways.push((self.along(iterator, around), beside(Some(&iterator.access))));
        }
        let body = point.cases.first().map(|(_, outcome)| &inner.bodies[*outcome]);
        let repeats = drivers.iter().any(|it| it.may_repeat(self.program) && !it.dedups());
        for (mut trips, elsewhere) in ways {
            match &mut trips.visited {
                Some(_) if repeats => trips.visited = None,
                Some(_) if self.program.space.positions_of(inner.variable).is_some() => {}
                Some(visited) => visited.push(root(self.program, inner.variable)),
                None => {}
            }
            // The body of a loop over a single coordinate runs at most once, and an ordered level is
            // searched for it.
            let is_single = self.program.is_loop_of_fixed(inner.variable)
                || inner.window(self.program) == Some(1);
            let is_once = is_single && !repeats;
            let is_searched = drivers.iter().all(|it| it.can_be_cut(self.program));
            let own = if is_once && is_searched { around } else { &trips };
            self.push(own.clone());
            self.loops.extend(inner.number.map(|number| (number, own.clone())));
            if let Some(body) = body {
                self.add(body, if is_once { around } else { &trips }, &elsewhere);
            }
        }
    }

    fn over_dimension(&self, inner: &Loop, around: &Trips) -> Trips {
        let mut trips = around.clone();
        if inner.window(self.program).is_some() {
            trips.constant.push(inner.variable);
            return trips;
        }
        let v = self.program.space.whole(inner.variable);
        let dimensions = match self.program.space.definition(v) {
            _ if self.program.space.positions_of(inner.variable).is_some() => Vec::new(),
            Some(Definition::Positions(_)) => Vec::new(),
            // A block has a constant size.
            Some(Definition::Computed(
                Coordinate::Mod(_, BlockSize::Constant(_))
                | Coordinate::Div(_, BlockSize::Share(_)),
            )) => {
                trips.constant.push(inner.variable);
                Vec::new()
            }
            Some(Definition::Computed(
                Coordinate::Div(of, BlockSize::Constant(_))
                | Coordinate::Mod(of, BlockSize::Share(_)),
            )) => extents(self.program, *of),
            Some(Definition::Fused(..)) => extents(self.program, v),
            Some(Definition::Slice(slice)) => vec![slice.of],
            Some(Definition::Fixed) => Vec::new(),
            // The loops over the slots and over their entries are a traversal of all entries.
            Some(Definition::Slot(_)) => Vec::new(),
            Some(Definition::Computed(Coordinate::Affine(_))) | None => vec![v],
        };
        let (constant, dimensions) =
            dimensions.into_iter().partition::<Vec<_>, _>(|v| self.program.kernel.is_declared(*v));
        trips.dimensions.extend(dimensions);
        trips.constant.extend(constant);
        trips
    }

    /// Returns the iterations of a loop over a level, which continues the traversal of the levels
    /// above.
    fn along(&self, iterator: &LevelIterator, around: &Trips) -> Trips {
        let mut trips = around.clone();
        let LevelIterator { access, level, .. } = iterator;
        if trips.walked.contains_key(access) {
            trips.walked.insert(access.clone(), *level);
            return trips;
        }
        let modes = (0..*level).filter_map(|level| self.program.level_variable(access, level));
        let levels: Vec<VariableId> =
            modes.map(|v| root(self.program, self.varied(v, around))).collect();
        // If the enclosing loops only iterate the parents, and each at most once, no entry is
        // traversed twice.
        let own = self.program.level_variable(access, *level);
        let is_own = |v: &VariableId| own == Some(*v) && self.program.basis.is_limited(*v);
        let is_parent = |v: &VariableId| levels.contains(v) || is_own(v);
        if trips.visited.as_ref().is_some_and(|visited| visited.iter().all(is_parent)) {
            let walked = BTreeMap::from([(access.clone(), *level)]);
            // Of a mode that is read at one coordinate, only the entries there are.
            let is_fixed =
                |v: &VariableId| self.program.space.definition(*v) == Some(&Definition::Fixed);
            let shared = levels.into_iter().filter(is_fixed).collect();
            return Trips { walked, shared, visited: trips.visited, ..Trips::default() };
        }
        let is_constant = |v: VariableId| self.program.kernel.is_declared(v);
        if let Some((outer, inner)) = own.and_then(|own| self.window(own))
            && (is_constant(inner) || !is_constant(outer))
            && let Some(visited) = &trips.visited
            && visited.iter().all(|v| levels.contains(v) || *v == root(self.program, outer))
        {
            // Each entry is in one window at most for each coordinate of `inner`.
            let (constant, dimensions) = [inner].into_iter().partition(|v| is_constant(*v));
            let walked = BTreeMap::from([(access.clone(), *level)]);
            return Trips { dimensions, constant, walked, visited: None, ..Trips::default() };
        }
        trips.constant.retain(|v| !levels.contains(&root(self.program, *v)));
        // The loop over the slots visits all of them.
        let is_slot =
            |v: &VariableId| matches!(self.program.space.definition(*v), Some(Definition::Slot(_)));
        for v in levels.into_iter().filter(|v| !is_slot(v)) {
            match trips.dimensions.iter().position(|known| *known == v) {
                Some(known) => {
                    trips.dimensions.remove(known);
                }
                None => trips.shared.push(v),
            }
        }
        trips.walked.insert(access.clone(), *level);
        trips
    }
}
