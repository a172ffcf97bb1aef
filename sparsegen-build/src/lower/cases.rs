//! The body of a loop at one coordinate: determines the region and runs its code.

use std::ops::RangeInclusive;

use crate::ir::comment::Part;
use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::iterator::{LevelIterator, Positions};
use crate::iteration::lattice::{MergePoint, Set};
use crate::iteration::plan::Loop;
use crate::level::Segment;

use super::Lowering;
use super::assembly::Assembler;
use super::combine::Combine;
use super::origin::{continued, marked, origin};
use super::scope::{Reached, Scope};
use super::subscripts::locate_where;
use crate::notation::{Access, ReduceOp};

impl Lowering<'_> {
    /// Lowers the cases of a merge point. `here` has a condition for each driver that may not have
    /// an entry at the coordinate. Located levels are looked up first.
    pub(super) fn cases(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        scope: &Scope,
        here: &[(usize, Expr)],
    ) -> Vec<Stmt> {
        let mut scope = scope.clone();
        let derived = self.derive(inner, point, &mut scope);
        let cases = self.located_cases(inner, point, &mut scope, here);
        derived.into_iter().rev().fold(cases, |cases, (mut stmts, guard)| {
            match guard {
                Some(guard) => {
                    stmts.push(Stmt::Comment(guard.reason.into()));
                    stmts.extend(Stmt::when(guard.inside, cases));
                }
                None => stmts.extend(cases),
            }
            stmts
        })
    }

    /// Lowers the cases at coordinates within the dimensions.
    fn located_cases(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        scope: &mut Scope,
        here: &[(usize, Expr)],
    ) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let mut conditions: Vec<(usize, Expr)> = Vec::new();
        for member in 0..inner.iterators.len() {
            let iterator = &inner.iterators[member];
            let located = point.located.contains(member);
            if !located && !point.drivers.contains(member) {
                continue;
            }
            let found = if located || self.is_by_coordinate(iterator) {
                let driven = (!located).then_some(iterator.level);
                let levels = iterator.level..=iterator.through;
                let found = self.locate_levels(iterator, levels, driven, None, scope, &mut stmts);
                found.into_iter().reduce(Expr::and)
            } else {
                // Deferred levels only, which an exhausted iterator has no position to look up.
                let below = iterator.level + 1..=iterator.through;
                let is_here = here.iter().find(|(of, _)| *of == member);
                let is_here = is_here.map(|(_, condition)| condition.clone());
                let (within, is_here) = match point.ended.contains(member) {
                    true => (is_here, None),
                    false => (None, is_here),
                };
                let is_deferred = iterator.level < iterator.through;
                if let Some(within) = within.as_ref().filter(|_| is_deferred) {
                    stmts.extend(self.sorted_position_if(iterator, within, scope));
                }
                let found = self.locate_levels(iterator, below, None, within, scope, &mut stmts);
                is_here.into_iter().chain(found).reduce(Expr::and)
            };
            // The segment of duplicates is empty without an entry.
            let needs_segment = iterator.is_optional() && !iterator.dedups();
            if let Some(is_here) = found.clone().filter(|_| needs_segment) {
                let is_walked = !located && !self.is_by_coordinate(iterator);
                stmts.extend(match iterator.levels_below(self.program) {
                    0 => vec![self.value_if(iterator, is_here, scope)],
                    _ => self.segment_if(iterator, is_here, is_walked, scope),
                });
            }
            conditions.extend(found.map(|condition| (member, condition)));
        }
        let condition = |set: Set| {
            let mut wanted = conditions.iter().filter(|(member, _)| set.contains(*member));
            let first = wanted.next().map(|(_, condition)| condition.clone());
            first.map(|first| wanted.fold(first, |all, (_, one)| Expr::and(all, one.clone())))
        };
        let uncertain = Set::of(conditions.iter().map(|(member, _)| *member));
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        let mut earlier: Vec<Set> = Vec::new();
        for (sets, outcome) in point.arms() {
            let body = self.region(inner, outcome, scope);
            let any = sets.iter().map(|set| condition(*set));
            let any = any.collect::<Option<Vec<Expr>>>().into_iter().flatten().reduce(Expr::or);
            match any {
                Some(condition)
                    if !self.is_all_that_is_left(
                        inner,
                        point,
                        (uncertain, &earlier),
                        &sets,
                        scope,
                    ) =>
                {
                    arms.push((condition, body));
                }
                Some(_) | None => {
                    otherwise = body;
                    break;
                }
            }
            earlier.extend(sets);
        }
        stmts.extend(Stmt::choose(arms, otherwise));
        stmts
    }

    /// Binds the position of an iterator that reads it from a sorted copy, which has none for an
    /// exhausted iterator.
    fn sorted_position_if(
        &self,
        iterator: &LevelIterator,
        is_here: &Expr,
        scope: &mut Scope,
    ) -> Option<Stmt> {
        if !iterator.reorders() {
            return None;
        }
        let name = format!("{}_from", self.names.position(&iterator.access, iterator.level));
        let position = scope.position(&iterator.access);
        scope.resolve(&iterator.access, Reached::Segment(Segment::of(Expr::var(&name))));
        Some(Stmt::bind(&name, Expr::choose(is_here.clone(), position, Expr::Index(0))))
    }

    /// Resolves an access to the segment of its position if it has an entry, and to an empty
    /// segment otherwise.
    fn segment_if(
        &self,
        iterator: &LevelIterator,
        is_here: Expr,
        is_walked: bool,
        scope: &mut Scope,
    ) -> Vec<Stmt> {
        let name = self.names.position(&iterator.access, iterator.through);
        let mut start = scope.position(&iterator.access);
        let mut stmts = Vec::new();
        // An exhausted iterator is at the end of the positions, which is valid as an empty segment
        // for the levels below.
        let is_plain = is_walked && !iterator.reorders() && iterator.through == iterator.level;
        if !is_plain {
            let from = format!("{name}_from");
            let valid = Expr::choose(is_here.clone(), start, Expr::Index(0));
            stmts.push(Stmt::bind(&from, valid));
            start = Expr::var(&from);
        }
        let next = format!("{name}_next");
        stmts.push(Stmt::bind(&next, Expr::add(start.clone(), Expr::from_bool(is_here))));
        let segment = Segment { start, end: Expr::var(&next) };
        scope.resolve(&iterator.access, Reached::Segment(segment));
        stmts
    }

    /// Binds the value of an access if it has an entry, and its fill value otherwise.
    fn value_if(&self, iterator: &LevelIterator, is_here: Expr, scope: &mut Scope) -> Stmt {
        let access = &iterator.access;
        let name = self.names.value(access);
        let value = self.value_reached(access, scope);
        scope.values.insert(access.clone(), name.clone());
        Stmt::bind(&name, Expr::choose(is_here, value, self.fill(access.tensor)))
    }

    /// Lowers the body of one region.
    pub(super) fn region(&mut self, inner: &Loop, outcome: usize, scope: &Scope) -> Vec<Stmt> {
        let mut scope = scope.clone();
        scope.origin = origin(inner, Part::Body(outcome));
        let entered: Vec<Access> = inner.entered_by(outcome).into_iter().cloned().collect();
        if !entered.is_empty() {
            scope.entered = entered;
        }
        let assembled = self.assembled(inner, &scope);
        let mut stmts = Vec::new();
        for (result, level) in &assembled {
            stmts.extend(self.assemblers[*result].open(*level, &mut scope));
        }
        for access in inner.bodies[outcome].reads() {
            stmts.extend(self.sum_duplicates(access, &mut scope));
        }
        stmts.extend(self.plan(&inner.bodies[outcome], &scope));
        let mut end = Vec::new();
        for (result, level) in &assembled {
            end.extend(self.assemblers[*result].close(*level, (inner, outcome), &scope));
        }
        stmts.extend(continued(&scope, end));
        marked(scope.origin, stmts)
    }

    /// Returns the results that a loop assembles, each with its level. A loop that assigns to no
    /// result and fills no temporary visits coordinates that full levels store.
    fn assembled(&self, inner: &Loop, scope: &Scope) -> Vec<(usize, usize)> {
        let stores =
            |result: &Assembler<'_>| inner.bodies.iter().any(|body| body.assigns(result.tensor()));
        let stores_none = !scope.produces && !self.assemblers.iter().any(stores);
        let of = |(k, result): (usize, &Assembler<'_>)| {
            let level = result.level_of(inner.variable)?;
            (stores_none || stores(result)).then_some((k, level))
        };
        self.assemblers.iter().enumerate().filter_map(of).collect()
    }

    /// Returns whether every region that no earlier case matches contains one of `sets`. If no
    /// driver covers the whole dimension, every region contains a driver; below an entry of any of
    /// several operands, it contains that of one.
    fn is_all_that_is_left(
        &self,
        inner: &Loop,
        point: &MergePoint,
        (uncertain, earlier): (Set, &[Set]),
        sets: &[Set],
        scope: &Scope,
    ) -> bool {
        let drivers = Set::of(uncertain.members().filter(|member| point.drivers.contains(*member)));
        // A driver at an unused position has no entry.
        let walked = drivers.members().all(|member| {
            let iterator = &inner.iterators[member];
            !self.is_by_coordinate(iterator)
                && !self.may_be_unused(iterator)
                && iterator.waiting_are_full(self.program)
        });
        let some_is_there = drivers == point.drivers && !point.by_dimension && walked;
        // It suffices to check the smallest regions.
        let smallest = match some_is_there {
            true => drivers.members().map(|driver| Set::of([driver])).collect(),
            false => self.entered(inner, scope).unwrap_or_else(|| vec![Set::EMPTY]),
        };
        smallest
            .into_iter()
            .filter(|present| !earlier.iter().any(|case| case.is_subset(*present)))
            .all(|present| sets.iter().any(|set| set.is_subset(present)))
    }

    /// Returns iterators of which at least one has an entry at each coordinate of a loop, as one of
    /// their operands has one in the enclosing loops.
    fn entered(&self, inner: &Loop, scope: &Scope) -> Option<Vec<Set>> {
        let below = |access: &Access| {
            let mut iterators = inner.iterators.iter();
            let member = iterators.position(|iterator| iterator.access == *access)?;
            inner.iterators[member].has_all_below(self.program).then(|| Set::of([member]))
        };
        let iterators: Option<Vec<Set>> = scope.entered.iter().map(below).collect();
        iterators.filter(|iterators| !iterators.is_empty())
    }

    /// Looks up levels of an iterator at known coordinates, and returns the conditions for an
    /// entry. A level that drives the loop by coordinate needs no lookup. Under `within`, there is a
    /// position to look up.
    fn locate_levels(
        &self,
        iterator: &LevelIterator,
        levels: RangeInclusive<usize>,
        driven: Option<usize>,
        within: Option<Expr>,
        scope: &mut Scope,
        stmts: &mut Vec<Stmt>,
    ) -> Vec<Expr> {
        let access = &iterator.access;
        let format = &self.program.tensor(access.tensor).format;
        let mut conditions: Vec<Expr> = within.into_iter().collect();
        if let Segment { start, end } = scope.reached(access).segment()
            && iterator.parents == Positions::AtMostOne
            && levels.contains(&iterator.level)
            && *end != Segment::of(start.clone()).end
        {
            conditions.push(Expr::lt(start.clone(), end.clone()));
        }
        for level in levels {
            let v = self.program.level_variable(access, level).expect("a level of the access");
            let keeps = driven == Some(level) && !self.is_parted(scope);
            for mode in self.program.may_leave(access, level) {
                // The bounds of a loop over a window are within the mode.
                if keeps && v == mode && self.slice(mode).is_window() {
                    continue;
                }
                let condition = self.is_moved_to(mode, scope);
                if condition != Expr::Bool(true) && !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
            let storage = &self.storages[access.tensor.0][level];
            let parent = scope.position(access);
            let kind = &format.levels[level].level;
            let by_coordinate = kind.coordinate_iteration();
            let name = self.names.position(access, level);
            let outside = conditions.iter().cloned().reduce(Expr::and);
            let own_name = match outside {
                Some(_) => format!("{name}_at"),
                None => name.clone(),
            };
            let locate = kind.locate().filter(|_| driven != Some(level));
            // A result that another statement reads has the coordinates of the part only.
            let coordinate = match self.assembler(access.tensor) {
                Some(result) => result.within_part(level, scope.coordinate(v)),
                None => scope.coordinate(v),
            };
            let found = match (locate, by_coordinate, kind.position_iteration()) {
                (Some(locate), _, _) => locate.locate(storage, parent, coordinate, &own_name),
                (None, Some(iteration), _) => {
                    iteration.coord_access(storage, parent, coordinate, &own_name)
                }
                // The only child of its parent.
                (None, None, Some(only)) => {
                    let parents = scope.reached(access).segment().clone();
                    let children = only.pos_bounds(storage, parents);
                    scope.resolve(access, Reached::Segment(children));
                    continue;
                }
                (None, None, None) => unreachable!("every level is iterated or located"),
            };
            let mut position = found.value;
            match outside.filter(|_| !found.prelude.is_empty()) {
                // Coordinates outside of the mode must not be looked up.
                Some(inside) => {
                    let (found, is_there, at) =
                        locate_where(inside, &name, found.prelude, found.found, position);
                    stmts.extend(found);
                    conditions = vec![is_there];
                    position = at;
                }
                None => {
                    stmts.extend(found.prelude);
                    conditions.extend(found.found);
                }
            }
            let below = format.levels.get(level + 1);
            let is_read = below.is_none_or(|below| below.level.position_iteration().is_some());
            let is_named = matches!(position, Expr::Var(_) | Expr::Index(_))
                || below.is_some() && matches!(position, Expr::Binary(BinaryOp::Div, ..));
            if is_read && !is_named {
                stmts.push(Stmt::bind(&name, position));
                position = Expr::var(&name);
            }
            scope.resolve(access, Reached::Segment(Segment::of(position)));
        }
        conditions
    }

    /// Adds the values at all positions of an entry with duplicates.
    fn sum_duplicates(&self, access: &crate::notation::Access, scope: &mut Scope) -> Vec<Stmt> {
        let reached = scope.reached(access);
        let known = scope.values.contains_key(access);
        if known || !self.is_resolved(access, scope) || reached.is_single() {
            return Vec::new();
        }
        let name = self.names.summed(access);
        let position = format!("{}_each", self.names.summed(access));
        let value =
            reached.value(Expr::var(&position), |position| self.value_at(access.tensor, position));
        let Segment { start, end } = reached.segment().clone();
        let dtype = self.program.tensor(access.tensor).dtype;
        let add = Combine::reducing(&self.program.kernel, ReduceOp::SUM, dtype);
        let body = vec![add.assign(&name, value)];
        let mut stmts = vec![Stmt::bind_mut(&name, self.zero(dtype))];
        stmts.extend(Stmt::for_range(&position, start, end, body));
        scope.values.insert(access.clone(), name);
        stmts
    }

    fn is_resolved(&self, access: &crate::notation::Access, scope: &Scope) -> bool {
        !access.indices.is_empty() && access.indices.iter().all(|v| scope.knows(*v))
    }

    pub(super) fn is_by_coordinate(&self, iterator: &LevelIterator) -> bool {
        iterator.spec(self.program).level.coordinate_iteration().is_some()
    }
}
