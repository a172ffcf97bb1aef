//! The work of the parts of a loop, by which it is divided among threads.
//!
//! Work is counted in units that arrays of positions can count up to any coordinate: rows, or entries
//! of operands. A unit may take many steps: a row of a dense matrix, or the product of an entry and a
//! row. The time complexity tells how many steps a unit takes on average.

use std::cmp::Reverse;

use crate::concrete::parted::{Divides, Parted, Range};
use crate::concrete::space::Definition;
use crate::ir::{Counted, Divided, Divisible, Element, Expr, Measure, Steps, Stmt, Work};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Set;
use crate::iteration::plan::{Loop, Plan};
use crate::level::Holds;
use crate::notation::{Access, TensorId, VariableId};

use super::Lowering;
use super::complexity::{self, Trips, trips_of};
use super::extents::{below_zero, expanded};
use super::parallel::counted;

/// A unit of work.
#[derive(Clone, Copy)]
enum Unit {
    /// A coordinate of the loop, or a position.
    Each,
    /// A position of a level.
    Position(TensorId, usize),
}

/// A number of steps for each unit of work, as a quotient of products.
#[derive(Default)]
struct Rate {
    all: Vec<Measure<String>>,
    units: Vec<Measure<String>>,
    /// The levels whose positions are counted, added up: deeper ones have more.
    depth: usize,
}

