//! The cost of a plan for nominal sizes, which is only meaningful for comparing plans of one
//! kernel.
//!
//! A dimension has 1000 coordinates unless the manifest declares its extent, and a window has 8; a
//! compressed level has 300 at the root and 8 under each parent, and four times as many positions if it is
//! not unique. An iteration costs one, or six if it reads a coordinate first, and each memory access of an
//! operand costs one, or eight if consecutive iterations access distant addresses. Converting or packing an
//! entry costs thirty. A result that is assembled in two passes costs two.

mod conversions;

use crate::concrete::space::{BlockSize, Definition};
use crate::concrete::{Program, Target, Temporary};
use crate::coordinate::Coordinate;
use crate::format::LevelSpec;
use crate::iteration::iterator::{Conversion, LevelIterator};
use crate::iteration::lattice::{MergePoint, Set};
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::visits::appends_distinct;
use crate::level::Holds;
use crate::notation::{Access, Inverse, Kernel, Subscript, TensorId, VariableId};

pub(super) use conversions::cost_of_conversions;
use conversions::stored;

const DIMENSION: f64 = 1000.0;
const ROOT_ENTRIES: f64 = 300.0;
const ENTRIES: f64 = 8.0;
const DUPLICATES: f64 = 4.0;
const FAR: f64 = 8.0;
/// The cost of advancing to the next entry of a level.
const STEP: f64 = 6.0;
/// The least and the largest number of entries in a workspace that is filled within a loop. Outside of
/// loops, it has an entry for each coordinate.
const GATHERED: [f64; 2] = [APART * ENTRIES * ENTRIES, DIMENSION / ENTRIES];
/// The share of the entries of a workspace that do not meet others.
const APART: f64 = 0.7;
/// The cost of finding or inserting an entry of a workspace.
const ENTER: f64 = 4.0;
/// The cost of sorting an entry of a workspace.
const HARVESTED: f64 = 8.0;
/// The cost of clearing an element of a workspace with an element for each coordinate.
const CLEARED: f64 = 1.0;
/// The number of bits that are read at once.
const WORD: f64 = 64.0;
/// The cost of converting an entry; most conversions sort.
const CONVERTED: f64 = 30.0;
/// The factor of the cost of a program whose result is packed: the structure is built twice, and
/// computing values into an existing result saves nothing.
pub(super) const PACKED: f64 = 2.0;
/// The cost of an element of a list, or of a coordinate, for the inverse of the list.
const LISTED: f64 = 4.0;
/// The cost of copying an entry to scratch memory and sorting it.
const SORTED: f64 = 16.0;
/// The cost of searching for the first and the last entry of a window.
const SEARCHED: f64 = 16.0;
/// The probability that a condition holds.
const HOLDS: f64 = 0.5;
/// The probability that the operands of an intersection both have an entry.
const MEET: f64 = 0.3;

/// Returns the cost of a plan.
pub(super) fn cost(program: &Program, plan: &Plan) -> f64 {
    let mut passes = program.targets.iter();
    let counts = |target: &Target| program.tensor(target.access.tensor).format.counts_first;
    let passes = if passes.any(counts) { 2.0 } else { 1.0 };
    let (segments, outermost, around, filled) = (vec![], vec![], vec![], vec![]);
    let sorts = |target: &&Target| appends_distinct(program, target, plan);
    let distinct =
        program.targets.iter().filter(sorts).map(|target| target.access.tensor).collect();
    let mut cost = Cost { program, segments, outermost, around, filled, distinct };
    let inverses = program.kernel.inverses().map(|(_, Inverse { coordinate, at, .. })| {
        LISTED * (cost.dimension(at) + cost.dimension(coordinate))
    });
    inverses.sum::<f64>() + passes * cost.of(plan, None)
}

/// Returns whether a variable is added to others in a subscript, and is not one of the result: the
/// windows of stencils and convolutions are small.
fn is_offset(kernel: &Kernel, v: VariableId) -> bool {
    let counted = |v: &VariableId| kernel.counted(*v);
    let is_summed = |subscript: &Subscript| match subscript {
        Subscript::Affine(sum) => {
            let variables = sum.variables().filter_map(|symbol| symbol.as_variable());
            let variables: Vec<VariableId> = variables.collect();
            variables.len() > 1 && variables.contains(&v)
        }
        Subscript::Element(_) | Subscript::Listed(..) => false,
    };
    kernel.slices().any(|(_, slice)| is_summed(&slice.at))
        && !kernel.assignment.result.indices.iter().any(|index| counted(index) == v)
}

