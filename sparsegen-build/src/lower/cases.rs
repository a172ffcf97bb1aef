//! The body of a loop at one coordinate: which region it lies in, and what is done there.

use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::{MergePoint, Set};
use crate::iteration::plan::{Loop, Plan};
use crate::level::Segment;

use super::Lowering;
use super::combine::Combine;
use super::places::locate_where;
use super::scope::{Reached, Scope};
use crate::notation::{self, Reads, ReduceOp};

impl Lowering<'_> {
    /// The cases of a merge point. `here` tells of the drivers that may stand elsewhere when they
    /// stand at the coordinate; what is located is looked up first.
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
                    stmts.push(Stmt::Comment(guard.reason));
                    stmts.extend(Stmt::when(guard.inside, cases));
                }
                None => stmts.extend(cases),
            }
            stmts
        })
    }

    /// The cases, at coordinates that are inside the dimensions.
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
                let found = self.locate_levels(iterator, levels, driven, scope, &mut stmts);
                found.into_iter().reduce(Expr::and)
            } else {
                // The levels that were waiting for this one only.
                let below = iterator.level + 1..=iterator.through;
                let found = self.locate_levels(iterator, below, None, scope, &mut stmts);
                let is_here = here.iter().find(|(of, _)| *of == member);
                let is_here = is_here.map(|(_, condition)| condition.clone());
                is_here.into_iter().chain(found).reduce(Expr::and)
            };
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
        for (k, (set, outcome)) in point.cases.iter().enumerate() {
            let body = self.region(inner, *outcome, scope);
            let rest = &point.cases[..k];
            match condition(*set) {
                Some(condition)
                    if !self.is_all_that_is_left(inner, point, uncertain, rest, *set) =>
                {
                    arms.push((condition, body));
                }
                Some(_) | None => {
                    otherwise = body;
                    break;
                }
            }
        }
        stmts.extend(Stmt::choose(arms, otherwise));
        stmts
    }

    /// What is done in one region.
    pub(super) fn region(&mut self, inner: &Loop, outcome: usize, scope: &Scope) -> Vec<Stmt> {
        let mut scope = scope.clone();
        let level = self.assembler.level_of(inner.variable).filter(|_| !scope.produces);
        let mut stmts = Vec::new();
        if let Some(level) = level {
            stmts.extend(self.assembler.open(level, &mut scope));
        }
        for access in inner.bodies[outcome].reads() {
            stmts.extend(self.sum_duplicates(access, &mut scope));
        }
        stmts.extend(self.plan(&inner.bodies[outcome], &scope));
        if let Some(level) = level {
            stmts.extend(self.assembler.close(level, &inner.bodies[outcome], &scope));
        }
        stmts
    }

    /// Whether every set of iterators that can be at a coordinate, and that no earlier case takes,
    /// has all of `set`. Where nothing runs over the whole dimension, some driver is there.
    fn is_all_that_is_left(
        &self,
        inner: &Loop,
        point: &MergePoint,
        uncertain: Set,
        earlier: &[(Set, usize)],
        set: Set,
    ) -> bool {
        let drivers = Set::of(uncertain.members().filter(|member| point.drivers.contains(*member)));
        // Where a driver stands at a position that is unused, nothing need be there.
        let walked = drivers.members().all(|member| {
            let iterator = &inner.iterators[member];
            !self.is_by_coordinate(iterator)
                && !self.may_be_unused(iterator)
                && iterator.waiting_are_full(self.program)
        });
        let some_is_there = drivers == point.drivers && !point.by_dimension && walked;
        // What holds for the smallest regions holds for those around them.
        let smallest = match some_is_there {
            true => drivers.members().map(|driver| Set::EMPTY.with(driver)).collect(),
            false => vec![Set::EMPTY],
        };
        smallest
            .into_iter()
            .filter(|present| !earlier.iter().any(|(case, _)| case.is_subset(*present)))
            .all(|present| set.is_subset(present))
    }

    /// Looks up levels of an iterator at the coordinates known here; what must hold for an entry to be
    /// there. The level that drives the loop by its coordinates, if one does, need not be searched.
    fn locate_levels(
        &self,
        iterator: &LevelIterator,
        levels: RangeInclusive<usize>,
        driven: Option<usize>,
        scope: &mut Scope,
        stmts: &mut Vec<Stmt>,
    ) -> Vec<Expr> {
        let access = &iterator.access;
        let format = &self.program.tensor(access.tensor).format;
        let mut conditions = Vec::new();
        for level in levels {
            let v = self.program.level_variable(access, level).expect("a level of the access");
            let keeps = driven == Some(level) && !self.is_parted(scope);
            for slice in self.program.may_leave(access, level) {
                // The bounds of a loop over a window keep to the mode.
                let is_own = self.program.space.slice(v) == Some(slice);
                if keeps && is_own && matches!(slice.reads, Reads::Window(_)) {
                    continue;
                }
                let condition = self.is_moved_to(&slice, scope);
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
            let found = match (locate, by_coordinate, kind.position_iteration()) {
                (Some(locate), _, _) => {
                    locate.locate(storage, parent, scope.coordinate(v), &own_name)
                }
                (None, Some(iteration), _) => {
                    iteration.coord_access(storage, parent, scope.coordinate(v), &own_name)
                }
                // The only child of its parent, at the coordinate that those above imply.
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
                // What is looked up must not lie outside of the mode.
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

    /// Adds up the values at all positions of an entry that has several.
    fn sum_duplicates(&self, access: &crate::notation::Access, scope: &mut Scope) -> Vec<Stmt> {
        let reached = scope.reached(access);
        let known = scope.summed.contains_key(access);
        if known || !self.is_resolved(access, scope) || reached.only().is_some() {
            return Vec::new();
        }
        let name = self.names.summed(access);
        let position = format!("{}_each", self.names.summed(access));
        let value = self.value_at(access.tensor, reached.at(Expr::var(&position)));
        let Segment { start, end } = reached.segment().clone();
        let dtype = self.program.tensor(access.tensor).dtype;
        let add = Combine::reducing(&self.program.kernel, ReduceOp::Sum, dtype);
        let body = vec![add.assign(&name, value)];
        let mut stmts = vec![Stmt::bind_mut(&name, self.zero(dtype))];
        stmts.extend(Stmt::for_range(&position, start, end, body));
        scope.summed.insert(access.clone(), name);
        stmts
    }

    fn is_resolved(&self, access: &crate::notation::Access, scope: &Scope) -> bool {
        !access.indices.is_empty() && access.indices.iter().all(|v| scope.knows(*v))
    }

    pub(super) fn is_by_coordinate(&self, iterator: &LevelIterator) -> bool {
        iterator.spec(self.program).level.coordinate_iteration().is_some()
    }
}

/// Returns what is done if a condition holds and what otherwise, if a sequence is that.
pub(super) fn either(plans: &[Rc<Plan>]) -> Option<(&notation::Expr, &Plan, &Plan)> {
    let [first, second] = plans else { return None };
    let Plan::If { condition, body } = &**first else { return None };
    let Plan::If { condition: opposite, body: otherwise } = &**second else { return None };
    let negated = notation::Expr::call(notation::Function::Not, vec![condition.clone()]);
    (*opposite == negated).then_some((condition, &**body, &**otherwise))
}