impl Lowering<'_> {
    /// Returns the range of the outermost loop and the work before each of its coordinates or
    /// positions.
    pub(super) fn divided(&self, parted: &Parted, plan: &Plan, body: &[Stmt]) -> Divided<String> {
        let v = parted.variable;
        let mut loops = Vec::new();
        plan.for_each_loop(&mut |inner: &Loop| {
            if inner.variable == v {
                loops.push(inner);
            }
        });
        let rows = self.rows_with_entries(parted, body);
        let counting = rows.unwrap_or(v);
        let below = below_zero(self.program, &self.names, parted.divided());
        let below = expanded(self.program, &self.names, below);
        let (range, work) = match &parted.range {
            Range::Coordinates => {
                let extent = expanded(self.program, &self.names, self.extent(parted.divided()));
                let extent = Expr::add(below.clone(), extent);
                (Divisible::Coordinates(extent), self.work_by_coordinate(&loops, counting, body))
            }
            Range::Positions { access, level } => {
                let coordinates = self.coordinates_of(access, *level);
                let array = coordinates.expect("a level with coordinates");
                let position = Expr::var(&self.names.position(access, *level));
                let children = self.positions_by(&position, body).into_iter();
                let children = children.map(|of| (self.unit_of(&of), Work::Children(of)));
                let own = (Unit::Position(access.tensor, *level), Work::Each);
                (Divisible::Positions(array), std::iter::once(own).chain(children).collect())
            }
        };
        let steps = self.steps(&loops, counting, &work);
        let variable = self.counted_as(&parted.range, parted.divided());
        let counted = match rows {
            Some(_) => Counted::Own,
            None => counted(self.program, &self.names, parted),
        };
        let counted = counted.map(&|size| expanded(self.program, &self.names, size.clone()));
        let work = work.into_iter().map(|(_, work)| work).collect();
        Divided { variable, counted, below, range, work, steps }
    }

    /// Returns the variable of the rows whose blocks the outermost loop counts, if an operand has the
    /// entries of each row.
    fn rows_with_entries(&self, parted: &Parted, body: &[Stmt]) -> Option<VariableId> {
        let Divides::Blocks(rows) = parted.divides else { return None };
        let row = Expr::var(self.names.variable(rows));
        (!self.positions_by(&row, body).is_empty()).then_some(rows)
    }

    /// Returns the work before a coordinate of the outermost loop: its coordinates or the entries
    /// of its iterators, and the children of these.
    fn work_by_coordinate(
        &self,
        loops: &[&Loop],
        v: VariableId,
        body: &[Stmt],
    ) -> Vec<(Unit, Work<String>)> {
        let mut work: Vec<(Unit, Work<String>)> = Vec::new();
        let mut add = |unit: Unit, more: Work<String>| {
            if work.iter().all(|(_, known)| *known != more) {
                work.push((unit, more));
            }
        };
        for inner in loops {
            let drivers =
                inner.points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
            let by_dimension = inner.points.iter().any(|point| point.by_dimension);
            let mut lists = Vec::new();
            for member in drivers.members() {
                let iterator = &inner.iterators[member];
                let entries = self.coordinates_of(&iterator.access, 0);
                let entries = entries.filter(|_| self.is_sorted_list(iterator));
                lists.push(entries.map(|entries| (iterator, entries)));
            }
            if by_dimension || lists.is_empty() || lists.iter().any(Option::is_none) {
                add(Unit::Each, Work::Each);
            }
            for positions in self.positions_by(&Expr::var(self.names.variable(v)), body) {
                add(self.unit_of(&positions), Work::Children(positions));
            }
            for (iterator, entries) in lists.into_iter().flatten() {
                let unit = Unit::Position(iterator.access.tensor, 0);
                add(unit, Work::Entries(entries.clone()));
                let position = self.names.position(&iterator.access, iterator.level);
                for positions in self.positions_by(&Expr::var(&position), body) {
                    let unit = self.unit_of(&positions);
                    add(unit, Work::ChildrenOf { entries: entries.clone(), positions });
                }
            }
        }
        work
    }

    /// Returns whether an iterator is over all entries of an operand's outermost level, sorted by
    /// their coordinates.
    fn is_sorted_list(&self, iterator: &LevelIterator) -> bool {
        iterator.level == 0
            && iterator.is_searched(self.program)
            && iterator.spec(self.program).properties.compact
            && iterator.part(self.program).is_none()
            && iterator.spec(self.program).level.coordinate_iteration().is_none()
            && !self.program.kernel.is_temporary(iterator.access.tensor)
    }

    /// Returns the arrays of positions that a body reads at the index after a variable.
    fn positions_by(&self, variable: &Expr, body: &[Stmt]) -> Vec<String> {
        let arrays = self.read_arrays();
        let holds_positions = |name: &str| {
            let mut arrays = arrays.iter();
            arrays.any(|array| array.name == name && matches!(array.element, Element::Index(_)))
        };
        let next = Expr::add(variable.clone(), Expr::Index(1));
        let mut found: Vec<String> = Vec::new();
        for stmt in body {
            stmt.for_each(&mut |stmt| {
                for expr in stmt.expressions() {
                    expr.for_each(&mut |expr| {
                        if let Expr::Load { array, index } = expr
                            && **index == next
                            && holds_positions(array)
                            && !found.contains(array)
                        {
                            found.push(array.clone());
                        }
                    });
                }
            });
        }
        found
    }

    /// Returns a position of the level that has an array.
    fn unit_of(&self, array: &str) -> Unit {
        let mut levels = self.storages.iter().enumerate().flat_map(|(tensor, storages)| {
            storages.iter().enumerate().map(move |(level, storage)| (tensor, level, storage))
        });
        let own = levels.find(|(.., storage)| storage.arrays.iter().any(|(_, name)| name == array));
        own.map_or(Unit::Each, |(tensor, level, _)| Unit::Position(TensorId(tensor), level))
    }

    /// Returns the number of steps for each unit of work: of the terms of the loops' time, the one
    /// that exceeds the work most.
    fn steps(
        &self,
        loops: &[&Loop],
        v: VariableId,
        work: &[(Unit, Work<String>)],
    ) -> Vec<Steps<String>> {
        let terms = loops.iter().flat_map(|inner| trips_of(self.program, inner));
        let rates = terms.filter_map(|term| self.rate(&term, v, work));
        let most = rates.min_by_key(|Rate { all, units, depth }| {
            let degree = all.len() as isize - units.len() as isize;
            let entries = all.iter().filter(|all| matches!(all, Measure::Length(_))).count();
            (Reverse(degree), Reverse(entries), Reverse(*depth), units.len())
        });
        let Some(Rate { all, units, .. }) = most else { return Vec::new() };
        // A mean is one of entries, if there are any, and never one of a constant.
        let is_constant = |all: &Measure<_>| matches!(all, Measure::Extent(Expr::Index(_)));
        let (constants, sizes): (Vec<_>, Vec<_>) = all.into_iter().partition(is_constant);
        let is_length = |all: &Measure<_>| matches!(all, Measure::Length(_));
        let (lengths, extents): (Vec<_>, Vec<_>) = sizes.into_iter().partition(is_length);
        let mut units = units.into_iter();
        let means = lengths.into_iter().chain(extents);
        let means: Vec<_> = means.map(|all| Steps { all, units: units.next() }).collect();
        let constants = constants.into_iter().map(|all| Steps { all, units: None });
        means.into_iter().chain(constants).collect()
    }

    /// Returns the quotient of a term and the work, or `None` if its factors are not known before
    /// the loops.
    fn rate(&self, term: &Trips, v: VariableId, work: &[(Unit, Work<String>)]) -> Option<Rate> {
        let mut dimensions = term.dimensions.clone();
        let mut walked = term.walked.clone();
        let mut rate = Rate::default();
        let walked_by = |unit: Unit| {
            let Unit::Position(tensor, level) = unit else { return None };
            let mut walked = term.walked.iter();
            let (access, deepest) =
                walked.find(|(access, deepest)| access.tensor == tensor && **deepest >= level)?;
            Some((access, *deepest, level))
        };
        let own = complexity::extents(self.program, v);
        // The innermost level whose positions are counted.
        if let Some((access, deepest, level)) =
            work.iter().rev().find_map(|(unit, _)| walked_by(*unit))
        {
            walked.remove(access);
            if !self.are_one_each(access, level, deepest) {
                rate.all.push(self.length(access, deepest)?);
                rate.units.push(self.length(access, level)?);
            }
        } else if let Some((Unit::Position(tensor, level), _)) = work.first() {
            let mut accesses = self.program.kernel.accesses.iter();
            let access = accesses.find(|access| access.tensor == *tensor)?;
            rate.units.push(self.length(access, *level)?);
        } else if own.iter().all(|own| dimensions.contains(own)) {
            dimensions.retain(|of| !own.contains(of));
        } else {
            rate.units.extend(self.measure(v));
        }
        // The extent of a variable is that of its blocks and of the coordinates within a block.
        let loops = self.program.space.sources(&self.program.basis, v);
        let is_counted = |of: &VariableId| {
            loops.contains(of)
                || complexity::extents(self.program, *of).iter().any(|of| dimensions.contains(of))
        };
        let constant = term.constant.iter().filter(|of| !is_counted(of));
        rate.all.extend(constant.filter_map(|of| self.measure(*of)));
        rate.all.extend(dimensions.iter().filter_map(|of| self.measure(*of)));
        for (access, level) in &walked {
            rate.all.push(self.length(access, *level)?);
            rate.depth += level;
        }
        rate.units.extend(term.shared.iter().filter_map(|of| self.measure(*of)));
        Some(rate)
    }

    /// Returns whether each position of a level has one position of a deeper level below it.
    fn are_one_each(&self, access: &Access, level: usize, deepest: usize) -> bool {
        let levels = &self.program.tensor(access.tensor).format.levels;
        levels[level + 1..=deepest].iter().all(|spec| spec.properties.branchless)
    }

    /// Returns the extent of a variable, if the shapes of tensors determine it.
    fn measure(&self, v: VariableId) -> Option<Measure<String>> {
        let is_stored = |of: &VariableId| {
            matches!(
                self.program.space.definition(*of),
                Some(Definition::Slot(_) | Definition::Positions(_) | Definition::Fixed)
            )
        };
        let is_known = !complexity::extents(self.program, v).iter().any(is_stored);
        is_known.then(|| Measure::Extent(expanded(self.program, &self.names, self.extent(v))))
    }

    /// Returns the number of positions of a level of an operand.
    fn length(&self, access: &Access, level: usize) -> Option<Measure<String>> {
        if self.program.kernel.is_temporary(access.tensor) {
            return None;
        }
        let count = self.program.tensor(access.tensor).format.levels.len();
        let mut same = (level..count).take_while(|of| self.are_one_each(access, level, *of));
        let array = same.find_map(|of| self.elements_of(access, of));
        let is_last = self.are_one_each(access, level, count - 1);
        array.or_else(|| is_last.then(|| self.names.values(access.tensor))).map(Measure::Length)
    }

    /// Returns an array with an element for each position of a level.
    fn elements_of(&self, access: &Access, level: usize) -> Option<String> {
        let spec = &self.program.tensor(access.tensor).format.levels[level];
        let groups = spec.level.position_iteration().and_then(|iteration| iteration.groups());
        match groups.map(|groups| groups.blocks()) {
            None => self.coordinates_of(access, level),
            Some(blocks) => {
                let storage = &self.storages[access.tensor.0][level];
                blocks.map(|blocks| storage.array(blocks.within).to_owned())
            }
        }
    }

    /// Returns the array of the coordinates of a level.
    pub(super) fn coordinates_of(&self, access: &Access, level: usize) -> Option<String> {
        let spec = &self.program.tensor(access.tensor).format.levels[level];
        let mut arrays = spec.level.arrays().iter();
        let array = arrays.find(|array| array.holds == Holds::Coordinates)?;
        Some(self.storages[access.tensor.0][level].array(array.field).to_owned())
    }
}