struct Cost<'p> {
    program: &'p Program,
    /// The accesses for which the enclosing loops have reached several positions.
    segments: Vec<Access>,
    /// The workspaces that are filled outside of all loops.
    outermost: Vec<TensorId>,
    /// The iterations of the enclosing loops.
    around: Vec<(VariableId, f64)>,
    /// The workspaces of enclosing statements, with the numbers of loops around and of values.
    filled: Vec<(TensorId, usize, f64)>,
    /// The results whose entries are appended in any order, each once, and sorted.
    distinct: Vec<TensorId>,
}

impl Cost<'_> {
    fn of(&mut self, plan: &Plan, innermost: Option<VariableId>) -> f64 {
        match plan {
            Plan::Loop(inner) => self.of_loop(inner, innermost),
            Plan::Where { temporaries, consumer, producer, .. } => {
                if innermost.is_none() {
                    self.outermost.extend(temporaries.iter().map(|temporary| temporary.tensor));
                }
                let (depth, others) = (self.around.len(), self.filled.len());
                self.filled.extend(temporaries.iter().map(|of| (of.tensor, depth, 0.0)));
                let produced = self.of(producer, innermost);
                let harvest = |t: &Temporary| match self.program.is_listed(t.tensor) {
                    _ if self.program.tensor(t.tensor).format.levels.is_empty() => 0.0,
                    true => HARVESTED * self.gathered(t.tensor),
                    false if self.program.is_looked_up(t.tensor) => {
                        CLEARED * self.gathered(t.tensor)
                    }
                    false => CLEARED * self.size(t.tensor),
                };
                let harvests: f64 = temporaries.iter().map(harvest).sum();
                let consumed = self.of(consumer, innermost);
                self.filled.truncate(others);
                produced + harvests + consumed
            }
            Plan::Assign { target, accumulate, value } => {
                let filled = self.filled.iter_mut().rfind(|filled| filled.0 == target.tensor);
                if let Some((_, depth, number)) = filled {
                    *number += self.around[*depth..].iter().map(|around| around.1).product::<f64>();
                }
                let scatters = self.program.tensor(target.tensor).format.scattered().is_some();
                let sorts = self.distinct.contains(&target.tensor);
                let enters = |id| self.program.is_listed(id) || self.program.is_looked_up(id);
                let result = self.program.target(target.tensor);
                let packs = result.is_some_and(|result| result.packed.is_some());
                let enter = match () {
                    () if sorts => HARVESTED,
                    () if scatters || enters(target.tensor) => ENTER,
                    () => 0.0,
                };
                let pack = if packs { CONVERTED } else { 0.0 };
                let store = enter + pack + self.access(target, innermost);
                let mut cost = if accumulate.is_some() && !sorts { 2.0 * store } else { store };
                value.for_each_access(&mut |access| cost += self.access(access, innermost));
                cost
            }
            Plan::Visit(_) => 0.0,
            Plan::If { condition, body } => {
                let mut cost = 1.0;
                condition.for_each_access(&mut |access| cost += self.access(access, innermost));
                cost + HOLDS * self.of(body, innermost)
            }
            Plan::Sequence(plans) => plans.iter().map(|plan| self.of(plan, innermost)).sum(),
        }
    }

    /// Returns the first merge point represents all: the later ones process the remaining entries.
    fn of_loop(&mut self, inner: &Loop, innermost: Option<VariableId>) -> f64 {
        let rest = inner.rest.map_or(0.0, |rest| self.of(&inner.bodies[rest], None));
        let Some(point) = inner.points.first() else { return rest };
        let trips = self.trips(inner, point);
        let before = self.segments.clone();
        for iterator in &inner.iterators {
            self.segments.retain(|access| *access != iterator.access);
            if iterator.dedups() {
                self.segments.push(iterator.access.clone());
            }
        }
        let outcomes = point.cases.iter().map(|(_, outcome)| &inner.bodies[*outcome]);
        self.around.push((inner.variable, trips));
        // Where a loop visits one coordinate, consecutive iterations are those of the loop around it.
        let is_counted = |driver: &LevelIterator| {
            let is_predicate = self.program.kernel.predicate(driver.access.tensor).is_some();
            is_predicate || driver.spec(self.program).level.position_iteration().is_none()
        };
        let is_single = trips <= 1.0 && self.drivers(inner, point).all(is_counted);
        let within = innermost.filter(|_| is_single).or(Some(inner.variable));
        let body = outcomes.map(|body| self.of(body, within)).fold(0.0, f64::max);
        self.around.pop();
        self.segments = before;
        let steps: f64 = self.drivers(inner, point).map(|driver| self.step(driver)).sum();
        // All operands of the only region must have an entry.
        let may_be_absent = |member: &usize| {
            let workspace = inner.iterators[*member].access.tensor;
            point.drivers.contains(*member) || !self.outermost.contains(&workspace)
        };
        let meets = match &point.cases[..] {
            [(set, _)] if set.members().filter(may_be_absent).count() > 1 => MEET,
            [_] if point.drivers.len() > 1 => MEET,
            _ => 1.0,
        };
        let scan: f64 = self.drivers(inner, point).map(|driver| self.scan(driver)).sum();
        let searched: f64 = self.drivers(inner, point).map(|driver| self.search(driver)).sum();
        let all = trips * (steps.max(1.0) + scan + meets * body);
        // A loop that resumes runs once for all iterations of the one around it.
        let resumed = inner.resumes.map(|resumed| resumed.around);
        let resumed = resumed.and_then(|v| self.around.iter().find(|around| around.0 == v));
        rest + searched + resumed.map_or(all, |(_, around)| 1.0 + all / around.max(1.0))
    }

    fn drivers<'l>(
        &self,
        inner: &'l Loop,
        point: &MergePoint,
    ) -> impl Iterator<Item = &'l LevelIterator> {
        point.drivers.members().map(|member| &inner.iterators[member])
    }

    fn trips(&self, inner: &Loop, point: &MergePoint) -> f64 {
        if self.program.space.counted_positions(&self.program.kernel, inner.variable).is_some() {
            // All positions are one block.
            return 1.0;
        }
        let dimension = self.dimension(inner.variable);
        let whole = point.by_dimension
            || self.drivers(inner, point).any(|driver| driver.visits_all(self.program));
        let parts = self.parts(inner.variable);
        let of_bits =
            |set: &Set| set.members().any(|member| self.has_bits(&inner.iterators[member]));
        if whole && point.cases.iter().all(|(set, _)| of_bits(set)) {
            // The bits that are set are found a word at a time.
            return (dimension / WORD + ENTRIES) / parts;
        }
        if whole {
            let window = inner.window(self.program).map_or(f64::INFINITY, |width| width as f64);
            let most = [dimension, dimension * HOLDS, ENTRIES];
            return window.min(most[inner.ends_at_values(self.program)] / parts);
        }
        let entries: f64 = self.drivers(inner, point).map(|driver| self.entries(driver)).sum();
        entries.min(DUPLICATES * dimension) / parts
    }

    /// Returns whether a bit for each coordinate of a loop tells whether there is an entry.
    fn has_bits(&self, iterator: &LevelIterator) -> bool {
        let level = &iterator.spec(self.program).level;
        let mut arrays = level.arrays().iter();
        iterator.drives
            && iterator.conversions.is_empty()
            && level.coordinate_iteration().is_some()
            && arrays.any(|array| array.holds == Holds::Bits)
    }

    /// Returns the number of parts into which blocks of coordinates divide a loop.
    fn parts(&self, v: VariableId) -> f64 {
        let Program { space, basis, .. } = self.program;
        let blocks = basis.blocks_of(v).into_iter();
        let blocks = blocks.filter(|block| space.positions_of(*block).is_none());
        blocks.map(|block| self.dimension(block)).product()
    }

    /// Returns the number of coordinates of a variable.
    fn dimension(&self, v: VariableId) -> f64 {
        let v = self.program.space.whole(v);
        match self.program.space.definition(v) {
            None => {
                let kernel = &self.program.kernel;
                let nominal = if is_offset(kernel, v) { ENTRIES } else { DIMENSION };
                kernel.variable(v).declared_size().map_or(nominal, |size| size as f64)
            }
            Some(Definition::Computed(computed)) => match *computed {
                Coordinate::Div(of, BlockSize::Constant(by))
                | Coordinate::Mod(of, BlockSize::Share(by)) => self.dimension(of) / by as f64,
                Coordinate::Div(_, BlockSize::Share(by))
                | Coordinate::Mod(_, BlockSize::Constant(by)) => by as f64,
                Coordinate::Affine(_) => ENTRIES,
            },
            Some(Definition::Fused(a, b)) => self.dimension(*a) * self.dimension(*b),
            Some(Definition::Slice(_)) => DIMENSION,
            Some(Definition::Fixed) => 1.0,
            Some(Definition::Slot(_)) => ENTRIES,
            Some(Definition::Positions(_)) => DIMENSION * ENTRIES,
        }
    }

    /// Returns the number of entries of a workspace.
    fn gathered(&self, workspace: TensorId) -> f64 {
        if self.outermost.contains(&workspace) {
            return DIMENSION;
        }
        let filled = self.filled.iter().rfind(|filled| filled.0 == workspace);
        let number = filled.map_or(0.0, |(_, _, number)| APART * number);
        number.clamp(GATHERED[0], GATHERED[1])
    }

    /// Returns the number of elements of a workspace with an element for each coordinate.
    fn size(&self, workspace: TensorId) -> f64 {
        let workspaces = self.program.workspaces();
        let found = workspaces.into_iter().find(|access| access.tensor == workspace);
        let modes = found.into_iter().flat_map(|access| &access.indices);
        modes.map(|v| self.dimension(*v)).product()
    }

    fn entries(&self, iterator: &LevelIterator) -> f64 {
        if self.program.kernel.is_temporary(iterator.access.tensor) {
            return self.gathered(iterator.access.tensor);
        }
        let inverse = self.program.kernel.inverse(iterator.access.tensor);
        if let Some(Inverse { coordinate, at, .. }) = inverse {
            return self.dimension(at) / self.dimension(coordinate);
        }
        if let Some(entries) = self.shared(iterator) {
            return entries;
        }
        let is_predicate = self.program.kernel.predicate(iterator.access.tensor).is_some();
        let distinct = if iterator.level == 0 { ROOT_ENTRIES } else { ENTRIES };
        let distinct = if is_predicate { 1.0 } else { distinct };
        let variable = self.program.level_variable(&iterator.access, iterator.level);
        let distinct = variable.map_or(distinct, |v| distinct.min(self.dimension(v)));
        let distinct = distinct * self.window(iterator).unwrap_or(1.0);
        let LevelSpec { level, properties, .. } = iterator.spec(self.program);
        // Most coordinates of a diagonal are in the matrix.
        let is_padded = level.coordinate_iteration().is_some() && level.pads();
        if is_padded || is_predicate && properties.full {
            return variable.map_or(DIMENSION, |v| self.dimension(v));
        }
        if properties.branchless {
            // One child for each position of the parent.
            return if self.segments.contains(&iterator.access) { DUPLICATES } else { 1.0 };
        }
        let one_by_one = iterator.conversions.contains(&Conversion::Fused);
        if one_by_one { distinct * DUPLICATES } else { distinct }
    }

    /// Returns the number of entries of a level under each parent if the tensor stores a fixed
    /// number of each block, or is converted from a format with more entries: a conversion drops none.
    fn shared(&self, iterator: &LevelIterator) -> Option<f64> {
        if let Some(share) = iterator.spec(self.program).level.share() {
            return Some(share.stored as f64);
        }
        let tensor = iterator.access.tensor;
        let passed = self.program.kernel.passed_as(tensor);
        let (format, into) =
            (&self.program.tensor(passed).format, &self.program.tensor(tensor).format);
        let shares = format.levels.iter().any(|spec| spec.level.share().is_some());
        if passed == tensor || !shares && stored(format) <= stored(into) {
            return None;
        }
        let (mut left, mut entries) = (stored(format), 1.0);
        for level in 0..=iterator.level {
            let variable = self.program.level_variable(&iterator.access, level);
            entries = variable.map_or(DIMENSION, |v| self.dimension(v)).min(left);
            left /= entries;
        }
        Some(entries)
    }

    /// Returns the share of the coordinates of a mode that a window of it contains.
    fn window(&self, iterator: &LevelIterator) -> Option<f64> {
        let slice = self.program.space.slice(iterator.part(self.program)?)?;
        slice.is_window().then(|| (self.dimension(slice.of) / DIMENSION).min(1.0))
    }

    /// Returns the cost of finding the entries of a window.
    fn search(&self, iterator: &LevelIterator) -> f64 {
        let is_searched = iterator.spec(self.program).level.locate().is_none();
        self.window(iterator).filter(|_| is_searched).map_or(0.0, |_| SEARCHED)
    }

    fn step(&self, iterator: &LevelIterator) -> f64 {
        let spec = iterator.spec(self.program);
        let reads = spec.level.position_iteration().is_some() && !spec.properties.branchless;
        if reads { STEP } else { 1.0 }
    }

    fn scan(&self, iterator: &LevelIterator) -> f64 {
        let dedup = if iterator.dedups() { STEP * DUPLICATES } else { 0.0 };
        let sort = if iterator.reorders() { SORTED } else { 0.0 };
        dedup + sort
    }

    fn access(&self, access: &Access, innermost: Option<VariableId>) -> f64 {
        let Some(innermost) = innermost else { return 1.0 };
        let format = &self.program.tensor(access.tensor).format;
        let counted = |v: &VariableId| self.program.space.counted(*v);
        let last = format.levels.len().checked_sub(1).and_then(|last| format.mode_of(last));
        let (near, far) = match self.program.space.definition(innermost) {
            Some(Definition::Fused(outer, inner)) => (*inner, *outer),
            Some(
                Definition::Computed(_)
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed,
            )
            | None => (innermost, innermost),
        };
        match last {
            None => 0.0,
            Some(mode) if counted(&access.indices[mode]) == near => 1.0,
            Some(_) if access.indices.iter().any(|v| [near, far].contains(&counted(v))) => FAR,
            Some(_) => 0.0,
        }
    }
}
